"""Everything the page says, as plain values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.models import Model, PathEntry, RegressionModel
from rulewright.render import (
    NO_ANSWER,
    class_text,
    condition_text,
    confidence_text,
    headline_text,
    paired,
    percent_text,
)
from rulewright.report.charts import path_plot, scale_plot
from rulewright.report.examples import examples_table, scaling_tables
from rulewright.report.plots import rule_plot
from rulewright.report.rule_table import (
    class_or_none,
    counts_of,
    fit_of,
    lines_of,
    rules_of,
    said_of,
    unanswered_of,
)
from rulewright.report.trees import tree_drawing, tree_plots
from rulewright.rules import (
    AllOf,
    Conjunction,
    Disjunction,
    Leaf,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    Tree,
    literals_of,
    reanchored,
)

MAX_CLASSES = 6
"""Of so many classes each has its bound on the page."""

MAX_PLOTS = 24
"""Of so many tests it is drawn where they cut: those that come first."""


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
    _refuse_values(getattr(entry, "model", entry))
    model, certificate = entry.model, entry.certificate
    named = _renumbered(model, row_numbers)
    classes = [class_text(label) for label in model.classes]
    counts = np.bincount(y, minlength=len(classes)).tolist()
    plots, plotted = _plots(model, named, table, y)
    tallies = counts_of(model, table, y)
    return {
        "title": title,
        "classes": classes,
        "counts": counts,
        "rows": table.rows,
        "columns": len(table.columns),
        "target": model.target,
        "sentence": certificate.sentence,
        "cautions": list(certificate.cautions),
        "bound": percent_text(certificate.bound),
        "by_class": _by_class(entry, classes),
        "confidence": confidence_text(certificate.delta),
        "says": _says(named, table, tallies),
        "abstains": model.abstains,
        "unanswered": unanswered_of(model),
        "no_answer": NO_ANSWER,
        "rules": rules_of(named, classes, tallies),
        "unit": _unit(model),
        "scale": scale_plot(certificate, entry.errors, counts, abstains=model.abstains),
        "path": path_plot(path, entry.size) if len(path) > 1 else None,
        "plots": plots,
        "plotted": plotted,
        "confusion": _confusion(model, table, y, classes),
        "examples": examples_table(model.body, certificate, table, y, classes, row_numbers),
        "scalings": scaling_tables(model.body),
        "message": [(what, f"{nats / math.log(2):.1f}") for what, nats in certificate.message],
        "printed": certificate.printed_bound and percent_text(certificate.printed_bound),
        "bits": f"{certificate.message_nats / math.log(2):.1f}",
        "others": certificate.others,
        "aside": sum(certificate.aside),
        "errors": certificate.errors,
        "missing": _missing(table),
        "checks": list(checks),
    }


def _refuse_values(model: object) -> None:
    if isinstance(model, RegressionModel):
        raise InputError(
            "A report is about a classifier and its certificate; a regression model answers with "
            "numbers and has none. Print the model, or list its leaves with get_rules()."
        )


def _renumbered(model: Model, row_numbers: NDArray[np.intp] | None) -> Model:
    """Name the examples by the numbers that the reader knows them by."""
    if row_numbers is None:
        return model
    return replace(model, body=reanchored(model.body, row_numbers))


def _by_class(entry: PathEntry, classes: Sequence[str]) -> list[dict[str, str]]:
    """Bounds on the errors among each class, the last one first: of two it is the positive one."""
    if len(classes) > MAX_CLASSES:
        return []
    bounds = zip(classes, entry.certificate.class_bounds, strict=True)
    return [{"label": label, "bound": percent_text(bound)} for label, bound in bounds][::-1]


def _conditions(model: Model) -> list[Predicate]:
    """Conditions as they are said, one a numbered rule; a conjunction answers where one fails."""
    body = model.body
    if isinstance(body, Conjunction | Disjunction):
        return list(body.parts)
    return [rule.condition for rule in body.children if isinstance(rule, Rule)]


def _says(model: Model, table: Table, tallies: NDArray[np.float64]) -> dict[str, Any]:
    """Say the model as a heading, numbered lines and what comes last."""
    body, conditions = model.body, _conditions(model)
    match body:
        case Conjunction() | Disjunction() if conditions:
            then, otherwise = body.then, body.otherwise
            return {
                "kind": "junction",
                "class": then,
                "how": condition_text(body),
                "lines": [said_of(condition) for condition in conditions],
                "otherwise": otherwise,
            }
        case RuleList() | RuleVote() if conditions:
            kind = "list" if isinstance(body, RuleList) else "vote"
            fit = fit_of(body.closing.output, tallies[-1])
            lines = lines_of(body, tallies)
            closed = isinstance(body, RuleVote) and body.never_silent
            return {
                "kind": kind,
                "lines": lines,
                "otherwise": body.default,
                "closed": closed,
                "fit": fit,
            }
        case Conjunction() | Disjunction() | RuleList() | RuleVote() | Tree((Leaf(),)):
            return {"kind": "always", "otherwise": class_or_none(body.outputs[-1])}
        case Tree():
            return {"kind": "tree", "drawing": tree_drawing(model, body, table), "text": str(model)}
        case _:
            return {"kind": "text", "text": str(model)}


def _unit(model: Model) -> dict[str, Any]:
    """Say what answers, how many of it there are, and whether more than one can take part."""
    tree = model.body if isinstance(model.body, Tree) else None
    one, many = ("rule", "rules") if tree is None else ("leaf", "leaves")
    shared = tree is not None and any(getattr(node, "shares", ()) for node in tree.nodes)
    vote = isinstance(model.body, RuleVote)
    every = len(model.evidence)
    return {"one": one, "many": many, "all": every, "shared": shared, "vote": vote}


def _plots(
    model: Model, named: Model, table: Table, y: NDArray[np.int32]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Plot single tests, and say whose they are, on which rows each is shown, and how many."""
    body = named.body
    if isinstance(body, Tree):
        plots, shown = tree_plots(body, table, y, len(model.classes))
        tests = len(body.nodes) - len(model.evidence)
        return plots, {"of": "test", "rows": "reach it", "shown": shown, "all": tests}
    plots = _rule_plots(model, named, table, y)
    rows = "no earlier rule answers" if isinstance(body, RuleList) else ""
    first = plots[:MAX_PLOTS]
    return first, {"of": "rule", "rows": rows, "shown": len(first), "all": len(plots)}


