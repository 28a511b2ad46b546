"""Arrangements: how predicates together answer with a class number."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.rules.combinations import AllOf
from rulewright.rules.node import Mask, Node, Predicate
from rulewright.rules.registry import register_node

Answers = NDArray[np.int32]
Floats = NDArray[np.float64]
LARGEST = float(np.finfo(np.float64).max)

NOBODY = -1
"""The rule number of no rule."""

ABSTAIN = -1
"""The class number of no answer: what a list or a vote without a default gives where no rule holds.

It finds the last of an array of labels, where the label of an abstention is put.
"""


@register_node("rule")
@dataclass(frozen=True, slots=True)
class Rule(Node):
    """If the condition holds, the class of number ``output``."""

    condition: Predicate
    output: int

    @property
    def children(self) -> tuple[Predicate, ...]:
        return (self.condition,)


@register_node("weighted_rule")
@dataclass(frozen=True, slots=True)
class WeightedRule(Rule):
    """A rule with a weight in a vote."""

    weight: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.weight):
            raise ValueError(f"a rule's weight must be finite, not {self.weight}")


class Share(NamedTuple):
    """How many sixteenths of a row go on where it misses a value of one of these columns."""

    columns: tuple[str, ...]
    share: int


class SharedRows(NamedTuple):
    """Rows, rules that they are shared out to, and shares, which sum to 1 a row.

    Rows stand in increasing order. Rows that a single rule answers are not among them.
    """

    row: Answers
    rule: Answers
    share: Floats


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

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        """Say which of ``rules`` would answer each row if that one did not; -1 for none.

        ``answer`` is what ``answer(table)`` gives.
        """
        return np.full(table.rows, NOBODY, np.int32)

    def chances(self, table: Table, by_rule: Floats) -> Floats:
        """Give the probability of each class (columns) on each row, from that of each rule."""
        return by_rule[self.answer(table)]

    def shared_out(self, table: Table) -> SharedRows:
        """Return the rows that several rules answer together, each with its share."""
        none = np.empty(0, np.int32)
        return SharedRows(none, none, np.empty(0))

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


def next_that_holds(conditions: tuple[Predicate, ...], table: Table, answer: Answers) -> Answers:
    """Give the number of the next condition that holds after the one that answers a row.

    It is their count where no other holds, and -1 where none answers in the first place.
    """
    following = np.full(table.rows, len(conditions), np.int32)
    for number in reversed(range(len(conditions))):
        following[conditions[number].holds(table) & (answer < number)] = number
    following[answer == len(conditions)] = NOBODY
    return following


def agreeing(weight: Floats, outputs: NDArray[np.integer[Any]]) -> Floats:
    """Make shares of weights (rows) so that the class that is answered with has the largest.

    Where it has not, it is given a hair more than the likeliest. No answer leaves the shares as
    they are.
    """
    raised = weight.copy()
    rows = np.flatnonzero((weight.argmax(axis=1) != outputs) & (outputs != ABSTAIN))
    raised[rows, outputs[rows]] = weight[rows].max(axis=1) * (1 + 1e-9)
    shares: Floats = raised / raised.sum(axis=1, keepdims=True)
    return shares


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

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        return next_that_holds(tuple(rule.condition for rule in self.rules[:-1]), table, answer)


@register_node("conjunction")
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


@register_node("disjunction")
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


@register_node("rule_list")
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

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        return next_that_holds(tuple(rule.condition for rule in self.listed), table, answer)


@register_node("rule_vote")
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

    @property
    def never_silent(self) -> bool:
        """Whether a rule votes on every row, so that the default never answers."""
        return any(voter.condition == AllOf() for voter in self.voters)

    def answer(self, table: Table) -> Answers:
        counted = self._counted(table)
        winner = counted.loudest[counted.votes.argmax(axis=0), np.arange(table.rows)]
        return np.where(winner < 0, len(self.voters), winner).astype(np.int32)

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        """Give the weightiest rule for the class with the second-most votes, -1 for none."""
        counted, rows = self._counted(table), np.arange(table.rows)
        counted.votes[counted.votes.argmax(axis=0), rows] = -np.inf
        second: Answers = counted.loudest[counted.votes.argmax(axis=0), rows]
        return np.where(np.isinf(counted.votes.max(axis=0)), NOBODY, second).astype(np.int32)

    def votes(self, table: Table, classes: int | None = None) -> Floats:
        """Sum up the votes for each class (columns) on each row, in the order of the rules.

        Minus infinity where no rule speaks for the class. The sums of a row are the same whatever
        rows stand beside it.
        """
        return self._counted(table, classes).votes.T

    def chances(self, table: Table, by_rule: Floats) -> Floats:
        """Give the probability of each class by the sums of votes, which half log-odds are.

        ``exp(2 votes)``, made to sum to one over the classes, is for two classes the logistic
        correction of AdaBoost's confidences (Friedman, Hastie & Tibshirani 2000, Additive logistic
        regression, Annals of Statistics 28, section 4); no weight counts as no votes. Where nothing
        votes, the probability is that of the default.
        """
        votes = self.votes(table, by_rule.shape[1])
        silent = np.isneginf(votes)
        spoken = ~silent.all(axis=1)
        chances = np.repeat(by_rule[-1:], table.rows, axis=0)
        votes = votes[spoken]
        known = np.where(silent[spoken], 0.0, votes)
        with np.errstate(over="ignore"):
            odds = np.exp(2 * (known - known.max(axis=1, keepdims=True)))
        chances[spoken] = agreeing(odds, votes.argmax(axis=1))
        return chances

    def grounds(self, answer: int) -> tuple[Predicate, ...]:
        if answer == len(self.voters):
            return tuple(~voter.condition for voter in self.voters)
        condition = self.voters[answer].condition
        return () if condition == AllOf() else (condition,)

    def _counted(self, table: Table, classes: int | None = None) -> _Counted:
        if classes is None:
            classes = 1 + max((voter.output for voter in self.voters), default=0)
        votes, loudness = np.zeros((classes, table.rows)), np.full((classes, table.rows), -np.inf)
        loudest = np.full((classes, table.rows), NOBODY, np.int32)
        for number, voter in enumerate(self.voters):
            holds = voter.condition.holds(table)
            votes[voter.output] = _added(votes[voter.output], voter.weight, holds)
            louder = holds & (voter.weight > loudness[voter.output])
            loudness[voter.output, louder] = voter.weight
            loudest[voter.output, louder] = number
        # Only a class that some rule speaks for can win, also when its weights are negative.
        votes[loudest == NOBODY] = -np.inf
        return _Counted(votes, loudest)


class _Counted(NamedTuple):
    """A vote, by class and row: the sums, -inf where nobody speaks, and who speaks the loudest."""

    votes: Floats
    loudest: Answers


def _added(votes: Floats, weight: float, holds: Mask) -> Floats:
    """Add a vote where the rule holds; sums that no number can hold stay the largest there is."""
    with np.errstate(over="ignore"):
        added: Floats = np.clip(votes + weight * holds, -LARGEST, LARGEST)
    return added
