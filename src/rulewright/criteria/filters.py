"""Filters: conditions that a rule must meet to be accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.criteria.arithmetic import Floats, share
from rulewright.criteria.coverage import ROUNDING, entropy, fisher, precision
from rulewright.criteria.sides import one_sided
from rulewright.errors import InputError


@dataclass(frozen=True)
class Filters:
    """Minimum precision, support, significance and information gain of rules [1]_.

    Without arguments every rule passes, even one that covers nothing. Significance and information
    gain are one-sided: a rule that covers less of its class than expected by chance fails them.

    Parameters
    ----------
    min_precision : float, default=0.0
        Minimum share of the class among the covered examples, ``1 - epsilon`` of an epsilon-delta
        rule. An exact rule has 1: it covers none of the others. A rule that covers nothing has 0.
    min_support : float or int, default=0.0
        Below 1, the minimum share of all ``P + N`` examples that are covered and of the class, the
        delta of an epsilon-delta rule. A whole number of 1 or more is the minimum number (or
        weight) of covered examples of the class.
    max_p_value : float, optional
        Maximum ``p_value`` of Fisher's exact test.
    min_gain : float, optional
        Minimum information gain in bits (``entropy``).
    min_fisher : float, optional
        Minimum of ``fisher`` in nats: the lecture's statistical rule, which uses the probability of
        exactly these counts.

    References
    ----------
    .. [1] A. Filchenkov (2018), Machine Learning, lecture 10, after K. V. Vorontsov's course.

    Examples
    --------
    >>> Filters(min_precision=0.8, min_support=10).passes([50, 50, 5], [9, 30, 0], 200, 100)
    array([ True, False, False])
    """

    min_precision: float = 0.0
    min_support: float = 0.0
    max_p_value: float | None = None
    min_gain: float | None = None
    min_fisher: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.min_precision <= 1:
            raise InputError(f"min_precision must be in [0, 1], got {self.min_precision!r}.")
        whole = float(self.min_support).is_integer()
        if not (0 <= self.min_support < 1 or (whole and self.min_support >= 1)):
            raise InputError(
                "min_support must be a share in [0, 1) or a whole number of examples, got "
                f"{self.min_support!r}."
            )
        if self.max_p_value is not None and not 0 < self.max_p_value <= 1:
            raise InputError(f"max_p_value must be in (0, 1] or None, got {self.max_p_value!r}.")
        for name in ("min_gain", "min_fisher"):
            minimum = getattr(self, name)
            if minimum is not None and not 0 <= minimum < np.inf:
                raise InputError(f"{name} must be a number of 0 or more, or None, got {minimum!r}.")

    def passes(self, p: Any, n: Any, P: Any, N: Any) -> NDArray[np.bool_]:
        """Which rules pass, from the counts they cover."""
        p, n, P, N = np.broadcast_arrays(*(np.asarray(c, np.float64) for c in (p, n, P, N)))
        passing = np.asarray(precision(p, n, P, N) >= self.min_precision)
        if self.min_precision == 1:
            passing &= n == 0  # a small weight of the others may not change the precision
        passing &= (p if self.min_support >= 1 else share(p, P + N)) >= self.min_support
        for minimum, criterion in ((self.min_gain, entropy), (self.min_fisher, fisher)):
            if minimum is not None:
                passing &= one_sided(criterion)(p, n, P, N) >= minimum
        if self.max_p_value is not None:
            # A p-value is at least the probability of exactly these counts, which needs no long
            # sum.
            maximum = self.max_p_value * (1 + ROUNDING)
            passing &= np.exp(-fisher(p, n, P, N)) <= maximum
            passing[passing] = p_value(*(count[passing] for count in (p, n, P, N))) <= maximum
        return passing


def p_value(p: Any, n: Any, P: Any, N: Any) -> Floats:
    r"""Probability of covering at least ``p`` of the class if coverage is independent of it.

    .. math:: \sum_{i \geq 0} \frac{\binom{P}{p+i} \binom{N}{n-i}}{\binom{P+N}{p+n}}

    Fisher's exact test, one-sided. Weights may replace counts: each term follows from the previous
    one by the same ratio, until it is 0.

    Examples
    --------
    >>> round(float(p_value(3, 0, 3, 3)), 9)  # 1 of the 20 ways to choose 3 of 6
    0.05
    """
    p, n, P, N = np.broadcast_arrays(*(np.asarray(c, np.float64) for c in (p, n, P, N)))
    chance = np.exp(-fisher(p, n, P, N))
    p, n = np.minimum(p, P), np.minimum(n, N)
    # Terms are summed away from the most probable count, so they decrease from the first.
    upward = (P - p) * n <= (p + 1) * (N - n + 1)
    more = _falling_sum(P - p, n, p + 1, N - n + 1, upward)
    less = _falling_sum(p, N - n, P - p + 1, n + 1, ~upward) - 1
    return np.clip(np.where(upward, chance * more, 1 - chance * less), 0.0, 1.0)[()]


def _falling_sum(a: Floats, b: Floats, c: Floats, d: Floats, where: NDArray[np.bool_]) -> Floats:
    """Sum ``1 + ab/cd + a(a-1)b(b-1)/c(c+1)d(d+1) + ...`` until the terms are negligible."""
    total = np.ones(where.size)
    rows = np.flatnonzero(where)
    a, b, c, d = (factor[where] for factor in (a, b, c, d))
    term = np.ones(rows.size)
    step = 0
    while term.size:
        term = term * np.maximum(a - step, 0) * np.maximum(b - step, 0) / ((c + step) * (d + step))
        total[rows] += term
        going = term > total[rows] * np.finfo(np.float64).eps / 16
        if not going.all():
            rows, term = rows[going], term[going]
            a, b, c, d = (factor[going] for factor in (a, b, c, d))
        step += 1
    return total.reshape(where.shape)
