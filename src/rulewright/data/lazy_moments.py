"""Dates, datetimes and durations of lazy frames as whole numbers of days or microseconds.

Each engine has functions of its own for this. What they return is the same, whatever the unit, the
time zone of the session or the year: that of the rows in memory (``moments``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw

from rulewright.data.lazy_queries import aggregates
from rulewright.data.moments import Moment, counted_moments, moments_too_far
from rulewright.errors import InputError

EXACT = 2**53
MAX_COUNT = 2**63 - 1
WAYS_OUT = {
    "infinite": "is infinite. Mark it as missing (NULL) in the query.",
    "nanoseconds": "has nanoseconds. Times have microseconds at most. Round them in the query.",
    "months": "is an interval of months or years, which have no fixed length. Give days, or leave "
    "the column out.",
    "far": "is out of range. Dates must be in the years 1 to 9999, and durations shorter than "
    "290,000 years. Mark others as missing (NULL) in the query.",
}


class CountedTime(NamedTuple):
    """Native expressions of a column: its count, and where it has none, for a reason."""

    count: Any
    wrong: Any = None
    reason: str = ""


Counter = Callable[[str, Moment, Any], CountedTime]


def moment_of(dtype: Any) -> Moment | None:
    """Kind of a type of dates, datetimes or durations; None for others."""
    if dtype == nw.Date:
        return "date"
    if dtype == nw.Datetime:
        return "instant" if dtype.time_zone else "datetime"
    return "duration" if dtype == nw.Duration else None


def with_counts(frame: Any, times: Mapping[str, Moment]) -> Any:
    """Return a frame with days or microseconds since 1970 in the columns ``times``.

    Values without such a number, and numbers that a double does not represent, are refused.
    """
    if not times:
        return frame
    schema = frame.collect_schema()
    counter, chosen = _engine(frame, next(iter(times)), schema)
    counted = {name: counter(name, kind, schema[name]) for name, kind in times.items()}
    _refuse_wrong(frame, counted, chosen)
    columns = [(name, counted[name].count if name in counted else None) for name in schema.names()]
    found = nw.from_native(chosen(columns))
    _refuse_inexact(found, times)
    return found


Chosen = Callable[[list[tuple[str, Any]]], Any]
"""Selects expressions of a native frame by name; None is the column itself."""


def _engine(frame: Any, name: str, schema: Any) -> tuple[Counter, Chosen]:
    """Functions of the engine of a frame."""
    engine, native = frame.implementation, nw.to_native(frame)
    if engine.is_duckdb():
        return _in_duckdb, lambda columns: _select_in_duckdb(native, columns)
    if engine.is_polars():
        return _in_polars, lambda columns: _select_in_polars(native, columns)
    if engine.is_pyspark() or engine.is_pyspark_connect():
        return _in_spark, lambda columns: _select_in_spark(native, columns)
    if engine.is_ibis():
        return (
            lambda *column: _in_ibis(native, *column),
            lambda columns: _select_in_ibis(native, columns),
        )
    raise refused_type(name, schema[name])


def refused_type(name: str, dtype: Any) -> InputError:
    """Error for a type that an engine cannot turn into numbers."""
    return InputError(
        f"Column {name!r} holds values of type {dtype}, which this engine cannot count. Cast the "
        "column to numbers or text in the query, or leave it out."
    )


def _refuse_wrong(frame: Any, counted: Mapping[str, CountedTime], chosen: Chosen) -> None:
    """Refuse values that are no number of days or microseconds."""
    asked = {name: one for name, one in counted.items() if one.wrong is not None}
    if not asked:
        return
    places = [f"w{place}" for place in range(len(asked))]
    marks = nw.from_native(
        chosen([(p, one.wrong) for p, one in zip(places, asked.values(), strict=True)])
    )
    sums = [nw.when(nw.col(place)).then(nw.lit(1)).sum() for place in places]
    found = aggregates(marks, "look at dates, datetimes and durations", sums)
    for (name, one), rows in zip(asked.items(), found, strict=True):
        if rows:
            raise InputError(
                f"Column {name!r}, {int(rows)} of its rows: the value {WAYS_OUT[one.reason]}"
            )


def _refuse_inexact(frame: Any, times: Mapping[str, Moment]) -> None:
    """Refuse numbers outside the calendar, or that a double does not represent."""
    what = "find the ranges of dates, datetimes and durations"
    ways = [getattr(nw.col(name), how)() for name in times for how in ("min", "max")]
    found = iter(aggregates(frame, what, ways))
    far = []
    for name, kind in times.items():
        ends = [end for end in (next(found), next(found)) if end is not None and end == end]
        counted_moments(name, [int(end) for end in ends], kind)
        if any(abs(end) > EXACT for end in ends):
            far.append(name)
    columns = [nw.col(name) for name in far]
    lost = [nw.when(c.cast(nw.Float64).cast(nw.Int64) != c).then(nw.lit(1)).sum() for c in columns]
    for name, rows in zip(far, aggregates(frame, what, lost), strict=True):
        if rows:
            raise moments_too_far(name, times[name])


# DuckDB


def _in_duckdb(name: str, kind: Moment, dtype: Any) -> CountedTime:
    import duckdb  # noqa: PLC0415  (importing DuckDB takes long)

    column, call, constant = (
        duckdb.ColumnExpression(name),
        duckdb.FunctionExpression,
        duckdb.ConstantExpression,
    )
    if kind == "date":
        days = column - constant("1970-01-01").cast("DATE")
        return CountedTime(days, call("isinf", column), "infinite")
    if kind == "duration":
        parts = [call("datepart", constant(part), column) for part in ("year", "month")]
        months = (parts[0] != constant(0)) | (parts[1] != constant(0))
        return CountedTime(call("epoch_us", column), months, "months")
    if getattr(dtype, "time_unit", "us") == "ns":
        fine = call("%", call("epoch_ns", column), constant(1000)) != constant(0)
        return CountedTime(call("epoch_us", column), fine, "nanoseconds")
    return CountedTime(call("epoch_us", column), call("isinf", column), "infinite")


def _select_in_duckdb(relation: Any, columns: list[tuple[str, Any]]) -> Any:
    import duckdb  # noqa: PLC0415

    return relation.select(
        *(
            (duckdb.ColumnExpression(name) if one is None else one).alias(name)
            for name, one in columns
        )
    )


# Polars


def _in_polars(name: str, kind: Moment, dtype: Any) -> CountedTime:
    import polars as pl  # noqa: PLC0415  (only needed here)

    number = pl.col(name).to_physical().cast(pl.Int64)
    unit = "us" if kind == "date" else dtype.time_unit
    if unit == "ns":
        return CountedTime(number // 1000, number % 1000 != 0, "nanoseconds")
    if unit == "ms":
        far = (number > MAX_COUNT // 1000) | (number < -(MAX_COUNT // 1000))
        return CountedTime(number * 1000, far, "far")
    return CountedTime(number)


def _select_in_polars(frame: Any, columns: list[tuple[str, Any]]) -> Any:
    import polars as pl  # noqa: PLC0415

    return frame.select((pl.col(name) if one is None else one).alias(name) for name, one in columns)


# Spark


def _in_spark(name: str, kind: Moment, _: Any) -> CountedTime:
    from pyspark.sql import functions as sql  # noqa: PLC0415  (only needed here)

    column = sql.col(_quoted(name))
    if kind == "date":
        return CountedTime(sql.unix_date(column).cast("bigint"))
    if kind == "instant":
        return CountedTime(sql.unix_micros(column))
    if kind == "datetime":  # the difference does not depend on the time zone of the session
        column = column - sql.lit("1970-01-01").cast("timestamp_ntz")
    return CountedTime(_spark_microseconds(column))


def _spark_microseconds(interval: Any) -> Any:
    """Microseconds of an interval from its parts, which have the same sign."""
    from pyspark.sql import functions as sql  # noqa: PLC0415

    day, hour, minute = (
        sql.date_part(sql.lit(part), interval).cast("bigint") for part in ("DAY", "HOUR", "MINUTE")
    )
    second = (sql.date_part(sql.lit("SECOND"), interval) * sql.lit(1_000_000)).cast("bigint")
    return ((day * 24 + hour) * 60 + minute) * 60_000_000 + second


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _select_in_spark(frame: Any, columns: list[tuple[str, Any]]) -> Any:
    from pyspark.sql import functions as sql  # noqa: PLC0415

    return frame.select(
        *((sql.col(_quoted(n)) if one is None else one).alias(n) for n, one in columns)
    )


# Ibis


def _in_ibis(table: Any, name: str, kind: Moment, dtype: Any) -> CountedTime:
    column = table[name]
    if kind == "duration":
        return _ibis_interval(column, name, dtype)
    if kind == "date":
        count = column.epoch_seconds() // 86_400
    else:
        count = column.truncate("s").epoch_seconds() * 1_000_000 + column.microsecond()
    return CountedTime(count, _infinite_in_ibis(column), "infinite")


def _infinite_in_ibis(column: Any) -> Any:
    """Expression for infinite times, which PostgreSQL has; None for other engines."""
    import ibis  # noqa: PLC0415  (only needed here)

    if column.get_backend().name != "postgres":
        return None

    @ibis.udf.scalar.builtin(name="isfinite", signature=((column.type(),), "boolean"))  # type: ignore[untyped-decorator]
    def is_finite(time: Any) -> Any: ...

    return ~is_finite(column)


def _ibis_interval(column: Any, name: str, dtype: Any) -> CountedTime:
    """Microseconds of an interval of PostgreSQL from its parts, which may differ in sign."""
    import ibis  # noqa: PLC0415  (only needed here)

    if column.get_backend().name != "postgres":
        raise refused_type(name, dtype)

    @ibis.udf.scalar.builtin(name="date_part", signature=(("string", column.type()), "float64"))  # type: ignore[untyped-decorator]
    def part_of(part: Any, interval: Any) -> Any: ...

    def part(of: str) -> Any:
        return part_of(of, column).cast("int64")

    months = (part("year") != 0) | (part("month") != 0)
    minutes = (part("day") * 24 + part("hour")) * 60 + part("minute")
    return CountedTime(minutes * 60_000_000 + part("microseconds"), months, "months")


def _select_in_ibis(table: Any, columns: list[tuple[str, Any]]) -> Any:
    return table.select(**{n: table[n] if one is None else one for n, one in columns})
