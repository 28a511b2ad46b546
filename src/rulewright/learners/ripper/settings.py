"""Settings of RIPPER, IREP* and IREP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rulewright.certificates import PoolMember
from rulewright.families import Family, RuleGrower, Terms, Training, as_families
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.column_constraints import ColumnUse
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.list_prefixes import list_prefixes
from rulewright.learners.base.missing_tests import MissingTestSettings
from rulewright.learners.base.monotonicity import (
    allowed_terms,
    read_monotonic_cst,
    tested_directions,
)
from rulewright.learners.base.needed_rules import needed_rules
from rulewright.learners.base.parameters import read_count, read_positive, read_switch, read_whole
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import ClassWeightSettings, Path, TimedSettings, option
from rulewright.learners.base.subsampling import Subsampler
from rulewright.learners.ripper.binary_problem import BinaryProblem, Draft
from rulewright.learners.ripper.search import RuleSetSearch
from rulewright.render import class_text
from rulewright.rules import Rule, RuleList

FAMILIES = ("thresholds", "categories")
NO_LIMIT = 2**31


@dataclass(frozen=True, kw_only=True)
class RipperSettings(MissingTestSettings, ClassWeightSettings, TimedSettings):
    """Settings of RIPPER."""

    learner: ClassVar[str] = "ripper"
    summary: ClassVar[str] = "RIPPER: rules grown, pruned and optimised class by class."
    first: ClassVar[str] = "k"
    absent_parameters: ClassVar[Mapping[str, Any]] = {"missing_tests": False}

    k: int = option(
        2,
        "Number of optimisation rounds; 0 is IREP*.",
        "int",
        read=read_whole(0),
        parse=int,
        details="In each round every rule may be replaced by one grown anew or grown further, and "
        "new rules cover what is left. RIPPER2 is 2.",
    )
    prune: bool = option(
        True,
        "Grow rules from two thirds of the cases and prune them on the others.",
        "bool",
        read=read_switch,
        details="Without pruning there is no optimisation either.",
    )
    algorithm: str = option(
        "ripper",
        "Algorithm: ripper, or the older irep.",
        choices=("ripper", "irep"),
        details="IREP prunes by accuracy, stops at the first rule that is more often wrong than "
        "right, and has no optimisation.",
    )
    min_covered: float = option(
        1.0,
        "Minimum weight of the growing cases that a rule covers.",
        "float",
        read=read_positive,
        parse=float,
    )
    max_growing: int | None = option(
        50_000,
        "Maximum number of cases of its class from which a rule is grown; more are subsampled.",
        "int or None",
        read=read_count,
        parse=int,
        details="As many cases of other classes are used. Rules are pruned, counted and optimised "
        "on all cases. None grows from all, as the paper does: on a million rows several times "
        "slower.",
    )

    def families(self) -> tuple[Family, ...]:
        return self.constrained(as_families(list(FAMILIES)))

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        costs = self.costs(sample)
        families, settings = self.tested_families(sample)
        certifier = Certifier(sample, families, self.delta, settings, combinations=("all",))
        body = self._lists(sample, deadline, threads)[-1]
        deadline.warn(f"the model has the {len(body.listed)} rules that were found by then.")
        constant = RuleList((), body.default)
        entry = certifier.better(body, constant, costs, len(body.listed))
        return Path([entry], 0, self.describe(), costs)

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        lists = self._lists(sample, Deadline(None), threads)
        worth = sample.priced(self.costs(sample))
        return [
            PoolMember(prefix, self.describe())
            for body in reversed(lists)
            for prefix in list_prefixes(body, sample, worth)
        ]

    def describe(self) -> str:
        """Name of the algorithm with these settings."""
        if self.algorithm == "irep":
            return "irep" if self.prune else "irep without pruning"
        if not self.prune:
            return "ripper without pruning"
        return f"ripper{self.k}" if self.k else "irep*"

    def _covering(self, deadline: Deadline) -> RuleSetSearch:
        by_error = self.algorithm == "irep"
        rounds = self.k if self.prune and not by_error else 0
        return RuleSetSearch(self.prune, by_error, rounds, deadline)

    def _lists(self, sample: Sample, deadline: Deadline, threads: int) -> list[RuleList]:
        """Lists after covering and after each round of optimisation.

        Rules are learnt class by class, the rarest first; the most frequent is the default.
        """
        worth, covering = sample.priced(self.costs(sample)), self._covering(deadline)
        table = sample.searched()
        training = Training(table, sample.y, sample.rows, threads)
        subsampler = Subsampler(sample, self.seed)
        grower = RuleGrower(Terms(self.tested_families(sample)[0], training), subsampler.rows)
        totals = np.bincount(sample.y, worth, minlength=len(sample.classes))
        order = [
            c for c in sorted(range(totals.size), key=lambda c: (totals[c], -c)) if totals[c] > 0
        ]
        weight = subsampler.each(worth)
        weighed = None if (weight == 1).all() else weight
        limits = self.min_covered, int(min(self.value("max_growing"), NO_LIMIT))
        y = sample.y[subsampler.rows]
        left = subsampler.places
        constraints = self.column_constraints(table.names, sample.table.names)
        used = None if constraints.is_free else ColumnUse(constraints)
        directions = tested_directions(read_monotonic_cst(self.monotonic_cst, sample), table)
        relations = allowed_terms(table, totals.size, directions=directions)
        rounds: list[list[tuple[Draft, int]]] = [[] for _ in range(covering.rounds + 1)]
        for number in order[:-1]:
            own = y == number
            problem = BinaryProblem(
                grower, subsampler, left, own, weighed, *limits, used, relations[number]
            )
            name = class_text(sample.classes[number])
            for drafts, found in zip(rounds, covering.rules(problem, name), strict=True):
                drafts += [(draft, number) for draft in found.drafts]
            left = found.uncovered
        return [_list_of(drafts, grower, subsampler, order[-1]) for drafts in rounds]


def _list_of(
    drafts: Sequence[tuple[Draft, int]], grower: RuleGrower, subsampler: Subsampler, default: int
) -> RuleList:
    """List of the rules that change an answer."""
    covered = [grower.covered(draft.terms, subsampler.places) for draft, _ in drafts]
    outputs = [output for _, output in drafts]
    needed = needed_rules(covered, outputs, default, subsampler.rows.size)
    chosen = (drafts[number] for number in needed)
    listed = (Rule(grower.condition(draft.terms), output) for draft, output in chosen)
    return RuleList(tuple(listed), default)
