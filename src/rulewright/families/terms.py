"""Terms: single tests of columns, by number, for conjunctions and syndromes.

A column has a number for the value of each row, so a test is a column, a relation and a value.
Terms are ordered by column, then relation as below, then value: ties go to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Column, NumericColumn
from rulewright.errors import InputError
from rulewright.families.axes import Axis
from rulewright.families.balls import Balls
from rulewright.families.categories import Categories
from rulewright.families.cuts import CutMaker
from rulewright.families.family import Family, Training
from rulewright.families.given import GivenPredicates
from rulewright.families.half_planes import HalfPlanes
from rulewright.families.half_spaces import HalfSpaces
from rulewright.families.missing_values import MissingValues
from rulewright.families.thresholds import Thresholds
from rulewright.kernels import ExtensionIndex, TermQuery, ValueTallies, thread_map
from rulewright.rules import Category, Interval, Missing, Predicate

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Mask = NDArray[np.bool_]

AT_MOST, ABOVE, IS, IS_NOT, MISSING, PRESENT = range(6)
RELATIONS = 6

MAX_VALUES = 2**16
"""Maximum number of cuts of a numeric column; of more values, equally spaced quantiles are used."""

MAX_EXCLUDED = 12
"""Maximum number of categories of a column for which a term may exclude one: excluding one of a
thousand is not informative.
"""

TERM_RELATIONS = {
    "thresholds": (AT_MOST, ABOVE),
    "rounded": (AT_MOST, ABOVE),
    "intervals": (AT_MOST, ABOVE),
    "categories": (IS, IS_NOT),
    "missing": (MISSING, PRESENT),
}
"""Families of the terms of rules, and the relations of each."""

AXIS_FAMILIES = (GivenPredicates.name, HalfPlanes.name, Balls.name, HalfSpaces.name)
"""Families whose terms are cuts of axes."""


def _relations(family: Family) -> tuple[int, ...]:
    """Relations of the terms of a family; without negation, those that a category or value has."""
    relations = TERM_RELATIONS.get(family.name, ())
    negated = isinstance(family, Categories | MissingValues) and family.negation
    return relations if negated else tuple(r for r in relations if r not in (IS_NOT, PRESENT))


class Term(NamedTuple):
    """A test of one column."""

    column: int
    relation: int
    code: int


@dataclass(frozen=True, eq=False)
class CandidateTerms:
    """Terms that could be added to a rule, and the weight that it would then cover."""

    column: Integers
    relation: Integers
    code: Integers
    p: Floats
    n: Floats

    def term(self, place: int) -> Term:
        """One of the terms."""
        return Term(int(self.column[place]), int(self.relation[place]), int(self.code[place]))

    def take(self, places: NDArray[np.intp] | Mask) -> CandidateTerms:
        """Return some of the candidates."""
        parts = (self.column, self.relation, self.code, self.p, self.n)
        return CandidateTerms(*(part[places] for part in parts))  # type: ignore[arg-type]

    @classmethod
    def joined(cls, several: Iterable[CandidateTerms]) -> CandidateTerms:
        """Concatenate candidates."""
        parts = zip(*((c.column, c.relation, c.code, c.p, c.n) for c in several), strict=True)
        return cls(*map(np.concatenate, parts))


@dataclass(frozen=True, eq=False)
class _CutValues:
    """Values of a numeric column by number: the smallest and the largest original value of each."""

    code: Integers
    largest: Floats
    smallest: Floats

    @classmethod
    def of(cls, values: Floats) -> _CutValues:
        there = ~np.isnan(values)
        known, rank = np.unique(values[there] + 0.0, return_inverse=True)
        edges = np.arange(known.size)
        if known.size > MAX_VALUES:
            rows_up_to = np.cumsum(np.bincount(rank))
            group = (rows_up_to - 1) * MAX_VALUES // rows_up_to[-1]
            ends = np.append(np.diff(group) > 0, True)
            edges = np.flatnonzero(ends)
            rank = (np.cumsum(ends) - ends)[rank]
        code = np.full(values.size, -1, np.int32)
        code[there] = rank
        return cls(code, known[edges], known[np.append(0, edges[:-1] + 1)] if known.size else known)


class Terms:
    """Terms of families on training examples.

    Parameters
    ----------
    families : sequence of Family
        Any of thresholds or rounded, intervals, categories and missing, and those with axes.
    training : Training
    axes : sequence of Axis
        Further columns, after those of the table: axes of the families.
    """

    def __init__(
        self, families: Sequence[Family], training: Training, axes: Sequence[Axis] = ()
    ) -> None:
        names = {family.name for family in families}
        known = (*TERM_RELATIONS, *AXIS_FAMILIES)
        strange = [family.name for family in families if family.name not in known]
        if strange:
            raise InputError(
                f"family must be among {', '.join(map(repr, known))}, got {strange[0]!r}. "
                "DecisionListMachine takes every family."
            )
        self.axes = tuple(axes)
        self.columns: tuple[Column, ...] = training.table.columns
        self.rows = training.table.rows
        self.intervals = "intervals" in names
        cutting = (family for family in families if isinstance(family, Thresholds))
        self._maker = CutMaker(next(cutting, Thresholds()), training.table)
        self._threads = training.threads
        self._values = self._cut_values()
        self._codes = [self._coded(number) for number in range(self._size)]
        self.offered = self._offered({r for family in families for r in _relations(family)})

    def _cut_values(self) -> dict[int, _CutValues]:
        """Values of the columns of numbers and of the axes, by number."""
        numbers = {
            number: self._maker.searched(column)
            for number, column in enumerate(self.columns)
            if isinstance(column, NumericColumn)
        }
        for number, axis in enumerate(self.axes, len(self.columns)):
            numbers[number] = axis.values
        found = thread_map(_CutValues.of, numbers.values(), self._threads, len(numbers) * self.rows)
        return dict(zip(numbers, found, strict=True))

    @property
    def _size(self) -> int:
        """Number of columns and axes."""
        return len(self.columns) + len(self.axes)

    @cached_property
    def tested(self) -> NDArray[np.intp]:
        """Number of the table's column that a column or axis tests, -1 if these are several."""
        place = {column.name: number for number, column in enumerate(self.columns)}
        of_axes = [-1 if axis.column is None else place[axis.column] for axis in self.axes]
        return np.array([*range(len(self.columns)), *of_axes], np.intp)

    def columns_of(self, terms: Iterable[Term]) -> set[int]:
        """Numbers of the table's columns that terms test alone."""
        return {int(self.tested[term.column]) for term in terms} - {-1}

    def with_axes(self, marks: Mask) -> Mask:
        """Marks of columns for columns and axes; axes of several columns are marked."""
        if not self.axes:
            return marks
        spread = marks[self.tested]
        spread[self.tested < 0] = True
        return spread

    @cached_property
    def _index(self) -> ExtensionIndex:
        return self.index(None)

    def index(
        self, rows: NDArray[np.intp] | None, presence: Sequence[Integers] = ()
    ) -> ExtensionIndex:
        """Index of some of the rows, in this order and with repetitions, for counting.

        ``presence`` are further columns of two categories.
        """
        every = [*self._codes, *presence]
        codes = every if rows is None else [code[rows] for code in every]
        counts = [self._count(number) for number in range(self._size)]
        return ExtensionIndex(codes, [*counts, *(2 for _ in presence)], self._threads)

    @property
    def incomplete(self) -> list[int]:
        """Columns with missing values and others."""
        return [
            c for c, code in enumerate(self._codes) if 0 < np.count_nonzero(code < 0) < code.size
        ]

    def _coded(self, number: int) -> Integers:
        if number in self._values:
            return self._values[number].code
        column = self.columns[number]
        assert isinstance(column, CategoricalColumn)
        return column.codes

    def _count(self, number: int) -> int:
        if number in self._values:
            return self._values[number].largest.size
        column = self.columns[number]
        assert isinstance(column, CategoricalColumn)
        return len(column.categories)

    def _offered(self, relations: set[int]) -> Mask:
        """Which relations (columns) each column (rows) can be tested for."""
        offered = np.zeros((self._size, RELATIONS), np.bool_)
        for relation in relations:
            for number, column in enumerate(self.columns):
                numeric = isinstance(column, NumericColumn)
                fits = relation in (MISSING, PRESENT) or numeric == (relation in (AT_MOST, ABOVE))
                handy = relation != IS_NOT or self._count(number) <= MAX_EXCLUDED
                offered[number, relation] = fits and handy
        if IS in relations:
            offered[self.cut_columns & ~self.numeric, : ABOVE + 1] = True
        for number, axis in enumerate(self.axes, len(self.columns)):
            offered[number, ABOVE] = True
            offered[number, AT_MOST] = axis.axes.both_sides
        return offered

    @cached_property
    def numeric(self) -> Mask:
        """Which columns hold numbers; axes do."""
        return np.array([number in self._values for number in range(self._size)], np.bool_)

    @cached_property
    def cut_columns(self) -> Mask:
        """Which columns have a lowest and a highest value: numbers and ordered categories."""
        ordered = [_has_order(column) for column in self.columns]
        return np.array([*ordered, *(True for _ in self.axes)], np.bool_)

    @cached_property
    def tests(self) -> int:
        """Number of single tests that split the rows: of numbers, categories, missing values."""
        counts = np.array([self._count(number) for number in range(self._size)])
        parting = np.where(self.cut_columns, 2 * (counts - 1), np.where(counts > 1, counts, 0))
        absent = self.offered[self.incomplete][:, [MISSING, PRESENT]]
        return int(np.maximum(parting, 0).sum() + absent.sum())

    def cut(self, term: Term) -> Term:
        """Group of a term without its cut: a column's values on one side, or one test."""
        return term if term.relation > ABOVE else term._replace(code=-1)

    def values(self, cut: Term) -> Floats:
        """Number of every row that a term cuts, NaN where it is missing.

        For tests of categories and missing values: 1 if the test holds, else 0.
        """
        code = self._codes[cut.column]
        if cut.relation <= ABOVE:
            return np.where(code < 0, np.nan, code)
        holds = self.holds(cut).astype(np.float64)
        return holds if cut.relation >= MISSING else np.where(code < 0, np.nan, holds)

    def holds(self, term: Term) -> Mask:
        """Training rows on which a term is true."""
        code = self._codes[term.column]
        truths: dict[int, Callable[[], Mask]] = {
            AT_MOST: lambda: (code <= term.code) & (code >= 0),
            ABOVE: lambda: code > term.code,
            IS: lambda: code == term.code,
            IS_NOT: lambda: (code != term.code) & (code >= 0),
            MISSING: lambda: code < 0,
            PRESENT: lambda: code >= 0,
        }
        return truths[term.relation]()

    def candidates(
        self,
        covered: Mask,
        own: Mask,
        weight: Floats | None,
        *,
        allowed: Mask,
        boundaries: bool,
    ) -> CandidateTerms:
        """Weights of the class and of the others that every term would keep of the covered rows.

        ``allowed`` is like ``offered``. With ``boundaries``, cuts are left out that keep no more of
        the class, or no fewer of the others, than a neighbour: a criterion that rises with p and
        falls with n is never larger there (Fayyad & Irani 1992 for entropy).
        """
        query = TermQuery(self.cut_columns, ~self.numeric, allowed, boundaries)
        return CandidateTerms(*self._index.terms(covered, own, weight, query))

    def terms_of(self, tallies: ValueTallies, allowed: Mask, *, boundaries: bool) -> CandidateTerms:
        """Terms of the values of some rows; see ``candidates``."""
        found = CandidateTerms.joined(
            [
                *_cuts(tallies, self.cut_columns, boundaries),
                *_categories(tallies, self.numeric),
                *_missing(tallies),
            ]
        )
        return found.take(allowed[found.column, found.relation] & (found.p > 0))

    def predicates(self, terms: Sequence[Term]) -> tuple[Predicate, ...]:
        """Predicates of terms that all hold; two bounds of a column may be one interval."""
        bounds = {(t.column, t.relation): t for t in terms if t.relation in (AT_MOST, ABOVE)}
        said: dict[object, Predicate] = {}
        for term in terms:
            below = bounds.get((term.column, AT_MOST))
            above = bounds.get((term.column, ABOVE))
            if self._merged(term) and below and above and term in (below, above):
                said[term.column, "between"] = self.interval(above, below)
            else:
                said[term] = self.predicate(term)
        return tuple(said.values())

    def count(self, terms: Sequence[Term]) -> int:
        """Number of predicates of the terms."""
        return len({(t.column,) if self._merged(t) and t.relation <= ABOVE else t for t in terms})

    def _merged(self, term: Term) -> bool:
        """Whether two bounds of the column are one interval."""
        is_axis = term.column >= len(self.columns)
        return self.intervals and bool(self.numeric[term.column]) and not is_axis

    def predicate(self, term: Term) -> Predicate:
        """Predicate of a term; its cut is the value of the first row that has it."""
        if term.column >= len(self.columns):
            axis = self.axes[term.column - len(self.columns)]
            value = self._values[term.column].largest[term.code]
            return axis.cut(int(np.argmax(axis.values == value)), above=term.relation == ABOVE)
        column = self.columns[term.column]
        if term.relation in (MISSING, PRESENT):
            return Missing(column.name, term.relation == MISSING)
        if isinstance(column, CategoricalColumn) and term.relation <= ABOVE:
            below, above = column.categories[: term.code + 1], column.categories[term.code + 1 :]
            return Category(column.name, below if term.relation == AT_MOST else above)
        if isinstance(column, CategoricalColumn):
            return Category(column.name, (column.categories[term.code],), term.relation == IS)
        return self.threshold(term)

    def threshold(self, term: Term) -> Predicate:
        """Predicate of a cut of a column of numbers."""
        cut = float(self._values[term.column].largest[term.code])
        name = self.columns[term.column].name
        return self._maker.predicate(name, cut, above=term.relation == ABOVE)

    def interval(self, above: Term, below: Term) -> Predicate:
        """Interval of the values above one cut and not above another, by its extreme values."""
        column, values = self.columns[above.column], self._values[above.column]
        assert isinstance(column, NumericColumn)
        low = float(values.smallest[above.code + 1])
        high = float(values.largest[below.code])
        anchors = self._row_of(column, low) + self._row_of(column, high)
        return Interval(column.name, low, high, anchored_on=anchors)

    @staticmethod
    def _row_of(column: NumericColumn, value: float) -> tuple[int]:
        return (int(np.argmax(column.values == value)),)


