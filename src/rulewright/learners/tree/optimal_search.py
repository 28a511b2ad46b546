"""Trees with a proof that no other tree of their size is better on the training rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError
from rulewright.kernels import MAX_IMPURITY_LOSS, LeafLoss, OptimalTrees, RootChoices
from rulewright.learners.base.binned_columns import (
    BinnedColumn,
    binned_categories,
    binned_numbers,
    filled_categories,
    filled_numbers,
    missing_marks,
)
from rulewright.learners.base.optimality import OptimalSearch
from rulewright.learners.base.usefulness import MAX_WEIGHT, whole_weights
from rulewright.learners.tree.optimal_tree_builder import OptimalTreeBuilder
from rulewright.learners.tree.tree_setup import TreeSetup
from rulewright.rules import Split, Tree

_FREE = Fraction(0)


@dataclass(frozen=True, eq=False)
class OptimalTreeSearch(OptimalSearch):
    """Search for the trees with the lowest loss for each number of leaves.

    The loss is the weight of the errors, and ``impurity_weight`` times the Gini impurity of the
    leaves, each times its weight. Losses of the kernel are whole numbers, ``loss.error`` of them
    for an error.

    Attributes
    ----------
    setup : TreeSetup
        Its columns, whose tests compare with single values or ask for single categories.
    max_depth, max_leaves : int
    by_impurity : bool
        Of trees of equal loss take that of the lowest impurity, else the first.
    impurity_weight : Fraction
    with_median : bool
        Missing numbers go where the median of their column goes, and missing categories are a
        category; else they go to either side.
    missing_tests : bool
        Test whether a number is missing too; where these go to either side, always.
    """

    setup: TreeSetup
    max_depth: int
    max_leaves: int
    by_impurity: bool
    impurity_weight: Fraction
    with_median: bool = False
    missing_tests: bool = True

    @cached_property
    def weight(self) -> NDArray[np.int64]:
        """Values of the examples as whole numbers, small enough for the loss to be exact."""
        p, q = self.impurity_weight.as_integer_ratio()
        most = min(math.isqrt(MAX_IMPURITY_LOSS // p), MAX_IMPURITY_LOSS // q) if p else MAX_WEIGHT
        return whole_weights(self.worth, most)

    @cached_property
    def loss(self) -> LeafLoss:
        """Loss of a leaf as the kernel computes it."""
        found = LeafLoss.of(self.impurity_weight, self.total)
        if found is None:
            raise InputError(
                f"impurity_weight={float(self.impurity_weight):g} has too many digits for "
                f"{self.sample.y.size:,} rows. Use a whole number."
            )
        return found

    @cached_property
    def found(self) -> OptimalTrees:
        """Best trees of all sizes, with lower bounds."""
        return self.cells.optimal_trees(
            self.max_depth,
            self.max_leaves,
            self.limits,
            self.loss,
            self.by_impurity,
            self.setup.plan.threads,
        )

    @cached_property
    def sizes(self) -> list[int]:
        """Numbers of leaves with a lower loss than all smaller ones."""
        losses = self.found.losses
        return [1, *(np.flatnonzero(losses[1:] < losses[:-1]) + 2).tolist()]

    def tree(self, size: int) -> Tree:
        """Best tree of a size."""
        return self._builder.tree(self.found.trees[size - 1])

    def trees(self) -> dict[int, Tree]:
        """Best trees of the sizes; those that are equal once, at the lowest size."""
        found: dict[int, Tree] = {}
        for size in self.sizes:
            tree = self.tree(size)
            if tree not in found.values():
                found[size] = tree
        return found

    def objective(self, size: int, price: Fraction = _FREE) -> Fraction:
        """Loss of the best tree of a size for each unit of value, plus the prices of leaves."""
        return self._share(int(self.found.losses[size - 1])) + price * size

    def lower_bound(self, size: int, price: Fraction = _FREE) -> Fraction:
        """Lower bound on the objective of all trees of at most a size."""
        losses = self.found.lower[:size].tolist()
        return min(self._share(loss) + price * leaves for leaves, loss in enumerate(losses, 1))

    def best_size(self, price: Fraction) -> int:
        """Size of the lowest objective, the smallest on ties."""
        return min(self.sizes, key=lambda size: self.objective(size, price))

    def _share(self, loss: int) -> Fraction:
        return Fraction(loss, self.total * self.loss.error)

    def roots(self, size: int, max_excess: Fraction) -> RootChoices:
        """Best trees of at most this size for all first tests within an excess."""
        excess = int(max_excess * self.total * self.loss.error)
        most = int(self.found.losses[size - 1]) + excess
        return self.cells.root_choices(
            most,
            self.max_depth,
            size,
            self.limits,
            self.loss,
            self.by_impurity,
            self.setup.plan.threads,
        )

    def trees_of(self, choices: RootChoices, known: Tree) -> Iterator[Tree]:
        """Yield the trees of other first tests than that of a tree."""
        for nodes in choices.trees:
            tree = self._builder.tree(nodes)
            if (
                isinstance(tree.nodes[0], Split)
                and tree.nodes[0].children != known.nodes[0].children
            ):
                yield tree

    def binned_columns(self) -> Sequence[BinnedColumn]:
        columns, weight = self.setup.tree_columns, self.sample.weight
        of_numbers = filled_numbers if self.with_median else binned_numbers
        of_categories = filled_categories if self.with_median else binned_categories
        numeric = [of_numbers(values, weight, self.max_cuts) for values in columns.values]
        categorical = [
            of_categories(column.codes, len(column.categories), weight, self.max_cuts)
            for column in columns.categorical
        ]
        marks = [missing_marks(np.isnan(columns.values[place])) for place in self._filled]
        return [*numeric, *categorical, *marks]

    @cached_property
    def _filled(self) -> list[int]:
        """Numeric columns whose missing values count as the median and have a test besides."""
        marked = self.with_median and self.missing_tests
        values = self.setup.tree_columns.values if marked else ()
        return [
            place for place, known in enumerate(values) if 0 < np.isnan(known).sum() < known.size
        ]

    @cached_property
    def _builder(self) -> OptimalTreeBuilder:
        columns = self.setup.tree_columns
        return OptimalTreeBuilder(
            columns,
            self.columns,
            [*range(columns.count), *self._filled],
            self.cells.tests,
            self.sample,
            self.weight,
            bool(self.impurity_weight),
        )
