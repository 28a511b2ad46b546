"""Input of a greedy search, and the entries of its path."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import Certificate, PathEntry
from rulewright.families import Family, Search, Training, prepare
from rulewright.learners.base.baseline import admissible
from rulewright.learners.base.certifier import Certifier, certified_cost
from rulewright.learners.base.column_constraints import ColumnConstraints
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.monotonicity import tested_directions
from rulewright.learners.base.sample import Sample
from rulewright.rules import Arrangement, Predicate

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Grown:
    """A machine with one rule more, what that rule settled, and what it was chosen for.

    ``idle``: the last rule answers with the default class, so a smaller machine does as well.
    """

    body: Arrangement
    settled: Mask
    useful: float
    idle: bool = False


@dataclass(frozen=True, eq=False)
class Stage:
    """An entry of a path, and the examples that are lost: a rule settled them, and wrongly."""

    entry: PathEntry
    lost: Mask


@dataclass(frozen=True, eq=False)
class GreedyTask:
    """The examples, the families of predicates, and what all machines of a search have in common.

    ``consistent`` machines classify all examples that rebuild them correctly. ``max_candidates``
    limits the prototypes or pairs that are tried, drawn with ``seed``; "auto" does so for large
    data only. ``settings`` is the number of tasks like this one among which a model is chosen, if
    its reconstruction depends on the task. ``costs`` are the costs of misjudging an example of each
    class. ``max_columns`` and ``interactions`` constrain the columns of a machine, ``directions``
    its answers along columns.
    """

    sample: Sample
    families: tuple[Family, ...]
    delta: float = 0.05
    consistent: bool = False
    threads: int = 1
    max_candidates: int | str | None = "auto"
    seed: int = 0
    settings: int = 1
    costs: tuple[Fraction, ...] | None = None
    deadline: Deadline = field(default_factory=lambda: Deadline(None))
    max_columns: float = math.inf
    interactions: Any = None
    directions: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def measured_families(self) -> tuple[Family, ...]:
        """The families, with the scales that they measured."""
        table = self.sample.table
        return tuple(f.measured(table, f.scaling_rows(table.rows)) for f in self.families)

    @cached_property
    def training(self) -> Training:
        """Training data from which the families make predicates."""
        sample = self.sample
        table = sample.searched(self.families)
        return Training(
            table,
            sample.y,
            sample.rows,
            self.threads,
            self.max_candidates,
            self.seed,
            directions=tested_directions(self.directions, table),
        )

    @cached_property
    def search(self) -> Search:
        """All families, prepared once."""
        return prepare(self.measured_families, self.training)

    @cached_property
    def _constraints(self) -> ColumnConstraints:
        return ColumnConstraints.of(
            self.training.table.names,
            self.max_columns,
            self.interactions,
            self.sample.table.names,
        )

    @cached_property
    def _searches(self) -> dict[bytes, Search]:
        """Searches on some of the columns, by their marks."""
        return {}

    def search_for(self, parts: Iterable[Predicate], *, together: bool) -> Search:
        """Search for a further predicate of a machine that has these parts.

        ``together``: whether all parts of the machine are one rule.
        """
        if self._constraints.is_free:
            return self.search
        table = self.training.table
        used = {table.names.index(name) for part in parts for name in part.columns}
        allowed = self._constraints.allowed(used, used if together else ())
        if allowed.all():
            return self.search
        key = allowed.tobytes()
        if key not in self._searches:
            names = [name for name, mark in zip(table.names, allowed, strict=True) if mark]
            chosen = table.select(names)
            directions = tested_directions(self.directions, chosen)
            training = replace(self.training, table=chosen, directions=directions)
            self._searches[key] = prepare(self.measured_families, training)
        return self._searches[key]

    def shares_search_with(self, other: GreedyTask) -> bool:
        """Whether both tasks find the same predicates, so that one search serves both."""
        return self.sample is other.sample and all(
            getattr(self, name) == getattr(other, name)
            for name in (
                "families",
                "delta",
                "consistent",
                "max_candidates",
                "seed",
                "settings",
                "costs",
                "max_columns",
                "interactions",
                "directions",
            )
        )

    def notices(self) -> list[str]:
        """Notices of families for which not all candidates are tried."""
        found = (family.notice(self.training) for family in self.measured_families)
        return [notice for notice in found if notice]

    @cached_property
    def certifier(self) -> Certifier:
        """Certifier of the machines of all sizes."""
        return Certifier(
            self.sample, self.measured_families, self.delta, self.settings, None, self.consistent
        )

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.sample.classes)

    @cached_property
    def cost_scale(self) -> int:
        """Factor that turns the costs into whole numbers."""
        return math.lcm(*(cost.denominator for cost in self.costs or ()))

    @cached_property
    def weight(self) -> Floats:
        """Value of each example in a search: its weight times the cost of misjudging it."""
        if self.costs is None:
            return self.sample.weight
        whole = np.array([float(cost * self.cost_scale) for cost in self.costs])
        weight: Floats = self.sample.weight * whole[self.sample.y]
        return weight

    def objective(self, certificate: Certificate) -> float:
        """Value by which machines are compared: the certified error, or the certified cost."""
        return certified_cost(certificate, self.costs)

    def majority(self, rows: Mask) -> int:
        """Class of the largest weight among some examples, or among all if these are none."""
        return self.sample.majority(self.weight, rows)

    def stages(self, growing: Iterable[Grown], always: Arrangement) -> Iterator[Stage]:
        """Certify a machine rule by rule; ``always`` is the one that has no rules."""
        answers: NDArray[np.intp] = np.zeros(self.sample.y.size, np.intp)
        settled = np.zeros(answers.size, np.bool_)
        none = True
        for size, grown in enumerate(growing, 1):
            answers[grown.settled] = size - 1
            settled |= grown.settled
            if grown.idle:
                continue
            answers[~settled] = size  # examples that no rule settled get the other answer
            right = self._right(grown.body, answers)
            useful = grown.useful / self.cost_scale
            entry = self.certifier.entry(grown.body, size, useful, answers)
            yield Stage(entry, settled & ~right)
            none = False
        if none:
            yield Stage(self.constant(always), np.zeros_like(settled))

    def path(self, stages: Iterable[Stage], always: Arrangement) -> list[PathEntry]:
        """Path of a run, up to the last machine that loses no more than a constant answer.

        ``always`` is the constant answer; it is the whole path if all machines lose more.
        """
        entries = [stage.entry for stage in stages]
        good = admissible(entries, self.costs)
        return entries[: good[-1] + 1] if good else [self.constant(always)]

    def constant(self, always: Arrangement) -> PathEntry:
        """Certify the machine that has no rules."""
        answers: NDArray[np.intp] = np.zeros(self.sample.y.size, np.intp)
        return self.certifier.entry(always, 0, answers=answers)

    def _right(self, body: Arrangement, answers: NDArray[np.intp]) -> Mask:
        outputs = np.array(body.outputs, np.int32)
        right: Mask = outputs[answers] == self.sample.y
        return right


def best_path(task: GreedyTask, paths: Sequence[list[PathEntry]]) -> list[PathEntry]:
    """Keep the path that ends in the best certificate, then in fewer errors, then the first."""
    return min(paths, key=lambda path: (task.objective(path[-1].certificate), path[-1].errors))
