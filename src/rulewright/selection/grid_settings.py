"""The points of a grid as settings of one search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

from rulewright.errors import InputError
from rulewright.families import Family, check_functions
from rulewright.learners import (
    SETTINGS,
    Deadline,
    GreedySettings,
    GreedyTask,
    Path,
    Sample,
    Settings,
    Units,
    option,
)
from rulewright.selection.choosing import (
    Costs,
    FormRun,
    GreedyRun,
    GridRun,
    LearnerRun,
    best_by_certificate,
    make_runs,
)


@dataclass(frozen=True, kw_only=True)
class GridSettings(Settings):
    """Settings of a learner at all points of a grid.

    For a split certificate the candidates of all points are one pool, in which each point has the
    same prior weight. So the certificate pays for the choice of the point, and needs no other
    payment.
    """

    learner: ClassVar[str] = "grid"
    summary: ClassVar[str] = "The best of a learner's models at the points of a grid."
    first: ClassVar[str] = "estimator"

    estimator: Any = option("", "Learner, by its name or its class of settings.", "str or class")
    parameters: Any = option((), "Parameters that all points share.", "dict")
    points: Any = option(({},), "Parameters of each point.", "list of dict")

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.estimator, str) and self.estimator not in SETTINGS:
            raise InputError(f"A grid has no learner {self.estimator!r}.")
        if not self.learners():  # wrong parameters are refused there
            raise InputError("A grid needs at least one point.")

    @classmethod
    def of(cls, base: Settings, points: Sequence[Mapping[str, Any]]) -> GridSettings:
        """Return the grid of these points, each with the other parameters of the base."""
        known = SETTINGS.get(base.learner) is type(base)
        names = [one.name for one in fields(base)]
        return cls(
            **{one.name: getattr(base, one.name) for one in fields(Settings)},
            estimator=base.learner if known else type(base),
            parameters={name: getattr(base, name) for name in names},
            points=[dict(point) for point in points],
        )

    @cached_property
    def base(self) -> Settings:
        """The settings without those of a point."""
        return self._settings({})

    @cached_property
    def _learners(self) -> tuple[Settings, ...]:
        made = tuple(self._settings(point) for point in self.points)
        check_functions(family for settings in made for family in settings.families())
        return made

    def _settings(self, point: Mapping[str, Any]) -> Settings:
        named = isinstance(self.estimator, str)
        made: type[Settings] = SETTINGS[self.estimator] if named else self.estimator
        return made(**{**dict(self.parameters), **point})

    def learners(self) -> tuple[Settings, ...]:
        return self._learners

    def families(self) -> tuple[Family, ...]:
        return tuple(family for settings in self._learners for family in settings.families())

    def costs(self, sample: Sample) -> Costs:
        """Costs by which all points are compared: those of the base, where the points differ."""
        found = distinct(settings.costs(sample) for settings in self._learners)
        return found[0] if len(found) == 1 else self.base.costs(sample)

    def codes(self) -> tuple[Any, ...]:
        return tuple(distinct(code for settings in self._learners for code in settings.codes()))

    def settled(self) -> GridSettings:
        """Return the grid with a seed in place of a random generator."""
        if isinstance(self.random_state, int | None):
            return self
        seed = self.seed
        parameters = {**self.parameters, "random_state": seed}
        return replace(self, random_state=seed, parameters=parameters)

    def runs(self, sample: Sample, threads: int, *, every: bool) -> list[GridRun]:
        """Return a search of the sample at each point; greedy machines of all sizes at once.

        With ``every``, a path has all candidates that a learner compares, not only its choice.
        """
        if all(isinstance(settings, GreedySettings) for settings in self._learners):
            return list(self._greedy_runs(sample, threads))
        codes, costs = len(self.codes()), self.costs(sample)
        return [
            LearnerRun(number, settings.learner, costs, settings, sample, threads, codes, every)
            for number, settings in enumerate(self._learners)
        ]

    def form_runs(self, sample: Sample, threads: int, units: Units) -> list[GridRun]:
        """Return runs that learn at each point as the estimator does."""
        costs, count = self.costs(sample), len(self._learners)
        return [
            FormRun(number, settings.learner, costs, settings, sample, threads, count, units)
            for number, settings in enumerate(self._learners)
        ]

    def _greedy_runs(self, sample: Sample, threads: int) -> Iterable[GridRun]:
        """Yield the runs of machines; those with the same search share its preparation."""
        codes, costs = len(self.codes()), self.costs(sample)
        tasks: list[GreedyTask] = []
        for number, settings in enumerate(self._learners):
            assert isinstance(settings, GreedySettings)
            task = settings.task(sample, Deadline(settings.time_budget), threads, codes)
            task = next((other for other in tasks if other.shares_search_with(task)), task)
            tasks.append(task)
            for arrangement in settings.arrangements():
                yield GreedyRun(number, arrangement, costs, task, settings.stages)

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        tried = make_runs(self.runs(sample, threads, every=True), prune=True)
        best = best_by_certificate(tried)
        return replace(best.tried.found, chosen=best.place)


def distinct(values: Iterable[Any]) -> list[Any]:
    """Different values, in order; they need not be hashable."""
    kept: list[Any] = []
    for value in values:
        if value not in kept:
            kept.append(value)
    return kept
