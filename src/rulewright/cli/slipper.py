"""What rulewright fit does for --learner slipper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from rulewright.cli.parameters import parameters
from rulewright.learners.base.greedy_task import Task
from rulewright.learners.slipper.settings import SlipperSettings
from rulewright.models import PathEntry

PANEL = "slipper"

Rounds = Annotated[
    int | None,
    typer.Option(
        min=1,
        rich_help_panel=PANEL,
        help="Rounds of boosting; chosen by cross-validation unless said.",
    ),
]


def search_slipper(
    task: Task, options: Mapping[str, Any]
) -> tuple[PathEntry, list[PathEntry], str]:
    """Boost rules, as often as was said or as cross-validation says."""
    entry, made = SlipperSettings(**parameters(task, options)).learnt(task.sample)
    counts = sorted(set(made.values()))
    said = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1]))))
    return entry, [entry], f"slipper, {said} rounds"
