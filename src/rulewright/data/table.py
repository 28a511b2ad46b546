"""The table: named columns of equal length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import (
    CategoricalColumn,
    CategoryOrder,
    Column,
    Field,
    Floats,
    Mask,
    NumericColumn,
)
from rulewright.errors import InputError, preview, suggestion


class Table:
    """Named columns of equal length.

    Parameters
    ----------
    columns : iterable of NumericColumn or CategoricalColumn
    rows : int
        Number of rows, needed because a table may have no columns.
    named : bool, default=True
        Whether the names came with the data rather than from the columns' positions.
    """

    def __init__(self, columns: Iterable[Column], rows: int, *, named: bool = True) -> None:
        self.columns: tuple[Column, ...] = tuple(columns)
        self.rows = rows
        self.named = named
        twice = [n for n, k in Counter(c.name for c in self.columns).items() if k > 1]
        if twice:
            raise duplicate_names(twice)
        self._by_name = {column.name: column for column in self.columns}

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Table({self.rows} rows, columns {preview(self.names)})"

    @property
    def names(self) -> list[str]:
        """Names of the columns, in order."""
        return [column.name for column in self.columns]

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns without their rows."""
        return tuple(column.field for column in self.columns)

    @property
    def numeric(self) -> list[NumericColumn]:
        """The numeric columns in order, including dates, datetimes and durations."""
        return [column for column in self.columns if isinstance(column, NumericColumn)]

    @property
    def quantities(self) -> list[NumericColumn]:
        """The columns of plain numbers in order, which can be added and have distances."""
        return [column for column in self.numeric if column.field.is_quantity]

    @property
    def categorical(self) -> list[CategoricalColumn]:
        """The categorical columns, in order."""
        return [column for column in self.columns if isinstance(column, CategoricalColumn)]

    def column(self, name: str) -> Column:
        """Return the column of that name; raise an error if there is none."""
        if name not in self._by_name:
            raise InputError(
                f"The data has no column {name!r}.{suggestion(name, self.names)} Its columns are: "
                f"{preview(self.names, max_values=12)}."
            )
        return self._by_name[name]

    def numbers(self, name: str) -> Floats:
        """Return the values of a numeric column."""
        column = self.column(name)
        if not isinstance(column, NumericColumn):
            raise InputError(
                f"Column {name!r} must be numeric, but holds categories such as "
                f"{preview(column.categories)}."
            )
        return column.values

    def categories(self, name: str) -> CategoricalColumn:
        """Return a categorical column."""
        column = self.column(name)
        if not isinstance(column, CategoricalColumn):
            raise InputError(f"Column {name!r} must hold categories, but is numeric.")
        return column

    def missing(self, name: str) -> Mask:
        """Where the value of a column is missing."""
        return self.column(name).missing

    def take(self, rows: NDArray[Any]) -> Table:
        """Return a table of the given rows (numbers or a mask)."""
        columns = [column.take(rows) for column in self.columns]
        count = int(rows.sum()) if rows.dtype == np.bool_ else rows.size
        return Table(columns, count, named=self.named)

    def observed(self) -> Table:
        """Return the table without categories that occur in no row."""
        columns = [c.observed() if isinstance(c, CategoricalColumn) else c for c in self.columns]
        return Table(columns, self.rows, named=self.named)

    def with_orders(self, orders: Mapping[str, CategoryOrder]) -> Table:
        """Return the table with ordered categories in the named columns."""
        ordered = {name: _ordered(self.categories(name), order) for name, order in orders.items()}
        columns = [ordered.get(column.name, column) for column in self.columns]
        return Table(columns, self.rows, named=self.named)

    def select(self, names: Sequence[str]) -> Table:
        """Return a table of the named columns."""
        return Table([self.column(name) for name in names], self.rows, named=self.named)

    def renamed(self, names: Sequence[str]) -> Table:
        """Return the table with new column names, in order."""
        columns = [replace(c, name=name) for c, name in zip(self.columns, names, strict=True)]
        return Table(columns, self.rows)

    def without(self, names: Sequence[str]) -> Table:
        """Return the table without the named columns, all of which must exist."""
        for name in names:
            self.column(name)
        dropped = set(names)
        kept = [column for column in self.columns if column.name not in dropped]
        return Table(kept, self.rows, named=self.named)


def _ordered(column: CategoricalColumn, order: CategoryOrder) -> CategoricalColumn:
    ordered = column.with_order(order)
    if not ordered.ordered:
        absent = [value for value in column.observed().categories if value not in order.labels]
        raise InputError(
            f"Column {column.name!r} has {preview(absent)}, which the order "
            f"{' < '.join(order.labels)} does not have. Add each value to the order, or mark it as "
            "missing."
        )
    return ordered


def duplicate_names(names: Sequence[str]) -> InputError:
    """Error for column names that occur more than once."""
    return InputError(
        f"Column names must be unique, but these occur more than once: {preview(names)}. "
        "Rename or drop the repeated columns."
    )


def text_labels(column: CategoricalColumn) -> tuple[list[str], NDArray[np.int32]]:
    """Return the texts that occur in a column in sorted order, and the number of each row's text.

    No value may be missing.
    """
    there = np.flatnonzero(column.counts).tolist()
    there.sort(key=column.categories.__getitem__)
    number = np.zeros(len(column.categories), np.int32)
    number[there] = np.arange(len(there))
    return [column.categories[place] for place in there], number[column.codes]


def labels_of(table: Table, name: str) -> tuple[NDArray[Any], Mask]:
    """Class labels of a column, and where they are known.

    Whole numbers become integers, so that a class read from a file is ``1`` and not ``1.0``.
    Unknown labels have an arbitrary value; at least one must be known.
    """
    column = table.column(name)
    known = ~column.missing
    if not known.any():
        raise no_labels(table, name)
    if isinstance(column, CategoricalColumn):
        if column.kind == "boolean":
            return np.array([c == "True" for c in column.categories] or [False])[
                column.codes
            ], known
        return np.array(column.categories or [""], dtype=object)[column.codes], known
    if column.field.moment is not None:
        return np.array(column.cells(), dtype=object), known
    values = np.where(known, column.values, 0.0)
    whole = values == np.floor(values)
    if whole.all() and (np.abs(values) < 2.0**53).all():
        return values.astype(np.int64), known
    return values, known


def no_labels(table: Table, name: str) -> InputError:
    """Error for a column of classes without a value."""
    return InputError(f"Column {name!r}, the class, is missing in all {table.rows} rows.")
