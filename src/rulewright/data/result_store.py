"""Results of finished computations, kept in a DuckDB file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

from rulewright.data.destinations import check_writable
from rulewright.data.duckdb_file import first_line
from rulewright.data.sql import absolute, literal, refuse_backslash
from rulewright.errors import FileError, InputError

COLUMNS = {
    "key": "VARCHAR",
    "function": "VARCHAR",
    "parameters": "VARCHAR",
    "result": "VARCHAR",
    "seconds": "DOUBLE",
}
HOLDER = re.compile(r"\(PID (\d+)\)")


class ResultStore:
    """Results by key in a DuckDB file; each is on disk when ``put`` returns.

    A process that is killed loses no result that it has put. Only one process at a time can open
    a file.

    Parameters
    ----------
    path : path or None
        The file, which is made if it does not exist. None keeps the results in memory.

    Examples
    --------
    >>> with ResultStore(None) as store:
    ...     store.put("k", "square", {"x": 3}, {"y": 9}, 0.5)
    ...     store.get(["k", "other"])
    {'k': ({'y': 9}, 0.5)}
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        # Never look for extensions on the network, and show no bar on the terminal.
        self._connection = duckdb.connect(
            config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
        try:
            self._attach()
            self._connection.execute("SET enable_progress_bar = false")
            self._connection.execute("SET enable_external_access = false")
            self._connection.execute("SET lock_configuration = true")
            self._check()
            columns = ", ".join(f"{name} {kind} NOT NULL" for name, kind in COLUMNS.items())
            self._connection.execute(
                f"CREATE TABLE IF NOT EXISTS store.cells ({columns}, PRIMARY KEY (key))"
            )
        except BaseException:
            self._connection.close()
            raise

    def _attach(self) -> None:
        if self.path is None:
            self._connection.execute("ATTACH ':memory:' AS store")
            return
        refuse_backslash(self.path)
        check_writable(self.path)
        if self.path.is_file() and not self.path.stat().st_size:
            self.path.unlink()  # a process was killed before it wrote the first page
        try:
            self._connection.execute(
                f"ATTACH {literal(absolute(self.path))} AS store (TYPE duckdb)"
            )
        except duckdb.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: duckdb.Error) -> FileError:
        if "lock" in str(error):
            holder = HOLDER.search(str(error))
            process = f"process {holder[1]}" if holder else "another process"
            return FileError(
                f"The results in {self.path} are in use by {process}. Wait until it has ended, or "
                "choose another file."
            )
        return FileError(
            f"Cannot keep results in {self.path}: {first_line(error)} Choose another file."
        )

    def _check(self) -> None:
        """Refuse a database that holds anything but results."""
        found = self._connection.execute(
            "SELECT table_schema, table_name, table_type FROM information_schema.tables "
            "WHERE table_catalog = 'store'"
        ).fetchall()
        if not found:
            return
        named = self._connection.execute(
            "SELECT column_name, data_type FROM information_schema.columns "
            "WHERE table_catalog = 'store' ORDER BY ordinal_position"
        ).fetchall()
        if found != [("main", "cells", "BASE TABLE")] or dict(named) != COLUMNS:
            raise FileError(
                f"{self.path} is a database with other tables, not a file of results. Choose "
                "another file."
            )

    def get(self, keys: Iterable[str]) -> dict[str, tuple[dict[str, Any], float]]:
        """Results of the keys that are known, each with the seconds that it took."""
        wanted = set(keys)
        rows = self._connection.execute("SELECT key, result, seconds FROM store.cells").fetchall()
        return {key: (json.loads(text), seconds) for key, text, seconds in rows if key in wanted}

    def put(
        self, key: str, function: str, parameters: Any, result: dict[str, Any], seconds: float
    ) -> None:
        """Keep a result; the result of a key that is known stays as it is."""
        try:
            texts = [json.dumps(value, allow_nan=False) for value in (parameters, result)]
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{function} must return JSON values without NaN, got {result!r}: {error}."
            ) from error
        self._connection.execute(
            "INSERT OR IGNORE INTO store.cells VALUES (?, ?, ?, ?, ?)",
            [key, function, *texts, seconds],
        )

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
