"""The best split of a node from counts of its rows.

The same choices as those of the kernel that grows trees from rows in memory (``kernels.grow_tree``,
cpp/src/split_search.cpp and category_splits.cpp): the same gains, and the same order of ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import CUT, MULTIWAY, PRESENT, SUBSET, GrowthOptions
from rulewright.learners.base.number_groups import NumberGroups
from rulewright.learners.tree.counted_groups import (
    ALL_BRANCHES,
    CategoryGroups,
    CountedSplit,
    gains,
    heaviest,
    nearly,
    weighted_impurity,
    xlogx,
)

Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""Gains that differ by no more than this share of the impurity of a node are ties."""
MAX_BOUNDED_CLASSES = 6
"""With more classes, a bin has no bound: all values are counted."""


def has_bounds(classes: int) -> bool:
    """Whether bins have upper bounds on the gain of cuts within them.

    With many classes there are too many corners.
    """
    return classes <= MAX_BOUNDED_CLASSES


class NodeSplits:
    """Splits of one node.

    Parameters
    ----------
    counts : array
        Rows of each class.
    options : GrowthOptions
    """

    def __init__(self, counts: Floats, options: GrowthOptions) -> None:
        self.counts = counts
        self.options = options
        self.rows = float(counts.sum())
        self.impurity = float(weighted_impurity(options.impurity, counts))
        self.slack = ROUNDING * self.impurity

    # Numbers

    def on_numbers(
        self, column: int, groups: NumberGroups, absent: Floats | None = None
    ) -> CountedSplit | None:
        """Return the best cut between the groups, or the test for missing values.

        ``absent`` are the rows without a value, if they go down all branches.
        """
        split = None
        for absent_below, absent_above, side in self._sides(groups.known, absent):
            split = self._best_cut(column, groups, absent_below, absent_above, side, split)
        split = self._presence(column, groups.known, split)
        return None if split is None else self._with_ratio(split, absent)

    def _best_cut(
        self,
        column: int,
        groups: NumberGroups,
        absent_below: Floats,
        absent_above: Floats,
        side: int | None,
        split: CountedSplit | None,
    ) -> CountedSplit | None:
        left, right = self._sides_of_cuts(groups.below[:-1], groups, absent_below, absent_above)
        found = self._scan(left, right, self.least_rows(groups.known))
        if found is None:
            return split
        place, gain, tried = found
        gain = self._paid(gain, tried)
        if not self._is_better(gain, split):
            return split
        cut = CountedSplit(
            CUT,
            column,
            gain,
            np.stack([left[place], right[place]]),
            _settled(side, left[place], right[place]),
            low=float(groups.high[place]),
            high=float(groups.low[place + 1]),
        )
        return cut

    def _sides(
        self, known: Floats, everywhere: Floats | None = None
    ) -> Iterator[tuple[Floats, Floats, int | None]]:
        """Rows without a value below and above a cut, and their branch: above first.

        Those that go ``everywhere`` are on no side.
        """
        absent = self.counts - known
        none = np.zeros_like(absent)
        if self.options.fractional or not absent.any():
            yield none, none, None if everywhere is None else ALL_BRANCHES
            return
        yield none, absent, 1
        yield absent, none, 0

    def _sides_of_cuts(
        self, below: Floats, groups: NumberGroups, absent_below: Floats, absent_above: Floats
    ) -> tuple[Floats, Floats]:
        return below + absent_below, (groups.known - below) + absent_above

    def _scan(self, left: Floats, right: Floats, least: float) -> tuple[int, float, int] | None:
        """Place and gain of the best of ordered cuts, and the number of cuts that are allowed.

        As in a scan in memory, a later cut wins only by more than a tie.
        """
        allowed = np.flatnonzero((left.sum(axis=1) >= least) & (right.sum(axis=1) >= least))
        if not allowed.size:
            return None
        gain = gains(self.options.impurity, left[allowed], right[allowed])
        best = 0
        records = 1 + np.flatnonzero(gain[1:] > np.maximum.accumulate(gain)[:-1])
        for place, value in zip(records.tolist(), gain[records].tolist(), strict=True):
            if value > gain[best] + self.slack:
                best = place
        return int(allowed[best]), float(gain[best]), allowed.size

    def least_rows(self, known: Floats) -> float:
        """Least number of rows on each side of a cut."""
        least = self.options.min_leaf
        if self.options.by_ratio:
            # C4.5 requires a tenth of a class's share on each side, but no more than 25.
            least = max(least, min(0.1 * float(known.sum()) / known.size, 25.0))
        return nearly(least)

    def bin_bounds(self, groups: NumberGroups) -> Floats:
        """Upper bounds on the gain of every cut within each bin; -inf for single values.

        The gain is a convex function of the rows on one side. So it is largest at a corner of the
        box of what a cut within the bin can leave there.
        """
        places = np.flatnonzero(groups.is_bin)
        bounds = np.full(groups.low.size, -np.inf)
        if not places.size:
            return bounds
        classes = groups.known.size
        if not has_bounds(classes):
            bounds[places] = np.inf
            return bounds
        corners = np.array(np.meshgrid(*[[0.0, 1.0]] * classes)).reshape(classes, -1).T
        before = (groups.below - groups.counts)[places]
        below = before[:, None, :] + corners[None] * groups.counts[places][:, None, :]
        for absent_below, absent_above, _ in self._sides(groups.known):
            left, right = self._sides_of_cuts(below, groups, absent_below, absent_above)
            found = gains(self.options.impurity, left, right).max(axis=1)
            bounds[places] = np.maximum(bounds[places], found)
        return bounds

    @property
    def margin(self) -> float:
        """What a cut may gain less than another and still matter: ties, and rounding."""
        return 4 * self.slack + 1e-13 * self.rows

    # Categories

    def on_categories(
        self, column: int, groups: CategoryGroups, absent: Floats | None = None
    ) -> CountedSplit | None:
        """Return the best split by categories, or the test for missing values.

        ``absent`` are the rows without a value, if they go down all branches.
        """
        split = None
        if groups.codes.size > 1:
            ways: dict[str, Callable[..., CountedSplit | None]] = {
                "multiway": self._multiway,
                "single": self._single,
                "subset": self._subsets,
            }
            split = ways[self.options.categories](column, groups, absent)
        split = self._presence(column, groups.known, split)
        return None if split is None else self._with_ratio(split, absent)

    def _charge(self, categories: int) -> float:
        if self.options.by_ratio or categories <= 2:
            return 0.0
        return (categories - 2) * (self.impurity / self.rows)

    def _multiway(
        self, column: int, groups: CategoryGroups, absent: Floats | None
    ) -> CountedSplit | None:
        rows = groups.counts.sum(axis=1)
        if (rows >= nearly(self.options.min_leaf)).sum() < 2:
            return None
        largest = heaviest(rows)
        branches = groups.counts.copy()
        if not self.options.fractional:
            branches[largest] += self.counts - groups.known
        split = CountedSplit(
            MULTIWAY,
            column,
            self._gain(branches),
            branches,
            largest if absent is None else ALL_BRANCHES,
            self._charge(rows.size),
            branch_of=groups.branch_of(np.arange(rows.size), -1),
        )
        return split if self._counts(split.gain) else None

    def _single(
        self, column: int, groups: CategoryGroups, absent: Floats | None
    ) -> CountedSplit | None:
        split = None
        for place in range(groups.codes.size):
            own = groups.counts[place]
            for absent_within, absent_beyond, side in self._sides(groups.known, absent):
                branches = np.stack([own + absent_within, groups.known - own + absent_beyond])
                if (branches.sum(axis=1) < nearly(self.options.min_leaf)).any():
                    continue
                gain = self._paid(self._gain(branches), groups.codes.size)
                if not self._is_better(gain, split):
                    continue
                branch_of = np.ones(groups.categories, np.int32)
                branch_of[groups.codes[place]] = 0
                missing = _settled(side, *branches)
                split = CountedSplit(SUBSET, column, gain, branches, missing, branch_of=branch_of)
        return split

    def _subsets(
        self, column: int, groups: CategoryGroups, absent: Floats | None
    ) -> CountedSplit | None:
        """Categories in the order of the share of a class; for two classes the best is a prefix."""
        classes = groups.known.size
        charge = self._charge(groups.codes.size)
        split = None
        for of_class in range(classes) if classes > 2 else [1]:
            share = groups.counts[:, of_class] / groups.counts.sum(axis=1)
            order = np.lexsort((groups.codes, share))
            below = groups.counts[order].cumsum(axis=0)[:-1]
            for absent_below, absent_above, side in self._sides(groups.known, absent):
                left, right = below + absent_below, groups.known - below + absent_above
                found = self._scan(left, right, nearly(self.options.min_leaf))
                if found is None:
                    continue
                place, gain, tried = found
                gain = self._paid(gain, tried)
                if not self._is_better(gain, split, charge):
                    continue
                chosen = np.ones(order.size, np.int32)
                chosen[order[: place + 1]] = 0
                branches = np.stack([left[place], right[place]])
                missing = _settled(side, *branches)
                branch_of = groups.branch_of(chosen, -1)
                split = CountedSplit(
                    SUBSET, column, gain, branches, missing, charge, branch_of=branch_of
                )
        return split

    # What all splits share

    def _presence(
        self, column: int, known: Floats, split: CountedSplit | None
    ) -> CountedSplit | None:
        absent = self.counts - known
        branches = np.stack([known, absent])
        weights = branches.sum(axis=1)
        allowed = (weights > 0).all() and (weights >= self.options.min_leaf).all()
        if self.options.fractional or not allowed:
            return split
        gain = self._gain(branches)
        if not self._is_better(gain, split):
            return split
        return CountedSplit(PRESENT, column, gain, branches, 1)

    def _gain(self, branches: Floats) -> float:
        parts = float(weighted_impurity(self.options.impurity, branches).cumsum()[-1])
        return float(weighted_impurity(self.options.impurity, branches.sum(axis=0))) - parts

    def _paid(self, gain: float, tried: int) -> float:
        return gain - math.log2(tried) if self.options.by_ratio else gain

    def _counts(self, gain: float) -> bool:
        return not self.options.by_ratio or gain > 1e-6 * self.rows

    def _is_better(self, gain: float, split: CountedSplit | None, charge: float = 0.0) -> bool:
        best = -math.inf if split is None else split.worth
        return self._counts(gain) and gain - charge > best + self.slack

    def _with_ratio(self, split: CountedSplit, absent: Floats | None) -> CountedSplit:
        """Split with its gain ratio; rows that go down all branches count as one more."""
        if not self.options.by_ratio:
            return split
        weights = split.branches.sum(axis=1)
        if absent is not None:
            weights = np.append(weights, absent.sum())
        bits = float(xlogx(weights.sum()) - xlogx(weights).sum())
        return replace(split, ratio=split.gain / bits)

    def best(self, splits: list[CountedSplit]) -> CountedSplit | None:
        """Return the best split of all columns, in their order; the first one on ties."""
        best: CountedSplit | None = None
        if not self.options.by_ratio:
            for split in splits:
                if best is None or split.worth > best.worth + self.slack:
                    best = split
            return best
        # C4.5 accepts a column whose gain is below the average by a thousandth of a bit.
        average = sum(split.gain for split in splits) / max(len(splits), 1)
        least = average - 1e-3 * self.rows
        return self.best_ratio([split for split in splits if split.gain >= least])

    @staticmethod
    def best_ratio(splits: list[CountedSplit]) -> CountedSplit | None:
        """Return the split with the highest gain ratio; the first one on ties."""
        best: CountedSplit | None = None
        for split in splits:
            if best is None or split.ratio > best.ratio * (1.0 + ROUNDING):
                best = split
        return best


def _settled(side: int | None, first: Floats, second: Floats) -> int:
    """Branch of missing values: where none occurs, the heavier one, the second on ties."""
    if side is not None:
        return side
    return 1 - heaviest([second.sum(), first.sum()])
