"""Growing of a tree from counts where rows with missing values go down all branches.

A row weighs less below a split on a column that it has no value in: its weight is multiplied by
the share of the branch. So the rows of a node are in parts: those that lack the same columns of
the tests above the node weigh the same. An engine counts the rows of each part, and the weights are
applied here.

A row is at several nodes then, but a query gives each row a single number. Nodes that share rows
are counted in different queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import (
    CLOSED,
    CategoricalColumn,
    CategoryCounts,
    Condition,
    Fork,
    Route,
    ValueRange,
)
from rulewright.kernels import CUT
from rulewright.learners.base.number_groups import NumberGroups, count_with_categories
from rulewright.learners.tree.counted_groups import ALL_BRANCHES, CategoryGroups, CountedSplit
from rulewright.learners.tree.counted_growth import CountedGrowth
from rulewright.learners.tree.counted_nodes import OpenNode, ordered_groups
from rulewright.learners.tree.counted_splits import NodeSplits
from rulewright.learners.tree.counted_tree import branch_condition

Floats = NDArray[np.float64]
Lacking = frozenset[str]
"""Columns of tests above a node that a row has no value in."""
NOTHING = Lacking()

FINENESS = 2.0**30
"""Number of parts of one into which sums of weights are rounded, as in memory."""


class Part(NamedTuple):
    """Rows of a node that weigh the same, by class."""

    weight: float
    counts: Floats


class PartValues(NamedTuple):
    """Rows of a part with a value of a column: by place among ``places``, and class."""

    places: Floats
    counts: Floats


@dataclass(eq=False)
class PartedNode(OpenNode):
    """A node with its rows in parts; ``values`` are those of columns of the table, by part."""

    parts: dict[Lacking, Part] = field(default_factory=dict)
    values: dict[str, dict[Lacking, PartValues]] = field(default_factory=dict)

    def known(self, name: str) -> dict[Lacking, Floats]:
        """Rows of each class with a value of a column, by part."""
        return {part: found.counts.sum(axis=0) for part, found in self.values[name].items()}

    def absent(self, name: str) -> Floats:
        """Weight of each class without a value of a column."""
        known = self.known(name)
        return _weighed(
            [(part.weight, part.counts - known[key]) for key, part in self.parts.items()]
        )

    def weights_of(self, name: str) -> NumberGroups:
        """Weights of the values of a column."""
        found = [(self.parts[key].weight, values) for key, values in self.values[name].items()]
        places = np.unique(np.concatenate([values.places for _, values in found]))
        counts = np.zeros((places.size, self.counts.size))
        for weight, values in found:
            counts[np.searchsorted(places, values.places)] += weight * values.counts
        return NumberGroups(places, places, counts)


class SharedRowsError(Exception):
    """Nodes of one query share rows."""


class FractionalGrowth(CountedGrowth):
    """A tree that grows from counts; rows with missing values go down all branches."""

    def _root(self) -> OpenNode:
        plain = super()._root()
        counts = plain.counts
        axes = [column for column in range(self._columns.count) if self._tree.is_axis(column)]
        columns = sorted([*plain.columns, *axes])
        parts = {NOTHING: Part(1.0, counts)}
        return PartedNode(0, 0, counts, plain.ranges, columns, parts=parts)

    def _describe(self, node: OpenNode) -> bool:
        self._tree.class_counts.append(np.rint(node.counts * FINENESS) / FINENESS)
        return self._is_open(node)

    def _has_holes(self, name: str) -> bool:
        return bool(self._counts.missing[name])

    # The best splits of some nodes

    def _best_splits(self, nodes: Sequence[OpenNode]) -> Iterator[tuple[OpenNode, CountedSplit]]:
        parted = [node for node in nodes if isinstance(node, PartedNode)]
        for group in self._apart(parted):
            self._count(group)
        for node in parted:
            search = NodeSplits(node.counts, self._options)
            for column in list(node.columns):
                self._split_on(node, search, column)
            if (best := self._best(node, search)) is not None:
                yield node, best

    def _apart(self, nodes: Sequence[PartedNode]) -> list[list[PartedNode]]:
        """Groups of nodes that share no rows."""
        groups: list[list[PartedNode]] = []
        for node in nodes:
            for group in groups:
                try:
                    self._parted_route(_numbered([*group, node]))
                except SharedRowsError:
                    continue
                group.append(node)
                break
            else:
                groups.append([node])
        return groups

    def _count(self, nodes: Sequence[PartedNode]) -> None:
        """Count the rows of nodes by part, and by the values of all columns that may vary."""
        numbers = _numbered(nodes)
        asked: dict[tuple[str, int], ValueRange] = {}
        texts: set[str] = set()
        for node in nodes:
            for name in {self._names[column] for column in node.columns}:
                if isinstance(self._columns.table.column(name), CategoricalColumn):
                    texts.add(name)
                elif name in self._counts.ranges:
                    low, high = self._counts.ranges[name]
                    for number in numbers[node.number].values():
                        asked[name, number] = ValueRange(number, low, high)
        found, categories = count_with_categories(
            self._counts,
            self._parted_route(numbers),
            asked,
            lambda name, _: str(name),
            lambda *_: 0.0,
            sorted(texts),
        )
        for node in nodes:
            for name in {self._names[column] for column in node.columns}:
                node.values[name] = {
                    part: self._part_values(name, number, found, categories)
                    for part, number in numbers[node.number].items()
                }

    def _part_values(
        self,
        name: str,
        number: int,
        found: Mapping[tuple[str, int], NumberGroups],
        categories: Mapping[str, CategoryCounts],
    ) -> PartValues:
        if name in categories:
            groups = ordered_groups(categories[name], number)
        elif (name, number) in found:
            groups = found[name, number]
        else:  # no row has a value
            return PartValues(np.empty(0), np.zeros((0, self._counts.class_counts.size)))
        return PartValues(groups.low, groups.counts)

    def _split_on(self, node: PartedNode, search: NodeSplits, column: int) -> None:
        """Enter the best split on a column; one that does not vary here and below is left out."""
        name = self._names[column]
        if self._tree.is_axis(column):
            groups, absent = _presence(node, name), None
        else:
            groups = node.weights_of(name)
            absent = node.absent(name) if self._has_holes(name) else None
        if groups.low.size < 2:
            node.columns.remove(column)
            return
        first = len(self._columns.numeric)
        if column < first:
            split = search.on_numbers(column, groups, absent)
        else:
            categories = len(self._columns.categorical[column - first].categories)
            codes = groups.low.astype(np.intp)
            found = CategoryGroups(codes, groups.counts, categories)
            split = search.on_categories(column, found, absent)
        if split is not None:
            node.splits[column] = split

    # Nodes and routes

    def _divide(self, node: OpenNode, split: CountedSplit) -> list[OpenNode]:
        assert isinstance(node, PartedNode)
        first = self._tree.enter_split(node.number, split)
        children = [
            PartedNode(
                number,
                node.depth + 1,
                _weighed(list(parts.values())),
                node.ranges,
                list(node.columns),
                parts=parts,
            )
            for number, parts in enumerate(self._divided(node, split), first)
        ]
        node.values = {}
        return [child for child in children if self._describe(child)]

    def _divided(self, node: PartedNode, split: CountedSplit) -> list[dict[Lacking, Part]]:
        """Parts of the children of a node."""
        name, count = self._names[split.column], len(split.branches)
        known = node.known(name)
        children: list[dict[Lacking, Part]] = [{} for _ in range(count)]
        for key, part in node.parts.items():
            absent = part.counts - known[key]
            taken = self._taken(node, split, key, absent)
            for child, counts in zip(children, taken, strict=True):
                if counts.any():
                    child[key] = Part(part.weight, counts)
        if split.missing != ALL_BRANCHES:
            return children
        own = [float(_weighed(list(child.values())).sum()) for child in children]
        for key, part in node.parts.items():
            absent = part.counts - known[key]
            if absent.any():
                for child, weight in zip(children, own, strict=True):
                    child[key | {name}] = Part(part.weight * (weight / sum(own)), absent)
        return children

    def _taken(
        self, node: PartedNode, split: CountedSplit, key: Lacking, absent: Floats
    ) -> list[Floats]:
        """Rows of a part that take each branch by their values."""
        values = node.values[self._names[split.column]][key]
        if self._tree.is_axis(split.column):
            return [values.counts.sum(axis=0), absent]
        if split.kind == CUT:
            branch = (values.places > split.low).astype(np.int32)
        else:
            assert split.branch_of is not None
            branch = split.branch_of[values.places.astype(np.intp)]
        return [values.counts[branch == b].sum(axis=0) for b in range(len(split.branches))]

    def _parted_route(
        self,
        wanted: Mapping[int, Mapping[Lacking, int]],
        node: int = 0,
        key: Lacking = NOTHING,
    ) -> Route:
        """Route of rows to the numbers of parts of nodes; ``key`` are the columns that they lack.

        Raises
        ------
        SharedRowsError
            If rows are in several nodes.
        """
        if node in wanted:
            return wanted[node].get(key, CLOSED)
        if node not in self._tree.splits:
            return CLOSED
        split, children = self._tree.splits[node], self._tree.children[node]
        name = self._names[split.column]
        if self._tree.is_axis(split.column):
            routes = [self._parted_route(wanted, child, key) for child in children]
            if name in key:
                return routes[1]
            return _opened(name, [Condition("present"), Condition("missing")], routes)
        if name in key:
            return self._only(wanted, children, key)
        routes = [self._parted_route(wanted, child, key) for child in children]
        conditions = [
            branch_condition(split, branch, self._columns) for branch in range(len(routes))
        ]
        if split.missing == ALL_BRANCHES:
            routes.append(self._only(wanted, children, key | {name}))
            conditions.append(Condition("missing"))
        return _opened(name, conditions, routes)

    def _only(
        self, wanted: Mapping[int, Mapping[Lacking, int]], children: Sequence[int], key: Lacking
    ) -> Route:
        """Route of rows that go down all branches; at most one may lead to a number."""
        routes = [self._parted_route(wanted, child, key) for child in children]
        routes = [route for route in routes if route != CLOSED]
        if len(routes) > 1:
            raise SharedRowsError
        return routes[0] if routes else CLOSED


def _opened(name: str, conditions: Sequence[Condition], routes: Sequence[Route]) -> Route:
    """Fork with the conditions that lead to a number."""
    pairs = [pair for pair in zip(conditions, routes, strict=True) if pair[1] != CLOSED]
    if not pairs:
        return CLOSED
    return Fork(name, tuple(c for c, _ in pairs), (*(route for _, route in pairs), CLOSED))


def _numbered(nodes: Sequence[PartedNode]) -> dict[int, dict[Lacking, int]]:
    """Numbers of the parts of nodes, by the number of the node."""
    numbers: dict[int, dict[Lacking, int]] = {}
    count = 0
    for node in nodes:
        numbers[node.number] = {key: count + place for place, key in enumerate(node.parts)}
        count += len(node.parts)
    return numbers


def _weighed(parts: Sequence[tuple[float, Floats]]) -> Floats:
    """Weights of classes in parts."""
    return np.asarray(np.sum([weight * counts for weight, counts in parts], axis=0))


def _presence(node: PartedNode, name: str) -> NumberGroups:
    """Weights of the rows with a value (0) and without one (1)."""
    known = node.known(name)
    present = _weighed([(part.weight, known[key]) for key, part in node.parts.items()])
    counts = np.stack([present, node.absent(name)])
    there = counts.any(axis=1)
    places = np.array([0.0, 1.0])[there]
    return NumberGroups(places, places, counts[there])
