"""What SLIPPER can be told, as users write it, and the search that follows.

Without scikit-learn, which the command line does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulewright.families import Training, as_families
from rulewright.families.rule_grower import RuleGrower, tightest
from rulewright.families.terms import Terms
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.parameters import (
    read_class_costs,
    read_delta,
    read_number,
    read_seed,
    read_switch,
)
from rulewright.learners.base.rule_weights import add_weighted_rule
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.subsampling import Subsampler
from rulewright.learners.slipper.cross_validation import CrossValidation
from rulewright.learners.slipper.held_out_scores import BoostedClasses, HeldOutScores
from rulewright.learners.slipper.search import OneVsRestProblem, WeightedTerms
from rulewright.models import PathEntry
from rulewright.models.model import Label
from rulewright.rules import AllOf, Rule, RuleVote, WeightedRule

FAMILIES = ("thresholds", "categories")


@dataclass(frozen=True)
class SlipperSettings:
    """The parameters; see ``SlipperClassifier``."""

    max_rounds: int = 100
    rounds: int | None = None
    folds: int = 5
    prune: bool = True
    class_costs: Any = None
    time_budget: float | None = None
    delta: float = 0.05
    random_state: Any = None
    threads: int = 1

    def learnt(self, sample: Sample) -> tuple[PathEntry, dict[Label, int]]:
        """Boost, and certify the vote; also say how many rounds there were for each class."""
        deadline = Deadline(self.time_budget)
        families = as_families(list(FAMILIES))
        certifier = Certifier(sample, families, read_delta(self.delta), combinations=("all",))
        terms = Terms(families, Training(sample.searched(), sample.y, sample.rows))
        subsampler = Subsampler(sample, read_seed(self.random_state))
        grower = RuleGrower(terms, subsampler.rows)
        costs = read_class_costs(self.class_costs, sample.classes)
        worth = sample.priced(costs)
        boosted_classes = BoostedClasses.of(
            np.bincount(sample.y, worth, len(sample.classes)).astype(np.float64)
        )
        y, worth = sample.y[subsampler.rows], subsampler.each(worth)
        prune = read_switch(self.prune, "prune")
        problems = [
            OneVsRestProblem(grower, y == own, worth, prune) for own in boosted_classes.boosted
        ]
        found = self._cross_validation(deadline).rules(
            problems, subsampler, HeldOutScores(boosted_classes, y, worth)
        )
        body = vote_of(boosted_classes, grower, found)
        deadline.warn(f"the model has the {len(body.voters)} rules that were found by then.")
        rounds = {
            sample.classes[own]: len(some)
            for own, some in zip(boosted_classes.boosted, found, strict=True)
        }
        constant = RuleVote((), boosted_classes.default)
        return certifier.better(body, constant, costs, len(body.voters)), rounds

    def _cross_validation(self, deadline: Deadline) -> CrossValidation:
        if self.rounds is not None:
            return CrossValidation(read_number(self.rounds, "rounds", 1), 0, self.threads, deadline)
        most = read_number(self.max_rounds, "max_rounds", 1)
        return CrossValidation(most, read_number(self.folds, "folds", 2), self.threads, deadline)


def vote_of(
    boosted_classes: BoostedClasses, grower: RuleGrower, found: Sequence[Sequence[WeightedTerms]]
) -> RuleVote:
    """Let the rules of all classes vote, equal ones as one, and the default rules after them.

    A default that speaks against a class speaks for the other of two; of several classes all are
    raised by as much as the lowest lies below zero, which changes no answer.
    """
    voters: list[WeightedRule] = []
    constant = np.zeros(len(boosted_classes.boosted))
    for number, (own, some) in enumerate(zip(boosted_classes.boosted, found, strict=True)):
        for weighted in some:
            if not weighted.terms:
                constant[number] += weighted.rule_weight
            elif weighted.rule_weight:
                condition = grower.condition(sorted(tightest(weighted.terms)))
                add_weighted_rule(voters, Rule(condition, own), weighted.rule_weight)
    if len(boosted_classes.boosted) == 1:
        defaults = [
            (boosted_classes.boosted[0], constant[0]),
            (boosted_classes.default, -constant[0]),
        ]
    else:
        defaults = list(zip(boosted_classes.boosted, constant - constant.min(), strict=True))
    always = [
        WeightedRule(AllOf(), own, float(rule_weight))
        for own, rule_weight in defaults
        if rule_weight > 0
    ]
    return RuleVote((*voters, *always), boosted_classes.default)
