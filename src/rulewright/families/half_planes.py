"""Tests of weighted sums of two, three or four numeric columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Column, Field, Table
from rulewright.errors import InputError
from rulewright.families.family import (
    UNSTATED_DEFAULT,
    Choices,
    Examples,
    Family,
    Found,
    Mask,
    Question,
    Search,
    Site,
    Training,
    first_heaviest,
    max_axes,
)
from rulewright.families.weighted_sums import (
    UncutHalfPlane,
    max_sums,
    one_digit,
    read_weight,
    sums_to_try,
    uncut_half_planes,
)
from rulewright.kernels import ThresholdIndex
from rulewright.rules import NOT_SERIALIZED, HalfPlane, Predicate

DIGITS, POWERS = range(1, 10), range(-12, 13)
MAX_SUM_COLUMNS = 4
"""Maximum number of columns of a sum: more are hard to read."""


@dataclass(frozen=True)
class HalfPlanes(Family):
    """``x + w z <= t`` and ``x + w z > t``, where t is the sum at a training example.

    z is a column after x, and w a number of one digit: 1 to 9 times a power of ten from -12 to 12,
    or its negative. Both are false where x or z is missing. With ``sum_columns`` of 3 or 4, the sum
    has as many columns, each after the first with a weight of one digit.

    A message can encode every such w. A search tries the weights with which both columns contribute
    similarly to the sum: the quotient of their standard deviations, times 1/4, 1/2, 1, 2 and 4.
    Sums of three columns are the ten sums of two whose best cut has the lowest Gini impurity, each
    with every further column, whose weight gives it the standard deviation of the sum times the
    same factors; then the weights are divided by the first and rounded. Sums of four columns are
    made from the ten best of three. Candidates are ordered by their columns, then by the absolute
    values of the weights, positive before negative, ``<=`` before ``>``, then the lower t. The
    anchor is the first row that has the sum. With implied borders, it is a row that the predicate
    classifies correctly.

    Parameters
    ----------
    sum_columns : int, default=2
        Number of columns of a sum: 2, 3 or 4.
    """

    name: ClassVar[str] = "half_planes"
    borders: ClassVar[int] = 1
    lone: ClassVar[bool] = False
    border_implied: ClassVar[bool] = False

    sum_columns: int = field(default=2, metadata=UNSTATED_DEFAULT)
    columns: tuple[str, ...] = field(default=(), repr=False, compare=False, metadata=NOT_SERIALIZED)
    """The numeric columns of the training table, in order."""

    def __post_init__(self) -> None:
        read_sum_columns(self.sum_columns, "sum_columns")

    @property
    def own_subject(self) -> bool:
        return self.sum_columns > 2

    def prepare(self, training: Training) -> Search:
        return _HalfPlaneSearch(training, self.sum_columns)

    def options(self, column: Field) -> int:
        return 1 if column.is_quantity else 0

    def all_options(self, columns: Sequence[Field]) -> int:
        return self._sums([column.name for column in columns if column.is_quantity]).count

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        return self._sums(self.columns) if column is None else Choices()

    def _sums(self, columns: Sequence[str]) -> _Sums:
        return _Sums(columns, self.sum_columns)

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case HalfPlane(on, (1.0, *weights), above=above, if_missing=False) if len(
                on
            ) == self.sum_columns and all(read_weight(weight) is not None for weight in weights):
                return Site(None, (*on, *weights, above))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        (border,) = chosen
        table = examples.table
        if self._sums([column.name for column in table.quantities]).number(site.option) is None:
            return None
        *parts, above = site.option
        on, weights = parts[: self.sum_columns], parts[self.sum_columns :]
        half = HalfPlane(tuple(on), (1.0, *weights), 0.0, above)
        cut = float(half.sums(table.take(np.array([border])))[0]) + 0.0  # turns -0.0 into 0.0
        if not math.isfinite(cut):
            return None
        return replace(half, cut=cut, anchored_on=(int(examples.rows[border]),))

    def measured(self, table: Table, scaling_rows: NDArray[np.intp]) -> Family:
        return replace(self, columns=tuple(column.name for column in table.quantities))

    def notice(self, training: Training) -> str | None:
        limit, columns = max_axes(training), len(training.table.quantities)
        if max_sums(columns, self.sum_columns) <= limit:
            return None
        there = sums_to_try(training.table, self.sum_columns)
        if there <= limit:
            return None
        number = {2: "two", 3: "three", 4: "four"}[self.sum_columns]
        most = "up to " if self.sum_columns > 2 else ""
        return (
            f"Family {self.name!r} has {most}{there} sums of {number} columns. Only {limit} of "
            f"them, drawn at random, are tried on all {training.table.rows} rows. Set "
            "max_candidates to another number, or to None for all."
        )


def read_sum_columns(value: object, name: str) -> int:
    """Number of columns of a sum."""
    if isinstance(value, int) and 2 <= value <= MAX_SUM_COLUMNS:  # True and False are less
        return value
    raise InputError(f"{name} must be 2, 3 or {MAX_SUM_COLUMNS}, got {value!r}.")


class _Sums(Choices):
    """Sets of columns in order, with weights and direction: too many to list."""

    def __init__(self, columns: Sequence[str], size: int) -> None:
        self._columns = columns
        self._size = size
        self._places = {name: place for place, name in enumerate(columns)}

    @property
    def count(self) -> int:
        weights = 2 * len(DIGITS) * len(POWERS)
        weighted: int = weights ** (self._size - 1)
        return math.comb(len(self._columns), self._size) * weighted * 2

    def number(self, option: tuple[Any, ...]) -> int | None:
        if len(option) != 2 * self._size:
            return None
        *parts, above = option
        places = [self._places.get(name, -1) for name in parts[: self._size]]
        given = parts[self._size :]
        weights = [(read, w < 0) for w in given if (read := read_weight(w)) is not None]
        rises = all(one < other for one, other in pairwise([-1, *places]))
        if not rises or len(weights) < len(given):
            return None
        number = sum(math.comb(place, k) for k, place in enumerate(places, 1))
        for (digit, power), negative in weights:
            number = number * len(POWERS) + power - POWERS.start
            number = number * len(DIGITS) + digit - DIGITS.start
            number = 2 * number + int(negative)
        return 2 * number + int(above)

    def option(self, number: int) -> tuple[Any, ...]:
        number, above = divmod(number, 2)
        weights: list[float] = []
        for _ in range(self._size - 1):
            number, negative = divmod(number, 2)
            number, digit = divmod(number, len(DIGITS))
            number, power = divmod(number, len(POWERS))
            size = one_digit(DIGITS[digit], POWERS[power])
            weights.insert(0, -size if negative else size)
        places = _combination(number, self._size)
        return *(self._columns[place] for place in places), *weights, bool(above)


def _combination(number: int, size: int) -> list[int]:
    """Set of places of a number, in increasing order (the combinatorial number system).

    Examples
    --------
    >>> [_combination(number, 2) for number in range(4)]
    [[0, 1], [0, 2], [1, 2], [0, 3]]
    """
    places: list[int] = []
    for k in range(size, 0, -1):
        place = k - 1
        while math.comb(place + 1, k) <= number:
            place += 1
        places.insert(0, place)
        number -= math.comb(place, k)
    return places


class _HalfPlaneSearch(Search):
    def __init__(self, training: Training, sum_columns: int) -> None:
        self._y = training.y
        self._lines, _ = uncut_half_planes(training, sum_columns)
        self._index = ThresholdIndex([line.sums for line in self._lines], training.threads)

    def heaviest(self, question: Question) -> Found | None:
        if question.implied:
            return self._heaviest_implied(question)
        # The false side of "sum <= t" is "sum > t" and missing values.
        side = question.side
        best = self._index.heaviest(
            question.weight, gathers_missing=not side, prefers_above=not side
        )
        if best is None:
            return None
        half, sums = self._lines[best.column]
        anchor = int(np.argmax(sums == best.cut))
        above = best.above if side else not best.above
        predicate = replace(half, above=above, cut=best.cut, anchored_on=(anchor,))
        return Found(predicate, best.total, best.gathered)

    def _heaviest_implied(self, question: Question) -> Found | None:
        """Search with borders that are open and that the predicate classifies correctly."""
        own = self._y == question.output
        possible = np.ones_like(own) if question.open is None else question.open
        best: Found | None = None
        for line in self._lines:
            for above in (False, True):
                fires_below = above != question.side  # including the border
                borders = possible & (own == fires_below)
                found = _heaviest_of(line, above, question, borders)
                if found is not None and (best is None or found[1:] > best[1:]):
                    best = found
        return best


def _heaviest_of(
    line: UncutHalfPlane, above: bool, question: Question, borders: Mask
) -> Found | None:
    sums, weight = line.sums, question.weight
    there = ~np.isnan(sums)
    cuts = np.unique(sums[there & borders])
    if not cuts.size:
        return None
    both = np.stack([weight, np.maximum(weight, 0)])
    order = np.argsort(np.where(there, sums, np.inf), kind="stable")[: int(there.sum())]
    running = np.cumsum(both[:, order], axis=1)
    totals = running[:, np.searchsorted(sums[order], cuts, "right") - 1]
    if above == question.side:
        totals = running[:, -1:] - totals
    if not question.side:
        totals = totals + both[:, ~there].sum(axis=1, keepdims=True)
    best = first_heaviest(*totals)
    cut = float(cuts[best]) + 0.0  # turns -0.0 into 0.0
    anchor = int(np.flatnonzero((sums == cut) & borders)[0])
    predicate = replace(line.half, above=above, cut=cut, anchored_on=(anchor,))
    return Found(predicate, int(totals[0, best]), int(totals[1, best]))
