"""Decision trees grown from columns, as arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.tree_arrays import TreeArrays

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Scoring = Callable[[Floats, Floats], Floats]
"""Scores rows of class weights that a branch covers, given those of all; higher is better."""

MAX_ROWS = 2**30 - 1
MAX_CLASSES = 2**16
IMPURITIES = ("error", "entropy", "gini", "variance", "absolute")
CATEGORY_SPLITS = ("none", "single", "subset", "multiway")


class TrainingColumns(NamedTuple):
    """What a tree is grown from: columns of numbers and of codes, the answers, and weights above 0.

    ``answers`` are class numbers (int32) or the numbers to predict (float64). ``directions`` say
    for each numeric column how answers may change as it grows: 1 up, -1 down, 0 either way; of
    classes it is the share of the second that does so. None where all are free. The first
    ``plain`` numeric columns (None: all) are columns of a table; to the others, cuts are all that
    can be done.
    """

    numeric: Sequence[Floats]
    codes: Sequence[Integers]
    categories: Sequence[int]
    answers: NDArray[Any]
    weight: Floats
    classes: int
    directions: NDArray[np.int8] | None = None
    plain: int | None = None


@dataclass(frozen=True)
class GrowthOptions:
    """How a tree grows, and when it stops.

    ``by_ratio`` is C4.5's choice: of the columns whose gain is at least average the one of the
    largest gain ratio; cuts pay for their number, and leave a tenth of a class's share on each
    side. Missing values go down all branches as ``fractional`` examples, or to a side that is
    learned. ``max_leaves`` splits the most useful node first.
    """

    impurity: str = "gini"
    cuts: bool = True
    intervals: bool = False
    categories: str = "subset"
    fractional: bool = False
    by_ratio: bool = False
    max_depth: float = math.inf
    max_leaves: float = math.inf
    min_split: float = 2.0
    min_leaf: float = 1.0
    min_gain: float = 0.0


class Grown(NamedTuple):
    """A tree, and of each node its impurity by weight and its value.

    The value is the mean or median; of classes the share of the second.
    """

    tree: TreeArrays
    impurity: Floats
    value: Floats


def grow_tree(
    training: TrainingColumns,
    options: GrowthOptions,
    *,
    scoring: Scoring | None = None,
    threads: int = 1,
) -> Grown:
    """Grow a tree, the same for any number of threads.

    Of splits with equal gain the first column wins, numeric ones before categorical ones, then the
    lower cut. With a ``scoring`` a split is as good as the best of its branches.

    Examples
    --------
    >>> column = np.array([1.0, 2.0, 4.0, 8.0])
    >>> labels = np.array([0, 0, 1, 1], np.int32)
    >>> training = TrainingColumns([column], [], [], labels, np.ones(4), 2)
    >>> tree = grow_tree(training, GrowthOptions()).tree
    >>> tree.kind.tolist(), float(tree.low[0])
    ([1, 0, 0], 2.0)
    """
    rows = int(training.answers.size)
    if rows > MAX_ROWS:
        raise ValueError(f"{rows} rows are more than the {MAX_ROWS} a tree can number")
    if training.classes > MAX_CLASSES:
        raise ValueError(
            f"{training.classes} classes are more than the {MAX_CLASSES} a tree can tell"
        )
    by_class = training.answers.dtype == np.int32
    none = np.empty(0)
    found = _core.grow(
        list(training.numeric),
        list(training.codes),
        list(training.categories),
        training.answers if by_class else np.empty(0, np.int32),
        none if by_class else np.ascontiguousarray(training.answers, np.float64),
        none if (training.weight == 1.0).all() else training.weight,
        np.empty(0, np.int8) if training.directions is None else training.directions,
        len(training.numeric) if training.plain is None else training.plain,
        training.classes if by_class else 1,
        scoring,
        IMPURITIES.index(options.impurity),
        options.cuts,
        options.intervals,
        CATEGORY_SPLITS.index(options.categories),
        options.fractional,
        options.by_ratio,
        _count(options.max_depth),
        _count(options.max_leaves),
        options.min_split,
        options.min_leaf,
        options.min_gain,
        threads if scoring is None else 1,
    )
    *arrays, sums, gain, impurity, value = found
    tree = TreeArrays._make([*arrays, sums.reshape(gain.size, -1), gain])
    return Grown(tree, impurity, value)


def _count(most: float) -> int:
    return 2**64 - 1 if math.isinf(most) else int(most)
