"""The trees of all sizes within a grown one, each with its certificate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry
from rulewright.kernels import LEAF
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.progress import report
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.pruning_paths import fewest_errors
from rulewright.learners.tree.tree_builder import Cutting
from rulewright.rules import Tree

EVERY_SIZE = 32
"""Number of leaves up to which every size is certified; beyond, some and those near the best."""
MAX_LEAVES = 1024
STEP = 1.25


class Subtrees:
    """For each number of leaves, the subtree of a grown tree with the fewest errors.

    Attributes
    ----------
    sizes : array of int
        The numbers of leaves that there are; a multiway split adds several leaves.
    """

    def __init__(self, grown_tree: GrownTree) -> None:
        tree = grown_tree.grown.tree
        wrong = tree.weight.sum(axis=1) - tree.weight.max(axis=1)
        leaves = int((tree.kind == LEAF).sum())
        self._grown_tree = grown_tree
        self._best = fewest_errors(tree, wrong, min(MAX_LEAVES, leaves))
        self.sizes: NDArray[np.intp] = np.flatnonzero(np.isfinite(self._best.errors)) + 1

    def tree(self, size: int) -> Tree:
        """Return the best subtree of a size."""
        grown_tree = self._grown_tree
        leaves = self._best.leaves(size)
        return grown_tree.tree(Cutting.to(grown_tree.grown.tree, grown_tree.classes, leaves))

    def some(self) -> list[Tree]:
        """Return subtrees of all small sizes, and of ever fewer large ones."""
        return [self.tree(size) for size in self.sizes[size_grid(self.sizes.size)].tolist()]


def certified_sizes(
    grown_tree: GrownTree,
    certifier: Certifier,
    worth: Callable[[PathEntry], float],
    deadline: Deadline,
) -> list[PathEntry]:
    """Certify for numbers of leaves the subtree with the fewest errors: small ones, near the best.

    The entries are in order of size. At the deadline only some sizes are certified, and at least
    the smallest. (Bohanec & Bratko 1994, Trading accuracy for simplicity in
    decision trees, has the subtrees of all sizes.)
    """
    subtrees = Subtrees(grown_tree)
    sizes = subtrees.sizes
    entries: dict[int, PathEntry] = {}

    def certify_sizes(places: NDArray[np.intp]) -> None:
        for done, size in enumerate(sizes[places].tolist()):
            report("trees", done, places.size)
            if entries and deadline.over:
                return
            if size not in entries:
                entries[size] = certifier.entry(subtrees.tree(size))

    grid = size_grid(sizes.size)
    certify_sizes(grid)
    if sizes.size > EVERY_SIZE:
        chosen = min(entries, key=lambda size: (worth(entries[size]), size))
        near = int(np.searchsorted(sizes[grid], chosen))
        low, high = int(grid[max(near - 1, 0)]), int(grid[min(near + 1, grid.size - 1)])
        certify_sizes(np.unique(np.linspace(low, high, 2 * EVERY_SIZE).astype(np.intp)))
    ordered = [entries[size] for size in sorted(entries)]
    return [ordered[0], *map(_with_savings, ordered, ordered[1:])]


def size_grid(count: int) -> NDArray[np.intp]:
    """Places to certify among ``count`` sizes: all small ones, then ever fewer.

    Examples
    --------
    >>> size_grid(5).tolist(), size_grid(60)[-4:].tolist()
    ([0, 1, 2, 3, 4], [38, 47, 58, 59])
    """
    places = list(range(min(count, EVERY_SIZE)))
    while places[-1] < count - 1:
        places.append(min(int(places[-1] * STEP), count - 1))
    return np.array(places, np.intp)


def _with_savings(before: PathEntry, entry: PathEntry) -> PathEntry:
    return entry.saving(before.errors - entry.errors)