def _rule_plots(
    model: Model, named: Model, table: Table, y: NDArray[np.int32]
) -> list[dict[str, Any]]:
    """Plot every test; in a list, on the rows that no earlier rule answers, elsewhere only once."""
    conditions = _conditions(named)
    answers = model.body.answer(table) if isinstance(model.body, RuleList) else None
    plots: list[dict[str, Any]] = []
    seen: dict[tuple[Predicate, ...], dict[str, Any] | None] = {}
    for number, condition in enumerate(conditions, 1):
        reached = (
            np.arange(table.rows) if answers is None else np.flatnonzero(answers >= number - 1)
        )
        rows = table if answers is None else table.take(reached)
        for tests in _plotted(condition):
            if answers is None and tests in seen:
                _name(seen[tests], number)
                continue
            plot = rule_plot(tests[0], rows, y[reached], len(model.classes), *tests[1:])
            if plot is not None:
                title = headline_text(AllOf(tests) if len(tests) > 1 else tests[0])
                plot |= {"number": number, "numbers": [number], "title": title}
                plots.append(plot | {"rows": reached.size})
            seen[tests] = plots[-1] if plot is not None else None
    return plots


def _plotted(condition: Predicate) -> list[tuple[Predicate, ...]]:
    """Give the single tests of a condition, the two ends of a column together."""
    if isinstance(condition, AllOf):
        return [tests for pair in paired(condition.parts) for tests in _of_pair(pair)]
    return [(literal,) for literal in literals_of(condition)]


def _of_pair(pair: tuple[Predicate, ...]) -> list[tuple[Predicate, ...]]:
    return [pair] if len(pair) > 1 else [(literal,) for literal in literals_of(pair[0])]


def _name(plot: dict[str, Any] | None, number: int) -> None:
    """Say on a plot that it is of another rule, too."""
    if plot is not None and number not in plot["numbers"]:
        plot["numbers"].append(number)


def _confusion(
    model: Model, table: Table, y: NDArray[np.int32], classes: Sequence[str]
) -> list[dict[str, Any]]:
    answers = model.body.classify(table)
    counts = np.zeros((len(classes), len(classes) + model.abstains), np.int64)
    np.add.at(counts, (y, answers), 1)  # ABSTAIN finds the last column
    return [
        {
            "label": label,
            "counts": row,
            "total": sum(row),
            "right": row[c] / sum(row) if any(row) else None,
        }
        for c, (label, row) in enumerate(zip(classes, counts.tolist(), strict=True))
    ]


def _missing(table: Table) -> list[dict[str, Any]]:
    counts = [(column.name, int(column.missing.sum())) for column in table.columns]
    return [
        {"name": name, "count": count, "share": f"{100 * count / table.rows:.1f} %"}
        for name, count in counts
        if count
    ]
