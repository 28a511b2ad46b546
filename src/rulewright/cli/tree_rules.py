"""What rulewright fit does for --learner tree-rules."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any

import typer

from rulewright.cli.parameters import parameters
from rulewright.learners.base.greedy_task import Task
from rulewright.learners.tree_rules.settings import Settings
from rulewright.models import PathEntry

PANEL = "tree-rules"


class BaseChoice(str, Enum):
    """What the trials of a vote make."""

    RULES = "rules"
    TREES = "trees"


Trials = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="So many rulesets vote, each for what those before got wrong; 1 unless said, a list.",
    ),
]
Base = Annotated[
    BaseChoice | None,
    typer.Option(rich_help_panel=PANEL, help="What the trials make: rules, or pruned trees."),
]
Winnow = Annotated[
    bool,
    typer.Option(
        "--winnow",
        rich_help_panel=PANEL,
        help="Leave columns out that a tree of half of the rows can do without.",
    ),
]
Confidence = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="Of the errors to be expected, 0.25 unless said; less makes rules more general.",
    ),
]


def search_tree_rules(
    task: Task, options: Mapping[str, Any]
) -> tuple[PathEntry, list[PathEntry], str]:
    """Make rules of a tree, or of several; ``options`` are by name, None for what was not said."""
    said = parameters(task, options)
    said["costs"] = said.pop("class_costs", None)
    settings = Settings(**said)
    learnt = settings.learn(task.sample)
    how = "tree-rules"
    if settings.trials > 1:
        how += f", {settings.trials} trials of {settings.base}"
    if settings.winnow:
        how += f", {len(learnt.kept)} columns kept"
    return learnt.entry, [learnt.entry], how
