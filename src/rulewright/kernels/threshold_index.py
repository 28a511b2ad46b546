"""Thresholds on numeric columns: the heaviest one, and class weights at every cut."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.column_index import ColumnIndex

Floats = NDArray[np.float64]


class HeaviestThreshold(NamedTuple):
    """The rows with ``x > cut`` (``above``) or ``x <= cut``, and their weight."""

    column: int
    above: bool
    cut: float
    total: int
    gathered: int  # sum of the positive weights


class Tally(NamedTuple):
    """For each distinct value of a column: a row that has it, and the class weights up to it."""

    rows: NDArray[np.int32]
    below: Floats  # (values, classes)


class ThresholdIndex(ColumnIndex):
    """Numeric columns, prepared once for any number of searches.

    The columns are used in place and never copied. The search takes two bytes per cell, the tally
    five.

    Parameters
    ----------
    columns : sequence of float64 arrays of equal length, NaN where missing
    threads : int
        Number of threads. Results do not depend on it.
    """

    @cached_property
    def _binned(self) -> _core.BinnedColumns:
        return _core.BinnedColumns(self.columns, self.threads)

    def heaviest(
        self,
        weight: NDArray[np.int64],
        *,
        gathers_missing: bool = False,
        prefers_above: bool = False,
    ) -> HeaviestThreshold | None:
        """Find the cut with the largest total weight below or above it.

        Cuts are values of the data. Ties go to the larger positive weight, then the lower column,
        then ``x <= cut`` (``x > cut`` with ``prefers_above``), then the lower cut. With
        ``gathers_missing``, rows where x is missing count on both sides.

        Returns
        -------
        HeaviestThreshold, or None if no column has a value

        Examples
        --------
        >>> index = ThresholdIndex([np.array([1.0, 2.0, 3.0, np.nan])])
        >>> index.heaviest(np.array([5, -1, 2, 9]))
        HeaviestThreshold(column=0, above=False, cut=3.0, total=6, gathered=7)
        """
        if weight.shape != (self.rows,) and self.columns:
            raise ValueError(f"weight must have shape ({self.rows},), got {weight.shape}")
        if not self.columns or not self.rows:
            return None
        column, above, cut, total, gathered = self._binned.heaviest(
            weight, gathers_missing, prefers_above
        )
        if column < 0:
            return None
        return HeaviestThreshold(column, above, cut + 0.0, total, gathered)  # turns -0.0 into 0.0

    def tally(self, label: NDArray[np.int32], weight: Floats, classes: int) -> Iterator[Tally]:
        """Yield each column's class weights at or below every distinct value.

        Only as many columns as threads are processed at a time, so memory does not grow with their
        number.

        Examples
        --------
        >>> index = ThresholdIndex([np.array([2.0, 1.0, 2.0, np.nan])])
        >>> (tally,) = index.tally(np.array([0, 1, 1, 0], np.int32), np.ones(4), 2)
        >>> tally.rows.tolist(), tally.below.tolist()
        ([1, 0], [[0.0, 1.0], [1.0, 2.0]])
        """
        if label.size and (int(label.min()) < 0 or int(label.max()) >= classes):
            raise ValueError(f"labels must be from 0 to {classes - 1}")
        for start in range(0, len(self.columns), self.threads):
            stop = min(start + self.threads, len(self.columns))
            rows = np.empty((stop - start, self.rows), np.int32)
            below = np.empty((stop - start, self.rows * classes))
            cuts = np.empty(stop - start, np.int32)
            self._sorted.tally(start, label, weight, classes, rows, below, cuts)
            for i, n in enumerate(cuts.tolist()):
                yield Tally(rows[i, :n], below[i, : n * classes].reshape(n, classes))
