"""Arrangements: predicates that together answer with a class number."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.kernels import VoteCount
from rulewright.rules.combinations import AllOf
from rulewright.rules.conditions import CompiledConditions, joined
from rulewright.rules.node import Node, Predicate, field_names
from rulewright.rules.registry import register_node

Answers = NDArray[np.int32]
Floats = NDArray[np.float64]

NO_RULE = -1
"""Number in the place of a rule where there is none."""

ABSTAIN = -1
"""Class number of no answer, where no rule of a list or vote without a default holds.

As an index it finds the last of an array of labels, which is the label of an abstention.
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
    """Sixteenths of a row that take a branch where a value of one of these columns is missing."""

    columns: tuple[str, ...]
    share: int


class SharedRows(NamedTuple):
    """Rows that several rules answer together, these rules, and their shares.

    The shares of a row sum to 1. Rows are in increasing order.
    """

    row: Answers
    rule: Answers
    share: Floats


class Arrangement(Node, ABC):
    """A classifier: every row is answered by exactly one of its rules.

    ``rules`` are the answers in order. The last one has no condition where there is a default or
    the arrangement abstains. ``answer`` gives the number of the rule that answers each row.
    """

    __slots__ = ()

    def __getstate__(self) -> dict[str, object]:
        # All else is computed from the fields.
        return {name: getattr(self, name) for name in field_names(type(self))}

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
        """Return the number of the rule that answers each row."""

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        """Return the number of the rule that would answer next for each row; -1 for none.

        ``answer`` is the result of ``answer(table)``.
        """
        return np.full(table.rows, NO_RULE, np.int32)

    def answered(self, table: Table, by_rule: Floats) -> tuple[Answers, Floats]:
        """Return the rule that answers each row, and the probability of each class (columns).

        ``by_rule`` has the probabilities of each rule.
        """
        found = self.chances_of_rules(by_rule)
        assert found is not None, "an arrangement without chances of rules answers by itself"
        answers = self.answer(table)
        return answers, found.take(answers, axis=0)

    def chances_of_rules(self, by_rule: Floats) -> Floats | None:
        """Return the probability of each class (columns) on the rows of each rule.

        None where rows that the same rule answers have different probabilities.
        """
        return by_rule

    def chances(self, table: Table, by_rule: Floats) -> Floats:
        """Return the probability of each class (columns) on each row, from that of each rule."""
        return self.answered(table, by_rule)[1]

    def shared_out(self, table: Table) -> SharedRows:
        """Return the rows that several rules answer together, each with its share."""
        none = np.empty(0, np.int32)
        return SharedRows(none, none, np.empty(0))

    def grounds(self, answer: int) -> tuple[Predicate, ...]:
        """Return the predicates that decide for a rule; they hold on every row that it answers."""
        rule = self.rules[answer]
        if rule.condition != AllOf():
            return (rule.condition,)
        return tuple(~earlier.condition for earlier in self.rules[:answer])

    def shares_to(self, answer: int) -> tuple[Share, ...]:
        """Return the shares of a row with missing values on the path to a rule."""
        return ()

    def classify(self, table: Table) -> Answers:
        """Return the class number of each row, ``ABSTAIN`` where there is no answer."""
        return self.labelled(table, np.array(self.outputs, np.int32))

    def labelled(self, table: Table, labels: NDArray[Any]) -> NDArray[Any]:
        """Return the label of each row; ``labels`` has that of each rule."""
        return labels.take(self.answer(table))


def next_true(conditions: tuple[Predicate, ...], table: Table, answer: Answers) -> Answers:
    """Return the number of the next true condition after the one that answers each row.

    It is their count where no other is true, and -1 where no condition answers the row.
    """
    following = np.full(table.rows, len(conditions), np.int32)
    for number in reversed(range(len(conditions))):
        following[conditions[number].holds(table) & (answer < number)] = number
    following[answer == len(conditions)] = NO_RULE
    return following


def consistent_shares(weight: Floats, outputs: NDArray[np.integer[Any]]) -> Floats:
    """Return class shares from weights (rows); the class that is answered has the largest.

    Where another class has more weight, the answered class gets 1e-9 more than the largest. Rows
    without an answer keep their shares. Weights are added in the order of the classes.
    """
    raised = weight.copy()
    rows = np.flatnonzero((weight.argmax(axis=1) != outputs) & (outputs != ABSTAIN))
    raised[rows, outputs[rows]] = weight[rows].max(axis=1) * (1 + 1e-9)
    shares: Floats = raised / np.cumsum(raised, axis=1)[:, -1:]
    return shares


