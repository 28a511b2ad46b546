"""The engine of workbooks: LibreOffice computes their formulas without a window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rulewright.data import CategoricalColumn
from rulewright.exports.engines import Engine, Job
from rulewright.exports.exchange import ExportAnswer, label_cell, number_cell, row_lines
from rulewright.models import Model
from rulewright.render import DATE_OFFSET, model_workbook, put_cell


class WorkbookEngine(Engine):
    """LibreOffice: cases are typed into the workbook, and the answers read from it."""

    form = "excel"
    title = "LibreOffice"
    programs = ("soffice",)
    infinite = False
    packages = (("openpyxl", "excel"),)

    def run(self, jobs: Sequence[Job]) -> list[list[ExportAnswer]]:
        """Return the answers of the exports on their rows; equal rows are computed once."""
        different = [_different_rows(job) for job in jobs]
        found = super().run([job for job, _ in different])
        return [
            [answers[place] for place in places]
            for answers, (_, places) in zip(found, different, strict=True)
        ]

    def write(self, folder: Path, number: int, job: Job) -> None:
        book = model_workbook(job.model, cases=job.table.rows)
        for place, field in enumerate(job.fields, 1):
            column = job.table.column(field.name)
            texts = isinstance(column, CategoricalColumn)
            values = list(column.cells() if texts else job.table.numbers(field.name).tolist())
            for row, value in enumerate(values, 2):
                _type(book["Cases"].cell(row, place), value, field.kind)
        _link(book.create_sheet("Results"), job)
        book.save(folder / f"model{number}.xlsx")

    def execute(self, folder: Path, count: int) -> None:
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        books = [f"model{number}.xlsx" for number in range(count)]
        command = ["soffice", profile, "--headless", "--convert-to", "xlsx", "--outdir", "computed"]
        self.call([*command, *books], folder)
        for number in range(count):
            lines = _answers(folder, f"model{number}.xlsx")
            (folder / f"answers{number}").write_text(lines, encoding="ascii")


def _different_rows(job: Job) -> tuple[Job, list[int]]:
    """Return a job with each different row once, and the place of every row among them."""
    places: dict[str, int] = {}
    lines = row_lines(job.table, job.fields).splitlines()
    found = [places.setdefault(line, len(places)) for line in lines]
    _, first = np.unique(found, return_index=True)
    return Job(job.model, job.table.take(first)), found


def _type(cell: Any, value: Any, kind: str) -> None:
    """Type a value into a cell, as a person does; a missing value leaves the cell empty."""
    if value is None or value != value:
        return
    if kind == "date":
        value += DATE_OFFSET
    if value == "":
        cell.value = '=""'
    else:
        put_cell(cell, value == "True" if kind == "boolean" else value)


def _link(sheet: Any, job: Job) -> None:
    """Repeat the results in a sheet without inputs, whose largest numbers cannot be read back."""
    from openpyxl.utils import get_column_letter  # noqa: PLC0415

    model, first = job.model, len(job.fields) + 1
    width = 3 + (len(model.classes) if isinstance(model, Model) else 0)
    for row in range(1, job.table.rows + 2):
        for place in range(width):
            sheet.cell(row, place + 1).value = f"=Cases!{get_column_letter(first + place)}{row}"


def _answers(folder: Path, name: str) -> str:
    """Return the answers in a computed workbook as the lines of a driver."""
    rules = _rows(folder / name, "Rules")
    lines = []
    for label, rule, _, *shares in _rows(folder / "computed" / name, "Results"):
        row = rules[rule - 1] if isinstance(rule, int) else [None] * (3 + len(shares))
        label, *numbers = map(_looked_up, [label, *shares], [row[1], *row[3:]])
        cells = [label_cell(label), str(rule if isinstance(rule, int) else 0)]
        lines.append("\t".join([*cells, *map(number_cell, numbers)]) + "\n")
    return "".join(lines)


def _rows(path: Path, sheet: str) -> list[tuple[Any, ...]]:
    """Return the values of a sheet below its head."""
    from openpyxl import load_workbook  # noqa: PLC0415

    book = load_workbook(path, data_only=True, read_only=True)
    try:
        return list(book[sheet].iter_rows(min_row=2, values_only=True))
    finally:
        book.close()


def _looked_up(computed: Any, given: Any) -> Any:
    """Return what a formula looked up, NaN for the code of an error.

    LibreOffice writes 15 digits of a number: one that agrees with the given cell is that cell.
    """
    from openpyxl.utils.escape import unescape  # noqa: PLC0415

    if isinstance(computed, str) or computed is None:
        return unescape(computed or "") if isinstance(given, str) else math.nan
    same = not isinstance(given, str) and given is not None
    return given if same and math.isclose(computed, given, rel_tol=1e-14) else computed
