"""The training data of a certificate that is being checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table, canonical_rows, canonical_table
from rulewright.errors import CertificateError
from rulewright.models import Model, kept_rows, normalised_weight

ClassNumbers = NDArray[np.int32]
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


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
    """

    table: Table
    y: ClassNumbers
    kept: Rows
    weight: Floats

    @classmethod
    def of(cls, model: Model, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        """Return the training data of a model from what a user gave."""
        table = model.table(X, every=True)
        codes = model.codes(y)
        if codes.size != table.rows:
            raise CertificateError(f"There are {table.rows} rows but {codes.size} labels.")
        kept = kept_rows(sample_weight, table.rows)
        given = np.ones(codes.size) if sample_weight is None else np.asarray(sample_weight, float)
        weight = np.stack([given, given])
        weight[0, kept] = normalised_weight(given[kept])
        return cls(table, codes, kept, weight)

    def ordered(self, rows: Rows, *, canonical: bool) -> tuple[Table, Rows]:
        """Return some rows in the order of the search, and their numbers in the user's table."""
        table = self.table.take(rows).observed()
        if not canonical:
            return table, rows
        table = canonical_table(table)
        order = canonical_rows(table, self.y[rows], self.weight[0, rows])
        return table.take(order), rows[order]
