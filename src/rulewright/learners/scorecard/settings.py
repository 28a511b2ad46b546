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
from rulewright.learners.base.constraint_settings import ConstraintSettings, monotonic_option
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.monotonicity import read_monotonic_cst
from rulewright.learners.base.parameters import is_whole, read_amount, read_switch, read_whole
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import ClassWeightSettings, Path, option
from rulewright.learners.scorecard.candidates import TermOptions, make_candidates
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
        return ((self.families(), self.max_terms),)

    def search_for_scorecards(self, sample: Sample) -> ScorecardSearch:
        """Prepare the search for scorecards of all sizes."""
        pairs = self._has_pairs(sample)
        costs = self.costs(sample)
        classes = len(sample.classes)
        price = np.ones(classes)
        if costs is not None:
            price = np.array([float(cost / unit_of(costs)) for cost in costs])
        search = ScorecardSearch(
            sample,
            make_candidates(sample.searched(), sample.weight, self._terms(sample, pairs)),
            price,
            ScoreSearchOptions(
                self.max_conditions,
                beam_width=self.beam_width,
                ridge=float(self.ridge),
                min_weight=2.0,
                pairs=pairs,
            ),
            PointsOptions(self.max_points, self.positive_only, self.max_bands, float(self.ridge)),
        )
        most = self.value("max_columns")
        return search if most is None else search.within(most)

    def _terms(self, sample: Sample, pairs: bool) -> TermOptions:
        families = self.families()
        return TermOptions(
            frozenset(family.name for family in as_families(list(FAMILIES))),
            self._bins(sample),
            read_monotonic_cst(self.monotonic_cst, sample),
            self.positive_only and len(sample.classes) <= 2,
            pairs,
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
        search = self.search_for_scorecards(sample)
        costs = self.costs(sample)
        combinations = ("all",) if self.max_terms > 1 else ()
        certifier = Certifier(sample, self.families(), self.delta, combinations=combinations)
        bodies = dict.fromkeys([search.constant(), *search.models()])
        entries = [certifier.entry(body, lines_of(body)) for body in bodies]
        chosen = self._chosen(entries, costs)
        how = f"scorecard of {entries[chosen].model.body.literals} tests"
        return Path(entries, chosen, how, costs)

    def _chosen(self, entries: Sequence[PathEntry], costs: Any) -> int:
        places = admissible(entries, costs)
        if self.size == "all":
            return places[-1]
        return min(places, key=lambda place: certified_cost(entries[place].certificate, costs))

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        """Return scorecards of all sizes, each with points of the whole range and of a small one.

        The check rows choose.
        """
        search = self.search_for_scorecards(sample)
        limits = [self.max_points, *(limit for limit in POOL_POINTS if limit < self.max_points)]
        return [
            PoolMember(body, f"scorecard, points to {limit}")
            for limit in limits
            for body in search.models(limit)
        ]


def lines_of(body: object) -> int:
    """Number of lines with points."""
    return len(body.lines) if isinstance(body, Scorecard | ClassScorecard) else 0
