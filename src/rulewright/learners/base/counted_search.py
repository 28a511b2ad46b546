"""The heaviest predicate from counts of rows.

The families choose, as they do among rows in memory: they see one entry for each value, bin or
category of a column, which weighs as much as its rows together. A cut within a bin has an upper
bound, and only bins that can hold the heaviest cut are counted again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.data import (
    CLOSED,
    CategoricalColumn,
    Column,
    Condition,
    Counts,
    Fork,
    NumericColumn,
    Route,
    Table,
)
from rulewright.errors import InputError, preview
from rulewright.families import (
    Categories,
    Family,
    Found,
    MissingValues,
    Question,
    Thresholds,
    Training,
)
from rulewright.learners.base.column_counts import ColumnCounts
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.number_groups import NumberGroups
from rulewright.rules import Category, Missing, Predicate, Threshold

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

COUNTED_FAMILIES = (Thresholds, Categories, MissingValues)
MAX_TESTS = 500
"""Maximum number of tests of a machine, which are one expression in every query."""


def refuse_families(families: Sequence[Family], known: Sequence[type[Family]]) -> None:
    """Refuse families that choose among rows, or cuts among the values of all rows."""
    others = [f.name for f in families if type(f) not in known]
    if others:
        names = ", ".join(family.name for family in known)
        raise InputError(
            f"family: a lazy table supports {names}, got {preview(others)}. Collect the rows "
            "first, or change the setting."
        )
    for family in families:
        if isinstance(family, Thresholds) and family.cuts != "all":
            raise InputError(
                f"family: a lazy table supports all cuts of a column, got cuts={family.cuts!r}. "
                "Collect the rows first, or change the setting."
            )


@dataclass(frozen=True, eq=False)
class CountedTask:
    """A table that answers with counts, the columns that may be tested, and the families."""

    counts: Counts
    table: Table
    families: tuple[Family, ...]
    deadline: Deadline

    def __post_init__(self) -> None:
        refuse_families(self.families, COUNTED_FAMILIES)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.counts.class_counts.size)

    def every_row(self) -> OpenRows:
        """All rows, before any rule."""
        return OpenRows(self, (), self.counts.class_counts, dict(self.counts.ranges))


@dataclass(frozen=True, eq=False)
class CountedColumn:
    """A column of entries, and the rows of each class (columns) that each entry stands for."""

    column: Column
    counts: Integers

    def heaviest(self, family: Family, weight: Integers, output: int, side: bool) -> Found | None:
        """Return the heaviest predicate of a family, given the weight of a row of each class."""
        parts = [self.counts @ part for part in (np.maximum(weight, 0), np.minimum(weight, 0))]
        entries = np.concatenate(parts)
        column = self.column.take(np.tile(np.arange(self.counts.shape[0]), 2))
        training = Training(Table([column], entries.size), np.zeros(entries.size, np.int32))
        return family.prepare(training).heaviest(Question(entries, output, side))

    def covered(self, predicate: Predicate) -> Integers:
        """Return the rows of each class for which a predicate of the column is true."""
        holds = predicate.holds(Table([self.column], self.counts.shape[0]))
        return np.asarray(self.counts[holds].sum(axis=0))


@dataclass(eq=False)
class OpenRows:
    """Rows that no rule has settled, and what is known of their columns after the first search.

    ``tests`` are predicates with the side, true or false, on which they settle rows. ``ranges`` are
    values that the rows can have in numeric columns.
    """

    task: CountedTask
    tests: tuple[tuple[Predicate, bool], ...]
    class_counts: Floats
    ranges: Mapping[str, tuple[float, float]]
    _columns: dict[str, CountedColumn] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if len(self.tests) > MAX_TESTS:
            raise InputError(
                f"The model has over {MAX_TESTS} tests, which is more than queries can hold. Set "
                "max_rules."
            )

    @cached_property
    def _known(self) -> ColumnCounts:
        task = self.task
        route = open_route(self.tests)
        return ColumnCounts(task.counts, task.table, route, self.class_counts, self.ranges)

    def _count(self) -> None:
        """Count the values and categories of all columns."""
        self._columns = {column.name: self._numbers(column) for column in self.task.table.numeric}
        for column in self.task.table.categorical:
            self._columns[column.name] = self._categories(
                column, self._known.categories[column.name]
            )

    def heaviest(self, weight: Integers, output: int, *, side: bool) -> Found | None:
        """Return the heaviest predicate, given the weight of a row of each class."""
        if not self._columns:
            self._count()
        first = True
        while (best := self._heaviest_known(weight, output, side)) is not None:
            asked = self._open_bins(weight, side, best.total, first=first)
            if not asked:
                break
            self._refine(asked)
            first = False
        return best

    def covered(self, predicate: Predicate) -> Floats:
        """Return the rows of each class for which a predicate is true."""
        (name,) = predicate.columns
        return self._columns[name].covered(predicate).astype(np.float64)

    def without(self, predicate: Predicate, *, side: bool) -> OpenRows:
        """Return the rows on the other side of a predicate."""
        true = self.covered(predicate)
        left = self.class_counts - true if side else true
        return OpenRows(self.task, (*self.tests, (predicate, side)), left, self._known.ends)

    def _heaviest_known(self, weight: Integers, output: int, side: bool) -> Found | None:
        """Heaviest predicate whose rows are known, the first of families and columns on ties."""
        best: Found | None = None
        for family in self.task.families:
            for column in self.task.table.columns:
                if not _applies(family, column):
                    continue
                found = self._columns[column.name].heaviest(family, weight, output, side)
                if found is not None and (best is None or found[1:] > best[1:]):
                    best = found
        return best

    def _open_bins(
        self, weight: Integers, side: bool, least: int, *, first: bool
    ) -> list[tuple[str, int]]:
        """Bins within which the heaviest cut may lie; ``first`` the most promising column's."""
        if not any(isinstance(family, Thresholds) for family in self.task.families):
            return []
        bounds = {
            name: self._bounds(name, groups, weight, side)
            for name, groups in self._known.groups.items()
            if groups.is_bin.any()
        }
        found = {
            name: np.flatnonzero(self._known.groups[name].is_bin & (bound >= least))
            for name, bound in bounds.items()
        }
        found = {name: places for name, places in found.items() if places.size}
        if first and found:
            best = max(found, key=lambda name: int(bounds[name][found[name]].max()))
            found = {best: found[best]}
        return [(name, place) for name, places in found.items() for place in places.tolist()]

    def _bounds(self, name: str, groups: NumberGroups, weight: Integers, side: bool) -> Integers:
        """Upper bounds on the weight of cuts within groups.

        A cut takes the groups before or after, and at best all positive weight of its own group.
        """
        counts = groups.counts.astype(np.int64)
        total = counts @ weight
        up_to = total.cumsum()
        beyond = np.maximum(up_to - total, up_to[-1] - up_to)
        absent = 0 if side else int(self._known.absent(counts.sum(axis=0)) @ weight)
        return np.asarray(beyond + counts @ np.maximum(weight, 0) + absent)

    def _refine(self, asked: Sequence[tuple[str, int]]) -> None:
        """Count the values within bins."""
        self._known.refine(asked)
        for name in {name for name, _ in asked}:
            column = self.task.table.column(name)
            assert isinstance(column, NumericColumn)
            self._columns[name] = self._numbers(column)

    def _numbers(self, column: NumericColumn) -> CountedColumn:
        """Entries of a numeric column: the ends of its groups, and one for missing values.

        The smallest value of all rows may be a cut before all groups.
        """
        values = np.empty(0)
        counts = np.zeros((0, self.class_counts.size), np.int64)
        groups = self._known.groups.get(column.name)
        if groups is not None:
            values, counts = groups.high, groups.counts.astype(np.int64)
        smallest = self.task.counts.ranges.get(column.name, (np.inf,))[0]
        if smallest < (groups.low[0] if groups is not None else np.inf):
            values = np.append(smallest, values)
            counts = np.vstack([np.zeros((1, counts.shape[1]), np.int64), counts])
        if self.task.counts.missing[column.name]:
            values = np.append(values, np.nan)
            counts = np.vstack([counts, self._known.absent(counts.sum(axis=0))])
        return CountedColumn(NumericColumn(column.name, values, column.kind), counts)

    def _categories(self, column: CategoricalColumn, known: Integers) -> CountedColumn:
        """Entries of a categorical column: its categories, and one for missing values."""
        codes = np.arange(len(column.categories), dtype=np.int32)
        if self.task.counts.missing[column.name]:
            codes = np.append(codes, np.int32(-1))
            known = np.vstack([known, self._known.absent(known.sum(axis=0))])
        return CountedColumn(replace(column, codes=codes), known)


