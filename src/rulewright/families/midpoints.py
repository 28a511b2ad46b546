"""Tests of a numeric column against the midpoint of two values seen in training."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Column, Field, NumericColumn
from rulewright.families.family import (
    Choices,
    Examples,
    Family,
    Floats,
    Found,
    Mask,
    Question,
    Search,
    Site,
    Training,
    first_heaviest,
)
from rulewright.rules import Predicate, Threshold

Singles = NDArray[np.float32]


@dataclass(frozen=True)
class Midpoints(Family):
    """``x <= t`` and ``x > t``, where t is the midpoint of the values of two training examples.

    As in scikit-learn's trees, values are rounded to single precision, halved and added in double
    precision, and x is rounded to single precision before it is compared with t. The cut of a
    predicate is the double that gives the same results without rounding x (``unrounded``).

    Both are false where x is missing. Candidates are ordered by column, then ``<=`` before ``>``,
    then the lower cut. The two values are neighbours among all values, and the anchors are the
    first rows that have them, the lower value first. With implied borders, both anchors are rows
    that the predicate classifies correctly, and neighbours among the open examples.
    """

    name: ClassVar[str] = "midpoints"
    borders: ClassVar[int] = 2
    border_implied: ClassVar[bool] = False

    def prepare(self, training: Training) -> Search:
        return _MidpointSearch(training)

    def options(self, column: Field) -> int:
        return 2 if column.is_numeric else 0

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
        column = str(site.column)
        low, high = singles(examples.table.numbers(column)[list(chosen)])
        if not (np.isfinite([low, high]).all() and low < high):  # missing, or out of order
            return None
        anchors = tuple(int(examples.rows[row]) for row in chosen)
        (above,) = site.option
        cut = float(unrounded(halfway(low, high)))
        return Threshold(column, above, cut, anchored_on=anchors)


def singles(values: Floats) -> Singles:
    """Numbers rounded to single precision; those that are too large become infinite."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def halfway(low: Any, high: Any) -> Floats:
    """Sum of the halves of single-precision numbers, in double precision."""
    return np.asarray(low, np.float64) / 2 + np.asarray(high, np.float64) / 2


def unrounded(cut: Any) -> Floats:
    """The double c such that x <= c if and only if x, rounded to single precision, is <= cut.

    It holds for every double x, and cuts in the range of single precision: c is the largest double
    that is rounded to the largest single-precision number not above the cut.

    Examples
    --------
    >>> c = float(unrounded(0.7))
    >>> [float(np.float32(x)) <= 0.7 for x in (c, np.nextafter(c, 1))]
    [True, False]
    """
    cut = np.asarray(cut, np.float64)
    with np.errstate(over="ignore", under="ignore"):
        nearest = cut.astype(np.float32)
        lower = np.nextafter(nearest, np.float32(-np.inf))
        below = np.where(nearest.astype(np.float64) > cut, lower, nearest)
        above = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    tie = halfway(below, np.where(np.isinf(above), 2.0**128, above))
    is_even = below.view(np.int32) % 2 == 0  # ties are rounded to the even neighbour
    return np.where(is_even, tie, np.nextafter(tie, -np.inf))


class _Cuts(NamedTuple):
    """Cuts in increasing order, and the rows whose values each lies between."""

    cuts: Floats
    low: list[int]
    high: list[int]


class PairSearch(Search):
    """Search for a cut between the values of two examples, which are neighbours.

    ``values`` are the values of each column that can be cut. A subclass has the cuts in the order
    of the values, and the predicates.
    """

    def __init__(self, training: Training, values: Sequence[NDArray[Any]]) -> None:
        self._y = training.y
        self._columns = training.table.numeric
        self._values = values
        self._order = [np.argsort(column.values, kind="stable") for column in self._columns]
        every = np.ones(training.y.size, np.bool_)
        self._cuts = [self._cuts_of_rows(values, every, every) for values in self._values]

    @abstractmethod
    def cuts_between(self, low: Floats, high: Floats) -> Floats:
        """Numbers that divide a column as the cuts between pairs of values do."""

    @abstractmethod
    def predicate(
        self, column: NumericColumn, cut: float, rows: tuple[int, int], *, above: bool
    ) -> Threshold:
        """Predicate of a cut between two rows."""

    def heaviest(self, question: Question) -> Found | None:
        best: Found | None = None
        for number in range(len(self._columns)):
            for above in (False, True):
                found = self._heaviest_of(number, above, question)
                if found is not None and (best is None or found[1:] > best[1:]):
                    best = found
        return best

    def _heaviest_of(self, number: int, above: bool, question: Question) -> Found | None:
        cuts, low, high = self._cuts_of(number, above, question)
        if not cuts.size:
            return None
        column, order = self._columns[number], self._order[number]
        present = order[: order.size - int(column.missing.sum())]
        sums = _sums(question.weight[present])
        below = sums[:, np.searchsorted(column.values[present], cuts, "right")]
        totals = sums[:, -1:] - below if above == question.side else below
        if not question.side:  # a predicate is false, and fires, where x is missing
            totals = totals + _sums(question.weight[column.missing])[:, -1:]
        best = first_heaviest(*totals)
        anchors = low[best], high[best]
        predicate = self.predicate(column, float(cuts[best]), anchors, above=above)
        return Found(predicate, int(totals[0, best]), int(totals[1, best]))

    def _cuts_of(self, number: int, above: bool, question: Question) -> _Cuts:
        if not question.implied:
            return self._cuts[number]
        possible = np.ones(self._y.size, np.bool_) if question.open is None else question.open
        fires_below = above != question.side
        own = self._y == question.output
        rightly_low = possible & (own == fires_below)
        return self._cuts_of_rows(self._values[number], rightly_low, possible & ~rightly_low)

    def _cuts_of_rows(self, values: NDArray[Any], low: Mask, high: Mask) -> _Cuts:
        """Cuts between neighbours; the lower is in one set of rows, the higher in another."""
        finite = np.isfinite(values)
        first_low, first_high = (_first_rows(values, rows & finite) for rows in (low, high))
        neighbours = pairwise(sorted({*first_low, *first_high}))
        pairs = [(a, b) for a, b in neighbours if a in first_low and b in first_high]
        ends = np.array(pairs, np.float64).reshape(-1, 2).T
        cuts = self.cuts_between(*ends)
        return _Cuts(cuts, [first_low[a] for a, _ in pairs], [first_high[b] for _, b in pairs])


class _MidpointSearch(PairSearch):
    def __init__(self, training: Training) -> None:
        super().__init__(training, [singles(column.values) for column in training.table.numeric])

    def cuts_between(self, low: Floats, high: Floats) -> Floats:
        return unrounded(halfway(low, high))

    def predicate(
        self, column: NumericColumn, cut: float, rows: tuple[int, int], *, above: bool
    ) -> Threshold:
        return Threshold(column.name, above, cut, anchored_on=rows)


def _sums(weight: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cumulative sums of the weights, and of the positive ones among them."""
    sums = np.zeros((2, weight.size + 1), np.int64)
    np.cumsum(weight, out=sums[0, 1:])
    np.cumsum(np.maximum(weight, 0), out=sums[1, 1:])
    return sums


def _first_rows(values: NDArray[Any], rows: Mask) -> dict[float, int]:
    """First row of each value."""
    places = np.flatnonzero(rows)
    distinct, first = np.unique(values[places], return_index=True)
    return dict(zip(distinct.tolist(), places[first].tolist(), strict=True))
