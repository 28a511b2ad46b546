"""Survey of a lazy table: its classes, and the ranges, categories and keys of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from rulewright.data.columns import MAX_EXACT_INTEGER, Kind, category_text, is_number_kind
from rulewright.data.counts import Floats
from rulewright.data.keys import NUMBER_REASON, chosen_keys, has_key_name, text_reason
from rulewright.data.lazy_queries import ROWS, aggregates, answered, counted, different
from rulewright.errors import InputError

MAX_CATEGORIES = 100_000
KEY = "key"
"""Column of the keys of the rows in a frame."""


@dataclass(frozen=True, eq=False)
class CodedFrame:
    """A frame with the number of the class, and the columns of a table under other names.

    ``columns`` are the expressions of these in the ``whole`` frame, ``kinds`` the kinds of the
    columns, and ``place`` their names in the frame. ``key`` is the name of the column of keys in
    the whole frame.
    """

    whole: Any
    columns: Sequence[Any]
    kinds: Mapping[str, Kind]
    place: Mapping[str, str]
    key: str | None = None

    @cached_property
    def frame(self) -> Any:
        """The frame; Spark takes half a second to make one."""
        keys = [] if self.key is None else [nw.col(self.key).cast(nw.Int64).alias(KEY)]
        return self.whole.select(*self.columns, *keys)

    def column(self, name: str) -> Any:
        """Expression of a column."""
        return nw.col(self.place[name])

    def present(self, name: str) -> Any:
        """Rows that have a value in a column."""
        return self.frame.filter(~self.column(name).is_null())


@dataclass(frozen=True, eq=False)
class FirstPass:
    """What one pass over all columns has found.

    Attributes
    ----------
    partitions : number of partitions of the table
    classes : dict of value to int
        Number of rows of each value of the class; None is a missing one.
    ranges : dict of str to (float, float, int)
        Smallest and largest value of each numeric column, and its number of values.
    values : dict of str to dict of str to int, or None
        Number of rows of each value of each other column; None if there are too many.
    """

    partitions: int
    classes: dict[Any, int]
    ranges: dict[str, tuple[float, float, int]]
    values: dict[str, dict[Any, int] | None]


@dataclass(frozen=True, eq=False)
class ColumnSurvey:
    """What a search must know of a table before it counts.

    Attributes
    ----------
    class_counts : array
        Number of rows of each class.
    ranges : dict of str to (float, float)
        Smallest and largest value of each numeric column that has values.
    missing : dict of str to int
        Number of rows without a value in each column.
    distinct : dict of str to int
        Number of categories of each other column.
    category_counts : dict of str to dict of str to int
        Rows of each category in sorted order, of columns that are no keys.
    keys : dict of str to str
        Columns that identify rows, with the reason.
    """

    class_counts: Floats
    ranges: dict[str, tuple[float, float]]
    missing: dict[str, int]
    distinct: dict[str, int]
    category_counts: dict[str, dict[str, int]]
    keys: dict[str, str]

    @classmethod
    def of(
        cls, coded: CodedFrame, class_rows: Sequence[int], seen: FirstPass | None = None
    ) -> ColumnSurvey:
        """Find the ranges, the categories and the keys of the columns.

        ``class_rows`` are the numbers of rows of the classes. What was ``seen`` is not asked again.
        """
        class_counts = np.array(class_rows, np.float64)
        rows = int(class_counts.sum())
        ranges, missing, distinct, reasons = {}, {}, {}, {}
        extremes = _extremes(coded) if seen is None else seen.ranges
        listed = {} if seen is None else seen.values
        for name, (low, high, present) in extremes.items():
            _refuse_infinite(name, low, high)
            missing[name] = rows - present
            if present:
                ranges[name] = low, high
            reasons[name] = "" if missing[name] else _number_reason(coded, name, rows)
        for name, kind in coded.kinds.items():
            if not is_number_kind(kind):
                distinct[name], known, singles = _category_numbers(coded, name, listed.get(name))
                missing[name] = rows - known
                reasons[name] = text_reason(singles, known, rows) if kind == "text" else ""
        keys = chosen_keys({name: reasons[name] for name in coded.kinds}, rows, ())
        categories = {
            name: _categories(coded, name, listed.get(name))
            for name in distinct
            if name not in keys
        }
        return cls(class_counts, ranges, missing, distinct, categories, keys)


def _extremes(coded: CodedFrame) -> dict[str, tuple[float, float, int]]:
    """Smallest and largest value of numeric columns, and their numbers of values."""
    names = [name for name, kind in coded.kinds.items() if is_number_kind(kind)]
    asked = {
        (name, how): getattr(coded.column(name), how)()
        for name in names
        for how in ("min", "max", "count")
    }
    found = aggregates(coded.frame, "find the ranges of the columns", list(asked.values()))
    by_name = dict(zip(asked, found, strict=True))
    extremes = {}
    for name in names:
        present = int(by_name[name, "count"])
        low, high = (float(by_name[name, how]) + 0.0 if present else 0.0 for how in ("min", "max"))
        extremes[name] = low, high, present
    return extremes


def _refuse_infinite(name: str, low: float, high: float) -> None:
    if np.isinf([low, high]).any():
        raise InputError(
            f"Column {name!r} has an infinite value. Numbers must be finite. Replace it by "
            "the largest sensible number, or mark it as missing (NULL)."
        )


def refuse_inexact(whole: Any, names: Sequence[str]) -> None:
    """Refuse columns of whole numbers that may lose digits as floating-point numbers."""
    asked = [getattr(nw.col(name), how)() for name in names for how in ("min", "max")]
    found = iter(aggregates(whole, "find the largest whole numbers", asked))
    for name in names:
        ends = [next(found), next(found)]
        large = [end for end in ends if end is not None and abs(end) > MAX_EXACT_INTEGER]
        if large:
            raise InputError(
                f"Column {name!r} holds the whole number {large[0]}. Whole numbers above 2**53 "
                f"({MAX_EXACT_INTEGER}) lose digits as floating-point numbers. If the column "
                "is a key, leave it out. If it holds codes, cast it to text. If it is a "
                "quantity, cast it to a floating-point number."
            )


def _number_reason(coded: CodedFrame, name: str, rows: int) -> str:
    """Reason why a numeric column without missing values is a key; empty if it is none."""
    if not has_key_name(name):
        return ""
    column = coded.column(name)
    broken = nw.when(column != column.floor()).then(nw.lit(1)).sum()
    what = f"look for keys in {name!r}"
    if aggregates(coded.frame, what, [broken])[0]:
        return ""
    distinct = different(coded.frame, coded.place[name], what)
    return NUMBER_REASON if distinct == rows else ""


def _category_numbers(
    coded: CodedFrame, name: str, listed: Mapping[Any, int] | None
) -> tuple[int, int, int]:
    """Number of categories of a column, of rows that have one, and of categories of one row."""
    if listed is not None:
        known = [rows for value, rows in listed.items() if value is not None]
        return len(known), sum(known), known.count(1)
    single = nw.when(nw.col(ROWS) == 1).then(nw.lit(1)).sum()
    asked = [nw.len(), nw.col(ROWS).sum(), single]
    rows = counted(coded.present(name), coded.place[name])
    found = aggregates(rows, f"count the categories of {name!r}", asked)
    distinct, rows_known, singles = (int(number or 0) for number in found)
    return distinct, rows_known, singles


def _categories(coded: CodedFrame, name: str, listed: Mapping[Any, int] | None) -> dict[str, int]:
    """Rows of each category of a column."""
    if listed is None:
        place = coded.place[name]
        query = counted(coded.present(name), place).head(MAX_CATEGORIES + 1)
        found = answered(query, f"list the categories of {name!r}")
        listed = dict(zip(found[place].tolist(), found[ROWS].tolist(), strict=True))
    if len(listed) > MAX_CATEGORIES:
        raise InputError(
            f"Column {name!r} has over {MAX_CATEGORIES:,} categories. Leave it out, or group "
            "its values first."
        )
    kind = coded.kinds[name]
    rows = {category_text(v, kind): int(n) for v, n in listed.items() if v is not None}
    return dict(sorted(rows.items()))
