"""The certified front on the page: a chart whose models can be opened, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry, SplitCertificate, certified_front
from rulewright.learners import entry_worth
from rulewright.render import cost_text, count_text, percent_text
from rulewright.report.charts import error_name, error_share, is_checked, path_plot
from rulewright.report.plots import HEIGHT, WIDTH
from rulewright.rules import Tree, reanchored
from rulewright.selection import error_sentence

LEFT, TOP, RIGHT, BOTTOM = 72.0, 44.0, 40.0, 54.0
"""Margins of the chart."""

MAX_OPENED = 24
"""Maximum number of models that can be opened besides the front."""

MAX_LINES = 60
"""Maximum number of lines of a model that is opened."""


def front_facts(
    chosen: PathEntry,
    path: Sequence[PathEntry],
    costs: Sequence[Fraction] | None,
    row_numbers: NDArray[np.intp] | None = None,
) -> dict[str, Any] | None:
    """Return the chart of all models, and those that can be opened; None if there is one model.

    ``row_numbers`` are the numbers of the rows on the page, where they are not 0, 1, 2, ...
    """
    if len(path) < 2:
        return None
    given = None if costs is None or not is_checked(chosen.certificate) else costs
    worth = partial(entry_worth, costs=given)
    numbers = None if given is None else [float(cost) for cost in given]
    front = certified_front(path, worth)
    here = _in_path(chosen, path)
    others = [entry for entry in path if not any(entry is known for known in front)]
    offered = sorted(others, key=lambda entry: (entry is not here, worth(entry)))[:MAX_OPENED]
    models = sorted([*front, *offered], key=lambda entry: entry.size)
    one, many = _units(chosen, path)
    plot = path_plot(path, chosen.size, numbers)
    places = {id(entry): point for entry, point in zip(path, plot["bound"], strict=True)}
    return {
        **plot,
        "what": "certified cost" if given else "certified bound",
        "beside": "mean cost of a check row" if given else error_name(chosen.certificate),
        "checked": is_checked(chosen.certificate),
        "at_once": bool(front),
        "by_cost": given is not None,
        "one": one,
        "many": many,
        "trees": many == "rules" and any(isinstance(e.model.body, Tree) for e in path),
        "models": [
            _model_facts(entry, places[id(entry)], worth(entry), given is not None)
            | {"text": _text(entry, row_numbers)}
            | {
                "front": any(entry is known for known in front),
                "chosen": entry is here,
            }
            for entry in models
        ],
    }


def _in_path(chosen: PathEntry, path: Sequence[PathEntry]) -> PathEntry | None:
    """Return the entry of the path that is the chosen model."""
    same = [entry for entry in path if entry.size == chosen.size]
    return next((entry for entry in same if entry.model.body == chosen.model.body), None)


def _units(chosen: PathEntry, path: Sequence[PathEntry]) -> tuple[str, str]:
    """Return the words for the size of a model: rule, or leaf where only trees are compared."""
    if isinstance(chosen.certificate, SplitCertificate):  # a tree has as many as leaves but one
        return "rule", "rules"
    return ("leaf", "leaves") if isinstance(chosen.model.body, Tree) else ("rule", "rules")


def _text(entry: PathEntry, row_numbers: NDArray[np.intp] | None) -> str:
    """Return a model as text, cut off where it is long."""
    model = entry.model
    if row_numbers is not None:
        model = replace(model, body=reanchored(model.body, row_numbers))
    lines = str(model).splitlines()
    more = [f"... and {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return "\n".join(lines[:MAX_LINES] + more)


def _model_facts(
    entry: PathEntry, point: dict[str, Any], worth: float, by_cost: bool
) -> dict[str, Any]:
    bound = percent_text(entry.certificate.bound)
    return {
        "left": 100 * (point["x"] + LEFT) / (LEFT + WIDTH + RIGHT),
        "top": 100 * (point["y"] + TOP) / (TOP + HEIGHT + BOTTOM),
        "size": entry.size,
        "tests": count_text(entry.model.body.literals, "test"),
        "literals": entry.model.body.literals,
        "bound": bound,
        "worth": f"cost at most {cost_text(worth)}" if by_cost else f"at most {bound} wrong",
        "cost": cost_text(worth) if by_cost else None,
        "error": f"{100 * error_share(entry.errors, entry.certificate):.1f} %",
        "sentence": error_sentence(entry.model),
    }
