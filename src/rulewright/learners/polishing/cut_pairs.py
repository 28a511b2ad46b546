"""The best cuts of two thresholds together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.polishing.objective import Losses, PolishingTask
from rulewright.rules import Threshold

MAX_CELLS = 2**18
"""Number of pairs of values above which two cuts are not chosen together."""

Integers = NDArray[np.int64]


class _ColumnValues(NamedTuple):
    """Values of a column, and for each example the number of values below its own."""

    values: NDArray[np.float64]
    codes: NDArray[np.intp]  # the number of values where the value is missing


def best_cuts(
    task: PolishingTask, one: Threshold, other: Threshold, losses: Sequence[Losses]
) -> tuple[Threshold, Threshold] | None:
    """Find the cuts and directions of two thresholds with the least loss, on the same columns.

    ``losses`` are those of each example where both are true, only the first, only the second, and
    none. The search is exact. None if there are too many pairs of values, or a threshold has no
    anchor among the examples.
    """
    if any(
        len(part.anchored_on) != 1 or part.if_missing or part.cut_above for part in (one, other)
    ):
        return None
    sides = [_side(task, part.column) for part in (one, other)]
    first, second = sides
    if not 0 < first.values.size * second.values.size <= MAX_CELLS:
        return None
    both, only_first, only_second, none = losses
    # loss = none + [first] * a + [second] * b + [first and second] * c, for each example
    alone = _directed(_sums(first, only_first - none))
    alone_second = _directed(_sums(second, only_second - none))
    together = _table(first, second, both - only_first - only_second + none)
    total = alone[:, None, :, None] + alone_second[None, :, None, :] + together
    place = np.unravel_index(int(total.argmin()), total.shape)
    above_first, above_second, cut_first, cut_second = map(int, place)
    return (
        _threshold(task, one, first, above_first, cut_first),
        _threshold(task, other, second, above_second, cut_second),
    )


def _side(task: PolishingTask, column: str) -> _ColumnValues:
    numbers = task.sample.table.numbers(column)
    values = np.unique(numbers[~np.isnan(numbers)])
    codes = np.where(np.isnan(numbers), values.size, np.searchsorted(values, numbers))
    return _ColumnValues(values, codes)


def _sums(side: _ColumnValues, weight: Losses) -> Integers:
    """Weight of the examples of each value."""
    sums = np.zeros(side.values.size + 1, np.int64)
    np.add.at(sums, side.codes, weight)
    return sums[:-1]


def _directed(weight: Integers) -> Integers:
    """Weight up to each value (first row), and above it (second row)."""
    below = np.cumsum(weight)
    return np.stack([below, below[-1] - below])


def _table(first: _ColumnValues, second: _ColumnValues, weight: Losses) -> Integers:
    """Weight where both hold: by the directions of both, and then by their cuts."""
    shape = first.values.size + 1, second.values.size + 1
    cells = np.zeros(shape[0] * shape[1], np.int64)
    np.add.at(cells, first.codes * shape[1] + second.codes, weight)
    below = cells.reshape(shape)[:-1, :-1].cumsum(axis=0).cumsum(axis=1)
    rows, columns, every = below[:, -1:], below[-1:, :], below[-1, -1]
    beside = np.stack([below, rows - below])
    above = np.stack([columns - below, every - rows - columns + below])
    return np.stack([beside, above])


def _threshold(
    task: PolishingTask, old: Threshold, side: _ColumnValues, above: int, cut: int
) -> Threshold:
    """Threshold at a value; its anchor is the first example that has the value."""
    value = float(side.values[cut]) + 0.0  # turns -0.0 into 0.0
    if (value, bool(above)) == (old.cut, old.above):
        return old
    anchor = int(np.argmax(task.sample.table.numbers(old.column) == value))
    return replace(old, above=bool(above), cut=value, anchored_on=(anchor,))
