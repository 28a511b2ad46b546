"""Rules on the page: their conditions, their training cases and their precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import RuleStatement, RuleStatements, SplitCertificate
from rulewright.data import Table
from rulewright.errors import RulewrightError
from rulewright.models import Model, most_used
from rulewright.render import (
    NO_ANSWER,
    class_text,
    confidence_text,
    detail_lines,
    interval_text,
    lower_percent_text,
    number_text,
    pieces_of,
    weight_text,
)
from rulewright.rules import (
    ABSTAIN,
    AllOf,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    WeightedRule,
)

MAX_RULES = 50
"""Maximum number of listed rules: those that answer the most training rows."""

MAX_CHARACTERS = 240
"""Maximum number of characters of a condition; a tooltip shows the rest."""

Floats = NDArray[np.float64]


def rule_counts(model: Model, table: Table, y: NDArray[np.int32]) -> Floats:
    """Return the training weight of each class by which each rule is judged.

    It is the weight that the rule answers. For a rule of a vote it is the weight on which it holds.
    """
    body = model.body
    if not isinstance(body, RuleVote):
        return np.array(model.evidence, np.float64)
    holding = [voter.condition.holds(table) for voter in body.voters]
    holding.append(~np.any([np.zeros(table.rows, np.bool_), *holding], axis=0))
    classes = len(model.classes)
    return np.array([np.bincount(y[h], minlength=classes) for h in holding], np.float64)


def condition_facts(condition: Predicate) -> dict[str, Any]:
    """Return a condition in pieces, with its details."""
    return {"pieces": pieces_of(condition), "details": detail_lines(condition)}


def rule_lines(body: RuleList | RuleVote, counts: Floats) -> list[dict[str, Any]]:
    """Return the rules of a list or vote line by line: class, condition, votes and fit."""
    rules: Sequence[Rule] = body.children
    weights = [abs(rule.weight) for rule in rules if isinstance(rule, WeightedRule)]
    largest = max(weights, default=0.0) or 1.0
    return [
        condition_facts(rule.condition)
        | _vote_facts(rule, largest)
        | {"class": rule.output, "always": rule.condition == AllOf()}
        | {"fit": rule_fit(rule.output, row)}
        for rule, row in zip(rules, counts, strict=False)
    ]


def _vote_facts(rule: Rule, largest: float) -> dict[str, Any]:
    """Return the votes of a rule, and their share of the largest."""
    if not isinstance(rule, WeightedRule):
        return {"weight": None}
    share = abs(rule.weight) / largest
    return {"weight": number_text(rule.weight), "share": share, "against": rule.weight < 0}


def rule_fit(output: int, counts: NDArray[np.float64]) -> dict[str, Any]:
    """Return the training cases by which a rule is judged, and the share with its class."""
    cases = float(counts.sum())
    right = float(counts[output]) / cases if cases and output != ABSTAIN else None
    return {"cases": weight_text(cases), "right": right}


def rule_table_facts(
    model: Model, named: Model, table: Table, y: NDArray[np.int32], counts: Floats
) -> dict[str, Any]:
    """Return the rules as rows, with bounds on their precision where the certificate has them.

    ``named`` is the model with the row numbers of the page.
    """
    rows = rule_rows(named, [class_text(label) for label in model.classes], counts)
    stated = _statements(model, table, y)
    if stated is None:
        return {"rules": rows, "certified_rules": None}
    answers = "decides" if isinstance(model.body, RuleVote) else "answers"
    for row in rows:
        row["certified"] = _certified(stated.rules[row["number"] - 1], answers, stated.delta)
    return {"rules": rows, "certified_rules": confidence_text(stated.delta)}


def _certified(rule: RuleStatement, answers: str, delta: float) -> dict[str, Any]:
    """Return the bounds of a rule for new cases: a number to sort by, its text, and a sentence."""
    share = interval_text(*rule.coverage)
    claims = [f"it {answers} {share} of them"]
    counted = f"{rule.rows:,} check row{'s' if rule.rows != 1 else ''}"
    if rule.precision is not None:
        claims.append(
            f"at least {lower_percent_text(rule.precision)} of these it answers correctly"
        )
        counted += f", {rule.wrong:,} wrong"
    return {
        "value": -1.0 if rule.precision is None else rule.precision,
        "text": "" if rule.precision is None else lower_percent_text(rule.precision),
        "sentence": f"New cases: {', and '.join(claims)} ({confidence_text(delta)} confidence "
        f"for all rules at once; {counted}).",
    }


def _statements(model: Model, table: Table, y: NDArray[np.int32]) -> RuleStatements | None:
    """Return the bounds of each rule; None without a split certificate of these very rows."""
    certificate = model.certificate
    if not isinstance(certificate, SplitCertificate) or certificate.unit != "row":
        return None
    try:
        return certificate.by_rule(model, table, model.labels[y])
    except RulewrightError:
        return None  # weights, or other rows than those of the certificate


def rule_rows(model: Model, classes: Sequence[str], counts: Floats) -> list[dict[str, Any]]:
    """Return the rules that answer the most, one row each."""
    support = counts.sum(axis=1)
    everything = float(np.sum(model.evidence)) or 1.0
    largest = float(support.max()) or 1.0
    rules = []
    for number in most_used(support.tolist(), MAX_RULES):
        output = model.body.outputs[number]
        answers = model.rule_headline(number, MAX_CHARACTERS, in_training=True)
        in_full = model.rule_headline(number)
        pieces = model.rule_pieces(number)
        rules.append(
            {
                "number": number + 1,
                "pieces": pieces if " ".join(pieces) == answers else [answers],
                "answers": answers,
                "in_full": in_full,
                "class": class_or_none(output),
                "label": NO_ANSWER if output == ABSTAIN else classes[output],
                "support": weight_text(float(support[number])),
                "coverage": float(support[number]) / everything,
                "precision": rule_fit(output, counts[number])["right"],
                "bar": [
                    {"class": c, "n": weight_text(weight), "share": weight / largest}
                    for c, weight in enumerate(counts[number].tolist())
                    if weight
                ],
            }
        )
    return rules


def class_or_none(output: int) -> int | None:
    """Return the number of a class, None for no answer."""
    return None if output == ABSTAIN else output


def unanswered_facts(model: Model) -> dict[str, str] | None:
    """Return the training weight that a model left unanswered; None if it never abstains."""
    everything = float(np.sum(model.evidence)) or 1.0
    share = f"{100 * model.unanswered / everything:.1f} %"
    return {"weight": weight_text(model.unanswered), "share": share} if model.abstains else None
