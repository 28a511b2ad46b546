"""A list of rules, and the rows by the rules that cover them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry
from rulewright.data import Field, RowPart
from rulewright.families import tightest
from rulewright.learners.base.counted_models import entry_of
from rulewright.learners.base.needed_rules import needed_rules
from rulewright.learners.base.sample import Sample
from rulewright.learners.ripper.counted_problem import CountedDraft, CountedRuleTerms
from rulewright.rules import AllOf, Rule, RuleList, without_anchors

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CountedList:
    """A list, and rows by class (columns of ``counts``) and by the rules that cover them.

    Each line of ``marks`` is a set of rules (columns) that cover some rows.
    """

    body: RuleList
    marks: Mask
    counts: Floats

    def prefixes(self) -> Iterator[RuleList]:
        """Yield the list, then its first rules, ever fewer; see ``list_prefixes``."""
        yield self.body
        for size in range(len(self.body.listed) - 1, 0, -1):
            left = self.counts[~self.marks[:, :size].any(axis=1)]
            rows = left if left.any() else self.counts
            yield RuleList(self.body.listed[:size], int(rows.sum(axis=0).argmax()))

    def entry(self, sample: Sample, columns: tuple[Field, ...]) -> PathEntry:
        """Entry of a path, with the rows that each rule answers."""
        rules = len(self.body.listed)
        answers = np.where(self.marks.any(axis=1), self.marks.argmax(axis=1) if rules else 0, rules)
        evidence = np.zeros((rules + 1, self.counts.shape[1]))
        np.add.at(evidence, answers, self.counts)
        return entry_of(self.body, evidence, sample, columns, rules)


def counted_list(
    drafts: Sequence[tuple[CountedDraft, int]], terms: CountedRuleTerms, default: int
) -> CountedList:
    """Count the rows of rules with their classes, and list the rules that change an answer."""
    if not drafts:
        every = terms.counts.class_counts[np.newaxis]
        return CountedList(RuleList((), default), np.zeros((1, 0), np.bool_), every)
    found = terms.counts.by_depth(RowPart(), [[draft.condition] for draft, _ in drafts])
    marks = found.depth.astype(np.bool_)
    outputs = [output for _, output in drafts]
    needed = needed_rules(list(marks.T), outputs, default, marks.shape[0])
    rules = []
    for number in needed:
        draft, output = drafts[number]
        predicates = terms.predicates(tightest(draft.terms))
        condition = predicates[0] if len(predicates) == 1 else AllOf(predicates)
        rules.append(Rule(condition, output))
    return CountedList(RuleList(tuple(rules), default), marks[:, needed], found.counts)


def list_of_rows(body: RuleList, sample: Sample) -> CountedList:
    """Count the rows of a sample by the first rule that covers them."""
    lines, classes = len(body.listed) + 1, len(sample.classes)
    places = body.answer(sample.table).astype(np.intp) * classes + sample.y
    counts = np.bincount(places, minlength=lines * classes).reshape(lines, classes)
    marks = np.eye(lines, lines - 1, dtype=np.bool_)
    return CountedList(without_anchors(body), marks, counts.astype(np.float64))
