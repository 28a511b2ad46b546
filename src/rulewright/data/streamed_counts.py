"""Counts of a table whose rows an engine sends in batches.

DuckDB sends rows faster than it counts them by expressions: a query has one group for every bin of
every column, while here each value is counted in a few nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import CategoricalColumn, Column, NumericColumn
from rulewright.data.counts import (
    CLOSED,
    CategoryCounts,
    Floats,
    GroupCounts,
    Places,
    Route,
    RowGroups,
    RowPart,
    ValueRange,
)
from rulewright.data.expression_counts import ExpressionCounts
from rulewright.data.kept_rows import KeptRows, SentRows
from rulewright.data.lazy_cells import bin_scale, cells_by_node
from rulewright.data.lazy_survey import CodedFrame
from rulewright.data.streamed_rows import Batch, Integers, RowRoutes, StreamedRows
from rulewright.data.table import Table
from rulewright.errors import preview
from rulewright.kernels import NodeCells, RangeCounter


class StreamedCounts(ExpressionCounts):
    """Counts of cells, nodes and categories, from one pass over the columns of a question.

    Parameters
    ----------
    coded : CodedFrame
    categories : categories of the columns that are not numeric and no keys
    class_counts : number of rows of each class
    rows : StreamedRows
    kept : the same rows, if they are kept in memory
    """

    def __init__(
        self,
        coded: CodedFrame,
        categories: Mapping[str, tuple[str, ...]],
        class_counts: Floats,
        rows: StreamedRows,
        kept: KeptRows | None = None,
    ) -> None:
        super().__init__(coded, categories, class_counts.size)
        self._class_counts = class_counts
        self._rows, self._kept = rows, kept

    def by_group(
        self,
        route: Route,
        values: Mapping[str, Sequence[ValueRange]],
        bins: Mapping[str, Sequence[ValueRange]],
        categories: Sequence[str],
        bin_count: int,
    ) -> RowGroups:
        """Count cells by value and in bins, and rows by category, in one pass."""
        what = f"count the rows of {preview([*values, *bins, *categories])}"
        rows, routes = self._open(route, what)
        valued = {n: StreamedCells(some, routes.nodes, self._classes) for n, some in values.items()}
        binned = {
            n: StreamedCells(some, routes.nodes, self._classes, bin_count)
            for n, some in bins.items()
        }
        listed = {
            n: StreamedCategories(len(self._categories[n]), routes.nodes, self._classes)
            for n in categories
        }
        counters: list[tuple[str, StreamedCells | StreamedCategories]] = [
            *valued.items(),
            *binned.items(),
            *listed.items(),
        ]
        names = [name for name, _ in counters]
        for labels, batch, nodes in _routed_rows(rows, routes, names, what):
            for name, counter in counters:
                counter.add(batch[name], nodes, labels)
        return RowGroups(
            {name: counter.found() for name, counter in valued.items()},
            {name: counter.found() for name, counter in binned.items()},
            {name: counter.found() for name, counter in listed.items()},
        )

    def by_node(self, route: Route) -> dict[int, Floats]:
        what = "count the rows of the rules"
        rows, routes = self._open(route, what)
        counts = np.zeros((len(routes.nodes) + 1) * self._classes)
        for labels, _, nodes in _routed_rows(rows, routes, [], what):
            places = nodes + 1 if nodes.size else np.ones_like(labels)
            counts += np.bincount(places * self._classes + labels, minlength=counts.size)
        by_place = counts.reshape(-1, self._classes)
        by_place[0] = self._class_counts - by_place[1:].sum(axis=0)
        found = zip((CLOSED, *routes.nodes), by_place, strict=True)
        return {node: some for node, some in found if some.any()}

    def rows_of(self, part: RowPart, names: Sequence[str]) -> tuple[Table, NDArray[np.int32]]:
        rows = replace(self._rows, frame=self._part_rows(part))
        found = list(rows.batches(names, "fetch rows to grow a rule from"))
        labels = np.concatenate([np.empty(0, np.int32), *(some for some, _ in found)])
        columns = [self._joined(name, [batch[name] for _, batch in found]) for name in names]
        return Table(columns, labels.size), labels

    def _joined(self, name: str, parts: Sequence[NDArray[Any]]) -> Column:
        """Column of the values or codes of several batches."""
        if name in self._categories:
            codes = np.concatenate([np.empty(0, np.int32), *parts])
            return CategoricalColumn(name, self._kinds[name], codes, self._categories[name])
        return NumericColumn(name, np.concatenate([np.empty(0), *parts]) + 0.0)

    def quantile_ends(self, name: str, groups: int) -> Floats | None:
        """Largest values of groups of about as many rows; None if there are no more values.

        The values of the column are sorted in memory. See ``Counts``.
        """
        parts = [
            batch[name]
            for _, batch in (self._kept or self._rows).batches(
                [name], "find the quantiles of a column"
            )
        ]
        found = np.concatenate(parts) + 0.0  # turns -0.0 into 0.0
        del parts
        found.sort()
        rows = int(np.searchsorted(found, np.inf, side="right"))  # NaN comes last
        last = np.flatnonzero(np.append(found[1:rows] != found[: rows - 1], True))
        if last.size <= groups:
            return None
        group = last * groups // rows
        return np.asarray(found[last[np.append(group[1:] != group[:-1], True)]])

    def _open(self, route: Route, what: str) -> tuple[SentRows, RowRoutes]:
        """Rows that a route has to be applied to, and its tests."""
        rows: SentRows = self._rows
        if self._kept is not None:
            rows, route = self._kept.left_by(route, what)
        return rows, RowRoutes(route, self._kinds, self._categories)


def _routed_rows(
    rows: SentRows, routes: RowRoutes, names: Sequence[str], what: str
) -> Iterator[tuple[Integers, Batch, Integers]]:
    """Yield the classes, columns and nodes of rows."""
    wanted = list(dict.fromkeys([*names, *routes.columns]))
    for labels, batch in rows.batches(wanted, what):
        yield labels, batch, routes.places(batch, labels.size)


class StreamedCells:
    """Counts of the cells of a column, in bins or by value."""

    def __init__(
        self,
        cells: Sequence[ValueRange],
        nodes: Sequence[int],
        classes: int,
        bins: int | None = None,
    ) -> None:
        by_node = cells_by_node(cells)
        ordered = [(place, cell) for node in nodes for place, cell in by_node.get(node, [])]
        self._place = np.array([place for place, _ in ordered], np.intp)
        sizes = [len(by_node.get(node, [])) for node in nodes]
        scales = [0.0 if bins is None else bin_scale(cell, bins) for _, cell in ordered]
        self._counter = RangeCounter(
            NodeCells(
                np.cumsum([0, *sizes], dtype=np.int32),
                np.array([cell.low for _, cell in ordered], np.float64),
                np.array([cell.high for _, cell in ordered], np.float64),
                np.array(scales, np.float64),
            ),
            classes,
            bins,
        )

    def add(self, values: Floats, nodes: Integers, labels: Integers) -> None:
        """Count rows."""
        self._counter.add(values, nodes, labels)

    def found(self) -> GroupCounts:
        """Groups in the order of the cells that were asked for."""
        groups = self._counter.groups()
        place = self._place[groups.cell]
        order = np.argsort(place, kind="stable")
        counts = groups.counts[order].astype(np.float64)
        return GroupCounts(place[order], groups.low[order], groups.high[order], counts)


class StreamedCategories:
    """Counts of the categories of a column by node."""

    def __init__(self, categories: int, nodes: Sequence[int], classes: int) -> None:
        self._nodes: Places = np.array(nodes, np.intp)
        self._shape = len(nodes) + 1, categories + 2, classes
        self._counts = np.zeros(int(np.prod(self._shape)), np.int64)

    def add(self, codes: Integers, nodes: Integers, labels: Integers) -> None:
        """Count rows."""
        places = nodes.astype(np.int64) + 1 if nodes.size else np.ones(codes.size, np.int64)
        keys = (places * self._shape[1] + codes + 1) * self._shape[2] + labels
        self._counts += np.bincount(keys, minlength=self._counts.size)

    def found(self) -> CategoryCounts:
        """Categories of each node, a missing one first; unknown ones are left out."""
        counts = self._counts.reshape(self._shape)[1:, :-1]
        node, code = np.nonzero(counts.any(axis=2))
        return CategoryCounts(self._nodes[node], code - 1, counts[node, code].astype(np.float64))
