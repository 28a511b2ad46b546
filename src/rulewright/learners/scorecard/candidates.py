"""Candidate conditions of a scorecard: columns in few codes, and the terms that test them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Column, NumericColumn, Table
from rulewright.families import ABOVE, AT_MOST, IS, IS_NOT, MISSING, PRESENT, CutMaker, Thresholds
from rulewright.kernels import MAX_CODE, ScoreTerms, thread_map
from rulewright.learners.scorecard.given_lines import GivenLine
from rulewright.rules import Category, Missing, Predicate

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Mask = NDArray[np.bool_]

MAX_PAIRED_CUTS = 7
"""Maximum number of cuts of a column in conditions of two terms."""
MAX_PAIRED_CATEGORIES = 8
"""Maximum number of categories of a column in conditions of two terms."""
MAX_EXCLUDED = 12
"""Maximum number of categories of a column for which a term may exclude one."""


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column in codes: 0 for missing values, then bins of numbers, or categories.

    ``cuts`` are the largest values of the bins but the last; those marked ``coarse`` are searched,
    and the others refine them. ``categories`` are those with codes of their own. ``given`` is the
    user's condition whose truth is the column: codes 1 and 2.
    """

    column: Column
    codes: Codes
    cuts: Floats
    categories: tuple[str, ...]
    coarse: Mask
    given: Predicate | None = None

    @cached_property
    def has_missing(self) -> bool:
        """Whether a value is missing."""
        return bool((self.codes == 0).any())

    @property
    def is_numeric(self) -> bool:
        """Whether the column is tested by order."""
        return isinstance(self.column, NumericColumn)

    @property
    def parts(self) -> int:
        """Number of codes besides that of missing values."""
        return self.cuts.size + 1 if self.is_numeric else len(self.categories)


def coded_column(column: Column, weight: Floats, max_bins: int, maker: CutMaker) -> CodedColumn:
    """Code a column: numbers in bins of about equal weight, at most ``MAX_CODE`` of them.

    Bins end where ``maker`` allows cuts. At most ``max_bins`` wider bins of about equal weight
    begin at coarse cuts.
    """
    if isinstance(column, CategoricalColumn):
        return _coded_categories(column, weight)
    values = maker.searched(column)
    there = ~np.isnan(values)
    known, rank = np.unique(values[there] + 0.0, return_inverse=True)
    upto = np.cumsum(np.bincount(rank, weight[there], known.size).astype(np.float64))
    coarse = _ends(upto, max_bins)
    ends = coarse | _ends(upto, MAX_CODE - max_bins)
    codes = np.zeros(values.size, np.uint8)
    codes[there] = (np.cumsum(ends) - ends)[rank] + 1
    return CodedColumn(column, codes, known[ends][:-1], (), coarse[ends][:-1])


def _ends(upto: Floats, bins: int) -> Mask:
    """Mark the values that end bins of about equal weight; ``upto`` are cumulative weights.

    The bin of a value is that of the middle of its weight.
    """
    if upto.size <= bins:
        return np.ones(upto.size, np.bool_)
    middle = (upto + np.append(0.0, upto[:-1])) / 2
    group = np.floor(middle * (bins / upto[-1]))
    return np.append(group[1:] != group[:-1], True)


def _coded_categories(column: CategoricalColumn, weight: Floats) -> CodedColumn:
    """Code the most frequent categories; the others share the last code, which has no terms."""
    sums = np.bincount(column.codes + 1, weight, len(column.categories) + 1)[1:]
    frequent = np.argsort(-sums, kind="stable")[: MAX_CODE - 1]
    frequent = np.sort(frequent[sums[frequent] > 0])
    code = np.full(len(column.categories) + 1, frequent.size + 1, np.uint8)
    code[0] = 0
    code[frequent + 1] = np.arange(1, frequent.size + 1)
    names = tuple(column.categories[number] for number in frequent.tolist())
    return CodedColumn(column, code[column.codes + 1], np.empty(0), names, np.empty(0, np.bool_))


def given_column(condition: Predicate, table: Table) -> CodedColumn:
    """Code the truth of a condition that a user wrote."""
    holds = condition.holds(table)
    categories = ("false", "true")
    column = CategoricalColumn("", "boolean", holds.astype(np.int32), categories)
    none = np.empty(0)
    return CodedColumn(
        column, holds.astype(np.uint8) + 1, none, categories, none.astype(np.bool_), condition
    )


class CodedTerm(NamedTuple):
    """A test of a coded column, and the sign that its points must have, 0 for any."""

    column: int
    relation: int
    code: int
    sign: int
    paired: bool
    fine: bool = False


