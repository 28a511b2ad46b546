"""A tree from counts of rows: grow, prune, and count the answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rulewright.certificates import (
    CountedCandidates,
    PathEntry,
    PoolMember,
)
from rulewright.data import Counts, Field, Patterns
from rulewright.errors import InputError, preview
from rulewright.kernels import CUT, LEAF, GrowthResult, TrainingColumns
from rulewright.learners.base.baseline import loses_more
from rulewright.learners.base.counted_models import counted_entry
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.progress import report
from rulewright.learners.base.sample import Sample
from rulewright.learners.tree.counted_growth import CountedGrowth
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
    """A grown tree, what its tests ask, and the rows that they tell apart."""

    setup: TreeSetup
    grown_tree: GrownTree
    cuts: dict[str, np.ndarray]
    categorical: list[str]
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


def refuse_missing(counts: Counts, sample: Sample) -> None:
    """Refuse missing values, whose rows would go down several branches."""
    holes = [c.name for c in sample.searched().columns if counts.missing.get(c.name)]
    if holes:
        raise InputError(
            f"missing='fractional' sends rows with missing values down several branches, which a "
            f"lazy table does not support, and column {preview(holes)} has some. Set "
            "missing='side', or collect the rows first."
        )


def grow_lazily(counts: Counts, setup: TreeSetup, classes: int, deadline: Deadline) -> LazyTree:
    """Grow a tree from counts, and count the rows that its tests tell apart."""
    columns = setup.tree_columns
    grown = CountedGrowth(counts, columns, setup.plan.options, deadline).grow()
    report("pruning", 0, None)
    cuts, categorical = _tests(columns, grown)
    patterns = counts.patterns(cuts, categorical)
    codes = {column.name: column.codes for column in patterns.table.categorical}
    numeric = {column.name: column.values for column in patterns.table.numeric}
    for name in (column.name for column in columns.ordered.values() if column.name in codes):
        numeric[name] = np.where(codes[name] < 0, np.nan, codes[name])
    rows = patterns.rows.size
    training = TrainingColumns(
        [numeric.get(str(name), np.zeros(rows)) for name in columns.numeric],
        [codes.get(column.name, np.zeros(rows, np.int32)) for column in columns.categorical],
        [len(column.categories) for column in columns.categorical],
        patterns.labels,
        patterns.rows,
        classes,
    )
    return LazyTree(setup, GrownTree(columns, training, grown), cuts, categorical, patterns)


def _tests(columns: TreeColumns, grown: GrowthResult) -> tuple[dict[str, np.ndarray], list[str]]:
    """Cuts of the numeric columns and names of the others that a tree tests."""
    tree = grown.tree
    cuts: dict[str, np.ndarray] = {}
    categorical: list[str] = []
    for number in np.unique(tree.column[tree.kind != LEAF]).tolist():
        name = columns.name(number)
        if number < len(columns.numeric) and number not in columns.ordered:
            mine = tree.low[(tree.column == number) & (tree.kind == CUT)]
            cuts[name] = np.unique(mine)
        else:
            categorical.append(name)
    return cuts, categorical


def lazy_candidates(tree: LazyTree, pruning: Pruning, origin: str) -> CountedCandidates:
    """Return the trees within a grown one as candidates of a split certificate."""
    found = trees_within(tree.grown_tree, tree.setup, pruning)
    members = [PoolMember(without_anchors(one), origin) for one in found]
    return CountedCandidates([members], tree.cuts, tree.categorical)


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
