"""Parameters that trees for classes and for numbers share."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

from rulewright.errors import InputError
from rulewright.families import Family, Training
from rulewright.learners.base.constraint_settings import ConstraintSettings, monotonic_option
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.monotonicity import read_monotonic_cst, tested_directions
from rulewright.learners.base.parameters import (
    is_whole,
    read_amount,
    read_count,
    read_fraction,
    read_positive,
)
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import TimedParameters, option
from rulewright.learners.base.space_settings import SpaceSettings, warn_of_left_out
from rulewright.learners.tree.grown_tree import Scoring
from rulewright.learners.tree.presets import Preset, Splits, read_splits
from rulewright.learners.tree.tree_setup import TreeSetup, prepare_tree

LIMITS = "Limits of growth"


def or_auto(value: Any, usual: Any) -> Any:
    """A value, or the preset's where it is "auto"."""
    return usual if isinstance(value, str) and value == "auto" else value


def _positive_or_auto(value: object, name: str) -> Any:
    return value if isinstance(value, str) and value == "auto" else read_positive(value, name)


def _amount_or_auto(value: object, name: str) -> Any:
    return value if isinstance(value, str) and value == "auto" else read_amount(value, name)


def fraction_option(**about: Any) -> Any:
    """Option of the minimum weight of a branch as a share of all weight."""
    return option(
        0.0,
        "Minimum weight of a branch, as a share of all weight.",
        "float",
        read=read_fraction,
        parse=float,
        **about,
    )


def read_max_features(value: object, name: str) -> Any:
    """Number of columns, share of them, "sqrt", "log2" or None."""
    if value is None or (isinstance(value, str) and value in ("sqrt", "log2")):
        return value
    if is_whole(value) and value >= 1:
        return int(value)
    if isinstance(value, float) and 0 < value <= 1:
        return value
    raise InputError(
        f"{name} must be a whole number from 1, a share above 0 and at most 1, 'sqrt', 'log2' or "
        f"None, got {value!r}."
    )


def parse_max_features(text: str) -> Any:
    """Value of max_features as the command line has it."""
    if text in ("sqrt", "log2"):
        return text
    return float(text) if "." in text else int(text)


def number_of_features(value: Any, columns: int) -> float:
    """Number of columns that a node draws, of all columns.

    Examples
    --------
    >>> [number_of_features(value, 10) for value in (None, "sqrt", "log2", 0.5, 20)]
    [inf, 3, 3, 5, 20]
    """
    if value is None or isinstance(value, int):
        return math.inf if value is None else value
    shares = {"sqrt": math.sqrt(columns), "log2": math.log2(max(columns, 1))}
    return max(int(shares[value] if isinstance(value, str) else value * columns), 1)


def warn_of_time(deadline: Deadline, leaves: int) -> None:
    """Warn where a tree stopped growing at the deadline."""
    deadline.warn(f"the tree has {leaves} {'leaf' if leaves == 1 else 'leaves'}.")


