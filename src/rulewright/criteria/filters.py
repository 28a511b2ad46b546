"""Which rules are worth having at all, whatever the criterion that ranks them."""

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
    """What a rule must be to be taken: precise, frequent, no chance, informative [1]_.

    With no arguments every rule passes, one that covers nothing too. Chance and information are
    one-sided: a rule that covers less of its class than chance would never passes those filters.

    Parameters
    ----------
    min_precision : float
        The least share of the class in what is covered, ``1 - epsilon`` of an epsilon-delta rule;
        1 is an exact rule, which covers none of the others. Of nothing the share is 0.
    min_support : float or int
        Below 1, the least share of all ``P + N`` examples that are covered and of the class, the
        delta of an epsilon-delta rule; a whole number of 1 or more is so many examples (or so much
        weight) of the class.
    max_p_value : float, optional
        The largest ``p_value`` by Fisher's exact test.
    min_gain : float, optional
        The least information gain, in bits (``entropy``).
    min_fisher : float, optional
        The least value of ``fisher``, in nats: the lecture's statistical rule, which looks at the
        probability of these very counts alone.

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
            raise InputError(
                f"min_precision must be a share from 0 to 1; found {self.min_precision!r}."
            )
        whole = float(self.min_support).is_integer()
        if not (0 <= self.min_support < 1 or (whole and self.min_support >= 1)):
            raise InputError(
                "min_support must be a share of all examples from 0 to below 1, or a whole number "
                f"of examples; found {self.min_support!r}."
            )
        if self.max_p_value is not None and not 0 < self.max_p_value <= 1:
            raise InputError(
                f"max_p_value must be above 0 and at most 1, or None; found {self.max_p_value!r}."
            )
        for name in ("min_gain", "min_fisher"):
            least = getattr(self, name)
            if least is not None and not 0 <= least < np.inf:
                raise InputError(f"{name} must be a number of 0 or more, or None; found {least!r}.")

    def passes(self, p: Any, n: Any, P: Any, N: Any) -> NDArray[np.bool_]:
        """Say which rules pass, from what they cover."""
        p, n, P, N = np.broadcast_arrays(*(np.asarray(c, np.float64) for c in (p, n, P, N)))
        passing = np.asarray(precision(p, n, P, N) >= self.min_precision)
        if self.min_precision == 1:
            passing &= n == 0  # a weight of the others may be too small to change the share
        passing &= (p if self.min_support >= 1 else share(p, P + N)) >= self.min_support
        for least, criterion in ((self.min_gain, entropy), (self.min_fisher, fisher)):
            if least is not None:
                passing &= one_sided(criterion)(p, n, P, N) >= least
        if self.max_p_value is not None:
            # No p-value is below the chance of these very counts, and that needs no long sum.
            most = self.max_p_value * (1 + ROUNDING)
            passing &= np.exp(-fisher(p, n, P, N)) <= most
            passing[passing] = p_value(*(count[passing] for count in (p, n, P, N))) <= most
        return passing


def p_value(p: Any, n: Any, P: Any, N: Any) -> Floats:
    r"""Chance that so much of the class, or more, is covered if coverage is independent of it.

    .. math:: \sum_{i \geq 0} \binom{P}{p+i} \binom{N}{n-i} \Big/ \binom{P+N}{p+n}

    Fisher's exact test, one-sided. Weights may stand for counts: each term follows from the one
    before by the same ratio, until it is 0.

    Examples
    --------
    >>> round(float(p_value(3, 0, 3, 3)), 9)  # 1 of the 20 ways to choose 3 of 6
    0.05
    """
    p, n, P, N = np.broadcast_arrays(*(np.asarray(c, np.float64) for c in (p, n, P, N)))
    chance = np.exp(-fisher(p, n, P, N))
    p, n = np.minimum(p, P), np.minimum(n, N)
    # Terms are summed away from the likeliest count, where they fall from the first on.
    upward = (P - p) * n <= (p + 1) * (N - n + 1)
    more = _falling_sum(P - p, n, p + 1, N - n + 1, upward)
    less = _falling_sum(p, N - n, P - p + 1, n + 1, ~upward) - 1
    return np.clip(np.where(upward, chance * more, 1 - chance * less), 0.0, 1.0)[()]


def _falling_sum(a: Floats, b: Floats, c: Floats, d: Floats, where: NDArray[np.bool_]) -> Floats:
    """Sum ``1 + ab/cd + a(a-1)b(b-1)/c(c+1)d(d+1) + ...`` until terms are nothing beside it."""
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
