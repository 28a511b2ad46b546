"""Tables of SQLite files, read with Python's sqlite3: DuckDB would download an extension."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rulewright.data.columns import (
    CellColumn,
    Column,
    Kind,
    categorical_column,
    coded_cells,
    kind_of_objects,
    numeric_column_of_objects,
    unsupported,
)
from rulewright.data.datafile import DataFile, choose_table
from rulewright.data.moments import is_moment, kind_of_texts
from rulewright.data.sql import identifier
from rulewright.data.table import Table
from rulewright.errors import FileError, InputError

BLOCK_COLUMNS = 500
"""Columns whose kinds one query detects; SQLite allows 2,000 results per row."""
READING = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)


class SqliteFile(DataFile):
    """A table of an SQLite file."""

    def __init__(self, path: Path, table: str | None) -> None:
        self.path = path
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            self._distrust()
            found = self._fetch(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite_%'"
            )
            self._table = identifier(choose_table(path, [name for (name,) in found], table))
            columns = self._fetch(f"SELECT name FROM pragma_table_info({self._table})")
            self._connection.set_authorizer(_authorize)
        except BaseException:
            self.close()
            raise
        self.names = [name for (name,) in columns]

    def _distrust(self) -> None:
        """Do not trust the schema or the pages of the file."""
        self._fetch("PRAGMA trusted_schema = OFF")
        self._fetch("PRAGMA cell_size_check = ON")

    def close(self) -> None:
        self._connection.close()

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        """Detect the kinds from the cells: SQLite does not enforce declared types."""
        kinds: dict[str, Kind] = {}
        for first in range(0, len(names), BLOCK_COLUMNS):
            kinds |= self._detect(names[first : first + BLOCK_COLUMNS])
        return kinds

    def _detect(self, names: Sequence[str]) -> dict[str, Kind]:
        tests = ", ".join(
            f"max(typeof({cell}) = 'blob'), max(typeof({cell}) = 'text')"
            for cell in map(identifier, names)
        )
        (answers,) = self._fetch(f"SELECT {tests} FROM {self._table}")
        for name, is_blob in zip(names, answers[::2], strict=True):
            if is_blob:
                raise unsupported(name, preview_types="BLOB")
        return {
            name: self._kind_of_texts(name) if is_text else "numeric"
            for name, is_text in zip(names, answers[1::2], strict=True)
        }

    def _kind_of_texts(self, name: str) -> Kind:
        """Detect ISO dates and datetimes among texts: SQLite has no type for them."""
        cell = identifier(name)
        like = f"{cell} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'"
        ((all_like,),) = self._fetch(f"SELECT min(coalesce({like}, 1)) FROM {self._table}")
        if not all_like:
            return "text"
        found = self._fetch(f"SELECT DISTINCT {cell} FROM {self._table} WHERE {cell} NOT NULL")
        return kind_of_texts([str(text) for (text,) in found]) or "text"

    def batches(
        self, kinds: dict[str, Kind], keep: Sequence[str] = (), size: int = 1 << 16
    ) -> Iterator[tuple[Table, list[CellColumn]]]:
        self.need([*kinds, *keep])
        # If no column is requested, each row has one cell, which only counts it.
        after, end = len(kinds), len(kinds) + len(keep)
        for number, rows in enumerate(self._rows([*kinds, *keep], size)):
            self._first = number * size
            kept = [coded_cells([row[i] for row in rows]) for i in range(after, end)]
            yield self._table_of_rows(rows, kinds), kept

    def _all(self, kinds: dict[str, Kind]) -> Table:
        rows = [row for batch in self._rows(list(kinds), 1 << 16) for row in batch]
        return self._table_of_rows(rows, kinds)

    def _rows(self, names: Sequence[str], size: int) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the named columns in batches of at most ``size`` rows."""
        wanted = ", ".join(map(identifier, names)) or "1"
        try:
            cursor = self._connection.execute(f"SELECT {wanted} FROM {self._table}")
            while batch := cursor.fetchmany(size):
                yield batch
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _table_of_rows(self, rows: list[tuple[Any, ...]], kinds: dict[str, Kind]) -> Table:
        columns = [
            self._moments(name, kind, [row[i] for row in rows])
            if is_moment(kind)
            else _column_of_list(name, kind, [row[i] for row in rows])
            for i, (name, kind) in enumerate(kinds.items())
        ]
        return Table(columns, len(rows))

    def _fetch(self, query: str) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query).fetchall()
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: sqlite3.Error) -> FileError:
        return FileError(f"Cannot read {self.path.name} as an SQLite file: {error}")


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Allow only queries that read."""
    name = second if action == sqlite3.SQLITE_FUNCTION else first
    allowed = action in READING and name != "load_extension"
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _column_of_list(name: str, kind: Kind, values: list[Any]) -> Column:
    if kind != "numeric":
        return categorical_column(name, kind, values)
    if kind_of_objects(name, values) == "text":
        strange = next(v for v in values if isinstance(v, str))
        raise InputError(
            f"Column {name!r} was numeric in training, but holds {strange!r} now. Correct the "
            "cell, or mark it as missing."
        )
    return numeric_column_of_objects(name, values)
