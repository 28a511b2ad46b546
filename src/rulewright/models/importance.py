"""How much each column contributes to a model's answers on the training rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.models.model import Model
from rulewright.models.regression import RegressionModel
from rulewright.rules import (
    ClassScorecard,
    Leaf,
    Literal,
    Node,
    Predicate,
    RuleVote,
    Scorecard,
    Tree,
)

Floats = NDArray[np.float64]


def feature_importances(model: Model | RegressionModel, table: Table, weight: Floats) -> Floats:
    """Return the importance of each column of a model, with a sum of 1, or of 0 without rules.

    A tree: the decrease of Gini's index (of a regression tree: of the variance of its answers) by
    the splits on a column, times the training weight that reaches them. A list of rules, or a
    conjunction or disjunction, is the tree that asks one rule after the other. A vote: the absolute
    weights of its rules, each times the standard deviation of whether it holds on the training rows
    (Friedman & Popescu 2008, Predictive learning via rule ensembles, section 6). A scorecard: the
    same with its points, for several classes their standard deviation. The importance of a rule is
    divided equally among its tests, and that of a test among its columns.
    """
    if isinstance(model.body, RuleVote):
        voters = ((v.condition, abs(v.weight)) for v in model.body.voters)
        parts = _of_weighted(voters, table, weight)
    elif isinstance(model.body, Scorecard):
        lines = ((line.condition, float(abs(line.points))) for line in model.body.lines)
        parts = _of_weighted(lines, table, weight)
    elif isinstance(model.body, ClassScorecard):
        by_class = ((line.condition, float(np.std(line.points))) for line in model.body.lines)
        parts = _of_weighted(by_class, table, weight)
    elif isinstance(model.body, Tree):
        parts = _of_tree(model.body, *_sums(model))
    else:
        conditions = [rule.condition for rule in model.rules]
        parts = _of_list(conditions, *_sums(model))
    found = {column.name: 0.0 for column in model.columns}
    for node, importance in parts:
        for name, share in _column_shares(node):
            found[name] += importance * share
    importances = np.array(list(found.values()))
    total = importances.sum()
    return importances / total if total > 0 else importances


def _sums(model: Model | RegressionModel) -> tuple[Floats, Floats]:
    """Sum the target over the rows that each rule answers, and their weight.

    The target is the indicator of each class, or the answer less the average answer.
    """
    evidence = np.array(model.evidence, np.float64)
    if isinstance(model, Model):
        return evidence, evidence.sum(axis=1)
    weight = evidence[:, 0]
    centred = model.numbers - np.average(model.numbers, weights=weight)
    return (weight * centred)[:, np.newaxis], weight


def _between(sums: Floats, weight: float) -> float:
    """Sum of squares that a part of the rows explains: its averages squared, times its weight."""
    return float((sums**2).sum() / weight) if weight > 0 else 0.0


def _of_tree(tree: Tree, sums: Floats, weight: Floats) -> Iterator[tuple[Node, float]]:
    totals = np.zeros((len(tree.nodes), sums.shape[1]))
    weights = np.zeros(len(tree.nodes))
    leaves = [number for number, node in enumerate(tree.nodes) if isinstance(node, Leaf)]
    totals[leaves], weights[leaves] = sums, weight
    for number in reversed(range(len(tree.nodes))):  # children come after their parents
        node = tree.nodes[number]
        if isinstance(node, Leaf):
            continue
        branches = list(node.branches)
        totals[number], weights[number] = totals[branches].sum(axis=0), weights[branches].sum()
    explained = ((totals**2).sum(axis=1) / np.where(weights > 0, weights, np.inf)).tolist()
    for node, whole in zip(reversed(tree.nodes), reversed(explained), strict=True):
        if not isinstance(node, Leaf):
            apart = sum(explained[branch] for branch in node.branches)
            yield node, max(apart - whole, 0.0)


def _of_list(
    conditions: Sequence[Node], sums: Floats, weight: Floats
) -> Iterator[tuple[Node, float]]:
    left, left_weight = sums[::-1].cumsum(axis=0)[::-1], weight[::-1].cumsum()[::-1]
    for number, condition in enumerate(conditions[:-1]):
        apart = _between(sums[number], weight[number])
        apart += _between(left[number + 1], left_weight[number + 1])
        yield condition, max(apart - _between(left[number], left_weight[number]), 0.0)


def _of_weighted(
    conditions: Iterable[tuple[Predicate, float]], table: Table, weight: Floats
) -> Iterator[tuple[Node, float]]:
    for condition, amount in conditions:
        share = min(float(weight[condition.holds(table)].sum() / weight.sum()), 1.0)
        yield condition, amount * (share * (1 - share)) ** 0.5


def _column_shares(node: Node) -> Iterator[tuple[str, float]]:
    tests = list(_literals(node))
    for test in tests:
        for name in test.columns:
            yield name, 1 / len(tests) / len(test.columns)


def _literals(node: Node) -> Iterator[Node]:
    if isinstance(node, Literal):
        yield node
        return
    for child in node.children:
        yield from _literals(child)
