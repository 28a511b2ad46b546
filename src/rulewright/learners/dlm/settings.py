"""Settings of the decision list machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rulewright.certificates import PathEntry
from rulewright.learners.base.counted_models import CountedMachine
from rulewright.learners.base.counted_search import CountedTask
from rulewright.learners.base.greedy import GreedySettings
from rulewright.learners.base.greedy_task import GreedyTask, Grown, Stage
from rulewright.learners.base.parameters import parse_penalties, read_penalties
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import option
from rulewright.learners.base.space_settings import SPACES
from rulewright.learners.base.usefulness import Penalty
from rulewright.learners.dlm.lazy_search import grow_list_lazily
from rulewright.learners.dlm.search import (
    COVERAGE,
    LATER_CLASS,
    grow_list,
    listing_path,
    listing_stages,
)
from rulewright.render import number_text
from rulewright.rules import RuleList


@dataclass(frozen=True, kw_only=True)
class DlmSettings(GreedySettings):
    """Settings of the decision list machine."""

    learner: ClassVar[str] = "dlm"
    summary: ClassVar[str] = "Decision list machine: a list of single tests, any number of classes."
    first: ClassVar[str] = "family"
    absent_parameters: ClassVar[Mapping[str, Any]] = {"ties": COVERAGE}

    penalty: Any = option(
        1.0,
        "Price of an example that a rule answers wrong, in examples answered right; of two classes "
        "also two, of positives and of negatives.",
        "float, pair of floats, or dict of label to float",
        parse=parse_penalties,
        details="A pair (on the command line ``2,0.5``) is for the positive and the negative class "
        "of two, the second class being the positive one. With infinity, rules answer no example "
        "wrong where possible.",
    )
    types: str = option(
        "simple",
        "Types of balls: simple or complex.",
        choices=("simple", "complex"),
        details="Simple balls answer with their centre's class inside (the papers' Pi and Ni); "
        "complex ones also with another class outside (Po and No).",
        group=SPACES,
    )

    ties: str = option(
        LATER_CLASS,
        "Of equally useful rules take that of the later class, or of more coverage.",
        choices=(LATER_CLASS, COVERAGE),
        details="Only rules for different classes: of one class, the rule that covers more is "
        "taken. The later of two classes is the positive one.",
    )

    def arrangements(self) -> tuple[str, ...]:
        return ("list",)

    def stages(self, task: GreedyTask, arrangement: str) -> Iterator[Stage]:
        return listing_stages(task, *self._search_values(task))

    def run(self, task: GreedyTask, arrangement: str) -> list[PathEntry]:
        return listing_path(task, *self._search_values(task))

    def growing(self, task: GreedyTask, arrangement: str) -> Iterator[Grown]:
        return grow_list(task, *self._search_values(task))

    def growing_lazily(
        self, task: CountedTask, sample: Sample, arrangement: str
    ) -> Iterator[CountedMachine]:
        return grow_list_lazily(task, *self._values(sample))

    def constant(self, majority: int) -> RuleList:
        return RuleList((), majority)

    def is_plain(self, sample: Sample) -> bool:
        return all(penalty == 1 for penalty in read_penalties(self.penalty, sample.classes))

    def _search_values(self, task: GreedyTask) -> tuple[list[Penalty], Any, Any]:
        return self._values(task.sample)

    def _values(self, sample: Sample) -> tuple[list[Penalty], Any, Any]:
        penalties = read_penalties(self.penalty, sample.classes)
        return penalties, self.value("max_rules"), self.value("ties")

    def describe(self) -> str:
        single = isinstance(self.penalty, int | float)
        return f"dlm, penalty {number_text(float(self.penalty))}" if single else "dlm"
