"""Decision trees of any depth and size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from rulewright.data import CategoricalColumn, Table
from rulewright.errors import InputError
from rulewright.rules.arrangements import (
    Answers,
    Arrangement,
    Floats,
    Rule,
    Share,
    SharedRows,
    consistent_shares,
)
from rulewright.rules.category_sets import NATIVE
from rulewright.rules.combinations import AllOf, AnyOf
from rulewright.rules.node import Node, Predicate
from rulewright.rules.predicates import Category, Given, Interval, Missing, Threshold
from rulewright.rules.registry import register_node
from rulewright.rules.routing import NEXT, SHARES, ProgramWriter, RoutingProgram, check_kinds

MAX_TESTS = 20_000_000
"""Maximum number of tests in all rules of a tree: the paths of a deep tree outgrow any memory."""


@register_node("split")
@dataclass(frozen=True, slots=True)
class Split(Node):
    """A split of a tree: the first of ``tests`` that holds selects its branch, otherwise the last.

    ``branches`` are numbers of nodes, one more than there are tests. With ``shares``, in sixteenths
    for each branch, a row with a missing value takes all branches, its weight divided by the shares
    (Quinlan 1993, C4.5, chapter 3).
    """

    tests: tuple[Predicate, ...]
    branches: tuple[int, ...]
    shares: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.tests or len(self.branches) != len(self.tests) + 1:
            raise ValueError("a split needs tests, and one branch more than it has tests")
        if self.shares and (
            len(self.shares) != len(self.branches)
            or min(self.shares) < 0
            or sum(self.shares) != SHARES
        ):
            raise ValueError(
                f"a split's shares must be 0 or more, one for each branch, and sum to {SHARES}; "
                f"found {list(self.shares)} for {len(self.branches)} branches"
            )

    @property
    def children(self) -> tuple[Predicate, ...]:
        return self.tests


@register_node("leaf")
@dataclass(frozen=True, slots=True)
class Leaf(Node):
    """The end of a path in a tree: the class of number ``output``."""

    output: int


@register_node("tree")
@dataclass(frozen=True)
class Tree(Arrangement):
    """A decision tree as a flat list of nodes, the root first, every child after its parent.

    A flat list keeps the depth independent of the call stack. A row that is shared out gets the
    class with the most weight over the leaves that it reaches. The rule that answers is the leaf
    with the most weight among these, and the probabilities are a mixture of theirs. Ties go to the
    lower class number, and to the leaf that comes first.
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
            raise ValueError("every node of a tree except its root needs exactly one parent")

    @property
    def children(self) -> tuple[Split | Leaf, ...]:
        return self.nodes

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of its columns, each once, in the order of their first use."""
        tests = (test for node in self.nodes if isinstance(node, Split) for test in node.tests)
        return tuple(dict.fromkeys(name for test in tests for name in test.columns))

    @cached_property
    def outputs(self) -> tuple[int, ...]:
        """The class number of each leaf, in the order of the nodes."""
        return tuple(node.output for node in self.nodes if isinstance(node, Leaf))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """One rule for each leaf, in the order of the nodes: the conjunction of its path.

        Where rows are shared out, more than one of them can hold.
        """
        if self._tests_on_paths > MAX_TESTS:
            raise InputError(
                f"The rules of this tree with {len(self.outputs)} leaves would have "
                f"{self._tests_on_paths} tests, more than {MAX_TESTS}: each rule repeats the tests "
                "on its path. Print the tree itself, or use grounds(answer) for single rules."
            )
        paths: dict[int, tuple[Predicate, ...]] = {0: ()}
        rules = []
        for number, node in enumerate(self.nodes):
            path = paths.pop(number)
            if isinstance(node, Leaf):
                rules.append(Rule(AllOf(path), node.output))
                continue
            for place, child in enumerate(node.branches):
                paths[child] = (*path, *self._step(node, number, place))
        return tuple(rules)

    @cached_property
    def _tests_on_paths(self) -> int:
        """Number of tests in all rules."""
        lengths, total = [0] * len(self.nodes), 0
        for number, node in enumerate(self.nodes):
            if isinstance(node, Leaf):
                total += lengths[number]
                continue
            for place, child in enumerate(node.branches):
                lengths[child] = lengths[number] + min(place + 1, len(node.tests))
        return total

    @cached_property
    def _leaves(self) -> tuple[int, ...]:
        return tuple(n for n, node in enumerate(self.nodes) if isinstance(node, Leaf))

    @cached_property
    def _parents(self) -> tuple[tuple[Split, int, int], ...]:
        """For each node except the root: its parent, the parent's number, and the branch."""
        parents: dict[int, tuple[Split, int, int]] = {}
        for number, node in enumerate(self.nodes):
            for place, child in enumerate(node.branches if isinstance(node, Split) else ()):
                parents[child] = node, number, place  # type: ignore[assignment]
        return tuple(parents[number] for number in range(1, len(self.nodes)))

    def grounds(self, answer: int) -> tuple[Predicate, ...]:
        steps = [self._step(*step) for step in self._way_to(answer)]
        return tuple(chain.from_iterable(steps))

    def shares_to(self, answer: int) -> tuple[Share, ...]:
        return tuple(
            Share(split.columns, split.shares[place])
            for split, _, place in self._way_to(answer)
            if split.shares
        )

    def _way_to(self, answer: int) -> list[tuple[Split, int, int]]:
        """Return the path to a leaf: splits, their numbers, and the branches taken."""
        backwards: list[tuple[Split, int, int]] = []
        number = self._leaves[answer]
        while number:
            backwards.append(self._parents[number - 1])
            number = backwards[-1][1]
        return backwards[::-1]

    def _step(self, split: Split, number: int, place: int) -> tuple[Predicate, ...]:
        """Return the predicates that hold where a row takes this branch of a split."""
        step = split.tests[place : place + 1]
        if place:
            step = self._denied(split, number)[:place] + step
        if split.shares and split.shares[place]:
            return tuple(or_missing(test, split.columns) for test in step)
        return step

    def _denied(self, split: Split, number: int) -> tuple[Predicate, ...]:
        """Return the negated tests of a split, computed once."""
        if number not in self._denials:
            self._denials[number] = tuple(~test for test in split.tests)
        return self._denials[number]

    @cached_property
    def _denials(self) -> dict[int, tuple[Predicate, ...]]:
        return {}

    def answer(self, table: Table) -> Answers:
        if len(self.nodes) == 1:
            return np.zeros(table.rows, np.int32)
        return self._program(table).leaves(table, np.array(self.outputs, np.int32))

    def shared_out(self, table: Table) -> SharedRows:
        return self._in_parts(table)[1] if self._shares else super().shared_out(table)

    @cached_property
    def _shares(self) -> bool:
        """Whether rows with missing values are divided among branches somewhere."""
        return any(isinstance(node, Split) and node.shares for node in self.nodes)

    def _in_parts(self, table: Table) -> tuple[Answers, SharedRows]:
        """Return the leaf that answers each row, and all leaves of rows that are shared out."""
        if not self._shares:
            return self.answer(table), super().shared_out(table)
        outputs = np.array(self.outputs, np.int32)
        answers, parts = self._program(table).in_parts(table, outputs)
        return answers, SharedRows(*parts)

    def chances_of_rules(self, by_rule: Floats) -> Floats | None:
        return None if self._shares else by_rule

    def answered(self, table: Table, by_rule: Floats) -> tuple[Answers, Floats]:
        """Return the leaf of each row, and the probability of each class (columns).

        A row that is shared out has the mixture of its leaves' probabilities, by its shares. Where
        another class wins the vote of these leaves, it gets 1e-9 more than the largest.
        """
        answers, shared = self._in_parts(table)
        chances = by_rule.take(answers, axis=0)
        if not shared.row.size:
            return answers, chances
        begins = np.diff(shared.row, prepend=-1) != 0  # rows are in increasing order
        rows, place = shared.row[begins], np.cumsum(begins) - 1
        mixture = np.empty((rows.size, by_rule.shape[1]))
        for output, chance in enumerate(by_rule.T):  # bincount adds in the order of the parts
            mixture[:, output] = np.bincount(place, shared.share * chance[shared.rule])
        chances[rows] = consistent_shares(mixture, np.array(self.outputs)[answers[rows]])
        return answers, chances

    def _program(self, table: Table) -> RoutingProgram:
        """Return the compiled tests, computed once for tables with the same kinds of columns."""
        coded = frozenset(
            name for name in self._names if isinstance(table.column(name), CategoricalColumn)
        )
        if coded not in self._programs:
            splits = (node for node in self.nodes if isinstance(node, Split))
            check_kinds((test for split in splits for test in split.tests), table)
            self._programs[coded] = self._compiled(coded)
        return self._programs[coded]

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self.columns

    @cached_property
    def _programs(self) -> dict[frozenset[str], RoutingProgram]:
        return {}

    def _compiled(self, coded: frozenset[str]) -> RoutingProgram:
        writer = ProgramWriter(
            [name for name in self._names if name not in coded],
            [name for name in self._names if name in coded],
        )
        places: list[int] = []
        leaves = 0
        for node in self.nodes:
            if isinstance(node, Leaf):
                places.append(~leaves)
                leaves += 1
                continue
            places.append(writer.written)
            _write(node, writer)
        return writer.program(places, leaves)


def _write(split: Split, writer: ProgramWriter) -> None:
    """Write the tests of a split, and where it divides rows with missing values."""
    divided = None
    if split.shares:
        parts = zip(split.branches, split.shares, strict=True)
        divided = writer.divide([(branch, share) for branch, share in parts if share])
        if not (isinstance(split.tests[0], NATIVE) and len(split.columns) == 1):
            for name in split.columns:
                writer.ask(Missing(name), divided, NEXT)
            divided = None
    for test, branch in zip(split.tests[:-1], split.branches, strict=False):
        writer.ask(test, branch, NEXT, divided)
    yes, no = split.branches[-2:]
    writer.ask(split.tests[-1], yes, no, divided)


def or_missing(test: Predicate, columns: Sequence[str]) -> Predicate:
    """Return a predicate that also holds where one of these columns is missing."""
    if isinstance(test, Threshold | Interval | Category | Given) and tuple(columns) == test.columns:
        return replace(test, if_missing=True)
    return AnyOf((test, *map(Missing, columns)))
