"""Sample-compression bounds: the error of a classifier that few examples and a message rebuild.

A classifier is rebuilt from examples that play roles (anchors; centres and borders), chosen among
the m of the training set, and a message of so many nats. With probability at least 1 - delta over
the sample, for all such classifiers at once, the bound holds; so what the message does not need to
say (penalties, when the search stopped) costs nothing. Littlestone & Warmuth (1986); Langford
(2005), Tutorial on Practical Prediction Theory, for the tail form.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index

from rulewright.bounds.counting import log_multinomial
from rulewright.bounds.tails import tail_inverse
from rulewright.errors import InputError

LOG_BASEL = math.log(math.pi**2 / 6)
"""``ln sum 1/n^2``: the price of a size that is not known beforehand starts here."""


def log_size_prior(size: int) -> float:
    """Log-probability of a size 0, 1, 2, ...: ``6 / pi^2 / (size + 1)^2``, which sums to one.

    Examples
    --------
    >>> round(sum(math.exp(log_size_prior(n)) for n in range(100_000)), 3)
    1.0
    """
    return -LOG_BASEL - 2 * math.log(size + 1)


def compression_tail(
    m: int,
    roles: Sequence[int],
    k: int,
    log_message: float = 0.0,
    delta: float = 0.05,
    aside: int = 0,
) -> float:
    """Bound the error of a classifier that a part of its training set rebuilds (the tail form).

    Given the examples and the message, the k errors on the m - lambda other examples are binomial,
    so the error rate is at most ``max {e : Bin(k; m - lambda, e) >= delta'}`` with
    ``delta' = delta prod_i 6/pi^2 (n_i + 1)^-2 / (m! / (prod_i n_i! (m - lambda)!) M)``.

    Parameters
    ----------
    m : int
        Training examples.
    roles : sequence of int
        Sizes n_i of the sets of examples that rebuild the classifier, one a role. An example plays
        one role. With no roles and no message this is Clopper and Pearson's bound.
    k : int
        Errors on the m - lambda examples that play no role.
    log_message : float
        Natural logarithm of the number M of possible messages, or the length of the actual message
        in nats when its code is a prefix code.
    delta : float
        The bound fails with at most this probability.
    aside : int
        Examples that were set aside beforehand, whatever their values, and play no role. The
        classifier may depend on them; they test nothing.

    Examples
    --------
    >>> round(compression_tail(m=691, roles=[3, 3, 3], k=130, log_message=math.log(756)), 2)
    0.4
    """
    m, k, roles = index(m), index(k), [index(n) for n in roles]  # NumPy's integers overflow
    aside = index(aside)
    _check(m, roles, k, log_message, delta, aside)
    log_delta = math.log(delta) + sum(map(log_size_prior, roles))
    log_delta -= log_multinomial(m, roles) + log_message
    return tail_inverse(k, m - sum(roles) - aside, log_delta)


def class_tail(
    m_p: int,
    m_n: int,
    roles_p: Sequence[int],
    roles_n: Sequence[int],
    k_p: int,
    k_n: int,
    log_message: float = 0.0,
    delta: float = 0.05,
    aside_p: int = 0,
    aside_n: int = 0,
) -> tuple[float, float]:
    """Bound the miss rate and the false-alarm rate, both at once with confidence 1 - delta.

    Given the labels, the errors on the positives outside the roles are binomial, and so are those
    on the negatives: the tail form for each, with half of delta, the examples of the roles chosen
    within their classes.

    Returns
    -------
    miss rate, false-alarm rate : float
        Upper bounds on the share of positives that are misjudged, and of negatives.

    Examples
    --------
    >>> miss, alarm = class_tail(200, 300, roles_p=[2], roles_n=[1], k_p=5, k_n=9)
    >>> round(miss, 3), round(alarm, 3)
    (0.174, 0.144)
    """
    m_p, k_p, roles_p = index(m_p), index(k_p), [index(n) for n in roles_p]
    m_n, k_n, roles_n = index(m_n), index(k_n), [index(n) for n in roles_n]
    aside_p, aside_n = index(aside_p), index(aside_n)
    _check(m_p, roles_p, k_p, log_message, delta, aside_p)
    _check(m_n, roles_n, k_n, log_message, delta, aside_n)
    log_delta = math.log(delta) - math.log(2) - log_message
    for m, roles in ((m_p, roles_p), (m_n, roles_n)):
        log_delta += sum(map(log_size_prior, roles)) - log_multinomial(m, roles)
    miss = tail_inverse(k_p, m_p - sum(roles_p) - aside_p, log_delta)
    alarm = tail_inverse(k_n, m_n - sum(roles_n) - aside_n, log_delta)
    return miss, alarm


def _check(
    m: int, roles: Sequence[int], k: int, log_message: float, delta: float, aside: int
) -> None:
    if not 0 < delta < 1:
        raise InputError(f"delta must lie between 0 and 1, not at {delta}.")
    if not log_message >= 0 or math.isinf(log_message):
        raise InputError(f"A message has a length of 0 nats or more, not {log_message}.")
    if m < 0 or any(n < 0 for n in roles) or sum(roles) > m:
        raise InputError(f"Roles of sizes {list(roles)} cannot be filled from {m} examples.")
    others = m - sum(roles) - aside
    if aside < 0 or others < 0:
        raise InputError(f"{aside} examples cannot be set aside from {m - sum(roles)}.")
    if not 0 <= k <= others:
        raise InputError(f"{k} errors are impossible on the {others} examples outside the roles.")
