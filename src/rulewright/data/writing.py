"""Writing files atomically, as CSV or Parquet."""

from __future__ import annotations

import csv
import io
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import CellColumn
from rulewright.data.destinations import cannot_write, destination_of
from rulewright.data.sql import absolute, file_pattern, literal
from rulewright.data.table import Table
from rulewright.data.workbook_file import is_workbook_name, write_sheet
from rulewright.errors import FileError
from rulewright.kernels import row_lines

CellType = Literal["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]

PARQUET_MARK = {"generator": "rulewright"}
"""Metadata of a Parquet file that this library wrote."""

FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""First characters of a text that a spreadsheet may run as a formula; the last are full-width."""

PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path, and move the file written there to ``path`` on success.

    On any error the temporary file is removed and ``path`` is left unchanged. A link is kept and
    its target replaced. A device or a pipe is not replaced: the whole output is written to it.
    """
    try:
        destination = destination_of(path)
        with destination.temporary_folder() as folder:
            temporary = folder / "output"
            yield temporary
            destination.place(temporary)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise cannot_write(path, error) from error


class _UnixLines:
    """Replaces the line ends of a CSV writer by single line feeds."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, line: str) -> int:
        return self._file.write(f"{line[:-2]}\n")


class RowWriter:
    """Writer of rows as CSV; None is an empty cell.

    With ``excel_safe``, no spreadsheet runs a text cell as a formula (``excel_safe_cell``).
    """

    def __init__(self, file: IO[str], names: Sequence[str], *, excel_safe: bool = False) -> None:
        # The writer quotes cells that contain a character of its line end; a carriage return needs
        # it.
        self._file = file
        self._csv = csv.writer(_UnixLines(file), lineterminator="\r\n")
        self._excel_safe = excel_safe
        self.write([names])

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        """Append rows."""
        if self._excel_safe:
            rows = (tuple(map(excel_safe_cell, row)) for row in rows)
        self._csv.writerows(rows)

    def write_coded(self, first: int, columns: Sequence[CellColumn]) -> None:
        """Append rows of at least one column: the number of each, from ``first``, and its cells."""
        texts: list[tuple[NDArray[np.int32], list[str]]] = []
        for codes, values in columns:
            cells = list(map(self._cell_text, values))
            if texts and texts[-1][0] is codes:  # one text for columns that are coded alike
                cells = [before + cell for before, cell in zip(texts.pop()[1], cells, strict=True)]
            texts.append((codes, cells))
        texts[-1] = texts[-1][0], [f"{text}\n" for text in texts[-1][1]]
        lines = [(codes, [text.encode() for text in cells]) for codes, cells in texts]
        written = row_lines(first, texts[0][0].size, lines)
        if isinstance(self._file, io.TextIOWrapper) and self._file.encoding.lower() == "utf-8":
            self._file.flush()
            self._file.buffer.write(written)
        else:
            self._file.write(written.decode())

    def _cell_text(self, cell: Any) -> str:
        """Text of a cell after a comma."""
        line = io.StringIO()
        safe = excel_safe_cell(cell) if self._excel_safe else cell
        csv.writer(line, lineterminator="\r\n").writerow(["", safe, ""])
        return line.getvalue()[: -len(",\r\n")]


def excel_safe_cell(cell: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    Examples
    --------
    >>> [excel_safe_cell(cell) for cell in ("=1+1", "@SUM(A1)", "-2", "a=b", -2.0)]
    ["'=1+1", "'@SUM(A1)", '-2', 'a=b', -2.0]
    """
    if not isinstance(cell, str) or not cell.startswith(FORMULA_STARTS):
        return cell
    return cell if PLAIN_NUMBER.fullmatch(cell) else f"'{cell}"


@contextmanager
def write_rows(
    path: str | os.PathLike[str],
    columns: Sequence[tuple[str, CellType]],
    *,
    excel_safe: bool = False,
) -> Iterator[RowWriter]:
    """Write CSV, Parquet (.parquet) or an Excel workbook (.xlsx), in any number of batches."""
    names = [name for name, _ in columns]
    with write_atomically(path) as temporary:
        if not (is_parquet_name(path) or is_workbook_name(path)):
            with temporary.open("w", encoding="utf-8", newline="") as file:
                yield RowWriter(file, names, excel_safe=excel_safe)
            return
        with tempfile.TemporaryDirectory(dir=temporary.parent) as folder:
            rows = Path(folder) / "rows.csv"
            with rows.open("w", encoding="utf-8", newline="") as file:
                yield RowWriter(file, names)
            if is_parquet_name(path):
                _csv_to_parquet(rows, temporary, columns, path)
            else:
                are_numbers = [kind in ("BIGINT", "DOUBLE") for _, kind in columns]
                write_sheet(temporary, rows, are_numbers, Path(path).name)


def is_parquet_name(path: str | os.PathLike[str]) -> bool:
    """Whether an output of this name is written as Parquet."""
    return Path(path).suffix.lower() == ".parquet"


def is_earlier_output(path: str | os.PathLike[str], names: Sequence[str]) -> bool:
    """Whether a file is an earlier output with these columns, by its header or Parquet metadata."""
    if is_parquet_name(path):
        return _parquet_marks(Path(path), names)
    if is_workbook_name(path):
        return False
    header = io.StringIO()
    RowWriter(header, names)
    first = header.getvalue().encode()
    try:
        with Path(path).open("rb") as file:
            return file.read(len(first)) == first
    except OSError:
        return False


def _parquet_marks(path: Path, names: Sequence[str]) -> bool:
    from duckdb import Error  # noqa: PLC0415  (importing DuckDB takes long)

    from rulewright.data.duckdb_file import connect  # noqa: PLC0415

    file = literal(file_pattern(path))
    try:
        with connect([path]) as connection:
            query = f"SELECT key, value FROM parquet_kv_metadata({file})"
            marks = connection.execute(query).fetchall()
            columns = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({file})").fetchall()
    except (OSError, Error):
        return False
    known = {(bytes(key).decode(), bytes(value).decode()) for key, value in marks}
    return known >= set(PARQUET_MARK.items()) and [column[0] for column in columns] == list(names)


def _csv_to_parquet(
    rows: Path,
    parquet: Path,
    columns: Sequence[tuple[str, CellType]],
    path: str | os.PathLike[str],
) -> None:
    """Convert a file; an error names ``path``, the place of the result."""
    from duckdb import Error  # noqa: PLC0415

    from rulewright.data.duckdb_file import connect  # noqa: PLC0415

    # DuckDB converts in a stream, so the file may be larger than memory.
    types = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in columns)
    pattern = literal(file_pattern(rows))
    # Without detection, some versions of DuckDB know no escape character.
    dialect = "header=true, auto_detect=false, delim=',', quote='\"', escape='\"'"
    source = f"read_csv({pattern}, {dialect}, columns={{{types}}})"
    marks = ", ".join(f"{name}: {literal(value)}" for name, value in PARQUET_MARK.items())
    options = f"FORMAT parquet, USE_TMP_FILE false, KV_METADATA {{{marks}}}"
    try:
        with connect([rows, parquet]) as connection:
            connection.execute(
                f"COPY (SELECT * FROM {source}) TO {literal(absolute(parquet))} ({options})"
            )
    except Error as error:
        raise cannot_write(path, error) from error


def write_table(path: str | os.PathLike[str], table: Table) -> None:
    """Write a table to a CSV or Parquet file."""
    types: dict[str, CellType] = {"numeric": "DOUBLE", "code": "DOUBLE", "boolean": "BOOLEAN"}
    columns = [(f.name, types.get(f.kind, "VARCHAR")) for f in table.fields]
    with write_rows(path, columns) as writer:
        writer.write(zip(*(column.cells() for column in table.columns), strict=True))
