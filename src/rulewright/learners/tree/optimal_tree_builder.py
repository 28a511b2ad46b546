"""Models from the trees of an optimal search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import HOLDS_ON_MISSING, HOLDS_ON_VALUES_OR_MISSING, CodedTest
from rulewright.learners.base.binned_columns import BinnedColumn
from rulewright.learners.base.sample import Sample
from rulewright.learners.tree.tree_columns import TreeColumns
from rulewright.rules import Leaf, Predicate, Split, Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class OptimalTreeBuilder:
    """Columns, tests and examples from which trees are made.

    ``places`` has for each of the columns the one among the columns of the tree. With ``joins``,
    a split whose leaves give the same answer becomes a leaf.
    """

    tree_columns: TreeColumns
    columns: Sequence[BinnedColumn]
    places: Sequence[int]
    tests: Sequence[CodedTest]
    sample: Sample
    weight: NDArray[np.int64]
    joins: bool = False

    def tree(self, preorder: Sequence[int]) -> Tree:
        """Tree of nodes in preorder; every leaf answers with the class of the largest weight."""
        nodes: list[Split | Leaf] = []
        self._add(iter(preorder), np.arange(self.sample.y.size), nodes)
        return Tree(tuple(_in_preorder(nodes)))

    def _add(self, preorder: Iterator[int], rows: Rows, nodes: list[Split | Leaf]) -> int:
        """Add a subtree of some rows to the nodes, and return its number."""
        number = next(preorder)
        place = len(nodes)
        if number < 0:
            nodes.append(Leaf(self._answer(rows)))
            return place
        nodes.append(Leaf(0))  # is replaced below
        test = self.tests[number]
        yes = self._holds(test, rows)
        first = self._add(preorder, rows[yes], nodes)
        second = self._add(preorder, rows[~yes], nodes)
        if self.joins and isinstance(nodes[first], Leaf) and nodes[first] == nodes[second]:
            nodes[place:] = [nodes[first]]
            return place
        predicate, swapped = self._predicate(test, rows[yes], rows[~yes])
        nodes[place] = Split((predicate,), (second, first) if swapped else (first, second))
        return place

    def _answer(self, rows: Rows) -> int:
        sums = np.zeros(len(self.sample.classes), np.int64)
        np.add.at(sums, self.sample.y[rows], self.weight[rows])
        return int(sums.argmax())

    def _holds(self, test: CodedTest, rows: Rows) -> Mask:
        column = self.columns[test.column]
        codes = column.codes[rows]
        if test.kind == HOLDS_ON_MISSING:
            return codes < 0
        there = (codes >= 0) & (codes <= test.base) if column.ordered else codes == test.base
        return there | (codes < 0) if test.kind == HOLDS_ON_VALUES_OR_MISSING else there

    def _predicate(self, test: CodedTest, yes: Rows, no: Rows) -> tuple[Predicate, bool]:
        """Predicate that is false on missing values, and whether it holds on the second branch.

        Where no row of the node is missing, missing values take the branch of the median, or the
        one with the most weight.
        """
        column, place = self.columns[test.column], self.places[test.column]
        missing = self._missing(place)
        if missing[yes].all() or missing[no].all():
            return self.tree_columns.missing(place), bool(missing[no].all())
        with_yes = bool(missing[yes].any())
        if not with_yes and not missing[no].any():
            with_yes = self._expects_missing(test, yes, no)
        if not column.ordered:
            code = int(column.bases[test.base])
            return self.tree_columns.among(place, [code], among=not with_yes), with_yes
        values = self.tree_columns.values[place]
        cut = _cut(values, values[yes], values[no])
        row = int(np.argmax(values == cut))
        return self.tree_columns.cut(place, cut, row, above=with_yes), with_yes

    def _missing(self, place: int) -> Mask:
        numeric = len(self.tree_columns.values)
        if place < numeric:
            return np.isnan(self.tree_columns.values[place])
        return self.tree_columns.categorical[place - numeric].codes < 0

    def _expects_missing(self, test: CodedTest, yes: Rows, no: Rows) -> bool:
        """Whether missing values would take the first branch of a node that has none."""
        column = self.columns[test.column]
        if column.filled is None:
            return int(self.weight[yes].sum()) >= int(self.weight[no].sum())
        return column.filled <= test.base if column.ordered else column.filled == test.base


def _cut(values: Floats, below: Floats, above: Floats) -> float:
    """Largest value of any row up to the middle between two sides, as in C4.5."""
    low, high = float(np.nanmax(below)), float(np.nanmin(above))
    middle = min(max(low / 2 + high / 2, low), high)
    return float(values[values <= middle].max())


def _in_preorder(nodes: Sequence[Split | Leaf]) -> Iterator[Split | Leaf]:
    """Nodes in preorder by the branches of their splits."""
    order: list[int] = []
    waiting = [0]
    while waiting:
        order.append(waiting.pop())
        node = nodes[order[-1]]
        if isinstance(node, Split):
            waiting += reversed(node.branches)
    place = {number: new for new, number in enumerate(order)}
    for number in order:
        node = nodes[number]
        if isinstance(node, Split):
            node = Split(node.tests, tuple(place[branch] for branch in node.branches))
        yield node
