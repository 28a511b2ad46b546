"""CSV files: text with a header, a delimiter found in it, double quotes; all else is an error.

DuckDB's guessing of CSV dialects is not used: it may skip lines, rename columns, or read "yes" and
"no" as Booleans.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import duckdb

from rulewright.data.columns import Kind
from rulewright.data.datafile import Cell, refuse_repeated
from rulewright.data.duckdb_file import DuckdbFile, first_line
from rulewright.data.sql import identifier, literal
from rulewright.errors import FileError, InputError, preview

MISSING_TEXTS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
MISSING_SQL = ", ".join(map(literal, MISSING_TEXTS))
JUDGED_ROWS = 100_000
DELIMITERS = (",", ";", "\t", "|")


class CsvFile(DuckdbFile):
    """A CSV file, all cells text until they are judged."""

    def __init__(self, path: Path) -> None:
        self._delimiter, self._header = _csv_header(path)
        self._compression = "gzip" if _is_gzip(path) else "none"
        if self._compression == "gzip":
            _check_gzip(path)
        self._kept: dict[str, Kind] = {}
        self.path = path
        super().__init__(path, self._read_csv(()))

    def _read_csv(self, numeric: Collection[str]) -> str:
        """Write the call that reads the file, some columns as numbers and the others as text."""
        types = ((name, "DOUBLE" if name in numeric else "VARCHAR") for name in self._header)
        columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in types)
        return (
            f"read_csv({literal(str(self.path))}, auto_detect=false, header=true, "
            f"columns={{{columns}}}, delim={literal(self._delimiter)}, quote='\"', escape='\"', "
            f"nullstr=[{MISSING_SQL}], strict_mode=true, null_padding=false, "
            f"compression={literal(self._compression)})"
        )

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        """Call a column numeric when every cell reads as a number and none as a padded code.

        The first rows tell, and reading all others as numbers confirms it, which is the fastest way
        through a file; where that fails, all cells are looked at as text. What was read stays in a
        temporary table.
        """
        if not names:
            return {}
        kinds = self._judge(names, f"(SELECT * FROM {self._source} LIMIT {JUDGED_ROWS})")
        numeric = [name for name, kind in kinds.items() if kind == "numeric"]
        typed = [
            identifier(n) if n in numeric else f"{self._cell(n, 'text')} AS {identifier(n)}"
            for n in names
        ]
        try:
            self._keep(f"SELECT {', '.join(typed)} FROM {self._read_csv(numeric)}")
        except duckdb.Error:
            kinds = self._judge(names, self._source)
            cells = (f"{self._cell(n, kind)} AS {identifier(n)}" for n, kind in kinds.items())
            try:
                self._keep(f"SELECT {', '.join(cells)} FROM {self._source}")
            except duckdb.Error as error:
                raise self._explain(error) from error
        self._kept = kinds
        return kinds

    def _keep(self, query: str) -> None:
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE incoming AS {query}")

    def _select(self, cells: Sequence[Cell]) -> str:
        numbers = ("numeric", "code")
        kept = cells and all(
            self._kept.get(name) == ("numeric" if kind in numbers else kind) for name, kind in cells
        )
        if not kept:
            return super()._select(cells)
        wanted = (f"{identifier(name)} AS c{i}" for i, (name, _) in enumerate(cells))
        return f"SELECT {', '.join(wanted)} FROM incoming"

    def _judge(self, names: Sequence[str], source: str) -> dict[str, Kind]:
        cells = ", ".join(f"{self._cell(n, 'text')} AS {identifier(n)}" for n in names)
        tests = ", ".join(
            f"bool_and(TRY_CAST({cell} AS DOUBLE) IS NOT NULL "
            f"AND NOT regexp_matches({cell}, '^[+-]?0[0-9]')) FILTER ({cell} IS NOT NULL)"
            for cell in map(identifier, names)
        )
        answers = self._execute(f"SELECT {tests} FROM (SELECT {cells} FROM {source})").fetchone()
        assert answers is not None
        return {
            name: "text" if numeric is False else "numeric"  # None: no cell is there at all
            for name, numeric in zip(names, answers, strict=True)
        }

    def _cell(self, name: str, kind: Kind) -> str:
        text = f"trim({identifier(name)})"
        present = f"CASE WHEN {text} IN ({MISSING_SQL}) THEN NULL ELSE {text} END"
        return f"CAST({present} AS DOUBLE)" if kind in ("numeric", "code") else present

    def _explain(self, error: duckdb.Error) -> Exception:
        text = str(error)
        line = re.search(r"CSV Error on Line: (\d+)", text)
        where = f"{self.path.name}, line {line.group(1)}" if line else self.path.name
        if "unicode" in text or "utf-8" in text:
            return _not_utf8(where)
        cells = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
        if cells:
            return FileError(
                f"{where}: {cells.group(2)} cells where the header has {cells.group(1)}. Every row "
                "must have one cell a column; put a cell that holds the delimiter in double quotes."
            )
        number = re.search(r"Could not convert string ['\"](.*?)['\"] to '?DOUBLE", text)
        if number:
            return InputError(
                f"{where}: {number.group(1)!r} stands in a column that was numeric in training. "
                "Correct the cell, or leave it empty if the value is missing."
            )
        return FileError(f"Cannot read {where}: {first_line(error)}")


def _not_utf8(where: str) -> FileError:
    return FileError(
        f"{where}: the text is not UTF-8. Save the file as UTF-8, for example with: "
        "iconv -f latin1 -t utf-8 old.csv > new.csv"
    )


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _check_gzip(path: Path) -> None:
    """Read to the end: DuckDB takes a file that was cut off for a shorter one."""
    try:
        with gzip.open(path, "rb") as file:
            while file.read(1 << 20):
                pass
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"Cannot read {path.name}, the file is damaged: {error}") from error


def _csv_header(path: Path) -> tuple[str, list[str]]:
    """Read the header line: which delimiter it uses, and the names of the columns."""
    try:
        raw: Any = gzip.open(path, "rb") if _is_gzip(path) else path.open("rb")
        with raw:
            first = raw.readline(1 << 20).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(f"{path.name}, header") from error
    except (OSError, EOFError) as error:
        raise FileError(f"Cannot read {path.name}: {error}") from error
    if "\x00" in first:
        raise FileError(
            f"{path.name} is not a table this library reads: CSV, Parquet, DuckDB or SQLite."
        )
    bare = re.sub(r'"[^"]*"', "", first)
    delimiter = max(DELIMITERS, key=bare.count)
    try:
        names = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error as error:
        raise FileError(
            f"{path.name}: the header cannot be read: {error}. Lines must end in a newline, and "
            "names be short."
        ) from error
    if not names:
        raise InputError(f"{path.name} is empty: a CSV file needs a header and rows.")
    _check_names(path, names)
    return delimiter, names


def _check_names(path: Path, names: list[str]) -> None:
    unnamed = [i + 1 for i, name in enumerate(names) if not name.strip()]
    if unnamed:
        raise InputError(
            f"{path.name}: column {preview(unnamed)} of the header has no name. Name it or leave "
            "it out (with pandas: to_csv(..., index=False))."
        )
    refuse_repeated(path, names)
