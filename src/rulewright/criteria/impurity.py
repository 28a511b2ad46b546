"""Impurity of a set of examples from its class counts; 0 if all are of one class, or none exist.

``counts`` have one number per class along their last axis; they may be weights. The gain of a split
is the impurity of the whole minus the mean impurity of its parts.

References
----------
.. [1] S. A. Macskassy (2008), Machine Learning (CS 567), lecture 6.
.. [2] A. Filchenkov (2018), Machine Learning, lecture 10, after K. V. Vorontsov's course.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.criteria.arithmetic import Floats, entropy_term, share


def impurity_entropy(counts: Any) -> Floats:
    """Entropy in bits: ``sum of -q log2 q`` over the class shares q [1]_.

    Examples
    --------
    >>> impurity_entropy([[2, 2], [4, 0], [0, 0]]).tolist()
    [1.0, 0.0, 0.0]
    """
    entropy: Floats = entropy_term(_shares(counts)).sum(axis=-1)
    return entropy[()]


def impurity_gini(counts: Any) -> Floats:
    """Gini index: probability that two random examples differ in class, ``1 - sum of q^2`` [2]_.

    Examples
    --------
    >>> impurity_gini([[2, 2], [4, 0], [0, 0]]).tolist()
    [0.5, 0.0, 0.0]
    """
    q = _shares(counts)
    index: Floats = (q * (1 - q)).sum(axis=-1)
    return index[()]


def impurity_error(counts: Any) -> Floats:
    """Share of the examples that are not of the most frequent class [1]_.

    Examples
    --------
    >>> impurity_error([[3, 1], [4, 0], [0, 0]]).tolist()
    [0.25, 0.0, 0.0]
    """
    counts = np.asarray(counts, np.float64)
    total = counts.sum(axis=-1)
    return share(total - counts.max(axis=-1, initial=0.0), total)[()]


def _shares(counts: Any) -> Floats:
    counts = np.asarray(counts, np.float64)
    return share(counts, counts.sum(axis=-1, keepdims=True))
