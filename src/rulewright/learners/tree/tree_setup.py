"""What is fixed before a tree grows: its tests, its growth options and its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.families import Family, Training
from rulewright.kernels import GrowthOptions
from rulewright.learners.base.column_constraints import ColumnConstraints
from rulewright.learners.base.missing_tests import with_presence
from rulewright.learners.tree.grown_tree import Plan, Scoring
from rulewright.learners.tree.presets import Splits
from rulewright.learners.tree.tree_columns import TreeColumns


@dataclass(frozen=True, eq=False)
class TreeSetup:
    """The families with their scales, the growth options, and the columns of a tree.

    ``settings`` is the number of sets of families among which the data choose; a certificate pays
    for it.
    """

    families: tuple[Family, ...]
    plan: Plan
    tree_columns: TreeColumns
    settings: int = 1


def prepare_tree(
    training: Training,
    splits: Splits,
    criterion: str,
    missing: str,
    limits: Mapping[str, Any],
    *,
    min_fraction: float = 0.0,
    directions: Mapping[str, int] | None = None,
    scoring: Scoring | None = None,
    negation: bool = True,
    missing_tests: bool = False,
    constraints: ColumnConstraints | None = None,
) -> TreeSetup:
    """Measure the scales of the families, and make the columns that they can test.

    A branch has at least the share ``min_fraction`` of all weight.
    Without ``negation``, no test is "is not missing". With ``missing_tests``, fractional examples
    may be split by whether a value is missing; examples that take a side always may.
    """
    table = training.table
    chosen, settings = tree_families(splits.families, table, missing, missing_tests, negation)
    families = tuple(f.measured(table, f.scaling_rows(table.rows)) for f in chosen)
    tree_columns = TreeColumns.of(
        training,
        families,
        categories=splits.categories,
        negation=negation,
        presence=missing_tests and missing == "fractional",
        cuts=splits.has_cuts,
        ranges=splits.ranges,
    )
    _refuse_nothing(tree_columns, splits, table)
    by_ratio = criterion == "gain_ratio"
    options = GrowthOptions(
        impurity="entropy" if by_ratio else criterion,
        by_ratio=by_ratio,
        cuts=splits.has_cuts,
        intervals="intervals" in splits.names,
        categories=splits.categories,
        fractional=missing == "fractional",
        **limits,
    )
    plan = Plan(
        options, dict(directions or {}), scoring, training.threads, constraints, min_fraction
    )
    return TreeSetup(families, plan, tree_columns, settings)


def tree_families(
    families: tuple[Family, ...],
    table: Table,
    missing: str,
    missing_tests: bool,
    negation: bool = True,
) -> tuple[tuple[Family, ...], int]:
    """Families of a tree, and the number of settings from which the data choose."""
    if missing == "side" or missing_tests:
        return with_presence(families, table, negation=negation)
    return families, 1


def _refuse_nothing(tree_columns: TreeColumns, splits: Splits, table: Table) -> None:
    if not tree_columns.count:
        raise InputError(
            f"The data has no columns for family {', '.join(sorted(splits.names))}: "
            f"{len(table.numeric)} numeric, {len(table.categorical)} categorical. "
            "Use family='auto', which takes every column."
        )
