"""Settings of decision trees for classes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry, PoolMember
from rulewright.data import Counts
from rulewright.errors import InputError
from rulewright.families import Categories, Family, MissingValues, Subsets, Thresholds
from rulewright.kernels import MAX_OPTIMAL_DEPTH, MAX_OPTIMAL_LEAVES
from rulewright.learners.base.certifier import Certifier, certified_cost
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.missing_tests import MISSING_TESTS
from rulewright.learners.base.notices import warn
from rulewright.learners.base.optimality import OPTIMAL, OptimalSettings
from rulewright.learners.base.parameters import read_amount, read_switch
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import ClassWeightSettings, Path, option
from rulewright.learners.tree.growth_settings import GrowthSettings, or_auto, warn_of_time
from rulewright.learners.tree.lazy_search import (
    LazyTree,
    grow_lazily,
    lazy_candidates,
    lazy_entry,
    refuse_unsupported,
    with_holes,
)
from rulewright.learners.tree.optimal_path import OptimalChoice, optimal_path
from rulewright.learners.tree.optimal_search import OptimalTreeSearch
from rulewright.learners.tree.presets import (
    MISSING,
    PRESETS,
    PRUNINGS,
    Preset,
    Splits,
    read_confidence,
    read_criterion,
    read_splits,
)
from rulewright.learners.tree.search import Pruning, best_tree, candidate_trees, tree_path
from rulewright.learners.tree.tree_setup import TreeSetup, tree_families
from rulewright.models import read_penalty

OPTIMAL_SPLITS = ("thresholds", "categories")
OPTIMAL_PRUNINGS = ("auto", "none", "bound")
OPTIMAL_DEPTH = 3
"""Maximum depth of an optimal tree if none is given."""
NO_LEAST_LEAF = (
    "min_weight_fraction_leaf has no effect with search='optimal': a leaf may have any number of "
    "rows. Limit the leaves by max_leaf_nodes or ccp_alpha."
)
COUNTED_FAMILIES = (Thresholds, Categories, Subsets, MissingValues)
"""Families whose predicates are made of values and counts, in any order of the rows."""
MAX_IMPURITY_WEIGHT = 10
MEDIAN, EITHER = MISSING_SIDES = ("median", "either")
IMPURITY, FIRST = TIES = ("impurity", "first")
"""Choices among optimal trees that are equally good; earlier versions took the first."""


def _read_impurity_weight(value: object, name: str) -> float:
    """Number from 0 to the largest weight, with at most two digits after the point."""
    weight = read_amount(value, name)
    if weight > MAX_IMPURITY_WEIGHT or weight != round(weight, 2):
        raise InputError(
            f"{name} must be from 0 to {MAX_IMPURITY_WEIGHT}, with at most two digits after the "
            f"point, got {value!r}."
        )
    return weight


@dataclass(frozen=True, kw_only=True)
class TreeSettings(GrowthSettings, OptimalSettings, ClassWeightSettings):
    """Settings of a decision tree for classes."""

    learner: ClassVar[str] = "tree"
    not_optimal: ClassVar[tuple[str, ...]] = (
        "preset",
        "criterion",
        "confidence",
        "raising",
        "min_samples_split",
        "min_samples_leaf",
        "min_impurity_decrease",
        "max_features",
        "monotonic_cst",
    )
    summary: ClassVar[str] = "Decision tree: CART, C4.5, ID3, or a tree of other parts."
    first: ClassVar[str] = "preset"
    absent_parameters: ClassVar[Mapping[str, Any]] = {"missing_tests": False}
    needs_rows: ClassVar[tuple[str, ...]] = (
        "class_costs",
        "class_weight",
        "polish",
        "search",
        "max_features",
        "monotonic_cst",
        "round_cuts",
        "cuts",
        "max_columns",
        "interactions",
    )
    rounds: ClassVar[tuple[str, str]] = ("level", "max_depth")

    preset: str = option(
        "cart",
        "Parts that are left at auto: cart, c4.5 or id3.",
        choices=tuple(PRESETS),
        details='"cart": Gini impurity, thresholds and sets of categories, missing values to a '
        'learned side. "c4.5": gain ratio, thresholds and one branch for each category, fractional '
        'examples, two examples in a leaf. "id3": information gain, one branch for each category, '
        "no pruning.",
    )
    criterion: Any = option(
        "auto",
        "Criterion of splits: gini, entropy, gain_ratio, normalised_gain, error, or one of "
        "rulewright.criteria.",
        "str or function",
        read=read_criterion,
        details='"entropy" is information gain, "gain_ratio" Quinlan\'s. "normalised_gain" is the '
        "information gain over the entropy of the classes, which makes the same choice as "
        '"entropy". A function ``f(p, n, P, N)`` makes a split as good '
        "as the best rule that one of its branches makes.",
    )
    missing: str = option(
        "auto",
        "Missing values: to a learned side, or fractional, down all branches.",
        choices=("auto", *MISSING),
        details='With "side", being missing can be tested too. With "fractional" (C4.5), the '
        "answer is the class with the largest share, and probabilities are the mixture of the "
        "leaves. Where training shows no missing value, missing values take the larger branch, as "
        "do unknown categories.",
    )
    missing_tests: bool = option(
        True,
        MISSING_TESTS,
        "bool",
        read=read_switch,
        details='They find out where values are missing for a cause. C4.5 has none. With "side" '
        "they are always allowed.",
    )
    pruning: str = option(
        "auto",
        "Pruning: none, bound, cost-complexity, pessimistic or reduced-error.",
        choices=("auto", *PRUNINGS),
        details='"pessimistic" is C4.5\'s, by ``confidence``, with subtree raising. '
        '"cost-complexity" removes what saves less than ``ccp_alpha`` of impurity per leaf. '
        '"bound" keeps the subtree with the best certificate; see ``path_``. "reduced-error" '
        'keeps a third of the examples for control. "auto" is pessimistic for cart and c4.5, '
        "cost-complexity where ``ccp_alpha`` is set, and none for id3.",
    )
    confidence: float = option(
        0.25,
        "C4.5's confidence factor of pessimistic pruning; smaller values prune more.",
        "float",
        read=read_confidence,
        parse=float,
    )
    raising: bool = option(
        True,
        "Allow pruning to put a branch in the place of its parent.",
        "bool",
        read=read_switch,
    )
    impurity_weight: float = option(
        0.0,
        "Weight of the Gini impurity of the leaves in what an optimal tree minimises; 0 is errors "
        "only.",
        "float",
        read=_read_impurity_weight,
        parse=float,
        group=OPTIMAL,
        details="The objective is the training error plus this number times the impurity: the mean "
        "over training cases of that of their leaves. A split whose leaves give the same answer is "
        "left out of the model.",
    )
    ties: str = option(
        IMPURITY,
        "Of optimal trees that are equally good take that of the lowest impurity, or the first.",
        choices=TIES,
        group=OPTIMAL,
        details='"impurity" is the Gini impurity of the leaves; in trees of depth 3 and more it '
        "chooses among their parts of depth two.",
    )
    missing_sides: str = option(
        EITHER,
        "Missing values in an optimal tree: to either side of a split, or with the median.",
        choices=MISSING_SIDES,
        group=OPTIMAL,
        omit_default=True,
        details='"median" has fewer splits to choose from, and may err less on few rows. A missing '
        "number goes where the median of its column goes. A missing category is not the one that "
        'is tested. Whether a value is missing can be tested with both; with "median" and '
        "``missing_tests=False`` no tree tests whether a number is missing.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_optimal()
        if self.optimal:
            self._check_optimal_tree()

    def _check_optimal_tree(self) -> None:
        self.check_optimal_families(self.splits().names, self.family)
        if self.missing == "fractional" or self.pruning not in OPTIMAL_PRUNINGS:
            raise InputError(
                "search='optimal' needs missing='side' and pruning='none' or 'bound', got "
                f"missing={self.missing!r} and pruning={self.pruning!r}."
            )
        for name, most in (
            ("max_depth", MAX_OPTIMAL_DEPTH),
            ("max_leaf_nodes", MAX_OPTIMAL_LEAVES),
        ):
            value = getattr(self, name)
            if value is not None and value > most:
                raise InputError(
                    f"{name} must be at most {most} with search='optimal', got {value}."
                )

    @classmethod
    def absent_values(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        earlier = (
            {"ties": FIRST, "impurity_weight": 0.0} if given.get("search") == "optimal" else {}
        )
        return {**cls.absent_parameters, **earlier}

    @property
    def newer_parameters(self) -> Collection[str]:  # type: ignore[override]
        """Parameters that recipes leave out at their defaults: they have no part in growing."""
        return () if self.optimal else ("ties", "impurity_weight")

    def splits(self) -> Splits:
        if self.optimal and isinstance(self.family, str) and self.family == "auto":
            return read_splits(OPTIMAL_SPLITS, OPTIMAL_SPLITS, self.space_options())
        return super().splits()

    def codes(self) -> tuple[Any, ...]:
        missing = or_auto(self.missing, self.usual().missing)
        return ((self.families(), missing, missing == "side" or bool(self.missing_tests)),)

    def polishing_families(self, sample: Sample) -> tuple[Family, ...]:
        missing = or_auto(self.missing, self.usual().missing)
        table = sample.searched(self.families())
        tests = bool(self.missing_tests)
        families, _ = tree_families(self.families(), table, missing, tests)
        return tuple(f.measured(table, f.scaling_rows(table.rows)) for f in families)

    def polishing_options(self, sample: Sample) -> dict[str, Any]:
        min_leaf = float(or_auto(self.min_samples_leaf, self.usual().min_leaf))
        share = self.min_weight_fraction_leaf * float(self.worth(sample).sum())
        return {**super().polishing_options(sample), "min_leaf": max(min_leaf, share)}

    def sees_row_order(self, sample: Sample) -> bool:
        """Whether more than counts of rows decides, or rows are drawn or named otherwise.

        Counts are exact, and ties between splits are broken by columns and values.
        """
        drawn = self.optimal or self.polish or self._pruning().way in ("bound", "reduced-error")
        summed = or_auto(self.missing, self.usual().missing) == "fractional"
        weighted = self.costs(sample) is not None or not (sample.weight == 1.0).all()
        special = (self.monotonic_cst, self.time_budget, self.max_features)
        if drawn or summed or weighted or any(value is not None for value in special):
            return True
        splits = self.splits()
        known = all(type(family) in COUNTED_FAMILIES for family in splits.families)
        cuts = all(f.cuts == "all" for f in splits.families if isinstance(f, Thresholds))
        _, scoring = read_criterion(self.criterion, "criterion", self.usual().criterion)
        return splits.ranges or not (known and cuts) or scoring is not None

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        return self.find_among(sample, deadline, threads, 1)

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        if self.optimal:
            found = self._optimal_search(sample, Deadline(None), threads)
            return [PoolMember(tree, "optimal tree") for tree in found.trees().values()]
        setup, worth = self.tree_setup(sample, threads), self.worth(sample)
        trees = candidate_trees(sample, setup, worth, self._pruning())
        return [PoolMember(tree, f"tree, {self.preset}") for tree in trees]

    def find_among(self, sample: Sample, deadline: Deadline, threads: int, settings: int) -> Path:
        """Grow and prune; ``settings`` is the number of settings that the data choose from."""
        costs = self.costs(sample)

        def worth(entry: PathEntry) -> float:
            return certified_cost(entry.certificate, costs)

        if self.optimal:
            return self._find_optimal(sample, deadline, threads, settings, worth)
        entries = tree_path(
            sample,
            self.tree_setup(sample, threads),
            self.worth(sample),
            self._pruning(),
            self.delta,
            worth,
            deadline,
            settings,
            costs,
        )
        chosen = best_tree(entries, worth, costs)
        warn_of_time(deadline, entries[chosen].size)
        best = f", the best certificate of {len(entries)}" if len(entries) > 1 else ""
        how = f"tree, {self.preset}, {self._pruning().way} pruning{best}"
        return Path(entries, chosen, how, costs)

    def find_lazily(self, counts: Counts, sample: Sample, deadline: Deadline) -> Path:
        tree, pruning = self._grown_lazily(counts, sample, deadline), self._pruning()
        entry = lazy_entry(tree, sample, pruning, counts.fields)
        warn_of_time(deadline, entry.size)
        return Path([entry], 0, f"tree, {self.preset}, {pruning.way} pruning")

    def candidates_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> list[PoolMember]:
        tree = self._grown_lazily(counts, sample, deadline)
        return lazy_candidates(tree, self._pruning(), f"tree, {self.preset}")

    def _grown_lazily(self, counts: Counts, sample: Sample, deadline: Deadline) -> LazyTree:
        """Grow a tree from counts; settings that need the rows in memory are refused."""
        _, scoring = read_criterion(self.criterion, "criterion", self.usual().criterion)
        refuse_unsupported(self.splits(), scoring, self._pruning().way)
        setup = self.tree_setup(sample, 1)
        setup = with_holes(setup, counts, missing_tests=bool(self.missing_tests))
        return grow_lazily(counts, setup, len(sample.classes), deadline)

    def _optimal_search(
        self, sample: Sample, deadline: Deadline, threads: int
    ) -> OptimalTreeSearch:
        if self.min_weight_fraction_leaf:
            warn(NO_LEAST_LEAF)
        depth = OPTIMAL_DEPTH if self.max_depth is None else self.max_depth
        leaves = min(2**depth, MAX_OPTIMAL_LEAVES)
        return OptimalTreeSearch(
            sample,
            self.worth(sample),
            self.max_cuts,
            self.limits(deadline),
            self.tree_setup(sample, threads),
            depth,
            min(self.max_leaf_nodes or leaves, leaves),
            self.ties == IMPURITY,
            Fraction(repr(float(self.impurity_weight))),
            self.missing_sides == MEDIAN,
            bool(self.missing_tests),
        )

    def _find_optimal(
        self,
        sample: Sample,
        deadline: Deadline,
        threads: int,
        settings: int,
        worth: Callable[[PathEntry], float],
    ) -> Path:
        search = self._optimal_search(sample, deadline, threads)
        count = settings * search.setup.settings
        certifier = Certifier(sample, search.setup.families, self.delta, count)
        choice = OptimalChoice(
            Fraction(read_penalty(self.ccp_alpha)),
            self.pruning == "bound",
            worth,
            self.n_alternatives,
            Fraction(read_penalty(self.max_excess)),
        )
        path = optimal_path(search, certifier, choice, self.costs(sample), deadline)
        warn_of_time(deadline, path.entry.size)
        return path

    def worth(self, sample: Sample) -> NDArray[np.float64]:
        """Value of each example: its weight times the cost of misjudging it."""
        return sample.priced(self.costs(sample))

    def usual(self) -> Preset:
        return PRESETS[self.preset]

    def tree_setup(self, sample: Sample, threads: int) -> TreeSetup:
        """Families, growth options and columns of the tree."""
        criterion, scoring = read_criterion(self.criterion, "criterion", self.usual().criterion)
        missing = or_auto(self.missing, self.usual().missing)
        return self.prepared_setup(
            sample,
            threads,
            criterion=criterion,
            missing=missing,
            missing_tests=bool(self.missing_tests),
            scoring=scoring,
        )

    def _pruning(self) -> Pruning:
        usual = "cost-complexity" if self.ccp_alpha else self.usual().pruning
        return Pruning(
            or_auto(self.pruning, usual), self.ccp_alpha, self.confidence, self.raising, self.seed
        )
