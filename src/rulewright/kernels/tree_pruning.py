"""Pruning of decision trees: pessimistic, or by reduced error on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.column_index import check_rows
from rulewright.kernels.tree_arrays import TreeArrays

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class Pruned(NamedTuple):
    """The nodes of a pruned tree; its root is ``instead[0]``.

    The children of a remaining split are ``instead`` of its branches. Entries of nodes that are no
    longer in the tree are undefined.
    """

    instead: NDArray[np.int32]  # the node that replaces each node: itself, or one below it
    leaf: NDArray[np.int32]  # the class of a leaf, else -1
    weight: Floats  # class weights of the given rows at each node


def pessimistic_errors(total: Floats, errors: Floats, confidence: float = 0.25) -> Floats:
    """Expected number of errors on ``total`` new cases, given the errors in training.

    The upper limit of C4.5's confidence interval.

    Examples
    --------
    >>> pessimistic_errors(np.array([6.0, 16.0]), np.array([0.0, 1.0])).round(3).tolist()
    [1.238, 2.476]
    """
    expected = np.empty(total.size)
    _core.pessimistic_errors(total, errors, confidence, deviations_of(confidence), expected)
    return expected


def deviations_of(confidence: float) -> float:
    """Number of standard deviations that a normal variable exceeds with this probability."""
    if not 0.0 < confidence <= 0.5:
        raise ValueError(f"confidence must be above 0 and at most 0.5, got {confidence}")
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
    """Prune as in C4.5, by upper confidence limits of the training errors.

    The rows are those that the tree was grown from. Counts and decisions are those of Weka's J48
    (``C45PruneableClassifierTree``, ``Stats``), so weights are numbers of cases: the simpler tree
    wins unless it has 0.1 more errors, and differences below 1e-6 are ties, for any total.

    First, a subtree whose leaves make no fewer errors than a single leaf, within 0.001, becomes a
    leaf. Then, from the leaves to the root, a split becomes a leaf, or is replaced by its largest
    branch (the last of equals), which receives all of its rows and is pruned again. Rows that go
    down all branches are divided in proportion to the rows with a value, or evenly if there are
    none. A leaf without rows keeps its class.

    Parameters
    ----------
    tree : TreeArrays
    numeric : float64 arrays of equal length, NaN where missing
    codes : int32 arrays of equal length, negative where missing
    y : class number of each row
    weight : float64, rows of weight zero are absent
    confidence : float in (0, 0.5]; lower values prune more
    raising : whether a branch may replace its parent
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
    """Prune to the fewest errors on held-out rows.

    From the leaves to the root, every split stays, or is replaced by one of its pruned children, or
    by a leaf of any class, whichever makes the fewest errors on the rows that reach it. Original
    leaves keep their class: the heaviest in training, the lower of equals, or the parent's if there
    are no training rows. Ties go to a leaf (of the class that is heaviest in training, then the
    lower), then to the first child, then to the split. So a split without rows becomes a leaf of
    its training class. Rows that go down all branches are divided by the children's training
    weights.

    The parameters are those of ``prune_pessimistic``, for the held-out rows.
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
