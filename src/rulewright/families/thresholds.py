"""A numeric column against a value seen in training."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rulewright.data import Field, NumericColumn, Table
from rulewright.families.family import Family, Found, Search, Weights
from rulewright.kernels import ThresholdIndex
from rulewright.rules import Predicate, Threshold


class Thresholds(Family):
    """``x <= t`` and ``x > t``, with t the value of a training example.

    Both are false where x is missing. Candidates are ordered by column, then ``<=`` before ``>``,
    then the lower cut; the anchor is the first row that has the value.
    """

    name: ClassVar[str] = "thresholds"
    anchored: ClassVar[bool] = True

    def prepare(self, table: Table, threads: int = 1) -> Search:
        return _ThresholdSearch(table.numeric, threads)

    def options(self, field: Field) -> int:
        return 2 if field.is_numeric else 0

    def makes(self, predicate: Predicate, table: Table) -> bool:
        match predicate:
            case Threshold(column, _, cut, if_missing=False, anchored_on=(row,)):
                return row < table.rows and bool(table.numbers(column)[row] == cut)
        return False


class _ThresholdSearch(Search):
    def __init__(self, columns: list[NumericColumn], threads: int) -> None:
        self._columns = columns
        self._index = ThresholdIndex([column.values for column in columns], threads)

    def heaviest(self, weight: Weights, *, side: bool = True) -> Found | None:
        # The false side of "x <= t" is "x > t" and whatever is missing.
        best = self._index.heaviest(weight, gathers_missing=not side, prefers_above=not side)
        if best is None:
            return None
        column = self._columns[best.column]
        anchor = int(np.argmax(column.values == best.cut))
        above = best.above if side else not best.above
        predicate = Threshold(column.name, above, best.cut, anchored_on=(anchor,))
        return Found(predicate, best.total, best.gathered)
