"""Covering: the best rule, then the best rule for the remaining examples, and so on.

Every rule is sought among the examples that no rule answers yet; or, with weighting, among all of
them, those of its class that a rule covers counting less from then on (Lavrač, Kavšek, Flach and
Todorovski 2004, Subgroup discovery with CN2-SD, section 3.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.learners.base.column_constraints import ColumnUse
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.needed_rules import needed_rules
from rulewright.learners.base.progress import report
from rulewright.learners.base.sample import Sample
from rulewright.learners.conjunctive.rule_search import FoundRule, RuleSearch, Scales
from rulewright.rules import Rule, RuleList

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

MAX_AGAIN = 10
"""With weighting, a rule may be the best again; a list ends after this number of repetitions."""


@dataclass(frozen=True, eq=False)
class RuleListSearch:
    """How a list is made: the first rules, the treatment of covered examples, and when to stop.

    ``shrink`` is the factor of the weight of a covered example: 0 removes it, and the examples that
    the rule covers wrongly too. ``worth`` is the value of each example.
    """

    sample: Sample
    worth: Floats
    rule_search: RuleSearch
    shrink: float
    max_rules: float
    abstains: bool
    first: Sequence[Rule] = ()
    deadline: Deadline = field(default_factory=lambda: Deadline(None))

    @cached_property
    def _scales(self) -> Scales:
        return Scales.of(self.worth)

    def lists(self) -> Iterator[tuple[RuleList, float]]:
        """Lists of all sizes, each with the score of its last rule; the one without rules first."""
        rules = list(self.first)
        state = _CoveringState(np.ones(self.sample.y.size, np.bool_), np.ones(self.sample.y.size))
        for rule in rules:
            state.settle(rule.condition.holds(self.sample.table), rule, self)
        yield self._list(rules, state), 0.0
        learnt_before: set[tuple[int, bytes]] = set()
        learnt = again = 0
        used = self.rule_search.column_use(rules, self.sample.table)
        while learnt < self.max_rules and again < MAX_AGAIN and not self.deadline.over:
            found = self._next(state, used)
            if found is None:
                return
            state.settle(found.fires, found.rule, self)
            if (known := (found.output, found.fires.tobytes())) in learnt_before:
                again += 1
                continue
            learnt_before.add(known)
            rules.append(found.rule)
            if used is not None:
                used.add(self.rule_search.search.terms.columns_of(found.rated.terms))
            learnt, again = learnt + 1, 0
            report("list, rules", learnt, int(min(self.max_rules, 10**6)))
            yield self._list(rules, state), found.rated.score

    def shortened(self) -> list[tuple[RuleList, float]]:
        """Lists of growing size, without the rules that change no answer."""
        return shortened_lists(self.lists(), self.sample.table, kept=len(self.first))

    def _next(self, state: _CoveringState, used: ColumnUse | None) -> FoundRule | None:
        sample = self.sample
        rows = np.ones_like(state.unanswered) if self.shrink else state.unanswered
        scales = self._scales
        counting = scales.lessened(state.factor) if self.shrink else scales.counting()
        return self.rule_search.best(
            rows,
            sample.y,
            lambda _: counting,
            lambda rated, _: (rated.score, rated.p),
            sample.table,
            used,
        )

    def _list(self, rules: Sequence[Rule], state: _CoveringState) -> RuleList:
        majority = self.sample.majority(self.worth, state.unanswered)
        return RuleList(tuple(rules), None if self.abstains else majority)


def shortened_lists(
    lists: Iterable[tuple[RuleList, float]], table: Table, kept: int = 0
) -> list[tuple[RuleList, float]]:
    """Lists of growing size, without the rules that change no answer on the rows of a table.

    Each list has the rules of the one before. A list is left out where a later one is as short. The
    first ``kept`` rules stay in any case.
    """
    found: list[tuple[RuleList, float]] = []
    covered: list[Mask] = []
    for body, score in lists:
        covered += [rule.condition.holds(table) for rule in body.listed[len(covered) :]]
        outputs = [rule.output for rule in body.listed]
        default = body.default_rule.output
        needed = needed_rules(covered, outputs, default, table.rows, kept=kept)
        short = RuleList(tuple(body.listed[number] for number in needed), body.default)
        while found and len(found[-1][0].listed) >= len(short.listed):
            found.pop()
        found.append((short, score))
    return found


@dataclass(eq=False)
class _CoveringState:
    """Examples that no rule answers yet, and which part of each still counts."""

    unanswered: Mask
    factor: Floats

    def settle(self, fires: Mask, rule: Rule, covering: RuleListSearch) -> None:
        self.unanswered = self.unanswered & ~fires
        if covering.shrink:
            self.factor[fires & (covering.sample.y == rule.output)] *= covering.shrink
