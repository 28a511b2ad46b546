"""A first look at a table: what each column holds, and what looks wrong."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import CategoricalColumn, Column, NumericColumn
from rulewright.data.keys import key_columns, key_notice
from rulewright.data.moments import moment_text
from rulewright.data.table import Table
from rulewright.kernels import code_counts, dense_ranks

FEW_ROWS = 100
"""Number of rows below which certificates say little."""
RARE_SHARE, RARE_ROWS = 0.01, 10
"""A class with a smaller share of the rows, or with fewer rows, is rare."""
COPY_ROWS, COPY_SHARE, COPY_GAIN, MAX_COPY_VALUES = 20, 0.98, 0.95, 20
"""A column of few values is a copy if they give the class of this share of at least these rows, and
of this share of those that are not of the most frequent class.
"""
MAX_COPY_ERRORS = 1.000001 * (1 - COPY_SHARE)
"""A column by which a larger share of the rows is wrong is no copy; a little more, for rounding."""
EARLY_PART = 10
"""A tenth of the rows is looked at first: most columns are wrong on enough of these."""
FIRST_ROWS = 1000
"""Number of rows that show whether a column of numbers has few values."""
MAX_TEXTS = 1000
"""Number of categories of a column that are compared with the form of a date."""
SHOWN_CATEGORIES = 5
DATE = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-](\d{2}|\d{4})|\d{4}[./]\d{1,2}[./]\d{1,2}"
    r"|\d{1,2}[. -]*[A-Za-z]{3,9}[., -]*\d{2,4}|[A-Za-z]{3,9}[. -]*\d{1,2}[., -]+\d{2,4}"
)
"""A date that is not in the form 2021-03-31, which is read as one."""

ClassNumbers = NDArray[np.int32]


@dataclass(frozen=True)
class ColumnSummary:
    """What a column holds.

    Attributes
    ----------
    name, kind : str
    missing, distinct : int
        Number of missing values, and of different known values.
    low, middle, high : float, str or None
        Smallest value, median and largest value of numbers and times.
    categories : tuple of (str, int)
        The most frequent categories with their numbers of rows.
    left_out : str
        Why a search would leave the column out; empty where it would not.
    remarks : tuple of str
        What looks wrong.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    low: float | str | None = None
    middle: float | str | None = None
    high: float | str | None = None
    categories: tuple[tuple[str, int], ...] = ()
    left_out: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survey:
    """A first look at a table; ``classes`` are the rows of each class, where a class is named."""

    rows: int
    columns: tuple[ColumnSummary, ...]
    classes: tuple[tuple[Any, int], ...]
    cautions: tuple[str, ...]


def survey(
    table: Table,
    y: ClassNumbers | None = None,
    classes: Sequence[Any] = (),
    *,
    keep: Collection[str] = (),
) -> Survey:
    """Return a first look at a table, and at the class numbers of its rows if they are given.

    ``keep`` are columns that are never left out as keys.
    """
    keys = key_columns(table, keep)
    remarks = {column.name: column_remarks(column, y) for column in table.columns}
    columns = tuple(
        _summary(column, keys.get(column.name, ""), remarks[column.name])
        for column in table.columns
    )
    counted = _counted(y, classes)
    return Survey(table.rows, columns, counted, _cautions(table.rows, keys, remarks, counted))


def table_cautions(
    table: Table, y: ClassNumbers, classes: Sequence[Any], keys: Mapping[str, str]
) -> tuple[str, ...]:
    """Return what looks wrong with a table to learn from; ``keys`` are left out, with reasons."""
    remarks = {column.name: column_remarks(column, y) for column in table.columns}
    return _cautions(table.rows, keys, remarks, _counted(y, classes))


def _counted(y: ClassNumbers | None, classes: Sequence[Any]) -> tuple[tuple[Any, int], ...]:
    counts = [] if y is None else code_counts(y, len(classes)).tolist()
    return tuple(zip(classes, counts, strict=True))


def _cautions(
    rows: int,
    keys: Mapping[str, str],
    remarks: Mapping[str, Sequence[str]],
    classes: Sequence[tuple[Any, int]],
) -> tuple[str, ...]:
    named = (f"Column {name!r} {remark}" for name, found in remarks.items() for remark in found)
    notices = (key_notice(name, reason) for name, reason in keys.items())
    return (*notices, *named, *size_cautions(rows, classes))


def size_cautions(rows: int, classes: Sequence[tuple[Any, int]]) -> list[str]:
    """Return cautions about few rows, and about rare classes.

    Examples
    --------
    >>> [caution.partition(":")[0] for caution in size_cautions(5000, [("no", 4993), ("yes", 7)])]
    ["Class 'yes' has 7 of 5,000 rows"]
    """
    found = []
    if rows < FEW_ROWS:
        found.append(
            f"There are only {rows} rows. A certificate from fewer than {FEW_ROWS} rows is hardly "
            "better than a guess: collect more rows, or write rules that you know."
        )
    for label, count in classes:
        if count < max(RARE_SHARE * rows, min(RARE_ROWS, rows / 10)):
            found.append(
                f"Class {label!r} has {count:,} of {rows:,} rows: too few to learn it well, and a "
                "model that never answers it is hardly ever wrong. Look at the errors by class; "
                "class costs make it count for more."
            )
    return found


