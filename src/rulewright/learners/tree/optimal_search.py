"""Trees with a proof that no other tree of their size has fewer errors on the training rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rulewright.kernels import OptimalTrees, RootChoices
from rulewright.learners.base.binned_columns import (
    BinnedColumn,
    binned_categories,
    binned_numbers,
    filled_categories,
    filled_numbers,
    missing_marks,
)
from rulewright.learners.base.optimality import OptimalSearch
from rulewright.learners.tree.optimal_tree_builder import OptimalTreeBuilder
from rulewright.learners.tree.tree_setup import TreeSetup
from rulewright.rules import Tree


@dataclass(frozen=True, eq=False)
class OptimalTreeSearch(OptimalSearch):
    """Search for the trees with the fewest errors for each number of leaves.

    Attributes
    ----------
    setup : TreeSetup
        Its columns, whose tests compare with single values or ask for single categories.
    max_depth, max_leaves : int
    by_impurity : bool
        Of trees with equally few errors take that of the lowest impurity, else the first.
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
    with_median: bool = False
    missing_tests: bool = True

    @cached_property
    def found(self) -> OptimalTrees:
        """Best trees of all sizes, with lower bounds."""
        return self.cells.optimal_trees(
            self.max_depth, self.max_leaves, self.limits, self.by_impurity
        )

    @cached_property
    def sizes(self) -> list[int]:
        """Numbers of leaves with fewer errors than all smaller ones."""
        errors = self.found.errors
        return [1, *(np.flatnonzero(errors[1:] < errors[:-1]) + 2).tolist()]

    def trees(self) -> list[Tree]:
        """Best tree of each of the sizes."""
        return [self._builder.tree(self.found.trees[size - 1]) for size in self.sizes]

    def errors(self, size: int) -> int:
        """Errors of the best tree of a size."""
        return int(self.found.errors[size - 1])

    def objective(self, size: int, price: Fraction) -> Fraction:
        """Share of the value that the best tree of a size loses, plus the prices of its leaves."""
        return Fraction(self.errors(size), self.total) + price * size

    def lower_bound(self, price: Fraction) -> Fraction:
        """Lower bound on the objective of all trees."""
        bounds = enumerate(self.found.lower.tolist(), start=1)
        return min(Fraction(errors, self.total) + price * size for size, errors in bounds)

    def best_size(self, price: Fraction) -> int:
        """Size of the lowest objective, the smallest on ties."""
        return min(self.sizes, key=lambda size: self.objective(size, price))

    def roots(self, size: int, max_excess: Fraction) -> RootChoices:
        """Best trees of at most this size for all first tests within an excess."""
        most = self.within(self.errors(size), max_excess)
        return self.cells.root_choices(most, self.max_depth, size, self.limits, self.by_impurity)

    def trees_of(self, choices: RootChoices, known: Tree) -> Iterator[Tree]:
        """Yield the trees of other first tests than that of a tree."""
        for nodes in choices.trees:
            tree = self._builder.tree(nodes)
            if tree.nodes[0].children != known.nodes[0].children:
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
        )
