"""From a setup to trees with certificates: grow, prune, certify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry
from rulewright.learners.base.baseline import Costs, admissible
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.sample import Sample
from rulewright.learners.tree.anchoring import anchored_by_content
from rulewright.learners.tree.certified_sizes import Subtrees, certified_sizes
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.pruning import (
    control_rows,
    pruned_by_control,
    pruned_by_cost,
    pruned_pessimistically,
    unpruned,
)
from rulewright.learners.tree.tree_builder import Cutting
from rulewright.learners.tree.tree_setup import TreeSetup
from rulewright.rules import Leaf, Tree


@dataclass(frozen=True)
class Pruning:
    """Name of a pruning method, and its settings."""

    way: str
    alpha: float = 0.0
    confidence: float = 0.25
    raising: bool = True
    seed: int = 0


def tree_path(
    sample: Sample,
    setup: TreeSetup,
    weight: NDArray[np.float64],
    pruning: Pruning,
    delta: float,
    worth: Callable[[PathEntry], float],
    deadline: Deadline,
    settings: int = 1,
    costs: Costs = None,
) -> list[PathEntry]:
    """Grow a tree, prune it and certify the result; pruning by bound certifies trees of all sizes.

    ``weight`` is the value of each example, and ``worth`` that of a certificate. A leaf replaces a
    tree that loses more at ``costs`` than a constant answer: one whose answers come from some of
    the examples, or that sends missing values down all branches. Pruning by bound grows the tree in
    half of the time, and certifies sizes in the other.
    """
    constant = Tree((Leaf(sample.majority(weight)),))
    certifier = Certifier(sample, setup.families, delta, settings * setup.settings)
    if pruning.way == "bound":
        grown_tree = grow(sample, setup, weight, deadline=deadline.half())
        return certified_sizes(grown_tree, certifier, worth, deadline)
    if pruning.way != "reduced-error":
        grown_tree = grow(sample, setup, weight, deadline=deadline)
        tree = grown_tree.tree(cutting_of(grown_tree, pruning, setup))
        return [certifier.better(anchored_by_content(tree, sample), constant, costs)]
    growing, control = control_rows(sample.y.size, pruning.seed)
    grown_tree = grow(sample, setup, weight, growing, deadline)
    raising = _raises(pruning, setup)
    cutting = pruned_by_control(grown_tree, sample.y, weight, control, raising=raising)
    return [certifier.better(grown_tree.tree(cutting), constant, costs)]


def candidate_trees(
    sample: Sample, setup: TreeSetup, weight: NDArray[np.float64], pruning: Pruning
) -> list[Tree]:
    """The tree that its pruning chooses, and the best subtrees of the grown tree by size."""
    return trees_within(grow(sample, setup, weight), setup, pruning)


def trees_within(grown_tree: GrownTree, setup: TreeSetup, pruning: Pruning) -> list[Tree]:
    """The tree that its pruning chooses, and the best subtrees of a grown tree by size."""
    found = Subtrees(grown_tree).some()
    if pruning.way in ("bound", "reduced-error"):
        return found
    return [grown_tree.tree(cutting_of(grown_tree, pruning, setup)), *found]


def best_tree(path: Sequence[PathEntry], worth: Callable[[PathEntry], float], costs: Costs) -> int:
    """Place of the best certificate, then of the smallest tree, on a path.

    Trees that lose more on the training rows than a constant answer are left out.
    """
    return min(admissible(path, costs), key=lambda place: worth(path[place]))


def grow(
    sample: Sample,
    setup: TreeSetup,
    weight: NDArray[np.float64],
    rows: NDArray[np.intp] | None = None,
    deadline: Deadline | None = None,
) -> GrownTree:
    """Grow a tree from all examples, or from some."""
    classes = len(sample.classes)
    return GrownTree.of(setup.tree_columns, setup.plan, sample.y, weight, classes, rows, deadline)


def cutting_of(grown_tree: GrownTree, pruning: Pruning, setup: TreeSetup) -> Cutting:
    """What a method of pruning does with each node of a grown tree."""
    match pruning.way:
        case "pessimistic":
            raising = _raises(pruning, setup)
            return pruned_pessimistically(grown_tree, pruning.confidence, raising=raising)
        case "cost-complexity":
            return pruned_by_cost(grown_tree, pruning.alpha)
        case _:
            return unpruned(grown_tree)


def _raises(pruning: Pruning, setup: TreeSetup) -> bool:
    """Whether branches may be raised: a monotone tree might not stay monotone."""
    return pruning.raising and not setup.plan.directions
