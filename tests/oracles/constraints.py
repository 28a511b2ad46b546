"""Whether a model respects a constraint, read from its nodes."""

import math

import numpy as np

from oracles.families import roundest
from rulewright.families import roundest as roundest_moment
from rulewright.rules import (
    Category,
    ClassScorecard,
    Conjunction,
    Disjunction,
    Function,
    Given,
    Interval,
    Leaf,
    Missing,
    RuleList,
    RuleVote,
    Scorecard,
    Threshold,
    literals_of,
)


def cuts(body):
    """Column and cut of every threshold, and of both ends of intervals."""
    found = []
    for test in literals_of(body):
        parts = test.sides if isinstance(test, Interval) else (test,)
        found += [(part.column, part.cut) for part in parts if isinstance(part, Threshold)]
    return found


def _values(frame, name):
    column = frame[name]
    if column.dtype.kind == "M":
        return (column.to_numpy("datetime64[us]").astype(np.int64)).astype(float)
    return _values_with_ties(frame, name)


def are_round(body, frame):
    """Whether every cut is the roundest value between two neighbours, or the largest value."""
    for name, cut in cuts(body):
        known = np.unique(_values(frame, name))
        low, above = known[known <= cut][-1], known[known > cut]
        if not above.size:
            if cut != low:
                return False
        elif frame[name].dtype.kind == "M":
            if cut != roundest_moment(low, above[0], "datetime"):
                return False
        elif cut != roundest(low, above[0]):
            return False
    return True


def are_among(body, frame, allowed):
    """Whether every cut is a whole number, or one of the deciles of its column."""
    for name, cut in cuts(body):
        known = np.sort(_values_with_ties(frame, name))
        tenths = [known[math.ceil(k * known.size / 10) - 1] for k in range(1, 11)]
        if cut != math.floor(cut) if allowed == "integers" else cut not in tenths:
            return False
    return True


def _values_with_ties(frame, name):
    column = frame[name]
    if column.dtype.kind == "M":
        return column.to_numpy("datetime64[us]").astype(np.int64).astype(float)
    values = column.to_numpy(float)
    return values[~np.isnan(values)]


def rule_columns(body):
    """Columns of each rule, of each path of a tree, or of each part of a disjunction."""
    match body:
        case Conjunction(parts):
            return [{name for part in parts for name in part.columns}]
        case Disjunction(parts):
            return [set(part.columns) for part in parts]
        case RuleList(listed):
            return [set(rule.condition.columns) for rule in listed]
        case RuleVote(voters):
            return [set(voter.condition.columns) for voter in voters]
        case Scorecard(lines) | ClassScorecard(lines=lines):
            return [set(line.condition.columns) for line in lines]
    found = []
    waiting = [(0, set())]
    while waiting:
        number, above = waiting.pop()
        node = body.nodes[number]
        if isinstance(node, Leaf):
            found.append(above)
            continue
        tested = {name for test in node.tests for name in test.columns}
        waiting += [(branch, above | tested) for branch in node.branches]
    return found


def are_together(body, names, groups):
    """Whether the columns of every rule are in one group; columns without one are a group."""
    if isinstance(groups, str):
        most = {"pairwise": 2, "no_interactions": 1}[groups]
        return all(len(columns) <= most for columns in rule_columns(body))
    rest = set(names) - {name for group in groups for name in group}
    sets = [set(group) for group in groups] + [rest]
    return all(any(columns <= group for group in sets) for columns in rule_columns(body))


def is_monotone(model, frame, directions):
    """Whether no answer falls where values of a column move in its direction, and no other does."""
    classes = list(model.classes)
    for name, direction in directions.items():
        known = np.unique(_values_with_ties(frame, name))
        steps = np.unique(np.quantile(known, np.linspace(0, 1, 12))) if known.size > 12 else known
        if not known.size:
            continue
        before = None
        for value in np.concatenate([[known[0] - 1], steps, [known[-1] + 1]])[::direction]:
            moved = frame.assign(**{name: value})
            answers = np.array([classes.index(label) for label in model.predict(moved).tolist()])
            if before is not None and (answers < before).any():
                return False
            before = answers
    return True


def are_positive(body):
    """Whether no test is a negation."""
    for test in literals_of(body):
        match test:
            case Category(among=False) | Missing(missing=False):
                return False
            case Given(truth=False) | Function(truth=False):
                return False
    return True
