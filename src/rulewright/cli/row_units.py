"""The column that says which rows belong together, or when each was collected."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rulewright.certificates import row_values
from rulewright.data import NumericColumn, Table
from rulewright.errors import InputError
from rulewright.learners import Units

Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="COL",
        help="Column of groups of rows that depend on each other, such as patients: a split "
        "certificate keeps them together and counts groups.",
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COL",
        help="Column of times: a split certificate learns from the earlier rows and checks on the "
        "later ones.",
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="COL",
        help="Column of whole numbers that identify the rows: a split certificate divides the rows "
        "by a hash of it, also with --out-of-core.",
    ),
]
OrderBy = Annotated[
    str | None,
    typer.Option(
        "--order-by",
        metavar="COL",
        help="Column of numbers, dates or times, along which classes and errors may change: a "
        "caution of the certificate says if they do. For rows that stay in their file, which have "
        "no order.",
    ),
]
IN_ENGINE = (
    "--order-by is for rows that stay in their file, which have no order: add --out-of-core. Rows "
    "in memory are examined in the order of the file."
)


def units_of(table: Table, group: str | None, time: str | None, key: str | None = None) -> Units:
    """Return the units of the rows of a table from the options."""
    given = {"--group": group, "--time": time, "--key": key}
    names = [option for option, column in given.items() if column is not None]
    if len(names) > 1:
        raise InputError(f"{names[0]} and {names[1]} exclude each other: give one of them.")
    if key is not None:
        return Units(keys=unit_values(table, key), column=key)
    if group is not None:
        return Units(groups=unit_values(table, group), column=group)
    if time is not None:
        return Units(times=unit_values(table, time, ordered=True), column=time)
    return Units()


def unit_values(table: Table, name: str, *, ordered: bool = False) -> NDArray[Any]:
    """Return the values of a column of groups, or of times, which must have an order."""
    column = table.column(name)
    if isinstance(column, NumericColumn):
        return row_values(column.values, f"column {name!r}", table.rows)
    if ordered:
        raise InputError(f"Column {name!r} must hold numbers, dates or times, not texts.")
    return row_values(np.array(column.cells(), object), f"column {name!r}", table.rows)
