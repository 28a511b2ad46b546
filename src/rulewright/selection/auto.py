"""Automatic choice among machines and trees by the best certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rulewright.families import Family, as_families
from rulewright.learners import (
    Deadline,
    Path,
    Sample,
    Settings,
    SpaceSettings,
    TreeSettings,
    certified_cost,
    option,
    prepare_task,
    read_count,
    read_switch,
)
from rulewright.render import number_text
from rulewright.selection.choosing import best_by_certificate, choices, make_runs
from rulewright.selection.standard import PENALTIES, standard_runs

PRESETS = ("cart", "c4.5")
"""Trees to try, pruned by bound."""


@dataclass(frozen=True, kw_only=True)
class AutoSettings(SpaceSettings, Settings):
    """Settings of the choice among machines and trees."""

    learner: ClassVar[str] = "auto"
    summary: ClassVar[str] = "Best certificate among scm, dlm and trees."
    first: ClassVar[str] = "max_rules"

    max_rules: int | None = option(
        10, "Maximum number of rules of a machine.", "int or None", read=read_count, parse=int
    )
    family: Any = option(
        "auto",
        "Family of predicates, or several; with one, only machines are tried.",
        "str, Family, or list of these",
        repeatable=True,
    )
    consistent: bool = option(
        False,
        "Require machines to classify their compression sets correctly; no trees are tried.",
        "bool",
        read=read_switch,
    )

    def families(self) -> tuple[Family, ...]:
        return as_families(self.family, self.space_options())

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        presets = PRESETS if self.family == "auto" and not self.consistent else ()
        task = prepare_task(self, sample, deadline, threads)
        tried = make_runs(standard_runs(task, self.value("max_rules"), len(presets)), prune=False)
        best = best_by_certificate(tried)
        run = best.tried.run
        machine = "dlm" if run.arrangement == "list" else f"scm, {run.arrangement}"
        how = f"{machine}, penalty {number_text(float(PENALTIES[run.point]))}"
        found = [Path(best.tried.path, best.place, how, task.costs)]
        for preset in presets:
            tree = TreeSettings(
                preset=preset, pruning="bound", class_costs=self.class_costs, delta=self.delta
            )
            path = tree.find_among(sample, deadline, threads, run.task.settings)
            how = f"tree, {preset}, bound pruning"
            found.append(Path(path.entries, path.chosen, how, task.costs))
        count = len(choices(tried)) + sum(len(path.entries) for path in found[1:])
        path = min(found, key=lambda one: (_worth(one), one.entry.size))
        how = f"{path.description}, the best certificate of {count}"
        return Path(path.entries, path.chosen, how, task.costs)


def _worth(path: Path) -> float:
    return certified_cost(path.entry.certificate, path.costs)
