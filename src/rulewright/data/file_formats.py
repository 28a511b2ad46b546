"""Opening data files; the format is detected from the first bytes, not from the name."""

from __future__ import annotations

import os
from pathlib import Path

from rulewright.data.datafile import DataFile
from rulewright.errors import FileError, InputError


def open_data(path: str | os.PathLike[str], table: str | None = None) -> DataFile:
    """Open a CSV, Parquet, DuckDB or SQLite file.

    Parameters
    ----------
    path : path
    table : str, optional
        Table of a database; not needed if there is only one.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise FileError(
            f"Cannot read {str(path)!r}: {error.strerror or error}. Check the path."
        ) from error
    return _opened(path, table, start)


def _opened(path: Path, table: str | None, start: bytes) -> DataFile:
    """Open a file by its first bytes; only here is DuckDB imported, which takes long."""
    from rulewright.data.csv_file import CsvFile  # noqa: PLC0415
    from rulewright.data.duckdb_file import duckdb_table, parquet_file  # noqa: PLC0415
    from rulewright.data.sqlite_file import SqliteFile  # noqa: PLC0415

    if start.startswith(b"SQLite format 3\x00"):
        return SqliteFile(path, table)
    if start[8:12] == b"DUCK":
        return duckdb_table(path, table)
    if table is not None:
        raise InputError(f"{path.name} is not a database, so it has no table {table!r}.")
    if start.startswith(b"PAR1"):
        return parquet_file(path)
    return CsvFile(path)
