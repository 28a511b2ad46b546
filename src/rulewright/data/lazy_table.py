"""Tables that stay where they are: DuckDB relations, Polars lazy frames, and others of narwhals.

The engine only counts rows (``Counts``). No row is fetched, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import (
    MAX_EXACT_INTEGER,
    CategoricalColumn,
    Column,
    Field,
    Kind,
    NumericColumn,
    category_text,
    unsupported,
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
)
from rulewright.data.frames import is_frame
from rulewright.data.keys import NUMBER_REASON, chosen_keys, has_key_name, text_reason
from rulewright.data.lazy_queries import Answer, answered
from rulewright.data.table import Table, labels_of
from rulewright.errors import InputError, preview, suggestion

MAX_CATEGORIES = 100_000
MAX_CLASSES = 1_000
MAX_PATTERNS = 5_000_000
PART = 2**32
AGGREGATES = 256
"""Number of aggregates that one query computes."""
LABEL, NODE, CELL, VALUE, ROWS = "y", "node", "cell", "value", "rows"
LOW, HIGH = "low", "high"
"""Columns of queries; those of the table are c0, c1, ..."""


def is_lazy(X: Any) -> bool:
    """Whether ``X`` is a lazy frame: a DuckDB relation, a Polars LazyFrame, or another."""
    if isinstance(X, np.ndarray) or is_frame(X):
        return False
    return isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame)


class LazyTable:
    """A table in an engine that answers with counts; see ``Counts``.

    Parameters
    ----------
    frame : lazy frame of narwhals, or what narwhals makes one of
    target : str
        Column of the classes.
    drop : names of columns to leave out

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

    def __init__(self, frame: Any, target: str, *, drop: Sequence[str] = ()) -> None:
        whole = nw.from_native(frame)
        schema = {name: dtype for name, dtype in whole.collect_schema().items() if name not in drop}
        _need(target, list(schema))
        self.target = target
        self._kinds = {name: _kind(name, d) for name, d in schema.items() if name != target}
        if not self._kinds:
            raise InputError(f"There is no column besides the class {target!r} to learn from.")
        self._place = {name: f"c{i}" for i, name in enumerate(self._kinds)}
        self._exact = [n for n in self._kinds if _may_be_large(schema[n])]
        labels, self._values = _labels(whole, target)
        self.classes = tuple(labels.tolist())
        kind = _kind(target, schema[target])
        label = _coded(_cleaned(target, schema[target], kind), self._values)
        columns = [
            _cleaned(n, schema[n], kind).alias(self._place[n]) for n, kind in self._kinds.items()
        ]
        self._frame = whole.select(label.alias(LABEL), *columns)
        self._survey(whole)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.class_counts.sum())

    def _survey(self, whole: Any) -> None:
        """Count the classes, and find the ranges, the categories and the keys of the columns."""
        numeric = [name for name, kind in self._kinds.items() if kind == "numeric"]
        found = self._ask("count the classes", _count(self._frame, LABEL))
        order = np.argsort(found[LABEL])
        self.class_counts: Floats = found[ROWS][order].astype(np.float64)
        self._refuse_inexact(whole)
        self.ranges: dict[str, tuple[float, float]] = {}
        self.missing = dict.fromkeys(self._kinds, self.rows)
        for name, low, high, present in self._extremes(numeric):
            self.missing[name] = self.rows - present
            if present:
                self.ranges[name] = low, high
        self.category_counts: dict[str, dict[str, int]] = {}
        self._categories: dict[str, tuple[str, ...]] = {}
        reasons: dict[str, str] = {}
        for name, kind in self._kinds.items():
            reasons[name] = self._number_reason(name) if kind == "numeric" else ""
        counts = {name: self._count_categories(name) for name in self._kinds if name not in numeric}
        reasons |= {name: reason for name, (_, reason) in counts.items()}
        self.keys = chosen_keys(reasons, self.rows, ())
        for name in counts:
            if name not in self.keys:
                self._list_categories(name)
        self.fields = tuple(
            Field(n, k, 0 if k == "numeric" else counts[n][0]) for n, k in self._kinds.items()
        )
        self.table = Table([self._empty(name) for name in self._kinds], 0)

    def _empty(self, name: str) -> Column:
        kind = self._kinds[name]
        if kind == "numeric":
            return NumericColumn(name, np.empty(0))
        return CategoricalColumn(name, kind, np.empty(0, np.int32), self._categories.get(name, ()))

    def _extremes(self, names: Sequence[str]) -> list[tuple[str, float, float, int]]:
        """Smallest and largest value of numeric columns, and their numbers of values."""
        columns = {name: nw.col(self._place[name]) for name in names}
        asked = {
            (name, how): getattr(column, how)()
            for name, column in columns.items()
            for how in ("min", "max", "count")
        }
        found = self._aggregates("find the ranges of the columns", list(asked.values()))
        by_name = dict(zip(asked, found, strict=True))
        extremes = []
        for name in names:
            present = int(by_name[name, "count"])
            low, high = (
                float(by_name[name, how]) + 0.0 if present else 0.0 for how in ("min", "max")
            )
            if np.isinf([low, high]).any():
                raise InputError(
                    f"Column {name!r} has an infinite value. Numbers must be finite. Replace it by "
                    "the largest sensible number, or mark it as missing (NULL)."
                )
            extremes.append((name, low, high, present))
        return extremes

    def _refuse_inexact(self, whole: Any) -> None:
        """Refuse whole numbers that may lose digits as floating-point numbers."""
        asked = [getattr(nw.col(n), how)() for n in self._exact for how in ("min", "max")]
        found = iter(_aggregates(whole, "find the largest whole numbers", asked))
        for name in self._exact:
            ends = [next(found), next(found)]
            large = [end for end in ends if end is not None and abs(end) > MAX_EXACT_INTEGER]
            if large:
                raise InputError(
                    f"Column {name!r} holds the whole number {large[0]}. Whole numbers above 2**53 "
                    f"({MAX_EXACT_INTEGER}) lose digits as floating-point numbers. If the column "
                    "is a key, leave it out. If it holds codes, cast it to text. If it is a "
                    "quantity, cast it to a floating-point number."
                )

    def _number_reason(self, name: str) -> str:
        """Reason why a numeric column is a key; empty if it is none."""
        if not has_key_name(name) or self.missing[name]:
            return ""
        column = nw.col(self._place[name])
        broken = (column != column.floor()).cast(nw.Int64).sum()
        distinct, parts = self._aggregates(
            f"look for keys in {name!r}", [column.n_unique(), broken]
        )
        return NUMBER_REASON if int(distinct) == self.rows and not int(parts) else ""

    def _count_categories(self, name: str) -> tuple[int, str]:
        """Number of categories of a column, and the reason why it is a key."""
        place = self._place[name]
        present = self._frame.filter(~nw.col(place).is_null())
        single = (nw.col(ROWS) == 1).cast(nw.Int64).sum()
        asked = [nw.len(), nw.col(ROWS).sum(), single]
        what = f"count the categories of {name!r}"
        distinct, known, singles = _aggregates(_count(present, place), what, asked)
        self.missing[name] = self.rows - int(known or 0)
        is_text = self._kinds[name] == "text"
        reason = text_reason(int(singles or 0), int(known or 0), self.rows) if is_text else ""
        return int(distinct), reason

    def _list_categories(self, name: str) -> None:
        place, kind = self._place[name], self._kinds[name]
        present = self._frame.filter(~nw.col(place).is_null())
        counted = _count(present, place).head(MAX_CATEGORIES + 1)
        found = self._ask(f"list the categories of {name!r}", counted)
        values = found[place].tolist()
        if len(values) > MAX_CATEGORIES:
            raise InputError(
                f"Column {name!r} has over {MAX_CATEGORIES:,} categories. Leave it out, or group "
                "its values first."
            )
        rows = {category_text(v, kind): int(n) for v, n in zip(values, found[ROWS], strict=True)}
        self.category_counts[name] = dict(sorted(rows.items()))
        self._categories[name] = tuple(self.category_counts[name])

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
        routed = self._routed(route)
        parts = []
        for part, (name, some) in enumerate(cells.items()):
            value = nw.col(self._place[name])
            cell = _cell(value, some, lambda i, _, first=part * PART: nw.lit(first + i))
            frame = routed.select(
                nw.col(LABEL), cell.cast(nw.Int64).alias(CELL), value.alias(VALUE)
            )
            parts.append(_count(frame.filter(~nw.col(CELL).is_null()), CELL, VALUE, LABEL))
        found = self._in_one(parts, CELL, f"count the values of {preview(cells)}")
        return {name: self._valued(one) for name, one in zip(cells, found, strict=True)}

    def _valued(self, found: Answer) -> GroupCounts:
        values = found[VALUE].astype(np.float64) + 0.0  # turns -0.0 into 0.0
        first, _, counts = self._grouped([found[CELL], values], found)
        return GroupCounts(found[CELL][first].astype(np.intp), values[first], values[first], counts)

    def by_bin(
        self, route: Route, cells: Mapping[str, Sequence[ValueRange]]
    ) -> dict[str, GroupCounts]:
        routed = self._routed(route)
        ends = [nw.col(VALUE).min().alias(LOW), nw.col(VALUE).max().alias(HIGH)]
        parts = []
        for part, (name, some) in enumerate(cells.items()):
            value = nw.col(self._place[name])
            cell = _cell(
                value,
                some,
                lambda i, c, v=value, first=part * PART: nw.lit(first + i * BINS) + _bin(v, c),
            )
            frame = routed.select(
                nw.col(LABEL), cell.cast(nw.Int64).alias(CELL), value.alias(VALUE)
            )
            parts.append(_count(frame.filter(~nw.col(CELL).is_null()), CELL, LABEL, more=ends))
        found = self._in_one(parts, CELL, f"count the bins of {preview(cells)}")
        return {name: self._binned(one) for name, one in zip(cells, found, strict=True)}

    def _binned(self, found: Answer) -> GroupCounts:
        first, group, counts = self._grouped([found[CELL]], found)
        low, high = np.full(first.size, np.inf), np.full(first.size, -np.inf)
        np.minimum.at(low, group, found[LOW].astype(np.float64))
        np.maximum.at(high, group, found[HIGH].astype(np.float64))
        cells = found[CELL][first].astype(np.intp) // BINS
        return GroupCounts(cells, low + 0.0, high + 0.0, counts)

    def by_category(self, route: Route, names: Sequence[str]) -> dict[str, CategoryCounts]:
        routed = self._routed(route)
        parts = []
        for part, name in enumerate(names):
            value = nw.col(self._place[name])
            if self._kinds[name] == "boolean":  # all parts of the result have one type
                value = nw.when(value).then(nw.lit("True")).when(~value).then(nw.lit("False"))
            node = nw.col(NODE) + nw.lit(part * PART)
            frame = routed.select(nw.col(LABEL), node.alias(NODE), value.alias(VALUE))
            parts.append(_count(frame, NODE, VALUE, LABEL))
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
        found = self._ask(what, nw.concat(parts) if len(parts) > 1 else parts[0])
        keys = found[key].astype(np.int64)
        answers = []
        for part in range(len(parts)):
            at = np.flatnonzero(keys // PART == part)
            answers.append({name: column[at] for name, column in found.items()})
            answers[-1][key] = keys[at] - part * PART
        return answers

    def largest_up_to(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        asked = [
            nw.when(nw.col(self._place[name]) <= number).then(nw.col(self._place[name])).max()
            for name, wanted in numbers.items()
            for number in wanted.tolist()
        ]
        found = iter(self._aggregates("place the cuts", asked))
        return {
            name: np.array([float(next(found)) + 0.0 for _ in wanted])
            for name, wanted in numbers.items()
        }

    def patterns(self, cuts: Mapping[str, Floats], categorical: Sequence[str]) -> Patterns:
        codes = [
            _interval_number(nw.col(self._place[n]), ends).alias(self._place[n])
            for n, ends in cuts.items()
        ]
        others = [nw.col(self._place[name]) for name in categorical]
        places = [self._place[name] for name in (*cuts, *categorical)]
        frame = self._frame.select(nw.col(LABEL), *codes, *others)
        counted = _count(frame, *places, LABEL).head(MAX_PATTERNS + 1)
        found = self._ask("count the rows that the tests tell apart", counted)
        if found[ROWS].size > MAX_PATTERNS:
            raise InputError(
                f"The tests of the tree tell over {MAX_PATTERNS:,} rows apart, which is more than "
                "pruning can hold. Set max_depth, max_leaf_nodes or min_samples_leaf."
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
        steps = np.concatenate([cuts, np.nextafter(cuts[-1:], np.inf), [np.nan]])
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

    def _routed(self, route: Route) -> Any:
        """Rows of the nodes of a route, with the number of the node."""
        frame = self._frame.with_columns(self._node(route).cast(nw.Int64).alias(NODE))
        return frame if isinstance(route, int) else frame.filter(nw.col(NODE) >= 0)

    def _node(self, route: Route) -> Any:
        """Expression of the number of a row's node."""
        if isinstance(route, int):
            return nw.lit(route)
        found = self._node(route.routes[-1])
        pairs = zip(route.conditions, route.routes, strict=False)
        for condition, branch in reversed(list(pairs)):
            holds = self._holds(route.column, condition)
            found = nw.when(holds).then(self._node(branch)).otherwise(found)
        return found

    def _holds(self, name: str, condition: Condition) -> Any:
        column = nw.col(self._place[name])
        match condition.kind:
            case "above":
                return column > condition.cut
            case "up_to":
                return column <= condition.cut
            case "missing":
                return column.is_null()
        if self._kinds[name] == "boolean":
            return column.is_in([text == "True" for text in condition.categories])
        return column.is_in(list(condition.categories))

    def _grouped(
        self, keys: Sequence[NDArray[Any]], found: Answer
    ) -> tuple[Places, Places, Floats]:
        labels = found[LABEL].astype(np.intp)
        return grouped_counts(keys, labels, found[ROWS], len(self.classes))

    def _ask(self, what: str, frame: Any) -> Answer:
        return answered(frame, what)

    def _aggregates(self, what: str, asked: Sequence[Any]) -> list[Any]:
        return _aggregates(self._frame, what, asked)


def _aggregates(frame: Any, what: str, asked: Sequence[Any]) -> list[Any]:
    """Values of aggregates, some of them in each query."""
    values = []
    for first in range(0, len(asked), AGGREGATES):
        some = [one.alias(f"a{i}") for i, one in enumerate(asked[first : first + AGGREGATES])]
        found = answered(frame.select(*some), what)
        values += [found[f"a{i}"].tolist()[0] for i in range(len(some))]
    return values


def _count(frame: Any, *places: str, more: Sequence[Any] = ()) -> Any:
    """Number of rows by some columns."""
    return frame.group_by(*places).agg(nw.len().alias(ROWS), *more)


def _cell(value: Any, cells: Sequence[ValueRange], code: Any) -> Any:
    """Expression of the cell of a row, by the node and the value; NULL if it is in none."""
    found = None
    for i, cell in enumerate(cells):
        within = (nw.col(NODE) == cell.node) & (value >= cell.low) & (value <= cell.high)
        found = (nw if found is None else found).when(within).then(code(i, cell))
    return found


def _bin(value: Any, cell: ValueRange) -> Any:
    """Expression of the number of a bin, which never falls with the value."""
    with np.errstate(over="ignore", divide="ignore"):
        scale = float(np.float64(BINS) / (np.float64(cell.high) - cell.low))
    if not np.isfinite(scale):
        scale = 0.0
    return ((value - cell.low) * scale).floor().clip(0, BINS - 1).cast(nw.Int64)


def _interval_number(value: Any, cuts: Floats) -> Any:
    """Expression of the number of cuts below a value, by bisection; NULL where it is missing."""

    def between(first: int, last: int) -> Any:
        if first == last:
            return nw.lit(first)
        middle = (first + last) // 2
        return (
            nw.when(value <= float(cuts[middle]))
            .then(between(first, middle))
            .otherwise(between(middle + 1, last))
        )

    return nw.when(~value.is_null()).then(between(0, cuts.size))


def _coded(column: Any, values: Sequence[Any]) -> Any:
    """Expression of the place of a value among some."""
    found = None
    for code, value in enumerate(values):
        found = (nw if found is None else found).when(column == value).then(nw.lit(code))
    return found


def _labels(whole: Any, target: str) -> tuple[NDArray[Any], list[Any]]:
    """Classes in sorted order, and their values in the engine."""
    dtype = whole.collect_schema()[target]
    kind = _kind(target, dtype)
    place = _cleaned(target, dtype, kind).alias(LABEL)
    found = answered(
        _count(whole.select(place), LABEL).head(MAX_CLASSES + 2), f"list the classes in {target!r}"
    )
    missing = sum(n for v, n in zip(found[LABEL].tolist(), found[ROWS], strict=True) if v is None)
    rows = int(found[ROWS].sum())
    if not rows:
        raise InputError("The table has columns but no rows.")
    if missing:
        raise InputError(
            f"Input y contains NaN: {missing} of {rows} labels are missing in column {target!r}. "
            "Leave these rows out of the fit."
        )
    values = found[LABEL].tolist()
    if len(values) > MAX_CLASSES:
        raise InputError(
            f"Column {target!r}, the class, has over {MAX_CLASSES} different values. Merge "
            "classes, or choose another column."
        )
    if kind == "numeric":
        column: Column = NumericColumn(target, np.array(values, np.float64) + 0.0)
    else:
        texts = [category_text(value, kind) for value in values]
        column = CategoricalColumn(
            target, kind, np.arange(len(texts), dtype=np.int32), tuple(texts)
        )
    labels, _ = labels_of(Table([column], len(values)), target)
    order = np.argsort(labels, kind="stable")
    return labels[order], [values[place] for place in order.tolist()]


def _cleaned(name: str, dtype: Any, kind: Kind) -> Any:
    """Expression of a column: doubles, Booleans or text, NULL where missing."""
    column = nw.col(name)
    if kind == "boolean":
        return column
    if kind == "text":
        return column if dtype == nw.String else column.cast(nw.String)
    number = column if dtype == nw.Float64 else column.cast(nw.Float64)
    return nw.when(~number.is_nan()).then(number) if dtype.is_float() else number


def _kind(name: str, dtype: Any) -> Kind:
    if dtype.is_numeric() or dtype == nw.Unknown:
        return "numeric"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype in (nw.String, nw.Categorical):
        return "text"
    if dtype in (nw.Date, nw.Datetime, nw.Duration, nw.Enum):
        raise InputError(
            f"Column {name!r} holds values of type {dtype}. A lazy table must hold numbers, text "
            "and Booleans: cast the column to one of these, or leave it out."
        )
    raise unsupported(name, preview_types=str(dtype))


def _may_be_large(dtype: Any) -> bool:
    """Whether a type has whole numbers that no double represents."""
    small = (nw.Int8, nw.Int16, nw.Int32, nw.UInt8, nw.UInt16, nw.UInt32)
    return (dtype.is_integer() and dtype not in small) or dtype.is_decimal()


def _need(target: str, names: Sequence[str]) -> None:
    if target not in names:
        raise InputError(
            f"The data has no column {target!r}.{suggestion(target, names)} Its columns are: "
            f"{preview(names, max_values=12)}."
        )
