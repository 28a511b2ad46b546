"""A decision tree as arrays: what the kernels that grow and prune trees hand to each other."""

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
        LEAF; CUT, branch 0 where ``x <= low``; INTERVAL, branch 0 where ``low <= x <= high``;
        SUBSET and MULTIWAY, the branch of a category; PRESENT, branch 0 where there is a value.
    column : int32 array of N
        The column that is tested, numeric ones before categorical ones; -1 in leaves.
    low, high : float64 arrays of N
        The numbers of a test. Above a cut, ``high`` is the least value at the node.
    low_row, high_row : int32 arrays of N
        Training rows that have these numbers; -1 where there is none.
    missing : int32 array of N
        The branch that missing values take; -1: all of them, each by its share of the weight.
    largest : int32 array of N
        The branch that categories unknown at the node take: that of missing values, or where these
        take all, the one with the most weight.
    start : int32 array of N + 1
        The children of node i are ``branches[start[i] : start[i + 1]]``.
    branches : int32 array
    table_start : int32 array of N + 1
        The branch of category c at node i is ``branch_of[table_start[i] + c]``; -1: not known.
    branch_of : int32 array
    weight : float64 array of N by classes
        Training weight of each class at each node; of numbers their weight, sum, sum of squares.
    gain : float64 array of N
        Impurity that the split saves, counted by weight.
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
