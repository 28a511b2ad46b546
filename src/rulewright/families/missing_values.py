"""Tests of whether a column's value is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rulewright.data import Column, Field, Table
from rulewright.families.family import (
    UNSTATED_DEFAULT,
    Choices,
    Examples,
    Family,
    Found,
    Question,
    Search,
    Site,
    Training,
    total_and_gathered,
)
from rulewright.rules import Missing, Predicate


@dataclass(frozen=True)
class MissingValues(Family):
    """``x is missing`` and ``x is not missing``, for columns that have missing values.

    Candidates are ordered by column, then "is missing" before "is not missing". Every column counts
    as an option, so the columns with missing values need not be known beforehand.

    Parameters
    ----------
    negation : bool
        Whether there is ``x is not missing``.
    """

    name: ClassVar[str] = "missing"
    directed: ClassVar[bool] = True

    negation: bool = field(default=True, metadata=UNSTATED_DEFAULT)

    def prepare(self, training: Training) -> Search:
        return _MissingSearch(training.table, self.negation)

    def options(self, column: Field) -> int:
        return 1 + self.negation

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        some = [(False,), (True,)] if self.negation else [(True,)]
        return Choices(() if column is None else some)

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case Missing(column, missing) if missing or self.negation:
                return Site(column, (missing,))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        return Missing(str(site.column), *site.option)


class _MissingSearch(Search):
    def __init__(self, table: Table, negation: bool) -> None:
        self._forms = (True, False) if negation else (True,)
        rows = ((c.name, np.flatnonzero(c.missing)) for c in table.columns)
        self._rows = [(name, missing) for name, missing in rows if missing.size]

    def heaviest(self, question: Question) -> Found | None:
        weight, side = question.weight, question.side
        best: Found | None = None
        if not self._rows:
            return None
        all_total, all_positive = total_and_gathered(weight)
        for name, missing in self._rows:
            total, positive = total_and_gathered(weight[missing])
            for is_missing in self._forms:
                totals = (total, positive)
                if is_missing != side:
                    totals = (all_total - total, all_positive - positive)
                if best is None or totals > best[1:]:
                    best = Found(Missing(name, is_missing), *totals)
        return best
