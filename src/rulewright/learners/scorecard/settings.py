"""Settings of scorecards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rulewright.certificates import PathEntry, PoolMember
from rulewright.errors import InputError
from rulewright.families import Family, Thresholds, as_families
from rulewright.kernels import MAX_CODE, ScoreSearchOptions
from rulewright.learners.base.baseline import admissible
from rulewright.learners.base.certifier import Certifier, certified_cost
from rulewright.learners.base.column_constraints import read_force
from rulewright.learners.base.constraint_settings import ConstraintSettings, monotonic_option
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.monotonicity import read_monotonic_cst
from rulewright.learners.base.parameters import (
    is_whole,
    read_amount,
    read_columns,
    read_switch,
    read_whole,
)
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import COLUMNS, ClassWeightSettings, Path, option
from rulewright.learners.scorecard.candidates import TermOptions, make_candidates
from rulewright.learners.scorecard.given_lines import (
    GivenLine,
    LineLimits,
    expert_family,
    read_lines,
)
from rulewright.learners.scorecard.search import PointsOptions, ScorecardSearch
from rulewright.models import unit_of
from rulewright.rules import ClassScorecard, Scorecard

FAMILIES = ("thresholds", "categories", "missing")
MAX_POINTS = 100
POOL_POINTS = (2,)
"""Further limits of points of the candidates for a split certificate."""
MIN_BINS, MAX_BINS, ROWS_PER_BIN = 8, 32, 100
"""Limits of the number of bins of a numeric column, and rows for each bin between them."""


def _read_from_to(low: int, high: int) -> Any:
    def read(value: object, name: str) -> int:
        if is_whole(value) and low <= value <= high:
            return int(value)
        raise InputError(f"{name} must be a whole number from {low} to {high}, got {value!r}.")

    return read


def _read_bins(value: object, name: str) -> int | None:
    return None if value is None else int(_read_from_to(2, MAX_CODE)(value, name))


@dataclass(frozen=True, kw_only=True)
class ScorecardSettings(ConstraintSettings, ClassWeightSettings):
    """Settings of a scorecard."""

    learner: ClassVar[str] = "scorecard"
    summary: ClassVar[str] = "Scorecard: small whole-number points for few conditions."
    first: ClassVar[str] = "max_conditions"

    max_conditions: int = option(
        12,
        "Maximum number of tests; a condition of two terms counts as two.",
        "int",
        read=_read_from_to(1, 100),
        parse=int,
    )
    max_points: int = option(
        5,
        "Points are whole numbers from minus this number to this number.",
        "int",
        read=_read_from_to(1, MAX_POINTS),
        parse=int,
    )
    positive_only: bool = option(False, "Allow no points below 0.", "bool", read=read_switch)
    max_terms: int = option(
        1,
        "Maximum number of terms of a condition: 1 or 2.",
        "int",
        read=_read_from_to(1, 2),
        parse=int,
        details="Conditions of two terms help on tables of thousands of rows with interactions.",
    )
    intervals: bool = option(
        False,
        "Allow conditions such as 20 < age <= 30, which count as two tests.",
        "bool",
        read=read_switch,
        omit_default=True,
    )
    lines: Any = option(
        None,
        "Line that stays on the card, such as 'age > 60: +2'; without points, they are learnt.",
        "list of str or None",
        repeatable=True,
        omit_default=True,
        details="The certificate charges nothing for the numbers in their conditions: write them "
        "before looking at the data.",
    )
    force: Any = option(
        None,
        "Column that must be on the card.",
        "list of column names or None",
        read=read_columns,
        repeatable=True,
        group=COLUMNS,
        omit_default=True,
    )
    max_bands: int = option(
        10,
        "Maximum number of lines of the table from totals to risks.",
        "int",
        read=_read_from_to(2, 1000),
        parse=int,
    )
    size: str = option(
        "all",
        "Number of tests: all, or those with the best certificate (bound).",
        choices=("all", "bound"),
        details="``path_`` has the models of all sizes.",
    )
    ridge: float = option(
        2.0,
        "Penalty of large coefficients, in training cases.",
        "float",
        read=read_amount,
        parse=float,
    )
    max_bins: int | None = option(
        None,
        "Number of cuts tried in a numeric column; by default 8 to 32, one for 100 rows.",
        "int or None",
        read=_read_bins,
        parse=int,
    )
    beam_width: int = option(
        3, "Number of models of each size that are extended.", "int", read=read_whole(1), parse=int
    )

    monotonic_cst: Any = monotonic_option(omit_default=False)

    def families(self) -> tuple[Family, ...]:
        return self.constrained(as_families(list(FAMILIES)))

    def codes(self) -> tuple[Any, ...]:
        lines = None if self.lines is None else tuple(self.lines)
        return ((self.families(), self.max_terms, self.intervals, lines),)

    def given_lines(self, sample: Sample) -> tuple[GivenLine, ...]:
        """Lines that stay on the card."""
        directions = read_monotonic_cst(self.monotonic_cst, sample)
        limits = LineLimits(self.max_points, len(sample.classes), self.positive_only, directions)
        lines = read_lines(self.lines, sample.table, limits)
        tests = sum(line.tests for line in lines)
        if tests > self.max_conditions:
            raise InputError(
                f"lines have {tests} tests, more than max_conditions={self.max_conditions}. Set "
                f"max_conditions to {tests} or more."
            )
        return lines

    def _forced(self, sample: Sample, lines: Sequence[GivenLine]) -> tuple[str, ...]:
        """Columns that must be on the card."""
        searched = set(sample.searched().names)
        allowed = np.array([[name in searched] for name in sample.table.names])
        places = read_force(self.force, sample.table, allowed)
        forced = tuple(sample.table.names[place] for place in places)
        given = {name for line in lines for name in line.condition.columns}
        tests = len([name for name in forced if name not in given])
        tests += sum(line.tests for line in lines)
        columns = len(given.union(forced))
        for name, count in (("max_conditions", tests), ("max_columns", columns)):
            most = self.value(name)
            if most is not None and count > most:
                raise InputError(
                    f"force and lines need {name}={count} or more, got {name}={most}. Raise it, or "
                    "leave some out."
                )
        return forced

    def search_for_scorecards(self, sample: Sample, threads: int = 1) -> ScorecardSearch:
        """Prepare the search for scorecards of all sizes."""
        pairs = self._has_pairs(sample)
        costs = self.costs(sample)
        classes = len(sample.classes)
        price = np.ones(classes)
        if costs is not None:
            price = np.array([float(cost / unit_of(costs)) for cost in costs])
        lines = self.given_lines(sample)
        terms = self._terms(sample, pairs or self.intervals)
        candidates = make_candidates(sample.searched(), sample.weight, terms, threads)
        longer = sum(line.tests - 1 for line in lines)  # each counts as one test in the search
        search = ScorecardSearch(
            sample,
            candidates.joined(lines, sample.table),
            price,
            ScoreSearchOptions(
                self.max_conditions - longer,
                beam_width=self.beam_width,
                ridge=float(self.ridge),
                min_weight=2.0,
                pairs=pairs,
                intervals=self.intervals,
            ),
            PointsOptions(self.max_points, self.positive_only, self.max_bands, float(self.ridge)),
            lines,
            self._forced(sample, lines),
            threads,
        )
        most = self.value("max_columns")
        return search if most is None else search.within(most)

    def _terms(self, sample: Sample, both: bool) -> TermOptions:
        families = self.families()
        return TermOptions(
            frozenset(family.name for family in as_families(list(FAMILIES))),
            self._bins(sample),
            read_monotonic_cst(self.monotonic_cst, sample),
            self.positive_only and len(sample.classes) <= 2,
            both,
            next(f for f in families if isinstance(f, Thresholds)),
            not self.positive_tests,
        )

    def _has_pairs(self, sample: Sample) -> bool:
        """Whether conditions may have two terms; they keep to groups of columns by having one."""
        names = sample.searched().names
        self.column_constraints(names, sample.table.names)  # checks the names of groups
        groups = self.interactions
        if isinstance(groups, list | tuple):
            return self.max_terms > 1 and any(set(names) <= set(group) for group in groups)
        return self.max_terms > 1 and groups in (None, "pairwise")

    def _bins(self, sample: Sample) -> int:
        if self.max_bins is not None:
            return self.max_bins
        return int(np.clip(sample.weight.sum() / ROWS_PER_BIN, MIN_BINS, MAX_BINS))

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        search = self.search_for_scorecards(sample, threads)
        costs = self.costs(sample)
        several = self.max_terms > 1 or self.intervals
        several |= any(line.tests > 1 for line in search.lines)
        certifier = Certifier(
            sample,
            (*self.families(), *expert_family(search.lines)),
            self.delta,
            combinations=("all",) if several else (),
        )
        bodies = dict.fromkeys([search.constant(), *search.models()])
        entries = [certifier.entry(body, lines_of(body)) for body in bodies]
        chosen = self._chosen(entries, costs)
        how = f"scorecard of {entries[chosen].model.body.literals} tests"
        return Path(entries, chosen, how, costs)

    def _chosen(self, entries: Sequence[PathEntry], costs: Any) -> int:
        asked = self.lines or self.force
        places = list(range(len(entries)))[1:] if asked else admissible(entries, costs)
        places = places or [0]
        if self.size == "all":
            return places[-1]
        return min(places, key=lambda place: certified_cost(entries[place].certificate, costs))

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        """Return scorecards of all sizes, each with points of the whole range and of a small one.

        The check rows choose.
        """
        search = self.search_for_scorecards(sample, threads)
        limits = [self.max_points, *(limit for limit in POOL_POINTS if limit < self.max_points)]
        return [
            PoolMember(body, f"scorecard, points to {limit}")
            for limit in limits
            for body in search.models(limit)
        ]


def lines_of(body: object) -> int:
    """Number of lines with points."""
    return len(body.lines) if isinstance(body, Scorecard | ClassScorecard) else 0
