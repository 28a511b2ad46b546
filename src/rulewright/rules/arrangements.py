"""Arrangements: how predicates together answer with a class number."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.rules.combinations import AllOf
from rulewright.rules.node import Node, Predicate

Answers = NDArray[np.int32]

ABSTAIN = -1
"""The class number of no answer: what a list or a vote without a default gives where no rule holds.

It finds the last of an array of labels, where the label of an abstention is put.
"""


@dataclass(frozen=True, slots=True)
class Rule(Node):
    """If the condition holds, the class of number ``output``."""

    condition: Predicate
    output: int

    @property
    def children(self) -> tuple[Predicate, ...]:
        return (self.condition,)


@dataclass(frozen=True, slots=True)
class WeightedRule(Rule):
    """A rule with a voice in a vote."""

    weight: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.weight):
            raise ValueError(f"a rule's weight must be finite, not {self.weight}")


class Share(NamedTuple):
    """How many sixteenths of a row go on where it misses a value of one of these columns."""

    columns: tuple[str, ...]
    share: int


class Arrangement(Node, ABC):
    """A classifier: every row is answered by exactly one of its rules.

    ``rules`` are the answers in order, the last of them without a condition where there is a
    default or the arrangement abstains; ``answer`` says which of them answers each row.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def rules(self) -> tuple[Rule, ...]:
        """The answers as rules."""

    @property
    def outputs(self) -> tuple[int, ...]:
        """The class number of each of ``rules``."""
        return tuple(rule.output for rule in self.rules)

    @property
    def abstains(self) -> bool:
        """Whether the last of ``rules`` gives no answer."""
        return False

    @abstractmethod
    def answer(self, table: Table) -> Answers:
        """Say which of ``rules`` answers each row."""

    def grounds(self, answer: int) -> tuple[Predicate, ...]:
        """Give the predicates that hold on every row which that rule answers, and decide it."""
        rule = self.rules[answer]
        if rule.condition != AllOf():
            return (rule.condition,)
        return tuple(~earlier.condition for earlier in self.rules[:answer])

    def shares_to(self, answer: int) -> tuple[Share, ...]:
        """Say where on the way to that rule rows with missing values are shared out, and how."""
        return ()

    def classify(self, table: Table) -> Answers:
        """Give the class number of each row, ``ABSTAIN`` where there is no answer."""
        return np.array(self.outputs, np.int32)[self.answer(table)]


def first_that_holds(conditions: tuple[Predicate, ...], table: Table) -> Answers:
    """Give the number of the first condition that holds on a row; their count where none does."""
    answer = np.full(table.rows, len(conditions), np.int32)
    for number in reversed(range(len(conditions))):
        answer[conditions[number].holds(table)] = number
    return answer


class _Junction(Arrangement):
    """What conjunction and disjunction share."""

    __slots__ = ()

    parts: tuple[Predicate, ...]
    then: int
    otherwise: int

    @property
    def children(self) -> tuple[Predicate, ...]:
        return self.parts

    def answer(self, table: Table) -> Answers:
        return first_that_holds(tuple(rule.condition for rule in self.rules[:-1]), table)


@dataclass(frozen=True, slots=True)
class Conjunction(_Junction):
    """Class ``then`` where all parts hold, ``otherwise`` where one fails.

    The first part that fails is the rule that answers.
    """

    parts: tuple[Predicate, ...]
    then: int
    otherwise: int

    @property
    def rules(self) -> tuple[Rule, ...]:
        failing = tuple(Rule(~part, self.otherwise) for part in self.parts)
        return (*failing, Rule(AllOf(), self.then))

    @property
    def outputs(self) -> tuple[int, ...]:
        return (*[self.otherwise] * len(self.parts), self.then)


@dataclass(frozen=True, slots=True)
class Disjunction(_Junction):
    """Class ``then`` where one part holds, ``otherwise`` where none does.

    The first part that holds is the rule that answers.
    """

    parts: tuple[Predicate, ...]
    then: int
    otherwise: int

    @property
    def rules(self) -> tuple[Rule, ...]:
        holding = tuple(Rule(part, self.then) for part in self.parts)
        return (*holding, Rule(AllOf(), self.otherwise))

    @property
    def outputs(self) -> tuple[int, ...]:
        return (*[self.then] * len(self.parts), self.otherwise)


class _WithDefault(Arrangement):
    """What lists and votes share: rules of their own, and what is answered where none holds."""

    __slots__ = ()

    default: int | None

    @property
    def abstains(self) -> bool:
        return self.default is None

    @property
    def closing(self) -> Rule:
        """What answers where no other rule does."""
        return Rule(AllOf(), ABSTAIN if self.default is None else self.default)


@dataclass(frozen=True, slots=True)
class RuleList(_WithDefault):
    """The first rule whose condition holds answers; the class ``default`` where none does.

    Without a default (None) it abstains there.
    """

    listed: tuple[Rule, ...]
    default: int | None

    @property
    def children(self) -> tuple[Rule, ...]:
        return self.listed

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (*self.listed, self.closing)

    def answer(self, table: Table) -> Answers:
        return first_that_holds(tuple(rule.condition for rule in self.listed), table)


@dataclass(frozen=True, slots=True)
class RuleVote(_WithDefault):
    """The class with the largest sum of weights over the rules that hold.

    Ties go to the lower class number. Where no rule holds, the class ``default``; without one
    (None) it abstains there. The rule that answers is the weightiest of those that hold and speak
    for the winner.
    """

    voters: tuple[WeightedRule, ...]
    default: int | None

    @property
    def children(self) -> tuple[WeightedRule, ...]:
        return self.voters

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (*self.voters, self.closing)

    def answer(self, table: Table) -> Answers:
        answer = np.full(table.rows, len(self.voters), np.int32)
        if not self.voters:
            return answer
        holding = np.array([voter.condition.holds(table) for voter in self.voters])
        winner = self._winner(holding)
        loudest = np.full(table.rows, -np.inf)
        for number, voter in enumerate(self.voters):
            speaks = holding[number] & (winner == voter.output) & (voter.weight > loudest)
            answer[speaks] = number
            loudest[speaks] = voter.weight
        return answer

    def grounds(self, answer: int) -> tuple[Predicate, ...]:
        if answer == len(self.voters):
            return tuple(~voter.condition for voter in self.voters)
        condition = self.voters[answer].condition
        return () if condition == AllOf() else (condition,)

    def _winner(self, holding: NDArray[np.bool_]) -> NDArray[np.intp]:
        votes = np.zeros((1 + max(v.output for v in self.voters), holding.shape[1]))
        for voter, holds in zip(self.voters, holding, strict=True):
            votes[voter.output] += voter.weight * holds
        # Only a class that some rule speaks for can win, also when its weights are negative.
        for output in range(len(votes)):
            spoken = [h for v, h in zip(self.voters, holding, strict=True) if v.output == output]
            votes[output][
                ~np.any([np.zeros(holding.shape[1], np.bool_), *spoken], axis=0)
            ] = -np.inf
        winner: NDArray[np.intp] = votes.argmax(axis=0)
        return winner
