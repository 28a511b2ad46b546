"""Rows of other libraries and of CSV files as columns, and rows as lines of text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
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


class CsvRows:
    """The rows of a CSV file of the plainest kind.

    It has no quotes, one cell per column in every line, and numbers of digits with a point and an
    exponent. Other files have to be read otherwise.

    Parameters
    ----------
    path : path of the file
    start : int
        Byte at which the first row begins.
    threads : int
        Number of threads. Results do not depend on it.
    """

    def __init__(self, path: Path, start: int, threads: int = 1) -> None:
        self._rows = _core.CsvRows(os.fsencode(path), start, threads)

    @property
    def is_plain(self) -> bool:
        """Whether no byte rules out that the file is plain."""
        return self._rows.plain

    def read(
        self, kinds: Sequence[str], delimiter: str, missing: Sequence[str]
    ) -> list[Floats | CodedTexts | None] | None:
        """Read the columns, each as ``number``, as ``text``, or not if its kind is empty.

        Numbers are arrays, NaN where missing; texts are coded. ``missing`` are the cells without a
        value. Return None if the file is not plain, and raise a ValueError if a number is written
        as a code such as 007.
        """
        numbers = [np.empty(self._rows.rows if kind == "number" else 0) for kind in kinds]
        codes = [np.empty(self._rows.rows if kind == "text" else 0, np.int32) for kind in kinds]
        texts = self._rows.read(numbers, codes, delimiter, missing)
        if texts == "zero-padded":
            raise ValueError("a number is padded by zeros")
        if isinstance(texts, str):
            return None
        found: list[Floats | CodedTexts | None] = []
        for kind, values, code, different in zip(kinds, numbers, codes, texts, strict=True):
            found.append(values if kind == "number" else (code, different) if kind else None)
        return found


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
