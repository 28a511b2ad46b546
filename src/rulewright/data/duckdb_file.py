"""Files with typed columns that DuckDB reads: Parquet and DuckDB's own."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import (
    MAX_EXACT_INTEGER,
    CategoricalColumn,
    CategoryOrder,
    CellColumn,
    Column,
    Kind,
    NumericColumn,
    categorical_column,
    may_be_inexact,
    moment_column,
    numeric_column,
    refuse_inexact,
    unsupported,
)
from rulewright.data.datafile import DataFile, choose_table, refuse_repeated
from rulewright.data.moments import Moment, as_kind, counted_moments, is_moment
from rulewright.data.reading_ahead import read_ahead
from rulewright.data.sql import (
    absolute,
    file_pattern,
    identifier,
    literal,
    refuse_backslash,
)
from rulewright.data.table import Table
from rulewright.errors import FileError, InputError
from rulewright.kernels import arrow_rows

NUMBERS = re.compile(r"^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\([\d,]+\))$")
INTEGERS = re.compile(r"^(U?(BIG|HUGE)INT|DECIMAL\(\d+,0\))$")
FLOATS = ("FLOAT", "DOUBLE")
OUT_OF_MEMORY = re.compile("bad_alloc|^Out of Memory")
PART_ROWS = 1 << 20
NULL_TYPE = '"NULL"'  # the type of a column that has only nulls
TEXTS = re.compile(r"^(VARCHAR|ENUM\(.*\)|UUID)$")
TIMES: dict[str, Moment] = {
    "DATE": "date",
    "TIMESTAMP": "datetime",
    "TIMESTAMP_S": "datetime",
    "TIMESTAMP_MS": "datetime",
    "TIMESTAMP_NS": "datetime",
    "TIMESTAMP WITH TIME ZONE": "instant",
    "INTERVAL": "duration",
}


class DuckdbFile(DataFile):
    """A table with typed columns that DuckDB reads."""

    def __init__(
        self,
        path: Path,
        source: str,
        connection: duckdb.DuckDBPyConnection,
        types: dict[str, str] | None = None,
    ) -> None:
        self.path = path
        self._source = source
        self._connection = connection
        self._readings: list[Generator[Any]] = []
        self._types = self._described() if types is None else types
        self.names = list(self._types)

    def _described(self) -> dict[str, str]:
        """Columns of the table and their types."""
        try:
            described = self.query(f"DESCRIBE SELECT * FROM {self._source}")
        except BaseException:
            self.close()
            raise
        return {str(row[0]): str(row[1]) for row in described}

    def close(self) -> None:
        for reading in self._readings:  # the connection refuses to close while a thread reads
            reading.close()
        self._connection.close()

    def lazy_frame(self) -> Any:
        return self._connection.sql(f"SELECT * FROM {self._source}")

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a query and return its rows."""
        return self._execute(sql).fetchall()

    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        return {name: self._kind(name) for name in names}

    def _kind(self, name: str) -> Kind:
        kind = self._types[name]
        if NUMBERS.match(kind) or kind == NULL_TYPE:
            return "numeric"
        if kind == "BOOLEAN":
            return "boolean"
        if kind in TIMES:
            return TIMES[kind]
        if TEXTS.match(kind):
            return "text"
        raise unsupported(name, preview_types=kind)

    def batches(
        self, kinds: dict[str, Kind], keep: Sequence[str] = (), size: int = 1 << 16
    ) -> Iterator[tuple[Table, list[CellColumn]]]:
        self.need([*kinds, *keep])
        cells = [*kinds.items(), *((name, "text") for name in keep)]
        wanted = ", ".join(f"{self._streamed(*cell)} AS c{i}" for i, cell in enumerate(cells))
        query = f"SELECT {wanted or 'CAST(1 AS DOUBLE)'} FROM {self._source}"
        self._first = 0
        reading = read_ahead(self._stream(query, size))
        self._readings.append(reading)
        for rows, found in reading:
            columns = list(map(self._streamed_column, kinds, kinds.values(), found))
            kept = [self._kept(*coded) for coded in found[len(kinds) : len(cells)]]
            yield Table(columns, rows), kept
            self._first += rows

    def _stream(self, query: str, size: int) -> Iterator[tuple[int, list[Any]]]:
        """Yield the columns of a result, some rows at a time."""
        try:
            yield from arrow_rows(self._connection.sql(query), size)
        except (duckdb.Error, RuntimeError) as error:
            raise self._explain(error) from error

    def _streamed(self, name: str, kind: Kind) -> str:
        """SQL for a column as doubles or text."""
        cell = self._cell(name, kind)
        if kind == "numeric" or (kind == "code" and self._types[name] in FLOATS):
            return cell
        return f"CAST({cell} AS VARCHAR)"

    def _streamed_column(self, name: str, kind: Kind, found: Any) -> Column:
        if kind == "numeric":
            column = numeric_column(name, found)
            self._refuse_inexact(column)
            return column
        codes, values = found if isinstance(found, tuple) else _distinct(found)
        if is_moment(kind):
            if self._types[name] in TIMES:
                values = list(map(int, values))
            return self._moments_of(name, kind, [*values, None], codes)  # code -1 finds the last
        distinct = categorical_column(name, kind, self._texts(values))
        if (distinct.codes != np.arange(distinct.codes.size)).any():
            codes = np.append(distinct.codes, np.int32(-1))[codes]  # code -1 finds the last
        return CategoricalColumn(name, kind, codes, distinct.categories)

    def _moments_of(
        self, name: str, kind: Kind, cells: list[Any], codes: NDArray[np.int32]
    ) -> Column:
        """Return a column of moments; every different cell is converted once."""
        try:
            return self._moments(name, kind, cells).take(codes)
        except InputError:  # its message must have the row of the cell
            return self._moments(name, kind, [cells[code] for code in codes.tolist()])

    def _kept(self, codes: NDArray[np.int32], texts: list[str]) -> CellColumn:
        cells = [None, *self._texts(texts)]
        return CellColumn(codes + np.int32(1), cells)

    def _texts(self, texts: list[Any]) -> list[Any]:
        """Return the texts of cells, None for those that mean missing."""
        return texts

    def _fetch(self, cursor: duckdb.DuckDBPyConnection, size: int) -> list[tuple[Any, ...]]:
        try:
            return cursor.fetchmany(size)
        except duckdb.Error as error:
            raise self._explain(error) from error

    def _cell(self, name: str, kind: Kind) -> str:
        column, found = identifier(name), self._types[name]
        if is_moment(kind):
            return _counted(column, found) if found in TIMES else column
        if kind == "numeric" and found in TIMES:
            as_kind(name, np.empty(0), TIMES[found], kind)  # raises an error
        if kind == "numeric" or (kind == "code" and found in FLOATS):
            return column if found == "DOUBLE" else f"CAST({column} AS DOUBLE)"
        if found == "VARCHAR" or (kind == "boolean" and found == "BOOLEAN"):
            return column
        return f"CAST({column} AS VARCHAR)"

    def _all(self, kinds: dict[str, Kind]) -> Table:
        cells = [self._streamed(*cell) for cell in kinds.items()]
        table = self._read_table(kinds, cells, self._source)
        return table.with_orders({n: self._order(n) for n in kinds if self._is_ordered(n)})

    def _is_ordered(self, name: str) -> bool:
        return self._types[name].startswith("ENUM(")

    def _order(self, name: str) -> CategoryOrder:
        """Order of the values of an ENUM, which is that of its definition."""
        rows = self._connection.sql(f"SELECT {identifier(name)} FROM {self._source} LIMIT 0")
        values: Any = dict(rows.types[0].children)["values"]
        return CategoryOrder(tuple(values))

    def _read_table(self, kinds: dict[str, Kind], cells: Sequence[str], source: str) -> Table:
        """Read columns whole; ``cells`` is SQL for each as doubles or text."""
        rows, found = self._read_columns(cells, source)
        joined = found if found else map(_no_rows, kinds.values())
        columns = list(map(self._streamed_column, kinds, kinds.values(), joined))
        return Table(columns, rows)

    def _read_columns(self, cells: Iterable[str], source: str) -> tuple[int, list[Any]]:
        """Read columns whole: their number of rows, and doubles, or codes and texts."""
        wanted = ", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells))
        query = f"SELECT {wanted or 'CAST(1 AS DOUBLE)'} FROM {source}"
        rows = 0
        parts: list[list[Any]] = []
        for count, found in self._stream(query, PART_ROWS):
            rows += count
            parts.append(found)
        joined = []
        for place in range(len(parts[0]) if parts else 0):
            joined.append(_joined([part[place] for part in parts]))
            for part in parts:  # the memory of a part is free as soon as it was joined
                part[place] = None
        return rows, joined

    def _moments(self, name: str, kind: Kind, values: list[Any]) -> Column:
        """Return a column of the values of ``_cell``: days or microseconds, or texts."""
        found = TIMES.get(self._types[name])
        if found is None:
            return moment_column(name, values, kind, self._first)
        return NumericColumn(name, counted_moments(name, values, found), found).as_kind(kind)

    def _refuse_inexact(self, column: NumericColumn) -> None:
        query = self._large_integers(column.name) if may_be_inexact(column.values) else None
        if query is not None:
            cursor = self._connection.cursor()  # the connection may be reading rows
            cursor.execute(query)
            while batch := self._fetch(cursor, 1 << 16):
                refuse_inexact(column.name, (int(value) for (value,) in batch))

    def _large_integers(self, name: str) -> str | None:
        """Query for the large whole numbers of a column; None if its type has none."""
        if not INTEGERS.match(self._types[name]):
            return None
        cell = identifier(name)
        large = f"abs(CAST({cell} AS DOUBLE)) >= {MAX_EXACT_INTEGER}"
        return f"SELECT {cell} FROM {self._source} WHERE {large}"

    def _execute(self, query: str) -> duckdb.DuckDBPyConnection:
        try:
            return self._connection.execute(query)
        except duckdb.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: Exception) -> Exception:
        if isinstance(error, duckdb.OutOfMemoryException) or OUT_OF_MEMORY.search(str(error)):
            return MemoryError(first_line(error))
        return self._reason(error)

    def _reason(self, error: Exception) -> Exception:
        """Error that says what is wrong with the file."""
        return FileError(f"Cannot read {self.path.name}: {first_line(error)}")


