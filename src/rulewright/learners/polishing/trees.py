"""Polishing of decision trees."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rulewright.learners.polishing.objective import Classes, Losses, Mask, PolishingTask, Rows
from rulewright.learners.polishing.polisher import (
    LiteralSite,
    Polisher,
    Smaller,
    State,
    register_polisher,
)
from rulewright.rules import Leaf, Literal, Predicate, Split, Threshold, Tree

Nodes = Sequence[Split | Leaf]

TINY = float(np.finfo(np.float64).tiny)


@register_polisher(Tree)
class TreePolisher(Polisher[Tree]):
    """A tree; conditions are the tests of its splits into two branches.

    A tree that divides rows with missing values among branches stays as it is.
    """

    def __init__(self, task: PolishingTask) -> None:
        super().__init__(task)
        self._last: tuple[Nodes, list[Rows]] | None = None

    def polished(self, body: Tree) -> Tree:
        if any(isinstance(node, Split) and node.shares for node in body.nodes):
            return body
        least = self._smallest_leaf(body)
        self._limit = min(least, max(self.task.min_leaf * (1 - 1e-9), TINY))
        return super().polished(body)

    def conditions(self, body: Tree) -> tuple[Predicate, ...]:
        return tuple(_split_at(body.nodes, n).tests[0] for n in _binary_splits(body.nodes))

    def with_condition(self, body: Tree, number: int, condition: Predicate) -> Tree:
        nodes = list(body.nodes)
        place = _binary_splits(nodes)[number]
        nodes[place] = replace(_split_at(nodes, place), tests=(condition,))
        return Tree(tuple(nodes))

    def is_frozen(self, number: int, condition: Predicate) -> bool:
        return not isinstance(condition, Literal)

    def firing(self, body: Tree, number: int) -> tuple[int, bool]:
        return 1, True

    def row_loss(self, body: Tree) -> Losses:
        answers = np.empty(self.task.sample.y.size, np.int32)
        for node, rows in zip(body.nodes, self._reaching(body.nodes), strict=True):
            if isinstance(node, Leaf):
                answers[rows] = node.output
        return self.task.lost(answers)

    def arms(self, body: Tree, number: int) -> tuple[Losses, Losses]:
        place = _binary_splits(body.nodes)[number]
        rows = self._reaching(body.nodes)[place]
        split = _split_at(body.nodes, place)
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
        split = _split_at(replaced.nodes, place)
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
                output = self.task.best_class(reaching[number], node.output)
                nodes[number] = node if output == node.output else Leaf(output)
        return body if all(map(operator.is_, nodes, body.nodes)) else Tree(tuple(nodes))

    def is_allowed(self, body: Tree) -> bool:
        """Whether leaves are large enough, or no smaller than before."""
        return self._smallest_leaf(body) >= self._limit

    def _smallest_leaf(self, body: Tree) -> float:
        """Weight of the rows of the smallest leaf."""
        weight, reaching = self.task.sample.weight, self._reaching(body.nodes)
        leaves = (number for number, node in enumerate(body.nodes) if isinstance(node, Leaf))
        return min(float(weight[reaching[number]].sum()) for number in leaves)

    def shrink(self, state: State[Tree]) -> bool:
        """Put leaves or branches in the place of splits, from the leaves to the root."""
        improved = state.take(self.refitted(self._pruned(state.body)))
        if state.objective[1] > self.max_literals:
            return improved
        number = len(state.body.nodes) - 1
        while number >= 0 and not self.task.deadline.over:
            body = state.body
            taken = False
            for by in self._gains(body, number):
                model, _ = _replaced(body.nodes, {number: by})
                taken = taken or state.take(self.refitted(model))
            improved |= taken
            number = min(number, len(state.body.nodes)) - 1  # the nodes before it stay
        return improved

    def _pruned(self, body: Tree) -> Tree:
        """Subtree of the same root with the least loss plus the price of its tests."""
        reaching, y, worth = self._reaching(body.nodes), self.task.sample.y, self.task.worth
        costs, leaves = [0] * len(body.nodes), {}
        for number in reversed(range(len(body.nodes))):
            node, rows = body.nodes[number], reaching[number]
            best = self.task.best_class(rows, -1)
            costs[number] = int(worth[rows][y[rows] != best].sum())
            if isinstance(node, Split):
                below = self.literal_price * node.literals + sum(costs[b] for b in node.branches)
                if costs[number] <= below:
                    leaves[number] = Leaf(best)
                costs[number] = min(costs[number], below)
        return _replaced(body.nodes, leaves)[0] if leaves else body

    def _gains(self, body: Tree, number: int) -> Iterator[Leaf | int]:
        """What may stand in the place of a split at a lower price."""
        node = body.nodes[number]
        if not isinstance(node, Split):
            return
        rows, price = self._reaching(body.nodes)[number], self.literal_price
        now = self._cost(body.nodes, number, rows, price)
        leaf = Leaf(self.task.best_class(rows, -1))
        if self._cost([leaf], 0, rows, price) <= now:
            yield leaf
        for branch in node.branches:
            if isinstance(body.nodes[branch], Split):
                if self._cost(body.nodes, branch, rows, price) <= now:
                    yield branch

    def _cost(self, nodes: Nodes, root: int, rows: Rows, price: int) -> int:
        """Loss of the part of a tree below a node on some rows, plus the price of its literals.

        Its leaves have their best answers.
        """
        cost, waiting = 0, [(root, rows)]
        while waiting:
            number, some = waiting.pop()
            node = nodes[number]
            if isinstance(node, Split):
                cost += price * node.literals
                waiting += self._parted(node, some)
            elif some.size:
                sums = np.bincount(self.task.sample.y[some], self.task.worth[some])
                cost += int(sums.sum() - sums.max())
        return cost

    def literals(self, body: Tree) -> int:
        return sum(node.literals for node in body.nodes if isinstance(node, Split))

    def smaller(self, body: Tree) -> Iterator[Smaller[Tree]]:
        """Trees with a leaf or a branch in the place of a split, from the leaves to the root."""
        reaching, parents = self._reaching(body.nodes), _parents(body.nodes)
        for number in reversed(range(len(body.nodes))):
            node = body.nodes[number]
            if not isinstance(node, Split):
                continue
            leaf = Leaf(self.task.best_class(reaching[number], -1))
            yield self._smaller(body, number, leaf, parents)
            for branch in node.branches:
                if isinstance(body.nodes[branch], Split):
                    yield self._smaller(body, number, branch, parents)

    def _smaller(
        self, body: Tree, number: int, by: Leaf | int, parents: list[int]
    ) -> Smaller[Tree]:
        """Tree with a leaf or a branch in the place of a split; its parent is next to it."""
        tree, places = _replaced(body.nodes, {number: by})
        splits = _binary_splits(tree.nodes)
        near = [parents[number], by if isinstance(by, int) else number]
        numbers = [places[place] for place in near if place in places]
        return Smaller(tree, tuple(splits.index(n) for n in numbers if n in splits))

    def are_neighbours(self, body: Tree, one: LiteralSite, other: LiteralSite) -> bool:
        """Whether one of two splits is a branch of the other."""
        splits = _binary_splits(body.nodes)
        above = body.nodes[splits[one.condition]]
        return isinstance(above, Split) and splits[other.condition] in above.branches

    def _reaching(self, nodes: Nodes) -> list[Rows]:
        """Rows that reach each node; kept for trees that have the same splits."""
        known = self._last
        if known is not None and _have_same_splits(known[0], nodes):
            return known[1]
        reaching: list[Rows] = [np.empty(0, np.intp)] * len(nodes)
        reaching[0] = np.arange(self.task.sample.y.size)
        for number, node in enumerate(nodes):
            if isinstance(node, Split):
                for branch, rows in self._parted(node, reaching[number]):
                    reaching[branch] = rows
        self._last = nodes, reaching
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


def _split_at(nodes: Nodes, number: int) -> Split:
    node = nodes[number]
    assert isinstance(node, Split)
    return node


def _have_same_splits(one: Nodes, other: Nodes) -> bool:
    """Whether two trees are the very same apart from the answers of their leaves."""
    return len(one) == len(other) and all(
        a is b or (isinstance(a, Leaf) and isinstance(b, Leaf))
        for a, b in zip(one, other, strict=True)
    )


def _parents(nodes: Nodes) -> list[int]:
    """Number of the parent of each node; -1 for the root."""
    parents = [-1] * len(nodes)
    for number, node in enumerate(nodes):
        for branch in node.branches if isinstance(node, Split) else ():
            parents[branch] = number
    return parents


def _replaced(nodes: Nodes, replaced: Mapping[int, Leaf | int]) -> tuple[Tree, dict[int, int]]:
    """Tree with a leaf or one of its branches in the place of each of some nodes, in preorder.

    The second result has the new number of each node that is left.
    """
    made: list[Split | Leaf] = []
    places: dict[int, int] = {}
    waiting: list[tuple[int, int, int]] = [(0, -1, 0)]  # node, number of the new parent, branch
    branches: dict[int, list[int]] = {}
    while waiting:
        old, parent, place = waiting.pop()
        by = replaced.get(old, old)
        node = by if isinstance(by, Leaf) else nodes[by]
        old = old if isinstance(by, Leaf) else by
        number = places[old] = len(made)
        if parent >= 0:
            branches[parent][place] = number
        if isinstance(node, Split):
            branches[number] = list(node.branches)
            below = list(enumerate(node.branches))
            waiting += [(child, number, branch) for branch, child in reversed(below)]
        made.append(node)
    for number, ends in branches.items():
        split = _split_at(made, number)
        if tuple(ends) != split.branches:
            made[number] = replace(split, branches=tuple(ends))
    return Tree(tuple(made)), places
