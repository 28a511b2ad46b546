"""Rows of other libraries as columns, and rows as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
CodedTexts = tuple[Codes, list[str]]
"""Numbers of texts, -1 where missing, and the texts in the order of their first occurrence."""


def arrow_rows(source: Any, size: int) -> Iterator[tuple[int, list[Floats | CodedTexts]]]:
    """Yield the number of rows and the columns of parts of at most ``size`` rows.

    Columns of doubles are arrays, NaN where missing; columns of texts are coded. An error of the
    source is a RuntimeError with its message.

    Parameters
    ----------
    source : object with ``__arrow_c_stream__``
        Its columns are doubles and texts.
    size : int
    """
    rows = _core.ArrowRows(source.__arrow_c_stream__())
    while (part := rows.next(size)) is not None:
        yield part


def row_lines(first: int, rows: int, columns: Sequence[tuple[Codes, Sequence[bytes]]]) -> bytes:
    """Join the number of each row, counted from ``first``, and its texts in all columns.

    Examples
    --------
    >>> row_lines(9, 2, [(np.array([1, 0], np.int32), [b",no;", b",yes;"])])
    b'9,yes;10,no;'
    """
    starts = [np.array([0, *accumulate(map(len, texts))], np.int64) for _, texts in columns]
    return _core.row_lines(
        first,
        rows,
        [codes for codes, _ in columns],
        [b"".join(texts) for _, texts in columns],
        starts,
    )
