"""Answers and probabilities of arrangements by numpy, one predicate after the other."""

import numpy as np

from rulewright.rules import (
    ClassScorecard,
    Conjunction,
    Disjunction,
    RuleList,
    RuleVote,
    Scorecard,
    consistent_shares,
    exponential,
)

LARGEST = float(np.finfo(np.float64).max)


def answer(body, table):
    """The number of the rule that answers each row; a tree is left to the oracle of trees."""
    match body:
        case RuleList():
            return first_true([rule.condition.holds(table) for rule in body.listed], table.rows)
        case Conjunction():
            return first_true([~part.holds(table) for part in body.parts], table.rows)
        case Disjunction():
            return first_true([part.holds(table) for part in body.parts], table.rows)
        case RuleVote():
            return winners(body, *count_votes(body, table))
        case Scorecard():
            total = sum(
                (line.points * line.condition.holds(table).astype(np.int64) for line in body.lines),
                np.zeros(table.rows, np.int64),
            )
            lows = np.array([band.low for band in body.bands[1:]], np.int64)
            return np.searchsorted(lows, total, side="right")
        case ClassScorecard():
            return class_totals(body, table).argmax(axis=1)
    raise TypeError(type(body).__name__)


def chances(body, table, by_rule):
    """The probability of each class (columns) on each row."""
    classes = by_rule.shape[1]
    match body:
        case RuleVote():
            return vote_chances(body, table, by_rule)
        case ClassScorecard():
            totals = class_totals(body, table)
            odds = exponential(body.slope * (totals - totals.max(axis=1, keepdims=True)))
            return padded(consistent_shares(odds, totals.argmax(axis=1)), classes)
        case Scorecard():
            return padded(np.array(body.shares)[answer(body, table)], classes)
    return by_rule[answer(body, table)]


def padded(shares, classes):
    return np.pad(shares, ((0, 0), (0, max(classes - shares.shape[1], 0))))


def first_true(masks, rows):
    found = np.full(rows, len(masks), np.int32)
    for number in reversed(range(len(masks))):
        found[masks[number]] = number
    return found


def class_totals(body, table):
    totals = np.tile(np.array(body.start, np.int64), (table.rows, 1))
    for line in body.lines:
        totals[line.condition.holds(table)] += np.array(line.points, np.int64)
    return totals


def count_votes(body, table, classes=None):
    """Sums of votes by class and row, -inf without a vote, and the heaviest rule of each class."""
    if classes is None:
        classes = 1 + max((voter.output for voter in body.voters), default=0)
    votes = np.zeros((classes, table.rows))
    heaviest_weight = np.full((classes, table.rows), -np.inf)
    heaviest = np.full((classes, table.rows), -1)
    for number, voter in enumerate(body.voters):
        holds = voter.condition.holds(table)
        with np.errstate(over="ignore"):
            added = votes[voter.output] + voter.weight * holds
        votes[voter.output] = np.clip(added, -LARGEST, LARGEST)
        heavier = holds & (voter.weight > heaviest_weight[voter.output])
        heaviest_weight[voter.output, heavier] = voter.weight
        heaviest[voter.output, heavier] = number
    votes[heaviest < 0] = -np.inf
    return votes, heaviest


def winners(body, votes, heaviest):
    found = heaviest[votes.argmax(axis=0), np.arange(votes.shape[1])]
    return np.where(found < 0, len(body.voters), found)


def vote_chances(body, table, by_rule):
    votes = count_votes(body, table, by_rule.shape[1])[0].T
    silent = np.isneginf(votes)
    spoken = ~silent.all(axis=1)
    shares = np.repeat(by_rule[-1:], table.rows, axis=0)
    votes = votes[spoken]
    known = np.where(silent[spoken], 0.0, votes)
    with np.errstate(over="ignore"):
        odds = exponential(2 * (known - known.max(axis=1, keepdims=True)))
    shares[spoken] = consistent_shares(odds, votes.argmax(axis=1))
    return shares
