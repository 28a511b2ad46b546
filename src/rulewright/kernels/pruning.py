"""Trees cut back after they were grown: by pessimistic errors, by errors on rows kept aside."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.columns import check_rows
from rulewright.kernels.tree_arrays import TreeArrays

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class Pruned(NamedTuple):
    """What became of each node; the tree begins at ``instead[0]``.

    The children of a split that stands are ``instead`` of its branches. What is said of nodes that
    are no longer in the tree means nothing.
    """

    instead: NDArray[np.int32]  # the node that stands in its place: itself, or one below it
    leaf: NDArray[np.int32]  # the class it answers with if it is or became a leaf, else -1
    weight: Floats  # of each class at each node, of the rows that were given


def pessimistic_errors(total: Floats, errors: Floats, confidence: float = 0.25) -> Floats:
    """Give the errors to be expected among new cases, as many as ``total`` of which some were made.

    The upper limit of C4.5's confidence interval, as pruning counts it.

    Examples
    --------
    >>> pessimistic_errors(np.array([6.0, 16.0]), np.array([0.0, 1.0])).round(3).tolist()
    [1.238, 2.476]
    """
    expected = np.empty(total.size)
    _core.pessimistic_errors(total, errors, confidence, deviations_of(confidence), expected)
    return expected


def deviations_of(confidence: float) -> float:
    """Say beyond how many standard deviations the normal distribution has this probability."""
    if not 0.0 < confidence <= 0.5:
        raise ValueError(f"confidence must be above 0 and at most 0.5, found {confidence}")
    return NormalDist().inv_cdf(1.0 - confidence)


def prune_pessimistic(
    tree: TreeArrays,
    numeric: Sequence[Floats],
    codes: Sequence[Codes],
    y: NDArray[np.int32],
    weight: Floats,
    *,
    confidence: float = 0.25,
    raising: bool = True,
) -> Pruned:
    """Prune as C4.5 does, by the upper confidence limits of the errors in training.

    The rows are those that the tree was grown from. All is counted and decided as in Weka's J48
    (``C45PruneableClassifierTree``, ``Stats``), so weights are cases: what is simpler is preferred
    by up to 0.1 errors, and what differs by less than 1e-6 is equal, whatever the total.

    First a subtree whose leaves make no fewer errors than it would as a leaf, within 0.001,
    becomes one. Then, from the leaves to the root, a split becomes a leaf, or its largest branch
    (the last of equals) takes its place and all of its rows, and is pruned again with them. Rows
    that go down all branches are shared out by the rows that are at the split and have a value, or
    evenly where none has. A leaf that no row comes to keeps the class it had.

    Parameters
    ----------
    tree : TreeArrays
    numeric : float64 arrays of equal length, NaN where missing
    codes : int32 arrays of equal length, negative where missing
    y : class number of each row
    weight : float64, rows of weight zero are absent
    confidence : above 0, at most 0.5; less prunes more
    raising : whether a branch may take its parent's place
    """
    deviations = deviations_of(confidence)
    _check(tree, y, weight)
    pruned = _room(tree)
    _core.prune_pessimistic(
        _native(tree),
        list(numeric),
        list(codes),
        y,
        weight,
        confidence,
        deviations,
        raising,
        *pruned,
    )
    return pruned


def prune_reduced_error(
    tree: TreeArrays,
    numeric: Sequence[Floats],
    codes: Sequence[Codes],
    y: NDArray[np.int32],
    weight: Floats,
    *,
    raising: bool = True,
) -> Pruned:
    """Prune to the fewest errors on rows that the tree was not grown from.

    From the leaves to the root, every split is left as it is, or what stands in the place of one
    of its children takes its place, or a leaf of any class does, whichever makes the fewest errors
    on the rows that come to it. Leaves that were grown keep their class: the heaviest in training,
    the lower of equals, at a leaf without training rows its parent's. Among equal choices a leaf
    comes first (of the class that training prefers, then the lower), then the first child, then
    the split; so a split that no row comes to becomes a leaf of its class in training. Rows that
    go down all branches do so by the children's weights in training.

    The parameters are those of ``prune_pessimistic``, for the rows that were kept aside.
    """
    _check(tree, y, weight)
    pruned = _room(tree)
    _core.prune_reduced_error(
        _native(tree), list(numeric), list(codes), y, weight, raising, *pruned
    )
    return pruned


def _native(tree: TreeArrays) -> _core.Tree:
    return _core.Tree(
        tree.kind,
        tree.column,
        tree.low,
        tree.high,
        tree.missing,
        tree.largest,
        tree.start,
        tree.branches,
        tree.table_start,
        tree.branch_of,
        tree.weight,
    )


def _room(tree: TreeArrays) -> Pruned:
    nodes = tree.kind.size
    return Pruned(np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty(tree.weight.shape))


def _check(tree: TreeArrays, y: NDArray[np.int32], weight: Floats) -> None:
    check_rows(y.size)
    if not np.all(np.isfinite(weight) & (weight >= 0)):
        raise ValueError("weights must be finite and not negative")
    if not np.all(np.isfinite(tree.weight) & (tree.weight >= 0)):
        raise ValueError("the tree's weights must be finite and not negative")
