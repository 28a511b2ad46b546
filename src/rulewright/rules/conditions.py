"""Conditions compiled for the kernel that evaluates them in blocks of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Table
from rulewright.kernels import (
    ALL,
    ANY,
    AT_LEAST,
    CATEGORY,
    GIVEN,
    INSIDE,
    NOT_OUTSIDE,
    ConditionArrays,
    Conditions,
    ConditionTable,
)
from rulewright.rules.category_sets import NATIVE, Values, set_bits, values_of
from rulewright.rules.combinations import AllOf, AnyOf, AtLeast, Not
from rulewright.rules.node import Mask, Predicate
from rulewright.rules.predicates import Category, Given, Interval, Missing, Threshold

MAX_CELLS = 2**26
"""Maximum number of answers, of predicates outside the kernel, in memory at a time."""

Result = TypeVar("Result")


def pieces(table: Table, masks: int) -> Iterator[tuple[int, Table]]:
    """Yield parts of a table, and their first rows, for which the masks fit in memory."""
    max_rows = max(MAX_CELLS // max(masks, 1), 1)
    if not masks or table.rows <= max_rows:
        yield 0, table
        return
    for start in range(0, table.rows, max_rows):
        yield start, table.take(np.arange(start, min(start + max_rows, table.rows)))


@dataclass(frozen=True, eq=False)
class KnownTruth:
    """A condition whose truth on every row of one table is known."""

    mask: Mask

    def holds(self, table: Table) -> Mask:
        """Return the truth of the condition on each row."""
        return self.mask


@dataclass(frozen=True, eq=False)
class ConditionProgram:
    """Conditions in the form that the kernel runs.

    ``numeric`` and ``coded`` are the columns. Predicates outside the kernel (``asked``) are
    evaluated beforehand. The bits of ``sets`` depend on the categories of the table. ``roots`` are
    the numbers of the conditions among all of their parts.
    """

    numeric: tuple[str, ...]
    coded: tuple[str, ...]
    asked: tuple[Predicate, ...]
    sets: tuple[Values, ...]
    conditions: Conditions
    roots: NDArray[np.int32]

    def on(self, table: Table) -> ConditionTable:
        """Return the conditions on the columns of a table."""
        codes = [table.categories(name) for name in self.coded]
        return self.conditions.on(
            [table.numbers(name) for name in self.numeric],
            [column.codes for column in codes],
            [predicate.holds(table) for predicate in self.asked],
            set_bits(self.sets, codes),
            table.rows,
        )


class CompiledConditions:
    """Conditions of a model, compiled once for tables with the same kinds of columns.

    Parameters
    ----------
    conditions : sequence of Predicate
    negated : bool, default=False
        Whether to evaluate their negations.
    """

    def __init__(self, conditions: Sequence[Predicate], *, negated: bool = False) -> None:
        self._conditions = conditions
        self._negated = negated
        self._names: tuple[str, ...] | None = None
        self._programs: dict[frozenset[str], ConditionProgram] = {}

    def program(self, table: Table) -> ConditionProgram:
        """Return the program for the kinds of a table's columns."""
        if self._names is None:
            self._names = _native_columns(self._conditions)
        coded = frozenset(
            name for name in self._names if isinstance(table.column(name), CategoricalColumn)
        )
        if coded not in self._programs:
            writer = _ConditionWriter(table, coded)
            roots = [writer.add(condition, self._negated) for condition in self._conditions]
            self._programs[coded] = writer.program(roots)
        return self._programs[coded]

    def run(
        self, table: Table, evaluate: Callable[[ConditionTable, NDArray[np.int32]], Result]
    ) -> list[Result]:
        """Return the result for each part of the table that fits in memory."""
        program = self.program(table)
        masks = sum(not isinstance(condition, KnownTruth) for condition in program.asked)
        return [evaluate(program.on(some), program.roots) for _, some in pieces(table, masks)]

    def first_true(self, table: Table) -> NDArray[np.int32]:
        """Return the number of the first true condition on each row; their count if none is."""
        return joined(self.run(table, ConditionTable.first_true))

    def truth(self, table: Table) -> Mask:
        """Return the truth of each condition (lines) on each row."""
        found = self.run(table, ConditionTable.truth)
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)


def first_true(conditions: Sequence[Predicate], table: Table) -> NDArray[np.int32]:
    """Return the number of the first true condition on each row; their count if none is true."""
    return CompiledConditions(conditions).first_true(table)


Array = TypeVar("Array", bound=NDArray[np.generic])


