"""Columns that name single rows rather than describe them."""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

from rulewright.data.columns import CategoricalColumn, Column, NumericColumn
from rulewright.data.table import Table

MIN_ROWS = 20
"""In smaller tables distinct values mean nothing."""
KEY_NAME = re.compile(
    r"(?i:id|index|key|pk|row|row[ _]?(id|no|nr|num|number)|u?uid|guid|unnamed: \d+)|"
    r".*[ _-](?i:id|key)|.*[a-z]I[dD]"
)


def key_columns(table: Table, keep: Collection[str] = ()) -> dict[str, str]:
    """Names of the columns that are keys of the rows, each with the reason.

    These are text columns in which more than half of the rows have a value of their own, and
    columns of distinct whole numbers whose name is that of a key. Those to ``keep`` are none. It
    depends on the columns alone, never on labels; where there is no other column, none is a key.

    Examples
    --------
    >>> tickets = tuple(f"A/{i}" for i in range(30))
    >>> ticket = CategoricalColumn("ticket", "text", np.arange(30, dtype=np.int32), tickets)
    >>> key_columns(Table([ticket, NumericColumn("age", np.arange(30.0))], 30))
    {'ticket': '30 of its 30 values occur only once'}
    """
    if table.rows < MIN_ROWS:
        return {}
    found = {column.name: _reason(column) for column in table.columns}
    keys = {name: reason for name, reason in found.items() if reason and name not in keep}
    return keys if len(keys) < len(table.columns) else {}


def key_notice(name: str, reason: str) -> str:
    """Say that a column is left out, why, and how to keep it."""
    return (
        f"Column {name!r} is left out: {reason}, so it tells rows apart rather than describing "
        "them. Declare it as categorical to keep it."
    )


def _reason(column: Column) -> str:
    if isinstance(column, CategoricalColumn):
        return _reason_of_text(column)
    return _reason_of_numbers(column)


def _reason_of_text(column: CategoricalColumn) -> str:
    if column.kind != "text" or column.unseen_share() <= 0.5:
        return ""
    known = int((~column.missing).sum())
    return f"{column.singletons} of its {known} values occur only once"


def _reason_of_numbers(column: NumericColumn) -> str:
    if not KEY_NAME.fullmatch(column.name):
        return ""
    values = column.values
    whole = bool((values == np.floor(values)).all())  # no NaN equals itself
    if not whole or np.unique(values).size < values.size:
        return ""
    return "it has the name of a key, and its whole numbers are all different"
