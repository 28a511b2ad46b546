"""Intervals on numeric columns: the heaviest one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels.columns import ColumnIndex

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


class IntervalIndex(ColumnIndex):
    """Numeric columns, sorted once for any number of searches.

    The columns are looked at where they lie and never copied. The search keeps five bytes a cell.

    Parameters
    ----------
    columns : sequence of float64 arrays of equal length, NaN where missing
    threads : int
        The answers are the same for any number.
    """

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
        found = self._sorted.heaviest(
            weight,
            inside_ends.view(np.uint8),
            outside_ends.view(np.uint8),
            gathers_missing,
            prefers_outside,
        )
        return None if found[0] < 0 else HeaviestInterval(*found)
