"""Counts of rules in training and on held-out rows, and what the SC-correction predicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import sc_corrections
from rulewright.data import Table
from rulewright.experiments.cells import cell_function
from rulewright.experiments.published.rule_cells import fit, prepared, split
from rulewright.models import Model
from rulewright.rules import AllOf, Predicate, Threshold


@dataclass(frozen=True)
class RulePoint:
    """Covered rows of a rule's class (p) and of other classes (n).

    In training, on held-out rows as if there were as many of them as training rows, and in
    training as corrected by the splitting-and-connectivity bound.
    """

    n: float
    p: float
    held_n: float
    held_p: float
    corrected_n: float
    corrected_p: float


def rule_points(
    model: Model, table: Table, y: NDArray[Any], held: Table, held_y: NDArray[Any]
) -> list[RulePoint]:
    """Counts of every rule of a list or vote, except default rules, which hold everywhere.

    A rule counts all rows where its condition holds, whether or not an earlier rule of a list
    answers them.
    """
    codes, held_codes = model.codes(y), model.codes(held_y)
    points = []
    for rule in model.body.rules:
        terms = _terms(rule.condition)
        if not terms:
            continue
        own, held_own = codes == rule.output, held_codes == rule.output
        n, p = _counts(rule.condition.holds(table), own)
        scale = table.rows / held.rows
        held_n, held_p = (scale * x for x in _counts(rule.condition.holds(held), held_own))
        more_n, less_p = _correction(terms, table, own)
        corrected = min(n + more_n, float((~own).sum())), max(p - less_p, 0.0)
        points.append(RulePoint(n, p, held_n, held_p, *corrected))
    return points


def _counts(covered: NDArray[np.bool_], own: NDArray[np.bool_]) -> tuple[float, float]:
    return float((covered & ~own).sum()), float((covered & own).sum())


def _terms(condition: Predicate) -> tuple[Predicate, ...]:
    return condition.parts if isinstance(condition, AllOf) else (condition,)


def _correction(
    terms: tuple[Predicate, ...], table: Table, own: NDArray[np.bool_]
) -> tuple[float, float]:
    """By how much n is too small and p too large: half of the rows stand for the training rows."""
    columns, signs = [], []
    for term in terms:
        if isinstance(term, Threshold):
            columns.append(table.numbers(term.column))
            signs.append(">=" if term.above else "<=")
        else:  # a category is cut between 0 and 1
            columns.append(term.holds(table).astype(np.float64))
            signs.append(">=")
    found = sc_corrections(np.stack(columns, axis=1), own, signs)
    half = table.rows / 2
    return half * found.eps_n, half * found.eps_p


@cell_function
def points_of_rules(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Rules learnt from one half of a table, counted on both halves."""
    table, labels = prepared(parameters["table"])
    fold = split(parameters["table"], parameters["repeat"], folds=2)[parameters["fold"]]
    train, held = table.take(fold.train), table.take(fold.test)
    fitted = fit(parameters["learner"], parameters["repeat"], train, labels[fold.train])
    points = rule_points(fitted.model_, train, labels[fold.train], held, labels[fold.test])
    return {"points": [asdict(point) for point in points], "rows": train.rows}
