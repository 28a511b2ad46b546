"""Criteria of a rule by the examples that it covers.

``P`` and ``N`` are the numbers of examples of the rule's class and of all others, ``p`` and ``n``
the numbers that it covers. They may be weights instead of counts. All four broadcast, and 0 / 0 is
0.

References
----------
.. [1] A. Filchenkov (2018), Machine Learning, lecture 10, after K. V. Vorontsov's course.
.. [2] J. Fürnkranz and P. A. Flach (2005), ROC 'n' Rule Learning: Towards a Better Understanding of
   Covering Algorithms, Machine Learning 58, pages 39-77.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rulewright.criteria.arithmetic import Floats, entropy_term, log_choose, share
from rulewright.errors import InputError

ROUNDING = 1e-9
"""Relative difference allowed between sums of the same weights in different orders."""


def precision(p: Any, n: Any, P: Any, N: Any) -> Floats:
    """Share of the class in what is covered: ``p / (p + n)`` [1]_.

    Examples
    --------
    >>> precision([50, 0], [50, 0], 200, 100).tolist()
    [0.5, 0.0]
    """
    p, n, P, N = as_counts(p, n, P, N)
    return _scores(share(p, p + n))


def accuracy(p: Any, n: Any, P: Any, N: Any) -> Floats:
    """Covered examples of the class minus covered others: ``p - n`` [1]_."""
    p, n, P, N = as_counts(p, n, P, N)
    return _scores(p - n)


def linear_cost(p: Any, n: Any, P: Any, N: Any, *, cost: float = 1.0) -> Floats:
    """Accuracy with a cost for each of the others: ``p - cost n`` [1]_."""
    p, n, P, N = as_counts(p, n, P, N)
    return _scores(p - _at_least_zero("cost", cost) * n)


def relative_accuracy(p: Any, n: Any, P: Any, N: Any) -> Floats:
    """Covered share of the class minus covered share of the others: ``p / P - n / N`` [1]_."""
    p, n, P, N = as_counts(p, n, P, N)
    return _scores(share(p, P) - share(n, N))


def ratio(p: Any, n: Any, P: Any, N: Any) -> Floats:
    """Covered examples of the class per covered other: ``p / (n + 1)`` [1]_."""
    p, n, P, N = as_counts(p, n, P, N)
    return _scores(p / (n + 1))


def entropy(p: Any, n: Any, P: Any, N: Any) -> Floats:
    r"""Information gain in bits: mutual information of coverage and class [1]_.

    .. math:: h(P/L) - \frac{p+n}{L} h\frac{p}{p+n} - \frac{L-p-n}{L} h\frac{P-p}{L-p-n}

    with :math:`L = P + N` and :math:`h(q) = -q \log_2 q - (1-q) \log_2 (1-q)`.
    """
    return _gain(lambda q: entropy_term(q) + entropy_term(1 - q), p, n, P, N)


def gini(p: Any, n: Any, P: Any, N: Any) -> Floats:
    """Gain of the Gini index: as ``entropy``, with ``h(q) = 2 q (1 - q)`` [1]_."""
    return _gain(lambda q: 2 * q * (1 - q), p, n, P, N)


def fisher(p: Any, n: Any, P: Any, N: Any) -> Floats:
    r"""Fisher's exact test: improbability of the coverage if it is independent of the class [1]_.

    .. math:: -\ln \frac{\binom{P}{p} \binom{N}{n}}{\binom{P+N}{p+n}}
    """
    p, n, P, N = as_counts(p, n, P, N)
    chance = log_choose(P, p) + log_choose(N, n) - log_choose(P + N, p + n)
    return _scores(np.maximum(-chance, 0.0))  # rounding may give a negative number


def boosting(p: Any, n: Any, P: Any, N: Any) -> Floats:
    """Boosting's criterion: ``sqrt(p) - sqrt(n)`` [1]_."""
    p, n, P, N = as_counts(p, n, P, N)
    return _scores(np.sqrt(p) - np.sqrt(n))


def boosting_normalised(p: Any, n: Any, P: Any, N: Any) -> Floats:
    """Boosting's criterion with shares: ``sqrt(p / P) - sqrt(n / N)`` [1]_."""
    p, n, P, N = as_counts(p, n, P, N)
    return _scores(np.sqrt(share(p, P)) - np.sqrt(share(n, N)))


def laplace(p: Any, n: Any, P: Any, N: Any) -> Floats:
    """Precision with one more example of the class and one more of the others [2]_.

    ``(p + 1) / (p + n + 2)``
    """
    p, n, P, N = as_counts(p, n, P, N)
    return _scores((p + 1) / (p + n + 2))


