"""Open nodes of a tree that grows from counts, and the bins of them that are counted again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoryCounts
from rulewright.kernels import CUT
from rulewright.learners.base.number_groups import NumberGroups
from rulewright.learners.tree.counted_groups import CountedSplit
from rulewright.learners.tree.counted_splits import NodeSplits
from rulewright.learners.tree.gain_ranges import (
    GainRange,
    compared_columns,
    cut_bounds,
    gain_range,
)

Floats = NDArray[np.float64]

Site = tuple["OpenNode", int]
BinRun = tuple["OpenNode", int, int, int]
"""Node, column, and the first of neighbouring bins with the one after the last."""

SOME_BINS = 16
"""One in this number of bins is counted at a time to exclude a column."""


class CountedCell(NamedTuple):
    """Values of a column that are counted, and the number of groups that they had at first."""

    low: float
    high: float
    groups: int = 0


@dataclass(eq=False)
class OpenNode:
    """A node that may be split.

    ``ranges`` are the values that its rows can have in numeric columns; ``columns`` are the numbers
    of the columns that may vary. ``cells`` are what was counted, and ``counted`` the groups before
    any of them was counted again. ``parent`` and ``siblings`` are those of a node that is not
    counted yet. ``compared`` are the columns whose gain ratios are compared, if that is known.
    """

    number: int
    depth: int
    counts: Floats
    ranges: dict[int, tuple[float, float]]
    columns: list[int]
    groups: dict[int, NumberGroups] = field(default_factory=dict)
    splits: dict[int, CountedSplit] = field(default_factory=dict)
    cells: dict[int, CountedCell] = field(default_factory=dict)
    counted: dict[int, NumberGroups] = field(default_factory=dict)
    parent: OpenNode | None = None
    siblings: list[OpenNode] = field(default_factory=list)
    compared: list[int] | None = None

    @property
    def is_largest(self) -> bool:
        """Whether the node has the most rows of its siblings, the first on ties."""
        rows = [float(node.counts.sum()) for node in self.siblings]
        return bool(rows) and self.siblings[int(np.argmax(rows))] is self

    @property
    def worth(self) -> float:
        """Worth of the best split that is known."""
        return max((split.worth for split in self.splits.values()), default=-math.inf)


def ordered_groups(found: CategoryCounts, node: int) -> NumberGroups:
    """Groups of a column of ordered categories at a node: each category has its place."""
    mine = np.flatnonzero((found.node == node) & (found.code >= 0))
    mine = mine[np.argsort(found.code[mine], kind="stable")]
    places = found.code[mine].astype(np.float64)
    return NumberGroups(places, places, found.counts[mine])


def enter_best_cut(node: OpenNode, search: NodeSplits, column: int) -> None:
    """Enter the best split of a numeric column between its groups."""
    split = search.on_numbers(column, node.groups[column])
    if split is None:
        node.splits.pop(column, None)
    else:
        node.splits[column] = split


def open_columns(node: OpenNode, search: NodeSplits, *, whole: bool) -> list[tuple[int, int, int]]:
    """Runs of bins that may decide which column is chosen; ``whole`` columns, or some of each."""
    binned = [column for column, groups in node.groups.items() if groups.is_bin.any()]
    if not binned:
        node.compared = None
        return []
    ranges = {c: GainRange.of_split(s) for c, s in node.splits.items() if c not in binned}
    ranges |= {c: r for c in binned if (r := gain_range(search, node.groups[c])) is not None}
    exact = set(ranges) - set(binned)
    node.compared, asked = compared_columns(ranges, exact, search.rows)
    if whole or node.compared == asked[:1]:
        return [(column, 0, node.groups[column].low.size) for column in asked]
    found = []
    for column in asked:
        bounds = cut_bounds(search, node.groups[column])
        highest = np.argsort(-bounds, kind="stable")[: max(bounds.size // SOME_BINS, 1)]
        highest = highest[bounds[highest] > -math.inf]
        found += [(column, place, place + 1) for place in sorted(highest.tolist())]
        if not highest.size:
            found.append((column, 0, bounds.size))
    return found


def open_bins(node: OpenNode, search: NodeSplits) -> list[tuple[int, int, int]]:
    """Runs of neighbouring bins within which the best cut of the node may lie, by column."""
    least = node.worth - search.margin
    found = []
    for column, groups in node.groups.items():
        if not groups.is_bin.any():
            continue
        is_open = search.bin_bounds(groups) > least
        edges = np.flatnonzero(np.diff(np.concatenate([[0], is_open, [0]])))
        found += [(column, first, last) for first, last in edges.reshape(-1, 2).tolist()]
    return found


def loose_ends(node: OpenNode, search: NodeSplits) -> list[tuple[int, int, int]]:
    """Bins on either side of the best cut whose ends may lie beyond their values."""
    best = search.best([node.splits[column] for column in sorted(node.splits)])
    if best is None or best.kind != CUT:
        return []
    groups = node.groups[best.column]
    place = int(np.searchsorted(groups.high, best.low))
    return [(best.column, one, one + 1) for one in (place, place + 1) if groups.is_loose[one]]


def left_over(node: OpenNode, column: int, found: Mapping[Site, NumberGroups]) -> NumberGroups:
    """Groups of the parent of a node without those of its siblings."""
    assert node.parent is not None
    groups = node.parent.counted[column]
    for sibling in node.siblings:
        if sibling is not node:
            groups = groups.without(found[sibling, column])
    return groups
