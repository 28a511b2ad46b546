"""Costs as users write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rulewright.errors import InputError


def read_costs(costs: Sequence[Any], classes: int) -> tuple[list[float], list[float]]:
    """Read a cost a class, or a matrix with a cost for each class (rows) and answer (columns).

    Returns
    -------
    what a right answer costs, what the worst wrong answer costs more; for each class

    Examples
    --------
    >>> read_costs([1, 5], 2)
    ([0.0, 0.0], [1.0, 5.0])
    >>> read_costs([[0, 1], [5, 0]], 2)
    ([0.0, 0.0], [1.0, 5.0])
    """
    try:
        matrix = np.asarray(costs, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"costs must be numbers: {error}.") from error
    if matrix.shape not in ((classes,), (classes, classes)):
        raise InputError(
            f"costs must be one number for each of the {classes} classes, or a matrix of "
            f"{classes} x {classes}; found shape {matrix.shape}."
        )
    if not all(math.isfinite(cost) and cost >= 0 for cost in matrix.ravel()):
        raise InputError("costs must be finite numbers of 0 or more.")
    if matrix.ndim == 1:
        return [0.0] * classes, matrix.tolist()
    right = np.diag(matrix)
    worst = np.where(np.eye(classes, dtype=bool), -np.inf, matrix).max(axis=1)
    return right.tolist(), np.maximum(worst - right, 0.0).tolist()
