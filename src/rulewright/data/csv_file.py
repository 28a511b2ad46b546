"""CSV files: a header, a detected delimiter and double quotes; anything else is an error.

DuckDB's detection of CSV dialects is not used: it may skip lines, rename columns, or read "yes" and
"no" as Booleans.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os
import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import IO, Any

from rulewright.data.columns import (
    MAX_EXACT_INTEGER,
    CellColumn,
    Column,
    Kind,
    coded_cells,
)
from rulewright.data.datafile import DataFile, refuse_repeated
from rulewright.data.duckdb_file import DuckdbFile, connect, first_line
from rulewright.data.moments import is_moment
from rulewright.data.sql import file_pattern, identifier, literal
from rulewright.data.table import Table
from rulewright.errors import FileError, InputError, preview
from rulewright.kernels import CsvRows

MISSING_TEXTS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
MISSING_SQL = ", ".join(map(literal, MISSING_TEXTS))
NUMERIC_TEST = (
    r"bool_and(TRY_CAST(cell AS DOUBLE) IS NOT NULL "
    r"AND NOT regexp_matches(cell, '^\s*[+-]?0[0-9]') "
    rf"OR trim(cell) IN ({MISSING_SQL}))"
)
"""Whether all cells are numbers or missing, and none is a zero-padded code."""
CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?"
ZONE = " ?(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)"
TIMES: dict[Kind, str] = {
    "date": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "datetime": f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ T]{CLOCK})?",
    "instant": f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[ T]{CLOCK}{ZONE}",
}
"""Pattern that all cells of a column of ISO dates or datetimes match."""
TIMES_TESTS: dict[Kind, str] = {
    kind: f"bool_and(regexp_full_match(trim(cell), {literal(pattern)}) "
    "AND coalesce(TRY_CAST(left(trim(cell), 10) AS DATE) >= DATE '0001-01-02', false) "
    f"OR trim(cell) IN ({MISSING_SQL}))"
    for kind, pattern in TIMES.items()
}
DETECTION_ROWS, PLAIN_DETECTION_ROWS = 100_000, 10_000
"""Rows from which kinds are suggested; fewer of a plain file, whose numbers are all checked."""
FIRST_ROWS = 1_000
"""Number of rows that are looked at first: one cell rules a kind out."""
BLOCK_COLUMNS = 64
"""Columns converted by one query."""
MAX_LINE_BYTES = 1 << 24
"""Maximum length of a line in bytes. DuckDB's own limit is too low for a wide table."""
DELIMITERS = (",", ";", "\t", "|")


