"""Columns that name single rows rather than describe them."""

from __future__ import annotations

import re

import numpy as np

from rulewright.data.columns import CategoricalColumn, Column, NumericColumn
from rulewright.data.table import Table

MIN_ROWS = 20
"""In smaller tables distinct values mean nothing."""
KEY_NAME = re.compile(
    r"(?i:id|index|key|pk|row|row[ _]?(id|no|nr|num|number)|u?uid|guid|unnamed: \d+)|"
    r".*[ _-](?i:id|key)|.*[a-z]I[dD]"
)


def key_columns(table: Table) -> dict[str, str]:
    """Names of the columns that are keys of the rows, each with the reason.

    These are text columns in which more than half of the rows have a value of their own, and
    columns of distinct whole numbers whose name is that of a key. Categories that were declared
    are none. It depends on the columns alone, never on labels; where there is no other column,
    none is a key.

    Examples
    --------
    >>> from rulewright.data import detect_table
    >>> table = detect_table({"ticket": [f"A/{i}" for i in range(30)], "age": list(range(30))})
    >>> key_columns(table)
    {'ticket': '30 of its 30 values occur only once'}
    """
    if table.rows < MIN_ROWS:
        return {}
    found = {column.name: _reason(column) for column in table.columns}
    keys = {name: reason for name, reason in found.items() if reason}
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
