"""Boosting: rules that vote, each learnt from the errors of the rules before it.

W. Cohen and Y. Singer (1999), A Simple, Fast, and Effective Rule Learner: a rule has the weight
``ln((W+ + 1/2m) / (W- + 1/2m)) / 2``, W+ and W- being the weights of the examples of its class and
of the others that it covers, and it changes the weights of the examples that it covers. For any
number of classes every example has a weight for each class that it is, or is not, of (Schapire and
Singer 1999, Improved Boosting Algorithms Using Confidence-rated Predictions, section 6): of two
classes each has its own rules too, as in Vorontsov and Ivahnenko's weighted voting (2011). Of the
best rules of all classes the one is taken that lowers the sum of all weights most.

A rule that the user wrote votes with the smallest weight where the examples are against it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.families import Rated
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.progress import report
from rulewright.learners.base.rule_weights import MIN_WEIGHT, add_weighted_rule, rule_weight_of
from rulewright.learners.base.sample import Sample
from rulewright.learners.conjunctive.rule_search import Counting, RuleSearch, Scales
from rulewright.rules import Rule, RuleVote, WeightedRule

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Boosting:
    """How a vote is made: the rules to begin with, and when to stop."""

    sample: Sample
    worth: Floats
    rule_search: RuleSearch
    max_rules: float
    abstains: bool
    first: Sequence[Rule] = ()
    deadline: Deadline = field(default_factory=lambda: Deadline(None))

    def votes(self) -> Iterator[tuple[RuleVote, float]]:
        """Votes of all sizes, each with the score of its last rule; the one without rules first."""
        weight = _Weights(self.sample, self.worth)
        voters: list[WeightedRule] = []
        for rule in self.first:
            fires = rule.condition.holds(self.sample.table)
            self._add(voters, rule, fires, weight, least=MIN_WEIGHT)
        yield self._vote(voters, weight.silent), 0.0
        learnt = 0
        everywhere = np.ones(self.sample.y.size, np.bool_)
        used = self.rule_search.column_use(self.first, self.sample.table)
        while learnt < self.max_rules and not self.deadline.over:
            sample = self.sample
            found = self.rule_search.best(
                everywhere, sample.y, weight.counting, weight.lowering, sample.table, used
            )
            if found is None or not self._add(voters, found.rule, found.fires, weight):
                return
            learnt += 1
            if used is not None:
                used.add(self.rule_search.search.terms.columns_of(found.rated.terms))
            report("vote, rules", learnt, int(min(self.max_rules, 10**6)))
            yield self._vote(voters, weight.silent), found.rated.score

    def deciding(self) -> Iterator[tuple[RuleVote, float]]:
        """Votes of all sizes; without rules if all rules vote for the default answer.

        Votes that begin with the user's own rules stay as they are.
        """
        known: set[RuleVote] = set()
        for body, score in self.votes():
            if self.first or not body.voters or len(set(body.outputs)) > 1:
                yield body, score
            elif (constant := RuleVote((), body.default)) not in known:
                known.add(constant)
                yield constant, score

    @staticmethod
    def _add(
        voters: list[WeightedRule], rule: Rule, fires: Mask, weight: _Weights, least: float = 0.0
    ) -> bool:
        """Add a rule with its weight, or raise the weight of an equal rule; False if it is 0."""
        rule_weight = max(weight.rule_weight(fires, rule.output), least)
        if rule_weight <= 0:
            return False
        weight.update(fires, rule.output, rule_weight)
        add_weighted_rule(voters, rule, rule_weight)
        return True

    def _vote(self, voters: Sequence[WeightedRule], silent: Mask) -> RuleVote:
        """Make a vote whose default is the majority where no rule votes."""
        majority = self.sample.majority(self.worth, silent)
        return RuleVote(tuple(voters), None if self.abstains else majority)


class _Weights:
    """Boosting weights of each example for each class."""

    def __init__(self, sample: Sample, worth: Floats) -> None:
        self.own = sample.y[np.newaxis, :] == np.arange(len(sample.classes))[:, np.newaxis]
        self.factor = np.ones(self.own.shape)
        self.scales = Scales.of(worth)
        self.smallest = 1 / (2 * sample.weight.sum())
        self.silent = np.ones(sample.y.size, np.bool_)

    def counting(self, output: int) -> Counting:
        """Weights of the examples for a class, with the sum that they had at first."""
        return self.scales.counting(self.factor[output])

    def lowering(self, rated: Rated, output: int) -> tuple[float, ...]:
        """Value that grows with how much a rule lowers the sum of the weights of all classes.

        The sum of its own class falls by ``(sqrt(W+) - sqrt(W-)) ** 2``.
        """
        left = float((self.factor[output] * self.scales.whole).sum())
        return (math.sqrt(left) * (math.sqrt(rated.p) - math.sqrt(rated.n)), rated.p)

    def rule_weight(self, fires: Mask, output: int) -> float:
        """Weight of a rule, in sixteenths."""
        weight = self.counting(output).weight
        assert weight is not None  # there are factors
        right = weight[fires & self.own[output]].sum() / weight.sum()
        wrong = weight[fires & ~self.own[output]].sum() / weight.sum()
        return rule_weight_of(right, wrong, self.smallest)

    def update(self, fires: Mask, output: int, rule_weight: float) -> None:
        """Lower the weights of the examples that a rule got right, and raise those it got wrong."""
        self.silent &= ~fires
        self.factor[output, fires] *= np.exp(
            np.where(self.own[output, fires], -rule_weight, rule_weight)
        )
