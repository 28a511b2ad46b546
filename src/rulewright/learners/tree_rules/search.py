"""From examples to a ruleset: grow a tree, make rules of its paths, select and arrange them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import TreeArrays
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.monotonicity import favours
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.pruning import pruned_pessimistically
from rulewright.learners.tree.tree_setup import TreeSetup
from rulewright.learners.tree_rules.arranging import CandidateList, arranged
from rulewright.learners.tree_rules.boosting import Trial
from rulewright.learners.tree_rules.generalising import generalised
from rulewright.learners.tree_rules.paths import Paths, collapsed, paths_of
from rulewright.learners.tree_rules.selecting import TermBits, selected
from rulewright.learners.tree_rules.weighted_examples import (
    Candidate,
    Rows,
    WeightedExamples,
    sums_by_class,
)
from rulewright.models import Costs
from rulewright.rules import Predicate, RuleList, RuleVote, merge_conditions

MARGIN = 1e-9
"""Weight of the frequency among all examples, to break ties among those that no rule covers."""


@dataclass(frozen=True, eq=False)
class TreeRulesSearch:
    """How rulesets and trees are made from weighted examples.

    ``used`` are the columns of the trials so far, where the number of columns is limited.
    """

    setup: TreeSetup
    costs: Costs
    confidence: float
    deadline: Deadline
    threads: int = 1
    used: set[str] = field(default_factory=set)

    def ruleset(self, examples: WeightedExamples, *, every_class: bool = False) -> CandidateList:
        """Rules in order, and the class where none holds; for every class, or as needed."""
        columns = self.setup.tree_columns
        paths = self.paths(self._grown(examples).grown.tree)
        bits = TermBits.of(columns.table, columns.axes)
        return self.arranged_rules(examples, paths, bits, every_class=every_class)

    def paths(self, tree: TreeArrays) -> Paths:
        """Paths of a grown tree, without subtrees that save no errors."""
        paths = paths_of(tree, self.setup.tree_columns, collapsed(tree, self.costs))
        return paths.favouring(self.setup.plan.directions)

    def arranged_rules(
        self, examples: WeightedExamples, paths: Paths, bits: TermBits, *, every_class: bool = False
    ) -> CandidateList:
        """Rules from paths: generalised, selected and put in order."""
        candidates = generalised(examples, paths, self.confidence, self.deadline, self.threads)
        by_class = selected(examples, candidates, bits, self.deadline)
        loss = (examples.worth / self.costs.price[examples.y])[:, np.newaxis]
        return arranged(
            examples,
            by_class,
            loss * self.costs.matrix[examples.y],
            lambda left: self.default(examples, left),
            None if every_class else bits,
        )

    def ruleset_trial(self, examples: WeightedExamples) -> Trial:
        """Ruleset and its answers."""
        ruleset = self.ruleset(examples, every_class=True)
        return self._trial(ruleset, examples)

    def tree_trial(self, examples: WeightedExamples) -> Trial:
        """Rules from the paths of a pruned tree, and their answers."""
        grown_tree = self._grown(examples)
        cutting = pruned_pessimistically(grown_tree, self.confidence, raising=True)
        paths = paths_of(grown_tree.grown.tree, self.setup.tree_columns, cutting)
        rules = []
        for way in paths.conditions:
            terms = merge_conditions(paths.tests[number] for number in way)
            if terms:
                rules += self._leaf(examples, terms)
        default = self.default(examples, np.ones(examples.y.size, np.bool_))
        return self._trial(CandidateList(tuple(rules), default), examples)

    def _trial(self, ruleset: CandidateList, examples: WeightedExamples) -> Trial:
        """Rules with their answers; their columns are in use from now on."""
        terms = (term for rule in ruleset.rules for term in rule.terms)
        self.used.update(column for term in terms for column in term.columns)
        return Trial(ruleset.rules, ruleset.answers(examples.y.size))

    def default(self, examples: WeightedExamples, rows: NDArray[np.bool_]) -> int:
        """Most frequent class of some examples; ties by the frequency among all."""
        sums = sums_by_class(examples.y[rows], examples.worth[rows], examples.classes)
        shares = examples.by_class / examples.by_class.sum()
        return int(self.costs.answers(sums + MARGIN * shares))

    def constant(self, examples: WeightedExamples, *, vote: bool) -> RuleList | RuleVote:
        """Model that answers all examples with the class of the least cost."""
        output = self.default(examples, np.ones(examples.y.size, np.bool_))
        return RuleVote((), output) if vote else RuleList((), output)

    def _leaf(self, examples: WeightedExamples, terms: tuple[Predicate, ...]) -> list[Candidate]:
        """Rule from a path, for the class of the least expected cost at its leaf.

        There is none if no test of the path may stand in a rule for that class.
        """
        rows, sums = self._covered(examples, terms)
        output = int(self.costs.answers(sums))
        directions = self.setup.plan.directions
        if directions:
            terms = tuple(test for test in terms if favours(test, output, directions))
            if not terms:
                return []
            rows, sums = self._covered(examples, terms)
        right, wrong = float(sums[output]), float(sums.sum() - sums[output])
        return [Candidate(terms, output, rows, right, wrong, wrong / max(right + wrong, MARGIN))]

    @staticmethod
    def _covered(
        examples: WeightedExamples, terms: tuple[Predicate, ...]
    ) -> tuple[Rows, NDArray[np.float64]]:
        """Examples on which all tests hold, and their weights by class."""
        rows = examples.covered(terms)
        return rows, sums_by_class(examples.y[rows], examples.worth[rows], examples.classes)

    def _grown(self, examples: WeightedExamples) -> GrownTree:
        setup = self.setup
        return GrownTree.of(
            setup.tree_columns,
            setup.plan,
            examples.y,
            examples.worth,
            examples.classes,
            used=self.used,
        )
