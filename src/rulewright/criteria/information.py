"""Information in counts: surprise, conditional entropy, mutual information, errors of a split.

A contingency table has a row for each value of an attribute and a column for each class, in its
last two axes. Its cells are counts, weights or probabilities; only their shares matter. The
entropy of one row of counts is ``impurity_entropy``.

References
----------
.. [1] S. A. Macskassy (2008), Machine Learning (CS 567), lecture 6.
.. [2] A. Filchenkov (2018), Machine Learning, lecture 10, after K. V. Vorontsov's course.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.criteria.arithmetic import Floats, share
from rulewright.criteria.coverage import as_counts
from rulewright.criteria.impurity import impurity_entropy
from rulewright.errors import InputError


def surprise(counts: Any) -> Floats:
    """Surprise of each value in bits: ``-log2`` of its share of the counts [1]_.

    It is the length of the value's best code. A value that never occurs is infinitely surprising.

    Examples
    --------
    >>> surprise([2, 8]).round(3).tolist()
    [2.322, 0.322]
    """
    counts = _checked(counts, axes=1)
    shares = share(counts, counts.sum(axis=-1, keepdims=True))
    return -np.log2(shares, out=np.full(shares.shape, -np.inf), where=shares > 0) + 0.0


def conditional_entropy(table: Any) -> Floats:
    """Entropy of the class in bits that is left when the attribute is known [1]_.

    The mean entropy of the rows, each weighted by its share of the table.

    Examples
    --------
    The lecture's outlook: 1 of 10 sunny, 2 rainy, 7 overcast; it rains with probability 0.1, 0.8
    and 0.5. The slide has 0.893, which is not the sum of its terms, 0.047 + 0.144 + 0.7.

    >>> rain = [[0.01, 0.09], [0.16, 0.04], [0.35, 0.35]]
    >>> round(float(conditional_entropy(rain)), 3)
    0.891
    """
    table = _checked(table, axes=2)
    sizes = table.sum(axis=-1)
    shares = share(sizes, sizes.sum(axis=-1, keepdims=True))
    left: Floats = (shares * impurity_entropy(table)).sum(axis=-1)
    return left[()]


def mutual_information(table: Any) -> Floats:
    """Information in bits that attribute and class have about each other; a split's gain [1]_.

    The entropy of the class minus its ``conditional_entropy``. It is symmetric: the transposed
    table has the same.

    Examples
    --------
    >>> round(float(mutual_information([[0.01, 0.09], [0.16, 0.04], [0.35, 0.35]])), 3)
    0.108
    """
    table = _checked(table, axes=2)
    gain = impurity_entropy(table.sum(axis=-2)) - conditional_entropy(table)
    return np.maximum(gain, 0.0)[()]  # rounding may give a negative number


def split_errors(table: Any) -> Floats:
    """Errors of a split whose branches each answer their most frequent class: the lecture's J [1]_.

    Examples
    --------
    >>> float(split_errors([[1, 3], [3, 1]]))
    2.0
    """
    table = _checked(table, axes=2)
    errors: Floats = (table.sum(axis=-1) - table.max(axis=-1, initial=0.0)).sum(axis=-1)
    return errors[()]


def smoothed_gain(p: Any, n: Any, P: Any, N: Any) -> Floats:
    r"""Information gain of all examples in nats, as in the lecture's comparison of criteria [2]_.

    .. math:: L \hat H(P, N) - g(p, n) - g(P - p, N - n), \quad
        g(a, b) = (a + b) \ln(a + b + 1) - a \ln(a + 1) - b \ln(b + 1)

    with :math:`L = P + N`. The entropy of the parts has ``ln(x + 1)`` in the place of ``ln x``,
    that of the whole does not. The lecture does not print this formula; it gives its six numbers.

    Examples
    --------
    >>> smoothed_gain([50, 100], [0, 50], 200, 100).round(2).tolist()
    [23.7, 1.98]
    """
    p, n, P, N = as_counts(p, n, P, N)
    whole = (P + N) * np.log(2) * impurity_entropy(np.stack([P, N], axis=-1))
    gain: Floats = whole - _smoothed(p, n) - _smoothed(P - p, N - n)
    return gain[()]


def _smoothed(a: Floats, b: Floats) -> Floats:
    both: Floats = (a + b) * np.log1p(a + b)
    return both - a * np.log1p(a) - b * np.log1p(b)


def _checked(counts: Any, axes: int) -> Floats:
    checked: Floats = np.asarray(counts, np.float64)
    if checked.ndim < axes:
        form = "a list of counts" if axes == 1 else "a table, with a row for each value"
        raise InputError(f"The counts must be {form}, got {checked.ndim} axes.")
    possible = np.isfinite(checked) & (checked >= 0)
    if not possible.all():
        wrong = float(checked[~possible][0])
        raise InputError(f"Counts must be finite and 0 or more, got {wrong:g}.")
    return checked
