"""Paths of a tree: one rule for each path from the root to a leaf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import CUT, LEAF, TreeArrays
from rulewright.learners.base.monotonicity import favours
from rulewright.learners.tree.tree_builder import Cutting
from rulewright.learners.tree.tree_columns import TreeColumns
from rulewright.models import Costs
from rulewright.rules import Missing, Predicate

Floats = NDArray[np.float64]

COLLAPSING = 1e-3
"""A subtree that saves no more than this weight of training errors becomes a leaf."""


@dataclass(frozen=True, eq=False)
class Paths:
    """The paths to the leaves that training examples reach, the heaviest leaf first.

    ``tests`` are the different tests on these paths, ``conditions`` their numbers on each path from
    the root on, and ``outputs`` the answers of the leaves.
    """

    tests: tuple[Predicate, ...]
    conditions: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]

    def favouring(self, directions: Mapping[str, int]) -> Paths:
        """The paths without the tests that a rule for their class must not have."""
        if not directions:
            return self
        ways = zip(self.conditions, self.outputs, strict=True)
        kept = tuple(
            tuple(n for n in way if favours(self.tests[n], output, directions))
            for way, output in ways
        )
        return Paths(self.tests, kept, self.outputs)

    def take(self, start: int, end: int) -> Paths:
        """Some of the paths, and the tests on them."""
        ways = self.conditions[start:end]
        used = sorted({number for way in ways for number in way})
        place = {number: new for new, number in enumerate(used)}
        return Paths(
            tuple(self.tests[number] for number in used),
            tuple(tuple(place[number] for number in way) for way in ways),
            self.outputs[start:end],
        )


def collapsed(tree: TreeArrays, costs: Costs) -> Cutting:
    """Cut off subtrees that lose no more as leaves, as C4.5 does while it grows a tree."""
    loss, answers = costs.losses(tree.weight), costs.answers(tree.weight).astype(np.int32)
    below, leaf = loss.copy(), tree.kind == LEAF
    for node in range(tree.kind.size - 1, -1, -1):
        if leaf[node]:
            continue
        below[node] = below[tree.branches[tree.start[node] : tree.start[node + 1]]].sum()
        if below[node] >= loss[node] - COLLAPSING:
            leaf[node] = True
            below[node] = loss[node]
    return Cutting.to(tree, answers, leaf)


def paths_of(tree: TreeArrays, columns: TreeColumns, cutting: Cutting) -> Paths:
    """Paths to the leaves that are left of a tree."""
    weight = tree.weight.sum(axis=1).tolist()
    instead, answer = cutting.instead.tolist(), cutting.answer.tolist()
    start, branches = tree.start.tolist(), tree.branches.tolist()
    numbers: dict[Predicate, int] = {}
    leaves: list[tuple[float, tuple[int, ...], int]] = []
    waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while waiting:
        place, way = waiting.pop()
        node = instead[place]
        if answer[node] >= 0:
            leaves.append((weight[node], way, answer[node]))
            continue
        for branch, child in reversed([*enumerate(branches[start[node] : start[node + 1]])]):
            test = branch_test(tree, columns, node, branch)
            if test is None or not weight[child] > 0:
                continue
            stated = columns.negation or not (isinstance(test, Missing) and not test.missing)
            more = (numbers.setdefault(test, len(numbers)),) if stated else ()
            waiting.append((child, (*way, *more)))
    leaves.sort(key=lambda leaf: -leaf[0])  # ties in the order of the tree
    ways, outputs = zip(*((way, output) for _, way, output in leaves), strict=True)
    return Paths(tuple(numbers), ways, outputs)


def branch_test(
    tree: TreeArrays, tree_columns: TreeColumns, node: int, branch: int
) -> Predicate | None:
    """Test that leads down a branch; None if only missing values go there."""
    column = int(tree.column[node])
    if tree.kind[node] == CUT:
        low, row = float(tree.low[node]), int(tree.low_row[node])
        return tree_columns.cut(column, low, row, above=branch == 1)
    table = tree.branch_of[tree.table_start[node] : tree.table_start[node + 1]]
    codes = np.flatnonzero(table == branch).tolist()
    return tree_columns.among(column, codes) if codes else None
