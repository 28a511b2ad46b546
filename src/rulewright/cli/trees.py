"""What rulewright fit does for --learner tree."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Annotated

import typer

from rulewright.errors import InputError
from rulewright.families import SpaceOptions
from rulewright.learners.base.greedy_task import Task
from rulewright.learners.tree.layout import lay_out
from rulewright.learners.tree.presets import PRESETS, read_count, read_splits
from rulewright.learners.tree.search import Pruning, best_tree, tree_path
from rulewright.models import PathEntry

PANEL = "tree"


class PresetChoice(str, Enum):
    """Famous trees."""

    CART = "cart"
    C45 = "c4.5"
    ID3 = "id3"


class PruningChoice(str, Enum):
    """Ways to prune a tree."""

    BOUND = "bound"
    PESSIMISTIC = "pessimistic"
    REDUCED_ERROR = "reduced-error"
    NONE = "none"


Preset = Annotated[
    PresetChoice,
    typer.Option(rich_help_panel=PANEL, help="What its parts are, where --family does not say."),
]
Pruned = Annotated[
    PruningChoice,
    typer.Option(rich_help_panel=PANEL, help="What is cut off; bound keeps the best certificate."),
]
MaxLeaves = Annotated[
    int | None, typer.Option(rich_help_panel=PANEL, help="At most so many leaves.")
]


def search_trees(
    task: Task,
    space: SpaceOptions,
    families: Sequence[str] | None,
    preset: PresetChoice,
    pruning: PruningChoice,
    max_leaves: int | None = None,
    settings: int = 1,
) -> tuple[PathEntry, list[PathEntry], str]:
    """Grow, prune and certify a tree; by bound, choose among all sizes.

    ``settings`` is how many kinds of model the best is chosen from.
    """
    if task.consistent:
        raise InputError("--consistent is for set covering and decision list machines.")
    usual = PRESETS[preset.value]
    splits = read_splits(list(families or usual.splits), usual.splits, space)
    limits = {
        "max_leaves": read_count(max_leaves, "--max-leaves"),
        "min_leaf": usual.min_leaf,
        "min_split": 2 * usual.min_leaf,
    }
    layout = lay_out(task.training, splits, usual.criterion, usual.missing, limits)

    def worth(entry: PathEntry) -> float:
        return task.worth(entry.certificate)

    path = tree_path(
        task.sample,
        layout,
        task.sample.priced(task.costs),
        Pruning(pruning.value, seed=task.seed),
        task.delta,
        worth,
        settings,
        task.costs,
    )
    return (
        path[best_tree(path, worth, task.costs)],
        path,
        f"tree, {preset.value}, pruned by {pruning.value}",
    )
