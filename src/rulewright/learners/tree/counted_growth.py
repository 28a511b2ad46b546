"""Growing of a tree from counts of rows, level by level."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import (
    BINS,
    CLOSED,
    CategoricalColumn,
    CategoryCounts,
    Condition,
    Counts,
    Fork,
    Route,
    ValueRange,
)
from rulewright.errors import InputError
from rulewright.families import Axis
from rulewright.kernels import (
    CUT,
    LEAF,
    PRESENT,
    GrowthOptions,
    GrowthResult,
    TreeArrays,
)
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.number_groups import (
    NumberGroups,
    count_with_categories,
    counted_cells,
    first_bins,
    power_of_two,
)
from rulewright.learners.base.progress import report
from rulewright.learners.tree.counted_groups import (
    CategoryGroups,
    CountedSplit,
    heaviest,
    nearly,
    weighted_impurity,
)
from rulewright.learners.tree.counted_splits import NodeSplits, has_bounds
from rulewright.learners.tree.gain_ranges import (
    GainRange,
    compared_columns,
    cut_bounds,
    gain_range,
)
from rulewright.learners.tree.tree_columns import TreeColumns

Floats = NDArray[np.float64]

Site = tuple["OpenNode", int]
BinRun = tuple["OpenNode", int, int, int]
"""Node, column, and the first of neighbouring bins with the one after the last."""

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
SOME_BINS = 16
"""One in this number of bins is counted at a time to exclude a column."""
MIN_SHARE = 1 / 8
"""Share of the groups of an ancestor that must be left for the children to be counted in them."""
MAX_SPLITS = 2_000
"""Maximum number of splits, which are one expression in every query."""
MANY_CATEGORIES = 0.3
"""C4.5 ignores columns with as many categories as this share of the rows."""


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
        self._names = [columns.name(number) for number in range(columns.count)]
        self._ordered = columns.ordered
        self._class_counts: list[Floats] = []
        self._splits: dict[int, CountedSplit] = {}
        self._children: dict[int, list[int]] = {}

    def grow(self) -> GrowthResult:
        """Grow the tree: the same one as from the rows in memory."""
        root = self._root()
        waiting = [root] if self._describe(root) else []
        if self._is_best_first:
            self._grow_best_first(waiting)
        else:
            while waiting and not self._deadline.over:
                report(f"level {waiting[0].depth + 1} of the tree", len(self._splits), None)
                found = list(self._best_splits(waiting))
                waiting = [child for node, split in found for child in self._divide(node, split)]
        return self._result()

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
        self._class_counts.append(node.counts)
        return self._is_open(node)

    def _is_open(self, node: OpenNode) -> bool:
        rows = float(node.counts.sum())
        mixed = (node.counts > 0).sum() > 1
        deep = node.depth >= self._options.max_depth
        return bool(mixed and not deep and rows >= nearly(self._options.min_split))

    def _is_axis(self, column: int) -> bool:
        """Whether a column tests if another one has a value."""
        numeric = self._columns.numeric
        return column < len(numeric) and isinstance(numeric[column], Axis)

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
                _enter(node, search, column)
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
            self._route(counted_nodes),
            asked,
            self._name,
            lambda node, column: float(node.counts.sum()) if self._is_bounded(column) else 0.0,
            [self._names[place] for place in sorted(places)],
            first_bins(self._counts),
        )
        for node, column in left:
            found[node, column] = _left_over(node, column, found)
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
            lambda node, search, _: _open_bins(node, search) or _loose_ends(node, search),
            self._count_again,
        )

    def _refine_ratios(self, pairs: Sequence[tuple[OpenNode, NodeSplits]]) -> None:
        """Count the values of all columns that may be chosen.

        At first these are the bins with the highest bounds, which may exclude a column.
        """
        self._replace_bins(
            pairs,
            lambda node, search, rounds: _open_columns(node, search, whole=rounds >= MAX_ROUNDS),
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
                _enter(node, searches[node], column)
            rounds += 1

    def _counted_runs(
        self, asked: Mapping[BinRun, ValueRange], few: Collection[BinRun], bin_count: int = BINS
    ) -> dict[BinRun, NumberGroups]:
        """Count the ``few`` runs of bins by value, and others in bins."""
        route = self._route({node.number for node, *_ in asked})
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
        first = self._enter_split(node, split)
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

    def _enter_split(self, node: OpenNode, split: CountedSplit) -> int:
        """Enter the split of a node, and return the number of its first child."""
        if len(self._splits) >= MAX_SPLITS:
            raise InputError(
                f"The tree has over {MAX_SPLITS:,} splits, which is more than queries can hold. "
                "Set a larger min_samples_leaf, or max_depth or max_leaf_nodes of a tree."
            )
        self._splits[node.number] = split
        first = len(self._class_counts)
        self._children[node.number] = list(range(first, first + len(split.branches)))
        return first

    def _route(self, wanted: set[int], node: int = 0) -> Route:
        """Route of the rows to some nodes."""
        if node in wanted:
            return node
        if node not in self._splits:
            return CLOSED
        split = self._splits[node]
        routes = [self._route(wanted, child) for child in self._children[node]]
        if all(route == CLOSED for route in routes):
            return CLOSED
        return _fork(self._names[split.column], split, routes, self._columns)

    def _result(self) -> GrowthResult:
        """Arrays of the tree, its cuts at values of the table."""
        counts = np.stack(self._class_counts)
        nodes = counts.shape[0]
        low = np.zeros(nodes)
        for node, value in self._placed().items():
            low[node] = value
        splits = [self._splits.get(node) for node in range(nodes)]
        children = [self._children.get(node, []) for node in range(nodes)]
        tables = [[] if s is None or s.branch_of is None else s.branch_of.tolist() for s in splits]
        missing = np.array([-1 if s is None else s.missing for s in splits], np.int32)
        largest = missing.copy()
        for node, of in self._children.items():
            if missing[node] < 0:
                largest[node] = heaviest(counts[of].sum(axis=1).tolist())
        no_row = np.full(nodes, -1, np.int32)
        low_row = no_row.copy()
        low_row[[node for node, s in self._splits.items() if self._is_axis(s.column)]] = 0
        tree = TreeArrays(
            np.array([LEAF if s is None else s.kind for s in splits], np.int8),
            np.array([-1 if s is None else s.column for s in splits], np.int32),
            low,
            np.array([0.0 if s is None else s.high for s in splits]),
            low_row,
            no_row,
            missing,
            largest,
            _starts(children),
            np.array([c for of in children for c in of], np.int32),
            _starts(tables),
            np.array([b for table in tables for b in table], np.int32),
            counts,
            np.array([0.0 if s is None else s.gain for s in splits]),
        )
        impurity = weighted_impurity(self._options.impurity, counts)
        share = counts[:, 1] / counts.sum(axis=1)
        return GrowthResult(tree, impurity, share, self._deadline.missed)

    def _placed(self) -> dict[int, float]:
        """Cut of each node: the largest value of any row up to the midpoint of its two sides."""
        cuts = [
            (node, s)
            for node, s in sorted(self._splits.items())
            if s.kind == CUT and not self._is_axis(s.column)
        ]
        by_column: dict[str, list[tuple[int, CountedSplit]]] = {}
        for node, split in cuts:
            by_column.setdefault(self._names[split.column], []).append((node, split))
        wanted = {
            name: np.array([np.clip(s.low / 2 + s.high / 2, s.low, s.high) for _, s in some])
            for name, some in by_column.items()
        }
        ordered = {self._names[column]: known for column, known in self._ordered.items()}
        asked = {name: numbers for name, numbers in wanted.items() if name not in ordered}
        found = self._counts.largest_up_to(asked) if asked else {}
        for name in [name for name in wanted if name in ordered]:
            there = self._known_places(ordered[name])
            found[name] = there[np.searchsorted(there, wanted[name], side="right") - 1]
        placed = {}
        for name, some in by_column.items():
            for (node, split), value in zip(some, found[name].tolist(), strict=True):
                placed[node] = value if value < split.high else split.low
        return placed

    def _known_places(self, column: CategoricalColumn) -> Floats:
        """Places of the ordered categories that occur in the table, in increasing order."""
        rows = self._counts.category_counts[column.name]
        return np.array([p for p, c in enumerate(column.categories) if rows.get(c)], np.float64)


def ordered_groups(found: CategoryCounts, node: int) -> NumberGroups:
    """Groups of a column of ordered categories at a node: each category has its place."""
    mine = np.flatnonzero((found.node == node) & (found.code >= 0))
    mine = mine[np.argsort(found.code[mine], kind="stable")]
    places = found.code[mine].astype(np.float64)
    return NumberGroups(places, places, found.counts[mine])


def _enter(node: OpenNode, search: NodeSplits, column: int) -> None:
    """Enter the best split of a numeric column between its groups."""
    split = search.on_numbers(column, node.groups[column])
    if split is None:
        node.splits.pop(column, None)
    else:
        node.splits[column] = split


def _open_columns(node: OpenNode, search: NodeSplits, *, whole: bool) -> list[tuple[int, int, int]]:
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


def _open_bins(node: OpenNode, search: NodeSplits) -> list[tuple[int, int, int]]:
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


def _loose_ends(node: OpenNode, search: NodeSplits) -> list[tuple[int, int, int]]:
    """Bins on either side of the best cut whose ends may lie beyond their values."""
    best = search.best([node.splits[column] for column in sorted(node.splits)])
    if best is None or best.kind != CUT:
        return []
    groups = node.groups[best.column]
    place = int(np.searchsorted(groups.high, best.low))
    return [(best.column, one, one + 1) for one in (place, place + 1) if groups.is_loose[one]]


def _left_over(node: OpenNode, column: int, found: Mapping[Site, NumberGroups]) -> NumberGroups:
    """Groups of the parent of a node without those of its siblings."""
    assert node.parent is not None
    groups = node.parent.counted[column]
    for sibling in node.siblings:
        if sibling is not node:
            groups = groups.without(found[sibling, column])
    return groups


def _fork(column: str, split: CountedSplit, routes: Sequence[Route], columns: TreeColumns) -> Route:
    """Fork of a split; missing values and unknown categories take the last route."""
    if split.kind == PRESENT:
        return Fork(column, (Condition("missing"),), (routes[1], routes[0]))
    others = [branch for branch in range(len(routes)) if branch != split.missing]
    conditions = tuple(branch_condition(split, branch, columns) for branch in others)
    return Fork(column, conditions, (*(routes[b] for b in others), routes[split.missing]))


def branch_condition(split: CountedSplit, branch: int, columns: TreeColumns) -> Condition:
    """Condition of the rows with a value that take a branch."""
    if split.kind == CUT and split.column in columns.ordered:
        labels = columns.ordered[split.column].categories
        last = int(split.low) + 1
        return Condition("among", categories=labels[last:] if branch else labels[:last])
    if split.kind == CUT:
        return Condition("above" if branch else "up_to", split.low)
    assert split.branch_of is not None
    categories = columns.categorical[split.column - len(columns.numeric)].categories
    mine = np.flatnonzero(split.branch_of == branch)
    return Condition("among", categories=tuple(categories[code] for code in mine))


def _starts(lists: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int32)
