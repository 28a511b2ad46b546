"""Options of the command line as parameters of estimators."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from rulewright.learners.base.greedy_task import Task


def parameters(task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
    """Give what was said, None meaning that it was not, and what holds for the task."""
    said = {name: _plain(value) for name, value in options.items() if value is not None}
    if task.costs is not None:
        said["class_costs"] = dict(zip(task.sample.classes, task.costs, strict=True))
    return said | {"delta": task.delta, "threads": task.threads, "random_state": task.seed}


def _plain(value: object) -> object:
    return value.value if isinstance(value, Enum) else value
