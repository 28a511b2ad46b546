"""Detection of key columns, which identify single rows."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import numpy as np

from rulewright.data.columns import CategoricalColumn, Column, NumericColumn
from rulewright.data.table import Table

MIN_ROWS = 20
"""Minimum number of rows; in smaller tables, distinct values are no evidence of a key."""
KEY_NAME = re.compile(
    r"(?i:id|index|key|pk|row|row[ _]?(id|no|nr|num|number)|u?uid|guid|unnamed: \d+)|"
    r".*[ _-](?i:id|key)|.*[a-z]I[dD]"
)
NUMBER_REASON = "it has the name of a key, and its whole numbers are all different"


def key_columns(table: Table, keep: Collection[str] = ()) -> dict[str, str]:
    """Names of the key columns, each with the reason.

    A key is a text column in which more than half of the rows have a unique value, or a column of
    distinct whole numbers with the name of a key. Columns in ``keep`` are never keys. Labels are
    not used. If every column would be a key, none is.

    Examples
    --------
    >>> tickets = tuple(f"A/{i}" for i in range(30))
    >>> ticket = CategoricalColumn("ticket", "text", np.arange(30, dtype=np.int32), tickets)
    >>> key_columns(Table([ticket, NumericColumn("age", np.arange(30.0))], 30))
    {'ticket': '30 of its 30 values occur only once'}
    """
    found = {column.name: _reason(column) for column in table.columns}
    return chosen_keys(found, table.rows, keep)


def chosen_keys(reasons: Mapping[str, str], rows: int, keep: Collection[str]) -> dict[str, str]:
    """Columns that are keys, from the reason for each column; an empty text is none."""
    if rows < MIN_ROWS:
        return {}
    keys = {name: reason for name, reason in reasons.items() if reason and name not in keep}
    return keys if len(keys) < len(reasons) else {}


def key_notice(name: str, reason: str) -> str:
    """Message that a column is left out, with the reason and the way to keep it."""
    return (
        f"Column {name!r} is left out: {reason}, so it identifies rows. To keep it, declare it "
        "categorical."
    )


def _reason(column: Column) -> str:
    if isinstance(column, CategoricalColumn):
        return _reason_of_text(column)
    return _reason_of_numbers(column)


def _reason_of_text(column: CategoricalColumn) -> str:
    if column.kind != "text":
        return ""
    known = int((~column.missing).sum())
    return text_reason(column.singletons, known, column.codes.size)


def text_reason(singletons: int, known: int, rows: int) -> str:
    """Reason why a text column is a key, from the number of values that occur once."""
    if singletons / max(rows, 1) <= 0.5:
        return ""
    return f"{singletons} of its {known} values occur only once"


def _reason_of_numbers(column: NumericColumn) -> str:
    if not has_key_name(column.name):
        return ""
    values = column.values
    whole = bool((values == np.floor(values)).all())  # NaN does not equal itself
    if not whole or np.unique(values).size < values.size:
        return ""
    return NUMBER_REASON


def has_key_name(name: str) -> bool:
    """Whether a column has the name of a key."""
    return KEY_NAME.fullmatch(name) is not None
