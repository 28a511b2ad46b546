"""A table in a file of any format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rulewright.data.columns import (
    CellColumn,
    Column,
    Kind,
    moment_column,
)
from rulewright.data.moments import is_moment
from rulewright.data.table import Table
from rulewright.errors import InputError, preview, suggestion


class DataFile(ABC):
    """A table in a file: its column names, its content as a whole or in batches of rows."""

    path: Path
    names: list[str]
    temporary: TemporaryDirectory[str] | None = None
    """Folder with a copy of the table, which is removed when the file is closed."""
    _first: int = 0
    """Number of the first row of the current batch."""

    @abstractmethod
    def kinds(self, names: Sequence[str]) -> dict[str, Kind]:
        """Kind of each named column, detected from all rows."""

    def __enter__(self) -> DataFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self.temporary is not None:
            self.temporary.cleanup()

    @abstractmethod
    def close(self) -> None:
        """Close the file."""

    def need(self, names: Sequence[str]) -> None:
        """Raise an error if a named column is not in the file."""
        known = set(self.names)
        absent = [name for name in names if name not in known]
        if absent:
            raise InputError(
                f"{self.path.name} has no column {preview(absent)}."
                f"{suggestion(absent[0], self.names)} Its columns are: "
                f"{preview(self.names, max_values=20)}."
            )

    def read(self, drop: Sequence[str] = (), categorical: Sequence[str] = ()) -> Table:
        """Read the whole table without ``drop``; columns in ``categorical`` are categories."""
        self.need([*drop, *categorical])
        dropped = set(drop)
        names = [name for name in self.names if name not in dropped]
        kinds = dict(self.kinds(names))  # a copy: the file may cache its kinds
        for name in categorical:
            if kinds.get(name) == "numeric" or is_moment(kinds.get(name)):
                kinds[name] = "code"
        return self.read_as(kinds)

    def read_as(self, kinds: dict[str, Kind]) -> Table:
        """Read the named columns as the given kinds."""
        self.need(list(kinds))
        self._first = 0
        table = self._all(kinds)
        if not table.rows:
            raise InputError(f"{self.path.name} has columns but no rows.")
        return table

    def lazy_frame(self) -> Any:
        """Return the table as a lazy frame, which is valid until the file is closed."""
        raise InputError(
            f"{self.path.name} cannot be counted without reading it: its columns have no types. "
            "Convert it first, for example by DuckDB: COPY (SELECT * FROM 'data.csv') TO "
            "'data.parquet'."
        )

    @abstractmethod
    def batches(
        self, kinds: dict[str, Kind], keep: Sequence[str] = (), size: int = 1 << 16
    ) -> Iterator[tuple[Table, list[CellColumn]]]:
        """Read columns as the given kinds, in batches, in the order of the file.

        Each table comes with the columns in ``keep`` as text.
        """

    @abstractmethod
    def _all(self, kinds: dict[str, Kind]) -> Table:
        """Read all rows of the named columns as the given kinds."""

    def _moments(self, name: str, kind: Kind, values: list[Any]) -> Column:
        """Return a column of dates, datetimes or durations from the values of the rows."""
        return moment_column(name, values, kind, self._first)


def refuse_repeated(path: Path, names: Sequence[str]) -> None:
    """Refuse column names that differ only in case: SQL does not distinguish them."""
    count = Counter(name.lower() for name in names)
    twice = [name for name in names if count[name.lower()] > 1]
    if twice:
        raise InputError(
            f"Column names must be unique and must differ by more than case, but {path.name} has "
            f"{preview(twice)}. Rename or drop the repeated columns."
        )


def choose_table(path: Path, tables: list[str], wanted: str | None) -> str:
    """Name of the table to read from a database."""
    if wanted is None and len(tables) == 1:
        return tables[0]
    if wanted in tables:
        return str(wanted)
    if not tables:
        raise InputError(f"{path.name} has no tables.")
    found = preview(sorted(tables), max_values=20)
    asked = "No table is named" if wanted is None else f"There is no table {wanted!r}"
    raise InputError(f"{asked}: {path.name} has the tables {found}. Name one with --table.")
