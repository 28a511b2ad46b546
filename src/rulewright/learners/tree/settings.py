"""Settings of decision trees for classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry, PoolMember
from rulewright.families import Family
from rulewright.learners.base.certifier import certified_cost
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.parameters import read_switch
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import ClassWeightSettings, Path, option
from rulewright.learners.tree.growth_settings import GrowthSettings, or_auto, warn_of_time
from rulewright.learners.tree.presets import (
    MISSING,
    PRESETS,
    PRUNINGS,
    Preset,
    read_confidence,
    read_criterion,
)
from rulewright.learners.tree.search import Pruning, best_tree, candidate_trees, tree_path
from rulewright.learners.tree.tree_setup import TreeSetup, with_presence


@dataclass(frozen=True, kw_only=True)
class TreeSettings(GrowthSettings, ClassWeightSettings):
    """Settings of a decision tree for classes."""

    learner: ClassVar[str] = "tree"
    summary: ClassVar[str] = "Decision tree: CART, C4.5, ID3, or a tree of other parts."
    first: ClassVar[str] = "preset"

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
        "Criterion of splits: gini, entropy, gain_ratio, error, or one of rulewright.criteria.",
        "str or function",
        read=read_criterion,
        details='"entropy" is information gain. A function ``f(p, n, P, N)`` makes a split as good '
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

    def codes(self) -> tuple[Any, ...]:
        return ((self.families(), or_auto(self.missing, self.usual().missing)),)

    def polishing_families(self, sample: Sample) -> tuple[Family, ...]:
        missing = or_auto(self.missing, self.usual().missing)
        table = sample.searched(self.families())
        families, _ = with_presence(self.families(), table, missing)
        return tuple(f.measured(table, f.scaling_rows(table.rows)) for f in families)

    def polishing_options(self, sample: Sample) -> dict[str, Any]:
        min_leaf = float(or_auto(self.min_samples_leaf, self.usual().min_leaf))
        return {**super().polishing_options(sample), "min_leaf": min_leaf}

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        return self.find_among(sample, deadline, threads, 1)

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        setup, worth = self.tree_setup(sample, threads), self.worth(sample)
        trees = candidate_trees(sample, setup, worth, self._pruning())
        return [PoolMember(tree, f"tree, {self.preset}") for tree in trees]

    def find_among(self, sample: Sample, deadline: Deadline, threads: int, settings: int) -> Path:
        """Grow and prune; ``settings`` is the number of settings that the data choose from."""
        costs = self.costs(sample)

        def worth(entry: PathEntry) -> float:
            return certified_cost(entry.certificate, costs)

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
            sample, threads, criterion=criterion, missing=missing, scoring=scoring
        )

    def _pruning(self) -> Pruning:
        usual = "cost-complexity" if self.ccp_alpha else self.usual().pruning
        return Pruning(
            or_auto(self.pruning, usual), self.ccp_alpha, self.confidence, self.raising, self.seed
        )
