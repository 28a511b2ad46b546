"""Set covering machines, or decision lists for several classes, at the penalties of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rulewright.certificates import PoolMember
from rulewright.data import Counts
from rulewright.families import Family, as_families
from rulewright.learners import (
    ConstraintSettings,
    CountedTask,
    Deadline,
    Path,
    Sample,
    Settings,
    SpaceSettings,
    grow_list,
    grow_list_lazily,
    grow_machine,
    grow_machine_lazily,
    option,
    prepare_task,
    read_count,
    read_switch,
)
from rulewright.render import number_text
from rulewright.rules import without_anchors
from rulewright.selection.choosing import best_by_certificate, choices, make_runs
from rulewright.selection.standard import PENALTIES, standard_kinds, standard_runs


@dataclass(frozen=True, kw_only=True)
class MachineGrid(ConstraintSettings, SpaceSettings, Settings):
    """Settings of the machines of both kinds at all penalties of the usual grid."""

    learner: ClassVar[str] = "machines"
    summary: ClassVar[str] = "Set covering machines or decision lists at several penalties."
    first: ClassVar[str] = "family"

    family: Any = option("auto", "Family of predicates, or several.", "str, Family, or list")
    max_rules: int | None = option(
        10, "Maximum number of rules.", "int or None", read=read_count, parse=int
    )
    consistent: bool = option(
        False,
        "Require machines to classify their compression sets correctly.",
        "bool",
        read=read_switch,
    )

    def families(self) -> tuple[Family, ...]:
        return self.constrained(as_families(self.family, self.space_options()))

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        task = prepare_task(self, sample, Deadline(None), threads)
        max_rules = self.value("max_rules")
        found = []
        for penalty in PENALTIES:
            for kind in standard_kinds(task.n_classes):
                growing = (
                    grow_list(task, [penalty] * task.n_classes, max_rules)
                    if kind == "list"
                    else grow_machine(task, kind, penalty, max_rules)
                )
                how = _describe(kind, float(penalty))
                found += [PoolMember(grown.body, how) for grown in growing if not grown.idle]
        return found

    def candidates_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> list[PoolMember]:
        families = self.families()
        task = CountedTask(counts, sample.searched(families), families, deadline)
        max_rules = self.value("max_rules")
        found = []
        for penalty in PENALTIES:
            for kind in standard_kinds(task.classes):
                growing = (
                    grow_list_lazily(task, [penalty] * task.classes, max_rules)
                    if kind == "list"
                    else grow_machine_lazily(task, kind, penalty, max_rules)
                )
                how = _describe(kind, float(penalty))
                bodies = (machine.body for machine in growing if not machine.idle)
                found += [PoolMember(without_anchors(body), how) for body in bodies]
        return found

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        return self.find_among(sample, deadline, threads, 0)[0]

    def find_among(
        self, sample: Sample, deadline: Deadline, threads: int, others: int
    ) -> tuple[Path, int]:
        """Path of the best certificate, and how many machines were tried.

        ``others`` is the number of further settings to choose from.
        """
        task = prepare_task(self, sample, deadline, threads)
        tried = make_runs(standard_runs(task, self.value("max_rules"), others), prune=False)
        best = best_by_certificate(tried)
        run = best.tried.run
        how = _describe(run.arrangement, float(PENALTIES[run.point]))
        return Path(best.tried.path, best.place, how, task.costs), len(choices(tried))


def _describe(kind: str, penalty: float) -> str:
    machine = "dlm" if kind == "list" else f"scm, {kind}"
    return f"{machine}, penalty {number_text(penalty)}"
