"""What every test that could be added to a rule would keep of what the rule covers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.columns import check_rows

Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]
Words = NDArray[np.uint64]

Test = tuple[int, int, int]
"""A column, a relation (0 at most, 1 above, 2 is) and the number of a value."""

FEW = 16
"""Values up to which a column has a line of bits for each: counting bits is quicker there."""


class Slots(NamedTuple):
    """The values that covered rows have, by column and then by value, -1 where missing.

    ``own`` and ``other`` are the weights of the covered rows that have it: of the class, of others.
    """

    column: NDArray[np.int32]
    code: NDArray[np.int32]
    own: NDArray[np.float64]
    other: NDArray[np.float64]


class Growth(NamedTuple):
    """How rules are grown.

    ``gain`` is FOIL's information ("foil") or how far a rule lowers boosting's weights
    ("boosting"). ``numeric`` says which columns are asked for the order of their values, ``asked``
    which are asked at all. A rule covers a weight of at least ``least``, and has at most ``most``
    tests.
    """

    gain: str
    numeric: Mask
    asked: Mask
    least: float = 1.0
    most: int = 255


class ExtensionIndex:
    """Columns as numbers of their values, prepared once for any number of tallies.

    Parameters
    ----------
    codes : sequence of int32 arrays of equal length
        For each row the number of its value, in the order of the values; -1 where missing.
    values : sequence of int
        How many values each column has.
    threads : int
        The answers are the same for any number.

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
            _value_bits(code, count) if count <= FEW else np.empty(0, np.uint64)
            for code, count in zip(stacked, values, strict=True)
        ]
        self._table = _core.ExtensionTable(stacked, np.array(values, np.int32), bits, threads)

    def tally(self, covered: Mask, own: Mask, weight: NDArray[np.float64] | None = None) -> Slots:
        """Weigh the covered rows by value; every row counts once where no weights are given."""
        weight = np.empty(0) if weight is None else weight
        return Slots(*self._table.tally(packed(covered), packed(own), weight))

    def grow(
        self,
        rows: Rows,
        own: Mask,
        weight: NDArray[np.float64] | None,
        growth: Growth,
        first: Sequence[Test] = (),
    ) -> list[Test]:
        """Grow a rule test by test, each the one that gains most, and give all its tests.

        It begins with ``first``, and ends where it covers no row of another class or no test gains
        anything. ``rows`` are in increasing order. Of equal gains the first wins, by
        column, relation and value.
        """
        weight = np.empty(0) if weight is None else weight
        found: list[Test] = self._table.grow(
            rows,
            own.view(np.uint8),
            weight,
            growth.numeric.view(np.uint8),
            growth.asked.view(np.uint8),
            _as_rows(first),
            growth.gain == "foil",
            growth.least,
            growth.most,
        )
        return found

    def depth(self, tests: Sequence[Test], rows: Rows) -> Rows:
        """Say of each row which of the tests is the first that fails; their count for none."""
        depth = np.empty(rows.size, np.int32)
        self._table.depth(_as_rows(tests), rows, depth)
        return depth


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
    """Make a line of bits for missing and one for each value."""
    return np.concatenate([packed(code == value) for value in range(-1, count)])
