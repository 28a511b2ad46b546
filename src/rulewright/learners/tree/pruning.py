"""Pruning of a grown tree: by errors, by cost and complexity, or by bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import LEAF, Pruned, prune_pessimistic, prune_reduced_error
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.pruning_paths import CostComplexityPath, cost_complexity_path
from rulewright.learners.tree.tree_builder import Cutting

CONTROL_SHARE = 1 / 3
"""Share of the examples that reduced-error pruning sets aside (S4: 2 to 1)."""


def unpruned(grown_tree: GrownTree) -> Cutting:
    """Leave a tree as it is."""
    tree = grown_tree.grown.tree
    return Cutting.to(tree, grown_tree.classes, tree.kind == LEAF)


def pruned_by_cost(grown_tree: GrownTree, alpha: float) -> Cutting:
    """Cut off subtrees that save less than ``alpha`` a leaf (Breiman et al. 1984, chapter 3).

    The same subtree as scikit-learn's ``ccp_alpha``.
    """
    if alpha == 0.0:
        return unpruned(grown_tree)
    return Cutting.to(
        grown_tree.grown.tree, grown_tree.classes, cost_path(grown_tree).removed_at <= alpha
    )


def cost_path(grown_tree: GrownTree) -> CostComplexityPath:
    """Prices at which subtrees are removed, and the price at which each split becomes a leaf."""
    total = grown_tree.training_columns.weight.sum()
    return cost_complexity_path(grown_tree.grown.tree, grown_tree.grown.impurity / total)


def pruned_pessimistically(grown_tree: GrownTree, confidence: float, *, raising: bool) -> Cutting:
    """Cut off subtrees that are no better at the upper confidence limit of their errors (C4.5)."""
    training_columns = grown_tree.training_columns
    return _cutting(
        prune_pessimistic(
            grown_tree.grown.tree,
            training_columns.numeric,
            training_columns.codes,
            training_columns.answers,
            training_columns.weight,
            confidence=confidence,
            raising=raising,
        )
    )


def pruned_by_control(
    grown_tree: GrownTree,
    answers: NDArray[np.int32],
    weight: NDArray[np.float64],
    rows: NDArray[np.intp],
    *,
    raising: bool,
) -> Cutting:
    """Keep each split, or replace it by a branch or a leaf: fewest errors on ``rows`` (S4)."""
    control = grown_tree.tree_columns.training_columns(
        answers, weight, grown_tree.training_columns.classes, {}, rows
    )
    return _cutting(
        prune_reduced_error(
            grown_tree.grown.tree,
            control.numeric,
            control.codes,
            control.answers,
            control.weight,
            raising=raising,
        )
    )


def _cutting(pruned: Pruned) -> Cutting:
    return Cutting(pruned.instead, pruned.leaf)


def control_rows(rows: int, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Examples to grow from and examples set aside, drawn at random, both in increasing order."""
    order = np.random.default_rng(seed).permutation(rows)
    control = max(int(rows * CONTROL_SHARE), 1)
    return np.sort(order[control:]), np.sort(order[:control])
