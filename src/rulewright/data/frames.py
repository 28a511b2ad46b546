"""Arrays and dataframes into a table, and results back into the caller's kind of frame."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import (
    CategoricalColumn,
    Column,
    Field,
    Kind,
    NumericColumn,
    all_finite,
    categorical_column,
    is_number_text,
    kind_of_objects,
    numeric_column,
    numeric_column_of_objects,
    unsupported,
)
from rulewright.data.table import Table, duplicate_names
from rulewright.errors import InputError, preview

Fetch = Callable[[int, str, "Kind | None"], Column]
LIBRARIES = ("pandas", "polars", "pyarrow")


def detect_table(X: Any, categorical: Sequence[str | int] | None = None) -> Table:
    """Make a table of an array or dataframe, finding out each column's kind.

    Parameters
    ----------
    X : Table, array or dataframe (pandas, polars, Arrow and what else narwhals knows)
    categorical : sequence of column names or positions
        Numeric columns that hold categories. Text and Booleans are categories anyway, and stay
        what they are.
    """
    if isinstance(X, Table):
        if categorical:
            raise InputError("A Table has its kinds already: declare categories when making it.")
        return X
    names, rows, fetch = _open(X)
    shown = names or [f"x{i}" for i in range(_width(X))]
    declared = _positions(categorical or (), shown)
    columns = [
        _declared(partial(fetch, i, n)) if i in declared else fetch(i, n, None)
        for i, n in enumerate(shown)
    ]
    return Table(columns, rows, named=names is not None)


def _declared(fetch: Callable[[Kind | None], Column]) -> Column:
    """Make categories of a column: codes of numbers, and of text as well, where it holds numbers.

    Other text stays text, as files have it.
    """
    column = fetch("code")
    categories = column.categories if isinstance(column, CategoricalColumn) else ()
    return column if all(map(is_number_text, categories)) else fetch(None)


def fit_table(X: Any, fields: Sequence[Field], only: Collection[str], *, named: bool) -> Table:
    """Make a table of new data with the kinds found in training.

    Columns are found by name where both sides have names, and by position otherwise. Of a named
    frame only the columns in ``only`` need to be there.
    """
    if isinstance(X, Table):
        return Table([_check_kind(X.column(f.name), f) for f in fields if f.name in only], X.rows)
    names, rows, fetch = _open(X)
    if names is not None and named:
        place = {name: i for i, name in enumerate(names)}
        _need([f.name for f in fields if f.name in only], names)
    else:
        _need_width(_width(X), fields)
        place = {field.name: i for i, field in enumerate(fields)}
    columns = [fetch(place[f.name], f.name, f.kind) for f in fields if f.name in only]
    return Table(columns, rows)


def _check_kind(column: Column, field: Field) -> Column:
    if (column.field.kind == "numeric") != field.is_numeric:
        raise _wrong_kind(field.name, field.kind, column.field.kind)
    return column


def _need(wanted: Sequence[str], names: Sequence[str]) -> None:
    absent = [name for name in wanted if name not in set(names)]
    if absent:
        raise InputError(
            f"The model needs column {preview(absent)}, which the data does not have. Its columns "
            f"are: {preview(names, most=12)}."
        )


def _need_width(width: int, fields: Sequence[Field]) -> None:
    if width != len(fields):
        raise InputError(
            f"The data has {width} columns without names, but the model was trained on "
            f"{len(fields)} columns: {preview([f.name for f in fields], most=12)}. Give the same "
            "columns in the same order, or a dataframe with names."
        )


def _width(X: Any) -> int:
    return int(X.shape[1]) if hasattr(X, "shape") else len(X[0])


def _open(X: Any) -> tuple[list[str] | None, int, Fetch]:
    if is_frame(X):
        return _open_frame(X)
    refuse_lazy(X)
    return _open_array(np.asarray(X))


def _open_array(X: NDArray[Any]) -> tuple[None, int, Fetch]:
    if X.ndim != 2:
        raise InputError(f"Data must have two dimensions, rows and columns; it has {X.ndim}.")
    if X.dtype.kind == "c":
        raise InputError("Complex data not supported: give the real and imaginary parts apart.")
    if X.dtype.kind not in "fiubUO":
        raise unsupported("x0", preview_types=str(X.dtype))
    if X.dtype.kind in "fiu":
        X = X.astype(np.float64, copy=False)
    clean = X.dtype.kind == "f" and all_finite(X)

    def fetch(position: int, name: str, kind: Kind | None) -> Column:
        values = X[:, position]
        if X.dtype.kind == "f" and kind in (None, "numeric"):
            return NumericColumn(name, values) if clean else numeric_column(name, values)
        return _column_of_objects(name, values.tolist(), kind)

    return None, X.shape[0], fetch


def _as_frame(X: Any) -> nw.DataFrame[Any]:
    try:
        data: nw.DataFrame[Any] = nw.from_native(X, eager_only=True)
        names = list(data.columns)
    except nw.exceptions.DuplicateError:
        names = list(getattr(X, "column_names", X.columns))  # Arrow's columns are its arrays
    twice = [str(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise duplicate_names(twice)
    return data


def _open_frame(X: Any) -> tuple[list[str] | None, int, Fetch]:
    data = _as_frame(X)
    labels = list(data.columns)

    def fetch(position: int, name: str, kind: Kind | None) -> Column:
        return _column_of_series(name, data[:, position], kind)

    # scikit-learn's rule: names count when all of them are strings.
    return (labels if all(isinstance(n, str) for n in labels) else None), len(data), fetch


def _column_of_series(name: str, series: nw.Series[Any], kind: Kind | None) -> Column:
    dtype = series.dtype
    if dtype == nw.Object:
        return _column_of_objects(name, series.to_list(), kind)
    found = _kind_of_dtype(name, dtype)
    if kind is None:
        kind = "code" if dtype == nw.Categorical and _holds_numbers(series) else found
    if kind == "numeric":
        if found not in ("numeric", "boolean"):
            raise _wrong_kind(name, kind, found, series.to_list())
        try:
            return numeric_column(name, series.cast(nw.Float64).to_numpy())
        except TypeError as error:
            raise unsupported(name, preview_types=str(series.to_native().dtype)) from error
    return categorical_column(name, kind, series.to_list())


def _kind_of_dtype(name: str, dtype: nw.dtypes.DType) -> Kind:
    if dtype.is_numeric() or dtype == nw.Unknown:  # Unknown: a column of nothing but nulls
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
    found = kind_of_objects(name, values)
    kind = kind or found
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
        + ". Give the values that training had, or mark the others as missing."
    )


def _positions(declared: Sequence[str | int], names: Sequence[str]) -> set[int]:
    if isinstance(declared, str):
        raise InputError(f"Categorical columns are a list; write [{declared!r}].")
    positions = set()
    for column in declared:
        if isinstance(column, str):
            if column not in names:
                raise InputError(
                    f"Column {column!r} is declared categorical but is not in the data, whose "
                    f"columns are: {preview(names, most=12)}."
                )
            positions.add(list(names).index(column))
        elif isinstance(column, int | np.integer) and 0 <= column < len(names):
            positions.add(int(column))
        else:
            raise InputError(
                f"Categorical columns are names or positions from 0 to {len(names) - 1}; "
                f"found {column!r}."
            )
    return positions


def is_frame(X: Any) -> bool:
    """Whether ``X`` is a dataframe rather than an array."""
    if isinstance(X, np.ndarray):
        return False  # at once: narwhals would first look for plugins
    return nw.dependencies.is_into_dataframe(X) or isinstance(X, nw.DataFrame)


def refuse_lazy(X: Any) -> None:
    """Say what to do with a query that has not been run."""
    if hasattr(X, "collect"):
        raise InputError(
            f"A {type(X).__name__} holds no rows yet: call its collect() and give the result."
        )


def frame_library(X: Any) -> str | None:
    """Name the dataframe library of ``X``: pandas, polars, pyarrow, or None for anything else."""
    if nw.dependencies.is_pandas_dataframe(X):
        return "pandas"
    if nw.dependencies.is_polars_dataframe(X):
        return "polars"
    return "pyarrow" if nw.dependencies.is_pyarrow_table(X) else None


def keep_known(X: Any, known: Sequence[str]) -> Any:
    """Leave out the columns of a dataframe that are not known, where all known ones are there.

    Otherwise it is returned as it is, for the caller to say what is missing.
    """
    if not is_frame(X) or len(known) == 0:
        return X
    data = _as_frame(X)
    if not set(known) <= set(data.columns):
        return X
    return data.select([name for name in data.columns if name in set(known)]).to_native()


def frame(data: Mapping[str, Any], library: str | None = None) -> Any:
    """Make a dataframe of the named library, or of whichever is installed.

    Only pandas has columns of several kinds: elsewhere Booleans beside text become text.
    """
    installed = [name for name in LIBRARIES if importlib.util.find_spec(name)]
    if library is None and not installed:
        raise ImportError(
            "This answer is a dataframe, and no library for it is installed. "
            "Install one: pip install pandas (or polars)."
        )
    backend: Any = library or installed[0]
    columns = dict(data)
    if backend != "pandas":
        columns = {name: _of_one_kind(values) for name, values in columns.items()}
    return nw.from_dict(columns, backend=backend).to_native()


def _of_one_kind(values: Any) -> Any:
    """Write values as text where text is among values of other kinds."""
    kinds = {type(value) for value in values}
    if str not in kinds or len(kinds - {type(None)}) < 2:
        return values
    return [None if value is None else str(value) for value in values]
