"""Decision trees of any depth and size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rulewright.data import CategoricalColumn, Table
from rulewright.errors import InputError
from rulewright.rules.arrangements import Answers, Arrangement, Rule, first_that_holds
from rulewright.rules.combinations import AllOf
from rulewright.rules.node import Node, Predicate
from rulewright.rules.routing import NATIVE, NEXT, Program, Writer, check_kinds

MOST_TESTS = 20_000_000
"""So many tests the rules of a tree may have together: a deep tree's paths outgrow any memory."""


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


@dataclass(frozen=True)
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

    @cached_property
    def outputs(self) -> tuple[int, ...]:
        """The class number of each leaf, in the order of the nodes."""
        return tuple(node.output for node in self.nodes if isinstance(node, Leaf))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """One rule a leaf, in the order of the nodes: the tests on its path, all together."""
        if self._tests_on_paths > MOST_TESTS:
            raise InputError(
                f"The rules of a tree repeat the tests on the way to each leaf: for its "
                f"{len(self.outputs)} leaves these are {self._tests_on_paths}, more than "
                f"{MOST_TESTS}. Print the tree itself, or ask for the grounds of single answers."
            )
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

    @cached_property
    def _tests_on_paths(self) -> int:
        """How many tests all rules together have."""
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
        """For each node but the root: the split before it, its number, and by which branch."""
        parents: dict[int, tuple[Split, int, int]] = {}
        for number, node in enumerate(self.nodes):
            for place, child in enumerate(node.branches if isinstance(node, Split) else ()):
                parents[child] = node, number, place  # type: ignore[assignment]
        return tuple(parents[number] for number in range(1, len(self.nodes)))

    def grounds(self, answer: int) -> tuple[Predicate, ...]:
        backwards: list[Predicate] = []
        number = self._leaves[answer]
        while number:
            split, number, place = self._parents[number - 1]
            backwards += split.tests[place : place + 1]
            if place:
                backwards += self._denied(split, number)[-place:]
        return tuple(reversed(backwards))

    def _denied(self, split: Split, number: int) -> tuple[Predicate, ...]:
        """Negate the tests of a split, the last first, once for all answers."""
        if number not in self._denials:
            self._denials[number] = tuple(~test for test in reversed(split.tests))
        return self._denials[number]

    @cached_property
    def _denials(self) -> dict[int, tuple[Predicate, ...]]:
        return {}

    def answer(self, table: Table) -> Answers:
        if len(self.nodes) == 1:
            return np.zeros(table.rows, np.int32)
        program = self._program(table)
        return self._walked(table) if program is None else program.leaves(table)

    def _program(self, table: Table) -> Program | None:
        """Make the tests ready for the kernel, once for all tables of the same kinds of columns."""
        coded = frozenset(
            name for name in self._names if isinstance(table.column(name), CategoricalColumn)
        )
        if coded not in self._programs:
            tests = [t for node in self.nodes if isinstance(node, Split) for t in node.tests]
            if all(isinstance(test, NATIVE) for test in tests):
                check_kinds(tests, table)
                self._programs[coded] = self._compiled(coded)
            else:
                self._programs[coded] = None
        return self._programs[coded]

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self.columns

    @cached_property
    def _programs(self) -> dict[frozenset[str], Program | None]:
        return {}

    def _compiled(self, coded: frozenset[str]) -> Program:
        writer = Writer(
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
            for test, branch in zip(node.tests[:-1], node.branches, strict=False):
                writer.ask(test, branch, NEXT)
            writer.ask(node.tests[-1], *node.branches[-2:])
        return writer.program(places)

    def _walked(self, table: Table) -> Answers:
        """Route rows by the predicates themselves, where the kernel cannot ask one of them."""
        answer = np.empty(table.rows, np.int32)
        leaf = {number: place for place, number in enumerate(self._leaves)}
        waiting = [(0, np.arange(table.rows))]
        while waiting:
            number, rows = waiting.pop()
            node = self.nodes[number]
            if isinstance(node, Leaf):
                answer[rows] = leaf[number]
                continue
            child = first_that_holds(node.tests, table.select(node.columns).take(rows))
            reached = ((name, rows[child == place]) for place, name in enumerate(node.branches))
            waiting += [(name, some) for name, some in reached if some.size]
        return answer
