"""Polishing of decision trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.polishing.objective import Classes, Losses, Mask
from rulewright.learners.polishing.polisher import LiteralSite, Polisher, register_polisher
from rulewright.rules import Leaf, Literal, Predicate, Split, Threshold, Tree

Rows = NDArray[np.intp]
Nodes = Sequence[Split | Leaf]

TINY = float(np.finfo(np.float64).tiny)


@register_polisher(Tree)
class TreePolisher(Polisher[Tree]):
    """A tree; conditions are the tests of its splits into two branches.

    A tree that divides rows with missing values among branches stays as it is.
    """

    def polished(self, body: Tree) -> Tree:
        if any(isinstance(node, Split) and node.shares for node in body.nodes):
            return body
        least = self._smallest_leaf(body)
        self._limit = min(least, max(self.task.min_leaf * (1 - 1e-9), TINY))
        return super().polished(body)

    def conditions(self, body: Tree) -> tuple[Predicate, ...]:
        return tuple(body.nodes[number].tests[0] for number in _binary_splits(body.nodes))

    def with_condition(self, body: Tree, number: int, condition: Predicate) -> Tree:
        nodes = list(body.nodes)
        place = _binary_splits(nodes)[number]
        nodes[place] = replace(nodes[place], tests=(condition,))
        return Tree(tuple(nodes))

    def is_frozen(self, body: Tree, number: int) -> bool:
        return not isinstance(self.conditions(body)[number], Literal)

    def firing(self, body: Tree, number: int) -> tuple[int, bool]:
        return 1, True

    def row_loss(self, body: Tree) -> Losses:
        every = np.arange(self.task.sample.y.size)
        return self.task.lost(self._answers(body.nodes, 0, every))

    def arms(self, body: Tree, number: int) -> tuple[Losses, Losses]:
        place = _binary_splits(body.nodes)[number]
        rows = self._reaching(body.nodes)[place]
        split = body.nodes[place]
        assert isinstance(split, Split)
        every = self.row_loss(body)
        found = []
        for branch in split.branches:
            answers = self._answers(body.nodes, branch, rows)
            loss = every.copy()
            loss[rows] = np.where(answers == self.task.sample.y[rows], 0, self.task.worth[rows])
            found.append(loss)
        return found[0], found[1]

    def variants(self, body: Tree, number: int, replaced: Tree) -> Iterator[Tree]:
        """Trees with a new test, missing values to the larger branch where training has none."""
        place = _binary_splits(body.nodes)[number]
        split = replaced.nodes[place]
        assert isinstance(split, Split)
        rows = self._reaching(replaced.nodes)[place]
        table = self.task.sample.table
        absent = any(table.missing(name)[rows].any() for name in split.columns)
        holds = self.task.evaluation.holds(split.tests[0])[rows]
        if isinstance(split.tests[0], Threshold) and not absent and 2 * holds.sum() > rows.size:
            nodes = list(replaced.nodes)
            nodes[place] = _turned(split.tests[0], split.branches)
            yield Tree(tuple(nodes))
        yield replaced

    def refitted(self, body: Tree) -> Tree:
        """Tree with the best answer in each leaf."""
        reaching = self._reaching(body.nodes)
        nodes = list(body.nodes)
        for number, node in enumerate(nodes):
            if isinstance(node, Leaf):
                mask = np.zeros(self.task.sample.y.size, np.bool_)
                mask[reaching[number]] = True
                output = self.task.best_class(mask, node.output)
                nodes[number] = node if output == node.output else Leaf(output)
        return Tree(tuple(nodes))

    def is_allowed(self, body: Tree) -> bool:
        """Whether leaves are large enough, or no smaller than before."""
        return self._smallest_leaf(body) >= self._limit

    def _smallest_leaf(self, body: Tree) -> float:
        """Weight of the rows of the smallest leaf."""
        weight, reaching = self.task.sample.weight, self._reaching(body.nodes)
        leaves = (number for number, node in enumerate(body.nodes) if isinstance(node, Leaf))
        return min(float(weight[reaching[number]].sum()) for number in leaves)

    def smaller(self, body: Tree) -> Iterator[Tree]:
        """Trees with a leaf or a branch in the place of a split."""
        reaching = self._reaching(body.nodes)
        for number, node in enumerate(body.nodes):
            if not isinstance(node, Split):
                continue
            mask = np.zeros(self.task.sample.y.size, np.bool_)
            mask[reaching[number]] = True
            leaf = Leaf(self.task.best_class(mask, -1))
            yield _compact(body.nodes, {number: leaf}, {})
            for branch in node.branches:
                if isinstance(body.nodes[branch], Split):
                    yield _compact(body.nodes, {}, {number: branch})

    def are_neighbours(self, body: Tree, one: LiteralSite, other: LiteralSite) -> bool:
        """Whether one of two splits is a branch of the other."""
        splits = _binary_splits(body.nodes)
        above = body.nodes[splits[one.condition]]
        return isinstance(above, Split) and splits[other.condition] in above.branches

    def _reaching(self, nodes: Nodes) -> list[Rows]:
        """Rows that reach each node."""
        reaching: list[Rows] = [np.empty(0, np.intp)] * len(nodes)
        reaching[0] = np.arange(self.task.sample.y.size)
        for number, node in enumerate(nodes):
            if isinstance(node, Split):
                for branch, rows in self._parted(node, reaching[number]):
                    reaching[branch] = rows
        return reaching

    def _parted(self, split: Split, rows: Rows) -> Iterator[tuple[int, Rows]]:
        """Branches of a split with the rows that take each."""
        for test, branch in zip(split.tests, split.branches, strict=False):
            holds: Mask = self.task.evaluation.holds(test)[rows]
            yield branch, rows[holds]
            rows = rows[~holds]
        yield split.branches[-1], rows

    def _answers(self, nodes: Nodes, root: int, rows: Rows) -> Classes:
        """Answers of the part of a tree below a node, on some rows."""
        answers = np.empty(self.task.sample.y.size, np.int32)
        waiting = [(root, rows)]
        while waiting:
            number, some = waiting.pop()
            node = nodes[number]
            if isinstance(node, Leaf):
                answers[some] = node.output
            elif some.size:
                waiting += self._parted(node, some)
        return answers[rows]


def _binary_splits(nodes: Nodes) -> list[int]:
    """Numbers of the splits into two branches."""
    return [n for n, node in enumerate(nodes) if isinstance(node, Split) and len(node.tests) == 1]


def _turned(test: Threshold, branches: tuple[int, ...]) -> Split:
    """Split with its branches in the other order; missing values take the last one."""
    return Split((replace(test, above=not test.above),), branches[::-1])


def _compact(nodes: Nodes, changed: dict[int, Leaf], moved: dict[int, int]) -> Tree:
    """Tree of the nodes that are left, in preorder.

    ``changed`` are nodes that become leaves; ``moved`` are nodes whose place a branch takes.
    """
    made: list[Split | Leaf] = []
    waiting: list[tuple[int, int | None, int]] = [(0, None, 0)]  # node, new parent, branch
    while waiting:
        number, parent, place = waiting.pop()
        number = moved.get(number, number)
        node = changed.get(number, nodes[number])
        if parent is not None:
            above = made[parent]
            assert isinstance(above, Split)
            branches = list(above.branches)
            branches[place] = len(made)
            made[parent] = replace(above, branches=tuple(branches))
        if isinstance(node, Split):
            below = list(enumerate(node.branches))
            waiting += [(child, len(made), branch) for branch, child in reversed(below)]
        made.append(node)
    return Tree(tuple(made))
