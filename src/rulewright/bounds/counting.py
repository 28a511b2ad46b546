"""Logarithms of binomial and multinomial coefficients, accurate for any size.

A difference of three ``lgamma`` of 10^8 loses eight digits. Here only the corrections to Stirling's
formula are subtracted, which are small. C. Loader (2000), Fast and Accurate Computation of Binomial
Probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError


def stirling_error(n: int) -> float:
    """Return ``ln n! - (n ln n - n + ln(2 pi n) / 2)``, for n at least 1."""
    if n < 16:
        return math.lgamma(n + 1.0) - (n * math.log(n) - n + 0.5 * math.log(2 * math.pi * n))
    square = float(n) * n
    series = 1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 / square) / square) / square
    return (1 / 12 - (1 / 360 - series / square) / square) / n


def log_choose(n: int, k: int) -> float:
    """Return the natural logarithm of ``n`` choose ``k``.

    Examples
    --------
    >>> round(math.exp(log_choose(49, 6)))
    13983816
    """
    n, k = index(n), index(k)  # NumPy's integers overflow
    if not 0 <= k <= n:
        raise InputError(f"k must be from 0 to n = {n}, got {k}.")
    k = min(k, n - k)  # the smaller one loses no digits
    if k == 0:
        return 0.0
    rest = n - k
    return (
        k * math.log(n / k)
        - rest * math.log1p(-k / n)
        + 0.5 * (math.log(n / k) - math.log(2 * math.pi) - math.log(rest))
        + (stirling_error(n) - stirling_error(k) - stirling_error(rest))
    )


def log_arrangements(n: int, k: int) -> float:
    """Return the log of the number of ordered selections of ``k`` out of ``n``, ``n! / (n - k)!``.

    Examples
    --------
    >>> round(math.exp(log_arrangements(10, 3)))
    720
    """
    return log_choose(n, k) + math.lgamma(index(k) + 1.0)


def log_chooses(n: int, low: int, high: int) -> NDArray[np.float64]:
    """Return the logs of ``n`` choose k for k = low, ..., high, to about ten digits."""
    k = np.arange(low + 1, high + 1)
    steps: NDArray[np.float64] = np.append(0.0, np.cumsum(np.log((n - k + 1) / k)))
    return log_choose(n, low) + steps


def log_multinomial(n: int, sizes: Sequence[int]) -> float:
    """Return the log of the number of disjoint sets of these sizes out of ``n``."""
    total, left = 0.0, index(n)
    for size in map(index, sizes):
        total += log_choose(left, size)
        left -= size
    return total
