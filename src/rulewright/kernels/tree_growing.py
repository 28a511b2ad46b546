"""Growing of decision trees."""

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
"""Scores of branches from the class weights they cover and those of all rows; higher is better."""

MAX_ROWS = 2**30 - 1
MAX_CLASSES = 2**16
IMPURITIES = ("error", "entropy", "gini", "variance", "absolute")
MAX_SORTED_ROWS = 2**16
"""Rows of a node above which cells are cheaper than sorted columns: a node of one column has up to
51,200 cells."""
CATEGORY_SPLITS = ("none", "single", "subset", "multiway")


class TrainingColumns(NamedTuple):
    """Training data of a tree: columns of numbers and of codes, the targets, and positive weights.

    ``answers`` are class numbers (int32) or the numbers to predict (float64). ``directions`` are
    the monotone constraints of the numeric columns: 1 increasing, -1 decreasing, 0 none; with
    classes they apply to the share of the second class. None means no constraints. The first
    ``plain`` numeric columns (None: all) are columns of a table; the others allow cuts only. The
    codes of the last ``ranges`` columns of codes are ranges of numbers in increasing order: a split
    has a branch for each of some neighbouring ranges together.
    """

    numeric: Sequence[Floats]
    codes: Sequence[Integers]
    categories: Sequence[int]
    answers: NDArray[Any]
    weight: Floats
    classes: int
    directions: NDArray[np.int8] | None = None
    plain: int | None = None
    ranges: int = 0


@dataclass(frozen=True)
class GrowthOptions:
    """Options of growing a tree.

    ``by_ratio`` is the choice of C4.5: among the columns whose gain is at least average, the one
    with the highest gain ratio. Cuts pay for their number, and leave a tenth of a class's share on
    each side. Missing values go down all branches as ``fractional`` examples, or to a side that is
    learned. With ``max_leaves``, the node with the highest gain is split first. Each node draws
    ``max_features`` columns at random, by ``seed``, and then further ones until one has a split.
    Nodes of more than ``max_sorted_rows`` rows find the same splits without sorted columns, where
    there are two classes of unit weights.
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
    max_features: float = math.inf
    seed: int = 0
    max_sorted_rows: int = MAX_SORTED_ROWS


class ColumnLimits(NamedTuple):
    """Columns that a tree may test; columns are numbered numeric ones first.

    ``max_columns`` is the maximum number in the tree: once as many are in use, only these are
    tested. ``max_on_path`` is the maximum from the root to a leaf. ``groups`` has a row of marks
    for each set of columns; those of a path are all in one set. ``used`` marks columns that are in
    use from the beginning.
    """

    max_columns: float = math.inf
    max_on_path: float = math.inf
    groups: NDArray[np.bool_] | None = None
    used: NDArray[np.bool_] | None = None


NO_LIMITS = ColumnLimits()


class GrowthResult(NamedTuple):
    """A tree, with the weighted impurity and the value of each node.

    The value is the mean or median, or with classes the share of the second class. ``stopped``
    tells that time was over while nodes could still be split.
    """

    tree: TreeArrays
    impurity: Floats
    value: Floats
    stopped: bool = False


def grow_tree(
    training: TrainingColumns,
    options: GrowthOptions,
    *,
    scoring: Scoring | None = None,
    threads: int = 1,
    seconds: float = math.inf,
    limits: ColumnLimits = NO_LIMITS,
) -> GrowthResult:
    """Grow a tree. The result does not depend on the number of threads.

    After ``seconds`` growth stops, and the nodes that are still open become leaves. With such a
    limit the node with the highest gain is split first, which changes the order of the nodes but
    not a tree that is finished in time. So it is with a maximum number of columns.

    Ties go to the first column, numeric ones before categorical ones, then to the lower cut. With
    ``scoring``, the score of a split is the highest of its branches.

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
        raise ValueError(f"rows must be at most {MAX_ROWS}, got {rows}")
    if training.classes > MAX_CLASSES:
        raise ValueError(f"classes must be at most {MAX_CLASSES}, got {training.classes}")
    by_class = training.answers.dtype == np.int32
    none = np.empty(0)
    found = _core.grow(
        list(training.numeric),
        list(training.codes),
        list(training.categories),
        training.ranges,
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
        seconds,
        _count(limits.max_columns),
        _count(limits.max_on_path),
        _marks(limits.groups, (0, 0)),
        _marks(limits.used, (0,)),
        _count(options.max_features),
        options.seed,
        options.max_sorted_rows,
    )
    *arrays, sums, gain, impurity, value, stopped = found
    tree = TreeArrays._make([*arrays, sums.reshape(gain.size, -1), gain])
    return GrowthResult(tree, impurity, value, stopped)


def _marks(marks: NDArray[np.bool_] | None, nothing: tuple[int, ...]) -> NDArray[np.uint8]:
    return np.zeros(nothing, np.uint8) if marks is None else np.ascontiguousarray(marks, np.uint8)


def _count(limit: float) -> int:
    return 2**64 - 1 if math.isinf(limit) else int(limit)
