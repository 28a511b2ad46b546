"""The engine of Spark: one local session for all queries of this process."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from functools import cache
from typing import Any

from rulewright.data import Column, query_columns
from rulewright.exports.engines import QUICK, SqlEngine

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": " ".join(QUICK),
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.log.level": "ERROR",
}


class SparkEngine(SqlEngine):
    """Spark inside this machine, without a cluster."""

    title = "spark"
    dialect = "spark"
    programs = ("java",)
    packages = (("pyspark", "engines"),)

    def query(
        self, columns: Sequence[Column], rows: int, key: str, text: str
    ) -> list[tuple[Any, ...]]:
        cells = query_columns("duckdb", _plain(columns), rows, "k", "SELECT * FROM rows")
        zoned = [column.kind == "instant" for column in columns]
        if any(zoned):
            cells = [(row[0], *map(_in_utc, row[1:], zoned)) for row in cells]
        kinds = [(key, "key"), *((column.name, column.kind) for column in columns)]
        with warnings.catch_warnings(action="ignore"):  # of versions of pandas, which is not used
            return _collected(cells, kinds, text.rstrip().rstrip(";"))


def _collected(
    cells: Sequence[tuple[Any, ...]], kinds: Sequence[tuple[str, str]], query: str
) -> list[tuple[Any, ...]]:
    """Return the rows of a query of the table ``rows``, which has columns of some kinds."""
    from pyspark.sql.types import StructField, StructType  # noqa: PLC0415

    session = _session()
    schema = StructType([StructField(name, _type(kind)) for name, kind in kinds])
    session.createDataFrame(cells, schema, verifySchema=False).createOrReplaceTempView("rows")
    return [tuple(row) for row in session.sql(query).collect()]


def _plain(columns: Sequence[Column]) -> list[Column]:
    """Return columns with plain names; instants as datetimes, which need no time zones."""
    return [
        replace(
            column, name=f"c{place}", kind="datetime" if column.kind == "instant" else column.kind
        )
        for place, column in enumerate(columns)
    ]


def _in_utc(value: Any, zoned: bool) -> Any:
    return value.replace(tzinfo=UTC) if zoned and value is not None else value


def _type(kind: str) -> Any:
    """Return the type of Spark for a kind of column."""
    from pyspark.sql import types  # noqa: PLC0415

    kinds = {
        "key": types.LongType,
        "numeric": types.DoubleType,
        "boolean": types.BooleanType,
        "date": types.DateType,
        "datetime": types.TimestampNTZType,
        "instant": types.TimestampType,
    }
    return kinds.get(kind, types.StringType)()


@cache
def _session() -> Any:
    """Return the session, which starts a virtual machine of Java and takes seconds."""
    from pyspark.sql import SparkSession  # noqa: PLC0415

    builder = SparkSession.builder.master("local[1]").appName("rulewright")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
