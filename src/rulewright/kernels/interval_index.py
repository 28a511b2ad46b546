"""Heaviest intervals on numeric columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels.column_index import ColumnIndex

Mask = NDArray[np.bool_]

ALL = np.empty(0, np.bool_)


class HeaviestInterval(NamedTuple):
    """Rows with a value from ``low`` to ``high`` (``inside``) or outside of it, and their weight.

    ``low`` and ``high`` are row numbers: the first permitted rows that have the values.
    """

    column: int
    inside: bool
    low: int
    high: int
    total: int
    gathered: int  # sum of the positive weights


class IntervalIndex(ColumnIndex):
    """Numeric columns, sorted once for any number of searches.

    The columns are used in place and never copied. The index takes five bytes per cell.

    Parameters
    ----------
    columns : sequence of float64 arrays of equal length, NaN where missing
    threads : int
        Number of threads. Results do not depend on it.
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
        """Find the interval whose inside or outside has the largest total weight.

        The ends are values of the data; ``inside_ends`` and ``outside_ends`` restrict the rows
        whose values may be ends. Ties go to the larger positive weight, then the lower column, then
        inside (outside with ``prefers_outside``), then the lower low end, then the lower high end.
        With ``gathers_missing``, rows where x is missing count both inside and outside.

        Returns
        -------
        HeaviestInterval, or None if no value may be an end

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
                raise ValueError(f"{self.rows} rows need {self.rows} weights and marks of ends")
        found = self._sorted.heaviest(
            weight,
            inside_ends.view(np.uint8),
            outside_ends.view(np.uint8),
            gathers_missing,
            prefers_outside,
        )
        return None if found[0] < 0 else HeaviestInterval(*found)
