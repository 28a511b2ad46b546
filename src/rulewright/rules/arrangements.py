"""Arrangements: how predicates together answer with a class number."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.rules.combinations import AllOf
from rulewright.rules.node import Node, Predicate

Answers = NDArray[np.int32]


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


class Arrangement(Node, ABC):
    """A classifier: every row is answered by exactly one of its rules.

    ``rules`` are the answers in order, the last of them without a condition where there is a
    default; ``answer`` says which of them answers each row.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def rules(self) -> tuple[Rule, ...]:
        """The answers as rules."""

    @abstractmethod
    def answer(self, table: Table) -> Answers:
        """Say which of ``rules`` answers each row."""

    def grounds(self, answer: int) -> tuple[Predicate, ...]:
        """Give the predicates that hold on every row which that rule answers, and decide it."""
        rule = self.rules[answer]
        if rule.condition != AllOf():
            return (rule.condition,)
        return tuple(~earlier.condition for earlier in self.rules[:answer])

    def classify(self, table: Table) -> Answers:
        """Give the class number of each row."""
        outputs = np.array([rule.output for rule in self.rules], np.int32)
        return outputs[self.answer(table)]


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


@dataclass(frozen=True, slots=True)
class RuleList(Arrangement):
    """The first rule whose condition holds answers; the class ``default`` where none does."""

    listed: tuple[Rule, ...]
    default: int

    @property
    def children(self) -> tuple[Rule, ...]:
        return self.listed

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (*self.listed, Rule(AllOf(), self.default))

    def answer(self, table: Table) -> Answers:
        return first_that_holds(tuple(rule.condition for rule in self.listed), table)


@dataclass(frozen=True, slots=True)
class RuleVote(Arrangement):
    """The class with the largest sum of weights over the rules that hold.

    Ties go to the lower class number. Where no rule holds, the class ``default``. The rule that
    answers is the weightiest of those that hold and speak for the winner.
    """

    voters: tuple[WeightedRule, ...]
    default: int

    @property
    def children(self) -> tuple[WeightedRule, ...]:
        return self.voters

    @property
    def rules(self) -> tuple[Rule, ...]:
        return (*self.voters, Rule(AllOf(), self.default))

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


@dataclass(frozen=True, slots=True)
class Split(Node):
    """A test in a tree: the first of ``tests`` that holds says which branch, the last branch else.

    ``branches`` are numbers of nodes, one more than there are tests.
    """

    tests: tuple[Predicate, ...]
    branches: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.tests or len(self.branches) != len(self.tests) + 1:
            raise ValueError("a split needs tests, and one branch more than it has tests")

    @property
    def children(self) -> tuple[Predicate, ...]:
        return self.tests


@dataclass(frozen=True, slots=True)
class Leaf(Node):
    """The end of a path in a tree: the class of number ``output``."""

    output: int


@dataclass(frozen=True, slots=True)
class Tree(Arrangement):
    """A decision tree as a flat list of nodes, the root first, every child after its parent.

    Flat, so that its depth is bounded by memory and not by the call stack.
    """

    nodes: tuple[Split | Leaf, ...]

    def __post_init__(self) -> None:
        parents = [0] * len(self.nodes)
        for number, node in enumerate(self.nodes):
            for child in node.branches if isinstance(node, Split) else ():
                if not number < child < len(self.nodes):
                    raise ValueError(f"node {number} of the tree has no branch to node {child}")
                parents[child] += 1
        if not self.nodes or any(count != 1 for count in parents[1:]):
            raise ValueError("every node of a tree but its root needs exactly one parent")

    @property
    def children(self) -> tuple[Split | Leaf, ...]:
        return self.nodes

    @property
    def rules(self) -> tuple[Rule, ...]:
        """One rule a leaf, in the order of the nodes: the tests on its path, all together."""
        paths: dict[int, tuple[Predicate, ...]] = {0: ()}
        rules = []
        for number, node in enumerate(self.nodes):
            path = paths.pop(number)
            if isinstance(node, Leaf):
                rules.append(Rule(AllOf(path), node.output))
                continue
            for test, child in zip(node.tests, node.branches, strict=False):
                paths[child] = (*path, test)
                path = (*path, ~test)
            paths[node.branches[-1]] = path
        return tuple(rules)

    def grounds(self, answer: int) -> tuple[Predicate, ...]:
        path = self.rules[answer].condition
        return path.parts if isinstance(path, AllOf) else (path,)

    def classify(self, table: Table) -> Answers:
        outputs = [node.output for node in self.nodes if isinstance(node, Leaf)]
        return np.array(outputs, np.int32)[self.answer(table)]

    def answer(self, table: Table) -> Answers:
        answer = np.empty(table.rows, np.int32)
        waiting = {0: np.arange(table.rows)}
        leaves = 0
        for number, node in enumerate(self.nodes):
            rows = waiting.pop(number)
            if isinstance(node, Leaf):
                answer[rows] = leaves
                leaves += 1
                continue
            here = table.select(node.columns).take(rows)
            child = first_that_holds(node.tests, here)
            for place, name in enumerate(node.branches):
                waiting[name] = rows[child == place]
        return answer
