"""Probability of overfitting, by splitting and connectivity of an explicit set of rules.

L objects are split at random, every split equally likely, into l training and k = L - l hidden
objects. A rule is overfitted if its error rate on the hidden objects exceeds that in training by
eps or more. Vorontsov & Ivahnenko (2011), Tight Combinatorial Generalization Bounds for Threshold
Conjunction Rules. These are statements about the given objects, not about new ones.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulewright.bounds.counting import log_choose
from rulewright.bounds.hypergeometric import hypergeometric_tail
from rulewright.errors import InputError, preview

Exact = float | Fraction | Decimal
Flags = NDArray[np.bool_]


def fixed_rule(L: int, l: int, m: int, eps: Exact) -> float:
    """Return the probability that one rule, fixed before the split, is overfitted.

    ``H(L, l, m; floor(l/L (m - eps k)))``, where H is the hypergeometric distribution function.
    This is exact, not a bound.

    Parameters
    ----------
    L, l : int
        Numbers of all objects and of training objects.
    m : int
        Number of objects on which the rule errs.
    eps : float, Fraction or Decimal
        In (0, 1]. A float is read as the decimal it prints as: 0.1 is a tenth.

    Examples
    --------
    >>> round(fixed_rule(L=10, l=5, m=3, eps=0.6), 6)  # all three errors are hidden
    0.083333
    """
    L, l, m = index(L), index(l), index(m)
    check_split(L, l)
    if not 0 <= m <= L:
        raise InputError(f"m must be from 0 to L = {L}, got {m}.")
    return hypergeometric_tail(L, m, l, max_errors_in_training(L, l, m, exact(eps)))


def sc_bound(errors: ArrayLike, l: int, eps: Exact) -> float:
    """Upper bound on the probability that the best rule of a set in training is overfitted.

    Among the rules with the fewest errors in training, the one with the most errors overall is
    chosen. A rule r can only be chosen if its q neighbours with one more error err inside the
    training set, and the h objects on which it errs and a rule below it does not are all hidden. So

        sum over r of  C(L-q-h, l-q) / C(L, l)  H(L-q-h, l-q, m-h; floor(l/L (m - eps k)))

    bounds the probability. The sum may exceed 1; it is then vacuous.

    Parameters
    ----------
    errors : array of rules x objects
        True or 1 where the rule errs. All rows are different.
    l : int
        Number of training objects.
    eps : float, Fraction or Decimal
        In (0, 1]. A float is read as the decimal it prints as: 0.1 is a tenth.

    Examples
    --------
    Thresholds on one column between two classes of four objects; the middle one has no errors:

    >>> errors = [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
    >>> round(sc_bound(errors, l=2, eps=0.5), 3), round(vc_bound(errors, l=2, eps=0.5), 3)
    (1.0, 1.333)
    """
    matrix = error_matrix(errors)
    return _sum(matrix, l, eps, _connectivity(matrix))


def vc_bound(errors: ArrayLike, l: int, eps: Exact) -> float:
    """Upper bound on the probability of overfitting by the union bound over all rules.

    As ``sc_bound`` with q = h = 0: the sum of the probabilities of overfitting of each rule by
    itself (Vapnik & Chervonenkis). Never below ``sc_bound``.

    Parameters
    ----------
    errors, l, eps
        As in ``sc_bound``.
    """
    matrix = error_matrix(errors)
    return _sum(matrix, l, eps, ((0, 0) for _ in matrix))


def exact(eps: Exact) -> Fraction:
    """Read a number in (0, 1] as the decimal it prints as."""
    try:
        value = Fraction(eps if isinstance(eps, int | Fraction | Decimal) else str(eps))
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"eps must be a number in (0, 1], got {eps!r}.") from error
    if not 0 < value <= 1:
        raise InputError(f"eps must be in (0, 1], got {eps}.")
    return value


def check_split(L: int, l: int) -> None:
    """Refuse a split without training or without hidden objects."""
    if not 0 < l < L:
        raise InputError(
            f"l must be from 1 to {L - 1} for {L} objects, got {l}. Training and hidden objects "
            "are both needed."
        )


def max_errors_in_training(L: int, l: int, m: int, eps: Fraction) -> int:
    """Return the maximum number of m errors that can lie in training if a rule is overfitted."""
    return math.floor(Fraction(l, L) * (m - eps * (L - l)))


def error_matrix(errors: ArrayLike) -> Flags:
    """Return a matrix of distinct error vectors, after checking it."""
    matrix = np.asarray(errors)
    if matrix.ndim != 2 or matrix.size == 0:
        raise InputError(
            "errors must be a matrix with one row per rule and one column per object, got shape "
            f"{matrix.shape}."
        )
    flags = as_flags(matrix, "errors")
    distinct = np.unique(flags, axis=0).shape[0]
    if distinct < flags.shape[0]:
        raise InputError(
            f"The rows of errors must be different, but only {distinct} of {flags.shape[0]} are. "
            "Use np.unique(errors, axis=0)."
        )
    return flags


def as_flags(values: NDArray[Any], name: str) -> Flags:
    """Array of Booleans from True and False, or 1 and 0."""
    if values.dtype == np.bool_:
        return values
    if values.dtype.kind not in "iuf" or not ((values == 0) | (values == 1)).all():
        found = preview(np.unique(values.astype(str)).tolist())
        raise InputError(f"{name} must be True or False (or 1 or 0) everywhere, got {found}.")
    return values.astype(np.bool_)


def _connectivity(errors: Flags) -> Iterator[tuple[int, int]]:
    """Numbers q and h of every rule."""
    numbers = errors.astype(np.float32)
    m = errors.sum(axis=1)
    for r, mine in enumerate(numbers):
        common = numbers @ mine  # whole numbers, so exact
        above = (common == m[r]) & (m == m[r] + 1)  # each at a different object
        shared = errors[common == m].all(axis=0)
        yield int(above.sum()), int(m[r] - shared.sum())


def _sum(errors: Flags, l: int, eps: Exact, pairs: Iterator[tuple[int, int]]) -> float:
    L, l = errors.shape[1], index(l)
    check_split(L, l)
    eps = exact(eps)
    counts = Counter(
        (m, q, h) for m, (q, h) in zip(errors.sum(axis=1).tolist(), pairs, strict=True)
    )
    return math.fsum(n * _term(L, l, eps, *numbers) for numbers, n in sorted(counts.items()))


def _term(L: int, l: int, eps: Fraction, m: int, q: int, h: int) -> float:
    if l < q or L - l < h:
        return 0.0
    weight = math.exp(log_choose(L - q - h, l - q) - log_choose(L, l))
    tail = hypergeometric_tail(L - q - h, m - h, l - q, max_errors_in_training(L, l, m, eps))
    return weight * tail
