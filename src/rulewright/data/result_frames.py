"""Results as dataframes of the caller's library, or as plain records."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from html import escape
from typing import Any

import narwhals.stable.v1 as nw

from rulewright.data.frames import frame_library
from rulewright.errors import InputError

LIBRARIES = ("pandas", "polars", "pyarrow")
RECORDS = "records"
MAX_ROWS_SHOWN = 20
MAX_CELL_WIDTH = 60


class Records(list[dict[str, Any]]):
    """A list of dicts, one per row, that prints as a table.

    The result if no dataframe library is installed. ``pandas.DataFrame(records)`` and
    ``polars.DataFrame(records)`` convert it to dataframes.

    Examples
    --------
    >>> Records([{"rule": "x > 1", "class": "yes"}, {"rule": "otherwise", "class": "no"}])
         rule       class
      0  x > 1      yes
      1  otherwise  no
    """

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self[0]) if self else []

    def __repr__(self) -> str:
        if not self:
            return "Records([])"
        rows = [["", *self.columns], *self._cells()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join(f"  {line}" for line in lines) + self._rest("\n  ... ({} rows in all)")

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in ["", *self.columns])
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._cells()
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return table + self._rest("<p>{} rows in all</p>")

    def _cells(self) -> list[list[str]]:
        shown = enumerate(self[:MAX_ROWS_SHOWN])
        return [[str(number), *map(_cell_text, row.values())] for number, row in shown]

    def _rest(self, sentence: str) -> str:
        return sentence.format(len(self)) if len(self) > MAX_ROWS_SHOWN else ""


def _cell_text(value: object) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= MAX_CELL_WIDTH else text[: MAX_CELL_WIDTH - 3] + "..."


def frame(data: Mapping[str, Any], library: str | None = None) -> Any:
    """Return a dataframe of the named library.

    The default is the first installed of pandas, polars and pyarrow. If none is installed, or for
    the library "records", the result is ``Records``. Only pandas and
    records allow mixed types in a column; elsewhere Booleans beside text become text.
    """
    backend: Any = _first_installed() if library is None else _checked(library)
    columns = dict(data)
    if backend == RECORDS:
        rows = zip(*columns.values(), strict=True)
        return Records(dict(zip(columns, row, strict=True)) for row in rows)
    if backend != "pandas":
        columns = {name: _of_one_kind(values) for name, values in columns.items()}
    return nw.from_dict(columns, backend=backend).to_native()


def frame_like(X: Any, data: Mapping[str, Any]) -> Any:
    """Return a dataframe of the library of ``X`` with one row for each row of ``X``, and its index.

    Only pandas has an index; elsewhere the rows are in the order of ``X``.
    """
    library = frame_library(X)
    made = frame(data, library)
    if library != "pandas":
        return made
    return made.set_axis(nw.to_native(X, pass_through=True).index, axis=0)


def installed(library: str | None) -> str | None:
    """Return the library if it is installed, else None: an estimator may have changed machines."""
    return library if library and importlib.util.find_spec(library) else None


def _first_installed() -> str:
    return next((name for name in LIBRARIES if importlib.util.find_spec(name)), RECORDS)


def _checked(library: str) -> str:
    known = (*LIBRARIES, RECORDS)
    if library not in known:
        raise InputError(f"library must be one of {', '.join(known)}, got {library!r}.")
    if library != RECORDS and not installed(library):
        raise InputError(
            f"library={library!r} is not installed. Install it (pip install {library}), or use "
            "library='records' for a list of dicts."
        )
    return library


def _of_one_kind(values: Any) -> Any:
    """Convert values to text if text is mixed with other types."""
    kinds = {type(value) for value in values}
    if str not in kinds or len(kinds - {type(None)}) < 2:
        return values
    return [None if value is None else str(value) for value in values]
