"""Rows and answers as lines of text, which a driver in any language can read and write exactly.

A line has one cell for each input, separated by tabs: ``-`` for a missing value, ``n`` and the bits
of a double in hexadecimal, ``t`` and the UTF-8 bytes of a text in hexadecimal. An answer is the
label, the number of the rule and the probability of each class in the same way.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rulewright.data import CategoricalColumn, Field, Table, moment_text

MISSING = "-"


class ExportAnswer(NamedTuple):
    """What an export answers on a row; equal answers have equal bits."""

    label: str
    rule: int
    probabilities: tuple[str, ...]


def number_cell(number: float) -> str:
    """Return a number as its bits; all NaN are missing.

    Examples
    --------
    >>> number_cell(1.0), number_cell(float("nan"))
    ('n3ff0000000000000', '-')
    """
    return MISSING if number != number else f"n{struct.pack('>d', number).hex()}"


def text_cell(text: str | None) -> str:
    """Return a text as its bytes.

    Examples
    --------
    >>> text_cell("no"), text_cell(None)
    ('t6e6f', '-')
    """
    return MISSING if text is None else f"t{text.encode().hex()}"


def label_cell(label: Any) -> str:
    """Return a label as a cell: a Boolean as the text true or false, a number as a double."""
    if isinstance(label, str):
        return text_cell(label)
    if isinstance(label, bool):
        return text_cell("true" if label else "false")
    return number_cell(float(label))


def column_cells(table: Table, field: Field, *, as_numbers: bool = False) -> list[str]:
    """Return the cells of a column; dates, datetimes and durations as text or as numbers."""
    column = table.column(field.name)
    if isinstance(column, CategoricalColumn):
        texts = [*map(text_cell, column.categories), MISSING]  # code -1 finds the last
        return [texts[code] for code in column.codes.tolist()]
    bits, places = np.unique(column.values.view(np.int64), return_inverse=True)
    numbers = bits.view(np.float64).tolist()
    if field.moment is None or as_numbers:
        cells = list(map(number_cell, numbers))
    else:
        moment = field.moment
        cells = [text_cell(None if x != x else moment_text(x, moment)) for x in numbers]
    return [cells[place] for place in places.tolist()]


def row_lines(table: Table, fields: Sequence[Field], *, as_numbers: bool = False) -> str:
    """Return the rows of a table as lines."""
    columns = [column_cells(table, field, as_numbers=as_numbers) for field in fields]
    rows = zip(*columns, strict=True) if columns else [()] * table.rows
    return "".join("\t".join(cells) + "\n" for cells in rows)


def read_answers(text: str) -> list[ExportAnswer]:
    """Return the answers that a driver wrote."""
    lines = text.splitlines()
    answers = {line: _read_answer(line) for line in dict.fromkeys(lines)}
    return [answers[line] for line in lines]


def _read_answer(line: str) -> ExportAnswer:
    label, rule, *probabilities = line.split("\t")
    return ExportAnswer(label, int(rule), tuple(probabilities))
