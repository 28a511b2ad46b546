"""Numeric columns as the searches know them: how many rows there may be, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core

Floats = NDArray[np.float64]

MAX_ROWS = 2**31 - 1
"""Rows are numbered with 32 bits."""

MAX_WEIGHT = 2**62
"""The absolute weights must sum to less, so that no sum can overflow."""


class ColumnIndex:
    """Numeric columns, sorted once where that is needed, for any number of searches.

    The columns are looked at where they lie and never copied.

    Parameters
    ----------
    columns : sequence of float64 arrays of equal length, NaN where missing
    threads : int
        The answers are the same for any number.
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
    """Give the values of columns at some rows, one line a column.

    Columns of one matrix are read together, row by row, which NumPy's indexing does not do.
    """
    if not columns:
        return np.empty((0, rows.size))
    found = np.empty((len(columns), rows.size))
    _core.gather(columns, np.ascontiguousarray(rows, np.int64), found)
    return found


def check_rows(rows: int) -> None:
    """Refuse more rows than can be numbered."""
    if rows > MAX_ROWS:
        raise ValueError(f"{rows} rows are more than the {MAX_ROWS} this can number")
