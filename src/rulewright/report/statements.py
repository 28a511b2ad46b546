"""What a model states, as values for the page: one function for each kind of arrangement.

A kind without a function of its own is shown as text. To add one, register it with
``@statement.register``, and draw its ``kind`` in the template.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.models import Model
from rulewright.render import junction_text
from rulewright.report.rule_table import class_or_none, condition_facts, rule_fit, rule_lines
from rulewright.report.score_tables import class_score_facts, score_facts
from rulewright.report.trees import tree_drawing
from rulewright.rules import (
    Arrangement,
    ClassScorecard,
    ClassScoreLine,
    Conjunction,
    Disjunction,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    Scorecard,
    ScoreLine,
    Tree,
)

Floats = NDArray[np.float64]


def conditions_of(body: Arrangement) -> list[Predicate]:
    """Return the numbered conditions; a conjunction answers "otherwise" where one fails."""
    if isinstance(body, Conjunction | Disjunction):
        return list(body.parts)
    conditional = Rule | ScoreLine | ClassScoreLine
    return [part.condition for part in body.children if isinstance(part, conditional)]


@singledispatch
def statement(body: Arrangement, model: Model, table: Table, counts: Floats) -> dict[str, Any]:
    """Statement of a model.

    Parameters
    ----------
    body : Arrangement
    model : Model
        Its text, and the labels of its nodes.
    table : Table
        Training data.
    counts : array of rules x classes
        Training weight by which each rule is judged.
    """
    return {"kind": "text", "text": str(model)}


@statement.register(Conjunction)
@statement.register(Disjunction)
def _junction(
    body: Conjunction | Disjunction, model: Model, table: Table, counts: Floats
) -> dict[str, Any]:
    if not body.parts:
        return _always(body)
    return {
        "kind": "junction",
        "class": body.then,
        "how": junction_text(body),
        "lines": [condition_facts(part) for part in body.parts],
        "otherwise": body.otherwise,
    }


@statement.register(RuleList)
@statement.register(RuleVote)
def _rules(body: RuleList | RuleVote, model: Model, table: Table, counts: Floats) -> dict[str, Any]:
    if not body.children:
        return _always(body)
    return {
        "kind": "list" if isinstance(body, RuleList) else "vote",
        "lines": rule_lines(body, counts),
        "otherwise": body.default,
        "always_votes": isinstance(body, RuleVote) and body.always_votes,
        "fit": rule_fit(body.default_rule.output, counts[-1]),
    }


@statement.register(Tree)
def _tree(body: Tree, model: Model, table: Table, counts: Floats) -> dict[str, Any]:
    if len(body.nodes) == 1:
        return _always(body)
    return {"kind": "tree", "drawing": tree_drawing(model, body, table), "text": str(model)}


@statement.register(Scorecard)
def _scorecard(body: Scorecard, model: Model, table: Table, counts: Floats) -> dict[str, Any]:
    return _always(body) if body.cut is None else score_facts(body, counts)


@statement.register(ClassScorecard)
def _class_scorecard(
    body: ClassScorecard, model: Model, table: Table, counts: Floats
) -> dict[str, Any]:
    return class_score_facts(body)


def _always(body: Arrangement) -> dict[str, Any]:
    return {"kind": "always", "otherwise": class_or_none(body.outputs[-1])}
