"""Queries of columns in memory, by DuckDB or SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import duckdb

from rulewright.data.columns import CategoricalColumn, Column
from rulewright.data.duckdb_file import connect, first_line
from rulewright.data.sql import identifier
from rulewright.errors import InputError

DUCKDB_TYPES = {
    "numeric": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "instant": "TIMESTAMPTZ",
    "duration": "INTERVAL",
}


def query_duckdb_or_sqlite(
    database: str, columns: Sequence[Column], rows: int, key: str, query: str
) -> list[tuple[Any, ...]]:
    """Run a query of the table ``rows``; see ``query_columns``."""
    try:
        if database == "duckdb":
            return _query_duckdb(columns, rows, key, query)
        return _query_sqlite(columns, rows, key, query)
    except (duckdb.Error, sqlite3.Error) as error:
        raise InputError(f"The query failed in {database}: {first_line(error)}") from error


def _query_duckdb(
    columns: Sequence[Column], rows: int, key: str, query: str
) -> list[tuple[Any, ...]]:
    connection = connect()
    try:
        cells = [_duckdb_cells(column) for column in columns]
        wanted = [f"unnest(?::BIGINT[]) AS {identifier(key)}"]
        for place, column in enumerate(columns):
            kind = DUCKDB_TYPES.get(column.kind, "VARCHAR")
            # A duration is given as its microseconds; others are cast from text.
            given = {"DOUBLE": "DOUBLE", "BOOLEAN": "BOOLEAN", "INTERVAL": "BIGINT"}
            wanted.append(f"unnest(?::{given.get(kind, 'VARCHAR')}[]) AS c{place}")
        inner = f"SELECT {', '.join(wanted)}"
        outer = [identifier(key)]
        for place, column in enumerate(columns):
            kind = DUCKDB_TYPES.get(column.kind, "VARCHAR")
            cell = f"to_microseconds(c{place})" if kind == "INTERVAL" else f"c{place}::{kind}"
            outer.append(f"{cell} AS {identifier(column.name)}")
        statement = f"CREATE TEMP TABLE rows AS SELECT {', '.join(outer)} FROM ({inner})"
        connection.execute(statement, [list(range(rows)), *cells])
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def _duckdb_cells(column: Column) -> list[Any]:
    """Return the cells of a column; missing numbers are NaN and NULL by turns."""
    if isinstance(column, CategoricalColumn):
        if column.kind != "boolean":
            return column.cells()
        return [None if text is None else text == "True" for text in column.cells()]
    moment = column.field.moment
    numbers = column.values.tolist()
    if moment is None:
        return [None if x != x and row % 2 else x for row, x in enumerate(numbers)]
    if moment == "duration":
        return [None if x != x else int(x) for x in numbers]
    return column.cells()


def _query_sqlite(
    columns: Sequence[Column], rows: int, key: str, query: str
) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(":memory:")
    try:
        names = ", ".join(identifier(name) for name in (key, *(c.name for c in columns)))
        connection.execute(f"CREATE TABLE rows ({names})")
        cells = [_sqlite_cells(column) for column in columns]
        places = ", ".join("?" * (len(columns) + 1))
        lines = zip(range(rows), *cells, strict=True)
        connection.executemany(f"INSERT INTO rows VALUES ({places})", lines)
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def _sqlite_cells(column: Column) -> list[Any]:
    if isinstance(column, CategoricalColumn):
        if column.kind != "boolean":
            return column.cells()
        return [None if text is None else int(text == "True") for text in column.cells()]
    if column.field.moment is not None:
        return column.cells()
    return [None if x != x else x for x in column.values.tolist()]
