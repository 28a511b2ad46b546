"""What rulewright fit does for --learner ripper."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any

import typer

from rulewright.cli.parameters import parameters
from rulewright.learners.base.greedy_task import Task
from rulewright.learners.ripper.settings import RipperSettings
from rulewright.models import PathEntry

PANEL = "ripper"


class AlgorithmChoice(str, Enum):
    """RIPPER and what it came from."""

    RIPPER = "ripper"
    IREP = "irep"


Optimisations = Annotated[
    int | None,
    typer.Option(
        "--optimisations",
        "-k",
        min=0,
        rich_help_panel=PANEL,
        help="Rounds in which every rule may be replaced or revised: 2 unless said; 0 is IREP*.",
    ),
]
Pruning = Annotated[
    bool,
    typer.Option(
        "--prune/--no-prune",
        rich_help_panel=PANEL,
        help="Whether rules are pruned on a third of the rows.",
    ),
]
Algorithm = Annotated[
    AlgorithmChoice | None,
    typer.Option(rich_help_panel=PANEL, help="RIPPER (unless said), or the older IREP."),
]
MinCovered = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=PANEL, help="A rule covers at least so many rows when grown; 1 unless said."
    ),
]


def search_ripper(task: Task, options: Mapping[str, Any]) -> tuple[PathEntry, list[PathEntry], str]:
    """Learn a list of rules by RIPPER; ``options`` are its parameters, None for not said."""
    settings = RipperSettings(**parameters(task, options))
    path = settings.path(task.sample)
    return path[0], path, settings.name
