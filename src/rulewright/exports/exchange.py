"""Rows and answers as lines of text, which a driver in any language can read and write exactly.

A line has one cell for each input, separated by tabs: ``-`` for a missing value, ``n`` and the bits
of a double in hexadecimal, ``t`` and the UTF-8 bytes of a text in hexadecimal. An answer is the
label, the number of the rule and the probability of each class in the same way.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rulewright.data import CategoricalColumn, Field, Table

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


def number_cells(numbers: Iterable[float]) -> list[str]:
    """Return numbers as their bits, each different one written once; None is an error.

    Examples
    --------
    >>> number_cells([1.0, float("nan"), 1.0])
    ['n3ff0000000000000', '-', 'n3ff0000000000000']
    """
    bits, places = np.unique(np.array(array("d", numbers)).view(np.int64), return_inverse=True)
    cells = list(map(number_cell, bits.view(np.float64).tolist()))
    return [cells[place] for place in places.tolist()]


def label_cells(labels: Sequence[Any]) -> list[str]:
    """Return labels as cells, each different one written once.

    Examples
    --------
    >>> label_cells(["no", "no", True]), label_cells([0.0, -0.0])
    (['t6e6f', 't6e6f', 't74727565'], ['n0000000000000000', 'n8000000000000000'])
    """
    kinds = set(map(type, labels))
    if kinds <= {int, float}:
        return number_cells(labels)
    cells = {(type(label), label): label_cell(label) for label in set(labels)}
    return [cells[type(label), label] for label in labels]


def bulk_answers(
    labels: Sequence[str], rules: Iterable[int], shares: Iterable[Iterable[float]]
) -> list[ExportAnswer]:
    """Return the answers with some labels, as cells, and rules; ``shares`` has a column a class."""
    columns = [number_cells(column) for column in shares]
    chances = zip(*columns, strict=True) if columns else [()] * len(labels)
    made: dict[tuple[Any, ...], ExportAnswer] = {}
    return [
        made.get(row) or made.setdefault(row, ExportAnswer(*row))
        for row in zip(labels, rules, chances, strict=True)
    ]


def column_cells(table: Table, field: Field, *, as_numbers: bool = False) -> list[str]:
    """Return the cells of a column; dates, datetimes and durations as text or as numbers."""
    column = table.column(field.name)
    if isinstance(column, CategoricalColumn):
        texts = [*map(text_cell, column.categories), MISSING]  # code -1 finds the last
        return [texts[code] for code in column.codes.tolist()]
    if field.moment is None or as_numbers:
        return number_cells(column.values)
    return [text_cell(None if text is None else str(text)) for text in column.cells()]


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
