"""Training examples that a model is anchored on, and the scalings of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import Certificate
from rulewright.data import Table
from rulewright.render import number_text, predicate_renderer
from rulewright.rules import Arrangement, Leaf, Scaling, Tree, literals_of, scalings_of

MAX_USES = 5
"""Maximum number of roles of an example that are listed."""
MAX_EXAMPLES = 60


def examples_table(
    body: Arrangement,
    certificate: Certificate,
    table: Table,
    y: NDArray[np.int32],
    classes: Sequence[str],
    row_numbers: NDArray[np.intp] | None,
) -> dict[str, Any]:
    """Return the examples that the rules are anchored on, in the order of their use.

    An example is not needed where its test makes no difference to any answer.
    """
    uses = _uses(body)
    everywhere = [*uses, *(row for row in body.anchors if row not in uses)]
    needed = set(certificate.examples) if certificate.roles else set(everywhere)
    anchors = np.array([row for row in everywhere if row in needed], np.intp)
    shown = anchors[:MAX_EXAMPLES]
    here = table.select(body.columns).take(shown)
    numbers = shown if row_numbers is None else row_numbers[shown]
    cells = [["" if cell is None else str(cell) for cell in c.cells()] for c in here.columns]
    rows = [
        {
            "row": number,
            "class": int(y[row]),
            "label": classes[y[row]],
            "use": _uses_text(uses.get(row, [])),
            "cells": list(line),
        }
        for row, number, *line in zip(shown.tolist(), numbers.tolist(), *cells, strict=True)
    ]
    known = set(anchors.tolist())
    others = {
        name: sum(row not in known for row in rows) for name, rows in certificate.roles.items()
    }
    return {
        "columns": here.names,
        "rows": rows,
        "more": anchors.size - shown.size,
        "spare": len(everywhere) - anchors.size,
        "others": [(name, count) for name, count in others.items() if count],
        "all": len(certificate.examples),
    }


def _uses_text(uses: list[str]) -> str:
    """Return the first few roles of an example, and how many there are besides."""
    if len(uses) <= MAX_USES:
        return "; ".join(uses)
    return f"{'; '.join(uses[: MAX_USES - 1])}; and {len(uses) - MAX_USES + 1} more"


def _uses(body: Arrangement) -> dict[int, list[str]]:
    """Return the roles of each example in rules, or in tests of a tree, in their order."""
    uses: dict[int, list[str]] = {}
    word = "test" if isinstance(body, Tree) else "rule"
    users = [child for child in body.children if not isinstance(child, Leaf)]
    for number, user in enumerate(users, 1):
        for literal in literals_of(user):
            parts = predicate_renderer(literal).anchor_roles
            for part, row in zip(parts, getattr(literal, "anchored_on", ()), strict=False):
                uses.setdefault(row, []).append(f"{word} {number}: {part}")
    return {row: list(dict.fromkeys(roles)) for row, roles in uses.items()}


def scaling_tables(body: Arrangement) -> list[dict[str, Any]]:
    """Return the scalings and the filled values of balls and half-spaces, each once."""
    tables: list[dict[str, Any]] = []
    for on, scaling in scalings_of(body):
        if scaling.kind != "none":
            tables.append({"kind": scaling.kind, "rows": _scaling_rows(on, scaling)})
        if scaling.fill:
            numbers = zip(on, map(number_text, scaling.fill), strict=True)
            tables.append({"kind": "fill", "rows": list(numbers)})
    return tables


def _scaling_rows(on: Sequence[str], scaling: Scaling) -> list[list[str]]:
    if scaling.kind == "standard":
        ways = zip(on, scaling.shift, scaling.unit, strict=True)
        return [[name, number_text(shift), number_text(unit)] for name, shift, unit in ways]
    return [
        [name, str(len(knots)), number_text(min(knots)), number_text(max(knots))]
        for name, knots in zip(on, scaling.knots, strict=True)
    ]
