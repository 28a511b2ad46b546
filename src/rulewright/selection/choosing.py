"""Runs at the points of a grid, and the model with the best certificate among all of them.

A compression bound holds for all classifiers at once. So penalties and sizes are free to choose,
and what a reconstruction depends on (family, metric, kernel, kind) costs the logarithm of their
number, which every certificate pays already (``Settings.codes``).
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rulewright.bounds import log_binomial_tails, log_chooses, log_size_prior
from rulewright.certificates import PathEntry, aside_and_tested_rows, chosen_among
from rulewright.learners import (
    GreedyTask,
    Path,
    Sample,
    Settings,
    Stage,
    Units,
    certified_cost,
    learn,
    report,
)

Costs = tuple[Fraction, ...] | None


@dataclass(frozen=True, eq=False)
class GridRun(ABC):
    """A run to make at one point of a grid.

    ``arrangement`` is the kind of machine, or the name of the learner. ``costs`` are those by which
    models are compared; they may differ from those that the run learns with.
    """

    point: int
    arrangement: str
    costs: Costs

    @abstractmethod
    def path(self, best: float | None = None) -> Path:
        """Models of the run; with ``best``, it may leave out what cannot have a smaller bound."""

    def parameters(self, found: Path, place: int) -> dict[str, Any]:
        """Return parameters, besides the point's, with which the learner chooses this model."""
        return {}


@dataclass(frozen=True, eq=False)
class GreedyRun(GridRun):
    """Greedy run of a machine: all sizes of one arrangement."""

    task: GreedyTask
    search: Callable[[GreedyTask, str], Iterator[Stage]]

    def path(self, best: float | None = None) -> Path:
        entries = []
        for stage in self.search(self.task, self.arrangement):
            entries.append(stage.entry)
            if best is None or self.costs is not None:
                continue
            best = min(best, stage.entry.certificate.bound)
            if _is_hopeless(stage, self.task, best):
                break
        return Path(entries, len(entries) - 1, self.arrangement, self.costs)

    def parameters(self, found: Path, place: int) -> dict[str, Any]:
        kinds = ("conjunction", "disjunction")
        kind = {"kind": self.arrangement} if self.arrangement in kinds else {}
        return {**kind, "max_rules": max(found.entries[place].size, 1)}


@dataclass(frozen=True, eq=False)
class LearnerRun(GridRun):
    """Search of a learner; with ``every``, its path has all candidates, not only the chosen one.

    ``codes`` is the number of codes among which the grid chooses.
    """

    settings: Settings
    sample: Sample
    threads: int
    codes: int
    every: bool

    def path(self, best: float | None = None) -> Path:
        found = self.settings.find_path(self.sample, threads=self.threads)
        return _priced(found if self.every else _only_chosen(found), self.codes)

    def parameters(self, found: Path, place: int) -> dict[str, Any]:
        smaller = place != found.chosen and hasattr(self.settings, "size")
        return {"size": "bound"} if smaller else {}


@dataclass(frozen=True, eq=False)
class FormRun(GridRun):
    """Learning as the estimator does; ``points`` is the number of settings in the grid.

    The sample is in the order of the user's table. ``units`` are its groups or times.
    """

    settings: Settings
    sample: Sample
    threads: int
    points: int
    units: Units

    def path(self, best: float | None = None) -> Path:
        found = learn(self.settings, self.sample, threads=self.threads, units=self.units)
        return _priced(_only_chosen(found), self.points)


def _only_chosen(path: Path) -> Path:
    return replace(path, entries=[path.entry], chosen=0)


def _priced(path: Path, count: int) -> Path:
    """Path whose certificates pay for a choice among ``count`` settings."""
    entries = [entry.certified(chosen_among(entry.certificate, count)) for entry in path.entries]
    return replace(path, entries=entries)


@dataclass(frozen=True, eq=False)
class Tried:
    """A finished run: its models, and its time in seconds."""

    run: GridRun
    found: Path
    seconds: float

    @property
    def path(self) -> list[PathEntry]:
        """The models with their certificates."""
        return self.found.entries


@dataclass(frozen=True, eq=False)
class Choice:
    """A model on the path of a run."""

    tried: Tried
    place: int

    @property
    def entry(self) -> PathEntry:
        """The model with its certificate."""
        return self.tried.path[self.place]

    @property
    def worth(self) -> float:
        """Value by which it is chosen: its certified error or cost."""
        return certified_cost(self.entry.certificate, self.tried.run.costs)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters, besides the point's, with which the learner chooses this model."""
        return self.tried.run.parameters(self.tried.found, self.place)


def make_runs(runs: Sequence[GridRun], *, prune: bool) -> list[Tried]:
    """Make all runs; with ``prune``, stop each where no larger model can have the best bound."""
    tried: list[Tried] = []
    best = math.inf
    for number, run in enumerate(runs):
        report("grid", number, len(runs))
        start = time.perf_counter()
        found = run.path(best) if prune else run.path()
        tried.append(Tried(run, found, time.perf_counter() - start))
        best = min(best, *(choice.worth for choice in choices(tried[-1:])))
    return tried


def choices(tried: Sequence[Tried]) -> list[Choice]:
    """Models of all sizes of all runs."""
    return [Choice(run, place) for run in tried for place in range(len(run.path))]


def best_by_certificate(tried: Sequence[Tried]) -> Choice:
    """Model of the best certificate; ties go to the smaller, to fewer errors, to the first."""
    return min(choices(tried), key=lambda c: (c.worth, c.entry.size, c.entry.errors))


def _is_hopeless(stage: Stage, task: GreedyTask, best: float) -> bool:
    """Whether no machine that grows out of this one can have a bound below the best so far.

    Its compression set is at least as large, and it errs on every example that is settled wrongly
    now, except those that join the compression set. So, for some j, its bound is at least that of
    ``lasting - j`` errors with ``j`` examples more, all of them in one role and without the
    message.
    """
    if best >= 0.5:
        return False
    c = stage.entry.certificate
    _, tested = aside_and_tested_rows(
        task.measured_families, np.array(c.examples, np.intp), stage.lost.size
    )
    lasting = int((stage.lost & tested).sum())
    fewest = len(c.examples)
    examples = np.arange(fewest, fewest + lasting + 1)
    # A compression set of more than half of the examples has a bound above 3/4 anyway.
    choices_of_them = np.maximum.accumulate(log_chooses(c.m, fewest, fewest + lasting))
    prior = -len(c.roles) * log_size_prior(0) + 2 * np.log(examples + 1)
    min_log_tail = math.log(c.delta) - math.log(c.settings) - choices_of_them - prior
    return bool((log_binomial_tails(lasting, c.others, best)[::-1] > min_log_tail).all())
