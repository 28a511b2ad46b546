"""Rule lists from counts of rows: the same choices as from the rows in memory.

The rows that no rule answers yet, and of these the rows that an unfinished rule covers, are counted
by column. Cuts within bins have an upper bound: a rule cannot keep more of its class, nor less of
the others, than at the corner of what a cut within the bin leaves. Only bins that can hold one of
the best terms are counted again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulewright.criteria import Filters
from rulewright.data import CLOSED, Counts, Fork, Route, Table
from rulewright.errors import InputError
from rulewright.families import (
    MAX_VALUES,
    BestRule,
    Conjunctions,
    ConjunctionSearch,
    Extension,
    Family,
    Goal,
    PartialRule,
    Term,
    Training,
)
from rulewright.learners.base.column_counts import ColumnCounts
from rulewright.learners.base.counted_search import MAX_TESTS
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.progress import report
from rulewright.learners.conjunctive.counted_terms import CountedTerms, condition_of
from rulewright.learners.conjunctive.rule_search import Counting, RuleSearch
from rulewright.rules import Predicate, Rule, RuleList, literals_of

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Places = NDArray[np.intp]

FIRST_BINS, MORE_BINS = 16, 256
"""Number of bins that are counted again at first, and in each further query, at least."""
FEWER = 16
"""How many times fewer of the bins that can be counted again are counted at first."""
ROUNDING = 1e-9


def counted_terms(
    counts: Counts, table: Table, families: Sequence[Family], searched: Sequence[str]
) -> CountedTerms:
    """Terms of a table; ``searched`` are the columns that rules may test."""
    training = Training(table, np.empty(0, np.int32))
    numeric = [column.name for column in table.numeric if column.name in searched]
    return CountedTerms(families, training, counts, counts.quantile_ends(numeric, MAX_VALUES))


class CountedRegions:
    """The rows that no rule answers, and parts of them, counted when they are asked for."""

    def __init__(
        self,
        terms: CountedTerms,
        table: Table,
        answered: Sequence[Predicate],
        class_counts: Floats,
        ranges: dict[str, tuple[float, float]],
    ) -> None:
        self.terms = terms
        self.class_counts = class_counts
        self._table = table
        self._answered = tuple(answered)
        self._ranges = ranges
        self._known: dict[frozenset[Term], ColumnCounts] = {}

    def at(self, added: tuple[Term, ...]) -> ColumnCounts:
        """Counts of the open rows that terms cover."""
        place = frozenset(added)
        if place not in self._known:
            class_counts, ranges = self.class_counts, self._ranges
            if added:
                class_counts, ranges = self.covered(added), self.at(added[:-1]).ends
            route = self._route(added)
            self._known[place] = ColumnCounts(
                self.terms.counts, self._table, route, class_counts, ranges
            )
        return self._known[place]

    def covered(self, added: tuple[Term, ...]) -> Floats:
        """Rows of each class that terms cover; those before the last were extended."""
        return self.terms.covered_by(self.at(added[:-1]), added[-1])

    def are_same(self, one: PartialRule, other: PartialRule) -> bool:
        """Whether two rules cover the same rows."""
        if set(one.terms) == set(other.terms):
            return True
        if (self.covered(one.added) != self.covered(other.added)).any():
            return False
        first, second = (
            [condition_of(p) for p in map(self.terms.predicate, rule.terms)]
            for rule in (one, other)
        )
        inner: Route = 0
        for condition in reversed(second):
            inner = Fork("", (condition,), (inner, 1))
        outer = inner
        for condition in reversed(first):
            outer = Fork("", (condition,), (outer, CLOSED))
        return not self.terms.counts.by_node(open_route(self._answered, outer)).get(1, ZERO).any()

    def _route(self, added: tuple[Term, ...]) -> Route:
        found: Route = 0
        for term in reversed(added):
            found = Fork("", (condition_of(self.terms.predicate(term)),), (found, CLOSED))
        return open_route(self._answered, found)


ZERO = np.zeros(1)


def open_route(answered: Sequence[Predicate], rest: Route = 0) -> Route:
    """Route of the rows for which no condition of a rule holds; ``rest`` is what follows."""
    route = rest
    for condition in reversed(answered):
        route = Fork("", (condition_of(condition),), (CLOSED, route))
    return route


class CountedConjunctionSearch(ConjunctionSearch):
    """Conjunctions of the open rows; entries of a goal are the classes of the open rows."""

    def __init__(self, kind: Conjunctions, regions: CountedRegions, filters: Filters) -> None:
        super().__init__(kind, regions.terms)
        self._regions = regions
        # Both are met by a rule only if they are met at the corner of its bin.
        self._rising_filters = Filters(filters.min_precision, filters.min_support)

    def extended(
        self, partial_rule: PartialRule, goal: Goal, best: BestRule, width: int | None
    ) -> list[PartialRule]:
        assert width is not None
        region, terms = self._regions.at(partial_rule.added), self._regions.terms
        terms.show(region)
        truth = np.full(goal.rows.size, partial_rule.needed, np.uint8)
        most = max(FIRST_BINS, region.refined_bins // FEWER)
        while True:
            extension = Extension(self, partial_rule, truth, goal, partial_rule.needed + 1)
            asked = self._open(extension, goal, best, width, most)
            if not asked:
                return extension.partial_rules(best, width)
            region.refine(asked)
            most = max(MORE_BINS, region.refined_bins)

    def _open(
        self, extension: Extension, goal: Goal, best: BestRule, width: int, most: int
    ) -> list[tuple[str, int]]:
        """Bins that can hold a term to add, the most promising ones."""
        bins = self._regions.terms.open_bins(goal.own, extension.allowed)
        corners = bins.corners
        if not corners.p.size:
            return []
        found = extension.candidates(in_order=False)
        scores = extension.scores(found.p, found.n)
        bounds = self._bounds(extension, goal, corners.p, corners.n)
        right = extension.allowed[corners.column, corners.relation] & extension.fits(corners)
        right &= (bounds > -math.inf) & (corners.p > 0)
        to_beat = np.max(scores, where=extension.acceptable(found, scores), initial=best.score)
        P, N = goal.scale
        passes = self._rising_filters.passes(corners.p, corners.n, P, N) & (corners.p > corners.n)
        hopeful = passes & (bounds >= _lowered(float(to_beat)))
        if extension.extendable:
            better = np.sort(scores)[::-1][:width]
            least = float(better[-1]) if better.size == width else -math.inf
            hopeful |= bounds >= _lowered(least)
        places = np.flatnonzero(right & hopeful)
        return bins.at(places[np.argsort(-bounds[places], kind="stable")[:most]])

    @staticmethod
    def _bounds(extension: Extension, goal: Goal, p: Floats, n: Floats) -> Floats:
        """Upper bounds on the scores of cuts; there is none for a criterion of the user."""
        return extension.scores(p, n) if goal.rising else np.full(p.size, math.inf)

    def distinct(
        self, partial_rules: Sequence[PartialRule], goal: Goal, width: int
    ) -> list[PartialRule]:
        kept: list[PartialRule] = []
        for one in sorted(partial_rules, key=lambda d: (-d.score, -d.p, len(d.terms), d.added)):
            if not any(self._regions.are_same(one, other) for other in kept):
                kept.append(one)
            if len(kept) == width:
                break
        return kept


def _lowered(score: float) -> float:
    """Score without what rounding may add to it."""
    return score - ROUNDING * abs(score) if math.isfinite(score) else score


@dataclass(frozen=True, eq=False)
class CountedListSearch:
    """How a list is made from counts; ``rule_search`` has the criterion and what is allowed."""

    counts: Counts
    table: Table
    terms: CountedTerms
    kind: Conjunctions
    rule_search: RuleSearch
    max_rules: float
    abstains: bool
    deadline: Deadline

    def lists(self) -> Iterator[tuple[RuleList, float]]:
        """Lists of all sizes, each with the score of its last rule; the one without rules first."""
        rules: list[Rule] = []
        left, ranges = self.counts.class_counts, dict(self.counts.ranges)
        used = self.rule_search.column_use((), self.table)
        yield self._list(rules, left), 0.0
        while len(rules) < self.max_rules and not self.deadline.over:
            regions = CountedRegions(
                self.terms, self._searched, [rule.condition for rule in rules], left, ranges
            )
            search = CountedConjunctionSearch(self.kind, regions, self.rule_search.filters)
            classes = np.arange(left.size, dtype=np.int32)
            found = replace(self.rule_search, search=search).best(
                left > 0,
                classes,
                lambda _, weight=left: Counting(weight),  # type: ignore[misc]
                lambda rated, _: (rated.score, rated.p),
                self.table,
                used,
            )
            if found is None:
                return
            rules.append(found.rule)
            _check_size(rules)
            if used is not None:
                used.add(self.terms.columns_of(found.rated.terms))
            ranges = regions.at(()).ends
            counted = self.counts.by_node(open_route([rule.condition for rule in rules]))
            left = counted.get(0, np.zeros(left.size))
            report("list, rules", len(rules), int(min(self.max_rules, 10**6)))
            yield self._list(rules, left), found.rated.score

    @property
    def _searched(self) -> Table:
        """Columns that some rule may test."""
        masks = [mask.any(axis=1) for mask in self.rule_search.allowed if mask is not None]
        tested = np.logical_or.reduce(masks)
        names = [name for name, may in zip(self.table.names, tested, strict=True) if not may]
        return self.table.without(names)

    def _list(self, rules: Sequence[Rule], left: Floats) -> RuleList:
        counts = left if left.any() else self.counts.class_counts
        return RuleList(tuple(rules), None if self.abstains else int(counts.argmax()))


def _check_size(rules: Sequence[Rule]) -> None:
    if sum(1 for rule in rules for _ in literals_of(rule)) > MAX_TESTS:
        raise InputError(
            f"The rules have over {MAX_TESTS} tests, which is more than queries can hold. Set "
            "max_rules or max_terms."
        )
