"""Tests whether classes or errors change along a column of rows that stay in an engine.

The rows are counted in groups of neighbouring values, and a row has the mean rank of its group. The
sum of these ranks is the mean of the sums of ranks over all orders within the groups. Its
exponential moments are therefore no larger (Jensen), and the limits of ``exchangeability`` hold for
it, with the deviation of ranks without ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.counted_tests import tests_of
from rulewright.certificates.exchangeability import drifting_class, errors_drift, in_deviations
from rulewright.data import (
    Field,
    LazyTable,
    Patterns,
    TooManyPatternsError,
    ValueRange,
)
from rulewright.errors import InputError
from rulewright.models import Model
from rulewright.render import cut_text

Floats = NDArray[np.float64]

GROUPS = 256
"""Number of groups of neighbouring values, of a column that has more values."""
NEWEST = "If this is the order of collection, check the model on the newest rows."
UNKNOWN_ERRORS = (
    "Whether errors become more frequent along {name!r} was not examined: the tests of the model "
    "tell too many rows apart."
)


@dataclass(frozen=True, eq=False)
class OrderedCounts:
    """Rows of groups of neighbouring values of a column, from the smallest values to the largest.

    Attributes
    ----------
    column : Field
    ends : largest value of each group
    rows : rows of each class (columns) in each group (rows)
    wrong : rows in each group that the model misjudges; None if they were not counted
    """

    column: Field
    ends: Floats
    rows: Floats
    wrong: Floats | None

    @classmethod
    def of(cls, table: LazyTable, model: Model, name: str) -> OrderedCounts:
        """Count the rows of a table along one of its columns, which holds numbers or times."""
        column = next(field for field in table.fields if field.name == name)
        ends = _group_ends(table, name)
        cuts, others = tests_of([model.body], [one.name for one in table.table.categorical])
        with_order = {**cuts, name: np.union1d(cuts.get(name, ()), ends)}
        try:
            found = table.patterns(with_order, others)
        except TooManyPatternsError:
            return cls._counted(column, len(table.classes), table.patterns({name: ends}, []), None)
        wrong = model.body.classify(found.table) != found.labels
        return cls._counted(column, len(table.classes), found, wrong)

    @classmethod
    def _counted(
        cls, column: Field, classes: int, found: Patterns, wrong: NDArray[np.bool_] | None
    ) -> OrderedCounts:
        values = found.table.column(column.name).values  # type: ignore[union-attr]
        known = ~np.isnan(values)
        ends, group = np.unique(values[known], return_inverse=True)
        rows = np.zeros((ends.size, classes))
        np.add.at(rows, (group, found.labels[known]), found.rows[known])
        errors = None
        if wrong is not None:
            errors = np.zeros(ends.size)
            np.add.at(errors, group, found.rows[known] * wrong[known])
        return cls(column, ends, rows, errors)

    def cautions(self, classes: tuple[object, ...]) -> list[str]:
        """Return cautions about classes or errors that become more or less frequent."""
        deviations = self._deviations(self.rows)
        code = drifting_class(self.rows.sum(axis=0), deviations)
        if code is not None:
            text = self._drift_text(self.rows[:, code], deviations[code])
            return [f"Class {str(classes[code])!r} becomes {text}. {NEWEST}"]
        if self.wrong is None:
            return [UNKNOWN_ERRORS.format(name=self.column.name)]
        errors, rows = self.wrong.sum(), self.rows.sum()
        deviation = self._deviations(self.wrong[:, None])[0]
        if not errors_drift(int(errors), int(rows), deviation):
            return []
        return [f"The model's errors become {self._drift_text(self.wrong, deviation)}. {NEWEST}"]

    def _deviations(self, marked: Floats) -> Floats:
        """Return how late the rows of each column of counts are, in standard deviations."""
        sizes = self.rows.sum(axis=1)
        before = np.cumsum(sizes) - sizes
        rank = before + (sizes - sizes.sum()) / 2
        return in_deviations(rank @ marked, marked.sum(axis=0), float(sizes.sum()))

    def _drift_text(self, marked: Floats, deviation: float) -> str:
        """Return the text of the shares before and after the group where they differ most."""
        sizes = self.rows.sum(axis=1)
        rows, count = sizes.sum(), marked.sum()
        ahead = (np.cumsum(marked) - np.cumsum(sizes) * (count / rows))[:-1]
        last = int(np.argmin(ahead) if deviation > 0 else np.argmax(ahead))
        first, before = sizes[: last + 1].sum(), marked[: last + 1].sum()
        end = cut_text(float(self.ends[last]), self.column.moment)
        return (
            f"{'more' if deviation > 0 else 'less'} frequent along {self.column.name!r}: "
            f"{100 * before / first:.1f} % of the {first:,.0f} rows up to {end}, "
            f"{100 * (count - before) / (rows - first):.1f} % of the {rows - first:,.0f} rows above"
        )


def check_order(table: LazyTable, name: str) -> None:
    """Refuse a column that gives the rows of a table no order."""
    if name == table.target:
        raise InputError(f"order_by names {name!r}, the class. Name another column.")
    if not table.is_numeric(name):
        raise InputError(
            f"order_by must name a column of numbers, dates or times, but {name!r} holds text. "
            "Cast it in the query."
        )


def _group_ends(table: LazyTable, name: str) -> Floats:
    """Return the largest values of groups of about as many rows; all values if these are few."""
    ends = table.quantile_ends([name], GROUPS).get(name)
    if ends is not None:
        return ends
    if name not in table.ranges:
        raise InputError(f"order_by names {name!r}, a column without a value.")
    cells = {name: [ValueRange(0, *table.ranges[name])]}
    return table.by_value(0, cells)[name].high
