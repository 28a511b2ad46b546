"""Weighted sums of a few columns that a search for half-planes tries.

Pairs of columns are tried in all ways. Sums of three columns are the best sums of two with one
column more, and sums of four the best of three: there are too many to try them all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.families.family import Floats, Mask, Training, drawn, max_axes
from rulewright.families.spatial import check_room
from rulewright.rules import HalfPlane

MIN_SIZE, MAX_SIZE = 1e-12, 9e12
FACTORS = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
"""Multiples of the weight that gives a column the same spread as the sum before it.

Rounding to one digit keeps them different: it never makes a number and its double equal.
"""
BEAM_WIDTH = 10
"""Number of sums that are extended by a further column."""


def one_digit(digit: int, power: int) -> float:
    """The weight of a digit and a power of ten."""
    return float(f"{digit}e{power}")


def read_weight(weight: float) -> tuple[int, int] | None:
    """Digit and power of ten of the absolute value of a weight; None if it is not of this form.

    Examples
    --------
    >>> read_weight(-0.5), read_weight(3e7), read_weight(12.0), read_weight(1e13)
    ((5, -1), (3, 7), None, None)
    """
    size = abs(weight)
    if not MIN_SIZE <= size <= MAX_SIZE:
        return None
    digit, power = _rounded(size)
    return (digit, power) if one_digit(digit, power) == size else None


def _rounded(size: float) -> tuple[int, int]:
    digit, power = f"{size:.0e}".split("e")
    return int(digit), int(power)


class UncutHalfPlane(NamedTuple):
    """A half-plane without its cut, and the sum of every row."""

    half: HalfPlane
    sums: Floats


def uncut_half_planes(training: Training, sum_columns: int = 2) -> tuple[list[UncutHalfPlane], int]:
    """The sums to try, and the number of those left out because there are too many."""
    weights = _PairWeights(training.table)
    every, limit = sum(weights.counts), max_axes(training)
    halves: Iterable[HalfPlane] = weights.of(drawn(every, limit, training.seed))
    for _ in range(sum_columns - 2):
        best = _best([*_with_sums(halves, training.table)], training.y)
        extended = _extended(best, training.table)
        every = len(extended)
        halves = [extended[number] for number in drawn(every, limit, training.seed)]
    check_room(min(every, limit), training.table.rows, "half_planes")
    return [*_with_sums(halves, training.table)], every - min(every, limit)


def max_sums(columns: int, sum_columns: int) -> int:
    """Maximum number of sums to try of as many columns."""
    weights = 2 * FACTORS.size
    if sum_columns == 2:
        return math.comb(columns, 2) * weights
    return BEAM_WIDTH * max(columns - sum_columns + 1, 0) * weights


def sums_to_try(table: Table, sum_columns: int) -> int:
    """Number of sums of two columns to try; of more columns, the maximum."""
    if sum_columns == 2:
        return sum(_PairWeights(table).counts)
    return max_sums(len(table.quantities), sum_columns)


def _with_sums(halves: Iterable[HalfPlane], table: Table) -> Iterator[UncutHalfPlane]:
    for half in halves:
        sums = half.sums(table)
        if not np.isinf(sums).any():
            yield UncutHalfPlane(half, sums)


class _PairWeights:
    """Weights of pairs that a search may try, numbered in the order of the candidates.

    ``counts`` is their number for each first column.
    """

    def __init__(self, table: Table) -> None:
        spread = _deviations(table)
        self._names = list(spread)
        self._deviations = np.array(list(spread.values()))
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
                weight = one_digit(*_rounded(float(sizes[second, places[which]])))
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


def _deviations(table: Table) -> dict[str, float]:
    """Standard deviations of the columns that have one, by name."""
    every = {column.name: _deviation(column.values) for column in table.quantities}
    return {name: deviation for name, deviation in every.items() if deviation}


def _deviation(values: Floats) -> float:
    """Standard deviation of the present values; zero if it cannot be measured."""
    present = np.sort(values[~np.isnan(values)])  # the order of the rows must not matter
    if not present.size or present[0] == present[-1]:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(present.std())
    return deviation if math.isfinite(deviation) else 0.0


def _best(lines: Sequence[UncutHalfPlane], y: NDArray[np.int32]) -> list[UncutHalfPlane]:
    """The sums whose best cut separates the classes best, the first on ties."""
    purity = np.array([_purity(line.sums, y) for line in lines])
    return [lines[place] for place in np.argsort(-purity, kind="stable")[:BEAM_WIDTH]]


def _purity(sums: Floats, y: NDArray[np.int32]) -> float:
    """One less the Gini impurity after the best cut of a sum; missing values are a third part."""
    missing = np.isnan(sums)
    order = np.argsort(sums, kind="stable")[: y.size - int(missing.sum())]
    classes = np.arange(int(y.max(initial=0)) + 1)
    below = np.cumsum(y[order][:, np.newaxis] == classes, axis=0)
    ends = np.append(np.flatnonzero(np.diff(sums[order]) > 0), order.size - 1)
    above = below[-1:] - below[ends] if order.size else below
    cut = _concentration(below[ends]) + _concentration(above) if order.size else np.zeros(1)
    apart = _concentration(np.bincount(y[missing], minlength=classes.size)[np.newaxis])
    # Counts are whole numbers, so that the order of the rows changes nothing; neither may the
    # last digit of a quotient decide.
    return round(float(cut.max() + apart[0]) / max(y.size, 1), 12)


def _concentration(counts: NDArray[np.int64]) -> Floats:
    """Sum of the squared counts of each row, divided by their sum; zero if there are none."""
    quotients: Floats = (counts**2).sum(axis=1) / np.maximum(counts.sum(axis=1), 1)
    return quotients


def _extended(lines: Iterable[UncutHalfPlane], table: Table) -> list[HalfPlane]:
    """Sums with one column more, by the places of their columns, then by their weights.

    The new column gets the spread of the sum, times 1/4, 1/2, 1, 2 and 4.
    """
    deviations = _deviations(table)
    place = {name: number for number, name in enumerate(deviations)}
    found = set()
    for half, sums in lines:
        unit = _deviation(sums)
        parts = dict(zip(half.on, half.weights, strict=True))
        for name in [name for name in deviations if unit and name not in parts]:
            sizes = [unit / deviations[name] * factor for factor in FACTORS.tolist()]
            for weight in (sign * size for size in sizes for sign in (1, -1)):
                weights = {**parts, name: weight}
                found.add(
                    _normalised({n: weights[n] for n in sorted(weights, key=place.__getitem__)})
                )
    return sorted(
        (half for half in found if half is not None),
        key=lambda half: (
            [place[name] for name in half.on],
            [(abs(weight), weight < 0) for weight in half.weights],
        ),
    )


def _normalised(weights: dict[str, float]) -> HalfPlane | None:
    """Sum whose first weight is 1, the others rounded to one digit; None if one is out of range."""
    first, *others = weights.values()
    found = [1.0]
    for weight in others:
        size = abs(weight / first)
        if not MIN_SIZE <= size <= MAX_SIZE:
            return None
        found.append(math.copysign(one_digit(*_rounded(size)), weight * math.copysign(1, first)))
    return HalfPlane(tuple(weights), tuple(found), 0.0, above=True)
