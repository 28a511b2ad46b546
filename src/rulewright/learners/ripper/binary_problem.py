"""One class against those after it: its rules, grown and pruned, and their description length."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.families import RuleGrower, Term, prefixes, tightest
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
        own = self.own[rows]
        if self.weight is None:
            right = int(np.count_nonzero(own))
            return float(right), float(own.size - right)
        weight = self.weight[rows]
        return float(weight[own].sum()), float(weight[~own].sum())

    def parted(self, rows: Rows) -> tuple[Rows, Rows]:
        """Examples to grow from and examples to prune on, drawn at random class by class."""
        aside = np.zeros(rows.size, np.bool_)
        own = self.own[rows]
        for side in (own, ~own):
            places = np.flatnonzero(side).astype(np.int32)
            aside[self.subsampler.parted(places, PARTS)[1]] = True
        return rows[~aside], rows[aside]

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
        return bool(self.own[rows].any())

    def _thinned(self, rows: Rows) -> tuple[Rows, Floats | None]:
        """Subsample of a very large class, and weights by which each example stands for several."""
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


def description_lengths(
    total: tuple[float, float], covered: Floats, alone: Floats, bits: Floats
) -> Floats:
    """Number of bits of a rule set, then those of it without each of the rules.

    ``total``, ``covered`` and, line by line, ``alone`` are weights of the class and of the others:
    of all examples, of those that the rules cover, and of those that each rule covers alone.
    ``bits`` are the lengths of the rules.
    """
    right, wrong = (covered - np.vstack([NOTHING, alone])).T
    misses, alarms = np.maximum(total[0] - right, 0), np.maximum(wrong, 0)
    exceptions = exception_bits(total[0] + total[1], right + wrong, alarms, misses)
    lengths: Floats = bits.sum() - np.append(0.0, bits) + exceptions
    return lengths


def superfluous(lengths: Floats, before: int) -> int | None:
    """Last rule before a place without which the description is shorter."""
    places = np.flatnonzero(lengths[1 : before + 1] < lengths[0] - ROUNDING)
    return int(places[-1]) if places.size else None


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

    def copy(self) -> RuleSet:
        """Copy that can be changed on its own."""
        other = copy(self)
        other.drafts, other._numbers = list(self.drafts), list(self._numbers)
        other._unused = list(self._unused)
        other._times, other._sum = self._times.copy(), self._sum.copy()
        other._alone, other._covered = self._alone.copy(), self._covered.copy()
        other._bits = self._bits.copy()
        return other

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
        left: Rows = rows[self._times[rows] == times]
        return left

    @property
    def length(self) -> float:
        """Number of bits of the rules and of their exceptions."""
        return float(self.lengths()[0])

    def lengths(self) -> Floats:
        """Number of bits of the rule set, then those of the rule set without each of the rules."""
        alone, bits = self._alone[self._numbers], self._bits[self._numbers]
        return description_lengths((self._own, self._others), self._covered, alone, bits)

    def simplify(self) -> None:
        """Delete rules that make the description longer, the last first."""
        place = superfluous(self.lengths(), len(self.drafts))
        while place is not None:
            self.remove(place)
            place = superfluous(self.lengths(), place)

    def simplified_length(self) -> float:
        """Number of bits that ``simplify`` would leave; the rule set stays as it is."""
        lengths = self.lengths()
        if superfluous(lengths, len(self.drafts)) is None:
            return float(lengths[0])
        shorter = self.copy()
        shorter.simplify()
        return shorter.length

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
