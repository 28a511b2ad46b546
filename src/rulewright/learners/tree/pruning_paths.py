"""The best prunings of a tree: least cost for each price of a leaf, fewest errors for each size."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import TreeArrays

Floats = NDArray[np.float64]
Counts = NDArray[np.int32]
Costs = NDArray[np.complex128]


class CostComplexityPath(NamedTuple):
    """The subtrees of least impurity + alpha * leaves, for growing alpha.

    The first is the whole tree, at alpha 0; each of the others lacks one more split and everything
    below it. The subtree for any alpha has the splits with ``removed_at > alpha``.
    """

    alphas: Floats
    impurities: Floats  # of each subtree
    removed_at: Floats  # the alpha at which each split is gone; infinite for leaves


class _Step(NamedTuple):
    """A split becomes a leaf. The latest comes first, of equals that of the highest node."""

    minus_alpha: float
    minus_node: int
    leaves: int  # decrease of the number of leaves
    impurity: float  # increase of the impurity


def cost_complexity_path(tree: TreeArrays, impurity: Floats) -> CostComplexityPath:
    """Cut weakest links until only the root is left (Breiman et al. 1984, section 3.3).

    The path is that of scikit-learn's ``cost_complexity_pruning_path``, negative alphas held at 0.
    It is found from the leaves to the root: a split becomes a leaf where the line of its own cost
    meets the least cost of what is below it, a chain of straight pieces. Steps below it that would
    come later are dropped there, so that each is looked at once.

    Parameters
    ----------
    tree : TreeArrays
    impurity : of each node, times its share of the weight
    """
    children = _children(tree)
    cost = impurity.tolist()
    removed_at = np.full(len(children), np.inf)
    steps: list[list[_Step]] = [[] for _ in children]
    for node in range(len(children) - 1, -1, -1):
        if children[node]:
            steps[node] = _joined([steps[child] for child in children[node]])
            step = _meeting(node, children[node], cost, steps[node])
            heapq.heappush(steps[node], step)
            removed_at[node] = max(-step.minus_alpha, 0.0)
    for node, below in enumerate(children):
        for child in below:
            if children[child]:
                removed_at[child] = min(removed_at[child], removed_at[node])
    taken = sorted(steps[0], reverse=True)
    grown = sum(cost[node] for node, below in enumerate(children) if not below)
    return CostComplexityPath(
        np.maximum([0.0] + [-step.minus_alpha for step in taken], 0.0),
        np.cumsum([grown] + [step.impurity for step in taken]),
        removed_at,
    )


def _children(tree: TreeArrays) -> list[list[int]]:
    start, branches = tree.start.tolist(), tree.branches.tolist()
    return [branches[begin:end] for begin, end in pairwise(start)]


def _joined(heaps: list[list[_Step]]) -> list[_Step]:
    """Move the steps of all heaps into the largest one."""
    heaps.sort(key=len)
    largest = heaps.pop()
    for heap in heaps:
        for step in heap:
            heapq.heappush(largest, step)
        heap.clear()
    return largest


def _meeting(node: int, children: list[int], cost: list[float], steps: list[_Step]) -> _Step:
    """Step at which a split becomes a leaf; later steps below it are dropped."""
    leaves = len(children)
    below = sum(cost[child] for child in children)
    while True:
        # A split with one branch is as large as a leaf: it never pays.
        alpha = (cost[node] - below) / (leaves - 1) if leaves > 1 else -np.inf
        if not steps or -steps[0].minus_alpha < alpha:
            return _Step(-alpha, -node, leaves - 1, cost[node] - below)
        last = heapq.heappop(steps)
        leaves += last.leaves
        below -= last.impurity


@dataclass(frozen=True)
class FewestErrors:
    """The best subtree of every size."""

    errors: Floats  # with 1, 2, ... leaves; infinite where there is no such subtree
    _children: list[list[int]]
    _leaves_of_last: list[list[Counts]]  # at each split, for each branch but the first

    def leaves(self, size: int) -> NDArray[np.bool_]:
        """Mask of the nodes that are the leaves of the best subtree of a size."""
        if not 1 <= size <= self.errors.size or np.isinf(self.errors[size - 1]):
            raise ValueError(f"there is no subtree with {size} leaves")
        marks = np.zeros(len(self._children), bool)
        waiting = [(0, size)]
        while waiting:
            node, count = waiting.pop()
            if count == 1:
                marks[node] = True
            else:
                waiting.extend(self._shared_out(node, count))
        return marks

    def _shared_out(self, node: int, count: int) -> Iterator[tuple[int, int]]:
        first, *others = self._children[node]
        for child, of_last in zip(others[::-1], self._leaves_of_last[node][::-1], strict=True):
            part = int(of_last[count - 1])
            yield child, part
            count -= part
        yield first, count


def fewest_errors(tree: TreeArrays, wrong: Floats, max_leaves: int) -> FewestErrors:
    """For every number of leaves, the subtree with the fewest errors.

    A knapsack from the leaves to the root, of at most ``nodes * most`` steps and numbers. Ties go
    to leaves of smaller average depth, then to fewer leaves in earlier branches.

    Parameters
    ----------
    tree : TreeArrays
    wrong : errors of each node if it were a leaf
    max_leaves : maximum number of leaves
    """
    if max_leaves < 1:
        raise ValueError(
            f"a tree has at least one leaf, so max_leaves must be 1 or more, found {max_leaves}"
        )
    children = _children(tree)
    # Errors, and the depths of all leaves as the imaginary part, which NumPy compares second.
    best = [np.full(1, errors, complex) for errors in wrong.tolist()]
    leaves_of_last: list[list[Counts]] = [[] for _ in children]
    for node in range(len(children) - 1, -1, -1):
        for place, child in enumerate(children[node]):
            if place == 0:
                joined = best[child]
            else:
                joined, of_last = _shared(joined, best[child], max_leaves)
                leaves_of_last[node].append(of_last)
            best[child] = best[child][:0]  # what is joined is not needed again
        if children[node]:
            deeper = joined[1:] + 1j * np.arange(2, joined.size + 1)
            best[node] = np.concatenate([best[node], deeper])
    errors = np.full(max_leaves, np.inf)
    errors[: best[0].size] = best[0].real
    return FewestErrors(errors, children, leaves_of_last)


def _shared(earlier: Costs, last: Costs, max_leaves: int) -> tuple[Costs, Counts]:
    """Best division of leaves between some branches and one more, for each number of leaves."""
    size = min(earlier.size + last.size, max_leaves)
    best = np.full(size, np.inf, complex)
    of_last = np.zeros(size, np.int32)
    for begin, offer, leaves in _offers(earlier, last, size):
        place = slice(begin, begin + offer.size)
        better = offer < best[place]
        np.copyto(best[place], offer, where=better)
        np.copyto(of_last[place], leaves, where=better)
    return best, of_last


def _offers(earlier: Costs, last: Costs, size: int) -> Iterator[tuple[int, Costs, Counts | int]]:
    """Loop over the shorter of the two, so that earlier branches have few leaves at first."""
    if earlier.size <= last.size:
        sizes = np.arange(1, last.size + 1, dtype=np.int32)
        for i in range(min(earlier.size, size - 1)):
            offer = earlier[i] + last[: size - i - 1]
            yield i + 1, offer, sizes[: offer.size]
    else:
        for j in range(min(last.size, size - 1) - 1, -1, -1):
            yield j + 1, earlier[: size - j - 1] + last[j], j + 1
