"""Evaluation of conditions on rows, and the answers of lists, votes and scorecards."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.column_index import check_rows
from rulewright.kernels.row_routing import MIN_ROWS_FOR_THREADS

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Masks = NDArray[np.bool_]
Totals = NDArray[np.int64]

INSIDE, NOT_OUTSIDE, CATEGORY, GIVEN, ALL, ANY, AT_LEAST = range(7)
"""Kinds of conditions, as in ``cpp/src/conditions.hpp``."""


class ConditionArrays(NamedTuple):
    """Conditions by number, the parts of each before it.

    ``first`` is the column of a test: of a number from ``low`` to ``high`` (``INSIDE``), or missing
    as well (``NOT_OUTSIDE``); of a category in the set of number ``end`` (``CATEGORY``); or of a
    known truth (``GIVEN``). Other conditions hold where all parts, any, or at least ``least`` of
    them hold; their parts are ``links[first:end]``. ``set_column`` has the column of each set.
    """

    kind: NDArray[np.int8]
    negated: NDArray[np.uint8]
    first: Integers
    end: Integers
    least: Integers
    low: Floats
    high: Floats
    links: Integers
    set_column: Integers


class CategoryBits(NamedTuple):
    """Bits of sets of categories: that of missing values, then one for each code.

    ``first`` is the first word of each set, ``words`` the number of its words.
    """

    bits: NDArray[np.uint64]
    first: Integers
    words: Integers


NO_BITS = CategoryBits(np.empty(0, np.uint64), np.empty(0, np.int32), np.empty(0, np.int32))
NONE = np.empty((0, 0))


class VoteCount(NamedTuple):
    """The rule that answers each row, and, if they were requested, votes and probabilities."""

    answer: Integers
    votes: Floats
    chances: Floats


class PointCount(NamedTuple):
    """The answer of each row, and, if they were requested, the totals and probabilities."""

    answer: Integers
    totals: Totals
    chances: Floats


class Conditions:
    """Conditions, checked once, for any number of tables.

    Examples
    --------
    >>> ints = lambda *numbers: np.array(numbers, np.int32)
    >>> above = ConditionArrays(
    ...     np.array([INSIDE], np.int8), np.array([0], np.uint8), ints(0), ints(0), ints(0),
    ...     np.array([2.0]), np.array([np.inf]), ints(), ints(),
    ... )
    >>> table = Conditions(above).on([np.array([1.0, 3.0, np.nan])], [], [], NO_BITS, 3)
    >>> table.first_true(ints(0)).tolist()
    [1, 0, 1]
    """

    def __init__(self, arrays: ConditionArrays) -> None:
        self._core = _core.Conditions(*arrays)

    def on(
        self,
        numbers: Sequence[Floats],
        codes: Sequence[Integers],
        given: Sequence[Masks],
        sets: CategoryBits,
        rows: int,
        threads: int | None = None,
    ) -> ConditionTable:
        """Return the conditions on the columns of a table.

        Codes are -1 where missing; every code needs a bit in the sets of its column.
        """
        check_rows(rows)
        known = [np.ascontiguousarray(mask).view(np.uint8) for mask in given]
        table = _core.ConditionTable(self._core, list(numbers), list(codes), known, *sets, rows)
        return ConditionTable(table, rows, threads)


class ConditionTable:
    """Conditions on the rows of one table. Results do not depend on the number of threads."""

    def __init__(self, table: _core.ConditionTable, rows: int, threads: int | None) -> None:
        self._table = table
        self._rows = rows
        if threads is None:
            threads = 1 if rows < MIN_ROWS_FOR_THREADS else os.cpu_count() or 1
        self._threads = threads

    def first_true(self, roots: Integers) -> Integers:
        """Return the number of the first true condition of each row; their count if none is."""
        answer = np.empty(self._rows, np.int32)
        self._table.first_true(roots, answer, self._threads)
        return answer

    def truth(self, roots: Integers) -> Masks:
        """Return the truth of each condition (lines) on each row."""
        truth = np.empty((roots.size, self._rows), np.uint8)
        self._table.find_truth(roots, truth, self._threads)
        return truth.view(np.bool_)

    def count_votes(
        self,
        roots: Integers,
        output: Integers,
        weight: Floats,
        classes: int,
        *,
        votes: bool = False,
        default: Floats | None = None,
    ) -> VoteCount:
        """Add up the weights of the true conditions for each class, in their order.

        The class with the largest sum wins, the lower one of a tie. The answer is the heaviest true
        condition for it, the earlier one of a tie, and the number of conditions where none is true.
        ``votes`` are minus infinity where no condition votes for a class. With ``default``, which
        has the probabilities where none is true, the probabilities are ``exp(2 votes)``,
        normalised; no vote counts as 0 votes.
        """
        answer = np.empty(self._rows, np.int32)
        sums = np.empty((self._rows, classes)) if votes else NONE
        chances = NONE if default is None else np.empty((self._rows, classes))
        heaviest_first = np.argsort(-weight, kind="stable").astype(np.int32)
        self._table.count_votes(
            roots,
            output,
            weight,
            heaviest_first,
            classes,
            answer,
            sums,
            chances,
            np.empty(0) if default is None else np.ascontiguousarray(default),
            self._threads,
        )
        return VoteCount(answer, sums, chances)

    def add_points(
        self,
        roots: Integers,
        points: Integers,
        start: Integers,
        *,
        lows: Integers | None = None,
        slope: float | None = None,
        totals: bool = False,
    ) -> PointCount:
        """Add up the points of the true conditions (lines) for each class (columns).

        The answer of several classes is that with the largest total, the lower one of a tie. The
        answer of a single one is how many of ``lows``, in increasing order, its total reaches. With
        ``slope``, probabilities are proportional to ``exp(slope * total)``.
        """
        shape = self._rows, start.size
        answer = np.empty(self._rows, np.int32)
        sums = np.empty(shape if totals else (0, 0), np.int64)
        chances = NONE if slope is None else np.empty(shape)
        self._table.add_points(
            roots,
            points,
            start,
            np.empty(0, np.int32) if lows is None else lows,
            slope or 0.0,
            answer,
            sums,
            chances,
            self._threads,
        )
        return PointCount(answer, sums, chances)
