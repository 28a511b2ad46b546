"""Rows and weights of the categories of a column, or of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core


def code_counts(codes: NDArray[np.integer[Any]], size: int) -> NDArray[np.int64]:
    """Return the number of rows of each code below ``size``; rows of code -1 are not counted.

    Examples
    --------
    >>> code_counts(np.array([0, 2, 2, -1], np.int32), 4).tolist()
    [1, 0, 2, 0]
    """
    counts = np.empty(size, np.int64)
    _core.count_codes(np.ascontiguousarray(codes, np.int32), counts)
    return counts


def code_sums(
    codes: NDArray[np.integer[Any]], weight: NDArray[np.float64], size: int
) -> NDArray[np.float64]:
    """Return the sum of the weights of each code, added in the order of the rows.

    Rows of code -1 are left out.

    Examples
    --------
    >>> code_sums(np.array([0, 2, 2, -1], np.int32), np.array([1.0, 0.5, 2.0, 9.0]), 3).tolist()
    [1.0, 0.0, 2.5]
    """
    sums = np.empty(size)
    _core.sum_by_code(
        np.ascontiguousarray(codes, np.int32), np.ascontiguousarray(weight, np.float64), sums
    )
    return sums


def weigh_categories(
    codes: NDArray[np.int32], weight: NDArray[np.int64], categories: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sums of the positive and of the negative weights of each category's rows.

    Examples
    --------
    >>> codes = np.array([0, 1, 1, -1], np.int32)
    >>> positive, negative = weigh_categories(codes, np.array([2, 3, -1, 9]), 2)
    >>> positive.tolist(), negative.tolist()
    ([2, 3], [0, -1])
    """
    if codes.size and int(codes.max()) >= categories:
        raise ValueError(f"codes must be below {categories}, got {int(codes.max())}")
    positive = np.empty(categories, np.int64)
    negative = np.empty(categories, np.int64)
    _core.weigh_categories(codes, weight, positive, negative)
    return positive, negative
