"""Cuts of numeric columns: which values may be cuts, and the predicates of these.

Searches see columns in which every value stands for its group: the largest value of the group. Only
the ends of groups can then be cuts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import NumericColumn, Table
from rulewright.rules import Threshold

if TYPE_CHECKING:
    from rulewright.families.thresholds import Thresholds

Floats = NDArray[np.float64]

CUTS = ("all", "integers", "deciles")
"""Which values may be cuts: all, whole numbers, or the deciles of the column."""
DECILES = 10


def grouped(values: Floats, cuts: str) -> Floats:
    """The largest value of the group of each value, NaN where it is missing.

    The groups of "integers" are the values between two whole numbers, the upper one included; those
    of "deciles" end at the deciles.

    Examples
    --------
    >>> grouped(np.array([0.2, 1.5, 1.7, 2.0, np.nan]), "integers").tolist()
    [0.2, 2.0, 2.0, 2.0, nan]
    >>> grouped(np.array([3.0, 1.0, 2.0]), "all").tolist()
    [3.0, 1.0, 2.0]
    """
    if cuts == "all":
        return values
    there = ~np.isnan(values)
    known = np.unique(values[there] + 0.0)  # turns -0.0 into 0.0
    if not known.size:
        return values
    if cuts == "integers":
        ends = known[np.append(np.diff(np.ceil(known)) > 0, True)]
    else:
        ends = deciles(values[there])
    found = values.copy()
    found[there] = ends[np.searchsorted(ends, values[there], "left")]
    return found


def deciles(values: Floats) -> Floats:
    """Deciles of values without missing ones, each once, the largest value as the last.

    The k-th is the smallest value such that at least k tenths of the values are not larger.

    Examples
    --------
    >>> deciles(np.arange(20.0)).tolist()
    [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0]
    """
    return quantiles(values, DECILES)


def quantiles(values: Floats, parts: int) -> Floats:
    """Quantiles of values without missing ones, as ``deciles`` for another number of parts.

    Examples
    --------
    >>> quantiles(np.array([3.0, 1.0, 1.0, 9.0]), 2).tolist()
    [1.0, 9.0]
    """
    places = (np.arange(1, parts + 1) * values.size - 1) // parts
    return np.unique(np.sort(values + 0.0)[places])


class _Distinct(NamedTuple):
    """Distinct values of a column in increasing order, and the first row of each."""

    values: Floats
    rows: NDArray[np.intp]


class CutMaker:
    """Predicates of a family of cuts, made from the columns of a table."""

    def __init__(self, family: Thresholds, table: Table) -> None:
        self._family = family
        self._table = table
        self._distinct: dict[str, _Distinct] = {}

    def searched(self, column: NumericColumn) -> Floats:
        """Values of a column as a search sees them."""
        return grouped(column.values, self._family.cuts)

    def predicate(
        self, name: str, value: float, *, above: bool, row: int | None = None
    ) -> Threshold:
        """Predicate that divides a column after one of its values.

        ``row`` is the first row that has this value in the column as it is searched, where the
        caller knows it.
        """
        if self._family.borders == 1:
            return self._at_row(name, value, row, above=above)
        distinct = self._distinct.get(name)
        if distinct is None:
            distinct = self._distinct[name] = _distinct(self._table.numbers(name))
        place = int(np.searchsorted(distinct.values, value))
        following = min(place + 1, distinct.values.size - 1)
        return self._family.between(
            self._table.column(name).field,
            (float(distinct.values[place]), float(distinct.values[following])),
            (int(distinct.rows[place]), int(distinct.rows[following])),
            above=above,
        )

    def _at_row(self, name: str, value: float, row: int | None, *, above: bool) -> Threshold:
        if row is None or self._family.cuts != "all":
            row = int(np.argmax(self._table.numbers(name) == value))
        field = self._table.column(name).field
        return self._family.between(field, (value, value), (row, row), above=above)


class CutSums:
    """Weights on either side of every cut of a column."""

    def __init__(self, values: Floats) -> None:
        self._missing = np.isnan(values)
        order = np.argsort(values, kind="stable")
        self._present = order[: order.size - int(self._missing.sum())]
        self.cuts, first = np.unique(values[self._present], return_index=True)
        self._ends = np.append(first[1:], self._present.size)

    def beyond(self, weight: NDArray[np.int64], *, above: bool, missing: bool) -> NDArray[np.int64]:
        """Sums of all weights, and of the positive ones, above every cut or up to it.

        ``missing``: whether missing values count on this side.
        """
        both = np.stack([weight, np.maximum(weight, 0)])
        sums = np.cumsum(both[:, self._present], axis=1)
        if not sums.size:
            return sums
        below = sums[:, self._ends - 1]
        sides = sums[:, -1:] - below if above else below
        return sides + both[:, self._missing].sum(axis=1, keepdims=True) if missing else sides


def _distinct(values: Floats) -> _Distinct:
    """Distinct present values."""
    found, rows = np.unique(values + 0.0, return_index=True)
    present = int((~np.isnan(found)).sum())
    return _Distinct(found[:present], rows[:present])