def column_remarks(column: Column, y: ClassNumbers | None) -> tuple[str, ...]:
    """Return what looks wrong with a column; each is the end of a sentence about it."""
    found = []
    if _looks_like_dates(column):
        found.append(
            "looks like dates, but is read as text, and texts have no order. Write dates as "
            "2021-03-31."
        )
    if y is not None:
        found.extend(_copy_remark(column, y))
    return tuple(found)


def _looks_like_dates(column: Column) -> bool:
    if not isinstance(column, CategoricalColumn) or column.kind != "text":
        return False
    texts = [text.strip() for text in column.categories[:MAX_TEXTS]]
    return len(texts) > 1 and all(map(DATE.fullmatch, texts))


def _copy_remark(column: Column, y: ClassNumbers) -> list[str]:
    """Return a remark on a column whose few values give the class of nearly all rows."""
    n_classes, first = int(y.max(initial=0)) + 1, slice(y.size // EARLY_PART)
    few = _rows_by_value(column.take(first), y[first], n_classes)
    if few is None or _wrong(few) > MAX_COPY_ERRORS * y.size:
        return []
    by_value = _rows_by_value(column, y, n_classes)
    if by_value is None or by_value.shape[0] < 2:
        return []
    rows, guessed = int(by_value.sum()), int(by_value.sum(axis=0).max())
    right = rows - _wrong(by_value)
    if rows < max(COPY_ROWS, COPY_SHARE * y.size) or right < COPY_SHARE * rows:
        return []
    if right - guessed < COPY_GAIN * (rows - guessed):
        return []
    return [
        f"gives the class of {right:,} of {rows:,} rows: it may be the class under another name, "
        "or known only afterwards. If so, leave it out."
    ]


def _wrong(by_value: NDArray[np.intp]) -> int:
    """Number of rows that are not of the most frequent class of their value.

    More rows have at least as many.
    """
    return int((by_value.sum(axis=1) - by_value.max(axis=1)).sum())


def _rows_by_value(column: Column, y: ClassNumbers, n_classes: int) -> NDArray[np.intp] | None:
    """Number of rows of each known value and class; None of a column of too many values."""
    codes, distinct = _codes(column)
    if distinct > MAX_COPY_VALUES:
        return None
    known = codes >= 0
    counts = np.bincount(codes[known] * n_classes + y[known], minlength=distinct * n_classes)
    return counts.reshape(distinct, n_classes)


def _codes(column: Column) -> tuple[NDArray[np.integer[Any]], int]:
    """Number of each row's value, -1 where missing, and the number of different values.

    There are no numbers for a column of too many values, whose number may be too small.
    """
    none = np.empty(0, np.intp)
    if isinstance(column, CategoricalColumn):
        return column.codes, len(column.categories)
    few = np.unique(column.values[:FIRST_ROWS])
    if few.size > MAX_COPY_VALUES + 1:
        return none, few.size  # far too many values to rank them all
    ranked = dense_ranks(column.values)
    if ranked is None:
        return none, MAX_COPY_VALUES + 1
    missing = column.missing
    codes, distinct = ranked
    codes[missing] = -1
    return codes, distinct - bool(missing.any())


def _summary(column: Column, left_out: str, remarks: tuple[str, ...]) -> ColumnSummary:
    missing = int(column.missing.sum())
    if isinstance(column, NumericColumn):
        known = np.unique(column.values[~column.missing])
        low, middle, high = _ends(column) if known.size else (None, None, None)
        return ColumnSummary(
            name=column.name,
            kind=column.kind,
            missing=missing,
            distinct=known.size,
            low=low,
            middle=middle,
            high=high,
            left_out=left_out,
            remarks=remarks if known.size > 1 else (*remarks, _constant_text(known.size)),
        )
    counts = column.counts
    distinct = int((counts > 0).sum())
    order = sorted(range(counts.size), key=lambda place: (-counts[place], place))
    shown = tuple(
        (column.categories[place], int(counts[place]))
        for place in order[:SHOWN_CATEGORIES]
        if counts[place]
    )
    said = remarks if distinct > 1 else (*remarks, _constant_text(distinct))
    return ColumnSummary(
        column.name,
        column.kind,
        missing,
        distinct,
        categories=shown,
        left_out=left_out,
        remarks=said,
    )


def _constant_text(distinct: int) -> str:
    return "has one value in all rows: no rule can use it." if distinct else "has no value."


def _ends(column: NumericColumn) -> tuple[float | str, float | str, float | str]:
    """Smallest known value, a middle one, and the largest."""
    known = np.sort(column.values[~column.missing])
    found = [float(known[place]) for place in (0, (known.size - 1) // 2, -1)]
    moment = column.field.moment
    if moment is not None:
        low, middle, high = (moment_text(value, moment) for value in found)
        return low, middle, high
    low_value, middle_value, high_value = found
    return low_value, middle_value, high_value
