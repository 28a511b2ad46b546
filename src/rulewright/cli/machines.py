"""What rulewright fit does for --learner auto, scm and dlm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Annotated

import typer

from rulewright.cli.choices import Learner, best_of
from rulewright.cli.trees import PresetChoice, PruningChoice, search_trees
from rulewright.errors import InputError, preview
from rulewright.families import SpaceOptions
from rulewright.learners.base.greedy_task import Task, best_path
from rulewright.learners.base.parameters import read_kinds, read_max_rules, read_penalty
from rulewright.learners.dlm.search import listing_path
from rulewright.learners.scm.search import covering_path
from rulewright.models import PathEntry
from rulewright.render import number_text
from rulewright.selection import (
    PENALTIES,
    best_by_certificate,
    choices,
    make_runs,
    standard_runs,
)

PANEL = "scm and dlm"
STANDARD_TREES = (PresetChoice.CART, PresetChoice.C45)
"""The trees that auto tries, pruned by bound."""

MAX_RULES = 10
"""A machine has at most so many rules unless the command line says otherwise."""


class KindChoice(str, Enum):
    """Kinds of set covering machine."""

    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    BEST = "best"


Kind = Annotated[
    KindChoice | None,
    typer.Option(rich_help_panel=PANEL, help="scm: which machine; conjunction unless said."),
]
Penalty = Annotated[
    float | None,
    typer.Option(
        "--penalty",
        "-p",
        rich_help_panel=PANEL,
        help="Price of losing an example; 1 unless said.",
    ),
]
Types = Annotated[str, typer.Option(rich_help_panel=PANEL, help="dlm: simple or complex balls.")]
Consistent = Annotated[
    bool,
    typer.Option(
        "--consistent",
        rich_help_panel=PANEL,
        help="Classify the rows that rebuild the rules rightly.",
    ),
]


def search_all(
    task: Task, space: SpaceOptions, trees: Sequence[PresetChoice], max_rules: int
) -> tuple[PathEntry, list[PathEntry], str]:
    """Try machines over penalties, and trees; keep the best certificate, then the smallest."""
    tried = make_runs(standard_runs(task, read_max_rules(max_rules), len(trees)), prune=False)
    best = best_by_certificate(tried)
    run = best.tried.run
    machine = "dlm" if run.arrangement == "list" else f"scm, {run.arrangement}"
    how = f"{machine}, p = {number_text(float(PENALTIES[run.point]))}"
    found = [(best.entry, best.tried.path, how)]
    count = len(choices(tried))
    for preset in trees:
        grown = search_trees(
            task, space, None, preset, PruningChoice.BOUND, settings=run.task.settings
        )
        found.append(grown)
        count += len(grown[1])
    entry, path, how = min(found, key=lambda one: (task.worth(one[0].certificate), one[0].size))
    return entry, path, best_of(how, count)


def search(
    task: Task, learner: Learner, kind: KindChoice | None, p: float | None, max_rules: int
) -> tuple[PathEntry, list[PathEntry], str]:
    """Learn one machine of every size; the last is the model."""
    most = read_max_rules(max_rules)
    penalty = read_penalty(1.0 if p is None else p, "--penalty")
    if learner is Learner.DLM:
        path = listing_path(task, [penalty] * task.classes, most)
        return path[-1], path, f"dlm, p = {number_text(float(penalty))}"
    if task.classes > 2:
        raise InputError(
            f"A set covering machine tells two classes apart; column {task.sample.target!r} has "
            f"{task.classes}: {preview(task.sample.classes)}. Use --learner dlm, or merge classes."
        )
    kinds = read_kinds((kind or KindChoice.CONJUNCTION).value)
    task = replace(task, settings=len(kinds))
    runs = [covering_path(task, k, penalty, most) for k in kinds]
    path = best_path(task, runs)
    return (
        path[-1],
        path,
        f"scm, {(kind or KindChoice.CONJUNCTION).value}, p = {number_text(float(penalty))}",
    )
