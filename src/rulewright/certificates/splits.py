"""Splits of the rows into design rows and check rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import (
    MODULUS,
    KeyHash,
    Table,
    checked_keys,
    content_key,
    draw_rows,
    recipe_key,
    seed_key,
)
from rulewright.errors import InputError

Rows = NDArray[np.intp]

PURPOSE = "rulewright-split-1"
"""Name and version of the way in which rows are drawn."""
KEY_PURPOSE = "rulewright-key-split-1"
"""Name and version of the way in which rows are drawn by a hash of their keys."""
SPLITS = ((10_000, 5), (100_000, 3))
"""Usual number of splits up to these numbers of units; one split of more."""
MIN_CHECK_SHARE, MANY_CHECKS = 5, 1000
"""A fifth of the rows or 1,000, whichever is more, but at most half, are check rows."""


@dataclass(frozen=True, eq=False)
class RowSplit:
    """Row numbers of the design rows and of the check rows, each in increasing order."""

    design: Rows
    check: Rows


@dataclass(frozen=True, eq=False)
class RowSplitter:
    """All splits of a table.

    Attributes
    ----------
    key : bytes
        Key of the draws.
    units : array of int
        For each unit in canonical order its rows follow: ``unit_of[row]`` is the number of the unit
        of each row. A unit is a row, or a group of rows.
    check_units : int
        Number of units whose rows are check rows.
    by_time : bool
        Whether the check rows are the latest ones, and nothing is drawn.
    """

    key: bytes
    unit_of: Rows
    units: int
    check_units: int
    by_time: bool = False

    def n_splits(self, wanted: int | None) -> int:
        """Return the number of splits: as wanted, or the usual one; by time there is one."""
        return 1 if self.by_time else wanted or usual_splits(self.units)

    def split(self, number: int) -> RowSplit:
        """Return the split of a number, from 1."""
        if self.by_time:
            drawn = np.arange(self.units - self.check_units)
        else:
            drawn = draw_rows(self.key, number, self.units, self.units - self.check_units)
        is_design = np.zeros(self.units, np.bool_)
        is_design[drawn] = True
        design = is_design[self.unit_of]
        return RowSplit(np.flatnonzero(design), np.flatnonzero(~design))

    def keys_of(self, rows: Rows) -> NDArray[np.int64] | None:
        """Return the keys of some rows, if the splits are by key."""
        return None


@dataclass(frozen=True, eq=False)
class KeySplitter(RowSplitter):
    """Splits by a hash of keys of the rows, which any engine can compute.

    Each row is a check row or not for itself, so the number of check rows varies a little.
    ``unit_of`` are the keys; it is empty for rows that stay in an engine.
    """

    @classmethod
    def of(
        cls,
        keys: NDArray[np.int64],
        rows: int,
        recipe: Any,
        seed: int | None,
        check_share: float | None,
    ) -> KeySplitter:
        """Return the splits of a table of some rows with these keys."""
        key = recipe_key(KEY_PURPOSE, recipe) if seed is None else seed_key(KEY_PURPOSE, seed)
        return cls(key, keys, rows, check_count(rows, check_share))

    @property
    def least_design_hash(self) -> int:
        """Hash from which rows are design rows; those with smaller ones are check rows."""
        return self.check_units * MODULUS // self.units

    def key_hash(self, number: int) -> KeyHash:
        """Return the hash of the split of a number, from 1."""
        return KeyHash.of(self.key, number)

    def split(self, number: int) -> RowSplit:
        is_design = self.key_hash(number).hashed(self.unit_of) >= self.least_design_hash
        return RowSplit(np.flatnonzero(is_design), np.flatnonzero(~is_design))

    def keys_of(self, rows: Rows) -> NDArray[np.int64] | None:
        return self.unit_of[rows]


def make_splitter(
    table: Table,
    y: NDArray[np.int32] | NDArray[np.float64],
    weight: NDArray[np.float64],
    classes: tuple[Any, ...],
    *,
    recipe: Any,
    seed: int | None,
    check_share: float | None,
    groups: NDArray[Any] | None = None,
    times: NDArray[Any] | None = None,
    keys: NDArray[Any] | None = None,
) -> RowSplitter:
    """Return the splits of a table.

    Parameters
    ----------
    table, y, weight, classes : the rows, their class numbers and weights, and the class names
        For regression, y are numbers, and there are no classes.
    recipe : JSON value
        The learner with all its parameters.
    seed : int or None
        Seed that was settled beforehand; None draws with a key of the content.
    check_share : float or None
        Share of the rows that are check rows; None for the usual number.
    groups : array, optional
        Group of each row. Rows of a group stay together.
    times : array, optional
        Time of each row. The latest rows are the check rows.
    keys : array of int, optional
        Number that identifies each row. A hash of it decides whether the row is a check row.
    """
    if keys is not None:
        return KeySplitter.of(checked_keys(keys), y.size, recipe, seed, check_share)
    if times is not None:
        return _by_time(times, check_share)
    codes = None if groups is None else _codes(groups)
    more: list[NDArray[Any]] = [y, weight] if codes is None else [y, weight, codes]
    if seed is None:
        key, order = content_key(PURPOSE, table, classes, *more, recipe=recipe)
    else:
        key, order = seed_key(PURPOSE, seed), np.arange(y.size)
    if codes is not None:
        unit_of, units = codes, int(codes.max()) + 1
    else:
        unit_of, units = np.empty(y.size, np.intp), y.size
        unit_of[order] = np.arange(y.size)
    return RowSplitter(key, unit_of, units, check_count(units, check_share))


def usual_splits(units: int) -> int:
    """Return the usual number of splits of a table.

    Examples
    --------
    >>> usual_splits(500), usual_splits(50_000), usual_splits(1_000_000)
    (5, 3, 1)
    """
    return next((splits for most, splits in SPLITS if units <= most), 1)


def check_count(units: int, share: float | None = None) -> int:
    """Return the number of check units.

    Examples
    --------
    >>> check_count(500), check_count(3_000), check_count(20_000), check_count(500, 0.2)
    (250, 1000, 4000, 100)
    """
    if share is None:
        return min(units // 2, max(units // MIN_CHECK_SHARE, MANY_CHECKS))
    return max(min(round(units * share), units - 1), 1)


def _by_time(times: NDArray[Any], check_share: float | None) -> RowSplitter:
    """Check rows are the latest; rows of the same time stay together."""
    codes = _codes(times)
    rows = np.bincount(codes)
    share = 1 / MIN_CHECK_SHARE if check_share is None else check_share
    later = np.cumsum(rows[::-1])
    check = int(np.searchsorted(later, share * codes.size)) + 1
    if rows.size < 2:
        raise InputError("All rows have the same time: there are no earlier and later rows.")
    return RowSplitter(b"", codes, rows.size, min(check, rows.size - 1), by_time=True)


def _codes(values: NDArray[Any]) -> Rows:
    """Number of each value among the different values, in increasing order."""
    codes: Rows = np.unique(values, return_inverse=True)[1].astype(np.intp)
    return codes
