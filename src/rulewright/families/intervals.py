"""Tests of a numeric column against an interval of values seen in training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rulewright.data import Column, Field, NumericColumn
from rulewright.families.family import (
    Choices,
    Examples,
    Family,
    Found,
    Mask,
    Question,
    Search,
    Site,
    Training,
)
from rulewright.kernels import IntervalIndex
from rulewright.rules import Interval, Predicate


@dataclass(frozen=True)
class Intervals(Family):
    """``a <= x <= b`` and ``x < a or x > b``, where a and b are values of training examples.

    Both are false where x is missing. Candidates are ordered by column, then inside before outside,
    then the lower a, then the lower b; the anchors are the first rows that have the values. With
    implied borders, both ends are rows that the predicate classifies correctly: of its own class
    when it fires inside, of another when it fires outside.
    """

    name: ClassVar[str] = "intervals"
    borders: ClassVar[int] = 2
    border_implied: ClassVar[bool] = False

    def prepare(self, training: Training) -> Search:
        return _IntervalSearch(training)

    def options(self, column: Field) -> int:
        return 2 if column.is_numeric else 0

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        return Choices([(False,), (True,)] if isinstance(column, NumericColumn) else ())

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case Interval(column, inside=inside, if_missing=False, low_open=False, high_open=False):
                return Site(column, (inside,))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        column = str(site.column)
        values = examples.table.numbers(column)
        low, high = (float(values[row]) + 0.0 for row in chosen)  # turns -0.0 into 0.0
        if not low <= high:  # out of order, or missing
            return None
        anchors = tuple(int(examples.rows[row]) for row in chosen)
        (inside,) = site.option
        return Interval(column, low, high, inside, anchored_on=anchors)


class _IntervalSearch(Search):
    def __init__(self, training: Training) -> None:
        self._y = training.y
        self._columns = training.table.numeric
        self._index = IntervalIndex([c.values for c in self._columns], training.threads)

    def heaviest(self, question: Question) -> Found | None:
        # The false side of "a <= x <= b" is all other values, and missing ones.
        side = question.side
        best = self._index.heaviest(
            question.weight,
            gathers_missing=not side,
            prefers_outside=not side,
            **self._ends(question),
        )
        if best is None:
            return None
        column = self._columns[best.column]
        anchors = best.low, best.high
        low, high = (float(column.values[row]) + 0.0 for row in anchors)
        predicate = Interval(column.name, low, high, best.inside == side, anchored_on=anchors)
        return Found(predicate, best.total, best.gathered)

    def _ends(self, question: Question) -> dict[str, Mask]:
        """Examples that may be ends; None for all."""
        if not question.implied:
            return {}
        own = self._y == question.output
        possible = np.ones_like(own) if question.open is None else question.open
        return {"inside_ends": own & possible, "outside_ends": ~own & possible}
