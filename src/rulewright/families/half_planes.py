"""Tests of weighted sums of two numeric columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Column, Field, Table
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
    drawn,
    first_heaviest,
    max_axes,
)
from rulewright.families.spatial import check_room
from rulewright.kernels import ThresholdIndex
from rulewright.rules import NOT_SERIALIZED, HalfPlane, Predicate

DIGITS, POWERS = range(1, 10), range(-12, 13)
MIN_SIZE, MAX_SIZE = 1e-12, 9e12
FACTORS = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
"""Multiples of the weight that gives both columns the same spread; these weights are tried.

Rounding to one digit keeps them different: it never makes a number and its double equal.
"""


@dataclass(frozen=True)
class HalfPlanes(Family):
    """``x + w z <= t`` and ``x + w z > t``, where t is the sum at a training example.

    z is a column after x, and w a number of one digit: 1 to 9 times a power of ten from -12 to 12,
    or its negative. Both are false where x or z is missing.

    A message can encode every such w. A search tries the weights with which both columns contribute
    similarly to the sum: the quotient of their standard deviations, times 1/4, 1/2, 1, 2 and 4.
    Candidates are ordered by x, then z, then the absolute value of w, positive before negative,
    ``<=`` before ``>``, then the lower t. The anchor is the first row that has the sum. With
    implied borders, it is a row that the predicate classifies correctly.
    """

    name: ClassVar[str] = "half_planes"
    borders: ClassVar[int] = 1
    lone: ClassVar[bool] = False
    border_implied: ClassVar[bool] = False

    columns: tuple[str, ...] = field(default=(), repr=False, compare=False, metadata=NOT_SERIALIZED)
    """The numeric columns of the training table, in order."""

    def prepare(self, training: Training) -> Search:
        return _HalfPlaneSearch(training)

    def options(self, column: Field) -> int:
        return 1 if column.is_quantity else 0

    def all_options(self, columns: Sequence[Field]) -> int:
        return _Sums([column.name for column in columns if column.is_quantity]).count

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        return _Sums(self.columns) if column is None else Choices()

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case HalfPlane((first, second), (1.0, weight), above=above, if_missing=False) if (
                _read(weight) is not None
            ):
                return Site(None, (first, second, weight, above))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        (border,) = chosen
        first, second, weight, above = site.option
        table = examples.table
        if _Sums([column.name for column in table.quantities]).number(site.option) is None:
            return None
        half = HalfPlane((first, second), (1.0, weight), 0.0, above)
        cut = float(half.sums(table.take(np.array([border])))[0]) + 0.0  # turns -0.0 into 0.0
        if not math.isfinite(cut):
            return None
        return replace(half, cut=cut, anchored_on=(int(examples.rows[border]),))

    def measured(self, table: Table, scaling_rows: NDArray[np.intp]) -> Family:
        return replace(self, columns=tuple(column.name for column in table.quantities))

    def notice(self, training: Training) -> str | None:
        limit, columns = max_axes(training), len(training.table.quantities)
        if math.comb(columns, 2) * 2 * FACTORS.size <= limit:
            return None
        there = sum(_SumWeights(training.table).counts)
        if there <= limit:
            return None
        return (
            f"Family {self.name!r} has {there} sums of two columns. Only {limit} of them, drawn at "
            f"random, are tried on all {training.table.rows} rows. Set max_candidates to another "
            "number, or to None for all."
        )


class _Sums(Choices):
    """Pairs of columns in order, with weight and direction: too many to list."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns
        self._places = {name: place for place, name in enumerate(columns)}

    @property
    def count(self) -> int:
        weights = 2 * len(DIGITS) * len(POWERS)
        return math.comb(len(self._columns), 2) * weights * 2

    def number(self, option: tuple[Any, ...]) -> int | None:
        first, second, weight, above = option
        one, other = (self._places.get(name) for name in (first, second))
        if one is None or other is None or one >= other or (read := _read(weight)) is None:
            return None
        digit, power = read
        number = math.comb(other, 2) + one
        number = number * len(POWERS) + power - POWERS.start
        number = number * len(DIGITS) + digit - DIGITS.start
        return 4 * number + 2 * int(weight < 0) + int(above)

    def option(self, number: int) -> tuple[Any, ...]:
        number, above = divmod(number, 2)
        number, negative = divmod(number, 2)
        number, digit = divmod(number, len(DIGITS))
        number, power = divmod(number, len(POWERS))
        other = (1 + math.isqrt(1 + 8 * number)) // 2
        one = number - math.comb(other, 2)
        size = _weight(DIGITS[digit], POWERS[power])
        weight = -size if negative else size
        return self._columns[one], self._columns[other], weight, bool(above)


