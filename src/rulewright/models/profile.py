"""Training profile: the summary of the training rows that new rows are compared with.

It holds counts, ranges and categories, and no rows. Of the columns, only those that the rules use
are in it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Column, Field, Table
from rulewright.errors import ModelFileError

MAX_KEPT_CATEGORIES = 100
"""A column with more categories is kept without them: its unseen categories are not noticed."""


@dataclass(frozen=True)
class ColumnProfile:
    """A column of the training rows.

    Attributes
    ----------
    name : str
    missing : int
        Number of rows in which its value is missing.
    low, high : float or None
        Range of a column of numbers or dates; None where all values are missing.
    categories : tuple of (str, int) or None
        Categories of another column with their numbers of rows; None of a column of numbers, and
        where there are more than ``MAX_KEPT_CATEGORIES``.
    """

    name: str
    missing: int
    low: float | None = None
    high: float | None = None
    categories: tuple[tuple[str, int], ...] | None = None

    @classmethod
    def of(cls, column: Column) -> ColumnProfile:
        """Return the profile of a column."""
        missing = int(column.missing.sum())
        if isinstance(column, CategoricalColumn):
            found = [
                (name, rows)
                for name, rows in zip(column.categories, column.counts.tolist(), strict=True)
                if rows
            ]
            return cls.of_categories(column.name, missing, found)
        if missing == column.values.size:
            return cls(column.name, missing)
        low, high = float(np.fmin.reduce(column.values)), float(np.fmax.reduce(column.values))
        return cls(column.name, missing, low + 0.0, high + 0.0)

    @classmethod
    def of_categories(
        cls, name: str, missing: int, counts: Collection[tuple[str, int]]
    ) -> ColumnProfile:
        """Return the profile of a column with these numbers of rows of each category."""
        kept = sorted(counts) if len(counts) <= MAX_KEPT_CATEGORIES else None
        return cls(name, missing, categories=None if kept is None else tuple(kept))

    def to_json(self, field: Field) -> dict[str, Any]:
        """Return the profile as a JSON object."""
        head = {"name": self.name, "missing": self.missing}
        if field.is_numeric:
            return {**head, "low": self.low, "high": self.high}
        return {**head, "categories": None if self.categories is None else dict(self.categories)}


@dataclass(frozen=True)
class TrainingProfile:
    """Counts of the training rows of a model.

    Attributes
    ----------
    rows : int
        Number of training rows, those of weight zero left out.
    columns : tuple of ColumnProfile
        The columns that the rules use.
    rules : tuple of int or None
        Number of rows that each rule answers, among those on which the certificate counts errors:
        the check rows, the rows held out, or all training rows. None where this is not known.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    rules: tuple[int, ...] | None = None

    def without_rules(self) -> TrainingProfile:
        """Return the profile for a model with other rules on the same columns."""
        return replace(self, rules=None)

    def to_json(self, fields: Sequence[Field]) -> dict[str, Any]:
        """Return the profile as a JSON object; ``fields`` are the columns of the model."""
        known = {field.name: field for field in fields}
        return {
            "rows": self.rows,
            "columns": [column.to_json(known[column.name]) for column in self.columns],
            "rules": None if self.rules is None else list(self.rules),
        }