def m_estimate(p: Any, n: Any, P: Any, N: Any, *, m: float = 2.0) -> Floats:
    """Precision with ``m`` more examples distributed as the classes are in all examples [2]_.

    ``(p + m P / (P + N)) / (p + n + m)``; with ``m = 0`` it is precision.
    """
    p, n, P, N = as_counts(p, n, P, N)
    m = _at_least_zero("m", m)
    return _scores(share(p + m * share(P, P + N), p + n + m))


def foil_gain(p: Any, n: Any, P: Any, N: Any) -> Floats:
    r"""FOIL's information gain in bits, summed over the covered examples of the class [2]_.

    .. math:: p \left(\log_2 \frac{p}{p+n} - \log_2 \frac{P}{P+N}\right)

    The gain is relative to the rule that covers ``P`` and ``N`` examples.
    """
    p, n, P, N = as_counts(p, n, P, N)
    lift = share(share(p, p + n), share(P, P + N))
    return _scores(p * np.log2(lift, out=np.zeros(lift.shape), where=lift > 0))


def wracc(p: Any, n: Any, P: Any, N: Any) -> Floats:
    r"""Weighted relative accuracy: coverage times the precision in excess of the class share [2]_.

    .. math:: \frac{p+n}{P+N} \left(\frac{p}{p+n} - \frac{P}{P+N}\right)
        = \frac{P N}{(P+N)^2} \left(\frac{p}{P} - \frac{n}{N}\right)
    """
    p, n, P, N = as_counts(p, n, P, N)
    return _scores(share(P, P + N) * share(N, P + N) * (share(p, P) - share(n, N)))


def correlation(p: Any, n: Any, P: Any, N: Any) -> Floats:
    r"""Correlation of coverage with the class, the phi coefficient [2]_.

    .. math:: \frac{p N - n P}{\sqrt{P N (p+n) (P-p+N-n)}}

    It is 0 if all or no examples are covered, or all are of one class.
    """
    p, n, P, N = as_counts(p, n, P, N)
    covered = share(p + n, P + N)
    spread = share(share(P, P + N) * share(N, P + N), covered * (1 - covered))
    return _scores((share(p, P) - share(n, N)) * np.sqrt(spread))


Criterion = Callable[..., Floats]
CRITERIA: dict[str, Criterion] = {
    criterion.__name__: criterion
    for criterion in (
        precision,
        accuracy,
        linear_cost,
        relative_accuracy,
        ratio,
        entropy,
        gini,
        fisher,
        boosting,
        boosting_normalised,
        laplace,
        m_estimate,
        foil_gain,
        wracc,
        correlation,
    )
}


def _gain(impurity: Callable[[Floats], Floats], p: Any, n: Any, P: Any, N: Any) -> Floats:
    """Impurity of all examples minus the mean impurity of the covered and the uncovered ones."""
    p, n, P, N = as_counts(p, n, P, N)
    covered, left = p + n, (P - p) + (N - n)
    inside = share(covered, P + N) * impurity(share(p, covered))
    outside = share(left, P + N) * impurity(share(P - p, left))
    gain = impurity(share(P, P + N)) - inside - outside
    return _scores(np.maximum(gain, 0.0))  # rounding may give a negative number


def as_counts(p: Any, n: Any, P: Any, N: Any) -> tuple[Floats, Floats, Floats, Floats]:
    """Counts as arrays; refuse impossible ones."""
    p, n, P, N = (np.asarray(count, np.float64) for count in (p, n, P, N))
    for name, part, whole in (("p", p, P), ("n", n, N)):
        lower, upper = -ROUNDING * whole, (1 + ROUNDING) * whole  # weights are sums and differences
        possible = (part >= lower) & (part <= upper) & np.isfinite(whole)
        if not possible.all():
            shown = [float(a[~possible][0]) for a in np.broadcast_arrays(part, whole)]
            raise InputError(
                f"The covered counts must be finite and from 0 to the totals, got {name} = "
                f"{shown[0]:,.15g} of {name.upper()} = {shown[1]:,.15g}. The order of the "
                "arguments is p, n, P, N."
            )
    return np.clip(p, 0.0, P), np.clip(n, 0.0, N), P, N


def _at_least_zero(name: str, value: float) -> float:
    if not 0 <= value < np.inf:
        raise InputError(f"{name} must be a finite number of 0 or more, got {value!r}.")
    return value


def _scores(values: Floats) -> Floats:
    """Return a number for numbers, an array for arrays."""
    return values[()]
