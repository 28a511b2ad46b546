"""Columns of lazy frames: what kind they are of, and expressions of their values and classes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import (
    CategoricalColumn,
    CategoryOrder,
    Column,
    Kind,
    NumericColumn,
    category_text,
    is_number_kind,
    unsupported,
)
from rulewright.data.lazy_moments import moment_of
from rulewright.data.lazy_queries import LABEL, ROWS, answered, counted
from rulewright.data.table import Table, labels_of
from rulewright.errors import InputError, preview, suggestion

MAX_CLASSES = 1_000
NATIVE_KINDS: dict[str, Kind] = {
    'null|void|"null"': "numeric",
    "uuid": "text",
    "interval (day|hour|minute|second).*": "duration",
}
"""Patterns of the types of engines that narwhals does not know: only missing values, keys, and
Spark's intervals."""


def kind_of(name: str, dtype: Any, native: str) -> Kind:
    """Kind of a column of a type; types that a lazy table cannot hold are refused.

    ``native`` is the type of the engine, of columns whose type narwhals does not know.
    """
    if dtype == nw.Unknown:
        for pattern, kind in NATIVE_KINDS.items():
            if re.fullmatch(pattern, native):
                return kind
        raise unsupported(name, preview_types=native)
    if dtype.is_numeric():
        return "numeric"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "text"
    moment = moment_of(dtype)
    if moment is not None:
        return moment
    raise unsupported(name, preview_types=str(dtype))


def column_kinds(frame: Any, names: Sequence[str]) -> dict[str, Kind]:
    """Kinds of some columns of a frame; types that a lazy table cannot hold are refused."""
    schema = frame.collect_schema()
    return {
        name: kind_of(
            name, schema[name], _native_type(frame, name) if schema[name] == nw.Unknown else ""
        )
        for name in names
    }


def _native_type(frame: Any, name: str) -> str:
    """Name of the type that an engine gives a column."""
    engine, native = frame.implementation, nw.to_native(frame)
    if engine.is_duckdb():
        return str(dict(zip(native.columns, native.types, strict=True))[name]).lower()
    if engine.is_pyspark() or engine.is_pyspark_connect():
        return str(native.schema[name].dataType.simpleString()).lower()
    return str(native.schema()[name]).lower() if engine.is_ibis() else "null"


def order_of(dtype: Any) -> CategoryOrder | None:
    """Order of a type of ordered categories; None for others."""
    return CategoryOrder(tuple(dtype.categories)) if dtype == nw.Enum else None


def plain(name: str, dtype: Any, kind: Kind) -> Any:
    """Expression of a column: doubles, Booleans or text, NULL or NaN where missing."""
    column = nw.col(name)
    if kind == "boolean":
        return column
    if kind == "text":
        return column if dtype == nw.String else column.cast(nw.String)
    return column if dtype == nw.Float64 else column.cast(nw.Float64)


def cleaned(name: str, dtype: Any, kind: Kind) -> Any:
    """Expression of a column: doubles, Booleans or text, NULL where missing."""
    number = plain(name, dtype, kind)
    return nw.when(~number.is_nan()).then(number) if dtype.is_float() else number


def fetched(
    name: str, kind: Kind, values: NDArray[Any], order: CategoryOrder | None = None
) -> Column:
    """Column of values that an engine returned for ``cleaned``."""
    if is_number_kind(kind):
        return NumericColumn(name, np.array(values, np.float64) + 0.0, kind)  # None becomes NaN
    texts = [None if v is None else category_text(v, kind) for v in values.tolist()]
    categories = sorted({text for text in texts if text is not None})
    number = {text: code for code, text in enumerate(categories)}
    codes = np.array([-1 if text is None else number[text] for text in texts], np.int32)
    column = CategoricalColumn(name, kind, codes, tuple(categories))
    return column if order is None else column.with_order(order)


def may_be_large(dtype: Any) -> bool:
    """Whether a type has whole numbers that no double represents."""
    small = (nw.Int8, nw.Int16, nw.Int32, nw.UInt8, nw.UInt16, nw.UInt32)
    return (dtype.is_integer() and dtype not in small) or dtype.is_decimal()


def class_rows(whole: Any, target: str, label: Any) -> dict[Any, int]:
    """Number of rows of each value of the class in the engine; None is a missing one."""
    found = answered(
        counted(whole.select(label.alias(LABEL)), LABEL).head(MAX_CLASSES + 2),
        f"list the classes in {target!r}",
    )
    return dict(zip(found[LABEL].tolist(), found[ROWS].tolist(), strict=True))


def class_values(
    found: Mapping[Any, int], target: str, kind: Kind
) -> tuple[NDArray[Any], list[Any]]:
    """Classes in sorted order, and their values in the engine, from the rows of each value."""
    missing, rows = found.get(None, 0), sum(found.values())
    if not rows:
        raise InputError("The table has columns but no rows.")
    if missing:
        raise InputError(
            f"Input y contains NaN: {missing} of {rows} labels are missing in column {target!r}. "
            "Leave these rows out of the fit."
        )
    values = list(found)
    if len(values) > MAX_CLASSES:
        raise InputError(
            f"Column {target!r}, the class, has over {MAX_CLASSES} different values. Merge "
            "classes, or choose another column."
        )
    if is_number_kind(kind):
        column: Column = NumericColumn(target, np.array(values, np.float64) + 0.0, kind)
    else:
        texts = [category_text(value, kind) for value in values]
        column = CategoricalColumn(
            target, kind, np.arange(len(texts), dtype=np.int32), tuple(texts)
        )
    labels, _ = labels_of(Table([column], len(values)), target)
    order = np.argsort(labels, kind="stable")
    return labels[order], [values[place] for place in order.tolist()]


def coded(column: Any, values: Sequence[Any]) -> Any:
    """Expression of the place of a value among some."""
    found = None
    for code, value in enumerate(values):
        found = (nw if found is None else found).when(column == value).then(nw.lit(code))
    return found


def refuse_split_names(frame: Any, names: Sequence[str]) -> None:
    """Refuse names that DuckDB 1 reads as several names: those with a dot or a quote."""
    if not frame.implementation.is_duckdb():
        return
    import duckdb  # noqa: PLC0415  (importing DuckDB takes long)

    if not duckdb.__version__.startswith("1."):
        return
    for name in names:
        if "." in name or '"' in name:
            raise InputError(
                f"DuckDB {duckdb.__version__} cannot count column {name!r}: its name has a dot or "
                "a quote. Rename the column in the query, or install DuckDB 2."
            )


def need_columns(wanted: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a name that no column has."""
    for name in wanted:
        if name not in names:
            raise InputError(
                f"The data has no column {name!r}.{suggestion(name, names)} Its columns are: "
                f"{preview(names, max_values=12)}."
            )
