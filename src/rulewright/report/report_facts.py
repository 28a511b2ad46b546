"""Contents of the page, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry
from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.learners import best_with_rules
from rulewright.models import Model, RegressionModel
from rulewright.render import NO_ANSWER, class_text, headline_text, pair_bounds, percent_text
from rulewright.report.certificate_facts import certificate_facts
from rulewright.report.charts import scale_plot
from rulewright.report.examples import examples_table, scaling_tables
from rulewright.report.front import front_facts
from rulewright.report.group_tables import group_facts
from rulewright.report.page_model import script_facts
from rulewright.report.plots import rule_plot
from rulewright.report.rule_table import rule_counts, rule_table_facts, unanswered_facts
from rulewright.report.statements import conditions_of, statement
from rulewright.report.trees import tree_plots
from rulewright.rules import AllOf, Predicate, RuleList, RuleVote, Tree, literals_of, reanchored

MAX_PLOTS = 24
"""Maximum number of tests that are plotted."""


def facts(
    entry: PathEntry,
    path: Sequence[PathEntry],
    table: Table,
    y: NDArray[np.int32],
    *,
    title: str,
    row_numbers: NDArray[np.intp] | None = None,
    checks: Sequence[str] = (),
    remarks: Sequence[str] = (),
    costs: Sequence[Fraction] | None = None,
    embed_rows: int = 0,
    groups: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the contents of a report about a model.

    Parameters
    ----------
    entry : PathEntry
        The model, its errors and its certificate.
    path : sequence of PathEntry
        Models of all sizes.
    table, y : the training data and its class numbers
    title : str
    row_numbers : array
        Numbers of the rows on the page, where they are not 0, 1, 2, ...
    checks : sequence of str
        Commands that check the certificate again.
    remarks : sequence of str
        Remarks on the choice of the model.
    costs : sequence of Fraction, optional
        Costs of the classes that the choice followed.
    embed_rows : int, default=0
        Number of training rows whose values the page may hold.
    groups : mapping of str to array, optional
        The group of each row, by the name of what groups them: the page shows the errors of each.
    """
    _refuse_values(getattr(entry, "model", entry))
    model, certificate = entry.model, entry.certificate
    named = _renumbered(model, row_numbers)
    classes = [class_text(label) for label in model.classes]
    counts = np.bincount(y, minlength=len(classes)).tolist()
    plots, plotted = _plots(model, named, table, y)
    tallies = rule_counts(model, table, y)
    return {
        "title": title,
        "classes": classes,
        "counts": counts,
        "rows": table.rows,
        "columns": len(table.columns),
        "target": model.target,
        "statement": statement(named.body, named, table, tallies),
        "abstains": model.abstains,
        "unanswered": unanswered_facts(model),
        "no_answer": NO_ANSWER,
        **rule_table_facts(model, named, table, y, tallies),
        "unit": _unit(model),
        "scale": scale_plot(certificate, entry.errors, counts, abstains=model.abstains),
        "front": front_facts(entry, path, costs, row_numbers),
        "remarks": list(remarks),
        "best_rules": _best_rules(entry, path, costs, row_numbers),
        "plots": plots,
        "plotted": plotted,
        "confusion": _confusion(model, table, y, classes),
        "examples": examples_table(model.body, certificate, table, y, classes, row_numbers),
        "scalings": scaling_tables(model.body),
        "groups": group_facts(model, table, y, groups or {}),
        "missing": _missing(table),
        "checks": list(checks),
        **certificate_facts(entry),
        **script_facts(named, table, y, row_numbers, costs, embed_rows),
    }


def _best_rules(
    entry: PathEntry,
    path: Sequence[PathEntry],
    costs: Sequence[Fraction] | None,
    row_numbers: NDArray[np.intp] | None,
) -> dict[str, str] | None:
    """Return the best model with rules where the chosen one has none."""
    best = best_with_rules(entry, path, costs)
    if best is None:
        return None
    return {
        "text": str(_renumbered(best.model, row_numbers)),
        "bound": percent_text(best.certificate.bound),
    }


def _refuse_values(model: object) -> None:
    if isinstance(model, RegressionModel):
        raise InputError(
            "A report needs a classifier with a certificate; a regression model has none. Print "
            "the model, or list its leaves with get_rules()."
        )


def _renumbered(model: Model, row_numbers: NDArray[np.intp] | None) -> Model:
    """Return the model with the row numbers of the page."""
    if row_numbers is None:
        return model
    return replace(model, body=reanchored(model.body, row_numbers))


def _unit(model: Model) -> dict[str, Any]:
    """Return the words for what answers (rule or leaf), their number, and how they share rows."""
    tree = model.body if isinstance(model.body, Tree) else None
    one, many = ("rule", "rules") if tree is None else ("leaf", "leaves")
    shared = tree is not None and any(getattr(node, "shares", ()) for node in tree.nodes)
    vote = isinstance(model.body, RuleVote)
    every = len(model.evidence)
    return {"one": one, "many": many, "all": every, "shared": shared, "vote": vote}


def _plots(
    model: Model, named: Model, table: Table, y: NDArray[np.int32]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return plots of single tests, and a description of the tests and rows that they show."""
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
    """Return a plot of every test: in a list on the rows that reach it, elsewhere only once."""
    conditions = conditions_of(named.body)
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
                _add_number(seen[tests], number)
                continue
            plot = rule_plot(tests[0], rows, y[reached], len(model.classes), *tests[1:])
            if plot is not None:
                title = headline_text(AllOf(tests) if len(tests) > 1 else tests[0])
                plot |= {"number": number, "numbers": [number], "title": title}
                plots.append(plot | {"rows": reached.size})
            seen[tests] = plots[-1] if plot is not None else None
    return plots


def _plotted(condition: Predicate) -> list[tuple[Predicate, ...]]:
    """Return the single tests of a condition, the two bounds of a column together."""
    if isinstance(condition, AllOf):
        return [tests for pair in pair_bounds(condition.parts) for tests in _of_pair(pair)]
    return [(literal,) for literal in literals_of(condition)]


def _of_pair(pair: tuple[Predicate, ...]) -> list[tuple[Predicate, ...]]:
    return [pair] if len(pair) > 1 else [(literal,) for literal in literals_of(pair[0])]


def _add_number(plot: dict[str, Any] | None, number: int) -> None:
    """Add another rule to the numbers of a plot."""
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