class CsvFile(DuckdbFile):
    """A CSV file; all cells are text until their kinds are detected.

    A file that is read whole stays in the temporary table ``incoming``, each column as numbers or
    as the text of the file. Queries with an expression for each column take a block of columns at a
    time: DuckDB plans them in time quadratic in the number of expressions.
    """

    def __init__(self, path: Path) -> None:
        self._delimiter, self._header, self._start = _csv_header(path)
        self._compression = "gzip" if _is_gzip(path) else "none"
        _refuse_long_ending(path, self._compression)
        self._stored: dict[str, str] = {}
        self._loaded: dict[str, Any] = {}
        self.path = path
        types = dict.fromkeys(self._header, "VARCHAR")
        super().__init__(path, self._read_csv(()), connect([path]), types)

    def _read_csv(self, numeric: Collection[str]) -> str:
        """SQL call that reads the file, some columns as numbers and the others as text."""
        types = ((name, "DOUBLE" if name in numeric else "VARCHAR") for name in self._header)
        columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in types)
        return (
            f"read_csv({literal(file_pattern(self.path))}, auto_detect=false, header=true, "
            f"columns={{{columns}}}, delim={literal(self._delimiter)}, quote='\"', escape='\"', "
            f"nullstr=[{MISSING_SQL}], strict_mode=true, null_padding=false, "
            f"hive_partitioning=false, max_line_size={MAX_LINE_BYTES}, "
            f"buffer_size={2 * MAX_LINE_BYTES}, compression={literal(self._compression)})"
        )

    def lazy_frame(self) -> Any:
        return DataFile.lazy_frame(self)  # its columns have no types

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        """Detect the kinds of columns.

        A column is numeric if every cell is a number and none is a zero-padded code.
        A column of ISO dates is a column of dates. A column of ISO datetimes is one of datetimes if
        all of them have a time zone, or none has.

        The first rows suggest the kinds, and reading all rows as numbers confirms them: this is the
        fastest way through a file. If that fails, all cells are checked as text.
        """
        if not names:
            return {}
        plain = self._plain_rows()
        sampled = DETECTION_ROWS if plain is None else PLAIN_DETECTION_ROWS
        self._keep("sample", names, f"{self._source} LIMIT {sampled}")
        kinds = self._detect(names, "sample")
        self._execute("DROP TABLE sample")
        if self._load(kinds, plain):
            times = [name for name in names if is_moment(kinds[name])]
            return kinds | {name: _time_kind(self._loaded[name][1]) for name in times}
        self._keep("incoming", names, self._source)
        kinds = self._detect(names, "incoming")
        self._store(kinds)
        return kinds | self._detect_times([n for n in names if is_moment(kinds[n])], "incoming")

    def _plain_rows(self) -> CsvRows | None:
        """Return the rows of a plain file, which DuckDB need not read; None of another."""
        if self._compression != "none":
            return None
        rows = CsvRows(self.path, self._start, os.cpu_count() or 1)
        return rows if rows.is_plain else None

    def _load(self, kinds: dict[str, Kind], plain: CsvRows | None) -> bool:
        """Read columns whole, numbers as doubles and others as codes of texts, if that succeeds."""
        numeric = {name for name, kind in kinds.items() if kind == "numeric"}
        if plain is not None:
            wanted = [
                "number" if n in numeric else "text" if n in kinds else "" for n in self.names
            ]
            try:
                read = plain.read(wanted, self._delimiter, MISSING_TEXTS)
            except ValueError:  # a padded code among numbers
                return False
            if read is not None:
                found = dict(zip(self.names, read, strict=True))
                self._loaded = {name: found[name] for name in kinds}
                return True
        try:
            _, columns = self._read_columns(map(identifier, kinds), self._read_csv(numeric))
        except (FileError, InputError):
            return False
        self._loaded = dict(zip(kinds, columns, strict=True)) if columns else {}
        return bool(columns)

    def close(self) -> None:
        self._loaded = {}
        super().close()

    def _detect(self, names: Sequence[str], source: str) -> dict[str, Kind]:
        passed = self._tested([NUMERIC_TEST], names, source)
        kinds: dict[str, Kind] = dict.fromkeys(names, "numeric")
        texts = [name for name in names if not passed[name][0]]
        return kinds | self._detect_times(texts, source)

    def _detect_times(self, names: Sequence[str], source: str) -> dict[str, Kind]:
        """Detect dates and datetimes among texts."""
        tested = self._tested(list(TIMES_TESTS.values()), names, source)
        return {name: _kind_by(passed) for name, passed in tested.items()}

    def _tested(
        self, tests: Sequence[str], names: Sequence[str], source: str
    ) -> dict[str, Sequence[bool]]:
        """Whether all cells of columns pass tests; a few rows rule most tests out.

        One test of all cells, column by column: a test per column is slow with many columns.
        """
        passed: dict[str, Sequence[bool]] = {name: [True] * len(tests) for name in names}
        ((rows,),) = self.query(f"SELECT count(*) FROM {source}")
        few = [f"(SELECT * FROM {source} LIMIT {FIRST_ROWS})"] if rows > FIRST_ROWS else []
        for part in (*few, source):
            left = ", ".join(identifier(name) for name in names if any(passed[name]))
            if left:
                # A column without cells is not among the results.
                found = self.query(
                    f"SELECT name, {', '.join(tests)} FROM (UNPIVOT (SELECT {left} FROM {part}) "
                    "ON COLUMNS(*) INTO NAME name VALUE cell) GROUP BY name"
                )
                passed |= {str(name): results for name, *results in found}
        return passed

    def _store(self, kinds: dict[str, Kind]) -> bool:
        """Read columns into ``incoming``; return whether the numeric ones were read as numbers."""
        numeric = {name for name, kind in kinds.items() if kind == "numeric"}
        try:
            self._keep("incoming", list(kinds), self._read_csv(numeric))
        except (FileError, InputError):
            self._keep("incoming", list(kinds), self._source)
            numeric = set()
        self._stored = {name: "DOUBLE" if name in numeric else "VARCHAR" for name in kinds}
        return self._stored_as(kinds)

    def _keep(self, table: str, names: Sequence[str], source: str) -> None:
        wanted = ", ".join(map(identifier, names)) or "1 AS nothing"
        self._execute(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {wanted} FROM {source}")

    def _all(self, kinds: dict[str, Kind]) -> Table:
        if kinds and all(self._is_loaded(name, kind) for name, kind in kinds.items()):
            rows = _rows_of(self._loaded[next(iter(kinds))])
            # A column is kept once: its cells are free as soon as it is made.
            columns = [self._streamed_column(n, k, self._loaded.pop(n)) for n, k in kinds.items()]
            return Table(columns, rows)
        if not self._can_serve(kinds):
            self._store(kinds)
        return self._table(kinds, "incoming")

    def _is_loaded(self, name: str, kind: Kind) -> bool:
        """Whether a loaded column has what a kind needs: numbers, or the texts of the cells."""
        if name not in self._loaded:
            return False
        return (kind == "numeric") != isinstance(self._loaded[name], tuple)

    def _can_serve(self, kinds: dict[str, Kind]) -> bool:
        """Whether the stored columns suffice for these kinds: codes need every digit."""
        if not kinds or not kinds.keys() <= self._stored.keys():
            return False
        return all(
            kind == "numeric" or self._stored[name] == "VARCHAR" for name, kind in kinds.items()
        )

    def _table(self, kinds: dict[str, Kind], source: str) -> Table:
        names = list(kinds)
        tables = [
            self._read_table(
                {name: kinds[name] for name in block},
                [self._stored_cell(name, kinds[name]) for name in block],
                source,
            )
            for block in ([names] if self._stored_as(kinds) else _blocks(names))
        ]
        return Table([column for table in tables for column in table.columns], tables[0].rows)

    def _stored_as(self, kinds: dict[str, Kind]) -> bool:
        """Whether all columns required as numbers are stored as numbers."""
        return all(self._stored[n] == "DOUBLE" for n, k in kinds.items() if k == "numeric")

    def _stored_cell(self, name: str, kind: Kind) -> str:
        if kind == "numeric" and self._stored[name] == "VARCHAR":
            return self._cell(name, kind)
        return identifier(name)

    def _moments(self, name: str, kind: Kind, values: list[Any]) -> Column:
        return super()._moments(name, kind, _present_texts(values))

    def batches(
        self, kinds: dict[str, Kind], keep: Sequence[str] = (), size: int = 1 << 16
    ) -> Iterator[tuple[Table, list[CellColumn]]]:
        if len(kinds) + len(keep) <= BLOCK_COLUMNS:
            yield from super().batches(kinds, keep, size)
            return
        self.need([*kinds, *keep])
        self._store({**dict.fromkeys(keep, "text"), **kinds})
        for first in itertools.count(0, size):
            self._first = first
            here = f"(SELECT * FROM incoming LIMIT {size} OFFSET {first})"
            table = self._table(kinds, here)
            if not table.rows:
                return
            yield table, self._kept_columns(keep, here)

    def _kept_columns(self, keep: Sequence[str], source: str) -> list[CellColumn]:
        cells = ", ".join(f"CAST({identifier(name)} AS VARCHAR)" for name in keep)
        if not keep:
            return []
        rows = self._execute(f"SELECT {cells} FROM {source}").fetchall()
        return [coded_cells(list(map(_present, texts))) for texts in zip(*rows, strict=True)]

    def _streamed(self, name: str, kind: Kind) -> str:
        if kind != "numeric":
            return identifier(name)  # different texts are trimmed once
        # Only cells that are no plain numbers are trimmed and compared with words.
        return f"coalesce(TRY_CAST({identifier(name)} AS DOUBLE), {self._cell(name, kind)})"

    def _texts(self, texts: list[Any]) -> list[Any]:
        return list(map(_present, texts))

    def _cell(self, name: str, kind: Kind) -> str:
        text = f"trim({identifier(name)})"
        present = f"CASE WHEN {text} IN ({MISSING_SQL}) THEN NULL ELSE {text} END"
        return f"CAST({present} AS DOUBLE)" if kind == "numeric" else present

    def _large_integers(self, name: str) -> str | None:
        cell = identifier(name)
        return (
            f"SELECT trim({cell}) FROM {self._source} "
            f"WHERE regexp_full_match({cell}, '\\s*[+-]?[0-9]+\\s*') "
            f"AND abs(TRY_CAST({cell} AS DOUBLE)) >= {MAX_EXACT_INTEGER}"
        )

    def _reason(self, error: Exception) -> Exception:
        text = str(error)
        if "Maximum line size" in text or "support a full read" in text:
            return _too_long(self.path)
        line = re.search(r"CSV Error on Line: (\d+)", text)
        where = f"{self.path.name}, line {line.group(1)}" if line else self.path.name
        if "unicode" in text or "utf-8" in text:
            return _not_utf8(where)
        cells = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
        if cells:
            return FileError(
                f"{where}: {cells.group(2)} cells where the header has {cells.group(1)}. Every row "
                "must have one cell per column. Put a cell that contains the delimiter in double "
                "quotes."
            )
        number = re.search(r"Could not convert string ['\"](.*?)['\"] to '?DOUBLE", text)
        if number:
            return InputError(
                f"{where}: {number.group(1)!r} is not a number, but the column was numeric in "
                "training. Correct the cell, or leave it empty if the value is missing."
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


def _refuse_long_ending(path: Path, compression: str) -> None:
    """Refuse a last line that DuckDB would silently drop, and damaged compressed files.

    DuckDB reads a truncated compressed file as a shorter one.
    """
    if compression == "gzip":
        ending = _unpacked_ending(path)
    else:
        ending = _last_bytes(path, 1 << 16)
        if b"\n" not in ending.rstrip(b"\r\n"):
            ending = _last_bytes(path, MAX_LINE_BYTES + 2)
    if len(ending) > MAX_LINE_BYTES and b"\n" not in ending.rstrip(b"\r\n"):
        raise _too_long(path)


def _last_bytes(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        file.seek(max(file.seek(0, 2) - count, 0))
        return file.read()


def _unpacked_ending(path: Path) -> bytes:
    """Last bytes of a compressed file, after reading it to the end."""
    ending = b""
    try:
        with gzip.open(path, "rb") as file:
            while part := file.read(MAX_LINE_BYTES + 2):
                ending = (ending + part)[-MAX_LINE_BYTES - 2 :]
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(path, error) from error
    return ending


def _damaged(path: Path, error: Exception) -> FileError:
    return FileError(
        f"Cannot read {path.name}: the compressed file is damaged ({error}). Copy or download "
        "it again."
    )


def _too_long(path: Path) -> FileError:
    return FileError(
        f"{path.name} has a line of more than {MAX_LINE_BYTES >> 20} MB. Check for a missing "
        "line end or an unclosed double quote. Store a table with longer lines as Parquet."
    )


def _blocks(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(names), BLOCK_COLUMNS):
        yield names[first : first + BLOCK_COLUMNS]


def _present(text: str | None) -> str | None:
    """Text of a cell without surrounding blanks; None for a word that means missing."""
    stripped = None if text is None else text.strip(" ")
    return None if stripped in MISSING_TEXTS else stripped


def _kind_by(tests: Sequence[bool]) -> Kind:
    """The first kind whose test all cells passed."""
    for kind, passed in zip(TIMES, tests, strict=True):
        if passed:
            return kind
    return "text"


def _time_kind(texts: Sequence[str]) -> Kind:
    """The first kind of dates or datetimes that all texts have; text if there is none."""
    present = [text for text in map(_present, texts) if text is not None]
    if not all(_is_day(day) for day in {text[:10] for text in present}):
        return "text"
    for kind, pattern in TIMES.items():
        matches = re.compile(pattern).fullmatch
        if all(map(matches, present)):
            return kind
    return "text"


def _is_day(text: str) -> bool:
    """Whether a text is a day of the calendar; the first one has no datetimes in all zones."""
    try:
        return date.fromisoformat(text) >= date(1, 1, 2)
    except ValueError:
        return False


def _rows_of(found: Any) -> int:
    return int((found[0] if isinstance(found, tuple) else found).size)


def _present_texts(texts: list[str | None]) -> list[str | None]:
    present = {text: _present(text) for text in set(texts)}
    return [present[text] for text in texts]


def _csv_header(path: Path) -> tuple[str, list[str], int]:
    """Delimiter and column names of the header, and where the first row begins."""
    try:
        raw: Any = gzip.open(path, "rb") if _is_gzip(path) else path.open("rb")
        with raw:
            first = _header_text(raw)
            start = raw.tell()
    except UnicodeDecodeError as error:
        raise _not_utf8(f"{path.name}, header") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(path, error) from error
    except OSError as error:
        raise FileError(f"Cannot read {path.name}: {error}") from error
    if "\x00" in first:
        raise FileError(
            f"{path.name} is not a supported table. Supported files are CSV, Parquet, DuckDB and "
            "SQLite."
        )
    bare = re.sub(r'"[^"]*"', "", first)
    delimiter = max(DELIMITERS, key=bare.count)
    try:
        names = next(csv.reader(io.StringIO(first, newline="\n"), delimiter=delimiter), [])
    except csv.Error as error:
        raise FileError(
            f"{path.name}: cannot read the header: {error}. Lines must end in a newline, and names "
            "must be short."
        ) from error
    if not names:
        raise InputError(f"{path.name} is empty. A CSV file needs a header and rows.")
    _check_names(path, names)
    return delimiter, names, start


def _header_text(file: IO[bytes]) -> str:
    """Lines up to the one that closes all double quotes: a quoted name may contain a line end."""
    lines = [file.readline(MAX_LINE_BYTES)]
    quotes, size = lines[0].count(b'"'), len(lines[0])
    while quotes % 2 and size < MAX_LINE_BYTES and (line := file.readline(MAX_LINE_BYTES)):
        lines.append(line)
        quotes, size = quotes + line.count(b'"'), size + len(line)
    return b"".join(lines).decode("utf-8-sig")


def _check_names(path: Path, names: list[str]) -> None:
    unnamed = [i + 1 for i, name in enumerate(names) if not name.strip()]
    if unnamed:
        raise InputError(
            f"{path.name}: column {preview(unnamed)} of the header has no name. Name it or leave "
            "it out (with pandas: to_csv(..., index=False))."
        )
    refuse_repeated(path, names)
