"""Ranges of the gain and the gain ratio of a column that is counted in bins.

C4.5 cuts a column where the gain is highest, and pays for the number of cuts that are possible. It
then compares the gain ratios of the columns whose gain is at least average. While some values of a
column are not counted, both the gain and the ratio lie in a range. Columns whose range excludes
that they are chosen need not be counted by value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.base.number_groups import NumberGroups
from rulewright.learners.tree.counted_groups import CountedSplit, gains, xlogx
from rulewright.learners.tree.counted_splits import NodeSplits

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

ROUNDING = 1e-9
AVERAGE = 1e-3
"""A column whose gain is below the average by this number of bits a row is compared too."""
LEAST = 1e-6
"""Bits a row that a split must gain."""


class GainRange(NamedTuple):
    """Ends of the gain of the best split of a column, after what it pays, and of its ratio."""

    low: float
    high: float
    low_ratio: float
    high_ratio: float

    @classmethod
    def of_split(cls, split: CountedSplit) -> GainRange:
        """Range of a split that is known."""
        return cls(split.gain, split.gain, split.ratio, split.ratio)


def gain_range(search: NodeSplits, groups: NumberGroups) -> GainRange | None:
    """Range of the best cut of a column without missing values; None if there is no cut."""
    rows, known = groups.counts.sum(axis=1), float(groups.known.sum())
    up_to = rows.cumsum()
    least = search.least_rows(groups.known)
    between = (up_to[:-1] >= least) & (known - up_to[:-1] >= least)
    left = groups.below[:-1]
    gain = gains(search.options.impurity, left, groups.known - left)
    low = float(np.max(gain, where=between, initial=-math.inf))
    bounds = cut_bounds(search, groups)
    high = max(low, float(bounds.max(initial=-math.inf)))
    inside = float((rows - 1.0)[bounds > -math.inf].sum())
    least_tried, most_tried = float(between.sum()), float(between.sum()) + inside
    if most_tried == 0:
        return None
    best = low - search.margin
    cuts = up_to[:-1][between & (gain >= best)]
    places = np.flatnonzero((bounds > -math.inf) & (bounds >= best))
    first, last = up_to[places] - rows[places] + 1, up_to[places] - 1
    ends = np.concatenate([cuts, np.maximum(first, 1.0), np.minimum(last, known - 1.0)])
    middles = np.concatenate([cuts, np.clip(known / 2, first, last)])
    paid_low = low - search.margin - math.log2(most_tried)
    paid_high = high + search.margin - math.log2(max(least_tried, 1.0))
    return GainRange(
        paid_low,
        paid_high,
        paid_low / float(_information(middles, known).max()) if paid_low > 0 else -math.inf,
        paid_high / float(_information(ends, known).min()),
    )


def cut_bounds(search: NodeSplits, groups: NumberGroups) -> Floats:
    """Upper bounds on the gain of the cuts within each bin; -inf where there is no cut."""
    bounds = search.bin_bounds(groups)
    up_to = groups.counts.sum(axis=1).cumsum()
    before, known = up_to - groups.counts.sum(axis=1), float(groups.known.sum())
    least = search.least_rows(groups.known)
    bounds[(up_to - 1 < least) | (known - before - 1 < least)] = -math.inf
    return bounds


def _information(left: Floats, rows: float) -> Floats:
    """Bits that identify the side of each row."""
    return np.asarray(xlogx(np.array(rows)) - xlogx(left) - xlogx(rows - left))


def compared_columns(
    ranges: Mapping[int, GainRange], exact: set[int], rows: float
) -> tuple[list[int], list[int]]:
    """Columns that may be chosen, and of these or all columns the ones to count first.

    ``exact`` are the columns whose range is a single number. If no column is to be counted, the
    highest ratio of those that may be chosen decides.
    """
    there = {column: one for column, one in ranges.items() if one.high > LEAST * rows}
    sure = {column: one for column, one in there.items() if one.low > LEAST * rows}
    unsure = [one for column, one in there.items() if column not in sure]
    least = _mean([one.low for one in sure.values()] + [LEAST * rows] * len(unsure))
    most = _highest_mean([o.high for o in sure.values()], [one.high for one in unsure])
    margin = ROUNDING * rows
    accepted = {c: o for c, o in sure.items() if o.low >= most - AVERAGE * rows + margin}
    ratio = max((one.low_ratio for one in accepted.values()), default=-math.inf)
    chosen = [
        column
        for column, one in sorted(there.items())
        if one.high >= least - AVERAGE * rows - margin and one.high_ratio >= ratio * (1 - ROUNDING)
    ]
    unknown = [column for column in chosen if column not in exact]
    if not unknown and not all(column in accepted for column in chosen):
        unknown = [column for column in there if column not in exact]
    return chosen, unknown


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / max(len(numbers), 1)


def _highest_mean(there: list[float], others: list[float]) -> float:
    """Highest mean of some numbers with some of the others."""
    chosen = list(there)
    for number in sorted(others, reverse=True):
        if chosen and number <= _mean(chosen):
            break
        chosen.append(number)
    return _mean(chosen)
