"""Growing of a tree from counts of rows, level by level."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.data import BINS, CategoryCounts, Counts, ValueRange
from rulewright.kernels import GrowthOptions, GrowthResult
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.number_groups import (
    NumberGroups,
    count_with_categories,
    counted_cells,
    first_bins,
    power_of_two,
)
from rulewright.learners.base.progress import report
from rulewright.learners.tree.counted_groups import CategoryGroups, CountedSplit, nearly
from rulewright.learners.tree.counted_nodes import (
    BinRun,
    CountedCell,
    OpenNode,
    Site,
    enter_best_cut,
    left_over,
    loose_ends,
    open_bins,
    open_columns,
    ordered_groups,
)
from rulewright.learners.tree.counted_splits import NodeSplits, has_bounds
from rulewright.learners.tree.counted_tree import CountedTree
from rulewright.learners.tree.tree_columns import TreeColumns

Floats = NDArray[np.float64]

SMALLER_BINS = 256
"""Number of bins in which neighbouring bins are counted again."""
SMALLER = 4
"""Number of bins, on average, in which a bin is counted again."""
MAX_GROUPS = 4_000_000
"""Number of bins in which all neighbouring bins together may be counted again."""
SMALL_RUN = 1_000
"""Number of rows up to which neighbouring bins are always counted by value."""
MAX_ROUNDS = 3
"""Number of counts in smaller bins, after which bins are counted by value if their rows allow."""
MIN_SHARE = 1 / 8
"""Share of the groups of an ancestor that must be left for the children to be counted in them."""
MANY_CATEGORIES = 0.3
"""C4.5 ignores columns with as many categories as this share of the rows."""


class CountedGrowth:
    """A tree that grows from counts.

    Parameters
    ----------
    counts : Counts
    columns : TreeColumns
        The columns of the tree, without rows.
    options : GrowthOptions
    deadline : Deadline
    """

    def __init__(
        self, counts: Counts, columns: TreeColumns, options: GrowthOptions, deadline: Deadline
    ) -> None:
        self._counts = counts
        self._columns = columns
        self._options = options
        self._deadline = deadline
        self._ordered = columns.ordered
        self._tree = CountedTree(counts, columns)
        self._names = self._tree.names

    def grow(self) -> GrowthResult:
        """Grow the tree: the same one as from the rows in memory."""
        root = self._root()
        waiting = [root] if self._describe(root) else []
        if self._is_best_first:
            self._grow_best_first(waiting)
        else:
            while waiting and not self._deadline.over:
                report(f"level {waiting[0].depth + 1} of the tree", len(self._tree.splits), None)
                found = list(self._best_splits(waiting))
                waiting = [child for node, split in found for child in self._divide(node, split)]
        return self._tree.result(self._options, missed=self._deadline.missed)

    @property
    def _has_bounds(self) -> bool:
        return has_bounds(self._counts.class_counts.size)

    def _is_bounded(self, column: int) -> bool:
        """Whether bins of a column have bounds; those of a gain ratio need values in all rows."""
        holes = self._options.by_ratio and self._counts.missing[self._names[column]]
        return self._has_bounds and not holes

    @property
    def _is_best_first(self) -> bool:
        return not math.isinf(self._options.max_leaves)

    def _grow_best_first(self, waiting: list[OpenNode]) -> None:
        """Split the node with the highest worth first, of equals the earlier one."""
        queue: list[tuple[float, int, OpenNode, CountedSplit]] = []
        leaves = 1
        while not self._deadline.over:
            for node, split in self._best_splits(waiting):
                heapq.heappush(queue, (-split.worth, node.number, node, split))
            if not queue:
                return
            _, _, node, split = heapq.heappop(queue)
            waiting = []
            more = len(split.branches) - 1
            if more <= self._options.max_leaves - leaves:
                leaves += more
                report("leaves of the tree", leaves, int(self._options.max_leaves))
                waiting = self._divide(node, split)

    def _root(self) -> OpenNode:
        counts = self._counts.class_counts
        numeric = self._columns.numeric
        known = self._counts.ranges
        ranges = {
            j: known[name]
            for j, name in enumerate(numeric)
            if isinstance(name, str) and name in known
        }
        ranges.update({j: (0.0, len(o.categories) - 1.0) for j, o in self._ordered.items()})
        ranges = dict(sorted(ranges.items()))
        categorical = [
            len(numeric) + j for j in range(len(self._columns.categorical)) if self._is_asked(j)
        ]
        return OpenNode(0, 0, counts, ranges, [*ranges, *categorical])

    def _is_asked(self, place: int) -> bool:
        categorical, numeric = self._columns.categorical, self._columns.numeric
        most = MANY_CATEGORIES * float(self._counts.class_counts.sum())
        many = [len(column.categories) >= most for column in categorical]
        return not self._options.by_ratio or (not numeric and all(many)) or not many[place]

    def _describe(self, node: OpenNode) -> bool:
        """Enter a node as a leaf, and return whether it can be split."""
        self._tree.class_counts.append(node.counts)
        return self._is_open(node)

    def _is_open(self, node: OpenNode) -> bool:
        rows = float(node.counts.sum())
        mixed = (node.counts > 0).sum() > 1
        deep = node.depth >= self._options.max_depth
        return bool(mixed and not deep and rows >= nearly(self._options.min_split))

    def _is_categorical(self, column: int) -> bool:
        """Whether a column is counted by category."""
        return column >= len(self._columns.numeric) or column in self._ordered

    # The best splits of some nodes

    def _best_splits(self, nodes: Sequence[OpenNode]) -> Iterator[tuple[OpenNode, CountedSplit]]:
        """Nodes with their best splits; nodes without one are left out."""
        if not nodes:
            return
        searches = [NodeSplits(node.counts, self._options) for node in nodes]
        self._split_categories(nodes, self._count_columns(nodes))
        pairs = list(zip(nodes, searches, strict=True))
        for node, search in pairs:
            for column in node.groups:
                enter_best_cut(node, search, column)
        if self._options.by_ratio:
            self._refine_ratios(pairs)
        else:
            self._refine(pairs)
        for node, search in pairs:
            if (best := self._best(node, search)) is not None:
                yield node, best

    def _best(self, node: OpenNode, search: NodeSplits) -> CountedSplit | None:
        """Best of the splits of a node, if it gains enough."""
        splits = [node.splits[column] for column in sorted(node.splits)]
        if node.compared is None:
            best = search.best(splits)
        else:
            best = search.best_ratio([split for split in splits if split.column in node.compared])
        least = self._options.min_gain * float(self._counts.class_counts.sum())
        if best is None or (self._options.min_gain != 0.0 and best.gain < least):
            return None
        return best

    def _count_columns(self, nodes: Sequence[OpenNode]) -> dict[str, CategoryCounts]:
        """Count the values of numeric columns, or at large nodes their bins, and the categories.

        Without bounds on the cuts within bins, all values are counted. The largest child of a split
        is what its siblings leave of the groups of its parent.
        """
        asked: dict[Site, ValueRange] = {}
        left: list[Site] = []
        for node in nodes:
            for column in node.columns:
                if self._is_categorical(column):
                    continue
                counted = [node]
                if self._is_left_over(node, column):
                    left.append((node, column))
                    counted = [sibling for sibling in node.siblings if sibling is not node]
                for one in counted:
                    cell = self._cell(one, column)
                    asked[one, column] = ValueRange(one.number, cell.low, cell.high)
        places = {column for node in nodes for column in node.columns}
        places = set(filter(self._is_categorical, places))
        counted_nodes = {node.number for node, _ in asked}
        if places:
            counted_nodes |= {node.number for node in nodes}
        found, categories = count_with_categories(
            self._counts,
            self._tree.route(counted_nodes),
            asked,
            self._name,
            lambda node, column: float(node.counts.sum()) if self._is_bounded(column) else 0.0,
            [self._names[place] for place in sorted(places)],
            first_bins(self._counts),
        )
        for node, column in left:
            found[node, column] = left_over(node, column, found)
        for node in nodes:
            for column in [column for column in node.columns if column in self._ordered]:
                groups = ordered_groups(categories[self._names[column]], node.number)
                self._enter_groups(node, column, groups)
            for column in [column for column in node.columns if (node, column) in found]:
                groups, cell = found[node, column], self._cell(node, column)
                node.cells[column] = cell._replace(groups=cell.groups or groups.low.size)
                self._enter_groups(node, column, groups)
        for node in nodes:
            node.parent, node.siblings = None, []
        return categories

    def _enter_groups(self, node: OpenNode, column: int, groups: NumberGroups) -> None:
        full = groups.known.sum() == node.counts.sum()
        if groups.low.size == 0 or (full and groups.low[0] == groups.high[-1]):
            node.columns.remove(column)  # it does not vary here and below
        else:
            node.groups[column] = node.counted[column] = groups

    def _is_aligned(self, node: OpenNode, column: int) -> bool:
        """Whether the groups of a node and its siblings make up those of their parent.

        Where few bins are left of those of the parent, the node has new ones.
        """
        if node.parent is None or self._options.by_ratio:
            return False
        largest = next(one for one in node.siblings if one.is_largest)
        groups, first = node.parent.counted[column], node.parent.cells[column].groups
        many = groups.low.size >= MIN_SHARE * first or not groups.is_bin.any()
        return many and self._is_open(largest)

    def _is_left_over(self, node: OpenNode, column: int) -> bool:
        return node.is_largest and self._is_aligned(node, column)

    def _cell(self, node: OpenNode, column: int) -> CountedCell:
        """What to count of a column at a node: that of the parent, if its groups are used."""
        if self._is_aligned(node, column):
            assert node.parent is not None
            return node.parent.cells[column]
        return CountedCell(*node.ranges[column])

    def _name(self, _: OpenNode, column: int, *__: int) -> str:
        return self._names[column]

    def _split_categories(
        self, nodes: Sequence[OpenNode], found: Mapping[str, CategoryCounts]
    ) -> None:
        """Find the best splits on categories."""
        first = len(self._columns.numeric)
        for node in nodes:
            search = NodeSplits(node.counts, self._options)
            for column in [column for column in node.columns if column >= first]:
                known = self._columns.categorical[column - first]
                answer = found[known.name]
                mine = (answer.node == node.number) & (answer.code >= 0)
                groups = CategoryGroups(
                    answer.code[mine], answer.counts[mine], len(known.categories)
                )
                full = groups.known.sum() == node.counts.sum()
                if groups.codes.size == 0 or (groups.codes.size == 1 and full):
                    node.columns.remove(column)  # it does not vary here and below
                    continue
                split = search.on_categories(column, groups)
                if split is not None:
                    node.splits[column] = split

    def _refine(self, pairs: Sequence[tuple[OpenNode, NodeSplits]]) -> None:
        """Count again all bins within which the best cut of a node may lie.

        Neighbouring bins are counted as one. Where they have many rows together, they are counted
        in smaller bins first: these rule out most of them.
        """
        self._replace_bins(
            pairs,
            lambda node, search, _: open_bins(node, search) or loose_ends(node, search),
            self._count_again,
        )

    def _refine_ratios(self, pairs: Sequence[tuple[OpenNode, NodeSplits]]) -> None:
        """Count the values of all columns that may be chosen.

        At first these are the bins with the highest bounds, which may exclude a column.
        """
        self._replace_bins(
            pairs,
            lambda node, search, rounds: open_columns(node, search, whole=rounds >= MAX_ROUNDS),
            lambda asked, _: self._counted_runs(asked, asked),
        )

    def _replace_bins(
        self,
        pairs: Sequence[tuple[OpenNode, NodeSplits]],
        open_bins: Callable[[OpenNode, NodeSplits, int], list[tuple[int, int, int]]],
        count: Callable[[Mapping[BinRun, ValueRange], int], dict[BinRun, NumberGroups]],
    ) -> None:
        """Count open bins again and put what is found in their place, until none is open.

        Both functions are given the number of the round.
        """
        searches = {node: search for node, search in pairs}
        rounds = 0
        while asked := {
            (node, column, first, last): ValueRange(
                node.number,
                float(node.groups[column].low[first]),
                float(node.groups[column].high[last - 1]),
            )
            for node, search in pairs
            for column, first, last in open_bins(node, search, rounds)
        }:
            found = count(asked, rounds)
            for node, column, first, last in reversed(asked):  # places before those replaced stay
                parts = found[node, column, first, last]
                node.groups[column] = node.groups[column].replaced(first, parts, last)
            for node, column in dict.fromkeys(site[:2] for site in asked):
                enter_best_cut(node, searches[node], column)
            rounds += 1

    def _counted_runs(
        self, asked: Mapping[BinRun, ValueRange], few: Collection[BinRun], bin_count: int = BINS
    ) -> dict[BinRun, NumberGroups]:
        """Count the ``few`` runs of bins by value, and others in bins."""
        route = self._tree.route({node.number for node, *_ in asked})
        return counted_cells(self._counts, route, asked, self._name, few, bin_count=bin_count)[0]

    def _count_again(
        self, asked: Mapping[BinRun, ValueRange], rounds: int
    ) -> dict[BinRun, NumberGroups]:
        """Count runs of bins by value if they have few rows, and else in smaller bins."""
        rows = {
            (node, column, first, last): float(node.groups[column].counts[first:last].sum())
            for node, column, first, last in asked
        }
        most = max(rows.values())
        if sum(rows.values()) > self._counts.refined_rows:
            exact = self._counts.exact_rows
            most = exact if rounds >= MAX_ROUNDS else min(exact, SMALL_RUN)
        few = {
            (node, column, first, last)
            for (node, column, first, last), cell in asked.items()
            if rows[node, column, first, last] <= most or not math.isfinite(cell.high - cell.low)
        }
        widest = max((run[3] - run[2] for run in asked if run not in few), default=1)
        large = max(rows.values()) > self._counts.exact_rows
        bin_count = power_of_two(SMALLER * widest, BINS if large else SMALLER_BINS)
        bin_count = min(bin_count, max(BINS, MAX_GROUPS // len(asked)))
        few |= {run for run in asked if run[3] - run[2] > bin_count // 2}
        return self._counted_runs(asked, few, bin_count)

    # Nodes and routes

    def _divide(self, node: OpenNode, split: CountedSplit) -> list[OpenNode]:
        """Split a node, and return the children that can be split."""
        first = self._tree.enter_split(node.number, split)
        ranges = {
            column: (float(groups.low[0]), float(groups.high[-1]))
            for column, groups in node.groups.items()
        }
        children = []
        for number, counts in enumerate(split.branches, first):
            columns = list(node.columns)
            children.append(
                OpenNode(number, node.depth + 1, counts, dict(ranges), columns, parent=node)
            )
        for child in children:
            child.siblings = children
        return [child for child in children if self._describe(child)]
