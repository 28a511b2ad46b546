"""Rules from a tree that was grown from counts of rows.

Once a tree has grown, everything depends on the rows through the outcomes of its tests and the
class. So each group of rows that these do not tell apart is one example, which weighs as much as
its rows. All sums are whole numbers, so they are those of the rows in memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulewright.certificates import asked_by
from rulewright.data import Counts, Patterns
from rulewright.learners.base.list_prefixes import list_prefixes
from rulewright.learners.base.progress import report
from rulewright.learners.base.sample import Sample
from rulewright.learners.tree.lazy_search import grown_from_counts
from rulewright.learners.tree_rules.search import TreeRulesSearch
from rulewright.learners.tree_rules.selecting import TermBits
from rulewright.learners.tree_rules.weighted_examples import WeightedExamples
from rulewright.models import Label
from rulewright.rules import RuleList, without_anchors


@dataclass(frozen=True, eq=False)
class LazyRules:
    """A list of rules, and the rows that the tests of its tree tell apart."""

    body: RuleList
    examples: WeightedExamples
    patterns: Patterns

    def prefixes(self, classes: tuple[Label, ...]) -> list[RuleList]:
        """The list, then its first rules, ever fewer."""
        rows = self.patterns
        sample = Sample.of(rows.table, rows.labels, classes, weight=rows.rows)
        return list(list_prefixes(self.body, sample, rows.rows))


def rules_lazily(search: TreeRulesSearch, counts: Counts, sample: Sample) -> LazyRules:
    """Grow a tree from counts, and make a list of rules of it."""
    columns = search.setup.tree_columns
    tree = grown_from_counts(counts, search.setup, search.deadline).tree
    report("rows that the tests of the tree tell apart", 0, None)
    paths = search.paths(tree)
    others = [column.name for column in sample.table.categorical]
    cuts, categorical = asked_by(paths.tests, others)
    patterns = counts.patterns(cuts, categorical)
    values = counts.distinct_values([*cuts])
    choices = {name: number - 1 for name, number in values.items()}
    choices |= {column.name: len(column.categories) for column in columns.table.categorical}
    bits = TermBits(len(columns.table.columns) + columns.axes, choices)
    classes = len(sample.classes)
    examples = WeightedExamples(patterns.table, patterns.labels, classes, patterns.rows)
    found = search.arranged_rules(examples, paths, bits)
    body = RuleList(tuple(rule.rule for rule in found.rules), found.default)
    return LazyRules(without_anchors(body), examples, patterns)
