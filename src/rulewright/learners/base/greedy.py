"""Settings of the machines that choose predicates from families one after the other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rulewright.certificates import PathEntry, PoolMember
from rulewright.data import Counts
from rulewright.errors import InputError
from rulewright.families import Family, as_families
from rulewright.learners.base.constraint_settings import ConstraintSettings
from rulewright.learners.base.counted_models import CountedMachine, counted_path
from rulewright.learners.base.counted_search import CountedTask
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.greedy_task import GreedyTask, Grown, Stage, best_path
from rulewright.learners.base.monotonicity import read_monotonic_cst
from rulewright.learners.base.notices import warn
from rulewright.learners.base.parameters import read_count, read_switch
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Path, TimedSettings, option
from rulewright.learners.base.space_settings import SpaceSettings
from rulewright.rules import Arrangement, without_anchors


@dataclass(frozen=True, kw_only=True)
class GreedySettings(ConstraintSettings, SpaceSettings, TimedSettings):
    """Settings of a greedy machine."""

    needs_rows: ClassVar[tuple[str, ...]] = (
        "class_costs",
        "polish",
        "consistent",
        "monotonic_cst",
        "round_cuts",
        "cuts",
        "max_columns",
        "interactions",
    )
    rounds: ClassVar[tuple[str, str]] = ("rule", "max_rules")

    family: Any = option(
        "auto",
        "Family of tests: auto, thresholds, intervals, midpoints, coarse, categories, "
        "subsets, missing, given, balls, half_spaces, half_planes.",
        "str, Family, or list of these",
        repeatable=True,
        details='"auto" is thresholds, categories and missing. Each step takes the best predicate '
        "of all families. A Family has options of its own, for example "
        '``rulewright.families.GivenPredicates(functions={"name": function})``.',
    )
    max_rules: int | None = option(
        10, "Maximum number of rules.", "int or None", read=read_count, parse=int
    )
    consistent: bool = option(
        False,
        "Require the machine to classify its compression set correctly.",
        "bool",
        read=read_switch,
        details="The message then leaves borders out, which makes it shorter.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_consistent(self.polish, self.consistent)

    @abstractmethod
    def arrangements(self) -> tuple[str, ...]:
        """Kinds of machine to choose from."""

    @abstractmethod
    def stages(self, task: GreedyTask, arrangement: str) -> Iterator[Stage]:
        """Machines of all sizes of one kind, from one greedy run."""

    @abstractmethod
    def run(self, task: GreedyTask, arrangement: str) -> list[PathEntry]:
        """Path of one kind, which ends with the machine to keep."""

    @abstractmethod
    def growing(self, task: GreedyTask, arrangement: str) -> Iterator[Grown]:
        """Machines of all sizes of one kind, without certificates."""

    @abstractmethod
    def growing_lazily(
        self, task: CountedTask, sample: Sample, arrangement: str
    ) -> Iterator[CountedMachine]:
        """Machines of all sizes of one kind, from counts."""

    @abstractmethod
    def constant(self, majority: int) -> Arrangement:
        """Machine that has no rules."""

    @abstractmethod
    def is_plain(self, sample: Sample) -> bool:
        """Whether a lost example costs as much as a covered one gains."""

    @abstractmethod
    def describe(self) -> str:
        """Describe the machine in a few words."""

    def families(self) -> tuple[Family, ...]:
        return self.constrained(as_families(self.family, self.space_options()))

    def codes(self) -> tuple[Any, ...]:
        families = self.families()
        return tuple((families, bool(self.consistent), kind) for kind in self.arrangements())

    def task(
        self, sample: Sample, deadline: Deadline, threads: int, settings: int | None = None
    ) -> GreedyTask:
        """Prepare the search; ``settings`` is the number of settings to choose from."""
        count = len(self.arrangements()) if settings is None else settings
        return prepare_task(self, sample, deadline, threads, count)

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        task = self.task(sample, Deadline(None), threads)
        return [
            PoolMember(grown.body, self.describe())
            for kind in self.arrangements()
            for grown in self.growing(task, kind)
            if not grown.idle
        ]

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        task = self.task(sample, deadline, threads)
        paths: Sequence[list[PathEntry]] = [self.run(task, kind) for kind in self.arrangements()]
        entries = best_path(task, paths)
        deadline.warn(f"the model has {entries[-1].size} rules.")
        return Path(entries, len(entries) - 1, self.describe(), task.costs)

    def find_lazily(self, counts: Counts, sample: Sample, deadline: Deadline) -> Path:
        if len(self.arrangements()) > 1:
            raise InputError(
                f"kind='best' compares certificates, which a lazy table does not have. Set kind to "
                f"{' or '.join(self.arrangements())}, or collect the rows first."
            )
        task = self._counted_task(counts, sample, deadline)
        machines = list(self.growing_lazily(task, sample, self.arrangements()[0]))
        always = self.constant(int(counts.class_counts.argmax()))
        keep_all = not self.is_plain(sample)
        entries = counted_path(machines, always, counts, sample, keep_all=keep_all)
        deadline.warn(f"the model has {entries[-1].size} rules.")
        return Path(entries, len(entries) - 1, self.describe())

    def candidates_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> list[PoolMember]:
        task = self._counted_task(counts, sample, deadline)
        return [
            PoolMember(without_anchors(machine.body), self.describe())
            for kind in self.arrangements()
            for machine in self.growing_lazily(task, sample, kind)
            if not machine.idle
        ]

    def _counted_task(self, counts: Counts, sample: Sample, deadline: Deadline) -> CountedTask:
        families = self.families()
        self.warn_of_unused(families, self.family)
        return CountedTask(counts, sample.searched(families), families, deadline)


def refuse_consistent(polish: bool, consistent: bool) -> None:
    """Refuse polishing of machines that must classify their compression sets correctly."""
    if polish and consistent:
        raise InputError(
            "polish=True and consistent=True exclude each other: a polished machine may "
            "misclassify its compression set. Set one of them to False."
        )


def prepare_task(
    settings: Any, sample: Sample, deadline: Deadline, threads: int, count: int = 1
) -> GreedyTask:
    """Prepare a greedy search, and warn where not all candidates are tried.

    ``count`` is the number of settings to choose from.
    """
    families = settings.families()
    settings.warn_of_unused(families, settings.family)
    task = GreedyTask(
        sample,
        families,
        settings.delta,
        settings.consistent,
        threads,
        settings.max_candidates,
        settings.seed,
        count,
        settings.costs(sample),
        deadline,
        settings.value("max_columns"),
        settings.value("interactions"),
        read_monotonic_cst(settings.monotonic_cst, sample),
    )
    for notice in task.notices():
        warn(notice)
    return task
