"""Settings of the set covering machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rulewright.certificates import PathEntry
from rulewright.learners.base.counted_models import CountedMachine
from rulewright.learners.base.counted_search import CountedTask
from rulewright.learners.base.greedy import GreedySettings
from rulewright.learners.base.greedy_task import GreedyTask, Grown, Stage
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import option
from rulewright.learners.scm.lazy_search import grow_machine_lazily
from rulewright.learners.scm.search import (
    COVERAGE,
    LOSSES,
    covering_path,
    covering_stages,
    grow_machine,
)
from rulewright.models import read_penalty
from rulewright.render import number_text
from rulewright.rules import Conjunction

KINDS = {
    "conjunction": ("conjunction",),
    "disjunction": ("disjunction",),
    "best": ("conjunction", "disjunction"),
}


@dataclass(frozen=True, kw_only=True)
class ScmSettings(GreedySettings):
    """Settings of the set covering machine."""

    learner: ClassVar[str] = "scm"
    summary: ClassVar[str] = "Set covering machine: a conjunction or disjunction of predicates."
    first: ClassVar[str] = "kind"
    max_classes: ClassVar[int | None] = 2
    absent_parameters: ClassVar[Mapping[str, Any]] = {"ties": COVERAGE}

    kind: str = option(
        "conjunction",
        "Kind of machine: conjunction, disjunction or best, the better of the two.",
        choices=tuple(KINDS),
        details="A conjunction answers with the second class where all its predicates hold, a "
        'disjunction where any of them does. The certificate of "best" pays for the choice.',
    )
    penalty: float = option(
        1.0,
        "Price of an example that a predicate loses, in examples that it covers.",
        "float",
        read=read_penalty,
        parse=float,
        details="With infinity, predicates lose no example where possible.",
    )
    ties: str = option(
        LOSSES,
        "Of equally useful predicates take the one of fewer losses, or of more coverage.",
        choices=(LOSSES, COVERAGE),
    )

    def arrangements(self) -> tuple[str, ...]:
        return KINDS[self.kind]

    def stages(self, task: GreedyTask, arrangement: str) -> Iterator[Stage]:
        return covering_stages(task, arrangement, *self._search_values())

    def run(self, task: GreedyTask, arrangement: str) -> list[PathEntry]:
        return covering_path(task, arrangement, *self._search_values())

    def growing(self, task: GreedyTask, arrangement: str) -> Iterator[Grown]:
        return grow_machine(task, arrangement, *self._search_values())

    def growing_lazily(
        self, task: CountedTask, sample: Sample, arrangement: str
    ) -> Iterator[CountedMachine]:
        return grow_machine_lazily(task, arrangement, *self._search_values())

    def constant(self, majority: int) -> Conjunction:
        return Conjunction((), then=majority, otherwise=1 - majority)

    def is_plain(self, sample: Sample) -> bool:
        return bool(self.value("penalty") == 1)

    def _search_values(self) -> tuple[Any, Any, Any]:
        return self.value("penalty"), self.value("max_rules"), self.value("ties")

    def describe(self) -> str:
        return f"scm, {self.kind}, penalty {number_text(float(self.penalty))}"
