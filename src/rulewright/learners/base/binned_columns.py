"""Columns as codes of a limited number of values, for searches with a proof of optimality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import CodedCells

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class BinnedColumn:
    """Codes of a column, -1 where missing.

    ``bases`` are what its tests compare with: cuts in increasing order, or codes of categories.
    The last of the ``values`` has no test of its own: it is above all cuts, or one of the
    categories that are left out. ``filled`` is the code that missing values have in the place of
    -1, if any.
    """

    codes: Integers
    bases: NDArray[np.float64] | NDArray[np.int32]
    ordered: bool
    filled: int | None = None

    @property
    def values(self) -> int:
        """Number of values."""
        return len(self.bases) + 1


def binned_numbers(values: Floats, weight: Floats, max_cuts: int) -> BinnedColumn:
    """Bin numbers at values that occur: at all of them, or at quantiles if these are too many.

    A number is in the bin of the smallest cut that is not below it. Rows count by their weights.

    Examples
    --------
    >>> binned_numbers(np.array([3.0, 1.0, np.nan, 2.0]), np.ones(4), 5).bases.tolist()
    [1.0, 2.0]
    """
    there = ~np.isnan(values)
    known, place = np.unique(values[there] + 0.0, return_inverse=True)
    cuts = known[:-1]
    if cuts.size > max_cuts:
        up_to = np.cumsum(np.bincount(place, weight[there]))
        shares = np.arange(1, max_cuts + 1) / (max_cuts + 1)
        ends = np.unique(np.searchsorted(up_to, shares * up_to[-1]))
        cuts = known[ends[ends < known.size - 1]]
    codes = np.full(values.size, -1, np.int32)
    codes[there] = np.searchsorted(cuts, values[there], "left")
    return BinnedColumn(codes, cuts, ordered=True)


def binned_categories(
    codes: Integers, categories: int, weight: Floats, max_cuts: int
) -> BinnedColumn:
    """Number the heaviest categories, and all others together.

    Examples
    --------
    >>> column = binned_categories(np.array([0, 1, 2, 2, -1], np.int32), 3, np.ones(5), 1)
    >>> column.codes.tolist(), column.bases.tolist()
    ([1, 1, 0, 0, -1], [2])
    """
    if categories <= 2:  # the test of the one is that of the other
        return BinnedColumn(codes, np.arange(max(categories - 1, 0), dtype=np.int32), ordered=False)
    there = codes >= 0
    heavy = np.argsort(-np.bincount(codes[there], weight[there], categories), kind="stable")
    kept = np.sort(heavy[:max_cuts]).astype(np.int32)
    number = np.full(categories + 1, kept.size, np.int32)
    number[kept] = np.arange(kept.size)
    number[-1] = -1
    return BinnedColumn(number[codes], kept, ordered=False)


def filled_numbers(values: Floats, weight: Floats, max_cuts: int) -> BinnedColumn:
    """Bin numbers as ``binned_numbers`` does, missing ones as the lower weighted median.

    Examples
    --------
    >>> column = filled_numbers(np.array([3.0, 1.0, np.nan, 2.0]), np.ones(4), 5)
    >>> column.codes.tolist(), column.filled
    ([2, 0, 1, 1], 1)
    """
    there = ~np.isnan(values)
    if there.all() or not there.any():
        return binned_numbers(values, weight, max_cuts)
    known, place = np.unique(values[there] + 0.0, return_inverse=True)
    up_to = np.cumsum(np.bincount(place, weight[there]))
    median = known[np.searchsorted(up_to, up_to[-1] / 2)]
    column = binned_numbers(np.where(there, values, median), weight, max_cuts)
    return replace(column, filled=int(np.searchsorted(column.bases, median)))


def filled_categories(
    codes: Integers, categories: int, weight: Floats, max_cuts: int
) -> BinnedColumn:
    """Number categories as ``binned_categories`` does, a missing one as a category of its own.

    Examples
    --------
    >>> column = filled_categories(np.array([0, 1, 1, -1], np.int32), 2, np.ones(4), 5)
    >>> column.codes.tolist(), column.bases.tolist(), column.filled
    ([0, 1, 1, 2], [0, 1, 2], 2)
    """
    if not (codes < 0).any():
        return binned_categories(codes, categories, weight, max_cuts)
    every = np.where(codes < 0, categories, codes).astype(np.int32)
    column = binned_categories(every, categories + 1, weight, max_cuts)
    return replace(column, filled=int(column.codes[np.argmax(codes < 0)]))


def missing_marks(missing: NDArray[np.bool_]) -> BinnedColumn:
    """Column whose only test is whether a value is missing."""
    return BinnedColumn((~missing).astype(np.int32), np.zeros(1, np.int32), ordered=False, filled=0)


def coded_cells(
    columns: Sequence[BinnedColumn],
    label: Integers,
    weight: NDArray[np.int64],
    classes: int,
) -> CodedCells:
    """Prepare an optimal search on binned columns."""
    return CodedCells(
        [column.codes for column in columns],
        [column.values for column in columns],
        [column.ordered for column in columns],
        label,
        weight,
        classes,
    )
