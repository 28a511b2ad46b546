"""Vectorised arithmetic of criteria: shares, entropies, binomial coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def share(part: Any, whole: Any) -> Floats:
    """Return ``part / whole``, or 0 if the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    quotient: Floats = np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)
    return quotient


def entropy_term(q: Any) -> Floats:
    """Return ``-q log2 q``, or 0 if q is 0."""
    q = np.asarray(q, np.float64)
    bits: Floats = -q * np.log2(q, out=np.zeros(q.shape), where=q > 0)
    return bits + 0.0  # turns -0.0 into 0.0


def log_choose(n: Any, k: Any) -> Floats:
    """Return the natural logarithm of ``n`` choose ``k``, for real numbers ``0 <= k <= n``.

    Computed by Stirling's formula and its error terms: a difference of logarithms of factorials
    would lose digits. C. Loader (2000), Fast and Accurate Computation of Binomial Probabilities.
    """
    n, k = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(k, np.float64))
    k = np.minimum(k, n - k)  # the smaller one loses no digits
    inner = k > 0
    n, k = np.where(inner, n, 2.0), np.where(inner, k, 1.0)
    rest = n - k
    logs = (
        k * np.log(n / k)
        - rest * np.log1p(-k / n)
        + 0.5 * (np.log(n / k) - np.log(2 * np.pi) - np.log(rest))
        + (_stirling_error(n) - _stirling_error(k) - _stirling_error(rest))
    )
    return np.where(inner, logs, 0.0)


def _stirling_error(x: Floats) -> Floats:
    """Return ``ln x! - (x ln x - x + ln(2 pi x) / 2)``, for x above 0."""
    shape = x.shape
    error, x = np.zeros(x.size), x.flatten()
    small = np.flatnonzero(x < 16)
    while small.size:
        part = x[small]
        error[small] += (part + 0.5) * np.log1p(1 / part) - 1  # error(x) - error(x + 1)
        x[small] += 1
        small = small[x[small] < 16]
    square = x * x
    series = 1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 / square) / square) / square
    error += (1 / 12 - (1 / 360 - series / square) / square) / x
    return error.reshape(shape)
