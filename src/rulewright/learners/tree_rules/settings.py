"""What rules from trees can be told, as users write it, and the search that follows.

Without scikit-learn, which the command line does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError
from rulewright.families import SpaceOptions, Training
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.parameters import read_delta, read_number, read_seed, read_switch
from rulewright.learners.base.sample import Sample
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.layout import Layout, lay_out
from rulewright.learners.tree.presets import read_amount, read_splits
from rulewright.learners.tree.pruning import pruned_pessimistically
from rulewright.learners.tree_rules.boosting import boosted
from rulewright.learners.tree_rules.costs import read_costs
from rulewright.learners.tree_rules.covering import Examples
from rulewright.learners.tree_rules.search import Making
from rulewright.learners.tree_rules.winnowing import winnowed
from rulewright.models import PathEntry
from rulewright.rules import Arrangement, RuleList, RuleVote, Tree

BASES = ("rules", "trees")


@dataclass(frozen=True, eq=False)
class Learnt:
    """The model, and the columns that rules could test."""

    entry: PathEntry
    kept: list[str]


@dataclass(frozen=True)
class Settings:
    """The parameters; see ``TreeRulesClassifier``."""

    trials: int = 1
    base: str = "rules"
    winnow: bool = False
    subsets: bool = False
    confidence: float = 0.25
    min_leaf: float = 2.0
    costs: Any = None
    time_budget: float | None = None
    delta: float = 0.05
    random_state: Any = None
    threads: int = 1

    def learn(self, sample: Sample) -> Learnt:
        """Learn rules, and certify them."""
        deadline = Deadline(self.time_budget)
        self._check()
        costs = read_costs(self.costs, sample.classes)
        kept = sample.searched().names
        if self.winnow:
            grow = partial(self._half_tree, sample, costs.price)
            kept = winnowed(sample, grow, costs.matrix, read_seed(self.random_state), deadline)
        layout = self._layout(sample, kept)
        worth = sample.weight * costs.price[sample.y]
        examples = Examples(sample.table, sample.y, len(sample.classes), worth)
        making = Making(layout, costs, float(self.confidence), deadline, self.threads)
        body = self._body(examples, making)
        certifier = Certifier(
            sample, layout.families, read_delta(self.delta), combinations=("all",)
        )
        constant = making.constant(examples, vote=self.trials > 1)
        return Learnt(certifier.better(body, constant, costs.matrix, len(body.children)), kept)

    def _body(self, examples: Examples, making: Making) -> Arrangement:
        deadline = making.deadline
        if self.trials == 1:
            listed = making.ruleset(examples)
            deadline.warn("rules were made of the heaviest leaves, or fewer subsets compared.")
            return RuleList(tuple(rule.rule for rule in listed.rules), listed.default)
        grow = making.tree_trial if self.base == "trees" else making.ruleset_trial
        found = boosted(examples, self.trials, grow, deadline)
        deadline.warn(f"{found.trials} of {self.trials} trials were made.")
        return RuleVote(found.voters, making.default(examples, found.silent))

    def _layout(self, sample: Sample, columns: Sequence[str]) -> Layout:
        splits = ("thresholds", "subsets" if self.subsets else "multiway")
        table = sample.table.select(columns)
        min_leaf = read_amount(self.min_leaf, "min_leaf", above=True)
        return lay_out(
            Training(table, sample.y, sample.rows, self.threads),
            read_splits(splits, splits, SpaceOptions()),
            "gain_ratio",
            "fractional",
            {"min_leaf": min_leaf, "min_split": 2 * min_leaf},
        )

    def _half_tree(
        self,
        sample: Sample,
        price: NDArray[np.float64],
        columns: Sequence[str],
        weight: NDArray[np.float64],
    ) -> Tree:
        """Grow and prune a tree from the examples that count."""
        layout = self._layout(sample, columns)
        worth, classes = weight * price[sample.y], len(sample.classes)
        rows = np.flatnonzero(weight)
        grown_tree = GrownTree.of(layout.tree_columns, layout.plan, sample.y, worth, classes, rows)
        return grown_tree.tree(pruned_pessimistically(grown_tree, self.confidence, raising=True))

    def _check(self) -> None:
        read_number(self.trials, "trials", 1)
        if not (isinstance(self.base, str) and self.base in BASES):
            raise InputError(f"base must be 'rules' or 'trees'; found {self.base!r}.")
        if self.base == "trees" and self.trials == 1:
            raise InputError(
                "base='trees' is what several trials vote with: set trials, 10 say. For a single "
                "tree use TreeClassifier(preset='c4.5')."
            )
        for name in ("winnow", "subsets"):
            read_switch(getattr(self, name), name)
        if not read_amount(self.confidence, "confidence", above=True) <= 0.5:
            raise InputError(
                f"confidence must be above 0 and at most 0.5; found {self.confidence}."
            )
