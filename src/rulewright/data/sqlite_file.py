"""Tables of SQLite files, by Python's own reader: DuckDB would download an extension for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rulewright.data.columns import Kind, unsupported
from rulewright.data.datafile import Cell, DataFile, choose_table
from rulewright.data.sql import identifier
from rulewright.errors import FileError


class SqliteFile(DataFile):
    """A table of an SQLite file."""

    def __init__(self, path: Path, table: str | None) -> None:
        self.path = path
        self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            found = self._fetch(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite_%'"
            )
            self._table = identifier(choose_table(path, [name for (name,) in found], table))
            columns = self._fetch(f"SELECT name FROM pragma_table_info({self._table})")
        except BaseException:
            self.close()
            raise
        self.names = [name for (name,) in columns]

    def close(self) -> None:
        self._connection.close()

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        """Tell kinds from the cells: SQLite's declared types promise nothing."""
        return {name: self._kind(name) for name in names}

    def _kind(self, name: str) -> Kind:
        found = self._fetch(f"SELECT DISTINCT typeof({identifier(name)}) FROM {self._table}")
        types = {kind for (kind,) in found}
        if "blob" in types:
            raise unsupported(name, preview_types="BLOB")
        return "text" if "text" in types else "numeric"

    def rows(self, cells: Sequence[Cell], size: int) -> Iterator[list[tuple[Any, ...]]]:
        wanted = ", ".join(identifier(name) for name, _ in cells) or "1"
        try:
            cursor = self._connection.execute(f"SELECT {wanted} FROM {self._table}")
            while batch := cursor.fetchmany(size):
                yield batch
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _fetch(self, query: str) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query).fetchall()
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: sqlite3.Error) -> FileError:
        return FileError(f"Cannot read {self.path.name} as an SQLite file: {error}")
