"""Trees compiled for the kernel that routes rows to leaves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Table
from rulewright.kernels import Forks, Parts, RouteTests, route, route_in_parts
from rulewright.rules.category_sets import NATIVE, Values, set_bits, values_of
from rulewright.rules.conditions import CompiledConditions, pieces
from rulewright.rules.node import Predicate
from rulewright.rules.predicates import Category, Given, Interval, Missing, Threshold

NEXT = -1
"""Target of the next test. Other targets are nodes."""

FORK = 2**40
"""Target of the first fork, beyond all nodes; other forks follow."""

SHARES = 16
"""Number of equal shares into which a row with a missing value is divided."""


class Request(NamedTuple):
    """Arguments of ``route`` except the forks."""

    numbers: list[NDArray[np.float64]]
    codes: list[NDArray[np.int32]]
    tests: RouteTests
    words: NDArray[np.uint64]
    output: NDArray[np.int32]
    rows: int


@dataclass(frozen=True, eq=False)
class RoutingProgram:
    """Tests of a tree in the form that the kernel runs.

    ``numeric`` and ``coded`` are the columns. Predicates outside the kernel (``asked``) are
    evaluated beforehand, and their truth is in further categorical columns. A test of categories
    refers to one of ``sets``; its bits depend on the categories of the table.
    """

    numeric: tuple[str, ...]
    coded: tuple[str, ...]
    asked: tuple[Predicate, ...]
    tests: RouteTests
    sets: tuple[Values, ...]
    forks: Forks

    def leaves(self, table: Table, output: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the leaf of each row; ``output`` has the classes of the leaves."""
        found = [
            route(*self._request(some, output), forks=self.forks)
            for _, some in pieces(table, len(self.asked))
        ]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def in_parts(self, table: Table, output: NDArray[np.int32]) -> tuple[NDArray[np.int32], Parts]:
        """Return the leaf of each row, and the leaves and shares of rows divided at forks."""
        found = [
            (start, *route_in_parts(*self._request(some, output), forks=self.forks))
            for start, some in pieces(table, len(self.asked))
        ]
        parts = Parts(
            np.concatenate([parts.row + np.int32(start) for start, _, parts in found]),
            np.concatenate([parts.leaf for _, _, parts in found]),
            np.concatenate([parts.share for _, _, parts in found]),
        )
        return np.concatenate([leaf for _, leaf, _ in found]), parts

    def _request(self, table: Table, output: NDArray[np.int32]) -> Request:
        """Return the arguments of the kernel for a table."""
        codes = [table.categories(name) for name in self.coded]
        if self.asked:
            codes += [
                CategoricalColumn("", "boolean", truth.astype(np.int32), ("False", "True"))
                for truth in self._asked.truth(table)
            ]
        words, first, _ = set_bits(self.sets, codes)
        bits = self.tests.bits
        if self.sets:
            bits = np.where(bits < 0, bits, first[bits]).astype(np.int32)
        return Request(
            [table.numbers(name) for name in self.numeric],
            [column.codes for column in codes],
            self.tests._replace(bits=bits),
            words,
            output,
            table.rows,
        )

    @cached_property
    def _asked(self) -> CompiledConditions:
        return CompiledConditions(self.asked)


