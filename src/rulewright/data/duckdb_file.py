"""Files that DuckDB reads with types of their own: Parquet, and DuckDB's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from rulewright.data.columns import Column, Kind, categorical_column, numeric_column, unsupported
from rulewright.data.datafile import Cell, DataFile, choose_table, refuse_repeated
from rulewright.data.sql import identifier, literal
from rulewright.data.table import Table
from rulewright.errors import FileError

NUMBERS = re.compile(r"^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\([\d,]+\))$")
NOTHING = '"NULL"'  # the type of a column of nothing but nulls
TEXTS = re.compile(r"^(VARCHAR|ENUM\(.*\)|UUID)$")


class DuckdbFile(DataFile):
    """Anything that DuckDB reads with types of its own."""

    def __init__(self, path: Path, source: str) -> None:
        self.path = path
        self._source = source
        self._connection = connect()
        try:
            if source.startswith("file."):
                _attach(self._connection, path)
            described = self._execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        except BaseException:
            self.close()
            raise
        self._types = {str(row[0]): str(row[1]) for row in described}
        self.names = list(self._types)

    def close(self) -> None:
        self._connection.close()

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask about the file."""
        return self._execute(sql).fetchall()

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        return {name: self._kind(name) for name in names}

    def _kind(self, name: str) -> Kind:
        kind = self._types[name]
        if NUMBERS.match(kind) or kind == NOTHING:
            return "numeric"
        if kind == "BOOLEAN":
            return "boolean"
        if TEXTS.match(kind):
            return "text"
        raise unsupported(name, preview_types=kind)

    def rows(self, cells: Sequence[Cell], size: int) -> Iterator[list[tuple[Any, ...]]]:
        cursor = self._execute(self._select(cells))
        while batch := self._fetch(cursor, size):
            yield batch

    def _fetch(self, cursor: duckdb.DuckDBPyConnection, size: int) -> list[tuple[Any, ...]]:
        try:
            return cursor.fetchmany(size)
        except duckdb.Error as error:
            raise self._explain(error) from error

    def _select(self, cells: Sequence[Cell]) -> str:
        wanted = [f"{self._cell(*cell)} AS c{i}" for i, cell in enumerate(cells)]
        return f"SELECT {', '.join(wanted) or '1'} FROM {self._source}"

    def _cell(self, name: str, kind: Kind) -> str:
        column = identifier(name)
        if kind in ("numeric", "code"):
            return f"CAST({column} AS DOUBLE)"
        if kind == "boolean" and self._types[name] == "BOOLEAN":
            return column
        return f"CAST({column} AS VARCHAR)"

    def _all(self, kinds: dict[str, Kind]) -> Table:
        try:
            arrays = self._execute(self._select(list(kinds.items()))).fetchnumpy().values()
        except duckdb.Error as error:
            raise self._explain(error) from error
        columns = [
            _column_of_array(*cell, a) for cell, a in zip(kinds.items(), arrays, strict=True)
        ]
        return Table(columns, len(next(iter(arrays), ())))

    def _execute(self, query: str) -> duckdb.DuckDBPyConnection:
        try:
            return self._connection.execute(query)
        except duckdb.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: duckdb.Error) -> Exception:
        return FileError(f"Cannot read {self.path.name}: {first_line(error)}")


def parquet_file(path: Path) -> DuckdbFile:
    """Open a Parquet file."""
    file = DuckdbFile(path, f"read_parquet({literal(str(path))})")
    try:
        # DuckDB gives a repeated name a number; the file itself knows how it was spelled.
        spelled = file.query(
            f"SELECT name FROM parquet_schema({literal(str(path))}) WHERE num_children IS NULL"
        )
        if len(spelled) == len(file.names):
            refuse_repeated(path, [str(name) for (name,) in spelled])
    except BaseException:
        file.close()
        raise
    return file


def duckdb_table(path: Path, table: str | None) -> DuckdbFile:
    """Open a table of a DuckDB file."""
    with connect() as connection:
        _attach(connection, path)
        found = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_catalog = 'file'"
        ).fetchall()
    # A table of another schema is known by both names.
    places = {
        name if schema == "main" else f"{schema}.{name}": (schema, name) for schema, name in found
    }
    schema, name = places[choose_table(path, list(places), table)]
    return DuckdbFile(path, f"file.{identifier(schema)}.{identifier(name)}")


def connect() -> duckdb.DuckDBPyConnection:
    """Open a database in memory."""
    # Never look for extensions on the network: all formats read here are built in.
    connection = duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
    # Rows must come in the order of the file: a long IN would become a join, which loses it.
    connection.execute("SET disabled_optimizers = 'in_clause'")
    # A bar on the output would stand among what programs read there.
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET enable_progress_bar_print = false")
    return connection


def _attach(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    try:
        connection.execute(f"ATTACH {literal(str(path))} AS file (READ_ONLY)")
    except duckdb.Error as error:
        raise FileError(f"Cannot open {path.name} as a DuckDB file: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """Give the first line of a message; the rest is advice on options we do not use."""
    return str(error).strip().splitlines()[0]


def _column_of_array(name: str, kind: Kind, values: Any) -> Column:
    """Take over DuckDB's array, masked where a value is missing."""
    if kind == "numeric":
        numbers = values.astype(np.float64)
        if hasattr(numbers, "filled"):
            numbers = numbers.filled(np.nan)
        return numeric_column(name, np.ascontiguousarray(numbers))
    return categorical_column(name, kind, values.tolist())  # None where masked
