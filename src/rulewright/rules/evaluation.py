"""Evaluation of many models on one table: conditions that they share are evaluated once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rulewright.data import Table
from rulewright.rules.arrangements import (
    Answers,
    Arrangement,
    Conjunction,
    Disjunction,
    RuleList,
    RuleVote,
)
from rulewright.rules.combinations import AllOf, AnyOf
from rulewright.rules.conditions import KnownTruth
from rulewright.rules.node import Mask, Predicate
from rulewright.rules.scorecards import ClassScorecard, Scorecard

MAX_BYTES = 2**28
"""Maximum size of the stored results; further conditions are evaluated each time."""


class Evaluation:
    """A table on which models are evaluated, with the truth of their conditions.

    Parameters
    ----------
    table : Table

    Examples
    --------
    Lists that begin alike have their first conditions evaluated once::

        evaluation = Evaluation(table)
        answers = [evaluation.classify(body) for body in lists]
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._known: dict[Predicate, Mask] = {}

    def classify(self, body: Arrangement) -> Answers:
        """Return the class number of each row; ``ABSTAIN`` where there is no answer."""
        return np.array(body.outputs, np.int32)[self.answer(body)]

    def answer(self, body: Arrangement) -> Answers:
        """Return the number of the rule that answers each row."""
        match body:
            case RuleList():
                listed = tuple(self._rule(rule) for rule in body.listed)
                return replace(body, listed=listed).answer(self.table)
            case RuleVote():
                voters = tuple(self._rule(rule) for rule in body.voters)
                return replace(body, voters=voters).answer(self.table)
            case Scorecard() | ClassScorecard():
                lines: Any = tuple(self._rule(line) for line in body.lines)
                return replace(body, lines=lines).answer(self.table)
            case Conjunction() | Disjunction():
                parts: Any = tuple(KnownTruth(self.holds(part)) for part in body.parts)
                return replace(body, parts=parts).answer(self.table)
        return body.answer(self.table)

    def holds(self, condition: Predicate) -> Mask:
        """Return the truth of a condition on each row."""
        known = self._known.get(condition)
        if known is None:
            known = self._evaluate(condition)
            if len(self._known) * self.table.rows < MAX_BYTES:
                self._known[condition] = known
        return known

    def _evaluate(self, condition: Predicate) -> Mask:
        match condition:
            case AllOf(parts=parts) if len(parts) > 1:
                every: Mask = np.logical_and.reduce([self.holds(part) for part in parts])
                return every
            case AnyOf(parts=parts) if len(parts) > 1:
                some: Mask = np.logical_or.reduce([self.holds(part) for part in parts])
                return some
        return condition.holds(self.table)

    def _rule(self, rule: Any) -> Any:
        return replace(rule, condition=KnownTruth(self.holds(rule.condition)))
