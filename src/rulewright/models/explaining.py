"""Explanations of predictions: the reasons, and what would have answered instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.render import number_text, reason_texts, rounded_text
from rulewright.rules import (
    NO_RULE,
    AllOf,
    Answers,
    Arrangement,
    Predicate,
    RuleList,
    RuleVote,
    Share,
    merge_conditions,
)

MAX_REASONS = 5
"""Maximum number of rules on each side of a vote with a reason: those of the largest weights."""

MAX_DENIED = 20
"""Maximum number of rules of a list or vote with a reason why none holds."""

Rows = NDArray[np.intp]
Names = Sequence[str]


def reasons_of(body: Arrangement, table: Table, answers: Answers) -> list[str]:
    """Return for each row why the rule of that number answered it, an empty text for -1."""
    texts = [""] * table.rows
    for answer, rows in _grouped(answers):
        if isinstance(body, RuleList | RuleVote) and answer == len(body.children) > MAX_DENIED:
            _write(texts, rows, [f"none of the {answer} rules holds"] * rows.size)
            continue
        grounds = merge_conditions(body.grounds(answer))
        _write(texts, rows, _reasons(grounds, table, rows, body.shares_to(answer)))
    return texts


def runners_up_of(
    body: Arrangement, table: Table, answers: Answers, names: Names, otherwise: str
) -> list[str]:
    """Return for each row what would have answered instead, an empty text for nothing.

    It is a rule with its class, by ``names``, and why it holds; in a vote the second class with its
    votes. ``otherwise`` is the reason of the last rule, which has no condition.
    """
    runners = body.runner_up(table, answers)
    if isinstance(body, RuleVote):
        return _seconds(body, table, answers, runners, names)
    texts, rules = [""] * table.rows, body.rules
    for number, rows in _grouped(runners):
        rule = rules[number]
        head = f"rule {number + 1}: {names[rule.output]}, "
        always = rule.condition == AllOf()
        whys = [otherwise] * rows.size if always else _reasons([rule.condition], table, rows)
        _write(texts, rows, [head + why for why in whys])
    return texts


def vote_reasons_of(body: RuleVote, table: Table, answers: Answers, names: Names) -> list[str]:
    """Return for each row the rules that voted for its class, and those that voted against it.

    The rules of the largest weights on each side have reasons. Where no rule voted, the reason is
    why none holds.
    """
    nobody = answers == len(body.voters)
    texts = reasons_of(body, table, np.where(nobody, answers, NO_RULE).astype(np.int32))
    outputs = np.array(body.outputs, np.int32)[answers]
    sides = _Side(table.rows), _Side(table.rows)
    for number, voter in sorted(enumerate(body.voters), key=lambda pair: -pair[1].weight):
        holds, own = voter.condition.holds(table), outputs == voter.output
        weight, rule = number_text(voter.weight), f"by rule {number + 1}"
        sides[0].add(voter.condition, f"{weight} {rule}", np.flatnonzero(holds & own), table)
        head = f"{weight} for {names[voter.output]} {rule}"
        sides[1].add(voter.condition, head, np.flatnonzero(holds & ~own), table)
    for row in np.flatnonzero(~nobody).tolist():
        in_favour, against = ("; ".join(side.texts[row]) for side in sides)
        texts[row] = f"{in_favour}; against: {against}" if against else in_favour
    return texts


class _Side:
    """Votes on one side, with reasons, for each row."""

    def __init__(self, rows: int) -> None:
        self.texts: list[list[str]] = [[] for _ in range(rows)]
        self.given = np.zeros(rows, np.intp)

    def add(self, condition: Predicate, vote: str, rows: Rows, table: Table) -> None:
        """Add a rule on the rows where it holds: its vote, and its reason up to the maximum."""
        room = self.given[rows] < MAX_REASONS
        self.given[rows] += 1
        grounds = () if condition == AllOf() else (condition,)
        reasoned = rows[room]
        if reasoned.size:
            whys = _reasons(grounds, table, reasoned)
            for row, why in zip(reasoned.tolist(), whys, strict=True):
                self.texts[row].append(f"{vote}: {why}")
        for row in rows[~room].tolist():
            self.texts[row].append(vote)


def _seconds(
    body: RuleVote, table: Table, answers: Answers, runners: Answers, names: Names
) -> list[str]:
    """Return for each row the class with the second-most votes, and the votes of both."""
    outputs, votes = np.array(body.outputs, np.int32), body.votes(table)
    texts = [""] * table.rows
    rows = np.flatnonzero(runners != NO_RULE)
    first, second = outputs[answers[rows]], outputs[runners[rows]]
    cells = zip(
        rows, second, votes[rows, second].tolist(), votes[rows, first].tolist(), strict=True
    )
    for row, output, fewer, more in cells:
        texts[row] = f"{names[output]}: {rounded_text(fewer)} votes against {rounded_text(more)}"
    return texts


def _reasons(
    grounds: Sequence[Predicate], table: Table, rows: Rows, shares: Sequence[Share] = ()
) -> list[str]:
    """Return for some rows why predicates hold on them."""
    used = dict.fromkeys(name for ground in grounds for name in ground.columns)
    used.update(dict.fromkeys(name for columns, _ in shares for name in columns))
    return reason_texts(grounds, table.select(tuple(used)).take(rows), shares)


def _grouped(numbers: Answers) -> Iterator[tuple[int, Rows]]:
    """Yield each number but ``NO_RULE`` with its rows."""
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=NO_RULE))
    for number, rows in zip(numbers[order][starts], np.split(order, starts)[1:], strict=True):
        yield int(number), rows


def _write(texts: list[str], rows: Rows, new: Sequence[str]) -> None:
    for row, text in zip(rows.tolist(), new, strict=True):
        texts[row] = text