class ProfileMaker:
    """Profiles of several models of one training table, whose columns are summed up once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns: dict[str, ColumnProfile] = {}

    @classmethod
    def of_columns(cls, rows: int, columns: Iterable[ColumnProfile]) -> ProfileMaker:
        """Return a maker for a table whose columns have been summed up elsewhere."""
        maker = cls(Table([], rows))
        maker._columns = {column.name: column for column in columns}
        return maker

    def profile(self, names: Sequence[str], rules: Sequence[int] | None) -> TrainingProfile:
        """Return the profile of the columns that a model uses."""
        for name in names:
            if name not in self._columns:
                self._columns[name] = ColumnProfile.of(self._table.column(name))
        columns = tuple(self._columns[name] for name in names)
        return TrainingProfile(self._table.rows, columns, None if rules is None else tuple(rules))


def answer_profile(answers: NDArray[np.signedinteger], rules: int) -> TrainingProfile:
    """Return a profile of the rules that answer some rows, to which columns are added later."""
    return counted_profile(np.bincount(answers, minlength=rules))


def counted_profile(counts: NDArray[np.integer]) -> TrainingProfile:
    """Return a profile of the number of rows that each rule answers."""
    return TrainingProfile(int(counts.sum()), (), tuple(counts.tolist()))


def read_profile(data: Any, fields: Sequence[Field], rules: int) -> TrainingProfile | None:
    """Return the profile of a JSON object, checked against the columns and the number of rules."""
    if data is None:
        return None
    match data:
        case {"rows": int(rows), "columns": list(columns), "rules": counts, **more} if not more:
            if type(rows) is not int or rows < 0:
                raise _wrong("'rows' must be a whole number of 0 or more")
            known = {field.name: field for field in fields}
            found = tuple(_read_column(column, known, rows) for column in columns)
            if len({column.name for column in found}) < len(found):
                raise _wrong("a column is in it twice")
            return TrainingProfile(rows, found, _read_rules(counts, rules, rows))
    raise _wrong("it must be an object with rows, columns and rules")


def _wrong(reason: str) -> ModelFileError:
    return ModelFileError(f"the training profile is not valid: {reason}.")


def _count(value: Any, rows: int) -> int:
    if type(value) is not int or not 0 <= value <= rows:
        raise _wrong(f"a number of rows must be a whole number from 0 to {rows}")
    return value


def _read_rules(counts: Any, rules: int, rows: int) -> tuple[int, ...] | None:
    if counts is None:
        return None
    if not isinstance(counts, list) or len(counts) != rules:
        raise _wrong(f"'rules' must hold a number for each of the {rules} rules")
    found = tuple(_count(count, rows) for count in counts)
    if sum(found) > rows:
        raise _wrong("'rules' counts more rows than there are")
    return found


def _read_column(data: Any, known: Mapping[str, Field], rows: int) -> ColumnProfile:
    match data:
        case {"name": str(name), "missing": missing, **rest} if name in known:
            absent = _count(missing, rows)
            read = _read_range if known[name].is_numeric else _read_categories
            return read(name, absent, rest, rows)
    raise _wrong("'columns' must hold objects with the name of a column of the model, and missing")


def _read_range(name: str, missing: int, rest: Mapping[Any, Any], rows: int) -> ColumnProfile:
    match rest:
        case {"low": None, "high": None, **more} if not more and missing == rows:
            return ColumnProfile(name, missing)
        case {"low": low, "high": high, **more} if not more and _is_finite(low, high):
            if low <= high:
                return ColumnProfile(name, missing, float(low), float(high))
    raise _wrong(f"column {name!r:.80} needs low and high, finite numbers in this order")


def _is_finite(*values: Any) -> bool:
    return all(type(v) in (int, float) and abs(v) <= sys.float_info.max for v in values)


def _read_categories(name: str, missing: int, rest: Mapping[Any, Any], rows: int) -> ColumnProfile:
    match rest:
        case {"categories": None, **more} if not more:
            return ColumnProfile(name, missing)
        case {"categories": dict(counts), **more} if not more:
            found = tuple((text, _count(number, rows)) for text, number in sorted(counts.items()))
            if sum(number for _, number in found) + missing == rows:
                return ColumnProfile(name, missing, categories=found)
    raise _wrong(f"column {name!r:.80} needs categories with numbers that sum up to all rows")


def profile_schema(column: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """Return the JSON Schema of a profile; ``column`` makes the schema of an object."""
    count = {"type": "integer", "minimum": 0}
    number = {"type": ["number", "null"]}
    counts = {"type": ["object", "null"], "additionalProperties": count}
    head = {"name": {"type": "string"}, "missing": count}
    columns = [column(**head, low=number, high=number), column(**head, categories=counts)]
    return column(
        rows=count,
        columns={"type": "array", "items": {"oneOf": columns}},
        rules={"type": ["array", "null"], "items": count},
    )
