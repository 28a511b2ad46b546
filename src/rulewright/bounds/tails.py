"""The binomial tail and its inverse, with the probability given as a logarithm.

SciPy inverts the same tail (``scipy.stats.beta.isf``), but takes the probability itself, which
underflows long before a compression bound becomes vacuous.
"""

from __future__ import annotations

import math
from operator import index

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds.counting import stirling_error
from rulewright.errors import InputError

CHUNK = 4096


def _deviance(x: float, mean: float) -> float:
    """Return ``x ln(x / mean) + mean - x`` without cancellation where x is near the mean."""
    if abs(x - mean) < 0.1 * (x + mean):
        v = (x - mean) / (x + mean)
        total, term, power = (x - mean) * v, 2 * x * v, v * v
        for j in range(1, 1000):
            term *= power
            more = total + term / (2 * j + 1)
            if more == total:
                return total
            total = more
    return x * math.log(x / mean) + mean - x


def log_binomial_mass(k: int, n: int, e: float) -> float:
    """Return ``ln P[Bin(n, e) = k]`` for 0 < e < 1 (Loader's saddle-point form)."""
    if k == 0:
        return n * math.log1p(-e)
    if k == n:
        return n * math.log(e)
    rest = n - k
    return (
        stirling_error(n)
        - stirling_error(k)
        - stirling_error(rest)
        - _deviance(k, n * e)
        - _deviance(rest, n * (1 - e))
        + 0.5 * (math.log(n / k) - math.log(2 * math.pi) - math.log(rest))
    )


def log_binomial_tail(k: int, n: int, e: float) -> float:
    """Return ``ln P[Bin(n, e) <= k]`` for 0 < e < 1."""
    if k == n:
        return 0.0
    if k < n * e:
        return log_binomial_mass(k, n, e) + math.log(_ratio_sum(k, n, e))
    # Above the mean the terms do not decrease downwards: sum the upper tail instead.
    above = log_binomial_mass(k + 1, n, e) + math.log(_ratio_sum(n - k - 1, n, 1 - e))
    return math.log1p(-math.exp(above))


def log_binomial_tails(k: int, n: int, e: float) -> NDArray[np.float64]:
    """Return ``ln P[Bin(n, e) <= i]`` for i = 0, ..., k at once, to about ten digits."""
    i = np.arange(1, k + 1)
    steps = np.log((n - i + 1) / i) + math.log(e) - math.log1p(-e)
    mass = n * math.log1p(-e) + np.append(0.0, np.cumsum(steps))
    tails: NDArray[np.float64] = np.logaddexp.accumulate(mass)
    return tails


def _ratio_sum(k: int, n: int, e: float) -> float:
    """Sum over i = 0..k of P[X = i] / P[X = k], for k below the mean, where the terms decrease."""
    total, last = 1.0, 1.0
    odds = (1 - e) / e
    for start in range(k, 0, -CHUNK):
        i = np.arange(start, max(start - CHUNK, 0), -1, dtype=np.float64)
        terms = last * np.cumprod(i * odds / (n - i + 1))
        total += float(terms.sum())
        last = float(terms[-1])
        if last < 1e-17 * total:
            break
    return total


def tail_inverse(k: int, n: int, log_delta: float) -> float:
    """Return the largest error rate at which k or fewer errors in n have at least this probability.

    ``max { e : P[Bin(n, e) <= k] >= exp(log_delta) }``; with ``log_delta = ln(delta)`` this is the
    upper end of Clopper and Pearson's one-sided interval.

    Examples
    --------
    >>> round(tail_inverse(0, 100, math.log(0.05)), 6)
    0.029513
    """
    k, n = index(k), index(n)  # NumPy's integers overflow
    if not 0 <= k <= n:
        raise InputError(f"k must be from 0 to n = {n}, got {k}.")
    if log_delta > 0 or math.isnan(log_delta):
        raise InputError(f"The logarithm of a probability must be 0 or less, got {log_delta}.")
    if k == n or log_delta == -math.inf:
        return 1.0
    if k == 0:
        return -math.expm1(log_delta / n)
    return _solve(k, n, log_delta)


def _solve(k: int, n: int, log_delta: float) -> float:
    """Newton's method on ``sqrt(-2 ln tail)``, which is nearly straight in e, inside a bracket."""
    low, high = 0.0, 1.0
    share = (k + 1) / (n + 2)
    aim = math.sqrt(-2 * log_delta)
    e = min(share + aim * math.sqrt(share * (1 - share) / n), (share + 1) / 2)
    for _ in range(200):
        tail = log_binomial_tail(k, n, e)
        low, high = (e, high) if tail > log_delta else (low, e)
        # d/de ln P[X <= k] = -(n - k) / (1 - e) * P[X = k] / P[X <= k]
        slope = -(n - k) / (1 - e) * math.exp(log_binomial_mass(k, n, e) - tail)
        height = math.sqrt(-2 * tail)
        next_e = e + (height - aim) * height / slope if slope else e
        if abs(next_e - e) <= 4e-16 * min(e, 1 - e):
            return max(e, next_e)
        if not low < next_e < high:
            next_e = (low + high) / 2
            if next_e in (low, high):
                return high  # no double lies between them: the upper one is a valid bound
        e = next_e
    return high
