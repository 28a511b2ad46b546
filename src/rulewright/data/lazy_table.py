"""Tables that stay where they are: DuckDB relations, Polars lazy frames, and others of narwhals.

A search gets counts of rows (``Counts``), or some of the rows where it asks for these. Nothing is
written; only the workers of Spark keep the columns until the table is closed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import (
    CategoricalColumn,
    Column,
    Field,
    Kind,
    NumericColumn,
    is_number_kind,
)
from rulewright.data.counts import (
    BINS,
    CategoryCounts,
    Condition,
    DepthCounts,
    Floats,
    GroupCounts,
    Patterns,
    Route,
    RowGroups,
    RowPart,
    ValueRange,
)
from rulewright.data.expression_counts import ExpressionCounts
from rulewright.data.frames import is_frame
from rulewright.data.kept_rows import KEPT_BYTES, KeptRows
from rulewright.data.key_hash import (
    MODULUS,
    KeyHash,
    check_lazy_keys,
    rows_below,
    rows_from,
)
from rulewright.data.lazy_columns import (
    class_rows,
    class_values,
    cleaned,
    coded,
    column_kinds,
    fetched,
    may_be_large,
    need_columns,
    order_of,
    plain,
    refuse_split_names,
)
from rulewright.data.lazy_moments import with_counts
from rulewright.data.lazy_queries import (
    LABEL,
    aggregates,
    answered,
    different,
    distinct_values,
    quantile_ends,
)
from rulewright.data.lazy_survey import (
    KEY,
    CodedFrame,
    ColumnSurvey,
    FirstPass,
    refuse_inexact,
)
from rulewright.data.moments import is_moment
from rulewright.data.spark_partitions import spark_runner
from rulewright.data.streamed_counts import StreamedCounts
from rulewright.data.streamed_rows import StreamedRows, sends_rows
from rulewright.data.table import Table
from rulewright.errors import InputError

if TYPE_CHECKING:
    from rulewright.data.partition_counts import PartitionCounts, Runner


STREAMED_ROWS = 4_000_000
"""Number of rows whose values are counted where an engine sends rows."""
STREAMED_BINS = 16_384
"""Number of bins of a cell where an engine sends rows."""
SORTED_ROWS = 50_000_000
"""Number of rows up to which a column is sorted in memory where an engine sends rows."""
NODE = "node"
"""Column of keys in a query for a sample."""


def is_lazy(X: Any) -> bool:
    """Whether ``X`` is a lazy frame: a DuckDB relation, a Polars LazyFrame, or another."""
    if isinstance(X, np.ndarray) or is_frame(X):
        return False
    return isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame)


def lazy_names(frame: Any) -> list[str]:
    """Names of the columns of a lazy frame."""
    return list(nw.from_native(frame).collect_schema().names())


def selected(frame: Any, names: Sequence[str]) -> Any:
    """Some columns of a lazy frame, in the order of the frame."""
    need_columns(names, lazy_names(frame))
    return nw.from_native(frame).select([n for n in lazy_names(frame) if n in names])


class LazyTable:
    """A table in an engine that answers with counts; see ``Counts``.

    Close it, or use it in a ``with`` statement: memory or the workers of Spark keep its columns
    until then.

    Parameters
    ----------
    frame : lazy frame of narwhals, or what narwhals makes one of
    target : str
        Column of the classes.
    drop : names of columns to leave out
    key : str, optional
        Column of keys, whole numbers that identify the rows. Nothing is learnt about it.
    trusted : bool, default=False
        Whether the keys were looked at before.

    Attributes
    ----------
    fields : tuple of Field
        The columns, in the order of the frame.
    table : Table
        The columns without rows. Text columns that are keys have no categories.
    classes : tuple of labels
    keys : dict of str to str
        Columns that identify rows, with the reason.
    """

    exact_rows: int = 50_000
    refined_rows: int = 50_000
    most_bins: int = BINS

    def __init__(
        self,
        frame: Any,
        target: str,
        *,
        drop: Sequence[str] = (),
        key: str | None = None,
        trusted: bool = False,
    ) -> None:
        whole = nw.from_native(frame)
        need_columns([target, *([key] if key else [])], whole.collect_schema().names())
        self._whole, self._drop, self.key = whole, tuple(drop), key
        left_out = [*drop, key]
        schema = {n: dtype for n, dtype in whole.collect_schema().items() if n not in left_out}
        self.target = target
        self._kinds = column_kinds(whole, [name for name in schema if name != target])
        if not self._kinds:
            raise InputError(f"There is no column besides the class {target!r} to learn from.")
        refuse_split_names(whole, [target, *self._kinds, *([key] if key else [])])
        self._place = {name: f"c{i}" for i, name in enumerate(self._kinds)}
        self._orders = {n: order for n in self._kinds if (order := order_of(schema[n]))}
        kinds = {target: column_kinds(whole, [target])[target], **self._kinds}
        self._counted = with_counts(whole, {n: k for n, k in kinds.items() if is_moment(k)})
        types = self._counted.collect_schema()
        asked = [plain(n, types[n], k).alias(self._place.get(n, LABEL)) for n, k in kinds.items()]
        if key is not None:
            asked.append(nw.col(key).cast(nw.Float64).alias(KEY))
        self._runner = spark_runner(self._counted.select(*asked))
        self._kept: KeptRows | None = None
        with ExitStack() as on_error:
            on_error.callback(self.close)
            self._look(schema, types, kinds[target])
            if key is not None and not trusted:
                self._check_keys(key)
            on_error.pop_all()

    def _look(self, schema: Mapping[str, Any], types: Mapping[str, Any], kind: Kind) -> None:
        """Find the classes, of a kind, and what a search must know of the columns.

        ``schema`` are the types of the columns, and ``types`` those with numbers for times.
        """
        whole, target = self._whole, self.target
        label = cleaned(target, types[target], kind)
        seen = _surveyed(self._runner, self._kinds, self._place, kind) if self._runner else None
        rows = seen.classes if seen else class_rows(self._counted, target, label)
        labels, values = class_values(rows, target, kind)
        self.classes = tuple(labels.tolist())
        columns = [cleaned(n, types[n], k).alias(self._place[n]) for n, k in self._kinds.items()]
        self._coded = CodedFrame(
            self._counted,
            [coded(label, values).alias(LABEL), *columns],
            self._kinds,
            self._place,
            self.key,
        )
        refuse_inexact(whole, [name for name in self._kinds if may_be_large(schema[name])])
        survey = ColumnSurvey.of(self._coded, [rows[value] for value in values], seen)
        self.class_counts, self.ranges, self.missing = (
            survey.class_counts,
            survey.ranges,
            survey.missing,
        )
        self.keys, self.category_counts = survey.keys, survey.category_counts
        self._categories = {name: tuple(rows) for name, rows in self.category_counts.items()}
        self._categories.update({name: order.labels for name, order in self._orders.items()})
        self.fields = tuple(
            Field(
                name,
                kind,
                len(self._orders[name].labels)
                if name in self._orders
                else survey.distinct.get(name, 0),
                self._orders.get(name),
            )
            for name, kind in self._kinds.items()
        )
        self.table = Table([self._empty(name) for name in self._kinds], 0)
        self._counts = self._counts_by(types, values, label, seen)

    def _counts_by(
        self, types: Mapping[str, Any], values: Sequence[Any], label: Any, seen: FirstPass | None
    ) -> ExpressionCounts | PartitionCounts:
        """Return what counts: the partitions of a table, the rows that an engine sends, or queries.

        ``values`` are the classes in the engine, and ``label`` is the expression of the class.
        """
        if self._runner is not None and seen is not None:
            return _partition_counts(
                self._runner, self._coded, self._categories, values, seen.partitions
            )
        if not sends_rows(self._whole):
            return ExpressionCounts(self._coded, self._categories, len(values))
        columns = [plain(n, types[n], k).alias(self._place[n]) for n, k in self._kinds.items()]
        frame = self._counted.select(coded(label, values).alias(LABEL), *columns)
        rows = StreamedRows(frame, self._kinds, self._place, self._categories)
        # To send rows once more takes longer than to sort some, or to have many bins.
        self.refined_rows, self.most_bins = STREAMED_ROWS, STREAMED_BINS
        if (kept := KeptRows(rows, self.rows)).size <= KEPT_BYTES:
            self._kept = kept
        return StreamedCounts(self._coded, self._categories, self.class_counts, rows, self._kept)

    def close(self) -> None:
        """Release what memory, or the workers of Spark, keep for the next count."""
        if self._runner is not None:
            self._runner.close()
        if self._kept is not None:
            self._kept.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_keys(self, key: str) -> None:
        """Refuse keys that do not identify rows."""
        if not self._whole.collect_schema()[key].is_integer():
            raise InputError(
                f"Column {key!r}, the key, must hold whole numbers, got values of type "
                f"{self._whole.collect_schema()[key]}. Cast it in the query."
            )
        ways, what = ("count", "min", "max"), f"look at the keys in {key!r}"
        asked = [getattr(nw.col(key), way)() for way in ways]
        found = dict(zip(ways, aggregates(self._whole, what, asked), strict=True))
        distinct = different(self._whole, key, what)
        check_lazy_keys({**found, "different": distinct}, key, self.rows)

    def with_hash_from(self, key_hash: KeyHash, least: int) -> LazyTable:
        """Return the table of the rows whose keys have a hash of ``least`` or more."""
        assert self.key is not None
        rows = rows_from(self._whole, self.key, key_hash, least)
        return LazyTable(rows, self.target, drop=self._drop, key=self.key, trusted=True)

    def is_numeric(self, name: str) -> bool:
        """Whether a column of the frame, which may be left out here, holds numbers or times."""
        need_columns([name], self._whole.collect_schema().names())
        return is_number_kind(column_kinds(self._whole, [name])[name])

    def of_columns(self, names: Sequence[str]) -> LazyTable:
        """Return a table of some columns of the frame, also of those that are left out here."""
        return LazyTable(selected(self._whole, [self.target, *names]), self.target)

    def sampled(self, key_hash: KeyHash, rows: int) -> tuple[Table, NDArray[np.int32]]:
        """Fetch about a number of rows, those with the smallest hashes of their keys.

        Returns the columns and the numbers of the classes, in the order of the keys. These are all
        rows if there are no more.
        """
        assert self.key is not None
        limit = min(rows * MODULUS // self.rows, MODULUS)
        some = rows_below(self._counted, self.key, key_hash, limit)
        table, labels, _ = self._keyed(some, "fetch a sample of the rows")
        return table, labels

    def _keyed(self, frame: Any, what: str) -> tuple[Table, NDArray[np.int32], NDArray[np.int64]]:
        """Fetch the columns, classes and keys of rows, in the order of the keys."""
        assert self.key is not None
        key = nw.col(self.key).cast(nw.Int64).alias(NODE)
        found = answered(frame.select(key, *self._coded.columns), what)
        keys = found[NODE].astype(np.int64)
        order = np.argsort(keys, kind="stable")
        columns = [
            fetched(n, k, found[self._place[n]][order], self._orders.get(n))
            for n, k in self._kinds.items()
        ]
        return Table(columns, order.size), found[LABEL][order].astype(np.int32), keys[order]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.class_counts.sum())

    def _empty(self, name: str) -> Column:
        kind = self._kinds[name]
        if is_number_kind(kind):
            return NumericColumn(name, np.empty(0), kind)
        categories, is_ordered = self._categories.get(name, ()), name in self._orders
        return CategoricalColumn(name, kind, np.empty(0, np.int32), categories, is_ordered)

    def estimated_scans(self, levels: int) -> int:
        """Estimate the number of scans of the table for a tree of a number of levels.

        A scan reads the class and one column. Each level counts every column, and some columns of
        numbers once more within bins. The survey, the places of the cuts and the pruning come on
        top.
        """
        numeric = sum(map(is_number_kind, self._kinds.values()))
        once = 3 + 2 * (len(self._kinds) - numeric) + 2
        return once + levels * (len(self._kinds) + (numeric + 1) // 2)

    # What a search asks

    def by_group(
        self,
        route: Route,
        values: Mapping[str, Sequence[ValueRange]],
        bins: Mapping[str, Sequence[ValueRange]],
        categories: Sequence[str],
        bin_count: int = BINS,
    ) -> RowGroups:
        return self._counts.by_group(route, values, bins, categories, bin_count)

    def by_value(
        self, route: Route, cells: Mapping[str, Sequence[ValueRange]]
    ) -> dict[str, GroupCounts]:
        return self._counts.by_group(route, cells, {}, (), BINS).values

    def by_bin(
        self, route: Route, cells: Mapping[str, Sequence[ValueRange]]
    ) -> dict[str, GroupCounts]:
        return self._counts.by_group(route, {}, cells, (), BINS).bins

    def by_category(self, route: Route, names: Sequence[str]) -> dict[str, CategoryCounts]:
        return self._counts.by_group(route, {}, {}, names, BINS).categories

    def by_node(self, route: Route) -> dict[int, Floats]:
        return self._counts.by_node(route)

    def largest_up_to(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        return self._counts.largest_up_to(numbers)

    def smallest_above(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        return self._counts.smallest_above(numbers)

    def quantile_ends(self, names: Sequence[str], groups: int) -> dict[str, Floats]:
        many = [name for name in names if self.rows - self.missing[name] > groups]
        found = {}
        for name in many:
            ends = self._quantile_ends(name, groups)
            if ends is not None:
                found[name] = ends
        return found

    def _quantile_ends(self, name: str, groups: int) -> Floats | None:
        if isinstance(self._counts, StreamedCounts) and self.rows <= SORTED_ROWS:
            return self._counts.quantile_ends(name, groups)
        rows = self.rows - self.missing[name]
        return quantile_ends(self._coded.frame, self._place[name], rows, groups)

    def distinct_values(self, names: Sequence[str]) -> dict[str, int]:
        return {name: distinct_values(self._coded.frame, self._place[name]) for name in names}

    def patterns(self, cuts: Mapping[str, Floats], categorical: Sequence[str]) -> Patterns:
        found = self._counts.patterns(cuts, categorical)
        columns = [self._described(column) for column in found.table.columns]
        return found._replace(table=Table(columns, found.table.rows))

    def by_depth(self, part: RowPart, rules: Sequence[Sequence[Condition]]) -> DepthCounts:
        return self._counts.by_depth(part, rules)

    def rows_of(self, part: RowPart, names: Sequence[str]) -> tuple[Table, NDArray[np.int32]]:
        rows, labels = self._counts.rows_of(part, names)
        columns = [self._described(column) for column in rows.columns]
        return Table(columns, rows.rows), labels

    def keyed_rows(self) -> tuple[Table, NDArray[np.int32], NDArray[np.int64]]:
        return self._keyed(self._counted, "fetch the rows")

    def _described(self, column: Column) -> Column:
        """Return a column of a pattern with its kind, or with the order of its categories."""
        if isinstance(column, NumericColumn):
            return replace(column, kind=self._kinds[column.name])
        return replace(column, ordered=column.name in self._orders)


def _surveyed(
    run: Runner, kinds: Mapping[str, Kind], place: Mapping[str, str], kind: Kind
) -> FirstPass:
    """Look at every column once, in the partitions of the table."""
    from rulewright.data.partition_counts import survey_partitions  # noqa: PLC0415  (Arrow is slow)

    return survey_partitions(run, kinds, place, kind)


def _partition_counts(
    run: Runner,
    coded: CodedFrame,
    categories: Mapping[str, tuple[str, ...]],
    values: Sequence[Any],
    partitions: int,
) -> PartitionCounts:
    """Counts by the partitions of a table."""
    from rulewright.data.partition_counts import PartitionCounts  # noqa: PLC0415  (Arrow is slow)

    labels = tuple(str(value) if isinstance(value, bool) else value for value in values)
    return PartitionCounts(run, coded, categories, labels, partitions)