@dataclass(frozen=True, kw_only=True)
class GrowthSettings(ConstraintSettings, SpaceSettings, TimedParameters):
    """Parameters of how a tree grows."""

    family: Any = option(
        "auto",
        "Tests of a split: thresholds, ranges, intervals, multiway, subsets, categories, balls, "
        "half_spaces, half_planes or given.",
        "str, Family, or list of these",
        repeatable=True,
        details='One of "multiway" (a branch for each category), "subsets" (a set of categories) '
        'and "categories" (one category). "ranges" splits a numeric column into several ranges at '
        'once. "half_spaces" are pairs of examples (Hinton & Revow\'s tree), "half_planes" a few '
        "columns together. A Family has options of its own.",
    )
    max_depth: int | None = option(
        None, "Maximum depth.", "int or None", read=read_count, parse=int, group=LIMITS
    )
    max_leaf_nodes: int | None = option(
        None,
        "Maximum number of leaves; the most useful splits come first.",
        "int or None",
        read=read_count,
        parse=int,
        group=LIMITS,
    )
    max_features: Any = option(
        None,
        "Number of columns that a node chooses from at random: a number, a share, sqrt or log2.",
        'int, float, "sqrt", "log2" or None',
        read=read_max_features,
        parse=parse_max_features,
        group=LIMITS,
        omit_default=True,
        details="None for all. If none of them has a split, a node draws more. random_state gives "
        "another draw. Trees of a random forest have it (docs/trees.md).",
    )
    min_samples_split: Any = option(
        "auto",
        "Minimum weight of a node that is split; twice min_samples_leaf by default.",
        'float or "auto"',
        read=_amount_or_auto,
        parse=float,
        group=LIMITS,
    )
    min_samples_leaf: Any = option(
        "auto",
        "Minimum weight of a branch; 1 by default, 2 for c4.5.",
        'float or "auto"',
        read=_positive_or_auto,
        parse=float,
        group=LIMITS,
    )
    min_weight_fraction_leaf: float = fraction_option(
        group=LIMITS,
        omit_default=True,
        details="The larger of this and min_samples_leaf counts. Optimal trees do not have it.",
    )
    min_impurity_decrease: float = option(
        0.0,
        "Minimum impurity that a split saves, as a share of all weight.",
        "float",
        read=read_amount,
        parse=float,
        group=LIMITS,
    )
    ccp_alpha: float = option(
        0.0,
        "Price of a leaf in cost-complexity pruning.",
        "float",
        read=read_amount,
        parse=float,
        details="``cost_complexity_pruning_path`` lists the values that matter.",
    )
    monotonic_cst: Any = monotonic_option(omit_default=False)

    @abstractmethod
    def usual(self) -> Preset:
        """Parts that stand for "auto"."""

    def families(self) -> tuple[Family, ...]:
        return self.splits().families

    def splits(self) -> Splits:
        """Tests that a split may use."""
        splits = read_splits(self.family, self.usual().splits, self.space_options())
        if self.positive_tests and splits.categories == "single":
            raise InputError(
                "positive_tests=True excludes the family 'categories' of a tree: its other branch "
                "is 'is not'. Use 'subsets' or 'multiway' instead."
            )
        return replace(splits, families=self.constrained(splits.families))

    def prepared_setup(
        self,
        sample: Sample,
        threads: int,
        *,
        criterion: str,
        missing: str,
        missing_tests: bool = False,
        scoring: Scoring | None = None,
    ) -> TreeSetup:
        """Families, growth options and columns of the tree."""
        splits = self.splits()
        self.warn_of_unused(splits.families, self.family)
        table = sample.searched(splits.families)
        directions = read_monotonic_cst(self.monotonic_cst, sample)
        setup = prepare_tree(
            Training(
                table,
                sample.y,
                sample.rows,
                threads,
                self.max_candidates,
                self.seed,
                directions=tested_directions(directions, table),
            ),
            splits,
            criterion,
            missing,
            self._limits(),
            min_fraction=self.min_weight_fraction_leaf,
            directions=directions,
            scoring=scoring,
            negation=not self.positive_tests,
            missing_tests=missing_tests,
            constraints=self.column_constraints(table.names, sample.table.names),
        )
        columns = setup.tree_columns
        warn_of_left_out(columns.left_out, len(columns.values), table.rows)
        return self._with_features(setup)

    def _with_features(self, setup: TreeSetup) -> TreeSetup:
        """The same setup, whose nodes choose from some columns."""
        if self.max_features is None:
            return setup
        columns = setup.tree_columns.count
        count = number_of_features(read_max_features(self.max_features, "max_features"), columns)
        options = replace(setup.plan.options, max_features=count, seed=self.seed)
        return replace(setup, plan=replace(setup.plan, options=options))

    def _limits(self) -> dict[str, float]:
        min_leaf = float(or_auto(self.min_samples_leaf, self.usual().min_leaf))
        return {
            "max_depth": self.value("max_depth"),
            "max_leaves": self.value("max_leaf_nodes"),
            "min_leaf": min_leaf,
            "min_split": float(or_auto(self.min_samples_split, 2 * min_leaf)),
            "min_gain": self.min_impurity_decrease,
        }
