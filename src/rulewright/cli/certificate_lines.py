"""What commands print of a certificate: the cost, the details, and the certified front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rulewright.certificates import (
    Certificate,
    CompressionCertificate,
    PathEntry,
    RegressionCertificate,
    SplitCertificate,
)
from rulewright.models import Model
from rulewright.render import class_text, cost_text, error_interval_text, percent_text
from rulewright.selection import cost_sentence, error_sentence, model_costs

KEY_DIGITS = 16
"""Number of digits of a key that are printed."""


def sentence_lines(model: Model) -> list[str]:
    """Return the sentences of a certificate, the cost first."""
    assert model.certificate is not None
    cost = cost_sentence(model)
    return [*([cost] if cost else []), error_sentence(model)]


def cost_json(model: Model) -> dict[str, Any]:
    """Return the costs of the classes that a model was chosen by, and the certified cost."""
    costs = model_costs(model)
    if costs is None:
        return {"class_costs": None, "cost_bound": None}
    certificate: Certificate | None = model.certificate
    return {
        "class_costs": dict(zip(map(str, model.classes), costs, strict=True)),
        "cost_bound": None if certificate is None else certificate.cost_bound(costs),
    }


def detail_lines(certificate: Certificate, model: Model) -> list[str]:
    """Return what a certificate is made of, for ``--verbose``."""
    lines = []
    if isinstance(certificate, CompressionCertificate) and certificate.examples:
        lines = [_examples_line(certificate, model)]
    if isinstance(certificate, SplitCertificate):
        recipe = certificate.recipe
        lines = [
            certificate.details,
            error_interval_text(*certificate.interval, certificate.delta),
            _recipe_line(recipe, certificate.key),
        ]
    parts = [f"{what} {nats / math.log(2):.1f} bits" for what, nats in certificate.message]
    return [*lines, *([f"Message: {'; '.join(parts)}."] if parts else [])]


def _examples_line(certificate: CompressionCertificate, model: Model) -> str:
    """Rows of the compression set by type, and their classes by role."""
    typed = certificate.typed_subsets(model)
    rows = (f"{name} {', '.join(map(str, rows))}" for name, rows in typed.items() if rows)
    classes = (
        f"{role} "
        + ", ".join(
            f"{count} {class_text(label)}"
            for label, count in zip(model.classes, counts, strict=True)
            if count
        )
        for role, counts in certificate.role_counts.items()
        if sum(counts)
    )
    return f"Compression set: rows {'; '.join(rows)}. Classes: {'; '.join(classes)}."


def _recipe_line(recipe: dict[str, Any], key: str) -> str:
    return (
        f"Recipe: {recipe['learner']} of version {recipe['version']}; key of the splits "
        f"{key[:KEY_DIGITS]}..."
    )


def regression_lines(certificate: RegressionCertificate, *, verbose: bool) -> list[str]:
    """Return the sentence of the certificate of a regression model, with details if verbose."""
    details = [certificate.details, _recipe_line(certificate.recipe, certificate.key)]
    return [certificate.sentence, *(details if verbose else [])]


def regression_json(certificate: RegressionCertificate) -> dict[str, Any]:
    """Return the certificate of a regression model, and values computed from it, as JSON values."""
    return {
        **certificate.to_json(),
        "mean_error": certificate.mean_error,
        "text": str(certificate),
    }


def front_lines(
    front: Sequence[PathEntry], chosen: Model, costs: Sequence[Any] | None
) -> list[str]:
    """Return a table of the certified front; a star marks the chosen model."""
    head = ["size", *(["cost at most"] if costs else []), "wrong at most", "tests"]
    rows = [head, *(_front_row(entry, costs) for entry in front)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    marks = [" ", *("*" if entry.model == chosen else " " for entry in front)]
    lines = [
        f"{mark} " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for mark, row in zip(marks, rows, strict=True)
    ]
    if "*" not in marks:
        lines.append("The chosen model is not on the front.")
    return ["Models with a better certificate than all smaller ones (* chosen):", *lines]


def _front_row(entry: PathEntry, costs: Sequence[Any] | None) -> list[str]:
    certificate = entry.certificate
    cost = [cost_text(certificate.cost_bound(list(map(float, costs))))] if costs else []
    tests = str(entry.model.body.literals)
    return [str(entry.size), *cost, percent_text(certificate.bound), tests]


def front_json(front: Sequence[PathEntry], costs: Sequence[Any] | None) -> list[dict[str, Any]]:
    """Return the certified front as JSON values."""
    return [
        {
            "size": entry.size,
            "bound": entry.certificate.bound,
            "literals": entry.model.body.literals,
            "cost_bound": entry.certificate.cost_bound(list(map(float, costs))) if costs else None,
            "model": str(entry.model),
        }
        for entry in front
    ]
