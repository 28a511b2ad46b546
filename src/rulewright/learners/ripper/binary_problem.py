"""One class against those after it: its rules, grown and pruned, and their description length."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.families import RuleGrower, Term, prefixes, tightest
from rulewright.kernels import (
    ClassRows,
    RuleCounts,
    count_marked,
    delete_rules,
    part_rows,
    rows_covered,
)
from rulewright.learners.base.column_constraints import ColumnUse
from rulewright.learners.base.description_length import exception_bits, rule_bits
from rulewright.learners.base.subsampling import Subsampler

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]

PARTS = 3
"""Rules are grown from two thirds of the examples and pruned on the third."""
NOTHING = np.zeros((1, 2))
ROUNDING = 1e-9
"""Differences of fewer bits count as rounding errors."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A rule for the class: its terms in the order of addition, and the examples it covers."""

    terms: tuple[Term, ...]
    covered: Rows = field(repr=False)
    bits: float


@dataclass(frozen=True, eq=False)
class BinaryProblem:
    """The examples of a class, and of those that come after it in order.

    ``rows`` are in increasing order; ``own`` marks the examples of the class, and ``weight`` is the
    weight of each example, None for 1. A rule covers a weight of at least ``min_weight``, and is
    grown from at most about ``max_examples`` examples of the class, and ``max_examples`` others.
    ``columns`` are those in use, if columns are constrained, and ``relations`` the tests of each
    column that a rule may have, None for all.
    """

    grower: RuleGrower
    subsampler: Subsampler
    rows: Rows
    own: Mask
    weight: Floats | None
    min_weight: float = 1.0
    max_examples: int = 2**31
    columns: ColumnUse | None = None
    relations: Mask | None = None

    def weigh(self, rows: Rows) -> tuple[float, float]:
        """Weights of the examples of the class, and of the others, among some."""
        if self.weight is None:
            right = count_marked(rows, self.own)
            return float(right), float(rows.size - right)
        own, weight = self.own[rows], self.weight[rows]
        return float(weight[own].sum()), float(weight[~own].sum())

    def parted(self, rows: Rows) -> tuple[Rows, Rows]:
        """Examples to grow from and examples to prune on, drawn at random class by class."""
        right = count_marked(rows, self.own)
        sizes = right, rows.size - right
        own_draws, other_draws = (self.subsampler.draws(size, PARTS) for size in sizes)
        return part_rows(rows, self.own, own_draws, other_draws, PARTS)

    def grown(self, rows: Rows, first: Sequence[Term] = ()) -> tuple[Term, ...]:
        """Grow a rule until it covers no example of another class, by FOIL's gain."""
        return self.grown_from(
            *self._thinned(self.grower.covered(first, rows) if first else rows), first
        )

    def grown_from(
        self, rows: Rows, weight: Floats | None, first: Sequence[Term]
    ) -> tuple[Term, ...]:
        """Grow a rule from examples that its first terms cover."""
        return self.grower.grown(
            "foil",
            rows,
            self.own,
            weight,
            min_weight=self.min_weight,
            first=first,
            columns=None if self.columns is None else self.columns.allowed,
            relations=self.relations,
        )

    def keep(self, drafts: Sequence[Draft]) -> None:
        """Put the columns of the rules so far into use."""
        if self.columns is not None:
            self.columns.add(term.column for draft in drafts for term in draft.terms)

    def rule_set(self) -> RuleSet:
        """Rule set without rules."""
        return RuleSet(self)

    def has_own(self, rows: Rows) -> bool:
        """Whether some examples have one of the class."""
        return bool(count_marked(rows, self.own))

    def _thinned(self, rows: Rows) -> tuple[Rows, Floats | None]:
        """Subsample of a very large class, and weights by which each example stands for several."""
        if rows.size <= self.max_examples:
            return rows, self.weight
        own = self.own[rows]
        sides = [rows[own], rows[~own]]
        shares = [-(-side.size // self.max_examples) for side in sides]
        if max(shares) <= 1:
            return rows, self.weight
        weight = np.ones(self.own.size) if self.weight is None else self.weight.copy()
        for place, share in enumerate(shares):
            if share > 1:
                sides[place] = self.subsampler.parted(sides[place], share)[1]
                weight[sides[place]] *= share
        return np.sort(np.concatenate(sides)), weight

    def prefixes(self, terms: Sequence[Term], rows: Rows) -> tuple[Floats, Floats]:
        """Weights that the first 0, 1, ... terms cover: of the class, and of the others."""
        weight = None if self.weight is None else self.weight[rows]
        depth = self.grower.depth(terms, rows)
        right, wrong = prefixes(depth, weight, ~self.own[rows], len(terms)).T
        return right, wrong

    def draft(self, terms: tuple[Term, ...]) -> Draft:
        """Rule with the examples that it covers and its length in bits."""
        bits = rule_bits(len(tightest(terms)), self.grower.terms.tests)
        return Draft(terms, self.grower.covered(terms, self.rows), bits)


def description_lengths(total: tuple[float, float], covered: Floats, bits: Floats) -> Floats:
    """Number of bits of rule sets, which take ``bits`` without their exceptions.

    ``total``, and line by line ``covered``, are weights of the class and of the others: of all
    examples, and of those that a rule set covers.
    """
    right, wrong = covered.T
    misses, alarms = np.maximum(total[0] - right, 0), np.maximum(wrong, 0)
    lengths: Floats = bits + exception_bits(sum(total), right + wrong, alarms, misses)
    return lengths


class RuleSet:
    """Rules for the class of a problem, with the weight that each of them covers alone."""

    def __init__(self, problem: BinaryProblem) -> None:
        self.problem = problem
        self.drafts: list[Draft] = []
        self._own, self._others = problem.weigh(problem.rows)
        self._times = np.zeros(problem.own.size, np.int16)
        # Every rule has a number. Where one rule covers an example, the sum of the numbers of all
        # rules that do is the number of that rule.
        self._numbers: list[int] = []
        self._unused: list[int] = []
        self._sum = np.zeros(problem.own.size, np.int32)
        self._alone = np.zeros((0, 2))
        self._bits = np.zeros(0)
        self._covered = np.zeros(2)

    def insert(self, place: int, draft: Draft) -> None:
        """Add a rule."""
        number, times = self._number(), self._times[draft.covered]
        self._alone[number] = self.problem.weigh(draft.covered[times == 0])
        self._covered += self._alone[number]
        self._bits[number] = draft.bits
        self._alone -= self._by_rule(draft.covered[times == 1])
        self._times[draft.covered] += 1
        self._sum[draft.covered] += number
        self.drafts.insert(place, draft)
        self._numbers.insert(place, number)

    def remove(self, place: int) -> Draft:
        """Remove a rule."""
        draft, number = self.drafts.pop(place), self._numbers.pop(place)
        self._sum[draft.covered] -= number
        self._times[draft.covered] -= 1
        self._alone += self._by_rule(self.left_of(draft.covered, times=1))
        self._covered -= self._alone[number]
        self._unused.append(number)
        return draft

    @property
    def uncovered(self) -> Rows:
        """The examples that no rule covers."""
        return self.left_of(self.problem.rows)

    def left_of(self, rows: Rows, times: int = 0) -> Rows:
        """Those of some examples that exactly ``times`` rules cover, none by default."""
        return rows_covered(rows, self._times, times)

    @property
    def length(self) -> float:
        """Number of bits of the rules and of their exceptions."""
        return float(self._lengths(NOTHING, np.zeros(1))[0])

    def lengths(self) -> Floats:
        """Number of bits of the rule set, then those of the rule set without each of the rules."""
        alone = np.vstack([NOTHING, self._alone[self._numbers]])
        return self._lengths(alone, np.append(0.0, self._bits[self._numbers]))

    def _lengths(self, alone: Floats, bits: Floats) -> Floats:
        """Number of bits without rules that cover ``alone``, and take ``bits``."""
        every = self._bits[self._numbers].sum()
        return description_lengths((self._own, self._others), self._covered - alone, every - bits)

    def simplify(self) -> None:
        """Delete rules that make the description longer, the last first."""
        for place in self._delete(RuleCounts(self._times, self._sum, self._alone, self._covered)):
            del self.drafts[place]
            self._unused.append(self._numbers.pop(place))

    def simplified_length(self) -> float:
        """Number of bits that ``simplify`` would leave; the rule set stays as it is."""
        shorter = copy(self)
        shorter._alone, shorter._covered = self._alone.copy(), self._covered.copy()
        counts = RuleCounts(self._times, self._sum, shorter._alone, shorter._covered)
        deleted = set(self._delete(counts, only_weights=True))
        shorter._numbers = [n for place, n in enumerate(self._numbers) if place not in deleted]
        return shorter.length

    def _delete(self, counts: RuleCounts, *, only_weights: bool = False) -> list[int]:
        """Places of rules that make the description longer, the last first, taken out of counts."""
        problem = self.problem
        return delete_rules(
            [draft.covered for draft in self.drafts],
            self._numbers,
            self._bits[self._numbers],
            ClassRows(problem.own, problem.weight, np.array([self._own, self._others])),
            counts,
            ROUNDING,
            only_weights=only_weights,
        )

    def _number(self) -> int:
        """Number that no rule has."""
        if not self._unused:
            size = self._alone.shape[0]
            more = max(size, 8)
            self._unused = list(range(size + more - 1, size - 1, -1))
            self._alone = np.vstack([self._alone, np.zeros((more, 2))])
            self._bits = np.append(self._bits, np.zeros(more))
        return self._unused.pop()

    def _by_rule(self, rows: Rows) -> Floats:
        """Weights of examples that one rule covers, by the number of this rule."""
        weighed = np.zeros_like(self._alone)
        own = self.problem.own[rows]
        for side, part in enumerate((rows[own], rows[~own])):
            weight = None if self.problem.weight is None else self.problem.weight[part]
            weighed[:, side] = np.bincount(self._sum[part], weight, self._alone.shape[0])
        return weighed
