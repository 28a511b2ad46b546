"""Counts of the rows of cells: ranges of values of one column at nodes of a tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]

EVERYWHERE = np.empty(0, np.int32)
"""Nodes of rows that are all at the first node."""


class NodeCells(NamedTuple):
    """Cells of each node: node n has those from ``first[n]`` to ``first[n + 1]``, in order.

    A cell has all values from ``low`` to ``high``; ``scale`` is its number of bins for each unit of
    a value.
    """

    first: Integers
    low: Floats
    high: Floats
    scale: Floats


class CellGroups(NamedTuple):
    """Groups of values by cell, in order, with their ends and their rows of each class."""

    cell: NDArray[np.int64]
    low: Floats
    high: Floats
    counts: NDArray[np.int64]


class RangeCounter:
    """Counts rows batch by batch.

    Parameters
    ----------
    cells : NodeCells
    classes : int
    bins : int, optional
        Number of bins of each cell; without it every value is counted.

    Examples
    --------
    >>> ends = np.array([0.0]), np.array([4.0])
    >>> counter = RangeCounter(NodeCells(np.array([0, 1], np.int32), *ends, np.array([0.5])), 2, 2)
    >>> counter.add(np.array([1.0, 0.0, 4.0, np.nan]), EVERYWHERE, np.array([0, 1, 1, 1], np.int32))
    >>> groups = counter.groups()
    >>> groups.low.tolist(), groups.high.tolist(), groups.counts.tolist()
    ([0.0, 4.0], [1.0, 4.0], [[1, 1], [0, 1]])
    """

    def __init__(self, cells: NodeCells, classes: int, bins: int | None = None) -> None:
        self._bins, self._classes = bins, classes
        self._counter = (
            _core.ValueCounter(*cells, classes)
            if bins is None
            else _core.BinCounter(*cells, bins, classes)
        )

    def add(self, values: Floats, nodes: Integers, labels: Integers) -> None:
        """Count rows by the values of a column, NaN where missing.

        Rows at negative nodes are not counted; no nodes are the first one.
        """
        self._counter.add(values, nodes, labels)

    def groups(self) -> CellGroups:
        """Groups that have rows."""
        place, low, high, counts = self._counter.groups()
        cell = place if self._bins is None else place // self._bins
        return CellGroups(cell, low, high, counts.reshape(-1, self._classes))
