"""Training examples of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rulewright.data import NumericColumn, Table, canonical_rows, canonical_table
from rulewright.families import Family, Spatial
from rulewright.kernels import code_sums, gathered
from rulewright.models import Label, unit_of

MAX_COPIES = 10_000
"""Maximum sum of weights that count as numbers of copies."""


@dataclass(frozen=True)
class Sample:
    """Training examples: columns, class numbers and weights, all weights above zero.

    The weights are on the scale of ``normalised_weight``.

    ``rows`` are their numbers in the table that the user gave. ``names`` are the columns in the
    order of that table where the sample is in canonical order, and None where it is not. Nothing is
    learnt about the columns ``left_out``, the keys of the rows; a certificate counts them all the
    same. The columns ``categorical`` were declared to be categories, and are never keys. ``keys``
    are numbers that identify the rows, where random choices are by these.
    """

    table: Table
    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    classes: tuple[Label, ...]
    rows: NDArray[np.intp]
    target: str | None = None
    names: tuple[str, ...] | None = None
    left_out: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    keys: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        y: NDArray[np.int32],
        classes: tuple[Label, ...],
        *,
        weight: NDArray[np.float64] | None = None,
        rows: NDArray[np.intp] | None = None,
        target: str | None = None,
        names: tuple[str, ...] | None = None,
        left_out: tuple[str, ...] = (),
        categorical: tuple[str, ...] = (),
        keys: NDArray[np.int64] | None = None,
    ) -> Sample:
        """Make a sample; every example counts once by default.

        Categories that no example has are forgotten: rows that were left out leave no trace.
        """
        weight = np.ones(y.size) if weight is None else weight
        rows = np.arange(y.size) if rows is None else rows
        about = (target, names, left_out, categorical, keys)
        return cls(table.observed(), y, weight, classes, rows, *about)

    def searched(self, families: Sequence[Family] = ()) -> Table:
        """Return the table of the columns that may be tested.

        Families that compare rows by all numbers at once need every numeric column.
        """
        columnwise = not any(isinstance(family, Spatial) for family in families)
        numeric = {column.name for column in self.table.numeric}
        return self.table.without([n for n in self.left_out if columnwise or n not in numeric])

    @property
    def copies(self) -> NDArray[np.intp] | None:
        """Number of copies of each example, if the weights are such numbers; None for one each."""
        whole = (self.weight == np.floor(self.weight)).all()
        once = not whole or (self.weight == 1).all() or self.weight.sum() > MAX_COPIES
        return None if once else self.weight.astype(np.intp)

    def priced(self, costs: Sequence[Fraction] | None) -> NDArray[np.float64]:
        """Return the value of each example: its weight times the cost of misjudging its class.

        Costs are relative, as weights are; see ``unit_of``.
        """
        if costs is None:
            return self.weight
        relative = np.array([float(cost / unit_of(costs)) for cost in costs])
        worth: NDArray[np.float64] = self.weight * relative[self.y]
        return worth

    def majority(self, worth: NDArray[np.float64], rows: NDArray[np.bool_] | None = None) -> int:
        """Class of the largest value among some examples, or among all if these are none."""
        y = self.y
        if rows is not None and rows.any():
            y, worth = y[rows], worth[rows]
        return int(code_sums(y, worth, len(self.classes)).argmax())

    def take(self, rows: NDArray[np.intp]) -> Sample:
        """Make a sample of some of the examples."""
        return Sample.of(
            taken(self.table, rows),
            self.y[rows],
            self.classes,
            weight=self.weight[rows],
            rows=self.rows[rows],
            target=self.target,
            names=self.names,
            left_out=self.left_out,
            categorical=self.categorical,
            keys=None if self.keys is None else self.keys[rows],
        )

    def canonical(self) -> Sample:
        """Put rows and columns in canonical order, so that a search depends on their content only.

        ``PathEntry.restored`` puts the models found back into the user's order.
        """
        ordered = self.with_canonical_columns()
        return ordered.take(ordered.canonical_places())

    def with_canonical_columns(self) -> Sample:
        """Put the columns in canonical order, and leave the rows in the order of the table."""
        names, table = tuple(self.table.names), canonical_table(self.table)
        return replace(self, table=table, names=self.names or names)

    def canonical_places(self) -> NDArray[np.intp]:
        """List the examples in canonical order."""
        return canonical_rows(self.table, self.y, self.weight)


def taken(table: Table, rows: NDArray[np.intp]) -> Table:
    """Return a table of the given rows, its numeric columns copied together, which is quicker."""
    numbers = iter(gathered([column.values for column in table.numeric], rows))
    columns = [
        NumericColumn(column.name, next(numbers), column.kind)
        if isinstance(column, NumericColumn)
        else column.take(rows)
        for column in table.columns
    ]
    return Table(columns, rows.size, named=table.named)
