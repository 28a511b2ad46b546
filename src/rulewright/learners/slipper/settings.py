"""Settings of SLIPPER."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rulewright.certificates import PoolMember
from rulewright.families import Family, RuleGrower, Terms, Training, as_families, tightest
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.column_constraints import ColumnConstraints
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.missing_tests import MissingTestSettings
from rulewright.learners.base.monotonicity import (
    allowed_terms,
    read_monotonic_cst,
    tested_directions,
)
from rulewright.learners.base.parameters import read_switch, read_whole
from rulewright.learners.base.rule_weights import add_weighted_rule
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import ClassWeightSettings, Path, TimedSettings, option
from rulewright.learners.base.subsampling import Subsampler
from rulewright.learners.slipper.cross_validation import CrossValidation
from rulewright.learners.slipper.held_out_scores import BoostedClasses, HeldOutScores
from rulewright.learners.slipper.search import OneVsRestProblem, WeightedTerms
from rulewright.rules import AllOf, Rule, RuleVote, WeightedRule

FAMILIES = ("thresholds", "categories")
MAX_POOL_ROUNDS = 40
"""Maximum number of rounds of the candidates for a split certificate."""


def _read_rounds(value: object, name: str) -> int | None:
    return None if value is None else read_whole(1)(value, name)


@dataclass(frozen=True, kw_only=True)
class SlipperSettings(MissingTestSettings, ClassWeightSettings, TimedSettings):
    """Settings of SLIPPER."""

    learner: ClassVar[str] = "slipper"
    summary: ClassVar[str] = "SLIPPER: a vote of few rules, grown, pruned and boosted."
    first: ClassVar[str] = "n_rounds"
    absent_parameters: ClassVar[Mapping[str, Any]] = {"missing_tests": False}

    n_rounds: int | None = option(
        None,
        "Number of boosting rounds; chosen by cross-validation by default.",
        "int or None",
        read=_read_rounds,
        parse=int,
        details="Each round adds a rule or raises the weight of the default.",
    )
    max_rounds: int = option(
        100,
        "Maximum number of boosting rounds, where cross-validation chooses.",
        "int",
        read=read_whole(1),
        parse=int,
    )
    n_folds: int = option(
        5, "Number of folds of the cross-validation.", "int", read=read_whole(2), parse=int
    )
    prune: bool = option(
        True,
        "Grow each rule from a random two thirds of the cases, and prune it on the others.",
        "bool",
        read=read_switch,
    )

    def families(self) -> tuple[Family, ...]:
        return self.constrained(as_families(list(FAMILIES)))

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        families, settings = self.tested_families(sample)
        certifier = Certifier(sample, families, self.delta, settings, combinations=("all",))
        costs = self.costs(sample)
        boosting = BoostedSample.of(self, sample)
        found = boosting.rules(self._cross_validation(sample, deadline, threads))
        body = boosting.vote(found)
        deadline.warn(f"the model has the {len(body.voters)} rules that were found by then.")
        boosted_classes = boosting.boosted_classes
        rounds = {
            sample.classes[own]: len(some)
            for own, some in zip(boosted_classes.boosted, found, strict=True)
        }
        constant = RuleVote((), boosted_classes.default)
        entry = certifier.better(body, constant, costs, len(body.voters))
        counts = dict.fromkeys((min(rounds.values()), max(rounds.values())))
        how = f"slipper, {' to '.join(map(str, counts))} rounds"
        return Path([entry], 0, how, costs, attributes={"rounds_": rounds})

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        """Return votes of all numbers of rounds; the check rows choose the number."""
        rounds = self.n_rounds or min(self.max_rounds, MAX_POOL_ROUNDS)
        boosting = BoostedSample.of(self, sample)
        constraints = self._constraints(sample)
        found = boosting.rules(CrossValidation(rounds, 0, threads, Deadline(None), constraints))
        return [
            PoolMember(
                boosting.vote([some[:number] for some in found]), f"slipper, {number} rounds"
            )
            for number in range(1, max(map(len, found)) + 1)
        ]

    def _cross_validation(
        self, sample: Sample, deadline: Deadline, threads: int
    ) -> CrossValidation:
        rounds, folds = (self.n_rounds, 0) if self.n_rounds else (self.max_rounds, self.n_folds)
        return CrossValidation(rounds, folds, threads, deadline, self._constraints(sample))

    def _constraints(self, sample: Sample) -> ColumnConstraints | None:
        found = self.column_constraints(sample.searched().names, sample.table.names)
        return None if found.is_free else found


@dataclass(frozen=True, eq=False)
class BoostedSample:
    """The examples of a sample, ready for boosting."""

    boosted_classes: BoostedClasses
    grower: RuleGrower
    subsampler: Subsampler
    problems: list[OneVsRestProblem]
    held_out: HeldOutScores

    @classmethod
    def of(cls, settings: SlipperSettings, sample: Sample) -> BoostedSample:
        """Prepare boosting, one problem for each class but the default."""
        table = sample.searched()
        terms = Terms(settings.tested_families(sample)[0], Training(table, sample.y, sample.rows))
        directions = read_monotonic_cst(settings.monotonic_cst, sample)
        relations = allowed_terms(
            table, len(sample.classes), directions=tested_directions(directions, table)
        )
        subsampler = Subsampler(sample, settings.seed)
        grower = RuleGrower(terms, subsampler.rows)
        worth = sample.priced(settings.costs(sample))
        boosted_classes = BoostedClasses.of(
            np.bincount(sample.y, worth, len(sample.classes)).astype(np.float64)
        )
        y, worth = sample.y[subsampler.rows], subsampler.each(worth)
        problems = [
            OneVsRestProblem(grower, y == own, worth, settings.prune, relations[own])
            for own in boosted_classes.boosted
        ]
        held_out = HeldOutScores(boosted_classes, y, worth)
        return cls(boosted_classes, grower, subsampler, problems, held_out)

    def rules(self, cross_validation: CrossValidation) -> list[list[WeightedTerms]]:
        """Boost each class, and keep the chosen number of rounds."""
        return cross_validation.rules(self.problems, self.subsampler, self.held_out)

    def vote(self, found: Sequence[Sequence[WeightedTerms]]) -> RuleVote:
        """Make a vote of the rules of all classes."""
        return vote_of(self.boosted_classes, self.grower, found)


def vote_of(
    boosted_classes: BoostedClasses, grower: RuleGrower, found: Sequence[Sequence[WeightedTerms]]
) -> RuleVote:
    """Vote of the rules of all classes, equal ones merged, and of the default rules after them.

    A default that votes against one of two classes votes for the other. With several classes, all
    defaults are raised until the lowest is zero, which changes no answer.
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
