"""A tree as it is grown, and what can be made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import Grown, Habits, Soil, grow_tree
from rulewright.learners.tree.building import Cutting, Maker
from rulewright.learners.tree.ground import Ground
from rulewright.rules import Tree

Floats = NDArray[np.float64]
Scoring = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False)
class Plan:
    """All that decides how a tree grows, besides the examples."""

    habits: Habits
    directions: dict[str, int]
    scoring: Scoring | None = None
    threads: int = 1


@dataclass(frozen=True, eq=False)
class Plant:
    """A grown tree, the examples that it was grown from, and where they come from.

    ``rows`` are these among all examples; None for all.
    """

    ground: Ground
    soil: Soil
    grown: Grown
    rows: NDArray[np.intp] | None = None

    @classmethod
    def of(
        cls,
        ground: Ground,
        plan: Plan,
        answers: NDArray[Any],
        weight: Floats,
        classes: int,
        rows: NDArray[np.intp] | None = None,
    ) -> Plant:
        """Grow a tree."""
        soil = ground.soil(answers, weight, classes, plan.directions, rows)
        grown = grow_tree(soil, plan.habits, scoring=plan.scoring, threads=plan.threads)
        return cls(ground, soil, grown, rows)

    @cached_property
    def classes(self) -> NDArray[np.int32]:
        """The class of the most weight at each node, the lower on ties."""
        likeliest: NDArray[np.int32] = self.grown.tree.weight.argmax(axis=1).astype(np.int32)
        return likeliest

    @cached_property
    def _maker(self) -> Maker:
        return Maker(self.grown.tree, self.ground, self.rows)

    def tree(self, cutting: Cutting) -> Tree:
        """Make the tree that is left."""
        return self._maker.tree(cutting)
