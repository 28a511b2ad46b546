"""Searches with a proof of optimality, on rows that are codes of values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core

Integers = NDArray[np.int32]
Weights = NDArray[np.int64]

HOLDS_ON_VALUES, HOLDS_ON_VALUES_OR_MISSING, HOLDS_ON_MISSING = range(3)
MAX_CODED_VALUES = 4096
MAX_OPTIMAL_DEPTH, MAX_OPTIMAL_LEAVES = 8, 64
MAX_OPTIMAL_RULES, MAX_OPTIMAL_TERMS = 8, 3
MAX_LIST_TESTS = 2048
MAX_IMPURITY_LOSS = 2**51
"""Upper limit of losses with impurity, times the total weight, for which arithmetic is exact."""

RuleLiterals = tuple[int, ...]
"""Literals of a rule: twice the number of a test, plus one for the side where it does not hold."""


class CodedTest(NamedTuple):
    """A test of one column, by the values on which it holds.

    ``kind`` is HOLDS_ON_VALUES, HOLDS_ON_VALUES_OR_MISSING or HOLDS_ON_MISSING. The values are
    those up to ``base`` in an ordered column, and only ``base`` in another.
    """

    column: int
    base: int
    kind: int


@dataclass(frozen=True)
class SearchLimits:
    """Limits of an optimal search.

    ``max_memory`` are bytes of solved subproblems; when they are used up, no more are kept and the
    search takes longer. After ``max_subproblems`` or ``seconds`` it stops, and its bounds are
    valid.
    """

    max_subproblems: float = math.inf
    max_memory: int = 2**29
    seconds: float = math.inf

    @property
    def arguments(self) -> tuple[int, int, float]:
        """Limits as the kernel takes them: subproblems, bytes, seconds."""
        most = 2**63 if math.isinf(self.max_subproblems) else int(self.max_subproblems)
        return most, self.max_memory, self.seconds


class LeafLoss(NamedTuple):
    """Loss of a leaf: the weight of its errors, and the Gini impurity times its weight.

    A leaf with the weights n_1, n_2, ... of its classes and N in all has the loss ``error * (N -
    max n_k) + floor(impurity * sum n_k (N - n_k) / N)``. Without impurity, ``error`` is 1.
    """

    error: int = 1
    impurity: int = 0

    @classmethod
    def of(cls, ratio: Fraction, total: int) -> LeafLoss | None:
        """Return the loss with a ratio of impurity to errors, as fine as the total weight allows.

        It is None where the total weight allows none.

        Examples
        --------
        >>> loss = LeafLoss.of(Fraction(1, 2), 1000)
        >>> loss.impurity / loss.error, loss.error > 1e6
        (0.5, True)
        """
        if not ratio:
            return cls()
        p, q = ratio.numerator, ratio.denominator
        scale = MAX_IMPURITY_LOSS // (total * max(p * total, q))
        return cls(q * scale, p * scale) if scale else None


class OptimalTrees(NamedTuple):
    """The best trees found with at most 1, 2, ... leaves.

    A tree is its nodes in preorder: the number of a test, then the branch where it holds, then the
    other; -1 is a leaf. ``lower`` are lower bounds on the losses, equal to ``losses`` where a tree
    is proven optimal. ``stopped`` tells that a limit was reached.
    """

    losses: Weights
    lower: Weights
    trees: list[list[int]]
    subproblems: int
    memory: int
    stopped: bool


class RootChoices(NamedTuple):
    """The best trees for different tests of the root, the lowest loss first."""

    losses: Weights
    trees: list[list[int]]
    stopped: bool


class OptimalLists(NamedTuple):
    """The best lists found with at most 0, 1, 2, ... rules, as ``OptimalTrees`` has trees."""

    errors: Weights
    lower: Weights
    lists: list[list[RuleLiterals]]
    subproblems: int
    memory: int
    stopped: bool


class FirstRules(NamedTuple):
    """The best lists for different first rules, the fewest errors first."""

    errors: Weights
    lists: list[list[RuleLiterals]]
    stopped: bool


class CodedCells:
    """Rows as codes of values, and all tests of single columns, prepared for optimal searches.

    Parameters
    ----------
    codes : sequence of int32 arrays of equal length
        Number of the value of each row; -1 where missing.
    values : sequence of int
        Number of values of each column. The last value of a column is no base of a test: in a
        column without order it stands for all values that have no test.
    ordered : sequence of bool
    label : int32 array
        Class number of each row.
    weight : int64 array
        Weights of 0 or more; rows of weight 0 are absent.
    classes : int

    Examples
    --------
    >>> code, label = np.array([0, 1, 1, 2], np.int32), np.array([0, 1, 1, 0], np.int32)
    >>> cells = CodedCells([code], [3], [True], label, np.ones(4, np.int64), 2)
    >>> found = cells.optimal_trees(2, 4, SearchLimits())
    >>> found.losses.tolist(), found.trees[2]
    ([2, 1, 0, 0], [0, -1, 1, -1, -1])
    """

    def __init__(
        self,
        codes: Sequence[Integers],
        values: Sequence[int],
        ordered: Sequence[bool],
        label: Integers,
        weight: Weights,
        classes: int,
    ) -> None:
        self._cells = _core.CodedCells(
            np.array(codes, np.int32, order="C").reshape(len(codes), label.size),
            np.array(values, np.int32),
            np.array(ordered, np.uint8),
            np.ascontiguousarray(label, np.int32),
            np.ascontiguousarray(weight, np.int64),
            classes,
        )

    @cached_property
    def tests(self) -> list[CodedTest]:
        """All tests by number."""
        columns, bases, kinds = (part.tolist() for part in self._cells.tests())
        return [CodedTest(*test) for test in zip(columns, bases, kinds, strict=True)]

    def optimal_trees(
        self,
        max_depth: int,
        max_leaves: int,
        limits: SearchLimits,
        loss: LeafLoss = LeafLoss(),  # noqa: B008
        by_impurity: bool = True,
        threads: int = 1,
    ) -> OptimalTrees:
        """Find the trees with the lowest loss for all numbers of leaves.

        A smaller tree is preferred among equals, and then with ``by_impurity`` the one whose leaves
        have the lowest Gini impurity; of trees of more than two levels this is true of the last two
        levels. Then come tests of a low number, near the root first, unless they were found later.
        The result does not depend on the number of threads.
        """
        losses, lower, nodes, start, subproblems, memory, stopped = self._cells.optimal_trees(
            max_depth, max_leaves, *limits.arguments, *loss, by_impurity, threads
        )
        return OptimalTrees(losses, lower, _parts(nodes, start), subproblems, memory, stopped)

    def root_choices(
        self,
        max_loss: int,
        max_depth: int,
        max_leaves: int,
        limits: SearchLimits,
        loss: LeafLoss = LeafLoss(),  # noqa: B008
        by_impurity: bool = True,
        threads: int = 1,
    ) -> RootChoices:
        """Find all tests of the root for which a tree has at most the loss ``max_loss``."""
        losses, nodes, start, stopped = self._cells.root_choices(
            max_loss, max_depth, max_leaves, *limits.arguments, *loss, by_impurity, threads
        )
        return RootChoices(losses, _parts(nodes, start), stopped)

    def optimal_lists(self, max_rules: int, max_terms: int, limits: SearchLimits) -> OptimalLists:
        """Find the lists with the fewest errors for all numbers of rules."""
        errors, lower, literals, start, subproblems, memory, stopped = self._cells.optimal_lists(
            max_rules, max_terms, *limits.arguments
        )
        return OptimalLists(errors, lower, _rules(literals, start), subproblems, memory, stopped)

    def first_rules(
        self, max_errors: int, max_rules: int, max_terms: int, limits: SearchLimits
    ) -> FirstRules:
        """Find all first rules for which a list has at most ``max_errors`` errors.

        Of rules that cover the same rows one is found.
        """
        errors, literals, start, stopped = self._cells.first_rules(
            max_errors, max_rules, max_terms, *limits.arguments
        )
        return FirstRules(errors, _rules(literals, start), stopped)


def _rules(literals: Integers, start: Integers) -> list[list[RuleLiterals]]:
    of_rules = literals.reshape(-1, MAX_OPTIMAL_TERMS).tolist()
    rules = [tuple(literal for literal in rule if literal >= 0) for rule in of_rules]
    ends = (start // MAX_OPTIMAL_TERMS).tolist()
    return [rules[first:last] for first, last in pairwise(ends)]


def _parts(nodes: Integers, start: Integers) -> list[list[int]]:
    return [part.tolist() for part in np.split(nodes, start[1:-1])] if start.size > 1 else []
