"""Costs of errors as users give them: a vector or a matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rulewright.errors import InputError


def parse_costs(costs: Sequence[Any], classes: int) -> tuple[list[float], list[float]]:
    """Parse one cost per class, or a matrix with a cost per class (rows) and answer (columns).

    Returns
    -------
    cost of a right answer, and additional cost of the worst wrong answer; for each class

    Examples
    --------
    >>> parse_costs([1, 5], 2)
    ([0.0, 0.0], [1.0, 5.0])
    >>> parse_costs([[0, 1], [5, 0]], 2)
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