def _has_order(column: Column) -> bool:
    return column.ordered if isinstance(column, CategoricalColumn) else True


def _cuts(slots: ValueTallies, cut_columns: Mask, boundaries: bool) -> Iterable[CandidateTerms]:
    """Weights up to, and above, every covered value except a column's largest."""
    here = np.flatnonzero(cut_columns[slots.column] & (slots.code >= 0))
    column, code = slots.column[here], slots.code[here]
    own, other = slots.own[here], slots.other[here]
    last = np.append(column[1:] != column[:-1], True)[: here.size]
    p, p_above = _running(own, last)
    n, n_above = _running(other, last)
    below, above = ~last, ~last
    if boundaries:
        next_own, next_other = np.append(own[1:], 0.0), np.append(other[1:], 0.0)
        below = below & (own > 0) & (next_other[: here.size] > 0)
        above = above & (other > 0) & (next_own[: here.size] > 0)
    yield CandidateTerms(
        column[below], np.full(below.sum(), AT_MOST, np.int32), code[below], p[below], n[below]
    )
    yield CandidateTerms(
        column[above],
        np.full(above.sum(), ABOVE, np.int32),
        code[above],
        p_above[above],
        n_above[above],
    )


def _running(weight: Floats, last: Mask) -> tuple[Floats, Floats]:
    """Cumulative sums of weights up to each position of a column, and after it."""
    if not weight.size:
        return weight, weight
    sums = np.cumsum(weight)
    ends = sums[last]
    column = np.cumsum(np.append(False, last[:-1]))
    before = np.append(0.0, ends[:-1])[column]
    return sums - before, ends[column] - sums


