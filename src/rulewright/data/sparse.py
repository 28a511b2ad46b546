"""Sparse matrices as dense columns, one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.data.columns import Column, Kind, categorical_column, moment_column, numeric_column
from rulewright.data.moments import is_moment
from rulewright.errors import InputError

MAX_DENSE_BYTES = 2**31
"""Maximum size of a sparse matrix as dense columns of 8 bytes per cell."""


def is_sparse(X: Any) -> bool:
    """Whether ``X`` is a sparse matrix or array of SciPy, without importing SciPy."""
    return hasattr(X, "tocsc") and hasattr(X, "nnz")


class SparseColumns:
    """Dense columns of a sparse matrix; a cell that is not stored is 0."""

    def __init__(self, X: Any) -> None:
        if X.ndim != 2:
            raise InputError(f"Data must have two dimensions, rows and columns, got {X.ndim}.")
        if X.dtype.kind not in "fiub":
            raise InputError(f"A sparse matrix must hold real numbers, got {X.dtype}.")
        self._matrix = X.tocsc()

    def __call__(self, position: int, name: str, kind: Kind | None) -> Column:
        """Return a column, numeric or, if declared, categorical."""
        start, end = self._matrix.indptr[position : position + 2]
        rows, stored = self._matrix.indices[start:end], self._matrix.data[start:end]
        # Cells that are stored twice are summed, as in SciPy.
        values = np.zeros(self._matrix.shape[0])
        np.add.at(values, rows, stored.astype(np.float64))
        if kind in (None, "numeric"):
            return numeric_column(name, values)
        if is_moment(kind):
            return moment_column(name, values.tolist(), kind)
        return categorical_column(name, kind, values.tolist())


def refuse_large_sparse(X: Any) -> None:
    """Refuse a sparse matrix that is too large as dense columns."""
    if not is_sparse(X) or X.ndim != 2:
        return
    rows, columns = X.shape
    size = 8 * rows * columns
    if size > MAX_DENSE_BYTES:
        raise InputError(
            f"X is sparse with {rows} rows and {columns} columns, which take {size / 2**30:.1f} "
            f"GiB as dense columns. The maximum is {MAX_DENSE_BYTES / 2**30:g} GiB. Fit on fewer "
            "columns (for example those of sklearn.feature_selection.VarianceThreshold) or on "
            "fewer rows. Prediction has no such limit."
        )
