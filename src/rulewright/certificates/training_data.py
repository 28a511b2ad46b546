"""The training data of a certificate that is being checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table, canonical_rows, canonical_table
from rulewright.errors import CertificateError, InputError
from rulewright.models import Model, kept_rows, normalised_weight

ClassNumbers = NDArray[np.int32]
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def row_values(values: Any, name: str, rows: int) -> NDArray[Any]:
    """Return the group or the time of each row as an array without missing values."""
    found = np.asarray(values)
    if found.shape != (rows,):
        raise InputError(
            f"{name} must have one value for each of the {rows} rows, got shape {found.shape}."
        )
    missing = found != found  # NaN and NaT
    if found.dtype.kind == "O":
        missing = missing | np.array([value is None for value in found.tolist()], np.bool_)
    if np.any(missing):
        row = int(np.argmax(missing))
        raise InputError(f"{name} must have no missing values; row {row} has one.")
    return found


@dataclass(frozen=True, eq=False)
class TrainingData:
    """The user's table with class numbers and weights.

    Attributes
    ----------
    table, y : the rows in the user's order, and their class numbers
    kept : array of int
        The rows that count: those of positive weight.
    weight : array of shape (2, rows)
        The relative weights, and the weights as given.
    groups, times, keys : array or None
        Group, time or key of each row that counts.
    """

    table: Table
    y: ClassNumbers
    kept: Rows
    weight: Floats
    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None
    keys: NDArray[Any] | None = None

    @classmethod
    def of(
        cls,
        model: Model,
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any = None,
        times: Any = None,
        keys: Any = None,
    ) -> TrainingData:
        """Return the training data of a model from what a user gave."""
        table = model.table(X, every=True)
        codes = model.codes(y)
        if codes.size != table.rows:
            raise CertificateError(f"There are {table.rows} rows but {codes.size} labels.")
        kept = kept_rows(sample_weight, table.rows)
        given = np.ones(codes.size) if sample_weight is None else np.asarray(sample_weight, float)
        weight = np.stack([given, given])
        weight[0, kept] = normalised_weight(given[kept])
        by_row = {"groups": groups, "times": times, "keys": keys}
        more = {
            name: row_values(values, name, table.rows)[kept]
            for name, values in by_row.items()
            if values is not None
        }
        return cls(table, codes, kept, weight, **more)

    def ordered(self, rows: Rows, *, canonical: bool) -> tuple[Table, Rows]:
        """Return some rows in the order of the search, and their numbers in the user's table."""
        table = self.table.take(rows).observed()
        if not canonical:
            return table, rows
        table = canonical_table(table)
        order = canonical_rows(table, self.y[rows], self.weight[0, rows])
        return table.take(order), rows[order]
