"""One class against those after it, from counts: the same rules as from the rows in memory.

Rules are grown from examples that are fetched, at most about ``max_examples`` of the class and as
many others, drawn by a hash of their keys. Everything else depends on the rows through the rules
that cover them: rows that the same rules cover are counted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.data import (
    MAX_QUERY_TESTS,
    MODULUS,
    CategoricalColumn,
    Column,
    Condition,
    Counts,
    HashRange,
    KeyHash,
    NumericColumn,
    RowPart,
    Table,
)
from rulewright.errors import InputError
from rulewright.families import ABOVE, Family, RuleGrower, Term, Terms, Training, tightest
from rulewright.learners.base.column_constraints import ColumnUse
from rulewright.learners.base.description_length import rule_bits
from rulewright.learners.conjunctive.counted_terms import (
    CountedTerms,
    condition_of,
    number_code,
)
from rulewright.learners.ripper.binary_problem import ROUNDING, description_lengths
from rulewright.learners.ripper.key_division import PRUNING, KeyDraws, growing_limits

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class CountedRuleTerms(CountedTerms):
    """Terms of rules on all rows of a table that answers with counts."""

    @cached_property
    def _distinct(self) -> dict[str, int]:
        others = [c.name for c in self.columns if isinstance(c, NumericColumn)]
        found = self.counts.distinct_values([name for name in others if name not in self.ends])
        return {**found, **{name: ends.size for name, ends in self.ends.items()}}

    def _count(self, number: int) -> int:
        column = self.columns[number]
        if isinstance(column, CategoricalColumn):
            return len(column.categories)
        return self._distinct[column.name]

    @property
    def incomplete(self) -> list[int]:
        rows, missing = int(self.counts.class_counts.sum()), self.counts.missing
        return [n for n, c in enumerate(self.columns) if 0 < missing[c.name] < rows]

    def described(self, column: Column) -> Column:
        """Return a fetched column with values in the place of their groups, if it has groups."""
        ends = self.ends.get(column.name)
        if ends is None or not isinstance(column, NumericColumn):
            return column
        values, there = column.values.copy(), ~column.missing
        values[there] = ends[np.searchsorted(ends, values[there])]
        return replace(column, values=values)

    def lasting(self, term: Term, fetched: Terms) -> Term:
        """Return a term of fetched rows as one of all rows."""
        if term.relation > ABOVE or isinstance(self.columns[term.column], CategoricalColumn):
            return term
        cut = fetched.threshold(term).cut  # type: ignore[attr-defined]
        return term._replace(code=int(number_code(np.array(cut))))

    def conditions(self, terms: Sequence[Term]) -> tuple[Condition, ...]:
        """Conditions of terms, one each."""
        return tuple(condition_of(self.predicate(term)) for term in terms)


@dataclass(frozen=True, eq=False)
class CountedDraft:
    """A rule for the class: its terms in the order of addition, and its length."""

    terms: tuple[Term, ...]
    condition: Condition
    bits: float


@dataclass(frozen=True, eq=False)
class CountedPart:
    """Examples that no rule ``outside`` covers, of those of a problem.

    ``key_hash`` divides them into examples to grow from and, if ``aside``, to prune on.
    """

    outside: tuple[CountedDraft, ...]
    key_hash: KeyHash | None = None
    aside: bool = False


class JointCoverage:
    """Rows of a problem by the rules that cover them, and by class.

    Each line of ``marks`` is a set of rules (columns) that some rows are covered by, each line of
    ``counts`` the numbers of these rows by class.
    """

    def __init__(self, class_counts: Floats) -> None:
        self.marks: Mask = np.zeros((1, 0), np.bool_)
        self.counts = class_counts[np.newaxis]
        self._place: dict[tuple[Term, ...], int] = {}

    def __contains__(self, terms: tuple[Term, ...]) -> bool:
        return terms in self._place

    def covered(self, drafts: Sequence[CountedDraft]) -> Mask:
        """Marks of some rules (columns)."""
        return self.marks[:, [self._place[draft.terms] for draft in drafts]]

    def covered_by(self, terms: tuple[Term, ...]) -> Mask:
        """Which lines the rule of some terms covers."""
        return self.marks[:, self._place[terms]]

    @property
    def rules(self) -> list[tuple[Term, ...]]:
        """Terms of the rules, in the order of the columns."""
        return list(self._place)

    def add(self, terms: tuple[Term, ...], marks: Mask, counts: Floats) -> None:
        """Add a rule: ``marks`` and ``counts`` are of the rows that it covers."""
        lines = {line.tobytes(): place for place, line in enumerate(self.marks)}
        rest = self.counts.copy()
        for line, number in zip(marks, counts, strict=True):
            rest[lines[line.tobytes()]] -= number
        left = rest.any(axis=1)
        new = np.repeat([False, True], [int(left.sum()), counts.shape[0]])
        both = np.concatenate([self.marks[left], marks])
        self.marks = np.column_stack([both, new])
        self.counts = np.concatenate([rest[left], counts])
        self._place[terms] = len(self._place)

    def keep(self, rules: Sequence[tuple[Term, ...]]) -> None:
        """Forget all rules except some."""
        kept = [terms for terms in self._place if terms in set(rules)]
        marks = self.marks[:, [self._place[terms] for terms in kept]]
        if kept:
            self.marks, group = np.unique(marks, axis=0, return_inverse=True)
        else:
            self.marks, group = marks[:1], np.zeros(marks.shape[0], np.intp)
        counts = np.zeros((self.marks.shape[0], self.counts.shape[1]))
        np.add.at(counts, group.ravel(), self.counts)
        self.counts = counts
        self._place = {terms: place for place, terms in enumerate(kept)}


@dataclass(frozen=True, eq=False)
class FetchedGrowth:
    """What growing a rule needs besides its examples; see ``BinaryProblem``."""

    terms: CountedRuleTerms
    families: tuple[Family, ...]
    draws: KeyDraws
    min_weight: float
    max_examples: int
    columns: ColumnUse | None
    threads: int = 1

    @property
    def counts(self) -> Counts:
        """The table that answers with counts."""
        return self.terms.counts

    def grown(
        self,
        part: RowPart,
        own: int,
        shares: Sequence[int],
        tested: Sequence[int],
        relations: Mask | None,
    ) -> tuple[Term, ...]:
        """Grow a rule from the rows of a part; ``tested`` are columns that it tests already.

        Each row of the class, and each other row, stands for a number of rows: its share.
        """
        names = [column.name for column in self.terms.columns]
        rows, labels = self.counts.rows_of(part, names)
        table = Table([self.terms.described(column) for column in rows.columns], rows.rows)
        fetched = Terms(self.families, Training(table, labels, threads=self.threads))
        mine = labels == own
        weight = None if max(shares) <= 1 else np.where(mine, *map(float, shares))
        columns = self.columns
        found = RuleGrower(fetched, np.arange(labels.size)).grown(
            "foil",
            np.arange(labels.size, dtype=np.int32),
            mine,
            weight,
            min_weight=self.min_weight,
            columns=None if columns is None else lambda rule: columns.allowed(rule | set(tested)),
            relations=relations,
        )
        return tuple(self.terms.lasting(term, fetched) for term in found)


class CountedProblem:
    """The rows of a class, and of those that come after it in order, counted where they are.

    Parameters
    ----------
    growth : FetchedGrowth
    own : int
        Number of the class.
    before : rules of the classes before it, which cover none of the rows
    class_counts : rows of each class
    relations : tests of each column that a rule may have, None for all
    """

    def __init__(
        self,
        growth: FetchedGrowth,
        own: int,
        before: Sequence[CountedDraft],
        class_counts: Floats,
        relations: Mask | None = None,
    ) -> None:
        self.growth = growth
        self.own = own
        self.total = self.weigh(class_counts)
        self.coverage = JointCoverage(class_counts)
        self._before = tuple(draft.condition for draft in before)
        self._relations = relations

    def rule_set(self) -> CountedRuleSet:
        """Rule set without rules."""
        return CountedRuleSet(self)

    def weigh(self, class_counts: Floats) -> Floats:
        """Numbers of rows of the class, and of the others; the last axis has the classes."""
        own = class_counts[..., self.own]
        return np.stack([own, class_counts.sum(axis=-1) - own], axis=-1)

    def class_counts(self, rows: CountedPart, first: Sequence[Term] = ()) -> Floats:
        """Rows of each class before their division; those that a rule covers if it has terms."""
        coverage = self.coverage
        out = coverage.covered(rows.outside).any(axis=1)
        if first:
            out |= ~coverage.covered_by(tuple(first))
        found: Floats = coverage.counts[~out].sum(axis=0)
        return found

    def has_own(self, rows: CountedPart) -> bool:
        """Whether some rows have one of the class."""
        return bool(self.class_counts(rows)[self.own] > 0)

    def parted(self, rows: CountedPart) -> tuple[CountedPart, CountedPart]:
        """Rows to grow from and rows to prune on."""
        key_hash = self.growth.draws.next()
        return replace(rows, key_hash=key_hash), replace(rows, key_hash=key_hash, aside=True)

    def grown(self, rows: CountedPart, first: Sequence[Term] = ()) -> tuple[Term, ...]:
        """Grow a rule until it covers no row of another class, by FOIL's gain."""
        growth, first = self.growth, tuple(first)
        right, wrong = self.weigh(self.class_counts(rows, first)).astype(int).tolist()
        divided = rows.key_hash is not None
        key_hash = rows.key_hash or growth.draws.next()
        shares, limits = growing_limits((right, wrong), growth.max_examples, divided=divided)
        if not right:
            return first
        by_class = (limits[number != self.own] for number in range(self.coverage.counts.shape[1]))
        everything = all(limit == (0, MODULUS) for limit in limits)
        drawn = None if everything else HashRange(key_hash, tuple(by_class))
        part = self._part(rows.outside, growth.terms.conditions(first), drawn)
        tested = [term.column for term in first]
        return (*first, *growth.grown(part, self.own, shares, tested, self._relations))

    def prefixes(self, terms: Sequence[Term], rows: CountedPart) -> tuple[Floats, Floats]:
        """Rows that the first 0, 1, ... terms cover: of the class, and of the others."""
        if not terms:
            return np.zeros(1), np.zeros(1)
        assert rows.key_hash is not None
        drawn = HashRange(rows.key_hash, ((0, PRUNING),) * self.coverage.counts.shape[1])
        part = self._part(rows.outside, (), drawn)
        found = self.growth.counts.by_depth(part, [self.growth.terms.conditions(terms)])
        sums = np.zeros((len(terms) + 1, 2))
        np.add.at(sums, found.depth[:, 0], self.weigh(found.counts))
        right, wrong = np.cumsum(sums[::-1], axis=0)[::-1].T
        return right, wrong

    def draft(self, terms: tuple[Term, ...]) -> CountedDraft:
        """Rule with its length in bits; the rows that it covers are counted, and by which rules."""
        draft = self._draft(terms)
        if terms not in self.coverage:
            others = [[self._draft(rule).condition] for rule in self.coverage.rules]
            self._check_size([*self.coverage.rules, terms])
            found = self.growth.counts.by_depth(self._part((), (draft.condition,)), others)
            self.coverage.add(terms, found.depth.astype(np.bool_), found.counts)
        return draft

    def _draft(self, terms: tuple[Term, ...]) -> CountedDraft:
        known = self.growth.terms
        conditions = known.conditions(tightest(terms))
        condition = Condition("all", parts=tuple(p for one in conditions for p in one.parts))
        return CountedDraft(terms, condition, rule_bits(len(conditions), known.tests))

    def keep(self, drafts: Sequence[CountedDraft]) -> None:
        """Put the columns of the rules so far into use, and forget other rules."""
        if self.growth.columns is not None:
            self.growth.columns.add(term.column for draft in drafts for term in draft.terms)
        self.coverage.keep([draft.terms for draft in drafts])

    def _part(
        self,
        outside: Sequence[CountedDraft],
        inside: tuple[Condition, ...],
        drawn: HashRange | None = None,
    ) -> RowPart:
        rules = tuple(draft.condition for draft in outside)
        return RowPart(inside, (*self._before, *rules), drawn)

    def _check_size(self, rules: Sequence[tuple[Term, ...]]) -> None:
        tests = sum(len(one.parts) for one in self._before) + sum(map(len, rules))
        if tests > MAX_QUERY_TESTS:
            raise InputError(
                f"The rules have over {MAX_QUERY_TESTS} tests, which is more than queries can "
                "hold. Learn from a sample: set sample_rows, for example to 100000."
            )


