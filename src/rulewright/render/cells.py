"""Values of single rows as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rulewright.data import CategoricalColumn, Column, Table
from rulewright.render.formatting import column_text, cut_text, value_text
from rulewright.rules import Predicate


def cell_texts(table: Table, name: str, relation: str) -> list[str]:
    """Value of each row in a column, followed by the relation that it satisfies."""
    column, head = table.column(name), column_text(name)
    missing = f"{head} is missing"
    if isinstance(column, CategoricalColumn):
        codes = column.codes.tolist()
        texts = {
            code: f"{head} = {value_text(column.categories[code])}{relation}"
            if code >= 0
            else missing
            for code in set(codes)
        }
        return [texts[code] for code in codes]
    return [
        f"{head} = {cut_text(value, column.field.moment)}{relation}" if value == value else missing
        for value in column.values.tolist()
    ]


def missing_columns_text(node: Predicate, table: Table, row: int) -> str:
    """Text that names the columns of a predicate that are missing in a row; empty if none is."""
    missing = [name for name in node.columns if is_missing(table.column(name), row)]
    return missing_text(missing) if missing else ""


def missing_text(missing: Sequence[str]) -> str:
    """Text that says which columns are missing."""
    listed = ", ".join(column_text(name, ",") for name in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return f"{listed}{more} {'is' if len(missing) == 1 else 'are'} missing"


def is_missing(column: Column, row: int) -> bool:
    """Whether the value of one row is missing, without a look at the other rows."""
    if isinstance(column, CategoricalColumn):
        return bool(column.codes[row] < 0)
    return math.isnan(column.values[row])
