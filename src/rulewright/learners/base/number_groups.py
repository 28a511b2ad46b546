"""The values of numeric columns in groups, with counts of their rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import BINS, CategoryCounts, Counts, GroupCounts, Route, ValueRange

Floats = NDArray[np.float64]

AnySite = TypeVar("AnySite", bound=tuple[Any, ...])


@dataclass(frozen=True, eq=False)
class NumberGroups:
    """The values of a numeric column at a node in groups, from the lowest to the highest.

    ``counts`` are the rows of each class (columns) in each group (rows). Cuts within a group whose
    ends differ are not known yet. The ends of ``loose`` groups may lie beyond their values; None if
    there are no such groups.
    """

    low: Floats
    high: Floats
    counts: Floats
    loose: NDArray[np.bool_] | None = None

    @cached_property
    def below(self) -> Floats:
        """Rows of each class up to each group."""
        return np.asarray(self.counts.cumsum(axis=0))

    @cached_property
    def known(self) -> Floats:
        """Rows of each class with a value."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def is_bin(self) -> NDArray[np.bool_]:
        """Which groups have several values."""
        return self.low < self.high

    @property
    def is_loose(self) -> NDArray[np.bool_]:
        """Which groups may have ends beyond their values."""
        return np.zeros(self.low.size, np.bool_) if self.loose is None else self.loose

    def replaced(self, place: int, groups: NumberGroups, end: int | None = None) -> NumberGroups:
        """Return the groups with others in the place of one, or of several up to ``end``."""
        end = place + 1 if end is None else end
        return NumberGroups(
            *(
                np.concatenate([mine[:place], others, mine[end:]])
                for mine, others in zip(
                    (self.low, self.high, self.counts, self.is_loose),
                    (groups.low, groups.high, groups.counts, groups.is_loose),
                    strict=True,
                )
            )
        )

    def without(self, groups: NumberGroups) -> NumberGroups:
        """Return the groups without the rows of others, each of which lies within one of these.

        Examples
        --------
        >>> ends = np.array([0.0, 2.0]), np.array([1.0, 2.0])
        >>> whole = NumberGroups(*ends, np.array([[3.0, 1.0], [0.0, 2.0]]))
        >>> one = np.array([2.0])
        >>> left = whole.without(NumberGroups(one, one, np.array([[0.0, 2.0]])))
        >>> left.low.tolist(), left.high.tolist(), left.counts.tolist(), left.is_loose.tolist()
        ([0.0], [1.0], [[3.0, 1.0]], [True])
        """
        counts = self.counts.copy()
        np.subtract.at(counts, np.searchsorted(self.high, groups.low), groups.counts)
        left = counts.any(axis=1)
        return NumberGroups(self.low[left], self.high[left], counts[left], self.is_bin[left])


def first_bins(counts: Counts) -> int:
    """Number of bins of a column, over twice the root of the number of rows if possible.

    Where the classes are independent of a column, cuts within larger bins could not be ruled
    out: with labels in a favourable order, m of M rows can gain about m² / M.
    """
    rows = float(counts.class_counts.sum())
    return min(power_of_two(2 * math.sqrt(rows), BINS), counts.most_bins)


def power_of_two(number: float, least: int) -> int:
    """Smallest power of two that is not below two numbers; the second is a power of two.

    Examples
    --------
    >>> power_of_two(100.0, 64), power_of_two(10.0, 64)
    (128, 64)
    """
    return max(1 << math.ceil(math.log2(max(number, 1.0))), least)


def count_groups(
    counts: Counts,
    route: Route,
    asked: Mapping[AnySite, ValueRange],
    name: Callable[..., str],
    rows: Callable[..., float],
) -> dict[AnySite, NumberGroups]:
    """Count the values of cells in groups.

    ``name`` is the column of a site, and ``rows`` its number of rows. Cells with many rows are
    counted in bins, unless their width is no finite number.
    """
    return count_with_categories(counts, route, asked, name, rows, ())[0]


def count_with_categories(
    counts: Counts,
    route: Route,
    asked: Mapping[AnySite, ValueRange],
    name: Callable[..., str],
    rows: Callable[..., float],
    categorical: Sequence[str],
    bin_count: int = BINS,
) -> tuple[dict[AnySite, NumberGroups], dict[str, CategoryCounts]]:
    """Count the values of cells in groups, and all rows by the categories of other columns."""
    few = [
        site
        for site, cell in asked.items()
        if rows(*site) <= counts.exact_rows or not math.isfinite(cell.high - cell.low)
    ]
    return counted_cells(counts, route, asked, name, few, categorical, bin_count)


def counted_cells(
    counts: Counts,
    route: Route,
    asked: Mapping[AnySite, ValueRange],
    name: Callable[..., str],
    few: Collection[AnySite],
    categorical: Sequence[str] = (),
    bin_count: int = BINS,
) -> tuple[dict[AnySite, NumberGroups], dict[str, CategoryCounts]]:
    """Count the ``few`` sites by value and others in bins, and rows by category."""
    exact = set(few)
    parts: tuple[dict[str, list[AnySite]], ...] = ({}, {})
    for site in asked:
        parts[site not in exact].setdefault(name(*site), []).append(site)
    values, bins = (
        {column: [asked[site] for site in sites] for column, sites in some.items()}
        for some in parts
    )
    answers = counts.by_group(route, values, bins, categorical, bin_count)
    found: dict[AnySite, NumberGroups] = {}
    for some, answer in zip(parts, (answers.values, answers.bins), strict=True):
        for column, sites in some.items():
            for place, site in enumerate(sites):
                found[site] = _groups_of(answer[column], place)
    return found, answers.categories


def _groups_of(found: GroupCounts, cell: int) -> NumberGroups:
    mine = slice(*np.searchsorted(found.cell, [cell, cell + 1]))
    return NumberGroups(found.low[mine], found.high[mine], found.counts[mine])
