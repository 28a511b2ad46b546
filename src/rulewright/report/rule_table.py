"""Rules on the page: what each says in pieces that a line may be broken between, and how it did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.models import Model, most_used
from rulewright.render import NO_ANSWER, detail_lines, number_text, pieces_of, weight_text
from rulewright.rules import (
    ABSTAIN,
    AllOf,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    Tree,
    WeightedRule,
)

MAX_RULES = 50
"""So many rules are listed: those that answer the most training rows."""

MAX_LETTERS = 240
"""So much of a condition is listed; a pointer on it shows the rest."""

Floats = NDArray[np.float64]


def counts_of(model: Model, table: Table, y: NDArray[np.int32]) -> Floats:
    """Count what each rule is judged by, class by class: the training weight that it answers.

    Rules of a vote speak together: theirs are the rows on which each speaks.
    """
    body = model.body
    if not isinstance(body, RuleVote):
        return np.array(model.evidence, np.float64)
    holding = [voter.condition.holds(table) for voter in body.voters]
    holding.append(~np.any([np.zeros(table.rows, np.bool_), *holding], axis=0))
    classes = len(model.classes)
    return np.array([np.bincount(y[h], minlength=classes) for h in holding], np.float64)


def said_of(condition: Predicate) -> dict[str, Any]:
    """Write a condition in pieces, and what stands below it."""
    return {"pieces": pieces_of(condition), "details": detail_lines(condition)}


def lines_of(body: RuleList | RuleVote, counts: Floats) -> list[dict[str, Any]]:
    """Say the rules of a list or a vote line by line: class, condition, votes, how it did."""
    rules: Sequence[Rule] = body.children
    weights = [abs(rule.weight) for rule in rules if isinstance(rule, WeightedRule)]
    loudest = max(weights, default=0.0) or 1.0
    return [
        said_of(rule.condition)
        | _voice(rule, loudest)
        | {"class": rule.output, "always": rule.condition == AllOf()}
        | {"fit": fit_of(rule.output, row)}
        for rule, row in zip(rules, counts, strict=False)
    ]


def _voice(rule: Rule, loudest: float) -> dict[str, Any]:
    """Write how many votes a rule has, and beside how many."""
    if not isinstance(rule, WeightedRule):
        return {"weight": None}
    share = abs(rule.weight) / loudest
    return {"weight": number_text(rule.weight), "share": share, "against": rule.weight < 0}


def fit_of(output: int, counts: NDArray[np.float64]) -> dict[str, Any]:
    """Write how many training cases a rule was judged by, and how many of them have its class."""
    cases = float(counts.sum())
    right = float(counts[output]) / cases if cases and output != ABSTAIN else None
    return {"cases": weight_text(cases), "right": right}


def rules_of(model: Model, classes: Sequence[str], counts: Floats) -> list[dict[str, Any]]:
    """List the rules that answer the most, one row a rule."""
    support = counts.sum(axis=1)
    everything = float(np.sum(model.evidence)) or 1.0
    largest = float(support.max()) or 1.0
    rules = []
    for number in most_used(support.tolist(), MAX_RULES):
        output = model.body.outputs[number]
        answers, in_full = model.rule_headline(number, MAX_LETTERS), model.rule_headline(number)
        rules.append(
            {
                "number": number + 1,
                "pieces": _pieces(model, number) if answers == in_full else [answers],
                "answers": answers,
                "in_full": in_full,
                "class": class_or_none(output),
                "label": NO_ANSWER if output == ABSTAIN else classes[output],
                "support": weight_text(float(support[number])),
                "coverage": float(support[number]) / everything,
                "precision": fit_of(output, counts[number])["right"],
                "bar": [
                    {"class": c, "n": weight_text(weight), "share": weight / largest}
                    for c, weight in enumerate(counts[number].tolist())
                    if weight
                ],
            }
        )
    return rules


def _pieces(model: Model, number: int) -> list[str]:
    if isinstance(model.body, Tree) or not model.rules[number].literals:
        return [model.rule_headline(number)]
    pieces: list[str] = said_of(model.rules[number].condition)["pieces"]
    return pieces


def class_or_none(output: int) -> int | None:
    """Give the number of a class for the page, None for no answer."""
    return None if output == ABSTAIN else output


def unanswered_of(model: Model) -> dict[str, str] | None:
    """Say how much of the training weight a model that abstains left unanswered."""
    everything = float(np.sum(model.evidence)) or 1.0
    share = f"{100 * model.unanswered / everything:.1f} %"
    return {"weight": weight_text(model.unanswered), "share": share} if model.abstains else None
