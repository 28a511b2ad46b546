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
from rulewright.models import Model, PathEntry, RegressionModel, most_used
from rulewright.render import (
    NO_ANSWER,
    class_text,
    condition_text,
    confidence_text,
    detail_lines,
    headline_text,
    number_text,
    percent_text,
)
from rulewright.report.charts import path_plot, scale_plot
from rulewright.report.examples import examples_table, scaling_tables
from rulewright.report.plots import rule_plot
from rulewright.report.trees import tree_drawing, tree_plots
from rulewright.rules import (
    ABSTAIN,
    AllOf,
    Conjunction,
    Disjunction,
    Leaf,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    Tree,
    WeightedRule,
    literals_of,
    reanchored,
)

MOST_CLASSES = 6
"""Of so many classes each has its bound on the page."""

MOST_RULES = 50
"""So many rules are listed: those that answer the most training rows."""

MOST_LETTERS = 240
"""So much of a condition is listed; a pointer on it shows the rest."""


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
        "says": _says(named, table),
        "abstains": model.abstains,
        "unanswered": _unanswered(model),
        "no_answer": NO_ANSWER,
        "rules": _rules(named, classes),
        "unit": _unit(model),
        "scale": scale_plot(certificate, entry.errors, counts),
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
    if len(classes) > MOST_CLASSES:
        return []
    bounds = zip(classes, entry.certificate.class_bounds, strict=True)
    return [{"label": label, "bound": percent_text(bound)} for label, bound in bounds][::-1]


def _conditions(model: Model) -> list[Predicate]:
    """Conditions as they are said, one a numbered rule; a conjunction answers where one fails."""
    body = model.body
    if isinstance(body, Conjunction | Disjunction):
        return list(body.parts)
    return [rule.condition for rule in body.children if isinstance(rule, Rule)]


def _says(model: Model, table: Table) -> dict[str, Any]:
    """Say the model as a heading, numbered lines and what comes last."""
    body, conditions = model.body, _conditions(model)
    lines = [
        {"said": headline_text(condition), "details": detail_lines(condition)}
        for condition in conditions
    ]
    match body:
        case Conjunction() | Disjunction() if conditions:
            then, otherwise = body.then, body.otherwise
            return {
                "kind": "junction",
                "class": then,
                "how": condition_text(body),
                "lines": lines,
                "otherwise": otherwise,
            }
        case RuleList() | RuleVote() if conditions:
            answers = [_answer(rule) for rule in body.children]
            kind = "list" if isinstance(body, RuleList) else "vote"
            listed = [line | answer for line, answer in zip(lines, answers, strict=True)]
            return {"kind": kind, "lines": listed, "otherwise": body.default}
        case Conjunction() | Disjunction() | RuleList() | RuleVote() | Tree((Leaf(),)):
            return {"kind": "always", "otherwise": _class_or_none(body.outputs[-1])}
        case Tree():
            return {"kind": "tree", "drawing": tree_drawing(model, body, table), "text": str(model)}
        case _:
            return {"kind": "text", "text": str(model)}


def _class_or_none(output: int) -> int | None:
    """Give the number of a class for the page, None for no answer."""
    return None if output == ABSTAIN else output


def _unanswered(model: Model) -> dict[str, str] | None:
    """Say how much of the training weight a model that abstains left unanswered."""
    everything = sum(map(sum, model.evidence)) or 1.0
    share = f"{100 * model.unanswered / everything:.1f} %"
    return {"weight": f"{model.unanswered:g}", "share": share} if model.abstains else None


def _answer(rule: Rule) -> dict[str, Any]:
    weight = number_text(rule.weight) if isinstance(rule, WeightedRule) else None
    return {"class": rule.output, "weight": weight, "always": rule.condition == AllOf()}


def _unit(model: Model) -> dict[str, Any]:
    """Say what answers, how many of it there are, and whether more than one can take part."""
    tree = model.body if isinstance(model.body, Tree) else None
    one, many = ("rule", "rules") if tree is None else ("leaf", "leaves")
    shared = tree is not None and any(getattr(node, "shares", ()) for node in tree.nodes)
    return {"one": one, "many": many, "all": len(model.evidence), "shared": shared}


def _rules(model: Model, classes: Sequence[str]) -> list[dict[str, Any]]:
    support = model.support
    everything = sum(answered for answered, _ in support) or 1.0
    largest = max(answered for answered, _ in support) or 1.0
    rules = []
    for number in most_used([answered for answered, _ in support], MOST_RULES):
        output, (answered, right) = model.body.outputs[number], support[number]
        rules.append(
            {
                "number": number + 1,
                "answers": model.rule_headline(number, MOST_LETTERS),
                "in_full": model.rule_headline(number),
                "class": _class_or_none(output),
                "label": NO_ANSWER if output == ABSTAIN else classes[output],
                "support": f"{answered:g}",
                "coverage": answered / everything,
                "precision": right / answered if answered and output != ABSTAIN else None,
                "bar": [
                    {"class": c, "n": f"{weight:g}", "share": weight / largest}
                    for c, weight in enumerate(model.evidence[number])
                    if weight
                ],
            }
        )
    return rules


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
    return plots, {"of": "rule", "rows": rows, "shown": len(plots), "all": len(plots)}


def _rule_plots(
    model: Model, named: Model, table: Table, y: NDArray[np.int32]
) -> list[dict[str, Any]]:
    """Plot every single test; in a list, on the rows that no earlier rule answers."""
    conditions = _conditions(named)
    answers = model.body.answer(table) if isinstance(model.body, RuleList) else None
    plots = []
    for number, condition in enumerate(conditions):
        reached = np.arange(table.rows) if answers is None else np.flatnonzero(answers >= number)
        rows = table if answers is None else table.take(reached)
        for literal in literals_of(condition):
            plot = rule_plot(literal, rows, y[reached], len(model.classes))
            if plot is not None:
                title = headline_text(literal)
                plots.append(plot | {"number": number + 1, "title": title, "rows": reached.size})
    return plots


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
