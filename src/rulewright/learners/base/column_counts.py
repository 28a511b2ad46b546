"""Rows of some part of a table, counted by the values and categories of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Counts, Route, Table, ValueRange
from rulewright.learners.base.number_groups import (
    NumberGroups,
    count_groups,
    count_with_categories,
    first_bins,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """The rows of node 0 of a route, by the columns of a table.

    ``class_counts`` are the rows of each class. ``ranges`` are values that the rows can have in
    numeric columns; columns without are not counted.

    Attributes
    ----------
    groups : dict of str to NumberGroups
        Of each numeric column that has values.
    categories : dict of str to array
        Rows of each class (columns) with each category (rows).
    """

    counts: Counts
    table: Table
    route: Route
    class_counts: Floats
    ranges: Mapping[str, tuple[float, float]]
    groups: dict[str, NumberGroups] = field(default_factory=dict, init=False)
    categories: dict[str, Integers] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        rows = float(self.class_counts.sum())
        asked = {
            (column.name,): ValueRange(0, *self.ranges[column.name])
            for column in self.table.numeric
            if column.name in self.ranges
        }
        categorical = {column.name: column for column in self.table.categorical}
        found, counted = count_with_categories(
            self.counts,
            self.route,
            asked,
            str,
            lambda _: rows,
            [*categorical],
            first_bins(self.counts),
        )
        self.groups.update({name: groups for (name,), groups in found.items() if groups.low.size})
        for name, mine in counted.items():
            known = np.zeros((len(categorical[name].categories), self.class_counts.size), np.int64)
            there = mine.code >= 0
            known[mine.code[there]] = mine.counts[there]
            self.categories[name] = known

    @property
    def ends(self) -> dict[str, tuple[float, float]]:
        """Smallest and largest value of each numeric column that has values."""
        return {name: (float(g.low[0]), float(g.high[-1])) for name, g in self.groups.items()}

    @property
    def refined_bins(self) -> int:
        """Number of bins whose values may all be counted at once."""
        rows = float(self.class_counts.sum()) / first_bins(self.counts)
        return int(self.counts.refined_rows / max(rows, 1.0))

    def absent(self, known: Integers) -> Integers:
        """Rows of each class without a value, given those with one."""
        return self.class_counts.astype(np.int64) - known

    def refine(self, asked: Sequence[tuple[str, int]]) -> None:
        """Count the values within bins: columns, and places of the bins among their groups."""
        asked = sorted(asked)
        cells = {
            (name, place): ValueRange(
                0, float(self.groups[name].low[place]), float(self.groups[name].high[place])
            )
            for name, place in asked
        }
        found = count_groups(
            self.counts,
            self.route,
            cells,
            lambda name, _: str(name),
            lambda name, place: float(self.groups[name].counts[place].sum()),
        )
        for name, place in reversed(asked):  # places before the one replaced stay
            self.groups[name] = self.groups[name].replaced(place, found[name, place])
