"""Settings of the decision list machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from rulewright.certificates import PathEntry
from rulewright.learners.base.greedy import GreedySettings
from rulewright.learners.base.greedy_task import GreedyTask, Grown, Stage
from rulewright.learners.base.parameters import read_penalties
from rulewright.learners.base.settings import option
from rulewright.learners.base.space_settings import SPACES
from rulewright.learners.dlm.search import grow_list, listing_path, listing_stages
from rulewright.render import number_text


@dataclass(frozen=True, kw_only=True)
class DlmSettings(GreedySettings):
    """Settings of the decision list machine."""

    learner: ClassVar[str] = "dlm"
    summary: ClassVar[str] = "Decision list machine: a list of single tests, any number of classes."
    first: ClassVar[str] = "family"

    penalty: Any = option(
        1.0,
        "Price of an example that a rule answers wrong, in examples that it answers right.",
        "float, pair of floats, or dict of label to float",
        parse=float,
        details="A pair is for the positive and the negative class of two, the second class being "
        "the positive one. With infinity, rules answer no example wrong where possible.",
    )
    types: str = option(
        "simple",
        "Types of balls: simple or complex.",
        choices=("simple", "complex"),
        details="Simple balls answer with their centre's class inside (the papers' Pi and Ni); "
        "complex ones also with another class outside (Po and No).",
        group=SPACES,
    )

    def arrangements(self) -> tuple[str, ...]:
        return ("list",)

    def stages(self, task: GreedyTask, arrangement: str) -> Iterator[Stage]:
        penalties = read_penalties(self.penalty, task.sample.classes)
        return listing_stages(task, penalties, self.value("max_rules"))

    def run(self, task: GreedyTask, arrangement: str) -> list[PathEntry]:
        penalties = read_penalties(self.penalty, task.sample.classes)
        return listing_path(task, penalties, self.value("max_rules"))

    def growing(self, task: GreedyTask, arrangement: str) -> Iterator[Grown]:
        penalties = read_penalties(self.penalty, task.sample.classes)
        return grow_list(task, penalties, self.value("max_rules"))

    def describe(self) -> str:
        single = isinstance(self.penalty, int | float)
        return f"dlm, penalty {number_text(float(self.penalty))}" if single else "dlm"
