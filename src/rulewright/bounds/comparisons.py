"""Exact tests that compare new rows with earlier ones, from counts.

All of them are conditional on the pooled rows, of which any part may have come first if the source
has not changed. Each returns a p-value: under an unchanged source, it is at most u with probability
at most u. They hold for rows that are independent of each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rulewright.bounds.counting import log_choose
from rulewright.bounds.hypergeometric import hypergeometric_tail
from rulewright.bounds.tails import log_binomial_tail
from rulewright.errors import InputError

STEEPNESS = np.geomspace(1e-9, 1e4, 400)
"""Exponents that Chernoff's bound tries; each of them gives a valid bound."""


def share_tests(earlier: int, earlier_rows: int, new: int, new_rows: int) -> tuple[float, float]:
    """Return the p-values of a share that has become larger, and of one that has become smaller.

    Fisher's exact test: given the number of marked rows among all, the number among the new rows is
    hypergeometric.

    Examples
    --------
    >>> more, less = share_tests(10, 100, 30, 100)
    >>> round(more, 5), round(less, 5)
    (0.00033, 0.99992)
    """
    total, marked = earlier_rows + new_rows, earlier + new
    less = hypergeometric_tail(total, marked, new_rows, new)
    more = hypergeometric_tail(total, total - marked, new_rows, new_rows - new)
    return more, less


def range_test(earlier_rows: int, new_rows: int, outside: int) -> float:
    """Return the p-value of the number of new values outside the range of the earlier ones.

    The earlier values divide the line into gaps, and new values fall into these exchangeably. So
    the two outer gaps hold as many as the two highest ones: that ``outside`` or more values are
    in these means that among the ``outside + 1`` highest of all values at most one is an earlier
    one. Equal values make the number outside smaller. Wilks (1941), Annals of Mathematical
    Statistics 12, has the tolerance limits that this inverts.

    Examples
    --------
    >>> range_test(999, 1, 0), round(range_test(999, 1, 1), 6)
    (1.0, 0.002)
    """
    if not 0 <= outside <= new_rows:
        raise InputError(f"outside must be from 0 to {new_rows}, got {outside}.")
    if not outside or earlier_rows < 2:
        return 1.0
    return hypergeometric_tail(earlier_rows + new_rows, earlier_rows, outside + 1, 1)


def unseen_test(earlier: Sequence[int], new: Sequence[int]) -> float:
    """Return the p-value of the number of new rows with a category that no earlier row has.

    A category with c rows among all n + m is unseen with probability C(m, c) / C(n + m, c). These
    events are negatively associated (Joag-Dev & Proschan 1983, Annals of Statistics 11), so that
    Chernoff's bound for independent events holds for the number of rows in unseen categories.

    Parameters
    ----------
    earlier, new : sequences of int
        Rows of each category among the earlier and among the new rows.

    Examples
    --------
    >>> unseen_test([50, 40, 10], [5, 5, 0])
    1.0
    >>> round(unseen_test([50, 49, 1, 0], [5, 4, 0, 1]), 2)  # 2 rare categories, one is unseen
    0.33
    >>> unseen_test([50, 50, 0], [0, 5, 5]) < 1e-4
    True
    """
    first, second = np.asarray(earlier, np.int64), np.asarray(new, np.int64)
    if first.shape != second.shape:
        raise InputError(f"There are {first.size} earlier counts but {second.size} new ones.")
    unseen = int(second[first == 0].sum())
    if not unseen:
        return 1.0
    n, m = int(first.sum()), int(second.sum())
    pooled, repeated = np.unique((first + second)[(first + second) > 0], return_counts=True)
    possible = pooled <= m
    pooled, repeated = pooled[possible], repeated[possible]
    sizes = pooled.tolist()
    log_chance = np.array([log_choose(m, c) - log_choose(n + m, c) for c in sizes])
    with np.errstate(divide="ignore"):
        log_rest = np.log(-np.expm1(np.minimum(log_chance, 0.0)))
    growth = np.logaddexp(log_rest, log_chance + STEEPNESS[:, None] * pooled) @ repeated
    return min(1.0, math.exp(min(float((growth - STEEPNESS * unseen).min()), 0.0)))


def excess_test(errors: int, rows: int, bound: float) -> float:
    """Return the p-value of as many errors in ``rows`` cases, if the error rate is at most a bound.

    ``P[Bin(rows, bound) >= errors]``.

    Examples
    --------
    >>> round(excess_test(errors=15, rows=100, bound=0.1), 4)
    0.0726
    """
    if not 0 <= errors <= rows:
        raise InputError(f"errors must be from 0 to {rows}, got {errors}.")
    if errors == 0 or bound >= 1:
        return 1.0
    if bound <= 0:
        return 0.0
    return min(1.0, math.exp(log_binomial_tail(rows - errors, rows, 1 - bound)))
