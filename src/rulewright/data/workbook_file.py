"""Excel workbooks: a sheet is read as text, as from a CSV file, and rows are written to a sheet."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from rulewright.data.datafile import choose_table
from rulewright.errors import FileError

EXTRA = "pip install 'rulewright[excel]'"
MAX_SHEET_ROWS = 1_048_576
"""Number of rows of a sheet, which Excel fixes."""
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def is_workbook_name(path: str | os.PathLike[str]) -> bool:
    """Whether an output of this name is written as an Excel workbook."""
    return Path(path).suffix.lower() == ".xlsx"


def sheet_to_csv(workbook: Path, sheet: str | None, target: Path) -> None:
    """Write a sheet of a workbook as CSV; its first row is the header.

    Of formulas, the values that were last computed are read. Empty rows at the end are left out.
    """
    book = _openpyxl(workbook.name).load_workbook
    try:
        opened = book(workbook, read_only=True, data_only=True)
    except Exception as error:
        raise FileError(
            f"{workbook.name} is not an Excel workbook that can be read ({type(error).__name__}). "
            "Save it as CSV."
        ) from error
    try:
        name = choose_table(workbook, list(opened.sheetnames), sheet)
        with target.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(_filled(opened[name].iter_rows(values_only=True)))
    finally:
        opened.close()


def _filled(rows: Iterable[Sequence[Any]]) -> Iterable[list[str]]:
    """Rows of text up to the last one with a value, and columns up to the last one with a name."""
    width, empty = 0, 0
    for number, row in enumerate(rows):
        cells = [cell_text(cell) for cell in row]
        if number == 0:
            width = max((place for place, cell in enumerate(cells, 1) if cell), default=0)
        if not any(cells):
            empty += 1
            continue
        yield from ([""] * width for _ in range(empty))
        empty = 0
        beyond = any(cells[width:])
        yield cells if beyond else [*cells[:width], *[""] * (width - len(cells))]


def cell_text(cell: Any) -> str:
    """Return a cell as the text of a CSV file.

    Examples
    --------
    >>> [cell_text(cell) for cell in (None, 3.0, True, "a", datetime(2021, 3, 31))]
    ['', '3', 'true', 'a', '2021-03-31']
    """
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case datetime() if cell.time() == time():
            return cell.date().isoformat()
        case datetime():
            return cell.isoformat(" ")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return str(cell)
        case float() if cell.is_integer() and abs(cell) < 2**53:
            return str(int(cell))
    return str(cell)


def write_sheet(target: Path, rows: Path, are_numbers: Sequence[bool], name: str) -> None:
    """Write the rows of a CSV file to the only sheet of a new workbook.

    Cells of the columns that ``are_numbers`` become numbers. No text becomes a formula. Control
    characters, which a workbook cannot hold, are written as Excel writes them: _x001B_.
    """
    book = _openpyxl(name).Workbook(write_only=True)
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415  (an extra)

    sheet = book.create_sheet("predictions")

    def cell_of(text: str, is_number: bool) -> Any:
        if not text or is_number:
            return float(text) if text else None
        cell = WriteOnlyCell(sheet, value=CONTROL.sub(lambda m: f"_x{ord(m[0]):04X}_", text))
        cell.data_type = "s"
        return cell

    with rows.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file)):
            if number >= MAX_SHEET_ROWS:
                raise FileError(
                    f"A sheet has at most {MAX_SHEET_ROWS:,} rows. Write .csv or .parquet, not "
                    f"{name}."
                )
            numbers = are_numbers if number else [False] * len(row)
            sheet.append([cell_of(*cell) for cell in zip(row, numbers, strict=True)])
    book.save(target)


def _openpyxl(name: str) -> Any:
    """Import openpyxl, which is an extra."""
    try:
        import openpyxl  # noqa: PLC0415
    except ImportError as error:
        raise FileError(
            f"{name} is an Excel workbook, which needs openpyxl. Save it as CSV, or install it: "
            f"{EXTRA}"
        ) from error
    return openpyxl