@dataclass(frozen=True, eq=False)
class Candidates:
    """Coded columns and the terms that conditions may consist of.

    The terms of the user's conditions come first.
    """

    columns: Sequence[CodedColumn]
    terms: Sequence[CodedTerm]
    maker: CutMaker

    def within(self, columns: Set[str]) -> Candidates:
        """Only the terms that test some columns, and the user's conditions."""
        terms = [
            term
            for term in self.terms
            if self.columns[term.column].given is not None
            or self.columns[term.column].column.name in columns
        ]
        return replace(self, terms=terms)

    def joined(self, lines: Sequence[GivenLine], table: Table) -> Candidates:
        """Put the conditions of a user before the other terms."""
        columns = [given_column(line.condition, table) for line in lines]
        start = len(self.columns)
        terms = [
            CodedTerm(start + number, IS, 2, line.sign, False) for number, line in enumerate(lines)
        ]
        return replace(self, columns=[*self.columns, *columns], terms=[*terms, *self.terms])

    def columns_of(self, conditions: Iterable[tuple[int, int]]) -> set[str]:
        """Names of the columns that some conditions test."""
        terms = (self.terms[t] for condition in conditions for t in condition if t >= 0)
        return {name for term in terms for name in self.names_of(self.columns[term.column])}

    @staticmethod
    def names_of(column: CodedColumn) -> tuple[str, ...]:
        """Name of a column, or the names of those that a user's condition tests."""
        return (column.column.name,) if column.given is None else tuple(column.given.columns)

    @cached_property
    def codes(self) -> Codes:
        """Codes of all columns, one line each."""
        return np.array([column.codes for column in self.columns], np.uint8)

    @cached_property
    def arrays(self) -> ScoreTerms:
        """The terms as the kernel has them."""
        numbers = np.array(self.terms, np.int32).reshape(-1, 6).T
        column, relation, code, sign, *marks = (np.ascontiguousarray(line) for line in numbers)
        paired, fine = (mark.astype(np.bool_) for mark in marks)
        return ScoreTerms(column, relation, code, sign, paired, fine)

    def take(self, rows: NDArray[np.intp]) -> Codes:
        """Codes of some rows."""
        return np.ascontiguousarray(self.codes[:, rows])

    def holds(self, condition: tuple[int, int]) -> Mask:
        """Rows on which a condition holds."""
        first, *second = (self._holds(self.terms[t]) for t in condition if t >= 0)
        return first & second[0] if second else first

    def _holds(self, term: CodedTerm) -> Mask:
        codes: Codes = self.codes[term.column]
        truths: dict[int, Callable[[], Mask]] = {
            AT_MOST: lambda: (codes > 0) & (codes <= term.code),
            ABOVE: lambda: codes > term.code,
            IS: lambda: codes == term.code,
            IS_NOT: lambda: (codes > 0) & (codes != term.code),
            MISSING: lambda: codes == 0,
            PRESENT: lambda: codes > 0,
        }
        return truths[term.relation]()

    def predicate(self, term: CodedTerm) -> Predicate:
        """Predicate of a term; its cut is the value of the first row that has it."""
        coded = self.columns[term.column]
        if coded.given is not None:
            return coded.given
        column = coded.column
        if term.relation > IS_NOT:
            return Missing(column.name, term.relation == MISSING)
        if isinstance(column, CategoricalColumn):
            return Category(column.name, (coded.categories[term.code - 1],), term.relation == IS)
        cut = float(coded.cuts[term.code - 1])
        return self.maker.predicate(column.name, cut, above=term.relation == ABOVE)


@dataclass(frozen=True)
class TermOptions:
    """Which terms there are: by family, with directions of columns, or with points above 0 only.

    ``thresholds`` has the cuts that are allowed. ``negation``: whether terms may exclude a
    category, or ask that a value is not missing. ``both``: whether both sides of a cut are terms,
    for conditions of two terms.
    """

    families: frozenset[str]
    max_bins: int
    directions: Mapping[str, int]
    positive: bool = False
    both: bool = False
    thresholds: Thresholds = Thresholds()
    negation: bool = True


def make_candidates(
    table: Table, weight: Floats, options: TermOptions, threads: int = 1
) -> Candidates:
    """Code the columns of a table, and list the terms that may get points."""
    maker = CutMaker(options.thresholds, table)
    coded = partial(coded_column, weight=weight, max_bins=options.max_bins, maker=maker)
    columns = thread_map(coded, table.columns, threads, table.rows * len(table.columns))
    terms = [
        term
        for number, column in enumerate(columns)
        for term in _terms_of(number, column, weight, options)
    ]
    return Candidates(columns, terms, maker)


def _terms_of(
    number: int, column: CodedColumn, weight: Floats, options: TermOptions
) -> Iterator[CodedTerm]:
    if column.is_numeric and "thresholds" in options.families:
        yield from _thresholds(number, column, options)
    elif not column.is_numeric and "categories" in options.families:
        yield from _categories(number, column, weight, options)
    if column.has_missing and "missing" in options.families and column.parts:
        yield CodedTerm(number, MISSING, 0, int(options.positive), False)
        if options.positive and options.negation:
            yield CodedTerm(number, PRESENT, 0, 1, False)


def _thresholds(number: int, column: CodedColumn, options: TermOptions) -> Iterator[CodedTerm]:
    """Both sides of each cut where they differ by more than a sign.

    Without missing values, points for one side are points against the other.
    """
    direction = options.directions.get(column.column.name, 0)
    both = column.has_missing or options.positive or options.both
    step = max(-(-int(column.coarse.sum()) // MAX_PAIRED_CUTS), 1)
    number_of_coarse = np.cumsum(column.coarse)
    for code in range(1, column.cuts.size + 1):
        fine = not column.coarse[code - 1]
        paired = not fine and bool(number_of_coarse[code - 1] % step == step // 2)
        for relation in (ABOVE, AT_MOST)[: 1 + both]:
            sign = direction if relation == ABOVE else -direction
            if options.positive:
                sign = 1 if sign >= 0 else 2
            if sign != 2:
                yield CodedTerm(number, relation, code, sign, paired, fine)


def _categories(
    number: int, column: CodedColumn, weight: Floats, options: TermOptions
) -> Iterator[CodedTerm]:
    count = len(column.categories)
    if count == 2 and not column.has_missing and not (options.positive or options.both):
        yield CodedTerm(number, IS, 2, 0, True)
        return
    sums = np.bincount(column.codes, weight, MAX_CODE + 1)[1 : count + 1]
    frequent = set(np.argsort(-sums, kind="stable")[:MAX_PAIRED_CATEGORIES].tolist())
    for code in range(1, count + 1):
        paired = code - 1 in frequent
        yield CodedTerm(number, IS, code, int(options.positive), paired)
        if options.positive and options.negation and 2 < count <= MAX_EXCLUDED:
            yield CodedTerm(number, IS_NOT, code, 1, False)
