"""A tree that was grown from counts: its splits, the routes of rows to its nodes, its arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CLOSED, CategoricalColumn, Condition, Counts, Fork, Route
from rulewright.errors import InputError
from rulewright.families import Axis
from rulewright.kernels import CUT, LEAF, PRESENT, GrowthOptions, GrowthResult, TreeArrays
from rulewright.learners.tree.counted_groups import CountedSplit, heaviest, weighted_impurity
from rulewright.learners.tree.tree_columns import TreeColumns

Floats = NDArray[np.float64]

MAX_SPLITS = 2_000
"""Maximum number of splits, which are one expression in every query."""


class CountedTree:
    """Nodes of a tree in the order in which they were entered.

    ``class_counts`` are those of each node. ``splits`` and ``children`` have the nodes that are
    split.

    Parameters
    ----------
    counts : Counts
    columns : TreeColumns
        The columns of the tree, without rows.
    """

    def __init__(self, counts: Counts, columns: TreeColumns) -> None:
        self._counts = counts
        self._columns = columns
        self.names = [columns.name(number) for number in range(columns.count)]
        self.class_counts: list[Floats] = []
        self.splits: dict[int, CountedSplit] = {}
        self.children: dict[int, list[int]] = {}

    def is_axis(self, column: int) -> bool:
        """Whether a column tests if another one has a value."""
        numeric = self._columns.numeric
        return column < len(numeric) and isinstance(numeric[column], Axis)

    def enter_split(self, node: int, split: CountedSplit) -> int:
        """Enter the split of a node, and return the number of its first child."""
        if len(self.splits) >= MAX_SPLITS:
            raise InputError(
                f"The tree has over {MAX_SPLITS:,} splits, which is more than queries can hold. "
                "Set a larger min_samples_leaf, or max_depth or max_leaf_nodes of a tree."
            )
        self.splits[node] = split
        first = len(self.class_counts)
        self.children[node] = list(range(first, first + len(split.branches)))
        return first

    def route(self, wanted: set[int], node: int = 0) -> Route:
        """Route of the rows to some nodes."""
        if node in wanted:
            return node
        if node not in self.splits:
            return CLOSED
        split = self.splits[node]
        routes = [self.route(wanted, child) for child in self.children[node]]
        if all(route == CLOSED for route in routes):
            return CLOSED
        return _fork(self.names[split.column], split, routes, self._columns)

    def result(self, options: GrowthOptions, *, missed: bool) -> GrowthResult:
        """Arrays of the tree, its cuts at values of the table."""
        counts = np.stack(self.class_counts)
        nodes = counts.shape[0]
        low = np.zeros(nodes)
        for node, value in self._placed().items():
            low[node] = value
        splits = [self.splits.get(node) for node in range(nodes)]
        children = [self.children.get(node, []) for node in range(nodes)]
        tables = [[] if s is None or s.branch_of is None else s.branch_of.tolist() for s in splits]
        missing = np.array([-1 if s is None else s.missing for s in splits], np.int32)
        largest = missing.copy()
        for node, of in self.children.items():
            if missing[node] < 0:
                largest[node] = heaviest(counts[of].sum(axis=1).tolist())
        no_row = np.full(nodes, -1, np.int32)
        low_row = no_row.copy()
        low_row[[node for node, s in self.splits.items() if self.is_axis(s.column)]] = 0
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
        impurity = weighted_impurity(options.impurity, counts)
        share = counts[:, 1] / counts.sum(axis=1)
        return GrowthResult(tree, impurity, share, missed)

    def _placed(self) -> dict[int, float]:
        """Cut of each node: the largest value of any row up to the midpoint of its two sides."""
        cuts = [
            (node, s)
            for node, s in sorted(self.splits.items())
            if s.kind == CUT and not self.is_axis(s.column)
        ]
        by_column: dict[str, list[tuple[int, CountedSplit]]] = {}
        for node, split in cuts:
            by_column.setdefault(self.names[split.column], []).append((node, split))
        wanted = {
            name: np.array([np.clip(s.low / 2 + s.high / 2, s.low, s.high) for _, s in some])
            for name, some in by_column.items()
        }
        ordered = {self.names[column]: known for column, known in self._columns.ordered.items()}
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
