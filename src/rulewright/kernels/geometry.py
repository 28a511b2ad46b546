"""Distances and similarities; training and prediction use the same routine."""

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


def kernel_distances(
    columns: Sequence[Floats],
    point: Sequence[float],
    kind: Similarity,
    *,
    gamma: float = 1.0,
    offset: float = 0.0,
    degree: int = 1,
) -> Floats:
    """Distance of every row to a point in the space of a kernel; NaN where a value is missing.

    It is ``sqrt(k(x,x) - 2 k(x,p) + k(p,p))``, and exactly 0 for a row that equals the point.

    Examples
    --------
    >>> columns = [np.array([0.0, 3.0]), np.array([0.0, 4.0])]
    >>> kernel_distances(columns, [0.0, 0.0], "linear").tolist()
    [0.0, 5.0]
    """
    out = np.empty(_rows(columns))
    number = SIMILARITIES[kind]
    to = np.asarray(point, np.float64)
    _core.kernel_distances(
        list(columns), to, number, gamma, offset, degree, np.empty_like(out), out
    )
    return out


def similarity_rows(
    columns: Sequence[Floats],
    rows: NDArray[np.int32],
    kind: Similarity,
    *,
    gamma: float = 1.0,
    offset: float = 0.0,
    degree: int = 1,
    threads: int = 1,
) -> Floats:
    """Similarities of all rows with each of ``chosen``, bit for bit those of ``similarities``.

    Examples
    --------
    >>> similarity_rows([np.array([1.0, 2.0, 3.0])], np.array([2, 0], np.int32), "linear").tolist()
    [[3.0, 6.0, 9.0], [1.0, 2.0, 3.0]]
    """
    out = np.empty((rows.size, _rows(columns)))
    number = SIMILARITIES[kind]
    _core.similarity_rows(list(columns), rows, number, gamma, offset, degree, out, threads)
    return out


def _rows(columns: Sequence[Floats]) -> int:
    if not columns:
        raise ValueError("a point needs at least one coordinate")
    return int(columns[0].size)
