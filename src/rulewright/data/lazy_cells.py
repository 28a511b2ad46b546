"""Expressions of lazy frames for the cell, the bin or the interval of a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from rulewright.data.counts import Floats, ValueRange


def whole(number: int) -> Any:
    """Expression of a whole number of 64 bits.

    Polars gives plain numbers 32 bits in some nested conditions, and others no value.
    """
    return nw.lit(number, nw.Int64)


Cells = list[tuple[int, ValueRange]]
"""Cells of one node with their places among all, in order of their values."""


def cells_by_node(cells: Sequence[ValueRange]) -> dict[int, Cells]:
    """Cells of each node."""
    found: dict[int, Cells] = {}
    for place in sorted(range(len(cells)), key=lambda place: cells[place]):
        found.setdefault(cells[place].node, []).append((place, cells[place]))
    return found


def cell_number(value: Any, cells: Cells, code: Callable[[int, ValueRange, Any], Any]) -> Any:
    """Expression of the cell of a value, by bisection; -1 if it is in none.

    A chain of conditions would compare a row with every cell: there can be hundreds.
    """
    middle = len(cells) // 2
    if not middle:
        place, cell = cells[0]
        within = (value >= cell.low) & (value <= cell.high)
        return nw.when(within).then(code(place, cell, value)).otherwise(whole(-1))
    below, above = (cell_number(value, some, code) for some in (cells[:middle], cells[middle:]))
    return nw.when(value < cells[middle][1].low).then(below).otherwise(above)


def bin_scale(cell: ValueRange, bin_count: int) -> float:
    """Number of bins for each unit of a value; 0 if it is no finite number."""
    with np.errstate(over="ignore", divide="ignore"):
        scale = float(np.float64(bin_count) / (np.float64(cell.high) - cell.low))
    return scale if np.isfinite(scale) else 0.0


def bin_number(value: Any, cell: ValueRange, bin_count: int) -> Any:
    """Expression of the number of a bin, which never falls with the value."""
    number = ((value - cell.low) * bin_scale(cell, bin_count)).floor()
    return number.clip(0, bin_count - 1).cast(nw.Int64)


def interval_number(value: Any, cuts: Floats) -> Any:
    """Expression of the number of cuts below a value, by bisection; NULL where it is missing."""

    def between(first: int, last: int) -> Any:
        if first == last:
            return whole(first)
        middle = (first + last) // 2
        return (
            nw.when(value <= float(cuts[middle]))
            .then(between(first, middle))
            .otherwise(between(middle + 1, last))
        )

    return nw.when(~value.is_null()).then(between(0, cuts.size))
