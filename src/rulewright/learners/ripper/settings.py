"""What RIPPER can be told, as users write it, and the search that follows.

Without scikit-learn, which the command line does without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError
from rulewright.families import Training, as_families
from rulewright.families.rule_grower import RuleGrower
from rulewright.families.terms import Terms
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.needed_rules import needed_rules
from rulewright.learners.base.parameters import (
    is_whole,
    read_class_costs,
    read_delta,
    read_number,
    read_seed,
    read_switch,
)
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.subsampling import Subsampler
from rulewright.learners.ripper.binary_problem import BinaryProblem, Draft
from rulewright.learners.ripper.search import Covering
from rulewright.models import PathEntry
from rulewright.render import class_text
from rulewright.rules import Rule, RuleList

Rows = NDArray[np.int32]

ALGORITHMS = ("ripper", "irep")
FAMILIES = ("thresholds", "categories")


@dataclass(frozen=True)
class RipperSettings:
    """The parameters; see ``RipperClassifier``."""

    k: int = 2
    prune: bool = True
    algorithm: str = "ripper"
    min_covered: float = 1.0
    max_growing: int | None = 50_000
    class_costs: Any = None
    time_budget: float | None = None
    delta: float = 0.05
    random_state: Any = None
    threads: int = 1

    @property
    def name(self) -> str:
        """What the algorithm is called, with these settings."""
        if self.algorithm == "irep":
            return "irep" if self.prune else "irep without pruning"
        if not self.prune:
            return "ripper without pruning"
        return f"ripper{self.k}" if self.k else "irep*"

    def path(self, sample: Sample) -> list[PathEntry]:
        """Learn the rules, and certify them."""
        deadline = Deadline(self.time_budget)
        families = as_families(list(FAMILIES))
        certifier = Certifier(sample, families, read_delta(self.delta), combinations=("all",))
        costs = read_class_costs(self.class_costs, sample.classes)
        terms = Terms(families, Training(sample.searched(), sample.y, sample.rows, self.threads))
        body = self._listed(sample, terms, self._covering(deadline), sample.priced(costs))
        deadline.warn(f"the model has the {len(body.listed)} rules that were found by then.")
        return [certifier.better(body, RuleList((), body.default), costs, len(body.listed))]

    def _covering(self, deadline: Deadline) -> Covering:
        if self.algorithm not in ALGORITHMS:
            raise InputError(
                f"algorithm must be one of {', '.join(map(repr, ALGORITHMS))}; found "
                f"{self.algorithm!r}."
            )
        prune, by_error = read_switch(self.prune, "prune"), self.algorithm == "irep"
        rounds = read_number(self.k, "k, the rounds of optimisation,", 0)
        return Covering(prune, by_error, rounds if prune and not by_error else 0, deadline)

    def _least(self) -> float:
        least = self.min_covered
        if isinstance(least, int | float | np.number) and 0 < least < np.inf:
            return float(least)
        raise InputError(f"min_covered must be a number above 0; found {least!r}.")

    def _most(self) -> int:
        if self.max_growing is None:
            return 2**31
        if is_whole(self.max_growing) and self.max_growing >= 1:
            return int(self.max_growing)
        raise InputError(
            "max_growing must be a whole number of 1 or more, or None for all examples; found "
            f"{self.max_growing!r}."
        )

    def _listed(
        self, sample: Sample, terms: Terms, covering: Covering, worth: NDArray[np.float64]
    ) -> RuleList:
        """Learn rules class by class, the rarest first; the most frequent is the default."""
        subsampler = Subsampler(sample, read_seed(self.random_state))
        grower = RuleGrower(terms, subsampler.rows)
        totals = np.bincount(sample.y, worth, minlength=len(sample.classes))
        order = [
            c for c in sorted(range(totals.size), key=lambda c: (totals[c], -c)) if totals[c] > 0
        ]
        weight = subsampler.each(worth)
        weighed = None if (weight == 1).all() else weight
        limits = self._least(), self._most()
        y = sample.y[subsampler.rows]
        left = subsampler.places
        rules: list[tuple[Draft, int]] = []
        for number in order[:-1]:
            problem = BinaryProblem(grower, subsampler, left, y == number, weighed, *limits)
            found = covering.rules(problem, class_text(sample.classes[number]))
            rules += [(draft, number) for draft in found.drafts]
            left = found.uncovered
        covered = [grower.covered(draft.terms, subsampler.places) for draft, _ in rules]
        needed = needed_rules(covered, [output for _, output in rules], order[-1], y.size)
        chosen = (rules[number] for number in needed)
        listed = (Rule(grower.condition(draft.terms), output) for draft, output in chosen)
        return RuleList(tuple(listed), order[-1])
