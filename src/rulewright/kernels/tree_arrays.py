"""A decision tree as arrays, for the kernels that grow and prune trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAF, CUT, INTERVAL, SUBSET, MULTIWAY, PRESENT = range(6)


class TreeArrays(NamedTuple):
    """The nodes of a tree, the root first and every child after its parent.

    Attributes
    ----------
    kind : int8 array of N
        LEAF; CUT, branch 0 if ``x <= low``; INTERVAL, branch 0 if ``low <= x <= high``;
        SUBSET and MULTIWAY, the branch of a category; PRESENT, branch 0 if there is a value.
    column : int32 array of N
        The tested column, numeric ones before categorical ones; -1 in leaves.
    low, high : float64 arrays of N
        The numbers of a test. For a cut, ``high`` is the smallest value above it at the node.
    low_row, high_row : int32 arrays of N
        Training rows that have these numbers; -1 if there is none.
    missing : int32 array of N
        The branch of missing values; -1: all of them, each by its share of the weight.
    largest : int32 array of N
        The branch of categories unknown at the node: that of missing values, or if these take
        all branches, the one with the most weight.
    start : int32 array of N + 1
        The children of node i are ``branches[start[i] : start[i + 1]]``.
    branches : int32 array
    table_start : int32 array of N + 1
        The branch of category c at node i is ``branch_of[table_start[i] + c]``; -1: unknown.
    branch_of : int32 array
    weight : float64 array of N by classes
        Training weight of each class at each node; for regression: weight, sum, sum of squares.
    gain : float64 array of N
        Decrease of the weighted impurity by the split.
    """

    kind: NDArray[np.int8]
    column: NDArray[np.int32]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    low_row: NDArray[np.int32]
    high_row: NDArray[np.int32]
    missing: NDArray[np.int32]
    largest: NDArray[np.int32]
    start: NDArray[np.int32]
    branches: NDArray[np.int32]
    table_start: NDArray[np.int32]
    branch_of: NDArray[np.int32]
    weight: NDArray[np.float64]
    gain: NDArray[np.float64]