def joined(parts: Sequence[Array]) -> Array:
    """Join the results of several parts of a table."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)  # type: ignore[return-value]


def _native_columns(conditions: Sequence[Predicate]) -> tuple[str, ...]:
    """Names of the columns that the kernel reads, in the order of their first use."""
    names: dict[str, None] = {}
    pending = list(reversed(conditions))
    while pending:
        condition = pending.pop()
        if isinstance(condition, NATIVE):
            names[condition.column] = None
        elif type(condition) in COMBINATIONS:
            pending += reversed(condition.children)  # type: ignore[arg-type]
    return tuple(names)


COMBINATIONS = {AllOf: ALL, AnyOf: ANY, AtLeast: AT_LEAST, Not: ALL}


class _ConditionRow(NamedTuple):
    """A condition in the order of the kernel's arrays."""

    kind: int
    negated: bool
    first: int
    end: int = 0
    least: int = 0
    low: float = 0.0
    high: float = 0.0


class _ConditionWriter:
    """Builder of a program, condition by condition."""

    def __init__(self, table: Table, coded: frozenset[str]) -> None:
        self._table = table
        self._is_coded = coded
        self._lines: list[_ConditionRow] = []
        self._links: list[int] = []
        self._numeric: dict[str, int] = {}
        self._coded: dict[str, int] = {}
        self._sets: dict[Values, int] = {}
        self._asked: dict[Predicate, int] = {}

    def add(self, condition: Predicate, negated: bool = False) -> int:
        """Add a condition after its parts, and return its number."""
        self._lines.append(self._line(condition, negated))
        return len(self._lines) - 1

    def _line(self, condition: Predicate, negated: bool) -> _ConditionRow:
        kind = COMBINATIONS.get(type(condition))
        if kind is not None:
            return self._combination(condition, kind, negated)
        if not isinstance(condition, NATIVE):
            return _ConditionRow(
                GIVEN, negated, self._asked.setdefault(condition, len(self._asked))
            )
        name = condition.column
        if isinstance(condition, Threshold | Interval):
            self._table.numbers(name)  # raises an error for categories
        elif isinstance(condition, Category):
            self._table.categories(name)
        if name in self._is_coded:
            column = self._coded.setdefault(name, len(self._coded))
            values = values_of(condition, column)
            return _ConditionRow(
                CATEGORY, negated, column, self._sets.setdefault(values, len(self._sets))
            )
        return self._number(condition, self._numeric.setdefault(name, len(self._numeric)), negated)

    def _combination(self, condition: Predicate, kind: int, negated: bool) -> _ConditionRow:
        if isinstance(condition, Not):
            negated = not negated
        parts = [self.add(part) for part in condition.children]  # type: ignore[arg-type]
        first = len(self._links)
        self._links += parts
        least = condition.count if isinstance(condition, AtLeast) else 0
        return _ConditionRow(kind, negated, first, len(self._links), least)

    def _number(self, test: Predicate, column: int, negated: bool) -> _ConditionRow:
        match test:
            case Threshold():
                low, high = _ray(test)
                inside, if_missing = True, test.if_missing
            case Interval():
                low = math.nextafter(test.low, math.inf) if test.low_open else test.low
                high = math.nextafter(test.high, -math.inf) if test.high_open else test.high
                inside, if_missing = test.inside, test.if_missing
            case Given():
                low = high = 1.0
                inside, if_missing = test.truth, test.if_missing
            case Missing():
                low, high = -math.inf, math.inf
                inside, if_missing = not test.missing, test.missing
        # What is outside is the negation; a missing value must be on the other side of it.
        kind = NOT_OUTSIDE if if_missing == inside else INSIDE
        return _ConditionRow(kind, negated == inside, column, 0, 0, low, high)

    def program(self, roots: Sequence[int]) -> ConditionProgram:
        """Return the program for conditions of these numbers."""
        kind, negated, first, end, least, low, high = (
            zip(*self._lines, strict=True) if self._lines else [()] * len(_ConditionRow._fields)
        )
        arrays = ConditionArrays(
            np.array(kind, np.int8),
            np.array(negated, np.uint8),
            np.array(first, np.int32),
            np.array(end, np.int32),
            np.array(least, np.int32),
            np.array(low, np.float64),
            np.array(high, np.float64),
            np.array(self._links, np.int32),
            np.array([values.column for values in self._sets], np.int32),
        )
        return ConditionProgram(
            tuple(self._numeric),
            tuple(self._coded),
            tuple(self._asked),
            tuple(self._sets),
            Conditions(arrays),
            np.array(roots, np.int32),
        )


def _ray(test: Threshold) -> tuple[float, float]:
    """Return the smallest and the largest number on which a threshold holds."""
    cut = test.cut
    if test.cut_above != test.above:
        cut = math.nextafter(cut, math.inf if test.above else -math.inf)
    return (cut, math.inf) if test.above else (-math.inf, cut)
