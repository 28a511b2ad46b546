"""Bounds from check rows: candidates learnt from the design rows, errors counted on the others.

A split divides the rows into design rows, from which a pool of candidates is learnt, and check
rows. Each candidate has a prior probability that depends on the design rows only. With probability
at least 1 - delta the bounds of all candidates of all splits hold at once, so the candidate may be
chosen by looking at everything. Langford (2005), Tutorial on Practical Prediction Theory, has the
tail bound with a prior.
"""

from __future__ import annotations

import math
from operator import index

from rulewright.bounds.tails import tail_inverse
from rulewright.errors import InputError

MAX_STEPS = 200


def split_bound(
    k: int, n: int, log_prior: float, log_splits: float = 0.0, delta: float = 0.05
) -> float:
    """Upper bound on the error of a candidate that made k errors on n check rows.

    It is ``max { e : P[Bin(n, e) <= k] >= delta P / S }``.

    Parameters
    ----------
    k, n : int
        Errors, and number of check rows.
    log_prior : float
        Logarithm of the prior probability P of the candidate in its pool, 0 or less.
    log_splits : float, default=0.0
        Logarithm of the number S of splits to choose from, or of the inverse weight of the split.
    delta : float, default=0.05
        Maximum probability that the bound of any candidate fails.

    Examples
    --------
    One split and one candidate: Clopper and Pearson's bound.

    >>> round(split_bound(k=13, n=285, log_prior=0.0), 4)
    0.0715
    >>> round(split_bound(k=13, n=285, log_prior=-3.3, log_splits=math.log(5 * 16 / 15)), 4)
    0.103
    """
    return tail_inverse(k, n, _log_level(log_prior, log_splits, delta))


def split_interval(
    k: int, n: int, log_prior: float, log_splits: float = 0.0, delta: float = 0.05
) -> tuple[float, float]:
    """Lower and upper bound on the error of a candidate, both at once with confidence 1 - delta.

    Parameters are those of ``split_bound``.

    Examples
    --------
    >>> low, high = split_interval(k=13, n=285, log_prior=-3.3)
    >>> round(low, 4), round(high, 4)
    (0.0162, 0.0976)
    """
    k, n = index(k), index(n)
    level = _log_level(log_prior, log_splits, delta) - math.log(2)
    return 1 - tail_inverse(n - k, n, level), tail_inverse(k, n, level)


def bounded_loss_bound(
    mean: float, n: int, log_prior: float = 0.0, log_splits: float = 0.0, delta: float = 0.05
) -> float:
    """Upper bound on the expected loss, from the mean of n independent losses in [0, 1].

    The smaller of two bounds: Hoeffding's (1963), ``n kl(mean || u) <= L``, and Bentkus' (2004),
    ``e P[Bin(n, u) <= ceil(n mean)] >= exp(-L)``. Both bound the same tail, so their minimum does.

    Examples
    --------
    >>> round(bounded_loss_bound(0.05, 200), 4)
    0.0928
    """
    if not 0 <= mean <= 1:
        raise InputError(f"The mean loss must be in [0, 1], got {mean}.")
    level = _log_level(log_prior, log_splits, delta)
    if n == 0:
        return 1.0
    ceiling = min(math.ceil(n * mean - 1e-9), n)
    return min(_kl_inverse(mean, -level / n), tail_inverse(ceiling, n, level - 1))


def _log_level(log_prior: float, log_splits: float, delta: float) -> float:
    """Logarithm of the probability that is left for one candidate of one split."""
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}.")
    if not log_prior <= 1e-12:
        raise InputError(f"The logarithm of a prior must be 0 or less, got {log_prior}.")
    if not 0 <= log_splits < math.inf:
        raise InputError(f"log_splits must be 0 or more, got {log_splits}.")
    return math.log(delta) + min(log_prior, 0.0) - log_splits


def _kl_inverse(mean: float, length: float) -> float:
    """Largest u with ``kl(mean || u) <= length``, rounded up."""
    low, high = mean, 1.0
    for _ in range(MAX_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _kl(mean, middle) <= length else (low, middle)
    return high


def _kl(p: float, q: float) -> float:
    """Relative entropy of two probabilities in nats."""
    first = p * math.log(p / q) if p else 0.0
    second = (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0
    return first + second
