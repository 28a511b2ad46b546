"""Selection of the rules of a class with the shortest description, exceptions included.

J. R. Quinlan (1993), C4.5, section 5.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.description_length import exception_bits
from rulewright.learners.tree_rules.weighted_examples import Candidate, WeightedExamples
from rulewright.rules import Category, Missing, Predicate, Threshold

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]
Places = NDArray[np.intp]

THEORY_WEIGHT = 0.5
"""Weight of a bit of a rule against one of an exception: rules are redundant (C4.5's default)."""
EXACT = 10
"""Number of rules up to which all subsets are tried."""
MANY = 200
"""Number of rules up to which climbing starts from all rules too, and not only from none."""
MIN_STEPS = 50
"""Number of steps that are made whatever the time: the first rules are worth the most."""
NO_LESS = 1e-9
"""Differences of fewer bits count as rounding errors."""


class TermBits:
    """Bits that encode a test: the column, the side, and the value or categories.

    ``columns`` is the number of columns, and ``choices`` the number of cuts or categories of those
    that tests ask.
    """

    def __init__(self, columns: int, choices: Mapping[str, int]) -> None:
        self._columns = math.log2(max(columns, 1))
        self._values = choices

    @classmethod
    def of(cls, table: Table, presence: int = 0) -> TermBits:
        """Bits of the tests of a table.

        ``presence`` is the number of columns whose values a test may find missing; each counts as
        one more column.
        """
        choices = {column.name: _choices(column) for column in table.columns}
        return cls(len(table.columns) + presence, choices)

    def of_test(self, test: Predicate) -> float:
        """Number of bits of a test."""
        match test:
            case Threshold(column):
                return self._columns + 1 + math.log2(max(self._values[column], 1))
            case Category(column, (_,)):
                return self._columns + math.log2(max(self._values[column], 1))
            case Category(column):
                return self._columns + self._values[column]
            case Missing():
                return self._columns + 1
        raise TypeError(f"trees of rules make no {type(test).__name__}")

    def of_rule(self, terms: Sequence[Predicate]) -> float:
        """Number of bits of a rule, less those of the order of its terms, which has no meaning."""
        return sum(map(self.of_test, terms)) - log2_factorial(len(terms))


def _choices(column: NumericColumn | CategoricalColumn) -> int:
    if isinstance(column, CategoricalColumn):
        return len(column.categories)
    return np.unique(column.values[~column.missing]).size - 1


def log2_factorial(count: int) -> float:
    """Binary logarithm of a factorial."""
    return math.lgamma(count + 1) / math.log(2)


@dataclass(frozen=True, eq=False)
class SubsetSelection:
    """Candidate rules of one class.

    ``rows`` are the examples that each rule covers, ``bits`` their lengths; ``own`` are the
    examples of the class, and ``worth`` is the weight of each example.
    """

    rows: tuple[Rows, ...]
    bits: Floats
    own: Mask
    worth: Floats

    @cached_property
    def total(self) -> float:
        """Total weight of the examples."""
        return float(self.worth.sum())

    @cached_property
    def covering(self) -> tuple[Places, Rows]:
        """Where the rules that cover each example begin, and these rules, example by example."""
        sizes = [rows.size for rows in self.rows]
        rule = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        row = np.concatenate(self.rows)
        times = np.bincount(row, minlength=self.own.size)
        return np.append(0, np.cumsum(times)), rule[np.argsort(row, kind="stable")]

    def length(self, chosen: Mask) -> float:
        """Number of bits of some rules and of their exceptions."""
        covered = np.zeros(self.own.size, np.bool_)
        for number in np.flatnonzero(chosen).tolist():
            covered[self.rows[number]] = True
        sums = (
            self.worth[rows].sum() for rows in (covered, covered & ~self.own, self.own & ~covered)
        )
        theory = self._theory(float(self.bits[chosen].sum()), int(chosen.sum()))
        return theory + float(exception_bits(self.total, *sums))

    @staticmethod
    def _theory(bits: float, count: int) -> float:
        return THEORY_WEIGHT * (bits - log2_factorial(count))

    def best(self, deadline: Deadline) -> Mask:
        """Subset of the least length: exact for few rules, else by hill climbing."""
        if self.bits.size <= EXACT:
            return self._exact()
        ends = []
        for start in (False, True) if self.bits.size <= MANY else (False,):
            climb = HillClimber(self, np.full(self.bits.size, start))
            climb.run(deadline)
            ends.append(climb)
            if deadline.over:
                break
        return min(ends, key=lambda climb: climb.length).chosen

    def _exact(self) -> Mask:
        count = self.bits.size
        pattern = np.zeros(self.own.size, np.int64)
        for number, rows in enumerate(self.rows):
            pattern[rows] |= 1 << number
        own = np.bincount(pattern, self.worth * self.own, 1 << count)
        every = np.bincount(pattern, self.worth, 1 << count)
        kinds = np.flatnonzero(every)
        subsets = np.arange(1 << count)
        hits = (subsets[:, np.newaxis] & kinds) != 0
        covered, right = hits @ every[kinds], hits @ own[kinds]
        inside = (subsets[:, np.newaxis] >> np.arange(count)) & 1
        factorials = np.array([log2_factorial(size) for size in range(count + 1)])
        theory = THEORY_WEIGHT * (inside @ self.bits - factorials[inside.sum(axis=1)])
        misses = np.maximum(own.sum() - right, 0)
        lengths = theory + exception_bits(self.total, covered, covered - right, misses)
        chosen: Mask = inside[_first_shortest(lengths)] > 0
        return chosen


def _first_shortest(lengths: Floats) -> int:
    """Place of the least length, the first of those that differ by rounding only."""
    return int(np.flatnonzero(lengths <= lengths.min() + NO_LESS)[0])


class HillClimber:
    """Hill climbing: a subset that is improved by adding or removing one rule at a time.

    It keeps for every rule the weight that it would add, and the weight that only it covers.
    """

    def __init__(self, selection: SubsetSelection, chosen: Mask) -> None:
        self.selection = selection
        self.chosen = chosen.copy()
        self._start, self._rules = selection.covering
        row = np.repeat(np.arange(selection.own.size), np.diff(self._start))
        self._times = np.bincount(row[chosen[self._rules]], minlength=selection.own.size)
        self._new = self._sums(self._times == 0)
        self._lone = self._sums(self._times == 1)
        self._factorials = np.array([log2_factorial(k) for k in range(chosen.size + 2)])
        self._theory = float(selection.bits[chosen].sum())
        worth, own, covered = selection.worth, selection.own, self._times > 0
        self._covered = np.array([worth[covered & own].sum(), worth[covered & ~own].sum()])
        self._own = float(worth[own].sum())
        self.length = selection.length(chosen)

    def run(self, deadline: Deadline) -> None:
        """Take the best step until none shortens the description."""
        steps = 0
        while steps < MIN_STEPS or not deadline.over:
            lengths = self._lengths()
            best = _first_shortest(lengths)
            if lengths[best] >= self.length - NO_LESS:
                return
            self._toggle(best)
            self.length = float(lengths[best])
            steps += 1

    def _lengths(self) -> Floats:
        """Number of bits of the subsets that have one rule more or less."""
        sign = np.where(self.chosen, -1.0, 1.0)
        change = np.where(self.chosen, -self._lone, self._new)
        right, wrong = self._covered[:, np.newaxis] + change
        count = int(self.chosen.sum()) + sign.astype(np.intp)
        theory = THEORY_WEIGHT * (
            self._theory + sign * self.selection.bits - self._factorials[count]
        )
        misses = np.maximum(self._own - right, 0)
        alarms = np.maximum(wrong, 0)
        lengths: Floats = theory + exception_bits(
            self.selection.total, right + wrong, alarms, misses
        )
        return lengths

    def _toggle(self, number: int) -> None:
        out = bool(self.chosen[number])
        rows = self.selection.rows[number]
        before = self._times[rows]
        self._times[rows] = before + (-1 if out else 1)
        self._theory += -self.selection.bits[number] if out else self.selection.bits[number]
        self._covered += -self._lone[:, number] if out else self._new[:, number]
        self.chosen[number] = not out
        sign = 1 if out else -1
        once, other = self._sum_rows(rows[before == (1 if out else 0)]), before == (2 if out else 1)
        self._new += sign * once
        self._lone -= sign * once
        self._lone += sign * self._sum_rows(rows[other])

    def _sums(self, rows: Mask) -> Floats:
        return self._sum_rows(np.flatnonzero(rows))

    def _sum_rows(self, rows: Rows | Places) -> Floats:
        """Weights of some examples for each rule that covers them: of the class, and of others."""
        first, count = self._start[rows], self._start[rows + 1] - self._start[rows]
        ends = np.cumsum(count)
        places = np.arange(count.sum()) + np.repeat(first - (ends - count), count)
        rules, worth = self._rules[places], np.repeat(self.selection.worth[rows], count)
        own = np.repeat(self.selection.own[rows], count)
        size = self.chosen.size
        sums = np.bincount(rules, worth * own, size), np.bincount(rules, worth * ~own, size)
        return np.array(sums, np.float64)  # without examples the sums would be integers


def selected(
    examples: WeightedExamples, candidates: Sequence[Candidate], bits: TermBits, deadline: Deadline
) -> list[list[Candidate]]:
    """Rules chosen for each class separately, the most accurate first."""
    chosen: list[list[Candidate]] = []
    for output in range(examples.classes):
        of_class = [candidate for candidate in candidates if candidate.output == output]
        of_class.sort(key=lambda candidate: candidate.expected)
        if not of_class:
            chosen.append([])
            continue
        selection = SubsetSelection(
            tuple(candidate.rows for candidate in of_class),
            np.array([bits.of_rule(candidate.terms) for candidate in of_class]),
            examples.y == output,
            examples.worth,
        )
        best = selection.best(deadline)
        chosen.append([c for c, wanted in zip(of_class, best, strict=True) if wanted])
    return chosen