class ProgramWriter:
    """Builder of a program, test by test."""

    def __init__(self, numeric: Sequence[str], coded: Sequence[str]) -> None:
        self._numeric = {name: number for number, name in enumerate(numeric)}
        self._coded = {name: number for number, name in enumerate(coded)}
        self._low: list[float] = []
        self._high: list[float] = []
        self._column: list[int] = []
        self._bits: list[int] = []
        self._inside: list[int] = []
        self._outside: list[int] = []
        self._missing: list[int] = []
        self._sets: dict[Values, int] = {}
        self._asked: dict[Predicate, int] = {}
        self._forks: list[Sequence[tuple[int, int]]] = []

    @property
    def written(self) -> int:
        """Number of tests so far."""
        return len(self._low)

    def ask(self, test: Predicate, yes: int, no: int, missing: int | None = None) -> None:
        """Add a test with its targets: a node, or the next test (``NEXT``).

        ``missing`` is the target where the test's column is missing, by default as the test says.
        """
        if not isinstance(test, NATIVE):
            number = self._asked.setdefault(test, len(self._asked))
            self._ask_codes(Values(len(self._coded) + number, ("True",), True, False), yes, no, no)
            return
        if missing is None:
            missing = yes if _holds_on_missing(test) else no
        (name,) = test.columns
        if name in self._coded:
            self._ask_codes(values_of(test, self._coded[name]), yes, no, missing)
            return
        low, high, inside = _range_of(test)
        ends = (yes, no) if inside else (no, yes)
        self._ask(low, high, self._numeric[name], *ends, missing)

    def _ask(
        self,
        low: float,
        high: float,
        column: int,
        inside: int,
        outside: int,
        missing: int,
        bits: int = -1,
    ) -> None:
        self._low.append(low)
        self._high.append(high)
        self._column.append(column)
        self._bits.append(bits)
        self._inside.append(inside)
        self._outside.append(outside)
        self._missing.append(missing)

    def _ask_codes(self, values: Values, yes: int, no: int, missing: int) -> None:
        number = self._sets.setdefault(values, len(self._sets))
        self._ask(0.0, 0.0, values.column, yes, no, missing, number)

    def divide(self, branches: Sequence[tuple[int, int]]) -> int:
        """Return a target that divides a row over nodes, each with its share."""
        if len(branches) == 1:
            return branches[0][0]
        self._forks.append(branches)
        return FORK + len(self._forks) - 1

    def program(self, places: Sequence[int], leaves: int) -> RoutingProgram:
        """Return the program; ``places`` has the first test of each node, or ``~leaf``."""
        where = np.array(places, np.int32)
        here = np.arange(self.written, dtype=np.int32)

        def found(targets: Sequence[int]) -> NDArray[np.int32]:
            to = np.array(targets, np.int64)
            ends = np.where(to < 0, here - to, where[np.clip(to, 0, where.size - 1)])
            return np.where(to < FORK, ends, ~(leaves + to - FORK)).astype(np.int32)

        tests = RouteTests(
            np.array(self._low),
            np.array(self._high),
            np.array(self._column, np.int32),
            np.array(self._bits, np.int32),
            found(self._inside),
            found(self._outside),
            found(self._missing),
        )
        sizes = np.cumsum([0, *map(len, self._forks)])
        parts = np.array([part for fork in self._forks for part in fork], np.int32).reshape(-1, 2)
        forks = Forks(sizes.astype(np.int32), where[parts[:, 0]], parts[:, 1] / SHARES)
        return RoutingProgram(
            tuple(self._numeric),
            tuple(self._coded),
            tuple(self._asked),
            tests,
            tuple(self._sets),
            forks,
        )


def _holds_on_missing(test: Predicate) -> bool:
    """Whether a test of one column holds where its value is missing."""
    if isinstance(test, Missing):
        return test.missing
    return isinstance(test, Threshold | Interval | Category | Given) and test.if_missing


def _range_of(test: Predicate) -> tuple[float, float, bool]:
    """Return the smallest and the largest number of a range, and whether a test holds inside."""
    match test:
        case Threshold(_, above, cut):
            if test.cut_above != above:
                cut = math.nextafter(cut, math.inf if above else -math.inf)
            return (cut, math.inf, True) if above else (-math.inf, cut, True)
        case Interval(_, low, high, inside):
            low = math.nextafter(low, math.inf) if test.low_open else low
            high = math.nextafter(high, -math.inf) if test.high_open else high
            return low, high, inside
        case Given(_, truth):
            return 1.0, 1.0, truth
        case Missing(_, missing):
            return -math.inf, math.inf, not missing
    raise TypeError(f"{type(test).__name__} is not a test of numbers")


def check_kinds(tests: Iterable[Predicate], table: Table) -> None:
    """Check that tests of numbers and of categories meet columns of their kind."""
    asked = (test for test in tests if isinstance(test, NATIVE))
    for kind, (name,) in {(type(test), test.columns) for test in asked}:
        if kind in (Threshold, Interval):
            table.numbers(name)
        elif kind is Category:
            table.categories(name)
