"""Columns that a tree is grown from, and the predicates of its tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
)
from rulewright.kernels import TrainingColumns
from rulewright.rules import Category, Interval, Missing, Predicate

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TreeColumns:
    """Columns in the order of the grower, and their meaning.

    ``numeric`` are the names of numeric columns and of columns of ordered categories, and then
    axes; ``values`` are their numbers, of a category its place in the order. With ``single``, a
    category is tested against all others. ``maker`` makes the predicates of cuts.
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

    @classmethod
    def of(
        cls,
        training: Training,
        families: Sequence[Family],
        *,
        categories: str,
        negation: bool = True,
        presence: bool = False,
    ) -> TreeColumns:
        """Lay out the columns that the families can test.

        With ``presence``, whether a value is missing is a column of its own.
        """
        table = training.table
        names = {family.name for family in families}
        cutting = [family for family in families if isinstance(family, Thresholds)]
        maker = CutMaker(cutting[0], table) if cutting else None
        columns = table.numeric if cutting or "intervals" in names else []
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
        )

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
            [np.ascontiguousarray(column.codes[at]) for column in self.categorical],
            [len(column.categories) for column in self.categorical],
            np.ascontiguousarray(answers[at]),
            np.ascontiguousarray(weight[at]),
            classes,
            np.array(signs, np.int8) if directions else None,
            len(self.numeric) - self.axes,
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
        others = [False] * (len(self.categorical) + 1)  # and -1, which is no column
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
        return self.categorical[column - len(self.numeric)].name

    def missing(self, column: int) -> Predicate:
        """Test for a missing value."""
        return Missing(self.name(column))

    def among(self, column: int, codes: Sequence[int], *, among: bool = True) -> Predicate:
        """Test for some categories, or for all others."""
        known = self.categorical[column - len(self.numeric)]
        return Category(known.name, tuple(known.categories[code] for code in codes), among)