def _applies(family: Family, column: Column) -> bool:
    """Whether a family has predicates on a column."""
    if isinstance(family, MissingValues):
        return True
    return isinstance(column, NumericColumn) == isinstance(family, Thresholds)


def open_route(tests: Sequence[tuple[Predicate, bool]]) -> Route:
    """Route of the rows that no test settles; these are node 0.

    Examples
    --------
    >>> open_route([(Threshold("x", True, 1.0), True)])  # doctest: +ELLIPSIS
    Fork(column='x', conditions=(Condition(kind='above', cut=1.0...),), routes=(-1, 0))
    """
    route: Route = 0
    for predicate, side in reversed(tests):
        if_true, if_false = (CLOSED, route) if side else (route, CLOSED)
        route = _fork(predicate, if_true, if_false)
    return route


def _fork(predicate: Predicate, if_true: Route, if_false: Route) -> Fork:
    match predicate:
        case Threshold(name, above, cut):
            test = Condition("above" if above else "up_to", cut)
            return Fork(name, (test,), (if_true, if_false))
        case Category(name, values, among):
            test = Condition("among", categories=values)
            if among:
                return Fork(name, (test,), (if_true, if_false))
            return Fork(name, (Condition("missing"), test), (if_false, if_false, if_true))
        case Missing(name, missing):
            routes = (if_true, if_false) if missing else (if_false, if_true)
            return Fork(name, (Condition("missing"),), routes)
    raise AssertionError(f"No counts for {predicate}.")
