"""Generalisation of rules by dropping conditions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.column_index import check_rows
from rulewright.kernels.tree_pruning import deviations_of

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]


class Generalised(NamedTuple):
    """Conditions that each rule keeps, and the weights that it classifies correctly and wrongly."""

    conditions: list[list[int]]
    right: Floats
    wrong: Floats


def drop_conditions(
    holds: Words,
    own: Words,
    weight: Floats | None,
    rows: int,
    rules: Sequence[Sequence[int]],
    outputs: Sequence[int],
    *,
    confidence: float = 0.25,
    threads: int = 1,
) -> Generalised:
    """Drop conditions of rules while the pessimistic error rate does not rise.

    Quinlan (1987), Generating production rules from decision trees: each step drops the condition
    whose omission gives the lowest rate. Ties go to the one that leaves the most weight, then to
    the first. A rule that covers nothing is the worst. The rate is that of ``pessimistic_errors``.

    Parameters
    ----------
    holds : uint64 array, one row of bits (``packed``) per condition
        Where the condition is true.
    own : uint64 array, one row of bits per class
        Rows of the class. Every row belongs to one class.
    weight : float64 array, or None if every row counts once
    rows : int
    rules : numbers of the conditions of each rule
    outputs : class of each rule
    confidence : float in (0, 0.5]; lower values drop more
    threads : int
        Number of threads. Results do not depend on it.

    Examples
    --------
    >>> from rulewright.kernels import packed
    >>> tests = [packed(np.array(test, np.bool_)) for test in ([1, 1, 1, 0], [1, 0, 1, 0])]
    >>> own = [packed(np.array(rows, np.bool_)) for rows in ([0, 0, 0, 1], [1, 1, 1, 0])]
    >>> drop_conditions(np.array(tests), np.array(own), None, 4, [[0, 1]], [1]).conditions
    [[0]]
    """
    check_rows(rows)
    deviations = deviations_of(confidence)
    start = np.array([0, *accumulate(map(len, rules))], np.int32)
    number = np.fromiter(chain.from_iterable(rules), np.int32, int(start[-1]))
    kept = np.empty(number.size, np.uint8)
    right, wrong = np.empty(len(rules)), np.empty(len(rules))
    _core.drop_conditions(
        holds,
        own,
        np.empty(0) if weight is None else weight,
        rows,
        start,
        number,
        np.array(outputs, np.int32),
        confidence,
        deviations,
        kept,
        right,
        wrong,
        threads,
    )
    ends = zip(start[:-1].tolist(), start[1:].tolist(), strict=True)
    left = [number[a:b][kept[a:b] > 0].tolist() for a, b in ends]
    return Generalised(left, right, wrong)
