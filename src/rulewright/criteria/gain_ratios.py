"""Information gain of a split of a tree, as a share of what a split could gain or costs.

``counts`` have the class counts of each branch: one row per branch, one column per class.

References
----------
.. [1] J. R. Quinlan (1986), Induction of Decision Trees, section 7.
.. [2] A. Filchenkov (2018), Machine Learning, lecture 10, after K. V. Vorontsov's course.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.criteria.impurity import impurity_entropy


def gain_ratio(counts: Any) -> float:
    """Quinlan's gain ratio: the information gain over the entropy of the branches' sizes [1]_.

    It is small for splits into many branches. 0 where all examples take one branch.

    Examples
    --------
    >>> gain_ratio([[4, 0], [0, 4]]), gain_ratio([[2, 0], [2, 0], [0, 2], [0, 2]])
    (1.0, 0.5)
    """
    return _share(counts, np.asarray(counts, np.float64).sum(axis=1))


def normalised_gain(counts: Any) -> float:
    """Gain ratio of the lecture: the information gain over the entropy of the classes [2]_.

    It is the share of the uncertainty that a split removes, from 0 to 1, whatever the number of
    branches. In one node it orders splits as the information gain does. 0 where all examples are of
    one class.

    Examples
    --------
    >>> normalised_gain([[4, 0], [0, 4]]), normalised_gain([[2, 0], [2, 0], [0, 2], [0, 2]])
    (1.0, 1.0)
    """
    return _share(counts, np.asarray(counts, np.float64).sum(axis=0))


def _share(counts: Any, sizes: Any) -> float:
    """Information gain over the entropy of some sizes."""
    table = np.asarray(counts, np.float64)
    entropy, total = float(impurity_entropy(sizes)), table.sum()
    if not entropy:
        return 0.0
    left = float((table.sum(axis=1) * impurity_entropy(table)).sum() / total)
    return (float(impurity_entropy(table.sum(axis=0))) - left) / entropy
