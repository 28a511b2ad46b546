"""Weights of the rows that a rule still covers after each test that could be added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.column_index import check_rows
from rulewright.kernels.shared_calls import stop_if_cancelled

Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]
Words = NDArray[np.uint64]

Test = tuple[int, int, int]
"""A column, a relation (0: at most, 1: above, 2: equal) and the number of a value."""

MAX_BIT_VALUES = 16
"""Number of values up to which each value of a column has a bit mask, which counts faster."""


class ValueTallies(NamedTuple):
    """Values of the covered rows, by column and then by value, -1 where missing.

    ``own`` and ``other`` are the weights of the covered rows with the value: of the class, and of
    all others.
    """

    column: NDArray[np.int32]
    code: NDArray[np.int32]
    own: NDArray[np.float64]
    other: NDArray[np.float64]


class TermTallies(NamedTuple):
    """Terms of the covered rows, by relation, column and value.

    ``relation`` is 0 (at most), 1 (above), 2 (is), 3 (is not), 4 (missing) or 5 (present).
    ``own`` and ``other`` are the weights of the rows that a term keeps: of the class, and of all
    others.
    """

    column: NDArray[np.int32]
    relation: NDArray[np.int32]
    code: NDArray[np.int32]
    own: NDArray[np.float64]
    other: NDArray[np.float64]


class TermQuery(NamedTuple):
    """Which terms are tallied.

    ``cut`` marks the columns that are tested by order, ``single`` those of which single values are
    tested, ``allowed`` the relations (columns) of each column (rows). With ``boundaries``, cuts are
    left out that keep no more of the class, or no fewer of the others, than a neighbour.
    """

    cut: Mask
    single: Mask
    allowed: Mask
    boundaries: bool


class RuleGrowthOptions(NamedTuple):
    """Options of growing rules.

    ``gain`` is FOIL's information gain ("foil") or the decrease of boosting's weights ("boosting").
    ``numeric`` marks the columns that are tested by order, ``allowed`` the columns that may be
    tested; or in two columns of marks, those that may be tested for being at most a value or equal
    to one, and for being above one. A rule covers a weight of at least ``min_weight`` and has at
    most ``max_tests`` tests.
    """

    gain: str
    numeric: Mask
    allowed: Mask
    min_weight: float = 1.0
    max_tests: int = 255


class ExtensionIndex:
    """Columns as numbers of their values, prepared once for any number of searches.

    Parameters
    ----------
    codes : sequence of int32 arrays of equal length
        Number of the value of each row, in the order of the values; -1 where missing.
    values : sequence of int
        Number of distinct values of each column.
    threads : int
        Number of threads. Results do not depend on it.

    Examples
    --------
    >>> index = ExtensionIndex([np.array([0, 1, -1, 1], np.int32)], [2])
    >>> covered, own = np.array([True, True, False, True]), np.array([False, True, True, False])
    >>> slots = index.tally(covered, own)
    >>> slots.code.tolist(), slots.own.tolist(), slots.other.tolist()
    ([0, 1], [0.0, 1.0], [1.0, 1.0])
    """

    def __init__(
        self, codes: Sequence[NDArray[np.int32]], values: Sequence[int], threads: int = 1
    ) -> None:
        self.rows = int(codes[0].size) if codes else 0
        check_rows(self.rows)
        stacked = np.array(codes, np.int32).reshape(len(codes), self.rows)
        bits = [
            _value_bits(code, count) if count <= MAX_BIT_VALUES else np.empty(0, np.uint64)
            for code, count in zip(stacked, values, strict=True)
        ]
        self._table = _core.ExtensionTable(stacked, np.array(values, np.int32), bits, threads)

    def tally(
        self, covered: Mask, own: Mask, weight: NDArray[np.float64] | None = None
    ) -> ValueTallies:
        """Weights of the covered rows by value; every row counts once without ``weight``."""
        weight = np.empty(0) if weight is None else weight
        return ValueTallies(*self._table.tally(packed(covered), packed(own), weight))

    def terms(
        self, covered: Mask, own: Mask, weight: NDArray[np.float64] | None, query: TermQuery
    ) -> TermTallies:
        """Weights that terms keep of the covered rows; terms that keep none of the class are not.

        Every row counts once without ``weight``. Of two values that occur in a column, only "is" is
        tested: "is not" the one is the other.

        Examples
        --------
        >>> index = ExtensionIndex([np.array([0, 1, -1, 1], np.int32)], [2])
        >>> yes, no = np.array([True]), np.array([False])
        >>> query = TermQuery(yes, no, np.ones((1, 6), np.bool_), boundaries=False)
        >>> own = np.array([True, True, True, False])
        >>> found = index.terms(np.ones(4, np.bool_), own, None, query)
        >>> found.relation.tolist(), found.own.tolist(), found.other.tolist()
        ([0, 1, 4, 5], [1.0, 1.0, 1.0, 2.0], [0.0, 1.0, 0.0, 1.0])
        """
        stop_if_cancelled()
        weight = np.empty(0) if weight is None else weight
        return TermTallies(
            *self._table.terms(
                packed(covered),
                packed(own),
                weight,
                query.cut.view(np.uint8),
                query.single.view(np.uint8),
                np.ascontiguousarray(query.allowed).view(np.uint8),
                query.boundaries,
            )
        )

    def grow(
        self,
        rows: Rows,
        own: Mask,
        weight: NDArray[np.float64] | None,
        options: RuleGrowthOptions,
        first: Sequence[Test] = (),
    ) -> list[Test]:
        """Grow a rule by the test of the highest gain at each step, and return all its tests.

        It begins with ``first``, and ends when it covers no row of another class or no test has a
        positive gain. ``rows`` are in increasing order. Ties go to the first column, then relation,
        then value.
        """
        weight = np.empty(0) if weight is None else weight
        found: list[Test] = self._table.grow(
            rows,
            own.view(np.uint8),
            weight,
            options.numeric.view(np.uint8),
            _allowed_bits(options.allowed),
            _as_rows(first),
            options.gain == "foil",
            options.min_weight,
            options.max_tests,
        )
        return found

    def depth(self, tests: Sequence[Test], rows: Rows) -> Rows:
        """Number of the first test that fails on each row; the number of tests if none fails."""
        depth = np.empty(rows.size, np.int32)
        self._table.depth(_as_rows(tests), rows, depth)
        return depth

    def passing(self, tests: Sequence[Test], rows: Rows) -> Rows:
        """Rows on which no test fails, in their order."""
        return self._table.passing(_as_rows(tests), rows)


def _allowed_bits(allowed: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Bit 0 of columns that may be tested from above or for a value, bit 1 from below."""
    sides = allowed if allowed.ndim == 2 else np.stack([allowed, allowed], axis=1)
    return np.ascontiguousarray(sides @ np.array([1, 2], np.uint8), np.uint8)


def _as_rows(tests: Sequence[Test]) -> NDArray[np.int32]:
    return np.array(tests, np.int32).reshape(len(tests), 3)


def packed(mask: Mask) -> Words:
    """Pack a mask into words of 64 bits, the first row in the lowest bit.

    Examples
    --------
    >>> packed(np.array([True, False, True])).tolist()
    [5]
    """
    bits = np.zeros(-(-mask.size // 64) * 8, np.uint8)
    some = np.packbits(mask, bitorder="little")
    bits[: some.size] = some
    return bits.view("<u8").astype(np.uint64, copy=False)


def _value_bits(code: NDArray[np.int32], count: int) -> Words:
    """One row of bits for missing, and one for each value."""
    return np.concatenate([packed(code == value) for value in range(-1, count)])
