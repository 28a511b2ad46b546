"""Opening data files; the format is detected from the first bytes, not from the name."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rulewright.data.datafile import DataFile
from rulewright.errors import FileError, InputError

STANDARD_INPUT = "-"
ZIP, OLD_OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
"""First bytes of workbooks: .xlsx, and .xls of 2003 and earlier."""


def open_data(path: str | os.PathLike[str], table: str | None = None) -> DataFile:
    """Open a CSV, Parquet, Excel, DuckDB or SQLite file; "-" is the standard input.

    Parameters
    ----------
    path : path
    table : str, optional
        Table of a database or sheet of a workbook; not needed if there is only one.
    """
    path = Path(path)
    try:
        if str(path) == STANDARD_INPUT or path.is_fifo():
            return _open_stream(path, table)
        return _opened(path, table, _start(path))
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(
            f"Cannot read {str(path)!r}: {error.strerror or error}. Check the path."
        ) from error


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(16)


def _open_stream(path: Path, table: str | None) -> DataFile:
    """Open a copy of a stream, which can be read only once."""
    folder = TemporaryDirectory()
    try:
        copy = Path(folder.name) / "standard input"
        with copy.open("wb") as target:
            if str(path) == STANDARD_INPUT:
                shutil.copyfileobj(sys.stdin.buffer, target)
            else:
                with path.open("rb") as source:
                    shutil.copyfileobj(source, target)
        return _with_folder(_opened(copy, table, _start(copy)), folder)
    except BaseException:
        folder.cleanup()
        raise


def _with_folder(file: DataFile, folder: TemporaryDirectory[str]) -> DataFile:
    """Return a file that removes a folder when it is closed."""
    if file.temporary is not None:  # a workbook from a stream: its copy is no longer needed
        folder.cleanup()
        return file
    file.temporary = folder
    return file


def _opened(path: Path, table: str | None, start: bytes) -> DataFile:
    """Open a file by its first bytes; only here is DuckDB imported, which takes long."""
    from rulewright.data.csv_file import CsvFile  # noqa: PLC0415
    from rulewright.data.duckdb_file import duckdb_table, parquet_file  # noqa: PLC0415
    from rulewright.data.sqlite_file import SqliteFile  # noqa: PLC0415

    if start.startswith(b"SQLite format 3\x00"):
        return SqliteFile(path, table)
    if start[8:12] == b"DUCK":
        return duckdb_table(path, table)
    if start.startswith((ZIP, OLD_OFFICE)):
        return _open_workbook(path, table, start)
    if table is not None:
        raise InputError(f"{path.name} is not a database, so it has no table {table!r}.")
    if start.startswith(b"PAR1"):
        return parquet_file(path)
    return CsvFile(path)


def _open_workbook(path: Path, table: str | None, start: bytes) -> DataFile:
    """Open a copy of a sheet as CSV."""
    from rulewright.data.csv_file import CsvFile  # noqa: PLC0415
    from rulewright.data.workbook_file import sheet_to_csv  # noqa: PLC0415

    if start.startswith(OLD_OFFICE):
        raise FileError(
            f"{path.name} is a workbook of Excel 2003 or earlier, or is encrypted. Save it as CSV "
            "or as .xlsx."
        )
    folder = TemporaryDirectory()
    try:
        copy = Path(folder.name) / path.name
        sheet_to_csv(path, table, copy)
        return _with_folder(CsvFile(copy), folder)
    except BaseException:
        folder.cleanup()
        raise
