"""Columns that a tree is grown from, and the predicates of its tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Table
from rulewright.families import (
    Axis,
    CutMaker,
    Family,
    Thresholds,
    Training,
    every_axis,
    quantiles,
)
from rulewright.kernels import TrainingColumns
from rulewright.rules import Category, Interval, Missing, Predicate

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


MAX_RANGES = 16
"""Maximum number of ranges of a numeric column before neighbours are joined."""


@dataclass(frozen=True, eq=False)
class RangeColumn:
    """Ranges of a numeric column: the number of each row's range, and the largest value of each.

    Where a column has more values than ranges, these end at quantiles.
    """

    name: str
    codes: NDArray[np.int32]
    ends: Floats

    @classmethod
    def of(cls, name: str, values: Floats) -> RangeColumn:
        """Ranges of some values; rows without a value have the number -1."""
        present = ~np.isnan(values)
        ends = np.unique(values[present] + 0.0)  # turns -0.0 into 0.0
        if ends.size > MAX_RANGES:
            ends = quantiles(values[present], MAX_RANGES)
        codes = np.full(values.size, -1, np.int32)
        codes[present] = np.searchsorted(ends, values[present], "left")
        return cls(name, codes, ends)


@dataclass(frozen=True, eq=False)
class TreeColumns:
    """Columns in the order of the grower, and their meaning.

    ``numeric`` are the names of numeric columns and of columns of ordered categories, and then
    axes; ``values`` are their numbers, of a category its place in the order. With ``single``, a
    category is tested against all others. ``ranges`` come after the categorical columns.
    ``maker`` makes the predicates of cuts.
    Without ``negation``, no test is "is not missing".
    """

    table: Table
    numeric: tuple[str | Axis, ...]
    values: tuple[Floats, ...]
    categorical: tuple[CategoricalColumn, ...]
    single: bool = False
    left_out: int = 0
    maker: CutMaker | None = None
    negation: bool = True
    ranges: tuple[RangeColumn, ...] = ()

    @classmethod
    def of(
        cls,
        training: Training,
        families: Sequence[Family],
        *,
        categories: str,
        negation: bool = True,
        presence: bool = False,
        cuts: bool = True,
        ranges: bool = False,
    ) -> TreeColumns:
        """Lay out the columns that the families can test.

        With ``presence``, whether a value is missing is a column of its own. With ``ranges``,
        numeric columns are split into ranges, unless they have a direction; without ``cuts``, they
        are not cut in two.
        """
        table = training.table
        names = {family.name for family in families}
        cutting = [family for family in families if isinstance(family, Thresholds)]
        maker = CutMaker(cutting[0], table) if cutting else None
        columns = table.numeric if (cutting and cuts) or "intervals" in names else []
        ranged = [c for c in table.numeric if ranges and c.name not in training.directions]
        discrete = tuple(table.categorical) if categories != "none" else ()
        ordered = [c for c in discrete if c.ordered and "intervals" not in names]
        axes, left_out = every_axis(families, training, presence=presence)
        return cls(
            table,
            (*(c.name for c in columns), *(c.name for c in ordered), *axes),
            (
                *(maker.searched(column) if maker else column.values for column in columns),
                *(np.where(c.missing, np.nan, c.codes) for c in ordered),
                *(axis.values for axis in axes),
            ),
            tuple(column for column in discrete if column not in ordered),
            categories == "single",
            left_out,
            maker,
            negation,
            tuple(
                RangeColumn.of(column.name, maker.searched(column)) for column in ranged if maker
            ),
        )

    @cached_property
    def ordered(self) -> dict[int, CategoricalColumn]:
        """Columns of ordered categories, by their numbers among the numeric ones."""
        known = {column.name: column for column in self.table.categorical}
        return {
            number: known[name]
            for number, name in enumerate(self.numeric)
            if isinstance(name, str) and name in known
        }

    @property
    def count(self) -> int:
        """Number of columns of the grower."""
        return len(self.numeric) + len(self.categorical) + len(self.ranges)

    def training_columns(
        self,
        answers: NDArray[Any],
        weight: Floats,
        classes: int,
        directions: dict[str, int],
        rows: Rows | None = None,
    ) -> TrainingColumns:
        """Columns for the kernel, of all examples or of some."""
        at: Any = slice(None) if rows is None else rows
        signs = [directions.get(c, 0) if isinstance(c, str) else 0 for c in self.numeric]
        return TrainingColumns(
            [values[at] for values in self.values],
            [
                *(np.ascontiguousarray(column.codes[at]) for column in self.categorical),
                *(np.ascontiguousarray(column.codes[at]) for column in self.ranges),
            ],
            [*(len(c.categories) for c in self.categorical), *(c.ends.size for c in self.ranges)],
            np.ascontiguousarray(answers[at]),
            np.ascontiguousarray(weight[at]),
            classes,
            np.array(signs, np.int8) if directions else None,
            len(self.numeric) - self.axes,
            len(self.ranges),
        )

    @property
    def axes(self) -> int:
        """Number of columns that are axes."""
        return sum(isinstance(column, Axis) for column in self.numeric)

    def is_full_axis(self, columns: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which columns are axes on which every example has a number."""
        full = [
            isinstance(subject, Axis) and not np.isnan(values).any()
            for subject, values in zip(self.numeric, self.values, strict=True)
        ]
        others = [False] * (self.count - len(full) + 1)  # and -1, which is no column
        return np.array([*full, *others], np.bool_)[columns]

    def cut(self, column: int, value: float, row: int, *, above: bool) -> Predicate:
        """Test for numbers above a cut, or not above it."""
        subject = self.numeric[column]
        if isinstance(subject, str):
            known = self.table.column(subject)
            if isinstance(known, CategoricalColumn):
                below, higher = (
                    known.categories[: int(value) + 1],
                    known.categories[int(value) + 1 :],
                )
                return Category(subject, higher if above else below)
            assert self.maker is not None  # a family has cuts
            return self.maker.predicate(subject, value, above=above, row=row)
        return subject.cut(row, above=above)

    def interval(
        self, column: int, ends: tuple[float, float], rows: tuple[int, int], *, inside: bool
    ) -> Predicate:
        """Test for numbers between two others, or outside."""
        return Interval(str(self.numeric[column]), *ends, inside, anchored_on=rows)

    def name(self, column: int) -> str:
        """Name of a column of the table, or of the one that an axis is about."""
        if column < len(self.numeric):
            subject = self.numeric[column]
            return subject if isinstance(subject, str) else subject.column or ""
        if self.is_range(column):
            return self._range(column).name
        return self.categorical[column - len(self.numeric)].name

    def is_range(self, column: int) -> bool:
        """Whether a column of the grower has ranges."""
        return column >= len(self.numeric) + len(self.categorical)

    def _range(self, column: int) -> RangeColumn:
        return self.ranges[column - len(self.numeric) - len(self.categorical)]

    def range_end(self, column: int, code: int, *, above: bool) -> Predicate:
        """Test for numbers above the end of a range, or not above it."""
        known = self._range(column)
        assert self.maker is not None  # ranges are made of its columns
        return self.maker.predicate(known.name, float(known.ends[code]), above=above)

    def missing(self, column: int) -> Predicate:
        """Test for a missing value."""
        return Missing(self.name(column))

    def among(self, column: int, codes: Sequence[int], *, among: bool = True) -> Predicate:
        """Test for some categories, or for all others."""
        known = self.categorical[column - len(self.numeric)]
        return Category(known.name, tuple(known.categories[code] for code in codes), among)
