"""Rows of a table that are sent once and kept in memory, if they are few enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from rulewright.data.columns import is_number_kind
from rulewright.data.counts import CLOSED, Condition, Fork, Route
from rulewright.data.streamed_rows import BATCH_ROWS, Batch, Integers, RowRoutes, StreamedRows
from rulewright.errors import EngineError

KEPT_BYTES = 1 << 29
"""Memory up to which the rows of a table are kept; a part of them may be kept besides."""


ColumnTest = tuple[str, Condition]


class SentRows(Protocol):
    """Rows that come in batches."""

    def batches(self, names: Sequence[str], what: str) -> Iterator[tuple[Integers, Batch]]:
        """Yield the classes and some columns of rows; ``what`` says in an error what for."""


class RowsInMemory(NamedTuple):
    """Classes and columns of some rows."""

    labels: Integers
    columns: Batch

    def batches(self, names: Sequence[str], what: str) -> Iterator[tuple[Integers, Batch]]:
        """Yield the classes and some columns of rows; ``what`` is not needed."""
        for first in range(0, self.labels.size, BATCH_ROWS):
            part = slice(first, first + BATCH_ROWS)
            yield self.labels[part], {name: self.columns[name][part] for name in names}


class KeptRows:
    """The rows of a frame, sent once; ``count`` is their number.

    The rows that the rules of a list leave are kept too, those of the last list.
    """

    def __init__(self, rows: StreamedRows, count: int) -> None:
        self._rows, self._count = rows, count
        self._types = {
            name: np.dtype(np.float64 if is_number_kind(kind) else np.int32)
            for name, kind in rows.kinds.items()
            if is_number_kind(kind) or name in rows.categories
        }
        self._whole: RowsInMemory | None = None
        self._closing: tuple[ColumnTest, ...] = ()
        self._left: RowsInMemory | None = None

    @property
    def size(self) -> int:
        """Memory that the rows take, in bytes."""
        return self._count * (4 + sum(dtype.itemsize for dtype in self._types.values()))

    def batches(self, names: Sequence[str], what: str) -> Iterator[tuple[Integers, Batch]]:
        """Yield the classes and some columns of rows; ``what`` says in an error what for."""
        return self._kept(what).batches(names, what)

    def left_by(self, route: Route, what: str) -> tuple[RowsInMemory, Route]:
        """Return the rows that a route does not close at its beginning, and the rest of it."""
        closing, rest = _beginning(route)
        known = len(self._closing)
        if self._left is None or closing[:known] != self._closing:
            self._closing, self._left, known = (), self._kept(what), 0
        if closing[known:]:
            self._left = self._filtered(self._left, closing[known:])
            self._closing = closing
        return self._left, rest

    def close(self) -> None:
        """Release the memory."""
        self._whole, self._left, self._closing = None, None, ()

    def _kept(self, what: str) -> RowsInMemory:
        if self._whole is None:
            self._whole = self._sent(what)
        return self._whole

    def _sent(self, what: str) -> RowsInMemory:
        """Classes and columns from one query: another might send the rows in another order."""
        labels = np.empty(self._count, np.int32)
        columns = {name: np.empty(self._count, dtype) for name, dtype in self._types.items()}
        first = 0
        for some, batch in self._rows.batches(list(columns), what):
            last = first + some.size
            if last <= self._count:
                labels[first:last] = some
                for name, values in batch.items():
                    columns[name][first:last] = values
            first = last
        if first != self._count:
            raise EngineError(
                f"The table changed during the fit: it had {self._count:,} rows at first, and then "
                f"{first:,}. Learn from a copy, or from a query that always has the same rows."
            )
        return RowsInMemory(labels, columns)

    def _filtered(self, rows: RowsInMemory, closing: Sequence[ColumnTest]) -> RowsInMemory:
        """Rows for which no test holds."""
        route: Route = 0
        for column, condition in reversed(closing):
            route = Fork(column, (condition,), (CLOSED, route))
        routes = RowRoutes(route, self._rows.kinds, self._rows.categories)
        batches = rows.batches(routes.columns, "")
        parts = [routes.places(batch, labels.size) >= 0 for labels, batch in batches]
        left = np.concatenate([np.empty(0, np.bool_), *parts])
        columns = {name: values[left] for name, values in rows.columns.items()}
        return RowsInMemory(rows.labels[left], columns)


def _beginning(route: Route) -> tuple[tuple[ColumnTest, ...], Route]:
    """Tests that close rows one after the other at the beginning of a route, and its rest.

    Examples
    --------
    >>> rest = Fork("y", (Condition("above"),), (0, 1))
    >>> closing, left = _beginning(Fork("x", (Condition("missing"),), (CLOSED, rest)))
    >>> [(column, test.kind) for column, test in closing], left == rest
    ([('x', 'missing')], True)
    """
    closing: list[ColumnTest] = []
    while isinstance(route, Fork) and len(route.conditions) == 1 and route.routes[0] == CLOSED:
        (condition,) = route.conditions
        if condition.kind == "all" and not condition.parts:
            break
        closing.append((route.column, condition))
        route = route.routes[1]
    return tuple(closing), route
