"""The machine with the best certificate among many greedy runs.

A compression bound holds for all classifiers at once. So penalties and sizes are free to choose,
and what a reconstruction depends on (family, metric, kernel, kind) costs the logarithm of their
number, which every certificate of a task pays already (``GreedyTask.settings``).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rulewright.bounds import log_binomial_tails, log_chooses, log_size_prior
from rulewright.certificates import PathEntry, aside_and_tested_rows
from rulewright.learners import GreedyTask, Stage, report


@dataclass(frozen=True, eq=False)
class GreedyRun:
    """A greedy run to make: all sizes of one arrangement at one point of a grid.

    ``judge`` is the task by whose costs its machines are compared; by default the run's own.
    """

    point: int
    arrangement: str
    task: GreedyTask
    search: Callable[[GreedyTask, str], Iterator[Stage]]
    judge: GreedyTask | None = None

    @property
    def judged(self) -> GreedyTask:
        """The task by whose costs its machines are compared."""
        return self.task if self.judge is None else self.judge


@dataclass(frozen=True, eq=False)
class Tried:
    """A finished run: its path, and its time in seconds."""

    run: GreedyRun
    path: list[PathEntry]
    seconds: float


@dataclass(frozen=True, eq=False)
class Choice:
    """A machine on the path of a run."""

    tried: Tried
    place: int

    @property
    def entry(self) -> PathEntry:
        """The machine with its certificate."""
        return self.tried.path[self.place]

    @property
    def worth(self) -> float:
        """Value by which it is chosen: its certified error or cost."""
        return self.tried.run.judged.objective(self.entry.certificate)


def make_runs(runs: Sequence[GreedyRun], *, prune: bool) -> list[Tried]:
    """Make all runs; with ``prune``, stop each where no larger machine can have the best bound."""
    tried: list[Tried] = []
    best = math.inf
    for number, run in enumerate(runs):
        report("grid", number, len(runs))
        start = time.perf_counter()
        path = []
        for stage in run.search(run.task, run.arrangement):
            path.append(stage.entry)
            best = min(best, run.judged.objective(stage.entry.certificate))
            if prune and _is_hopeless(stage, run.judged, best):
                break
        tried.append(Tried(run, path, time.perf_counter() - start))
    return tried


def choices(tried: Sequence[Tried]) -> list[Choice]:
    """Machines of all sizes of all runs."""
    return [Choice(run, place) for run in tried for place in range(len(run.path))]


def best_by_certificate(tried: Sequence[Tried]) -> Choice:
    """Machine of the best certificate; ties go to the smaller, to fewer errors, to the first."""
    return min(choices(tried), key=lambda c: (c.worth, c.entry.size, c.entry.errors))


def _is_hopeless(stage: Stage, task: GreedyTask, best: float) -> bool:
    """Whether no machine that grows out of this one can have a bound below the best so far.

    Its compression set is at least as large, and it errs on every example that is settled wrongly
    now, except those that join the compression set. So, for some j, its bound is at least that of
    ``lasting - j`` errors with ``j`` examples more, all of them in one role and without the
    message.
    """
    if task.costs is not None or best >= 0.5:
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
