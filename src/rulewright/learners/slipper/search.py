"""One class against the rest: in each round a rule is grown, pruned and weighted.

W. Cohen and Y. Singer (1999), A Simple, Fast, and Effective Rule Learner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.families import RuleGrower, Term, prefixes
from rulewright.learners.base.column_constraints import ColumnUse
from rulewright.learners.base.rule_weights import rule_weight_of
from rulewright.learners.base.subsampling import Subsampler

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]

PARTS = 3
"""Rules are grown from two thirds of the examples and pruned on the third."""


class WeightedTerms(NamedTuple):
    """Result of a round: a conjunction of terms, empty for the default rule, and its weight.

    Only the default rule may vote against the class, with a weight below zero.
    """

    terms: tuple[Term, ...]
    rule_weight: float


@dataclass(frozen=True, eq=False)
class OneVsRestProblem:
    """The examples that rules are grown from, those of the class, and their values.

    ``relations`` are the tests of each column that a rule may have; None for all.
    """

    grower: RuleGrower
    own: Mask
    worth: Floats
    prune: bool = True
    relations: Mask | None = None


class Booster:
    """A run of boosting on some of the examples, given by place in increasing order.

    ``columns`` are those in use, if columns are constrained.

    Attributes
    ----------
    weight : array
        Current weights of all examples, with a sum of 1; those that do not take part have 0.
    """

    def __init__(
        self,
        problem: OneVsRestProblem,
        places: Rows,
        subsampler: Subsampler,
        columns: ColumnUse | None = None,
    ) -> None:
        self._columns = columns
        self._problem, self._places, self._subsampler = problem, places, subsampler
        self._other = ~problem.own[places]
        self._by_class = np.argsort(self._other, kind="stable").astype(np.int32)
        self.weight = np.zeros(problem.worth.size)
        self.weight[places] = problem.worth[places] / problem.worth[places].sum()

    def step(self) -> WeightedTerms:
        """Make a rule, or the default rule if that lowers the weights more."""
        problem, places = self._problem, self._places
        growing, pruning = self._parted()
        terms = problem.grower.grown(
            "boosting",
            places[growing],
            problem.own,
            self.weight,
            min_weight=0.0,
            columns=None if self._columns is None else self._columns.allowed,
            relations=problem.relations,
        )
        depth = problem.grower.depth(terms, places)
        weight = self.weight[places]
        grown, aside = (
            prefixes(depth[part], weight[part], self._other[part], len(terms))
            for part in (growing, pruning)
        )
        pruned = bool(terms) and pruning.size > 0
        size = best_size(grown, aside, 1 / (2 * growing.size)) if pruned else len(terms)
        size, rule_weight = self._stronger(size, grown + aside)
        if rule_weight and self._columns is not None:
            self._columns.add(term.column for term in terms[:size])
        if rule_weight:
            factor = np.where(self._other, np.exp(rule_weight), np.exp(-rule_weight))
            np.multiply(weight, factor, out=weight, where=depth >= size)
            self.weight[places] = weight / weight.sum()
        return WeightedTerms(terms[:size], rule_weight)

    def _stronger(self, size: int, covered: Floats) -> tuple[int, float]:
        """Number of terms, ``size`` or none, whichever lowers the weights more, and the weight."""
        smallest = 1 / (2 * self._places.size)
        right, wrong = covered[size].tolist()
        own, others = covered[0].tolist()
        rule_weight = rule_weight_of(right, wrong, smallest)
        if rule_weight > 0 and lowering(right, wrong) >= lowering(own, others):
            return size, rule_weight
        return 0, rule_weight_of(own, others, smallest)

    def _parted(self) -> tuple[Rows, Rows]:
        """Examples to grow from and examples to prune on, drawn at random class by class."""
        if not self._problem.prune:
            return np.sort(self._by_class), self._by_class[:0]
        growing, pruning = self._subsampler.parted(self._by_class, PARTS)
        return np.sort(growing), np.sort(pruning)


def lowering(right: float, wrong: float) -> float:
    """Amount by which a rule lowers the sum of all weights.

    It is ``1 - Z = (sqrt(W+) - sqrt(W-)) ** 2``, W+ and W- being what it covers.
    """
    return (math.sqrt(right) - math.sqrt(wrong)) ** 2


def best_size(grown: Floats, aside: Floats, smallest: float) -> int:
    """Number of terms that a rule keeps: the one of least loss on the examples set aside.

    The rows of ``grown`` and ``aside`` are what its first 0, 1, ... terms cover, of the class and
    of the others, among the examples it was grown from and those set aside. The weight C of each is
    from the former, the loss ``(1 - V+ - V-) + V+ exp(-C) + V- exp(C)`` from the latter. At least
    one term is kept, and the weight must be above 0; the result is 0 if there is no such rule.
    """
    right, wrong = (grown / grown[0].sum() + smallest).T
    rule_weight = np.log(right / wrong) / 2
    loss = aside[:, 0] * np.expm1(-rule_weight) + aside[:, 1] * np.expm1(rule_weight)
    allowed = 1 + np.flatnonzero(rule_weight[1:] > 0)
    return int(allowed[np.argmin(loss[allowed])]) if allowed.size else 0
