"""A grown tree, before and after pruning."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import (
    ColumnLimits,
    GrowthOptions,
    GrowthResult,
    TrainingColumns,
    grow_tree,
)
from rulewright.learners.base.column_constraints import ColumnConstraints
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.tree.tree_builder import Cutting, Maker
from rulewright.learners.tree.tree_columns import TreeColumns
from rulewright.rules import Tree

Floats = NDArray[np.float64]
Scoring = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything but the examples that determines how a tree grows."""

    options: GrowthOptions
    directions: dict[str, int]
    scoring: Scoring | None = None
    threads: int = 1
    constraints: ColumnConstraints | None = None
    min_fraction: float = 0.0

    def options_for(self, weight: float) -> GrowthOptions:
        """Options for examples of this weight, a share of which every branch has."""
        min_leaf = max(self.options.min_leaf, self.min_fraction * weight)
        return replace(self.options, min_leaf=min_leaf)


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A grown tree, and the examples that it was grown from.

    ``rows`` are their places among all examples; None for all.
    """

    tree_columns: TreeColumns
    training_columns: TrainingColumns
    grown: GrowthResult
    rows: NDArray[np.intp] | None = None

    @classmethod
    def of(
        cls,
        tree_columns: TreeColumns,
        plan: Plan,
        answers: NDArray[Any],
        weight: Floats,
        classes: int,
        rows: NDArray[np.intp] | None = None,
        deadline: Deadline | None = None,
        used: Collection[str] = (),
    ) -> GrownTree:
        """Grow a tree, until a deadline if there is one.

        ``used`` are columns that are in use already, where their number is limited.
        """
        deadline = deadline or Deadline(None)
        training_columns = tree_columns.training_columns(
            answers, weight, classes, plan.directions, rows
        )
        grown = grow_tree(
            training_columns,
            plan.options_for(float(training_columns.weight.sum())),
            scoring=plan.scoring,
            threads=plan.threads,
            seconds=deadline.left,
            limits=_limits(tree_columns, plan.constraints, used),
        )
        deadline.missed = deadline.missed or grown.stopped
        return cls(tree_columns, training_columns, grown, rows)

    @cached_property
    def classes(self) -> NDArray[np.int32]:
        """Class of the largest weight at each node, the lower on ties."""
        likeliest: NDArray[np.int32] = self.grown.tree.weight.argmax(axis=1).astype(np.int32)
        return likeliest

    @cached_property
    def _maker(self) -> Maker:
        return Maker(self.grown.tree, self.tree_columns, self.rows)

    def tree(self, cutting: Cutting) -> Tree:
        """Tree that is left after pruning."""
        return self._maker.tree(cutting)


def _limits(
    tree_columns: TreeColumns, constraints: ColumnConstraints | None, used: Collection[str]
) -> ColumnLimits:
    """Constraints on the columns of the kernel."""
    if constraints is None or constraints.is_free:
        return ColumnLimits()
    names = [tree_columns.name(number) for number in range(tree_columns.count)]
    return constraints.limits(names, used)
