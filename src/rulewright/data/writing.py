"""Files appear whole or not at all."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

from rulewright.data.duckdb_file import connect
from rulewright.data.sql import absolute, file_pattern, literal
from rulewright.data.table import Table
from rulewright.errors import FileError

CellType = Literal["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]


@contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path to write to, and move it to ``path`` when all went well.

    On any error the temporary file is removed and what was at ``path`` stays as it was.
    """
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise _cannot_write(target, error) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _take_place_of(temporary, target)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise _cannot_write(target, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _take_place_of(temporary: Path, target: Path) -> None:
    # mkstemp makes the file private; a plain open() would have followed the umask.
    umask = os.umask(0)
    os.umask(umask)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask
    temporary.chmod(mode)
    temporary.replace(target)


def _cannot_write(target: Path, error: OSError) -> FileError:
    reason = error.strerror or str(error)
    return FileError(
        f"Cannot write {str(target)!r}: {reason}. Give a path in a folder that exists and that you "
        "may write to."
    )


class RowWriter:
    """Writes rows as CSV, one after another; an empty cell where a value is None."""

    def __init__(self, file: IO[str], names: Sequence[str]) -> None:
        self._csv = csv.writer(file, lineterminator="\n")
        self._csv.writerow(names)

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        """Append rows."""
        self._csv.writerows(rows)


@contextmanager
def write_rows(
    path: str | os.PathLike[str], columns: Sequence[tuple[str, CellType]]
) -> Iterator[RowWriter]:
    """Write a CSV or, where the path ends in .parquet, a Parquet file, in any number of batches."""
    names = [name for name, _ in columns]
    with write_atomically(path) as temporary:
        if Path(path).suffix.lower() != ".parquet":
            with temporary.open("w", encoding="utf-8", newline="") as file:
                yield RowWriter(file, names)
            return
        with tempfile.TemporaryDirectory(dir=temporary.parent) as folder:
            rows = Path(folder) / "rows.csv"
            with rows.open("w", encoding="utf-8", newline="") as file:
                yield RowWriter(file, names)
            _csv_to_parquet(rows, temporary, columns)


def _csv_to_parquet(rows: Path, parquet: Path, columns: Sequence[tuple[str, CellType]]) -> None:
    # DuckDB converts as it reads, so a file larger than memory is no matter.
    types = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in columns)
    pattern = literal(file_pattern(rows))
    source = f"read_csv({pattern}, header=true, auto_detect=false, columns={{{types}}})"
    with connect([rows, parquet]) as connection:
        connection.execute(
            f"COPY (SELECT * FROM {source}) TO {literal(absolute(parquet))} "
            "(FORMAT parquet, USE_TMP_FILE false)"
        )


def write_table(path: str | os.PathLike[str], table: Table) -> None:
    """Write a table to a CSV or Parquet file."""
    types: dict[str, CellType] = {"numeric": "DOUBLE", "code": "DOUBLE", "boolean": "BOOLEAN"}
    columns = [(f.name, types.get(f.kind, "VARCHAR")) for f in table.fields]
    with write_rows(path, columns) as writer:
        writer.write(zip(*(column.cells() for column in table.columns), strict=True))
