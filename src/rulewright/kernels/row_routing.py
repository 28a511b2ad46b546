"""Routing of rows through a tree of tests to leaves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.column_index import check_rows

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]

MIN_ROWS_FOR_THREADS = 20_000
"""Minimum number of rows for which a second thread pays."""


class RouteTests(NamedTuple):
    """Tests by number, each leading to later tests or to leaves.

    If ``bits`` is negative, the test is whether the value of the numeric column is from ``low`` to
    ``high``. Otherwise it is whether the bit of the categorical column's code is set, starting at
    the word ``bits``, whose first bit is not used. ``inside``, ``outside`` and, of a missing value,
    ``missing`` are numbers of tests, complements of leaves, or complements of forks, which are
    numbered after the leaves.
    """

    low: Floats
    high: Floats
    column: Integers
    bits: Integers
    inside: Integers
    outside: Integers
    missing: Integers


class Forks(NamedTuple):
    """Splits of a row into shares: fork f leads to the ends from ``first[f]`` to ``first[f + 1]``.

    Each end receives its share of the row.
    """

    first: Integers
    target: Integers
    share: Floats


class Parts(NamedTuple):
    """Shares of the rows that were split at forks, row by row, and the leaves they reach."""

    row: Integers
    leaf: Integers
    share: Floats


NO_FORKS = Forks(np.zeros(1, np.int32), np.empty(0, np.int32), np.empty(0))


def route(
    numbers: Sequence[Floats],
    codes: Sequence[Integers],
    tests: RouteTests,
    words: NDArray[np.uint64],
    output: Integers,
    rows: int,
    *,
    forks: Forks = NO_FORKS,
    threads: int | None = None,
) -> Integers:
    """Number of the leaf of every row. The result does not depend on the number of threads.

    Every code must be at least -1 (missing) and have a bit. ``output`` is the class number of each
    leaf. A row that was split at forks gets the class with the largest total share, and the leaf of
    this class with the largest share; ties go to the lower number.

    Examples
    --------
    >>> tests = RouteTests(
    ...     np.array([-np.inf]),
    ...     np.array([2.0]),
    ...     *(np.array([number], np.int32) for number in (0, -1, ~0, ~1, ~1)),
    ... )
    >>> words, output = np.empty(0, np.uint64), np.array([1, 0], np.int32)
    >>> route([np.array([1.0, 3.0, np.nan])], [], tests, words, output, 3).tolist()
    [0, 1, 1]
    """
    return _route(numbers, codes, tests, words, output, rows, forks, threads, False)[0]


def route_in_parts(
    numbers: Sequence[Floats],
    codes: Sequence[Integers],
    tests: RouteTests,
    words: NDArray[np.uint64],
    output: Integers,
    rows: int,
    *,
    forks: Forks = NO_FORKS,
    threads: int | None = None,
) -> tuple[Integers, Parts]:
    """Return the leaf of every row as ``route`` does, and the parts of the rows that were split.

    Examples
    --------
    >>> none = (np.array([number], np.int32) for number in (0, -1, ~0, ~0, ~2))
    >>> tests = RouteTests(np.array([-np.inf]), np.array([np.inf]), *none)
    >>> ends = np.array([~0, ~1], np.int32)
    >>> forks = Forks(np.array([0, 2], np.int32), ends, np.array([0.75, 0.25]))
    >>> words, output = np.empty(0, np.uint64), np.array([1, 0], np.int32)
    >>> leaf, parts = route_in_parts(
    ...     [np.array([3.0, np.nan])], [], tests, words, output, 2, forks=forks
    ... )
    >>> leaf.tolist(), parts.row.tolist(), parts.leaf.tolist(), parts.share.tolist()
    ([0, 0], [1, 1], [0, 1], [0.75, 0.25])
    """
    return _route(numbers, codes, tests, words, output, rows, forks, threads, True)


def _route(
    numbers: Sequence[Floats],
    codes: Sequence[Integers],
    tests: RouteTests,
    words: NDArray[np.uint64],
    output: Integers,
    rows: int,
    forks: Forks,
    threads: int | None,
    in_parts: bool,
) -> tuple[Integers, Parts]:
    check_rows(rows)
    leaf = np.empty(rows, np.int32)
    if threads is None:
        threads = 1 if rows < MIN_ROWS_FOR_THREADS else os.cpu_count() or 1
    classes = int(output.max()) + 1
    parts = _core.route(
        list(numbers),
        list(codes),
        *tests,
        words,
        *forks,
        output,
        classes,
        leaf,
        threads,
        in_parts,
    )
    return leaf, Parts(*parts)
