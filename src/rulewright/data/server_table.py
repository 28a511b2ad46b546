"""A table on a PostgreSQL server, which is counted there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rulewright.data.datafile import choose_table
from rulewright.data.lazy_columns import need_columns
from rulewright.data.lazy_table import lazy_names
from rulewright.errors import FileError, InputError


@dataclass(frozen=True, eq=False)
class ServerTable:
    """A table of a server, as a lazy frame of Ibis."""

    frame: Any

    def need(self, names: Sequence[str]) -> None:
        """Raise an error if a named column is not in the table."""
        need_columns(names, lazy_names(self.frame))

    def lazy_frame(self) -> Any:
        """Return the table as a lazy frame, which is valid until the connection is closed."""
        return self.frame


@contextmanager
def open_server_table(address: str, table: str | None) -> Iterator[ServerTable]:
    """Connect to the PostgreSQL server of an address; messages never show the address."""
    try:
        import ibis  # noqa: PLC0415  (only needed here)
    except ImportError as error:
        raise InputError(
            "PostgreSQL needs the packages ibis and psycopg: pip install 'rulewright[engines]'."
        ) from error
    try:
        connection = ibis.connect(address)
    except Exception:  # its message may hold parts of the address
        host = urlsplit(address).hostname or "this machine"
        raise FileError(
            f"Cannot connect to PostgreSQL at {host}. Check the address, the user and the "
            "password, and that the server runs."
        ) from None
    try:
        name = choose_table(Path("The database"), list(connection.list_tables()), table)
        yield ServerTable(connection.table(name))
    finally:
        connection.disconnect()
