"""Everything the page says, as plain values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.models import Model, PathEntry, cautions
from rulewright.render import (
    class_text,
    condition_text,
    confidence_text,
    percent_text,
    predicate_text,
)
from rulewright.report.plots import path_plot, rule_plot, scale_plot
from rulewright.rules import Conjunction, Disjunction, Predicate

MOST_EXAMPLES = 30


def facts(
    entry: PathEntry,
    path: Sequence[PathEntry],
    table: Table,
    y: NDArray[np.int32],
    *,
    title: str,
    row_numbers: NDArray[np.intp] | None = None,
    checks: Sequence[str] = (),
) -> dict[str, Any]:
    """Gather what a report says about a model.

    Parameters
    ----------
    entry : PathEntry
        The model, its errors and its certificate.
    path : sequence of PathEntry
        All sizes of the same machine.
    table, y : the training data and its class numbers
    title : str
    row_numbers : array
        The numbers of the rows for a reader, where they are not 0, 1, 2, ...
    checks : sequence of str
        Commands by which a reader can check the certificate again.
    """
    model, certificate = entry.model, entry.certificate
    classes = [class_text(label) for label in model.classes]
    return {
        "title": title,
        "classes": classes,
        "counts": np.bincount(y, minlength=len(classes)).tolist(),
        "rows": table.rows,
        "columns": len(table.columns),
        "target": model.target,
        "sentence": str(certificate),
        "cautions": cautions(model, table),
        "bound": percent_text(certificate.bound),
        "miss_rate": percent_text(certificate.miss_rate_bound),
        "false_alarm": percent_text(certificate.false_alarm_bound),
        "confidence": confidence_text(certificate.delta),
        "head": _head(model, classes),
        "rules": _rules(model, classes),
        "scale": scale_plot(certificate, entry.errors),
        "path": path_plot(path, entry.size) if len(path) > 1 else None,
        "plots": _plots(model, table, y, len(classes)),
        "confusion": _confusion(model, table, y, classes),
        "examples": _examples(model, table, y, classes, row_numbers),
        "message": [(what, f"{nats / math.log(2):.1f}") for what, nats in certificate.message],
        "bits": f"{certificate.message_nats / math.log(2):.1f}",
        "others": certificate.m - len(certificate.examples),
        "errors": certificate.errors,
        "missing": _missing(table),
        "checks": list(checks),
    }


def _parts(model: Model) -> tuple[Predicate, ...]:
    body = model.body
    return body.parts if isinstance(body, Conjunction | Disjunction) else ()


def _head(model: Model, classes: Sequence[str]) -> dict[str, str]:
    body = model.body
    if not isinstance(body, Conjunction | Disjunction):
        return {"then": "", "how": str(model), "otherwise": ""}
    if not body.parts:
        return {"then": classes[model.rules[-1].output], "how": "always", "otherwise": ""}
    return {
        "then": classes[body.then],
        "how": condition_text(body),
        "otherwise": classes[body.otherwise],
    }


def _rules(model: Model, classes: Sequence[str]) -> list[dict[str, Any]]:
    everything = sum(answered for answered, _ in model.support)
    parts = _parts(model)
    rules = []
    counted = zip(model.rules, model.support, strict=True)
    for number, (rule, (answered, right)) in enumerate(counted):
        rules.append(
            {
                "number": number + 1,
                "said": predicate_text(parts[number]) if number < len(parts) else None,
                "answers": model.rule_text(number),
                "class": rule.output,
                "label": classes[rule.output],
                "support": f"{answered:g}",
                "coverage": answered / everything if everything else 0.0,
                "precision": right / answered if answered else None,
            }
        )
    return rules


def _plots(model: Model, table: Table, y: NDArray[np.int32], classes: int) -> list[dict[str, Any]]:
    plots = []
    for number, part in enumerate(_parts(model)):
        plot = rule_plot(part, table, y, classes)
        if plot is not None:
            plots.append(plot | {"number": number + 1, "title": predicate_text(part)})
    return plots


def _confusion(
    model: Model, table: Table, y: NDArray[np.int32], classes: Sequence[str]
) -> list[dict[str, Any]]:
    answers = model.body.classify(table)
    counts = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(counts, (y, answers), 1)
    return [{"label": c, "counts": row} for c, row in zip(classes, counts.tolist(), strict=True)]


def _examples(
    model: Model,
    table: Table,
    y: NDArray[np.int32],
    classes: Sequence[str],
    row_numbers: NDArray[np.intp] | None,
) -> dict[str, Any]:
    anchors = np.array(model.body.anchors, np.intp)
    shown = anchors[:MOST_EXAMPLES]
    here = table.select(model.body.columns).take(shown)
    numbers = shown if row_numbers is None else row_numbers[shown]
    labels = [classes[code] for code in y[shown]]
    cells = [["" if cell is None else str(cell) for cell in c.cells()] for c in here.columns]
    return {
        "columns": here.names,
        "rows": [
            {"row": row, "label": label, "cells": line}
            for row, label, *line in zip(numbers.tolist(), labels, *cells, strict=True)
        ],
        "more": anchors.size - shown.size,
    }


def _missing(table: Table) -> list[dict[str, Any]]:
    counts = [(column.name, int(column.missing.sum())) for column in table.columns]
    return [
        {"name": name, "count": count, "share": f"{100 * count / table.rows:.1f} %"}
        for name, count in counts
        if count
    ]