def _categories(slots: ValueTallies, numeric: Mask) -> Iterable[CandidateTerms]:
    """Weights of every covered category, and of all others of its column."""
    here = np.flatnonzero(~numeric[slots.column] & (slots.code >= 0))
    column, code = slots.column[here], slots.code[here]
    own, other = slots.own[here], slots.other[here]
    yield CandidateTerms(column, np.full(here.size, IS, np.int32), code, own, other)
    size = numeric.size
    several = (
        np.bincount(column, minlength=size)[column] > 2
    )  # with two categories, excluding one is the other
    rest_own = _sums(column, own, size)[column] - own
    rest_other = _sums(column, other, size)[column] - other
    relation = np.full(here.size, IS_NOT, np.int32)
    rest = CandidateTerms(column, relation, code, rest_own, rest_other)
    yield rest.take(several)


def _missing(slots: ValueTallies) -> Iterable[CandidateTerms]:
    """Weights of missing and of present values of a column."""
    here = np.flatnonzero(slots.code < 0)
    column, code = slots.column[here], np.full(here.size, -1, np.int32)
    own, other = slots.own[here], slots.other[here]
    yield CandidateTerms(column, np.full(here.size, MISSING, np.int32), code, own, other)
    there = np.flatnonzero(slots.code >= 0)
    size = int(slots.column.max(initial=-1)) + 1
    p = _sums(slots.column[there], slots.own[there], size)[column]
    n = _sums(slots.column[there], slots.other[there], size)[column]
    yield CandidateTerms(column, np.full(here.size, PRESENT, np.int32), code, p, n)


def _sums(column: Integers, weight: Floats, columns: int) -> Floats:
    """Sums of weights by column."""
    return np.bincount(column, weight, columns).astype(np.float64)