def _joined(parts: Sequence[Any]) -> Any:
    """Return a column from its parts: doubles, or codes and texts."""
    if not isinstance(parts[0], tuple):
        return np.concatenate(parts)
    numbers: dict[str, int] = {}
    joined = []
    for codes, texts in parts:
        places = [numbers.setdefault(text, len(numbers)) for text in texts]
        joined.append(np.array([*places, -1], np.int32)[codes])  # code -1 finds the last
    return np.concatenate(joined), list(numbers)


def _no_rows(kind: Kind) -> Any:
    return np.empty(0) if kind == "numeric" else (np.empty(0, np.int32), [])


def _distinct(numbers: NDArray[np.float64]) -> tuple[NDArray[np.int32], list[float]]:
    """Return the places of numbers among the different ones, and these."""
    values, codes = np.unique(numbers, return_inverse=True)
    return codes.astype(np.int32), values.tolist()


def _counted(column: str, found: str) -> str:
    """SQL for the days of a date, or the microseconds of a datetime or an interval.

    It fails for values without such a number: infinite dates, nanoseconds, intervals of months.
    """
    if found == "DATE":
        return _checked(f"isinf({column})", "infinite date", f"{column} - DATE '1970-01-01'")
    if found == "INTERVAL":
        months = f"datepart('year', {column}) <> 0 OR datepart('month', {column}) <> 0"
        return _checked(months, "interval of months or years", f"epoch_us({column})")
    if found == "TIMESTAMP_NS":
        fine = f"epoch_ns({column}) % 1000 <> 0"
        return _checked(fine, "datetime with nanoseconds", f"epoch_us({column})")
    return _checked(f"isinf({column})", "infinite datetime", f"epoch_us({column})")


