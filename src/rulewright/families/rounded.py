"""Tests of a numeric column against the roundest value between two values seen in training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rulewright.data import Column, Field, NumericColumn
from rulewright.families.family import (
    Choices,
    Examples,
    Floats,
    Found,
    Question,
    Search,
    Site,
    Training,
)
from rulewright.families.midpoints import PairSearch
from rulewright.families.round_values import roundest
from rulewright.families.thresholds import Thresholds
from rulewright.rules import Predicate, Threshold


@dataclass(frozen=True)
class RoundedThresholds(Thresholds):
    """``x <= t`` and ``x > t``, where t is the roundest value between two training examples.

    The first example is below the cut, or on it; the second is above it. They are neighbours among
    all values, so every training row is on the same side as with a cut at the first value. Where no
    value is larger, both examples are the same and the cut is their value. See ``roundest``.

    Both predicates are false where x is missing. Candidates are ordered by column, then ``<=``
    before ``>``, then the lower cut; the anchors are the first rows that have the two values. With
    implied borders, both anchors are rows that the predicate classifies correctly, and neighbours
    among the open examples.
    """

    name: ClassVar[str] = "rounded"
    borders: ClassVar[int] = 2
    border_implied: ClassVar[bool] = False

    def prepare(self, training: Training) -> Search:
        return _RoundedSearch(self, training)

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        return Choices([(False,), (True,)] if isinstance(column, NumericColumn) else ())

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case Threshold(column, above, if_missing=False, anchored_on=(_, _), cut_above=False):
                return Site(column, (above,))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        column = examples.table.column(str(site.column))
        values = examples.table.numbers(str(site.column))[list(chosen)] + 0.0
        if not values[0] <= values[1]:  # missing, or out of order
            return None
        low, high = values.tolist()
        one, other = (int(examples.rows[row]) for row in chosen)
        (above,) = site.option
        return self.between(column.field, (low, high), (one, other), above=above)

    def between(
        self, column: Field, ends: tuple[float, float], rows: tuple[int, int], *, above: bool
    ) -> Threshold:
        low, high = ends
        cut = roundest(low, high, column.moment) if low < high else self._cut(low)
        return Threshold(column.name, above, cut, anchored_on=rows)


class _RoundedSearch(Search):
    """Search for a cut at a value, which is rounded afterwards."""

    def __init__(self, family: RoundedThresholds, training: Training) -> None:
        self._family = family
        self._training = training
        self._search = Thresholds.prepare(family, training)

    def heaviest(self, question: Question) -> Found | None:
        if not question.implied:
            return self._search.heaviest(question)
        return _OpenPairs(self._family, self._training.undirected()).heaviest(question)


class _OpenPairs(PairSearch):
    """Search for a cut between two open examples that the predicate classifies correctly."""

    def __init__(self, family: RoundedThresholds, training: Training) -> None:
        super().__init__(training, [column.values + 0.0 for column in training.table.numeric])
        self._family = family

    def cuts_between(self, low: Floats, high: Floats) -> Floats:
        return low

    def predicate(
        self, column: NumericColumn, cut: float, rows: tuple[int, int], *, above: bool
    ) -> Threshold:
        low, high = (column.values[list(rows)] + 0.0).tolist()
        return self._family.between(column.field, (low, high), rows, above=above)
