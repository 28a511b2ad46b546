"""BuildDLM from counts of rows: the same choices as from the rows in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rulewright.families import Found
from rulewright.learners.base.counted_models import CountedMachine
from rulewright.learners.base.counted_search import CountedTask, OpenRows
from rulewright.learners.base.progress import report
from rulewright.learners.base.usefulness import Penalty, class_weights
from rulewright.learners.dlm.search import COVERAGE, rule_rank
from rulewright.rules import Rule, RuleList


def grow_list_lazily(
    task: CountedTask, penalties: Sequence[Penalty], max_rules: float, ties: str = COVERAGE
) -> Iterator[CountedMachine]:
    """Append rules, the most useful first, for the rows that no earlier rule answers."""
    classes = np.arange(task.classes, dtype=np.int32)
    counts = task.counts.class_counts.astype(np.int64)
    gain, loss = class_weights(classes, np.ones(classes.size), penalties, rows=counts)
    open_rows = task.every_row()
    rules: list[Rule] = []
    while (
        len(rules) < max_rules
        and np.count_nonzero(open_rows.class_counts) > 1
        and not task.deadline.over
    ):
        weights = [np.where(classes == output, gain, -loss) for output in classes]
        best = _best_rule(open_rows, weights, ties)
        if best is None or best[0].gathered == 0:
            return  # the most useful rule covers nothing new of its own class
        found, output = best
        rules.append(Rule(found.predicate, output))
        left = open_rows.class_counts - open_rows.covered(found.predicate)
        default = (
            1 - output if classes.size == 2 else int((left if left.any() else counts).argmax())
        )
        yield CountedMachine(RuleList(tuple(rules), default), idle=default == output)
        report("list, rules", len(rules), int(min(max_rules, 10**6)))
        open_rows = open_rows.without(found.predicate, side=True)


def _best_rule(
    open_rows: OpenRows, weights: Sequence[np.ndarray], ties: str
) -> tuple[Found, int] | None:
    """Take the heaviest rule over all classes; further ties go to the later class."""
    best: tuple[Found, int] | None = None
    for output in reversed(range(len(weights))):
        if not open_rows.class_counts[output]:
            continue
        found = open_rows.heaviest(weights[output], output, side=True)
        if found is None:
            continue
        rank = rule_rank(found.total, found.gathered, ties)
        if best is None or rank > rule_rank(best[0].total, best[0].gathered, ties):
            best = found, output
    return best
