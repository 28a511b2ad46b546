"""Intervals on numeric columns: the heaviest one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.thresholds import MAX_ROWS

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

ALL = np.empty(0, np.bool_)


class HeaviestInterval(NamedTuple):
    """The rows with a value from ``low`` to ``high`` (``inside``) or beyond, and what they gather.

    The ends are rows: the first that have the value, of those that may give it.
    """

    column: int
    inside: bool
    low: int
    high: int
    total: int
    gathered: int  # the positive part of the total


class _Sorted(NamedTuple):
    order: NDArray[np.int32]
    last: Mask  # of their value, in that order
    present: NDArray[np.int32]


class IntervalIndex:
    """Numeric columns, sorted once for any number of searches.

    The columns are looked at where they lie and never copied. The search keeps five bytes a cell.

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
        if self.rows > MAX_ROWS:
            raise ValueError(f"{self.rows} rows are more than the {MAX_ROWS} this can number")

    @cached_property
    def _sorted(self) -> _Sorted:
        shape = len(self.columns), self.rows
        order, last = np.empty(shape, np.int32), np.zeros(shape, np.bool_)
        present = np.empty(len(self.columns), np.int32)
        _core.sort_columns(self.columns, order, present, self.threads)
        _core.mark_last(self.columns, order, present, last, self.threads)
        return _Sorted(order, last, present)

    def heaviest(
        self,
        weight: NDArray[np.int64],
        *,
        gathers_missing: bool = False,
        prefers_outside: bool = False,
        inside_ends: Mask = ALL,
        outside_ends: Mask = ALL,
    ) -> HeaviestInterval | None:
        """Find the rows inside or outside an interval that gather the most weight.

        The ends are values that occur in the data; with ``inside_ends`` and ``outside_ends`` only
        those rows may give them, depending on where it gathers. Ties go to more positive weight,
        then the lower column, then inside (outside with ``prefers_outside``), then the lower low
        end, then the lower high end. With ``gathers_missing`` the rows where x is missing count
        inside and outside.

        Returns
        -------
        HeaviestInterval, or None where no column has a value that may be an end

        Examples
        --------
        >>> index = IntervalIndex([np.array([4.0, 1.0, 3.0, np.nan, 2.0])])
        >>> index.heaviest(np.array([-5, -1, 2, 9, 3]))
        HeaviestInterval(column=0, inside=True, low=4, high=2, total=5, gathered=5)
        """
        if not self.columns or not self.rows:
            return None
        for given in (weight, inside_ends, outside_ends):
            if given.shape != (self.rows,) and given is not ALL:
                raise ValueError(f"{self.rows} rows need as many weights and marks of ends")
        found = _core.heaviest_interval(
            *self._sorted,
            weight,
            inside_ends,
            outside_ends,
            gathers_missing,
            prefers_outside,
            self.threads,
        )
        return None if found[0] < 0 else HeaviestInterval(*found)
