"""Sets of values of one column on which a test holds.

A set of numbers consists of spans between cuts. A cut lies just before or just after a value, which
distinguishes open from closed ends. A set of categories lists its values, or those it excludes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from rulewright.data import Moment
from rulewright.rules.combinations import AllOf, AnyOf, Not
from rulewright.rules.node import Predicate
from rulewright.rules.predicates import Category, Interval, Missing, Threshold

Rows = tuple[int, ...]


class Cut(NamedTuple):
    """A place just before a value, or just ``after`` it, and the training rows that supplied it."""

    value: float
    after: bool
    rows: Rows = ()

    @property
    def place(self) -> tuple[float, bool]:
        """The place without the rows."""
        return self.value, self.after


class Span(NamedTuple):
    """The numbers between two cuts."""

    low: Cut
    high: Cut


FIRST, LAST = Cut(-math.inf, False), Cut(math.inf, True)


@dataclass(frozen=True)
class Numbers:
    """Spans in increasing order, none touching another."""

    spans: tuple[Span, ...]

    def intersection(self, other: Numbers) -> Numbers:
        """Return the intersection with another set."""
        found: list[Span] = []
        for one in self.spans:
            for two in other.spans:
                low = max(one.low, two.low, key=_place)
                high = min(one.high, two.high, key=_place)
                if low.place < high.place:
                    found.append(Span(low, high))
        return Numbers(tuple(found))

    def complement(self) -> Numbers:
        """Return all other numbers."""
        ends = [FIRST, *(cut for span in self.spans for cut in span), LAST]
        pairs = zip(ends[::2], ends[1::2], strict=True)
        return Numbers(tuple(Span(a, b) for a, b in pairs if a.place < b.place))

    def covers(self, other: Numbers) -> bool:
        """Whether another set is a subset of this one."""
        return all(
            any(span.low[:2] <= low[:2] and high[:2] <= span.high[:2] for span in self.spans)
            for low, high in other.spans
        )

    def test(self, column: str, if_missing: bool) -> Predicate | None:
        """Return the single test that holds on these numbers; None where there is none."""
        match self.spans:
            case (Span(low, high),) if low.place == FIRST.place:
                return Threshold(column, False, high.value, if_missing, high.rows, not high.after)
            case (Span(low, high),) if high.place == LAST.place:
                return Threshold(column, True, low.value, if_missing, low.rows, not low.after)
            case (Span(low, high),):
                inside = True
            case (Span(first, low), Span(high, last)) if (
                first.place == FIRST.place and last.place == LAST.place
            ):
                inside = False
            case _:
                return None
        if len(low.rows) != len(high.rows):
            return None  # the rows could no longer be assigned to the two ends
        return Interval(
            column,
            low.value,
            high.value,
            inside,
            if_missing,
            low.rows + high.rows,
            low_open=low.after,
            high_open=not high.after,
        )


def _place(cut: Cut) -> tuple[float, bool]:
    return cut.place


@dataclass(frozen=True)
class CategorySet:
    """Some categories, or with ``but`` all others, unseen ones included."""

    texts: frozenset[str]
    but: bool

    def intersection(self, other: CategorySet) -> CategorySet:
        """Return the intersection with another set."""
        if self.but and other.but:
            return CategorySet(self.texts | other.texts, True)
        if self.but or other.but:
            some, others = (other, self) if self.but else (self, other)
            return CategorySet(some.texts - others.texts, False)
        return CategorySet(self.texts & other.texts, False)

    def complement(self) -> CategorySet:
        """Return all other categories."""
        return CategorySet(self.texts, not self.but)

    def covers(self, other: CategorySet) -> bool:
        """Whether another set is a subset of this one."""
        if self.but:
            return self.texts <= other.texts if other.but else not self.texts & other.texts
        return not other.but and other.texts <= self.texts

    def test(self, column: str, if_missing: bool) -> Predicate | None:
        """Return the single test that holds on these categories."""
        return Category(column, tuple(self.texts), not self.but, if_missing)


NOTHING, ANYTHING = CategorySet(frozenset(), False), CategorySet(frozenset(), True)
"""The empty set and the set of all known values, for a column of any kind."""

NONE = (NOTHING, Numbers(()))


@dataclass(frozen=True)
class Region:
    """Values of a column, and whether missing values belong to them."""

    column: str
    known: Numbers | CategorySet
    missing: bool
    moment: Moment | None = None

    def intersection(self, other: Region) -> Region:
        """Return the intersection with another region of the same column."""
        missing = self.missing and other.missing
        match self.known, other.known:
            case (Numbers() as one, Numbers() as two):
                return Region(self.column, one.intersection(two), missing, self.moment)
            case (CategorySet() as ones, CategorySet() as twos):
                return Region(self.column, ones.intersection(twos), missing)
        numbers, either = sorted((self.known, other.known), key=lambda k: type(k) is CategorySet)
        known = numbers if either == ANYTHING else NOTHING
        return Region(self.column, known, missing, self.moment or other.moment)

    def complement(self) -> Region:
        """Return all other values."""
        return Region(self.column, self.known.complement(), not self.missing, self.moment)

    def union(self, other: Region) -> Region:
        """Return the union with another region of the same column."""
        return self.complement().intersection(other.complement()).complement()

    def covers(self, other: Region) -> bool:
        """Whether another region of the same column is a subset of this one."""
        if other.missing and not self.missing:
            return False
        match self.known, other.known:
            case (Numbers() as one, Numbers() as two):
                return one.covers(two)
            case (CategorySet() as ones, CategorySet() as twos):
                return ones.covers(twos)
        return other.known in NONE or self.known.complement() in NONE

    @property
    def is_empty(self) -> bool:
        """Whether it has no values."""
        return not self.missing and self.known in NONE

    def test(self) -> Predicate | None:
        """Return the single test that holds on these values; None where there is none."""
        if self.known in NONE:
            return Missing(self.column) if self.missing else AnyOf()
        if self.known.complement() in NONE:
            return AllOf() if self.missing else Missing(self.column, False)
        test = self.known.test(self.column, self.missing)
        return replace(test, moment=self.moment) if isinstance(test, Threshold | Interval) else test


def region_of(test: Predicate) -> Region | None:
    """Return the values on which a test of one column holds; None for any other predicate.

    Examples
    --------
    >>> above, below = Threshold("x", True, 3.0), Threshold("x", False, 7.0)
    >>> between = region_of(above).intersection(region_of(below)).test()
    >>> between == Interval("x", 3.0, 7.0, low_open=True)
    True
    """
    match test:
        case Threshold(column, above, cut, if_missing, rows, cut_above):
            border = Cut(cut, not cut_above, rows)
            span = Span(border, LAST) if above else Span(FIRST, border)
            return Region(column, Numbers((span,)), if_missing, test.moment)
        case Interval(column, inside=inside, if_missing=if_missing):
            lower, upper = test.sides
            low = Cut(lower.cut, test.low_open, lower.anchored_on)
            high = Cut(upper.cut, not test.high_open, upper.anchored_on)
            between = Numbers((Span(low, high),))
            known = between if inside else between.complement()
            return Region(column, known, if_missing, test.moment)
        case Category(column, values, among, if_missing):
            return Region(column, CategorySet(frozenset(values), not among), if_missing)
        case Missing(column, missing):
            return Region(column, NOTHING if missing else ANYTHING, missing)
        case Not(part):
            inner = region_of(part) if not isinstance(part, Not) else None
            return None if inner is None else inner.complement()
    return None
