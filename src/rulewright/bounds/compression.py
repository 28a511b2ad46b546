"""Sample-compression bounds on the error of classifiers.

A classifier is rebuilt from a compression set, whose examples play roles (anchors; centres and
borders) and are chosen among the m of the training set, and a message of a given length in nats.
The bound holds with probability at least 1 - delta over the sample, for all such classifiers at
once. So choices that are not part of the message (penalties, when the search stopped) cost nothing.
Littlestone & Warmuth (1986); Langford (2005), Tutorial on Practical Prediction Theory, for the tail
form.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index

from rulewright.bounds.counting import log_choose, log_multinomial
from rulewright.bounds.tails import tail_inverse
from rulewright.errors import InputError

LOG_BASEL = math.log(math.pi**2 / 6)
"""``ln sum 1/n^2``: the length in nats of size 0 under ``log_size_prior``."""


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
    """Upper bound on the error of a classifier with a compression set (the tail form).

    Given the compression set and the message, the k errors on the m - lambda other examples are
    binomial, so the error rate is at most ``max {e : Bin(k; m - lambda, e) >= delta'}`` with
    ``delta' = delta prod_i 6/pi^2 (n_i + 1)^-2 / (m! / (prod_i n_i! (m - lambda)!) M)``.

    Parameters
    ----------
    m : int
        Number of training examples.
    roles : sequence of int
        Sizes n_i of the parts of the compression set, one per role. An example plays one role.
        Without roles and message this is Clopper and Pearson's bound.
    k : int
        Number of errors on the m - lambda examples outside the roles.
    log_message : float, default=0.0
        Natural logarithm of the number M of possible messages, or the length in nats of the actual
        message if its code is a prefix code.
    delta : float, default=0.05
        Maximum probability that the bound fails.
    aside : int, default=0
        Number of examples that were set aside beforehand, independently of their values, and play
        no role. The classifier may depend on them; they test nothing.

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
    """Upper bound on the error of a classifier with a compression set (the closed form).

    The classifier is correct on the m - lambda - k examples that neither play a role nor are
    errors. So the error rate is at most
    ``1 - exp{-(ln B + ln M + ln 1/delta') / (m - lambda - k)}`` with
    ``B = m! / (prod_i n_i! k! (m - lambda - k)!)``, all sets drawn from all m examples, and
    ``delta' = delta prod 6/pi^2 (n + 1)^-2`` over the roles' sizes and k. It is the theorem of the
    papers without fixing the labels first (see ``rulewright.bounds.printed``). ``compression_tail``
    is never larger: k errors or fewer means that some m - lambda - k examples are correct, and the
    union bound over all sets of that size, which B counts, is an upper bound on that tail. Examples
    set aside count neither as errors nor as correct.

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
    """Return ``1 - exp{-(nats + ln 1/delta') / right}``; delta' is delta split by the sizes."""
    if right == 0:
        return 1.0
    nats -= math.log(delta) + sum(map(log_size_prior, sizes))
    return -math.expm1(-nats / right)


def holdout_tail(m: int, k: int, log_choices: float = 0.0, delta: float = 0.05) -> float:
    """Upper bound on the error of a classifier that made k errors on m held-out examples.

    It holds for a classifier that was fixed before the m examples were used. If it was chosen among
    several by these examples, ``log_choices`` is the price of the choice; the bound then holds for
    all of them at once. Without a choice it is Clopper and Pearson's bound.

    Parameters
    ----------
    m : int
        Number of held-out examples, none of which was used in training.
    k : int
        Number of errors on them.
    log_choices : float, default=0.0
        Natural logarithm of the number of candidates, which must also be fixed beforehand.
    delta : float, default=0.05
        Maximum probability that the bound fails.

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
    """Refuse impossible counts."""
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}.")
    if not log_message >= 0 or math.isinf(log_message):
        raise InputError(f"The length of a message must be 0 nats or more, got {log_message}.")
    if m < 0 or any(n < 0 for n in roles) or sum(roles) > m:
        raise InputError(
            f"The sizes of roles must be 0 or more and sum to at most m = {m}, got {list(roles)}."
        )
    others = m - sum(roles) - aside
    if aside < 0 or others < 0:
        raise InputError(f"aside must be from 0 to {m - sum(roles)}, got {aside}.")
    if not 0 <= k <= others:
        raise InputError(
            f"Errors outside the roles must be from 0 to {others}, the number of examples, got {k}."
        )
