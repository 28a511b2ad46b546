"""Rows that the rules of a rule set cover, and the deletion of rules that do not pay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]


class RuleCounts(NamedTuple):
    """Rules that cover each row, and weights by rule; every rule has its own number.

    ``times`` is the number of rules that cover a row, ``sum`` the sum of their numbers. For each
    number, ``alone`` is the weight that only its rule covers, of the class and of the others;
    ``covered`` is what any rule covers.
    """

    times: NDArray[np.int16]
    sum: NDArray[np.int32]
    alone: Floats
    covered: Floats


class ClassRows(NamedTuple):
    """Rows of a class, weights of all rows (None for 1), and their sums in the class and outside.

    The sums may be of some of the rows only.
    """

    own: Mask
    weight: Floats | None
    totals: Floats


def count_marked(rows: Rows, marks: Mask) -> int:
    """Count the marked rows among some.

    Examples
    --------
    >>> count_marked(np.array([0, 2], np.int32), np.array([True, True, False]))
    1
    """
    return _core.count_marked(rows, marks.view(np.uint8))


def rows_covered(rows: Rows, times: NDArray[np.int16], wanted: int) -> Rows:
    """Rows that are covered exactly ``wanted`` times, in their order.

    Examples
    --------
    >>> rows_covered(np.array([0, 1, 2], np.int32), np.array([0, 3, 0], np.int16), 0).tolist()
    [0, 2]
    """
    return _core.rows_covered(rows, times, wanted)


def part_rows(
    rows: Rows,
    own: Mask,
    own_draws: NDArray[np.int64],
    other_draws: NDArray[np.int64],
    parts: int,
) -> tuple[Rows, Rows]:
    """Rows that stay, and rows set aside: one of every ``parts`` rows of a class, and of others.

    The draws are the places of those set aside in their groups of ``parts`` rows, one for each
    group.

    Examples
    --------
    >>> own = np.array([True, True, True, False])
    >>> draws = np.array([1]), np.array([0])
    >>> [part.tolist() for part in part_rows(np.arange(4, dtype=np.int32), own, *draws, 3)]
    [[0, 2], [1, 3]]
    """
    return _core.part_rows(rows, own.view(np.uint8), own_draws, other_draws, parts)


def delete_rules(
    covered: Sequence[Rows],
    numbers: Sequence[int],
    bits: Floats,
    rows: ClassRows,
    counts: RuleCounts,
    rounding: float,
    *,
    only_weights: bool = False,
) -> list[int]:
    """Delete rules without which the description is shorter, from the last to the first.

    Returns their places in this order, and updates ``counts``; with ``only_weights`` its ``alone``
    and ``covered`` alone. Each rule has the rows that it covers, its number and its bits; the
    exceptions are encoded as J. R. Quinlan (1995) does. A difference of at most ``rounding`` bits
    counts for nothing.
    """
    weight = np.empty(0) if rows.weight is None else rows.weight
    return _core.delete_rules(
        list(covered),
        np.array(numbers, np.int32),
        bits,
        rows.own.view(np.uint8),
        weight,
        rows.totals,
        *counts,
        rounding,
        only_weights,
    )
