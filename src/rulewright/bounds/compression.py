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

from rulewright.bounds.counting import log_choose, log_multinomial
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
    check_counts(m, roles, k, log_message, delta, aside)
    log_delta = math.log(delta) + sum(map(log_size_prior, roles))
    log_delta -= log_multinomial(m, roles) + log_message
    return tail_inverse(k, m - sum(roles) - aside, log_delta)


def compression_closed(
    m: int,
    roles: Sequence[int],
    k: int,
    log_message: float = 0.0,
    delta: float = 0.05,
    aside: int = 0,
) -> float:
    """Bound the error of a classifier that a part of its training set rebuilds (the closed form).

    The classifier is right on the m - lambda - k examples that neither play a role nor are errors.
    So the error rate is at most ``1 - exp{-(ln B + ln M + ln 1/delta') / (m - lambda - k)}`` with
    ``B = m! / (prod_i n_i! k! (m - lambda - k)!)``, all sets drawn from all m examples, and
    ``delta' = delta prod 6/pi^2 (n + 1)^-2`` over the roles' sizes and k. It is the theorem of
    the papers with labels left open, as they must be (see ``rulewright.bounds.printed``).
    ``compression_tail`` is never larger: k errors or fewer means that some m - lambda - k examples
    are right, and the sum over all such sets, which B pays, is an upper bound on that tail.
    Examples set aside count neither as errors nor as right.

    Parameters
    ----------
    m, roles, k, log_message, delta, aside
        As in ``compression_tail``.

    Examples
    --------
    >>> round(compression_closed(m=691, roles=[3, 3, 3], k=130, log_message=math.log(756)), 2)
    0.53
    """
    m, k, roles = index(m), index(k), [index(n) for n in roles]  # NumPy's integers overflow
    aside = index(aside)
    check_counts(m, roles, k, log_message, delta, aside)
    others = m - sum(roles) - aside
    nats = log_multinomial(m, roles) + log_choose(others, k) + log_message
    return closed_form(nats, [*roles, k], others - k, delta)


def closed_form(nats: float, sizes: Sequence[int], right: int, delta: float) -> float:
    """Return ``1 - exp{-(nats + ln 1/delta') / right}``, delta' being delta split by the sizes."""
    if right == 0:
        return 1.0
    nats -= math.log(delta) + sum(map(log_size_prior, sizes))
    return -math.expm1(-nats / right)


def holdout_tail(m: int, k: int, log_choices: float = 0.0, delta: float = 0.05) -> float:
    """Bound the error of a classifier that made k errors on m held-out examples.

    True for a classifier that was settled before the m examples were looked at. Where one of
    several was chosen by these same examples, pay for the choice; then it is true for all of them
    at once, and so for the chosen one. With nothing to pay it is Clopper and Pearson's bound.

    Parameters
    ----------
    m : int
        Held-out examples. None of them had a part in training.
    k : int
        Errors on them.
    log_choices : float
        Natural logarithm of the number of candidates, which must have been settled beforehand too.
    delta : float
        The bound fails with at most this probability.

    Examples
    --------
    >>> round(holdout_tail(m=200, k=10), 3)
    0.083
    >>> round(holdout_tail(m=200, k=10, log_choices=math.log(20)), 3)
    0.109
    """
    return compression_tail(m, [], k, log_choices, delta)


def check_counts(
    m: int, roles: Sequence[int], k: int, log_message: float, delta: float, aside: int
) -> None:
    """Refuse counts that no training set can have, saying what was found."""
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
