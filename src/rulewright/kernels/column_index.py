"""Numeric columns prepared for searches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core

Floats = NDArray[np.float64]

MAX_ROWS = 2**31 - 1
"""Maximum number of rows: they are numbered with 32 bits."""

MAX_WEIGHT = 2**62
"""Upper limit of the sum of absolute weights, so that no sum can overflow."""


class ColumnIndex:
    """Numeric columns, sorted once if needed, for any number of searches.

    The columns are used in place and never copied.

    Parameters
    ----------
    columns : sequence of float64 arrays of equal length, NaN where missing
    threads : int
        Number of threads. Results do not depend on it.
    """

    def __init__(self, columns: Sequence[Floats], threads: int = 1) -> None:
        self.columns = list(columns)
        self.threads = threads
        self.rows = int(self.columns[0].size) if self.columns else 0
        check_rows(self.rows)

    @cached_property
    def _sorted(self) -> _core.SortedColumns:
        return _core.SortedColumns(self.columns, self.threads)


def gathered(columns: Sequence[Floats], rows: NDArray[np.intp]) -> Floats:
    """Values of columns at some rows, one matrix row per column.

    Columns of one matrix are read together, row by row, which NumPy's indexing does not do.
    """
    if not columns:
        return np.empty((0, rows.size))
    found = np.empty((len(columns), rows.size))
    _core.gather(columns, np.ascontiguousarray(rows, np.int64), found)
    return found


def row_hashes(
    numbers: Sequence[Floats], codes: Sequence[NDArray[np.int32]], rows: int
) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each row, by its values and its codes in all columns.

    Missing values equal each other, and -0.0 equals 0.0.

    Examples
    --------
    >>> hashes = row_hashes([np.array([0.0, -0.0, 1.0])], [np.array([2, 2, 2], np.int32)], 3)
    >>> bool(hashes[0] == hashes[1]), bool(hashes[0] == hashes[2])
    (True, False)
    """
    found = np.empty(rows, np.uint64)
    _core.hash_rows(numbers, codes, found)
    return found


def dense_ranks(values: Floats) -> tuple[NDArray[np.int64], int] | None:
    """Rank of each value among the different ones, and their number; None if there are too many.

    Missing values share the last rank.

    Examples
    --------
    >>> dense_ranks(np.array([3.0, np.nan, -1.0, 3.0]))
    (array([1, 2, 0, 1]), 3)
    """
    ranks = np.empty(values.size, np.int64)
    count = _core.dense_ranks(values, ranks)
    return (ranks, count) if count or not values.size else None


def check_rows(rows: int) -> None:
    """Refuse more rows than 32 bits can number."""
    if rows > MAX_ROWS:
        raise ValueError(f"rows must be at most {MAX_ROWS}, got {rows}")