def _weight(digit: int, power: int) -> float:
    return float(f"{digit}e{power}")


def _read(weight: float) -> tuple[int, int] | None:
    """Digit and power of ten of the absolute value of a weight; None if it is not of this form.

    Examples
    --------
    >>> _read(-0.5), _read(3e7), _read(12.0), _read(1e13)
    ((5, -1), (3, 7), None, None)
    """
    size = abs(weight)
    if not MIN_SIZE <= size <= MAX_SIZE:
        return None
    digit, power = _rounded(size)
    return (digit, power) if _weight(digit, power) == size else None


def _rounded(size: float) -> tuple[int, int]:
    digit, power = f"{size:.0e}".split("e")
    return int(digit), int(power)


class UncutHalfPlane(NamedTuple):
    """A half-plane without its cut, and the sum of every row."""

    half: HalfPlane
    sums: Floats


def uncut_half_planes(training: Training) -> tuple[list[UncutHalfPlane], int]:
    """The sums to try, and the number of those left out because there are too many."""
    weights = _SumWeights(training.table)
    every, limit = sum(weights.counts), max_axes(training)
    check_room(min(every, limit), training.table.rows, HalfPlanes.name)
    numbers = drawn(every, limit, training.seed)
    lines = [UncutHalfPlane(half, half.sums(training.table)) for half in weights.of(numbers)]
    return lines, every - len(lines)


class _SumWeights:
    """Weights that a search may try, numbered in the order of the candidates.

    ``counts`` is their number for each first column.
    """

    def __init__(self, table: Table) -> None:
        spread = [(column.name, _deviation(column.values)) for column in table.quantities]
        self._names = [name for name, deviation in spread if deviation]
        self._deviations = np.array([deviation for _, deviation in spread if deviation])
        every = range(len(self._names))
        self.counts = [2 * int(_in_range(self._sizes(first)).sum()) for first in every]

    def of(self, numbers: NDArray[np.intp]) -> Iterator[HalfPlane]:
        """Half-planes of some numbers, which are in increasing order."""
        ends = np.searchsorted(numbers, np.cumsum([0, *self.counts]))
        start = 0
        for first, count in enumerate(self.counts):
            sizes = self._sizes(first)
            seconds, places = np.nonzero(_in_range(sizes))
            for number in (numbers[ends[first] : ends[first + 1]] - start).tolist():
                which, negative = divmod(number, 2)
                second = int(seconds[which])
                weight = _weight(*_rounded(float(sizes[second, places[which]])))
                on = self._names[first], self._names[first + 1 + second]
                yield HalfPlane(on, (1.0, -weight if negative else weight), 0.0, above=True)
            start += count

    def _sizes(self, first: int) -> Floats:
        """Weights of each column after the first, before rounding."""
        with np.errstate(over="ignore"):
            quotients = self._deviations[first] / self._deviations[first + 1 :]
            sizes: Floats = quotients[:, np.newaxis] * FACTORS
        return sizes


def _in_range(sizes: Floats) -> Mask:
    return (sizes >= MIN_SIZE) & (sizes <= MAX_SIZE)


def _deviation(values: Floats) -> float:
    """Standard deviation of the present values; zero if it cannot be measured."""
    present = np.sort(values[~np.isnan(values)])  # the order of the rows must not matter
    if not present.size or present[0] == present[-1]:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(present.std())
    return deviation if math.isfinite(deviation) else 0.0


class _HalfPlaneSearch(Search):
    def __init__(self, training: Training) -> None:
        self._y = training.y
        self._lines, _ = uncut_half_planes(training)
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
