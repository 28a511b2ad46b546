"""What is cut off a tree after it is grown: by its examples' errors, by its price, by its bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import Pruned, prune_pessimistic, prune_reduced_error
from rulewright.kernels.tree_arrays import LEAF
from rulewright.learners.tree.building import Cutting
from rulewright.learners.tree.growing import Plant
from rulewright.learners.tree.pruning_paths import CostComplexityPath, cost_complexity_path

CONTROL_SHARE = 1 / 3
"""Share of the examples that reduced-error pruning keeps for control (S4: 2 to 1)."""


def unpruned(plant: Plant) -> Cutting:
    """Leave a tree as it is."""
    tree = plant.grown.tree
    return Cutting.to(tree, plant.classes, tree.kind == LEAF)


def pruned_by_cost(plant: Plant, alpha: float) -> Cutting:
    """Cut off what saves less than ``alpha`` of impurity a leaf (Breiman et al. 1984, chapter 3).

    The same subtree as scikit-learn's ``ccp_alpha``.
    """
    if alpha == 0.0:
        return unpruned(plant)
    return Cutting.to(plant.grown.tree, plant.classes, cost_path(plant).removed_at <= alpha)


def cost_path(plant: Plant) -> CostComplexityPath:
    """Find the prices at which subtrees go, and the price at which each split becomes a leaf."""
    total = plant.soil.weight.sum()
    return cost_complexity_path(plant.grown.tree, plant.grown.impurity / total)


def pruned_pessimistically(plant: Plant, confidence: float, *, raising: bool) -> Cutting:
    """Cut off what looks no better at the upper end of its errors' confidence interval (C4.5)."""
    soil = plant.soil
    return _cutting(
        prune_pessimistic(
            plant.grown.tree,
            soil.numeric,
            soil.codes,
            soil.answers,
            soil.weight,
            confidence=confidence,
            raising=raising,
        )
    )


def pruned_by_control(
    plant: Plant,
    answers: NDArray[np.int32],
    weight: NDArray[np.float64],
    rows: NDArray[np.intp],
    *,
    raising: bool,
) -> Cutting:
    """Leave each split, replace it by a branch or by a leaf: what errs least on ``rows`` (S4)."""
    control = plant.ground.soil(answers, weight, plant.soil.classes, {}, rows)
    return _cutting(
        prune_reduced_error(
            plant.grown.tree,
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
    """Draw the examples to grow from, and those for control, both in increasing order."""
    order = np.random.default_rng(seed).permutation(rows)
    control = max(int(rows * CONTROL_SHARE), 1)
    return np.sort(order[control:]), np.sort(order[:control])
