"""Statements that create a table or view in a user's database: DuckDB, SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rulewright.data.datafile import choose_table
from rulewright.data.sql import absolute, identifier
from rulewright.errors import FileError, InputError, preview

POSTGRES_PREFIXES = ("postgres://", "postgresql://")


@dataclass(frozen=True)
class OpenDatabase:
    """A database in which tables can be created.

    Attributes
    ----------
    dialect : str
        Its dialect of SQL.
    title : str
        What messages call it. It holds no password.
    connection
        A connection of DuckDB, sqlite3 or psycopg, without a transaction of its own.
    error : type
        Class of the connection's errors.
    """

    dialect: str
    title: str
    connection: Any
    error: type[Exception]

    def source(self, wanted: str | None) -> tuple[str, str]:
        """Return the schema, empty for the usual one, and the name of the table to read."""
        usual, kinds = self._tables()
        places = {
            name if schema == usual else f"{schema}.{name}": (schema, name)
            for schema, name in kinds
        }
        schema, name = places[choose_table(Path(self.title), list(places), wanted)]
        return ("" if schema == usual else schema, name)

    def column_names(self, schema: str, table: str) -> list[str]:
        """Return the names of the columns of a table."""
        place = ".".join(identifier(part) for part in (schema, table) if part)
        cursor = self._execute(f"SELECT * FROM {place} LIMIT 0")
        return [column[0] for column in cursor.description]

    def create(self, statement: str, name: str, source: str, *, overwrite: bool) -> int:
        """Run the statement that creates a table or view, all or nothing; return its rows.

        An existing one is replaced only with ``overwrite``, and never the ``source``.
        """
        if name.lower() == source.lower():
            raise InputError(
                f"--into {name!r} is the table that is read. Give the new table another name."
            )
        usual, kinds = self._tables()
        there = [
            (found, kind)
            for (schema, found), kind in kinds.items()
            if schema == usual and found.lower() == name.lower()
        ]
        if there and not overwrite:
            raise InputError(
                f"{self.title} already has {preview([there[0][0]])}. Name another table with "
                "--into, or replace it with --overwrite."
            )
        self._execute("BEGIN")
        try:
            for found, kind in there:
                what = "VIEW" if "VIEW" in kind.upper() else "TABLE"
                self._execute(f"DROP {what} {identifier(found)}")
            self._execute(statement)
            ((rows,),) = self._execute(f"SELECT count(*) FROM {identifier(name)}").fetchall()
            self._execute("COMMIT")
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        return int(rows)

    def _tables(self) -> tuple[str, dict[tuple[str, str], str]]:
        """Return the usual schema, and the kind of each table and view."""
        if self.dialect == "sqlite":
            query = "SELECT 'main', name, type FROM sqlite_master WHERE type IN ('table', 'view')"
            usual = "main"
        else:
            query = (
                "SELECT table_schema, table_name, table_type FROM information_schema.tables "
                "WHERE table_schema NOT IN ('information_schema', 'pg_catalog')"
            )
            ((usual,),) = self._execute("SELECT current_schema()").fetchall()
        found = self._execute(query).fetchall()
        return str(usual), {(schema, name): kind for schema, name, kind in found}

    def _execute(self, statement: str) -> Any:
        try:
            return self.connection.execute(statement)
        except self.error as error:
            reason = str(error).strip().splitlines()[0]
            raise InputError(f"{self.title} refused the statement: {reason}") from error


@contextmanager
def open_database(engine: str, path: Path) -> Iterator[OpenDatabase]:
    """Open a DuckDB or SQLite file, or the PostgreSQL server of an address, to write."""
    if engine.startswith(POSTGRES_PREFIXES):
        database = _postgres(engine)
    elif engine == "duckdb":
        database = _duckdb(path)
    elif engine == "sqlite":
        database = _sqlite(path)
    else:
        raise InputError(
            "--engine must be duckdb, sqlite, or an address such as postgres://user@host/database."
        )
    try:
        yield database
    finally:
        database.connection.close()


def _duckdb(path: Path) -> OpenDatabase:
    import duckdb  # noqa: PLC0415

    options: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        connection = duckdb.connect(absolute(path), config=options)
        # A view of the file must not read other files of this machine.
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as error:
        raise FileError(f"Cannot open {path.name} to write: {error}") from error
    return OpenDatabase("duckdb", path.name, connection, duckdb.Error)


def _sqlite(path: Path) -> OpenDatabase:
    import sqlite3  # noqa: PLC0415

    address = f"{path.resolve().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    return OpenDatabase("sqlite", path.name, connection, sqlite3.Error)


def _postgres(address: str) -> OpenDatabase:
    try:
        import psycopg  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            "PostgreSQL needs the package psycopg: pip install 'rulewright[engines]'. Or write "
            "the statement with rulewright export --to sql --set dialect=postgres --set "
            "shape=table, and run it yourself."
        ) from error
    try:
        connection = psycopg.connect(address, autocommit=True)
    except psycopg.Error:  # its message may hold parts of the address
        host = urlsplit(address).hostname or "this machine"
        raise FileError(
            f"Cannot connect to PostgreSQL at {host}. Check the address, the user and the "
            "password, and that the server runs."
        ) from None
    return OpenDatabase("postgres", "the database", connection, psycopg.Error)