class CountedRuleSet:
    """Rules for the class of a problem whose rows are counted; see ``RuleSet``."""

    def __init__(self, problem: CountedProblem, drafts: Sequence[CountedDraft] = ()) -> None:
        self.problem = problem
        self.drafts = list(drafts)

    def insert(self, place: int, draft: CountedDraft) -> None:
        """Add a rule."""
        self.drafts.insert(place, draft)

    def remove(self, place: int) -> CountedDraft:
        """Remove a rule."""
        return self.drafts.pop(place)

    @property
    def uncovered(self) -> CountedPart:
        """The rows that no rule covers."""
        return CountedPart(tuple(self.drafts))

    def left_of(self, rows: CountedPart) -> CountedPart:
        """Those of some rows that no rule covers."""
        return replace(rows, outside=(*rows.outside, *self.drafts))

    @property
    def length(self) -> float:
        """Number of bits of the rules and of their exceptions."""
        return float(self._lengths(np.zeros((1, 2)), np.zeros(1))[0])

    def lengths(self) -> Floats:
        """Number of bits of the rule set, then those of the rule set without each of the rules."""
        alone = (self._marks & (self._times == 1)[:, np.newaxis]).T.astype(np.float64)
        alone = alone @ self.problem.weigh(self.problem.coverage.counts)
        bits = [draft.bits for draft in self.drafts]
        return self._lengths(np.vstack([np.zeros((1, 2)), alone]), np.array([0.0, *bits]))

    @property
    def _marks(self) -> Mask:
        return self.problem.coverage.covered(self.drafts)

    @property
    def _times(self) -> NDArray[np.intp]:
        """Number of the rules that cover the rows of each line."""
        return np.asarray(self._marks.sum(axis=1))

    def _lengths(self, alone: Floats, bits: Floats) -> Floats:
        """Number of bits without rules that cover ``alone``, and take ``bits``."""
        counts = self.problem.coverage.counts[self._times > 0]
        covered = self.problem.weigh(counts).sum(axis=0)
        every = np.array([draft.bits for draft in self.drafts]).sum()
        own, others = self.problem.total.tolist()
        return description_lengths((own, others), covered - alone, every - bits)

    def simplify(self) -> None:
        """Delete rules that make the description longer, the last first."""
        place = self._superfluous(self.lengths(), len(self.drafts))
        while place is not None:
            self.remove(place)
            place = self._superfluous(self.lengths(), place)

    def simplified_length(self) -> float:
        """Number of bits that ``simplify`` would leave; the rule set stays as it is."""
        shorter = CountedRuleSet(self.problem, self.drafts)
        shorter.simplify()
        return shorter.length

    @staticmethod
    def _superfluous(lengths: Floats, before: int) -> int | None:
        """Last rule before a place without which the description is shorter."""
        places = np.flatnonzero(lengths[1 : before + 1] < lengths[0] - ROUNDING)
        return int(places[-1]) if places.size else None
