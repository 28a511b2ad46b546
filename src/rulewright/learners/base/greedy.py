"""What the machines of both papers share: the families they choose from, and how."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from rulewright.families import Balls, Family, HalfSpaces, SpaceOptions, as_families
from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.greedy_task import Stage, Task, best_path
from rulewright.learners.base.parameters import (
    read_class_costs,
    read_delta,
    read_max_candidates,
    read_seed,
    read_switch,
)
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.table_estimator import tagged_by
from rulewright.models import PathEntry


class GreedyMachine(RuleClassifier):
    """Base of the machines that choose one predicate after the other from families."""

    family: Any
    metric: Any
    kernel: Any
    gamma: float
    degree: int
    coef0: float
    scale: str
    consistent: bool
    max_candidates: Any
    delta: float
    random_state: Any
    class_costs: Any
    types = "complex"

    @abstractmethod
    def _arrangements(self) -> tuple[str, ...]:
        """Name the arrangements to choose from."""

    @abstractmethod
    def _stages(self, task: Task, arrangement: str) -> Iterator[Stage]:
        """Search the sizes of an arrangement, one after the other."""

    @abstractmethod
    def _path(self, task: Task, arrangement: str) -> list[PathEntry]:
        """Search the sizes of an arrangement; the last is the one to keep."""

    def _search(self, sample: Sample) -> list[PathEntry]:
        arrangements = self._arrangements()
        task = self._task(sample, len(arrangements))
        return best_path(task, [self._path(task, a) for a in arrangements])

    def _families(self) -> tuple[Family, ...]:
        options = SpaceOptions(
            self.metric,
            self.kernel,
            self.gamma,
            self.degree,
            self.coef0,
            self.scale,
            self.types,
        )
        return as_families(self.family, options)

    def _task(self, sample: Sample, settings: int) -> Task:
        task = Task(
            sample,
            self._families(),
            read_delta(self.delta),
            read_switch(self.consistent, "consistent"),
            self._threads(),
            read_max_candidates(self.max_candidates),
            read_seed(self.random_state),
            settings,
            read_class_costs(self._class_costs(sample), sample.classes),
        )
        for notice in [*self._unused(task.families), *task.notices()]:
            warnings.warn(notice, UserWarning, stacklevel=4)
        return task

    def _unused(self, families: tuple[Family, ...]) -> list[str]:
        """Return a notice of parameters that were set but that none of the families has."""
        if any(isinstance(family, Balls | HalfSpaces) for family in families):
            return []
        values, defaults = self.get_params(deep=False), type(self)().get_params(deep=False)
        names = [field.name for field in fields(SpaceOptions) if field.name in values]
        changed = [name for name in names if values[name] != defaults[name]]
        if not changed:
            return []
        verb = "has no effect" if len(changed) == 1 else "have no effect"
        return [
            f"{', '.join(changed)} {verb} with family={self.family!r}. Only balls and half-spaces "
            "use them: set family='balls' or 'half_spaces', or leave them at their defaults."
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            return tagged_by(self._families(), tags)
        except ValueError:
            return tags  # a parameter that makes no sense is fit's to refuse
