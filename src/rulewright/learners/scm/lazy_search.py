"""BuildSCM from counts of rows: the same choices as from the rows in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rulewright.learners.base.counted_models import CountedMachine
from rulewright.learners.base.counted_search import CountedTask
from rulewright.learners.base.progress import report
from rulewright.learners.base.usefulness import Penalty, prefer_fewer_losses, signed_weights
from rulewright.learners.scm.search import COVERAGE, LOSSES
from rulewright.rules import Conjunction, Disjunction, Predicate


def grow_machine_lazily(
    task: CountedTask, kind: str, p: Penalty, max_rules: float, ties: str = COVERAGE
) -> Iterator[CountedMachine]:
    """Cover one class predicate by predicate, the most useful first."""
    arrange = Conjunction if kind == "conjunction" else Disjunction
    # A disjunction covers where the predicate is true, a conjunction where it is false.
    side = kind == "disjunction"
    to_cover = int(side)
    counts = task.counts.class_counts.astype(np.int64)
    covers = np.arange(2) == to_cover
    weight = signed_weights(covers, np.ones(2), p, rows=counts)
    if ties == LOSSES:
        weight = prefer_fewer_losses(weight, rows=counts)
    open_rows = task.every_row()
    parts: list[Predicate] = []
    while len(parts) < max_rules and open_rows.class_counts[to_cover] and not task.deadline.over:
        found = open_rows.heaviest(weight, int(side), side=side)
        if found is None:
            return
        left = open_rows.without(found.predicate, side=side)
        if left.class_counts[to_cover] == open_rows.class_counts[to_cover]:
            return  # Q is empty: nothing covers what remains
        parts.append(found.predicate)
        yield CountedMachine(arrange(tuple(parts), then=1, otherwise=0))
        report(f"{kind}, p = {float(p):.15g}, rules", len(parts), int(min(max_rules, 10**6)))
        open_rows = left
