"""Readable nodes from the arrays of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import CUT, INTERVAL, LEAF, MULTIWAY, PRESENT, TreeArrays
from rulewright.learners.tree.tree_columns import TreeColumns
from rulewright.rules import SHARES, Ball, HalfSpace, Leaf, Predicate, Split, Tree

Integers = NDArray[np.int32]


class Cutting(NamedTuple):
    """What pruning does with each node of a grown tree.

    ``instead`` is the node that stands in its place, ``answer`` the answer of a leaf, and -1 of a
    split.
    """

    instead: Integers
    answer: Integers

    @classmethod
    def to(cls, arrays: TreeArrays, answers: Integers, leaf: NDArray[np.bool_]) -> Cutting:
        """Keep a tree down to some nodes, which become leaves."""
        nodes = arrays.kind.size
        leaf = leaf | (arrays.kind == LEAF)
        return cls(np.arange(nodes, dtype=np.int32), np.where(leaf, answers, -1).astype(np.int32))


class Maker:
    """Builder of the trees that pruning leaves of a grown one.

    The tests of a split and its branches stand in the same order. The last branch is taken where no
    test holds: by missing values, and by categories that the node has never seen. ``rows`` are the
    examples that the tree was grown from, where these are not all.
    """

    def __init__(
        self, arrays: TreeArrays, tree_columns: TreeColumns, rows: NDArray[np.intp] | None
    ) -> None:
        self.arrays = arrays
        self.tree_columns = tree_columns
        self.kind = arrays.kind.tolist()
        self.column = arrays.column.tolist()
        self.low, self.high = arrays.low.tolist(), arrays.high.tolist()
        self.low_row, self.high_row = (
            (found if rows is None else rows[found]).tolist()
            for found in (arrays.low_row, arrays.high_row)
        )
        self.missing = arrays.missing.tolist()
        last = np.where(arrays.missing >= 0, arrays.missing, arrays.largest)
        last[tree_columns.is_full_axis(arrays.column)] = 0  # their tests hold above a cut
        if not tree_columns.negation:
            last[arrays.kind == PRESENT] = 0  # their tests hold where the value is missing
        self.last = last.tolist()
        self.start = arrays.start.tolist()
        self.children = arrays.branches.tolist()
        self._tests: dict[int, tuple[Predicate, ...]] = {}

    def tree(self, cutting: Cutting) -> Tree:
        """Tree that is left, its nodes in preorder."""
        instead, answer = cutting.instead.tolist(), cutting.answer.tolist()
        order: list[int] = []
        waiting = [0]
        while waiting:
            node = instead[waiting.pop()]
            order.append(node)
            if answer[node] < 0:
                waiting += reversed(self.branches(node))
        place = {node: number for number, node in enumerate(order)}
        nodes: list[Split | Leaf] = []
        for node in order:
            if answer[node] >= 0:
                nodes.append(Leaf(answer[node]))
                continue
            branches = tuple(place[instead[child]] for child in self.branches(node))
            tests = self.tests(node)
            nodes.append(Split(tests, branches, () if _is_filled(tests) else self.shares(node)))
        return Tree(tuple(nodes))

    def order(self, node: int) -> list[int]:
        """Branches in the order of the tests, the one without a test last.

        Ranges above the last one come from the highest down, so that each has a single cut.
        """
        count = self.start[node + 1] - self.start[node]
        last = self.last[node]
        above = range(last + 1, count)
        if self.has_ranges(node):
            above = above[::-1]
        return [*range(last), *above, last]

    def has_ranges(self, node: int) -> bool:
        """Whether a node splits a numeric column into ranges."""
        return self.kind[node] == MULTIWAY and self.tree_columns.is_range(self.column[node])

    def branches(self, node: int) -> list[int]:
        """Children in the order of the tests."""
        start = self.start[node]
        if self.start[node + 1] - start == 2:
            first = start + 1 - self.last[node]
            return [self.children[first], self.children[2 * start + 1 - first]]
        return [self.children[start + branch] for branch in self.order(node)]

    def tests(self, node: int) -> tuple[Predicate, ...]:
        """Tests of a split, made once for all trees."""
        if node not in self._tests:
            self._tests[node] = self._made(node)
        return self._tests[node]

    def _made(self, node: int) -> tuple[Predicate, ...]:
        kind, column, tree_columns = self.kind[node], self.column[node], self.tree_columns
        first = self.last[node] == 1  # of two branches, whether the first has the test
        if kind == CUT:
            return (tree_columns.cut(column, self.low[node], self.low_row[node], above=not first),)
        if kind == INTERVAL:
            ends = self.low[node], self.high[node]
            rows = self.low_row[node], self.high_row[node]
            return (tree_columns.interval(column, ends, rows, inside=first),)
        if kind == PRESENT:
            missing = tree_columns.missing(column)
            return (~missing if first else missing,)
        start, end = self.arrays.table_start[node : node + 2]
        branch_of = self.arrays.branch_of[start:end]
        if self.has_ranges(node):
            return tuple(self.range_test(node, branch) for branch in self.order(node)[:-1])
        if tree_columns.single:
            return (
                tree_columns.among(column, np.flatnonzero(branch_of == 0).tolist(), among=first),
            )
        return tuple(
            tree_columns.among(column, np.flatnonzero(branch_of == branch).tolist())
            for branch in self.order(node)[:-1]
        )

    def range_test(self, node: int, branch: int) -> Predicate:
        """Test for a range that is not the last, where those before it in the order are denied."""
        start, end = self.arrays.table_start[node : node + 2]
        branch_of = self.arrays.branch_of[start:end]
        above = branch > self.last[node]
        code = int(np.searchsorted(branch_of, branch, "left" if above else "right")) - 1
        return self.tree_columns.range_end(self.column[node], code, above=above)

    def shares(self, node: int) -> tuple[int, ...]:
        """Shares of the branches, if missing values go down all of them."""
        if self.missing[node] >= 0:
            return ()
        start = self.start[node]
        children = [self.children[start + branch] for branch in self.order(node)]
        return sixteenths(self.arrays.weight[children].sum(axis=1))


def _is_filled(tests: Sequence[Predicate]) -> bool:
    """Whether missing values count as numbers, so that no row needs to go down all branches."""
    return any(isinstance(test, Ball | HalfSpace) and test.scaling.fill for test in tests)


def sixteenths(weight: NDArray[np.float64]) -> tuple[int, ...]:
    """Round shares to sixteenths that add up, by the largest remainders, the first on ties.

    Examples
    --------
    >>> sixteenths(np.array([1.0, 1.0, 1.0]))
    (6, 5, 5)
    """
    exact = np.round(SHARES * weight / weight.sum(), 9)  # the order of a sum decides nothing
    whole = np.floor(exact).astype(int)
    order = np.argsort(np.round(whole - exact, 9), kind="stable")
    whole[order[: SHARES - int(whole.sum())]] += 1
    return tuple(whole.tolist())
