"""Tables that stay where they are: DuckDB relations, Polars lazy frames, and others of narwhals.

The engine only counts rows (``Counts``). No row is fetched, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from operator import and_
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import (
    CategoricalColumn,
    Column,
    Field,
    NumericColumn,
    category_text,
)
from rulewright.data.counts import (
    BINS,
    CategoryCounts,
    Condition,
    Floats,
    GroupCounts,
    Patterns,
    Places,
    Route,
    ValueRange,
    grouped_counts,
    nodes_of,
)
from rulewright.data.frames import is_frame
from rulewright.data.key_hash import (
    MODULUS,
    KeyHash,
    check_lazy_keys,
    rows_below,
    rows_from,
)
from rulewright.data.lazy_cells import (
    bin_number,
    cell_number,
    cells_by_node,
    interval_number,
    whole,
)
from rulewright.data.lazy_columns import (
    class_values,
    cleaned,
    coded,
    fetched,
    kind_of,
    may_be_large,
    need_columns,
    refuse_split_names,
)
from rulewright.data.lazy_queries import (
    LABEL,
    ROWS,
    Answer,
    aggregates,
    answered,
    counted,
    different,
    quantile_ends,
)
from rulewright.data.lazy_survey import CodedFrame, ColumnSurvey, refuse_inexact
from rulewright.data.table import Table
from rulewright.errors import InputError, preview

MAX_PATTERNS = 5_000_000
PART = 2**32
NODE, CELL, VALUE = "node", "cell", "value"
LOW, HIGH = "low", "high"
"""Columns of queries; those of the table are c0, c1, ..."""


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

    Parameters
    ----------
    frame : lazy frame of narwhals, or what narwhals makes one of
    target : str
        Column of the classes.
    drop : names of columns to leave out
    key : str, optional
        Column of keys, whole numbers that identify the rows. Nothing is learnt about it.

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

    def __init__(
        self, frame: Any, target: str, *, drop: Sequence[str] = (), key: str | None = None
    ) -> None:
        whole = nw.from_native(frame)
        need_columns([target, *([key] if key else [])], whole.collect_schema().names())
        self._whole, self._drop, self.key = whole, tuple(drop), key
        left_out = [*drop, key]
        schema = {n: dtype for n, dtype in whole.collect_schema().items() if n not in left_out}
        self.target = target
        self._kinds = {name: kind_of(name, d) for name, d in schema.items() if name != target}
        if not self._kinds:
            raise InputError(f"There is no column besides the class {target!r} to learn from.")
        refuse_split_names(whole, [target, *self._kinds, *([key] if key else [])])
        self._place = {name: f"c{i}" for i, name in enumerate(self._kinds)}
        labels, values = class_values(whole, target)
        self.classes = tuple(labels.tolist())
        label = coded(cleaned(target, schema[target], kind_of(target, schema[target])), values)
        columns = [
            cleaned(n, schema[n], kind).alias(self._place[n]) for n, kind in self._kinds.items()
        ]
        self._columns = [label.alias(LABEL), *columns]
        self._frame = whole.select(*self._columns)
        refuse_inexact(whole, [name for name in self._kinds if may_be_large(schema[name])])
        survey = ColumnSurvey.of(CodedFrame(self._frame, self._kinds, self._place))
        self.class_counts, self.ranges, self.missing = (
            survey.class_counts,
            survey.ranges,
            survey.missing,
        )
        self.keys, self.category_counts = survey.keys, survey.category_counts
        self._categories = {name: tuple(rows) for name, rows in self.category_counts.items()}
        self.fields = tuple(
            Field(name, kind, survey.distinct.get(name, 0)) for name, kind in self._kinds.items()
        )
        self.table = Table([self._empty(name) for name in self._kinds], 0)
        if key is not None:
            self._check_keys(key)

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
        found = LazyTable(rows, self.target, drop=(*self._drop, self.key))
        found.key = self.key
        return found

    def sampled(self, key_hash: KeyHash, rows: int) -> tuple[Table, NDArray[np.int32]]:
        """Fetch about a number of rows, those with the smallest hashes of their keys.

        Returns the columns and the numbers of the classes, in the order of the keys. These are all
        rows if there are no more.
        """
        assert self.key is not None
        limit = min(rows * MODULUS // self.rows, MODULUS)
        some = rows_below(self._whole, self.key, key_hash, limit)
        key = nw.col(self.key).cast(nw.Int64).alias(NODE)
        found = answered(some.select(key, *self._columns), "fetch a sample of the rows")
        order = np.argsort(found[NODE].astype(np.int64), kind="stable")
        columns = [fetched(n, k, found[self._place[n]][order]) for n, k in self._kinds.items()]
        return Table(columns, order.size), found[LABEL][order].astype(np.int32)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.class_counts.sum())

    def _empty(self, name: str) -> Column:
        kind = self._kinds[name]
        if kind == "numeric":
            return NumericColumn(name, np.empty(0))
        return CategoricalColumn(name, kind, np.empty(0, np.int32), self._categories.get(name, ()))

    def estimated_scans(self, levels: int) -> int:
        """Estimate the number of scans of the table for a tree of a number of levels.

        A scan reads the class and one column. Each level counts every column, and some columns of
        numbers once more within bins. The survey, the places of the cuts and the pruning come on
        top.
        """
        numeric = sum(kind == "numeric" for kind in self._kinds.values())
        once = 3 + 2 * (len(self._kinds) - numeric) + 2
        return once + levels * (len(self._kinds) + (numeric + 1) // 2)

    # What a search asks

    def by_value(
        self, route: Route, cells: Mapping[str, Sequence[ValueRange]]
    ) -> dict[str, GroupCounts]:
        parts = [
            counted(frame.filter(nw.col(CELL) >= 0), CELL, VALUE, LABEL)
            for frame in self._in_cells(route, cells, lambda first, place, *_: whole(first + place))
        ]
        found = self._in_one(parts, CELL, f"count the values of {preview(cells)}")
        return {name: self._valued(one) for name, one in zip(cells, found, strict=True)}

    def _valued(self, found: Answer) -> GroupCounts:
        values = found[VALUE].astype(np.float64) + 0.0  # turns -0.0 into 0.0
        first, _, counts = self._grouped([found[CELL], values], found)
        return GroupCounts(found[CELL][first].astype(np.intp), values[first], values[first], counts)

    def by_bin(
        self, route: Route, cells: Mapping[str, Sequence[ValueRange]]
    ) -> dict[str, GroupCounts]:
        ends = [nw.col(VALUE).min().alias(LOW), nw.col(VALUE).max().alias(HIGH)]
        # Rows in no cell are one group more, which is cheaper than to filter by the cell.
        parts = [
            counted(frame, CELL, LABEL, more=ends)
            for frame in self._in_cells(
                route,
                cells,
                lambda first, place, cell, value: (
                    whole(first + place * BINS) + bin_number(value, cell)
                ),
            )
        ]
        found = self._in_one(parts, CELL, f"count the bins of {preview(cells)}")
        return {name: self._binned(one) for name, one in zip(cells, found, strict=True)}

    def _in_cells(
        self,
        route: Route,
        cells: Mapping[str, Sequence[ValueRange]],
        code: Callable[[int, int, ValueRange, Any], Any],
    ) -> list[Any]:
        """Class, cell and value of the rows, one frame for each column; -1 is no cell.

        The cells of a node are in the branch of the node. So the expression grows with the number
        of cells and splits, also where an engine filters by it.
        """
        return [
            self._in_cells_of(name, route, some, partial(code, part * PART))
            for part, (name, some) in enumerate(cells.items())
        ]

    def _in_cells_of(
        self, name: str, route: Route, cells: Sequence[ValueRange], code: Callable[..., Any]
    ) -> Any:
        value, by_node = nw.col(self._place[name]), cells_by_node(cells)

        def at(node: int) -> Any:
            return cell_number(value, by_node[node], code) if node in by_node else whole(-1)

        frame = self._frame
        if not nodes_of(route) <= by_node.keys():
            frame = frame.filter(self._routed(route, lambda node: nw.lit(node in by_node)))
        cell = self._routed(route, at).cast(nw.Int64).alias(CELL)
        return frame.select(nw.col(LABEL), cell, value.alias(VALUE))

    def _binned(self, found: Answer) -> GroupCounts:
        first, group, counts = self._grouped([found[CELL]], found)
        low, high = np.full(first.size, np.inf), np.full(first.size, -np.inf)
        np.minimum.at(low, group, found[LOW].astype(np.float64))
        np.maximum.at(high, group, found[HIGH].astype(np.float64))
        cells = found[CELL][first].astype(np.intp) // BINS
        return GroupCounts(cells, low + 0.0, high + 0.0, counts)

    def by_category(self, route: Route, names: Sequence[str]) -> dict[str, CategoryCounts]:
        node = self._routed(route, whole).cast(nw.Int64).alias(NODE)
        routed = self._frame.with_columns(node)
        if not isinstance(route, int):
            routed = routed.filter(nw.col(NODE) >= 0)
        parts = []
        for part, name in enumerate(names):
            value = nw.col(self._place[name])
            if self._kinds[name] == "boolean":  # all parts of the result have one type
                value = nw.when(value).then(nw.lit("True")).when(~value).then(nw.lit("False"))
            node = nw.col(NODE) + whole(part * PART)
            frame = routed.select(nw.col(LABEL), node.alias(NODE), value.alias(VALUE))
            parts.append(counted(frame, NODE, VALUE, LABEL))
        found = self._in_one(parts, NODE, f"count the categories of {preview(names)}")
        return {name: self._categorised(name, one) for name, one in zip(names, found, strict=True)}

    def _categorised(self, name: str, found: Answer) -> CategoryCounts:
        codes = self._codes(name, found[VALUE])
        first, _, counts = self._grouped([found[NODE], codes], found)
        return CategoryCounts(found[NODE][first].astype(np.intp), codes[first], counts)

    def _in_one(self, parts: Sequence[Any], key: str, what: str) -> list[Answer]:
        """Answers of several counts with the same columns, from one query.

        The numbers of a key of each part begin at a multiple of ``PART``.
        """
        found = answered(nw.concat(parts) if len(parts) > 1 else parts[0], what)
        keys = found[key].astype(np.int64)
        answers = []
        for part in range(len(parts)):
            at = np.flatnonzero(keys // PART == part)
            answers.append({name: column[at] for name, column in found.items()})
            answers[-1][key] = keys[at] - part * PART
        return answers

    def by_node(self, route: Route) -> dict[int, Floats]:
        node = self._routed(route, whole).cast(nw.Int64).alias(NODE)
        frame = counted(self._frame.select(nw.col(LABEL), node), NODE, LABEL)
        found = answered(frame, "count the rows of the rules")
        first, _, counts = self._grouped([found[NODE]], found)
        return dict(zip(found[NODE][first].tolist(), counts, strict=True))

    def largest_up_to(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        return self._nearest(numbers, lambda x, number: nw.when(x <= number).then(x).max())

    def smallest_above(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        return self._nearest(numbers, lambda x, number: nw.when(x > number).then(x).min())

    def _nearest(
        self, numbers: Mapping[str, Floats], nearest: Callable[[Any, float], Any]
    ) -> dict[str, Floats]:
        asked = [
            nearest(nw.col(self._place[name]), number)
            for name, wanted in numbers.items()
            for number in wanted.tolist()
        ]
        found = iter(aggregates(self._frame, "place the cuts", asked))
        return {
            name: np.array([float(next(found)) + 0.0 for _ in wanted])
            for name, wanted in numbers.items()
        }

    def quantile_ends(self, names: Sequence[str], groups: int) -> dict[str, Floats]:
        many = [name for name in names if self.rows - self.missing[name] > groups]
        found = {}
        for name in many:
            rows = self.rows - self.missing[name]
            ends = quantile_ends(self._frame, self._place[name], rows, groups)
            if ends is not None:
                found[name] = ends
        return found

    def patterns(self, cuts: Mapping[str, Floats], categorical: Sequence[str]) -> Patterns:
        codes = [
            interval_number(nw.col(self._place[n]), ends).alias(self._place[n])
            for n, ends in cuts.items()
        ]
        others = [nw.col(self._place[name]) for name in categorical]
        places = [self._place[name] for name in (*cuts, *categorical)]
        frame = self._frame.select(nw.col(LABEL), *codes, *others)
        patterns = counted(frame, *places, LABEL).head(MAX_PATTERNS + 1)
        found = answered(patterns, "count the rows that the tests tell apart")
        if found[ROWS].size > MAX_PATTERNS:
            raise InputError(
                f"The tests of the model tell over {MAX_PATTERNS:,} rows apart, which is more than "
                "memory may hold. Learn a smaller one: set max_depth, max_leaf_nodes or "
                "min_samples_leaf of a tree, max_rules or max_terms of rules."
            )
        numbers = [self._numbers(name, ends, found) for name, ends in cuts.items()]
        texts = [self._coded_column(name, found) for name in categorical]
        return Patterns(
            Table([*numbers, *texts], int(found[ROWS].size)),
            found[LABEL].astype(np.int32),
            found[ROWS].astype(np.float64),
        )

    def _numbers(self, name: str, cuts: Floats, found: Answer) -> NumericColumn:
        """Column with the smallest cut that is not below each value; NaN where it is missing."""
        above = np.nextafter(cuts[-1], np.inf) if cuts.size else 0.0
        steps = np.concatenate([cuts, [above, np.nan]])
        places = found[self._place[name]].tolist()
        return NumericColumn(name, steps[[cuts.size + 1 if p is None else p for p in places]])

    def _coded_column(self, name: str, found: Answer) -> CategoricalColumn:
        codes = self._codes(name, found[self._place[name]]).astype(np.int32)
        return CategoricalColumn(name, self._kinds[name], codes, self._categories[name])

    def _codes(self, name: str, values: NDArray[Any]) -> Places:
        """Numbers of categories, -1 where missing."""
        number = {category: code for code, category in enumerate(self._categories[name])}
        kind = self._kinds[name]
        texts = (None if v is None else category_text(v, kind) for v in values.tolist())
        return np.fromiter((-1 if t is None else number[t] for t in texts), np.intp, values.size)

    def _routed(self, route: Route, at: Callable[[int], Any]) -> Any:
        """Expression with the value ``at`` the node of each row."""
        if isinstance(route, int):
            return at(route)
        found = self._routed(route.routes[-1], at)
        pairs = zip(route.conditions, route.routes, strict=False)
        for condition, branch in reversed(list(pairs)):
            holds = self._holds(route.column, condition)
            found = nw.when(holds).then(self._routed(branch, at)).otherwise(found)
        return found

    def _holds(self, name: str, condition: Condition) -> Any:
        if condition.kind == "all":
            return reduce(and_, (self._holds(*part) for part in condition.parts))
        column = nw.col(self._place[name])
        match condition.kind:
            case "above":
                return column > condition.cut
            case "from":
                return column >= condition.cut
            case "up_to":
                return column <= condition.cut
            case "missing":
                return column.is_null()
            case "present":
                return ~column.is_null()
        texts = condition.categories
        known = [t == "True" for t in texts] if self._kinds[name] == "boolean" else list(texts)
        among = column.is_in(known)
        return among if condition.kind == "among" else ~column.is_null() & ~among

    def _grouped(
        self, keys: Sequence[NDArray[Any]], found: Answer
    ) -> tuple[Places, Places, Floats]:
        labels = found[LABEL].astype(np.intp)
        return grouped_counts(keys, labels, found[ROWS], len(self.classes))
