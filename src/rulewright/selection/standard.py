"""The default grid."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from rulewright.learners import GreedyTask, Penalty, Stage, covering_stages, listing_stages
from rulewright.selection.choosing import GreedyRun

PENALTIES: tuple[Penalty, ...] = (
    Fraction(1, 2),
    Fraction(1),
    Fraction(2),
    Fraction(5),
    Fraction(10),
    math.inf,
)
KINDS = ("conjunction", "disjunction")


def standard_kinds(classes: int) -> tuple[str, ...]:
    """Machines to try: both set covering machines for two classes, else lists."""
    return ("list",) if classes > 2 else KINDS


def standard_runs(task: GreedyTask, max_rules: float = 10, others: int = 0) -> list[GreedyRun]:
    """Runs of these machines over penalties.

    A run's ``point`` is the number of its penalty in ``PENALTIES``. ``others`` is the number of
    further settings to choose from, such as trees.
    """
    kinds = standard_kinds(task.n_classes)
    task = replace(task, settings=len(kinds) + others)
    return [
        GreedyRun(number, kind, task.costs, task, partial(_stages, p=p, max_rules=max_rules))
        for number, p in enumerate(PENALTIES)
        for kind in kinds
    ]


def _stages(task: GreedyTask, kind: Any, p: Penalty, max_rules: float) -> Iterator[Stage]:
    if kind == "list":
        return listing_stages(task, [p] * task.n_classes, max_rules)
    return covering_stages(task, kind, p, max_rules)