class _Junction(Arrangement):
    """Base class of conjunctions and disjunctions."""

    __slots__ = ()

    parts: tuple[Predicate, ...]
    then: int
    otherwise: int

    @property
    def children(self) -> tuple[Predicate, ...]:
        return self.parts

    def answer(self, table: Table) -> Answers:
        return self._conditions.first_true(table)

    @cached_property
    def _conditions(self) -> CompiledConditions:
        return CompiledConditions(self.parts, negated=isinstance(self, Conjunction))

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        return next_true(tuple(rule.condition for rule in self.rules[:-1]), table, answer)


@register_node("conjunction")
@dataclass(frozen=True)
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
@dataclass(frozen=True)
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
    """Base class of lists and votes, which have a default answer or abstain."""

    __slots__ = ()

    default: int | None

    @property
    def abstains(self) -> bool:
        return self.default is None

    @property
    def default_rule(self) -> Rule:
        """The rule that answers where no other rule does."""
        return Rule(AllOf(), ABSTAIN if self.default is None else self.default)


@register_node("rule_list")
@dataclass(frozen=True)
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
        return (*self.listed, self.default_rule)

    def answer(self, table: Table) -> Answers:
        return self._conditions.first_true(table)

    @cached_property
    def _conditions(self) -> CompiledConditions:
        return CompiledConditions([rule.condition for rule in self.listed])

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        return next_true(tuple(rule.condition for rule in self.listed), table, answer)


@register_node("rule_vote")
@dataclass(frozen=True)
class RuleVote(_WithDefault):
    """The class with the largest sum of weights over the rules that hold.

    Ties go to the lower class number. Where no rule holds, the class ``default``; without one
    (None) it abstains there. The rule that answers is the heaviest of those that hold and vote for
    the winner.
    """

    voters: tuple[WeightedRule, ...]
    default: int | None

    @property
    def children(self) -> tuple[WeightedRule, ...]:
        return self.voters

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (*self.voters, self.default_rule)

    @property
    def always_votes(self) -> bool:
        """Whether a rule votes on every row, so that the default never answers."""
        return any(voter.condition == AllOf() for voter in self.voters)

    def answer(self, table: Table) -> Answers:
        return joined([counted.answer for counted in self._count_votes(table)])

    @cached_property
    def _conditions(self) -> CompiledConditions:
        return CompiledConditions([voter.condition for voter in self.voters])

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        """Return the heaviest rule for the class with the second-most votes; -1 for none."""
        votes, rows = self.votes(table), np.arange(table.rows)
        votes[rows, votes.argmax(axis=1)] = -np.inf
        second = votes.argmax(axis=1)
        found = np.full(table.rows, NO_RULE, np.int32)
        order = sorted(range(len(self.voters)), key=lambda n: (self.voters[n].weight, -n))
        for number in order:
            voter = self.voters[number]
            found[voter.condition.holds(table) & (second == voter.output)] = number
        return np.where(np.isinf(votes.max(axis=1)), NO_RULE, found).astype(np.int32)

    def votes(self, table: Table, classes: int | None = None) -> Floats:
        """Sum up the votes for each class (columns) on each row, in the order of the rules.

        The sum is minus infinity where no rule votes for the class. The sums of a row do not depend
        on other rows.
        """
        return joined([c.votes for c in self._count_votes(table, classes, votes=True)])

    def chances_of_rules(self, by_rule: Floats) -> None:
        return None

    def answered(self, table: Table, by_rule: Floats) -> tuple[Answers, Floats]:
        """Return the rule that answers each row, and the probability of each class by its votes.

        Votes are half log-odds. The probabilities are ``exp(2 votes)``, normalised. For two classes
        this is the logistic correction of AdaBoost (Friedman, Hastie & Tibshirani 2000, Additive
        logistic regression, Annals of Statistics 28, section 4). A class without votes counts as 0
        votes. Where no rule votes, the probability is that of the default.
        """
        counted = self._count_votes(table, by_rule.shape[1], default=by_rule[-1])
        return joined([c.answer for c in counted]), joined([c.chances for c in counted])

    def grounds(self, answer: int) -> tuple[Predicate, ...]:
        if answer == len(self.voters):
            return tuple(~voter.condition for voter in self.voters)
        condition = self.voters[answer].condition
        return () if condition == AllOf() else (condition,)

    def _count_votes(
        self, table: Table, classes: int | None = None, **wanted: Any
    ) -> list[VoteCount]:
        """Return the result of the kernel for each part of the table that fits in memory."""
        output = np.array([voter.output for voter in self.voters], np.int32)
        weight = np.array([voter.weight for voter in self.voters], np.float64)
        if classes is None:
            classes = 1 + int(output.max(initial=0))
        return self._conditions.run(
            table, lambda rows, roots: rows.count_votes(roots, output, weight, classes, **wanted)
        )
