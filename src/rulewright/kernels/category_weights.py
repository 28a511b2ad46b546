"""Weights of the categories of a column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core


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
