"""Settings of rules from trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PoolMember
from rulewright.data import Counts
from rulewright.errors import InputError
from rulewright.families import Family, SpaceOptions, Training
from rulewright.learners.base.baseline import loses_more
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.counted_models import counted_entry
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.list_prefixes import list_prefixes
from rulewright.learners.base.missing_tests import MissingTestSettings
from rulewright.learners.base.monotonicity import read_monotonic_cst
from rulewright.learners.base.parameters import read_positive, read_switch, read_whole
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import (
    COMMON,
    ClassWeightSettings,
    Path,
    TimedSettings,
    option,
)
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.growth_settings import fraction_option
from rulewright.learners.tree.lazy_search import with_holes
from rulewright.learners.tree.presets import Splits, read_confidence, read_splits
from rulewright.learners.tree.pruning import pruned_pessimistically
from rulewright.learners.tree.tree_setup import TreeSetup, prepare_tree, tree_families
from rulewright.learners.tree_rules.boosting import Trial, boosted, together
from rulewright.learners.tree_rules.lazy_search import LazyRules, rules_lazily
from rulewright.learners.tree_rules.search import TreeRulesSearch
from rulewright.learners.tree_rules.weighted_examples import WeightedExamples
from rulewright.learners.tree_rules.winnowing import winnowed
from rulewright.models import read_costs
from rulewright.rules import Arrangement, RuleList, RuleVote, Tree


@dataclass(frozen=True, kw_only=True)
class TreeRulesSettings(MissingTestSettings, ClassWeightSettings, TimedSettings):
    """Settings of rules from trees."""

    learner: ClassVar[str] = "tree-rules"
    summary: ClassVar[str] = "C4.5's rules from a tree, or C5.0's boosted rules."
    first: ClassVar[str] = "n_rounds"
    absent_parameters: ClassVar[Mapping[str, Any]] = {"missing_tests": False}
    needs_rows: ClassVar[tuple[str, ...]] = (
        "n_rounds",
        "winnow",
        "class_costs",
        "class_weight",
        "polish",
        "monotonic_cst",
        "round_cuts",
        "cuts",
        "max_columns",
        "interactions",
    )
    rounds: ClassVar[tuple[str, str]] = ("level", "")

    n_rounds: int = option(
        1,
        "Number of boosting rounds; 1 makes a list, more make a vote.",
        "int",
        read=read_whole(1),
        parse=int,
        details="With 1, C4.5's rules: the first rule that holds answers. With more, each round "
        "learns from what earlier ones got wrong, and all rules vote, as in C5.0's boosting: fewer "
        "errors, many more rules.",
    )
    base: str = option(
        "rules",
        "Base classifiers of boosting: rules, or pruned trees.",
        choices=("rules", "trees"),
    )
    winnow: bool = option(
        False,
        "Leave out columns that a tree of half of the cases can do without.",
        "bool",
        read=read_switch,
    )
    class_costs: Any = option(
        None,
        "Cost of misclassifying a case of a class; 1 for other classes.",
        'dict, "balanced" or None',
        repeatable=True,
        group=COMMON,
        details="``{label: cost}``, or ``{(label, answer): cost}`` of answering with another "
        "class, as in C5.0's costs files. Costs weigh the examples while rules are searched for; "
        "leaves and the default then answer with the class of the smallest expected cost.",
    )
    subsets: bool = option(False, "Allow tests for a set of categories.", "bool", read=read_switch)
    confidence: float = option(
        0.25,
        "C4.5's confidence factor of pruning; smaller values make more general rules.",
        "float",
        read=read_confidence,
        parse=float,
    )
    min_samples_leaf: float = option(
        2.0, "Minimum weight of a branch of the tree.", "float", read=read_positive, parse=float
    )
    min_weight_fraction_leaf: float = fraction_option(
        omit_default=True, details="The larger of this and min_samples_leaf counts."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base == "trees" and self.n_rounds == 1:
            raise InputError(
                "base='trees' needs several rounds: set n_rounds, for example to 10. For a single "
                "tree use TreeClassifier(preset='c4.5') (--learner tree --preset c4.5)."
            )

    def polishing_families(self, sample: Sample) -> tuple[Family, ...]:
        families, tests = self._splits().families, bool(self.missing_tests)
        negation = not self.positive_tests
        return tree_families(families, sample.table, "fractional", tests, negation)[0]

    def codes(self) -> tuple[Any, ...]:
        tests = bool(self.missing_tests)
        return ((self._splits().families, bool(self.subsets), self.n_rounds > 1, tests),)

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        search, examples, kept = self._prepared(sample, deadline, threads)
        body = self._body(examples, search)
        setup = search.setup
        certifier = Certifier(
            sample, setup.families, self.delta, setup.settings, combinations=("all",)
        )
        constant = search.constant(examples, vote=self.n_rounds > 1)
        entry = certifier.better(body, constant, search.costs.matrix, len(body.children))
        how = self.describe(len(kept))
        attributes = {"kept_columns_": kept}
        return Path([entry], 0, how, self.costs(sample), attributes=attributes)

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        search, examples, kept = self._prepared(sample, Deadline(None), threads)
        how = self.describe(len(kept))
        if self.n_rounds == 1:
            body = self._list(examples, search)
            return [PoolMember(part, how) for part in list_prefixes(body, sample, examples.worth)]
        trials = self._trials(examples, search)
        numbers = range(len(trials), 0, -1)
        return [PoolMember(self._vote(examples, search, trials[:n]), how) for n in numbers]

    def find_lazily(self, counts: Counts, sample: Sample, deadline: Deadline) -> Path:
        found, search = self._rules_lazily(counts, sample, deadline)
        deadline.warn("the tree stopped growing, or fewer rules were compared.")
        constant = search.constant(found.examples, vote=False)
        entry = counted_entry(
            found.body, found.patterns, sample, counts.fields, len(found.body.children)
        )
        if loses_more(entry.model, None):
            entry = counted_entry(constant, found.patterns, sample, counts.fields, 0)
        kept = sample.searched().names
        how = self.describe(len(kept))
        return Path([entry], 0, how, attributes={"kept_columns_": kept})

    def candidates_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> list[PoolMember]:
        found, _ = self._rules_lazily(counts, sample, deadline)
        how = self.describe(len(sample.searched().names))
        return [PoolMember(body, how) for body in found.prefixes(sample.classes)]

    def _rules_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> tuple[LazyRules, TreeRulesSearch]:
        """Make rules from counts, with the search that made them."""
        setup = self._tree_setup(sample, sample.searched().names, 1)
        setup = with_holes(setup, counts, missing_tests=bool(self.missing_tests))
        costs = read_costs(None, sample.classes)
        search = TreeRulesSearch(setup, costs, float(self.confidence), deadline)
        return rules_lazily(search, counts, sample), search

    def _prepared(
        self, sample: Sample, deadline: Deadline, threads: int
    ) -> tuple[TreeRulesSearch, WeightedExamples, list[str]]:
        """Search, examples, and the columns that are kept."""
        costs = read_costs(self.given_costs(sample), sample.classes)
        kept = sample.searched().names
        if self.winnow:
            grow = partial(self._half_tree, sample, costs.price, threads)
            kept = winnowed(sample, grow, costs.matrix, self.seed, deadline)
        setup = self._tree_setup(sample, kept, threads)
        worth = sample.weight * costs.price[sample.y]
        examples = WeightedExamples(sample.table, sample.y, len(sample.classes), worth)
        search = TreeRulesSearch(setup, costs, float(self.confidence), deadline, threads)
        return search, examples, kept

    def costs(self, sample: Sample) -> tuple[Fraction, ...] | None:
        """Cost of misjudging a case of each class; None where costs depend on the answer."""
        return None if self._by_pair else super().costs(sample)

    @property
    def _by_pair(self) -> bool:
        """Whether costs depend on the answer as well."""
        costs = self.class_costs
        return isinstance(costs, Mapping) and any(isinstance(key, tuple) for key in costs)

    def describe(self, kept: int) -> str:
        """Short description of the learner, with the number of columns that winnowing kept."""
        rounds = f", {self.n_rounds} rounds of {self.base}" if self.n_rounds > 1 else ""
        return f"tree-rules{rounds}{f', {kept} columns kept' if self.winnow else ''}"

    def _body(self, examples: WeightedExamples, search: TreeRulesSearch) -> Arrangement:
        if self.n_rounds == 1:
            body = self._list(examples, search)
            search.deadline.warn("rules were made of the heaviest leaves, or fewer compared.")
            return body
        trials = self._trials(examples, search)
        search.deadline.warn(f"{len(trials)} of {self.n_rounds} rounds were made.")
        return self._vote(examples, search, trials)

    @staticmethod
    def _list(examples: WeightedExamples, search: TreeRulesSearch) -> RuleList:
        ruleset = search.ruleset(examples)
        return RuleList(tuple(rule.rule for rule in ruleset.rules), ruleset.default)

    def _trials(self, examples: WeightedExamples, search: TreeRulesSearch) -> list[Trial]:
        grow = search.tree_trial if self.base == "trees" else search.ruleset_trial
        return boosted(examples, self.n_rounds, grow, search.deadline)

    @staticmethod
    def _vote(
        examples: WeightedExamples, search: TreeRulesSearch, trials: Sequence[Trial]
    ) -> RuleVote:
        found = together(trials, examples.y.size)
        return RuleVote(found.voters, search.default(examples, found.silent))

    def _splits(self) -> Splits:
        """Tests that a split of the tree may use."""
        names = ("thresholds", "subsets" if self.subsets else "multiway")
        splits = read_splits(names, names, SpaceOptions())
        return replace(splits, families=self.constrained(splits.families))

    def _tree_setup(self, sample: Sample, columns: Sequence[str], threads: int) -> TreeSetup:
        table = sample.table.select(columns)
        min_leaf = float(self.min_samples_leaf)
        return prepare_tree(
            Training(table, sample.y, sample.rows, threads),
            self._splits(),
            "gain_ratio",
            "fractional",
            {"min_leaf": min_leaf, "min_split": 2 * min_leaf},
            min_fraction=self.min_weight_fraction_leaf,
            directions=read_monotonic_cst(self.monotonic_cst, sample),
            negation=not self.positive_tests,
            missing_tests=bool(self.missing_tests),
            constraints=self.column_constraints(columns, sample.table.names),
        )

    def _half_tree(
        self,
        sample: Sample,
        price: NDArray[np.float64],
        threads: int,
        columns: Sequence[str],
        weight: NDArray[np.float64],
    ) -> Tree:
        """Grow and prune a tree from the examples that count."""
        setup = self._tree_setup(sample, columns, threads)
        worth, classes = weight * price[sample.y], len(sample.classes)
        rows = np.flatnonzero(weight)
        grown_tree = GrownTree.of(setup.tree_columns, setup.plan, sample.y, worth, classes, rows)
        return grown_tree.tree(pruned_pessimistically(grown_tree, self.confidence, raising=True))
