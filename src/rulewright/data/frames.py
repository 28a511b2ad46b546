"""Conversion of arrays and dataframes to tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import (
    CategoricalColumn,
    CategoryOrder,
    Column,
    Field,
    Kind,
    NumericColumn,
    categorical_column,
    category_text,
    is_number_text,
    kind_of_objects,
    may_be_inexact,
    moment_column,
    none_infinite,
    numeric_column,
    numeric_column_of_objects,
    refuse_inexact,
    unsupported,
)
from rulewright.data.moments import is_moment, kind_of_dtype, numbers_of_array
from rulewright.data.sparse import SparseColumns, is_sparse, refuse_large_sparse
from rulewright.data.table import Table, duplicate_names
from rulewright.errors import InputError, preview, suggestion

FEW = 8
"""A matrix has a few wanted columns if it is this many times as wide: a line of the cache has 8."""

Fetch = Callable[[int, str, "Kind | None"], Column]


def detect_table(X: Any, categorical: Sequence[str | int] | None = None) -> Table:
    """Return a table of an array or dataframe, detecting the kind of each column.

    Parameters
    ----------
    X : Table, array, sparse matrix or dataframe (pandas, polars, Arrow or another of narwhals)
    categorical : sequence of column names or positions, optional
        Numeric columns that hold categories. Text and Booleans are always categories.
    """
    if isinstance(X, Table):
        if categorical:
            raise InputError("A Table already has kinds. Declare categories when making it.")
        return X
    refuse_large_sparse(X)
    names, rows, fetch = _open(X)
    shown = names or [f"x{i}" for i in range(_width(X))]
    declared = _positions(categorical or (), shown)
    columns = [
        _declared(partial(fetch, i, n)) if i in declared else fetch(i, n, None)
        for i, n in enumerate(shown)
    ]
    return Table(columns, rows, named=names is not None)


def _declared(fetch: Callable[[Kind | None], Column]) -> Column:
    """Return a column as categories: numbers, dates and texts of numbers become codes.

    Other text stays text, as in files.
    """
    column = fetch("code")
    categories = column.categories if isinstance(column, CategoricalColumn) else ()
    if all(map(is_number_text, categories)):
        return column
    found = fetch(None)
    return column if found.field.moment else found


def fit_table(X: Any, fields: Sequence[Field], only: Collection[str], *, named: bool) -> Table:
    """Return a table of new data with the kinds found in training.

    Columns are matched by name if both sides have names, and by position otherwise. A named frame
    needs only the columns in ``only``. Columns without names in training stay in their order.
    """
    if isinstance(X, Table):
        found = [_check_kind(X.column(f.name), f) for f in fields if f.name in only]
        return Table(found, X.rows, named=named)
    trained_on_names = named
    names, rows, fetch = _open(X, len(only))
    wanted = [field.name for field in fields if field.name in only]
    if names is not None and not named and _are_numbers(X):
        names = [f"x{name}" for name in names]  # the number of a column is its position in training
        named = True
    if names is not None and named:
        place = {name: i for i, name in enumerate(names)}
        _need(wanted, names)
    else:
        _need_width(_width(X), fields)
        place = {field.name: i for i, field in enumerate(fields)}
    columns = [_in_order(fetch(place[f.name], f.name, f.kind), f) for f in fields if f.name in only]
    return Table(columns, rows, named=trained_on_names)


def _check_kind(column: Column, field: Field) -> Column:
    if column.field.is_numeric != field.is_numeric:
        raise _wrong_kind(field.name, field.kind, column.field.kind)
    if isinstance(column, NumericColumn):
        return column.as_kind(field.kind)
    return _in_order(column, field)


def _in_order(column: Column, field: Field) -> Column:
    """Return a column with the order of its categories in training, if they had one."""
    if isinstance(column, CategoricalColumn) and field.order is not None:
        return column.with_order(field.order)
    return column


def _need(wanted: Sequence[str], names: Sequence[str]) -> None:
    known = set(names)
    absent = [name for name in wanted if name not in known]
    if absent:
        raise InputError(
            f"The model needs column {preview(absent)}, but the data does not have it. Its columns "
            f"are: {preview(names, max_values=12)}."
        )


def _need_width(width: int, fields: Sequence[Field]) -> None:
    if width != len(fields):
        raise InputError(
            f"The data has {width} columns without names, but the model was trained on "
            f"{len(fields)} columns: {preview([f.name for f in fields], max_values=12)}. Use the "
            "same columns in the same order, or a dataframe with names."
        )


def _width(X: Any) -> int:
    return int(X.shape[1]) if hasattr(X, "shape") else len(X[0])


def _open(X: Any, wanted: int | None = None) -> tuple[list[str] | None, int, Fetch]:
    """Return names, the number of rows, and a function that fetches columns.

    ``wanted`` is how many of them are to be fetched, if not all.
    """
    if is_frame(X):
        return _open_frame(X)
    refuse_lazy(X)
    if is_sparse(X):
        return None, X.shape[0], SparseColumns(X)
    return _open_array(np.asarray(X), wanted)


def _open_array(X: NDArray[Any], wanted: int | None) -> tuple[None, int, Fetch]:
    if X.ndim != 2:
        raise InputError(f"Data must have two dimensions, rows and columns, got {X.ndim}.")
    if X.dtype.kind == "c":
        raise InputError(
            "Complex data not supported. Use the real and imaginary parts as separate columns."
        )
    if X.dtype.kind in "mM":
        return None, X.shape[0], lambda i, name, kind: _column_of_moments(name, X[:, i], kind)
    if X.dtype.kind not in "fiubUO":
        raise unsupported("x0", preview_types=str(X.dtype))
    # A few columns of many are checked one by one, otherwise the matrix at once.
    at_once = X.dtype == np.float64 and FEW * (wanted or X.shape[1]) >= X.shape[1]
    clean = at_once and none_infinite(X)

    def fetch(position: int, name: str, kind: Kind | None) -> Column:
        if X.dtype.kind not in "fiu" or kind not in (None, "numeric"):
            return _column_of_objects(name, X[:, position].tolist(), kind)
        values = X[:, position].astype(np.float64, copy=False)
        if X.dtype.kind != "f" and may_be_inexact(values):
            refuse_inexact(name, X[:, position].tolist())
        return NumericColumn(name, values) if clean else numeric_column(name, values)

    return None, X.shape[0], fetch


def _as_frame(X: Any) -> nw.DataFrame[Any]:
    try:
        data: nw.DataFrame[Any] = nw.from_native(X, eager_only=True)
        names = list(data.columns)
    except nw.exceptions.DuplicateError:
        names = list(getattr(X, "column_names", X.columns))  # Arrow's columns are arrays
    twice = [str(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise duplicate_names(twice)
    return data


def _open_frame(X: Any) -> tuple[list[str] | None, int, Fetch]:
    data = _as_frame(X)
    labels = list(data.columns)

    def fetch(position: int, name: str, kind: Kind | None) -> Column:
        return _column_of_series(name, data[:, position], kind)

    return _names_of(labels), len(data), fetch


def _names_of(labels: list[Any]) -> list[str] | None:
    """Names of the columns; None if they are the default numbers of pandas."""
    if all(isinstance(label, str) for label in labels):
        return labels
    if labels == list(range(len(labels))):
        return None
    if all(_is_whole(label) for label in labels):
        return [str(label) for label in labels]
    strange = next(label for label in labels if not isinstance(label, str))
    if isinstance(strange, tuple):
        raise InputError(
            f"Column names must have one level, got {strange!r}. Join the levels first: X.columns "
            "= ['_'.join(map(str, name)) for name in X.columns]."
        )
    raise InputError(
        f"Column names must all be text or all be whole numbers, got {strange!r} of type "
        f"{type(strange).__name__}. Make them text first: X.columns = X.columns.astype(str)."
    )


def _is_whole(label: object) -> bool:
    return isinstance(label, int | np.integer) and not isinstance(label, bool)


def _are_numbers(X: Any) -> bool:
    return is_frame(X) and all(map(_is_whole, _as_frame(X).columns))


def _column_of_series(name: str, series: nw.Series[Any], kind: Kind | None) -> Column:
    dtype = series.dtype
    if dtype == nw.Object:
        return _column_of_objects(name, series.to_list(), kind)
    if dtype in (nw.Date, nw.Datetime, nw.Duration):
        return _column_of_times(name, series, kind)
    if is_moment(kind):
        return _column_of_objects(name, series.to_list(), kind)
    found = _kind_of_dtype(name, dtype)
    if kind is None:
        named = dtype in (nw.Categorical, nw.Enum)
        kind = "code" if named and _holds_numbers(series) else found
        if (order := _order_of(series, kind)) is not None:
            return categorical_column(name, kind, series.to_list()).with_order(order)
    if kind == "numeric":
        if found not in ("numeric", "boolean"):
            raise _wrong_kind(name, kind, found, series.to_list())
        return _numeric_column_of_series(name, series)
    return categorical_column(name, kind, series.to_list())


def _column_of_times(name: str, series: nw.Series[Any], kind: Kind | None) -> Column:
    """Return a column from a series of dates, datetimes or durations."""
    found: Kind = "date" if series.dtype == nw.Date else "duration"
    if isinstance(series.dtype, nw.Datetime):
        found = "instant" if series.dtype.time_zone else "datetime"
    if found == "instant":
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = series.to_numpy()
    if values.dtype.kind in "mM":
        return _column_of_moments(name, values, kind, found)
    column = moment_column(name, series.to_list(), "datetime" if found == "instant" else found)
    return _as_wanted(NumericColumn(name, column.values, found), kind)


def _column_of_moments(
    name: str, values: NDArray[Any], kind: Kind | None, found: Kind | None = None
) -> Column:
    """Return a column from an array of datetime64 or timedelta64."""
    counted = kind_of_dtype(values.dtype)
    column = NumericColumn(name, numbers_of_array(name, values, counted), counted)
    if found == "instant":  # already in UTC
        column = NumericColumn(name, column.as_kind("datetime").values, found)
    return _as_wanted(column, kind)


def _as_wanted(column: NumericColumn, kind: Kind | None) -> Column:
    if kind in (None, column.kind):
        return column
    if Field(column.name, kind).is_numeric:
        return column.as_kind(kind)
    return categorical_column(column.name, kind, column.cells())


def _numeric_column_of_series(name: str, series: nw.Series[Any]) -> Column:
    dtype = _native_dtype(series)
    if series.dtype == nw.Unknown and "complex" in str(dtype):
        raise InputError(
            f"Column {name!r}: Complex data not supported. Use the real and imaginary parts as "
            "separate columns."
        )
    try:
        column = numeric_column(name, series.cast(nw.Float64).to_numpy())
    except TypeError as error:
        raise unsupported(name, preview_types=str(dtype)) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        return numeric_column_of_objects(name, series.to_list())  # Arrow casts only small integers
    if not series.dtype.is_float() and may_be_inexact(column.values):
        refuse_inexact(name, series.to_list())
    return column


def _native_dtype(series: nw.Series[Any]) -> Any:
    native = series.to_native()
    return native.type if hasattr(native, "type") else native.dtype  # Arrow and all others


def _order_of(series: nw.Series[Any], kind: Kind) -> CategoryOrder | None:
    """Return the order of ordered categories; None of others."""
    ordered = getattr(_native_dtype(series), "ordered", False) is True
    if not ordered and series.dtype != nw.Enum:
        return None
    categories = series.cat.get_categories().to_list()
    return CategoryOrder(tuple(category_text(category, kind) for category in categories))


def _kind_of_dtype(name: str, dtype: nw.dtypes.DType) -> Kind:
    if dtype.is_numeric() or dtype == nw.Unknown:  # Unknown: a column that has only nulls
        return "numeric"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "text"
    raise unsupported(name, preview_types=str(dtype))


def _holds_numbers(series: nw.Series[Any]) -> bool:
    categories = series.drop_nulls().unique().to_list()
    return bool(categories) and kind_of_objects(series.name, categories) == "numeric"


def _column_of_objects(name: str, values: list[Any], kind: Kind | None) -> Column:
    found = kind_of_objects(name, values) if not is_moment(kind) else kind
    kind = kind or found
    if is_moment(kind):
        return moment_column(name, values, kind)
    if kind == "numeric":
        if found not in ("numeric", "boolean"):
            raise _wrong_kind(name, kind, found, values)
        return numeric_column_of_objects(name, values)
    return categorical_column(name, kind, values)


def _wrong_kind(name: str, wanted: Kind, found: Kind, values: Sequence[object] = ()) -> InputError:
    samples = list(dict.fromkeys(v for v in values if isinstance(v, str)))
    return InputError(
        f"Column {name!r} was {wanted} in training but is {found} now"
        + (f": {preview(samples)}" if samples else "")
        + ". Use values as in training, or mark the others as missing."
    )


def _positions(declared: Sequence[str | int], names: Sequence[str]) -> set[int]:
    if isinstance(declared, str):
        raise InputError(f"Categorical columns must be a list. Write [{declared!r}].")
    positions = set()
    place = {name: i for i, name in enumerate(names)}
    for column in declared:
        if isinstance(column, str):
            if column not in place:
                raise InputError(
                    f"Column {column!r} is declared categorical, but the data does not have it. "
                    f"Its columns are: {preview(names, max_values=12)}."
                )
            positions.add(place[column])
        elif isinstance(column, int | np.integer) and 0 <= column < len(names):
            positions.add(int(column))
        else:
            raise InputError(
                f"Categorical columns must be names or positions from 0 to {len(names) - 1}, got "
                f"{column!r}."
            )
    return positions


def is_frame(X: Any) -> bool:
    """Whether ``X`` is a dataframe rather than an array."""
    if isinstance(X, np.ndarray):
        return False  # before narwhals, which would first look for plugins
    return nw.dependencies.is_into_dataframe(X) or isinstance(X, nw.DataFrame)


def refuse_lazy(X: Any) -> None:
    """Refuse a lazy frame."""
    if hasattr(X, "collect"):
        raise InputError(
            f"A {type(X).__name__} holds no rows yet. Call its collect() first and use the result."
        )


def separated(X: Any, y: Any, target: str, option: str = "target") -> tuple[Any, Any]:
    """Return a dataframe without its column of labels, and this column.

    ``option`` is the name of the argument that names the column.
    """
    if y is not None:
        raise InputError("Labels are in y or in a column of X: give y or target, not both.")
    if not is_frame(X):
        raise InputError(
            f"{option}={target!r} names a column of a dataframe, but X is a {type(X).__name__}. "
            "Make a dataframe of it first, or give the labels as y."
        )
    data = _as_frame(X)
    if target not in data.columns:
        raise InputError(
            f"The data has no column {target!r}.{suggestion(target, data.columns)} Its columns "
            f"are: {preview(data.columns, max_values=12)}."
        )
    return data.drop(target).to_native(), data[target].to_native()


def frame_library(X: Any) -> str | None:
    """Name of the dataframe library of ``X``: pandas, polars or pyarrow; None for anything else."""
    X = nw.to_native(X, pass_through=True)
    if nw.dependencies.is_pandas_dataframe(X):
        return "pandas"
    if nw.dependencies.is_polars_dataframe(X):
        return "polars"
    return "pyarrow" if nw.dependencies.is_pyarrow_table(X) else None


def keep_known(X: Any, known: Sequence[str]) -> Any:
    """Return a dataframe with only the known columns, if it has all of them.

    Otherwise return it unchanged; the caller reports the missing columns.
    """
    if not is_frame(X) or len(known) == 0:
        return X
    data, wanted = _as_frame(X), set(known)
    if not wanted <= set(data.columns):
        return X
    return data.select([name for name in data.columns if name in wanted]).to_native()
