"""A tree from counts of rows: grow, prune, and count the answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry, PoolMember
from rulewright.data import CategoricalColumn, Counts, Field, NumericColumn, Patterns, Table
from rulewright.errors import InputError
from rulewright.families import Axis, MissingValues, Training, every_axis
from rulewright.kernels import CUT, LEAF, GrowthResult, TrainingColumns
from rulewright.learners.base.baseline import loses_more
from rulewright.learners.base.counted_models import counted_entry
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.progress import report
from rulewright.learners.base.sample import Sample
from rulewright.learners.tree.counted_growth import CountedGrowth
from rulewright.learners.tree.fractional_growth import FractionalGrowth
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.presets import Splits
from rulewright.learners.tree.search import Pruning, cutting_of, trees_within
from rulewright.learners.tree.tree_columns import TreeColumns
from rulewright.learners.tree.tree_setup import TreeSetup
from rulewright.rules import Leaf, Tree, without_anchors

LAZY_PRUNINGS = ("none", "cost-complexity", "pessimistic")
LAZY_FAMILIES = {"thresholds", "categories", "subsets"}


@dataclass(frozen=True, eq=False)
class LazyTree:
    """A grown tree, and the rows that its tests tell apart."""

    setup: TreeSetup
    grown_tree: GrownTree
    patterns: Patterns


def refuse_unsupported(splits: Splits, criterion: object, pruning: str) -> None:
    """Refuse settings of a tree that need the rows in memory."""
    reason = None
    if splits.names - LAZY_FAMILIES:
        names = ", ".join(sorted(splits.names - LAZY_FAMILIES))
        reason = f"family: a lazy table supports {', '.join(sorted(LAZY_FAMILIES))}, got {names}"
    elif criterion is not None:
        reason = "criterion: a lazy table supports gini, entropy, gain_ratio and error"
    elif pruning not in LAZY_PRUNINGS:
        reason = f"pruning: a lazy table supports {', '.join(LAZY_PRUNINGS)}, got {pruning}"
    if reason is not None:
        raise InputError(f"{reason}. Collect the rows first, or change the setting.")


def with_holes(setup: TreeSetup, counts: Counts, *, missing_tests: bool) -> TreeSetup:
    """Return the setup with a column for each one that has missing values: whether it has a value.

    As in memory, there are such columns if rows with missing values go down all branches, and
    ``missing_tests`` are allowed.
    """
    columns = setup.tree_columns
    holes = [name for name in columns.table.names if counts.missing.get(name)]
    if not holes or not missing_tests or not setup.plan.options.fractional:
        return setup
    two = np.array([0.0, np.nan])  # the first row has a value, the second has none
    table = Table([NumericColumn(name, two) for name in holes], two.size)
    training = Training(table, np.zeros(two.size, np.int32))
    axes, _ = every_axis([MissingValues()], training, presence=True)
    extended = replace(
        columns,
        numeric=(*columns.numeric, *axes),
        values=(*columns.values, *(axis.values for axis in axes)),
    )
    return replace(setup, tree_columns=extended)


def grown_from_counts(counts: Counts, setup: TreeSetup, deadline: Deadline) -> GrowthResult:
    """Grow a tree from counts."""
    columns, options = setup.tree_columns, setup.plan.options_for(float(counts.class_counts.sum()))
    holes = any(counts.missing.get(name) for name in columns.table.names)
    growth = FractionalGrowth if options.fractional and holes else CountedGrowth
    return growth(counts, columns, options, deadline).grow()


def grow_lazily(counts: Counts, setup: TreeSetup, classes: int, deadline: Deadline) -> LazyTree:
    """Grow a tree from counts, and count the rows that its tests tell apart."""
    columns = setup.tree_columns
    grown = grown_from_counts(counts, setup, deadline)
    report("pruning", 0, None)
    patterns = counts.patterns(*_tests(columns, grown))
    codes = {column.name: column.codes for column in patterns.table.categorical}
    training = TrainingColumns(
        [_numbers(subject, patterns) for subject in columns.numeric],
        [
            codes.get(column.name, np.zeros(patterns.rows.size, np.int32))
            for column in columns.categorical
        ],
        [len(column.categories) for column in columns.categorical],
        patterns.labels,
        patterns.rows,
        classes,
    )
    return LazyTree(setup, GrownTree(columns, training, grown), patterns)


def _numbers(subject: str | Axis, patterns: Patterns) -> NDArray[np.float64]:
    """Numbers of a column of the grower; zeros if no test is about it."""
    name = subject.column if isinstance(subject, Axis) else subject
    if name not in patterns.table.names:
        return np.zeros(patterns.rows.size)
    column = patterns.table.column(name)
    if isinstance(subject, Axis):
        return column.missing.astype(np.float64)
    if isinstance(column, CategoricalColumn):
        return np.where(column.missing, np.nan, column.codes)
    assert isinstance(column, NumericColumn)
    return column.values


def _tests(columns: TreeColumns, grown: GrowthResult) -> tuple[dict[str, np.ndarray], list[str]]:
    """Cuts of the numeric columns and names of the others that a tree tests."""
    tree = grown.tree
    cuts: dict[str, np.ndarray] = {}
    categorical: list[str] = []
    texts = {column.name for column in columns.table.categorical}
    for number in np.unique(tree.column[tree.kind != LEAF]).tolist():
        name = columns.name(number)
        if name in texts:
            categorical.append(name)
            continue
        mine = tree.low[(tree.column == number) & (tree.kind == CUT)]
        if isinstance(columns.numeric[number], Axis):
            mine = np.empty(0)
        cuts[name] = np.unique(np.concatenate([cuts.get(name, np.empty(0)), mine]))
    return cuts, list(dict.fromkeys(categorical))


def lazy_candidates(tree: LazyTree, pruning: Pruning, origin: str) -> list[PoolMember]:
    """Return the trees within a grown one as candidates of a split certificate."""
    found = trees_within(tree.grown_tree, tree.setup, pruning)
    return [PoolMember(without_anchors(one), origin) for one in found]


def lazy_entry(
    tree: LazyTree, sample: Sample, pruning: Pruning, columns: tuple[Field, ...]
) -> PathEntry:
    """Prune a tree, and count the rows that its leaves answer.

    A leaf replaces a tree that loses more than a constant answer. ``columns`` are the fields of the
    model.
    """
    grown_tree = tree.grown_tree
    body = without_anchors(grown_tree.tree(cutting_of(grown_tree, pruning, tree.setup)))
    entry = counted_entry(body, tree.patterns, sample, columns)
    if not loses_more(entry.model, None):
        return entry
    constant = Leaf(int(grown_tree.grown.tree.weight[0].argmax()))
    return counted_entry(Tree((constant,)), tree.patterns, sample, columns)
