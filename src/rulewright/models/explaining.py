"""Why rows got their answers, and what would have answered instead, for many rows at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.render import about_text, number_text, reason_texts
from rulewright.rules import AllOf, Arrangement, Predicate, RuleList, RuleVote, condensed
from rulewright.rules.arrangements import NOBODY, Answers, Share

MAX_REASONS = 5
"""Of so many rules on a side of a vote it is said why they spoke: the weightiest."""

MAX_DENIED = 20
"""Of so many rules of a list or vote it is said why none holds; of more, only that none does."""

Rows = NDArray[np.intp]
Names = Sequence[str]


def reasons_of(body: Arrangement, table: Table, answers: Answers) -> list[str]:
    """Say of each row why the rule of that number answered it, nothing for -1."""
    said = [""] * table.rows
    for answer, rows in _grouped(answers):
        if isinstance(body, RuleList | RuleVote) and answer == len(body.children) > MAX_DENIED:
            _write(said, rows, [f"none of the {answer} rules holds"] * rows.size)
            continue
        grounds = condensed(body.grounds(answer))
        _write(said, rows, _reasons(grounds, table, rows, body.shares_to(answer)))
    return said


def runners_up_of(
    body: Arrangement, table: Table, answers: Answers, names: Names, otherwise: str
) -> list[str]:
    """Say of each row what would have answered it instead, nothing where there is no such thing.

    It is a rule with its class, by ``names``, and why it holds; in a vote the second class with its
    votes. ``otherwise`` stands for the reason of the last rule, which needs none.
    """
    runners = body.runner_up(table, answers)
    if isinstance(body, RuleVote):
        return _seconds(body, table, answers, runners, names)
    said, rules = [""] * table.rows, body.rules
    for number, rows in _grouped(runners):
        rule = rules[number]
        head = f"rule {number + 1}: {names[rule.output]}, "
        always = rule.condition == AllOf()
        whys = [otherwise] * rows.size if always else _reasons([rule.condition], table, rows)
        _write(said, rows, [head + why for why in whys])
    return said


def voices_of(body: RuleVote, table: Table, answers: Answers, names: Names) -> list[str]:
    """Say of each row which rules spoke for its class and which against it.

    The weightiest of each side say why. Where none spoke, it is said why not.
    """
    nobody = answers == len(body.voters)
    said = reasons_of(body, table, np.where(nobody, answers, NOBODY).astype(np.int32))
    outputs = np.array(body.outputs, np.int32)[answers]
    sides = _Side(table.rows), _Side(table.rows)
    for number, voter in sorted(enumerate(body.voters), key=lambda pair: -pair[1].weight):
        holds, own = voter.condition.holds(table), outputs == voter.output
        weight, rule = number_text(voter.weight), f"by rule {number + 1}"
        sides[0].hear(voter.condition, f"{weight} {rule}", np.flatnonzero(holds & own), table)
        head = f"{weight} for {names[voter.output]} {rule}"
        sides[1].hear(voter.condition, head, np.flatnonzero(holds & ~own), table)
    for row in np.flatnonzero(~nobody).tolist():
        speaking, against = ("; ".join(side.said[row]) for side in sides)
        said[row] = f"{speaking}; against: {against}" if against else speaking
    return said


class _Side:
    """What is said on one side of a vote, row by row."""

    def __init__(self, rows: int) -> None:
        self.said: list[list[str]] = [[] for _ in range(rows)]
        self.given = np.zeros(rows, np.intp)

    def hear(self, condition: Predicate, vote: str, rows: Rows, table: Table) -> None:
        """Hear a rule on the rows where it speaks: its vote, and its reason where there is room."""
        room = self.given[rows] < MAX_REASONS
        self.given[rows] += 1
        grounds = () if condition == AllOf() else (condition,)
        reasoned = rows[room]
        if reasoned.size:
            whys = _reasons(grounds, table, reasoned)
            for row, why in zip(reasoned.tolist(), whys, strict=True):
                self.said[row].append(f"{vote}: {why}")
        for row in rows[~room].tolist():
            self.said[row].append(vote)


def _seconds(
    body: RuleVote, table: Table, answers: Answers, runners: Answers, names: Names
) -> list[str]:
    """Say of each row which class had the second-most votes, and how many against how many."""
    outputs, votes = np.array(body.outputs, np.int32), body.votes(table)
    said = [""] * table.rows
    rows = np.flatnonzero(runners != NOBODY)
    first, second = outputs[answers[rows]], outputs[runners[rows]]
    cells = zip(
        rows, second, votes[rows, second].tolist(), votes[rows, first].tolist(), strict=True
    )
    for row, output, fewer, more in cells:
        said[row] = f"{names[output]}: {about_text(fewer)} votes against {about_text(more)}"
    return said


def _reasons(
    grounds: Sequence[Predicate], table: Table, rows: Rows, shares: Sequence[Share] = ()
) -> list[str]:
    """Say why predicates hold on some of the rows."""
    used = dict.fromkeys(name for ground in grounds for name in ground.columns)
    used.update(dict.fromkeys(name for columns, _ in shares for name in columns))
    return reason_texts(grounds, table.select(tuple(used)).take(rows), shares)


def _grouped(numbers: Answers) -> Iterator[tuple[int, Rows]]:
    """Give the rows of each number, less those of none."""
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=NOBODY))
    for number, rows in zip(numbers[order][starts], np.split(order, starts)[1:], strict=True):
        yield int(number), rows


def _write(said: list[str], rows: Rows, texts: Sequence[str]) -> None:
    for row, text in zip(rows.tolist(), texts, strict=True):
        said[row] = text
