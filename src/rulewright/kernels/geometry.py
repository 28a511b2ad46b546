"""Distances and similarities, by the same routine in training and in prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core

Floats = NDArray[np.float64]

Metric = Literal["l1", "l2", "linf"]
Similarity = Literal["linear", "rbf", "polynomial"]

METRICS: dict[str, int] = {"l1": 0, "l2": 1, "linf": 2}
SIMILARITIES: dict[str, int] = {"linear": 0, "rbf": 1, "polynomial": 2}


def distances(columns: Sequence[Floats], point: Sequence[float], metric: Metric) -> Floats:
    """Distance of every row to a point; NaN where a coordinate is missing.

    Examples
    --------
    >>> distances([np.array([0.0, 3.0]), np.array([0.0, 4.0])], [0.0, 0.0], "l2").tolist()
    [0.0, 5.0]
    """
    out = np.empty(_rows(columns))
    _core.distances(list(columns), np.asarray(point, np.float64), METRICS[metric], out)
    return out


def similarities(
    columns: Sequence[Floats],
    point: Sequence[float],
    kind: Similarity,
    *,
    gamma: float = 1.0,
    offset: float = 0.0,
    degree: int = 1,
) -> Floats:
    """Value of a kernel between every row and a point; NaN where a coordinate is missing.

    ``linear`` is ``x.p``, ``rbf`` is ``exp(-gamma |x - p|^2)``, ``polynomial`` is
    ``(gamma x.p + offset) ** degree``.
    """
    out = np.empty(_rows(columns))
    number = SIMILARITIES[kind]
    _core.similarities(
        list(columns), np.asarray(point, np.float64), number, gamma, offset, degree, out
    )
    return out


def _rows(columns: Sequence[Floats]) -> int:
    if not columns:
        raise ValueError("a point needs at least one coordinate")
    return int(columns[0].size)
