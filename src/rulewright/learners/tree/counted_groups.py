"""Rows of a node in groups of categories, its splits, and what they gain."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]

ALL_BRANCHES = -1
"""Instead of a branch: missing values go down all branches, with a part of their weight in each."""
SAME_WEIGHT = 1e-9
"""Weights that differ by less than this share are equal, since sums of fractions are rounded."""


@dataclass(frozen=True, eq=False)
class CategoryGroups:
    """The categories of a column that occur at a node, in order, with their rows by class."""

    codes: NDArray[np.intp]
    counts: Floats
    categories: int

    @cached_property
    def known(self) -> Floats:
        """Rows of each class with a category."""
        return np.asarray(self.counts.sum(axis=0))

    def branch_of(self, branches: NDArray[np.integer], absent: int) -> Integers:
        """Branch of each category of the column, ``absent`` for those that do not occur."""
        found = np.full(self.categories, absent, np.int32)
        found[self.codes] = branches
        return found


@dataclass(frozen=True, eq=False)
class CountedSplit:
    """A split, with the rows of each class (columns) in each of its branches (rows).

    ``low`` and ``high`` are the values on either side of a cut. ``missing`` is the branch of
    missing values. ``charge`` is the gain that is expected by chance from many categories.
    """

    kind: int
    column: int
    gain: float
    branches: Floats
    missing: int
    charge: float = 0.0
    ratio: float = -math.inf
    low: float = 0.0
    high: float = 0.0
    branch_of: Integers | None = None

    @property
    def worth(self) -> float:
        """Gain beyond the one that is expected by chance."""
        return self.gain - self.charge


def nearly(weight: float) -> float:
    """Least weight that counts as this one."""
    return weight * (1.0 - SAME_WEIGHT)


def heaviest(weights: Iterable[float]) -> int:
    """Place of the first of the largest weights.

    Examples
    --------
    >>> heaviest([1.0, 3.0, 1.0 + 1.0 + 1.0 + 1e-12])
    1
    """
    best, most = 0, -math.inf
    for place, weight in enumerate(weights):
        if weight > most * (1.0 + SAME_WEIGHT):
            best, most = place, weight
    return best


def weighted_impurity(name: str, counts: Floats) -> Floats:
    """Impurity of sets of rows, times their number; the last axis has the classes."""
    total = counts.sum(axis=-1)
    if name == "gini":
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = total - (counts * counts).sum(axis=-1) / total
        return np.where(total > 0, rest, 0.0)
    if name == "entropy":
        return np.asarray(xlogx(total) - xlogx(counts).sum(axis=-1))
    return np.asarray(total - counts.max(axis=-1))


def xlogx(x: Floats) -> Floats:
    """Numbers of 0 or more times their binary logarithms."""
    return x * np.log2(np.where(x > 0, x, 1.0))


def gains(name: str, left: Floats, right: Floats) -> Floats:
    """Decrease of the impurity by splits into two sets of rows, whose union is always the same."""
    if name != "gini" or left.shape[-1] != 2:
        whole = weighted_impurity(name, left + right)
        return whole - (weighted_impurity(name, left) + weighted_impurity(name, right))
    below, above = left.sum(axis=-1), right.sum(axis=-1)
    total, positive = below + above, left[..., 1] + right[..., 1]
    apart = left[..., 1] * total - below * positive
    with np.errstate(invalid="ignore", divide="ignore"):
        found = 2.0 * (apart * apart) / (total * (below * (total - below)))
    return np.where((below > 0) & (above > 0), found, 0.0)