def _checked(wrong: str, what: str, count: str) -> str:
    message = literal(f"a column of dates, datetimes or durations contains: {what}")
    return f"CASE WHEN {wrong} THEN error({message}) ELSE CAST({count} AS BIGINT) END"


def parquet_file(path: Path) -> DuckdbFile:
    """Open a Parquet file."""
    pattern = literal(file_pattern(path))
    source = f"read_parquet({pattern}, hive_partitioning=false)"
    file = DuckdbFile(path, source, connect([path]))
    try:
        # DuckDB appends a number to a repeated name; the schema of the file has the original name.
        spelled = file.query(
            f"SELECT name FROM parquet_schema({pattern}) WHERE num_children IS NULL"
        )
        if len(spelled) == len(file.names):
            refuse_repeated(path, [str(name) for (name,) in spelled])
    except BaseException:
        file.close()
        raise
    return file


def duckdb_table(path: Path, table: str | None) -> DuckdbFile:
    """Open a table of a DuckDB file."""
    connection = connect(database=path)
    try:
        found = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_catalog = 'file'"
        ).fetchall()
        # A table of another schema is named with its schema.
        places = {
            name if schema == "main" else f"{schema}.{name}": (schema, name)
            for schema, name in found
        }
        schema, name = places[choose_table(path, list(places), table)]
    except BaseException:
        connection.close()
        raise
    return DuckdbFile(path, f"file.{identifier(schema)}.{identifier(name)}", connection)


def connect(files: Sequence[Path] = (), database: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Open a database in memory that can access the given files and nothing else.

    The content of a file is not trusted: a view in a database could otherwise read any file of this
    machine, load an extension, or read the caller's variables. ``database`` is a DuckDB file,
    opened read-only under the name ``file``.
    """
    # Never look for extensions on the network: all formats used here are built in.
    connection = duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
    try:
        # Rows must keep the order of the file: a long IN would become a join, which loses it.
        connection.execute("SET disabled_optimizers = 'in_clause'")
        # A progress bar would mix with output that programs read.
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET enable_progress_bar_print = false")
        if database is not None:
            _attach(connection, database)
        _confine(connection, files)
    except BaseException:
        connection.close()
        raise
    return connection


def _confine(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> None:
    """Permanently restrict access to the given files."""
    allowed = [text for path in files for text in (absolute(path), file_pattern(path))]
    connection.execute(f"SET allowed_paths = [{', '.join(map(literal, allowed))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _attach(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    refuse_backslash(path)
    try:
        connection.execute(f"ATTACH {literal(absolute(path))} AS file (READ_ONLY, TYPE duckdb)")
    except duckdb.Error as error:
        raise FileError(f"Cannot open {path.name} as a DuckDB file: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """First line of a message; the rest is advice on options that are not used here."""
    return str(error).strip().splitlines()[0]
