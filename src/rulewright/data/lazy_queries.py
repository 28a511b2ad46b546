"""Queries of lazy frames, and what engines answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.errors import EngineError, InputError

Answer = dict[str, NDArray[Any]]
"""Columns of a result; a column with missing values holds objects, or is masked."""
SHOWN = 600
"""Number of characters of a query that a message shows."""
AGGREGATES = 256
"""Number of aggregates that one query computes."""
MAX_PATTERNS = 5_000_000
"""Maximum number of rows that the tests of a model tell apart."""
LABEL, ROWS = "y", "rows"
"""Columns of queries: the number of the class, and the number of rows."""


def answered(frame: Any, what: str) -> Answer:
    """Run a query and return its columns; ``what`` says in an error what it was for.

    Raises
    ------
    EngineError
        With the reason of the engine and the query.
    """
    native = nw.to_native(frame)
    with engine_errors(native, what):
        return _fetched(frame, native)


@contextmanager
def engine_errors(native: Any, what: str) -> Iterator[None]:
    """Raise an ``EngineError`` for what fails in an engine."""
    try:
        yield
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        raise EngineError(
            f"The engine could not {what}: {reason}\nThe query was: {_shown(native)}"
        ) from error


def _fetched(frame: Any, native: Any) -> Answer:
    implementation = frame.implementation
    if implementation.is_duckdb():
        return {name: _plain(column) for name, column in native.fetchnumpy().items()}
    if implementation.is_polars():
        eager = native.collect(engine="streaming")
        return {series.name: _of_series(series) for series in eager.get_columns()}
    return columns_of(frame.collect())


def columns_of(frame: Any) -> Answer:
    """Columns of a frame in memory."""
    eager = nw.from_native(frame, eager_only=True)
    return {name: _of_series(eager[name]) for name in eager.columns}


def _of_series(series: Any) -> NDArray[Any]:
    if series.null_count():
        return np.array([*series.to_list(), None], dtype=object)[:-1]
    return np.asarray(series.to_numpy())


def _plain(column: NDArray[Any]) -> NDArray[Any]:
    """Column with None for missing values."""
    if isinstance(column, np.ma.MaskedArray):
        return np.array([*column.tolist(), None], dtype=object)[:-1]
    return column


def _shown(native: Any) -> str:
    """Text of a query, as far as the engine has one."""
    for name in ("sql_query", "compile", "explain"):
        if not hasattr(native, name):
            continue
        printed = StringIO()  # Spark prints its plans
        try:
            with redirect_stdout(printed):
                found = getattr(native, name)()
        except Exception:  # a query that cannot run may not be explained either
            continue
        text = " ".join((printed.getvalue() if found is None else str(found)).split())
        return text if len(text) <= SHOWN else f"{text[:SHOWN]} ..."
    return type(native).__name__


def aggregates(frame: Any, what: str, asked: Sequence[Any]) -> list[Any]:
    """Values of aggregates, some of them in each query."""
    values = []
    for first in range(0, len(asked), AGGREGATES):
        some = [one.alias(f"a{i}") for i, one in enumerate(asked[first : first + AGGREGATES])]
        found = answered(frame.select(*some), what)
        values += [found[f"a{i}"].tolist()[0] for i in range(len(some))]
    return values


def counted(frame: Any, *places: str, more: Sequence[Any] = ()) -> Any:
    """Number of rows by some columns."""
    return frame.group_by(*places).agg(nw.len().alias(ROWS), *more)


def different(frame: Any, name: str, what: str) -> int:
    """Number of different values of a column.

    Through groups of rows: not all engines count different values in an aggregate.
    """
    return int(aggregates(counted(frame, name), what, [nw.len()])[0])


def quantile_ends(frame: Any, name: str, rows: int, groups: int) -> NDArray[np.float64] | None:
    """Largest values of groups of about as many rows; None if there are no more values.

    ``rows`` is the number of rows with a value. The values are doubles.
    """
    what = "find the quantiles of a column"
    values = _value_rows(frame, name)
    if aggregates(values, what, [nw.len()])[0] <= groups:
        return None
    up_to = nw.col(ROWS).cum_sum().over(order_by=name).cast(nw.Int64)
    numbered = values.select(nw.col(name), ((up_to - 1) * groups // rows).alias(ROWS))
    ends = numbered.group_by(ROWS).agg(nw.col(name).max())
    return np.sort(answered(ends, what)[name].astype(np.float64)) + 0.0


def distinct_values(frame: Any, name: str) -> int:
    """Number of different values of a column of doubles."""
    what = "count the different values of a column"
    return int(aggregates(_value_rows(frame, name), what, [nw.len()])[0])


def _value_rows(frame: Any, name: str) -> Any:
    """Rows of each value of a column of doubles, without missing ones."""
    value = nw.col(name)
    value = nw.when(value == 0).then(nw.lit(0.0)).otherwise(value)  # -0.0 is 0.0
    return counted(frame.filter(~nw.col(name).is_null()).select(value.alias(name)), name)


class TooManyPatternsError(InputError):
    """Tests tell more rows apart than memory may hold."""


def refuse_patterns(patterns: int) -> None:
    """Refuse too many rows that the tests of a model tell apart."""
    if patterns > MAX_PATTERNS:
        raise TooManyPatternsError(
            f"The tests of the model tell over {MAX_PATTERNS:,} rows apart, which is more than "
            "memory may hold. Learn a smaller one: set max_depth, max_leaf_nodes or "
            "min_samples_leaf of a tree, max_rules or max_terms of rules."
        )
