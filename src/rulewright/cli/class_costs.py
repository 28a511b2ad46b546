"""Costs of classes from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from rulewright.errors import preview


def costs_from_texts(texts: Sequence[str], classes: Sequence[Any]) -> Any:
    """Costs from the command line; classes are named as they are printed."""
    if list(texts) == ["balanced"]:
        return "balanced"
    names = {str(label): label for label in classes}
    costs: dict[Any, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            label, cost = names[name], float(number)
        except (KeyError, ValueError) as error:
            raise typer.BadParameter(
                f"--class-costs {text}: write CLASS=NUMBER with a number above 0; the classes are "
                f"{preview(list(names))}."
            ) from error
        if label in costs:
            raise typer.BadParameter(f"--class-costs {text}: class {name} has a cost already.")
        costs[label] = cost
    return costs
