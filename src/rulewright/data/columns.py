"""Columns: numbers with NaN where missing, or categories as codes."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import compress
from numbers import Number
from typing import Any, Literal, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rulewright.data import moments
from rulewright.data.moments import Moment, is_moment, moment_text
from rulewright.errors import InputError
from rulewright.kernels import code_counts

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

Kind = Literal["numeric", "text", "boolean", "code", "date", "datetime", "instant", "duration"]
"""``code`` is a number declared to be a category; see ``moments`` for the last four."""
WHOLE = re.compile(r"[+-]?[0-9]+")
MAX_EXACT_INTEGER = 2**53
"""Doubles represent every whole number up to this one."""
BLOCK_CELLS = 1 << 14


@dataclass(frozen=True, slots=True)
class CategoryOrder:
    """Categories from the lowest to the highest."""

    labels: tuple[str, ...]

    def ends(self, values: Collection[str]) -> tuple[int, int] | None:
        """Places of the lowest and the highest of some neighbouring categories; None of others.

        Examples
        --------
        >>> order = CategoryOrder(("small", "medium", "large"))
        >>> order.ends({"large", "medium"}), order.ends({"large", "small"})
        ((1, 2), None)
        """
        places = [place for place, label in enumerate(self.labels) if label in values]
        if not places or len(places) < len(values) or places[-1] - places[0] >= len(places):
            return None
        return places[0], places[-1]


def is_number_kind(kind: Kind) -> bool:
    """Whether a kind of column holds numbers, or dates, datetimes or durations as numbers."""
    return kind == "numeric" or is_moment(kind)


@dataclass(frozen=True, slots=True)
class Field:
    """Description of a column: its name, its kind, and the number of categories in training.

    ``order`` has the categories if they are ordered.
    """

    name: str
    kind: Kind
    categories: int = 0
    order: CategoryOrder | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether the column holds numbers, or dates, datetimes or durations as numbers."""
        return is_number_kind(self.kind)

    @property
    def is_quantity(self) -> bool:
        """Whether the column holds plain numbers, which can be added and compared by distance."""
        return self.kind == "numeric"

    @property
    def moment(self) -> Moment | None:
        """The kind if the column holds dates, datetimes or durations; None otherwise."""
        return self.kind if is_moment(self.kind) else None


@dataclass(frozen=True, slots=True, eq=False)
class NumericColumn:
    """Numbers, NaN where missing; may be a view of the caller's matrix and is never written to."""

    name: str
    values: Floats
    kind: Kind = "numeric"

    @property
    def field(self) -> Field:
        """The column without its rows."""
        return Field(self.name, self.kind)

    @property
    def missing(self) -> Mask:
        """Where the value is missing."""
        return np.isnan(self.values)

    def cells(self) -> list[float | int | str | None]:
        """Return the values as plain objects, None where missing, whole numbers as integers.

        Dates, datetimes and durations are texts.
        """
        moment = self.field.moment
        numbers = self.values.tolist()
        if moment is not None:
            texts = {v: moment_text(v, moment) for v in set(numbers) if v == v}
            return [texts.get(v) for v in numbers]
        return [None if v != v else int(v) if v.is_integer() else v for v in numbers]

    def take(self, rows: NDArray[Any] | slice) -> NumericColumn:
        """Return the column at the given rows."""
        return NumericColumn(self.name, self.values[rows], self.kind)

    def as_kind(self, kind: Kind) -> NumericColumn:
        """Return the column with the kind of training: dates as datetimes, midnights as dates."""
        if kind == self.kind:
            return self
        return NumericColumn(
            self.name, moments.as_kind(self.name, self.values, self.kind, kind), kind
        )


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalColumn:
    """Categories as codes into ``categories``; -1 where missing.

    If they are ``ordered``, the categories stand from the lowest to the highest, all of them,
    whether they occur in the rows or not.
    """

    name: str
    kind: Kind
    codes: Codes
    categories: tuple[str, ...]
    ordered: bool = False

    @property
    def field(self) -> Field:
        """The column without its rows."""
        order = CategoryOrder(self.categories) if self.ordered else None
        return Field(self.name, self.kind, len(self.categories), order)

    @property
    def missing(self) -> Mask:
        """Where the value is missing."""
        return self.codes < 0

    def cells(self) -> list[str | None]:
        """Return the categories' texts, None where missing."""
        texts = [*self.categories, None]  # code -1 indexes the None at the end
        return [texts[code] for code in self.codes.tolist()]

    def take(self, rows: NDArray[Any] | slice) -> CategoricalColumn:
        """Return the column at the given rows, its categories unchanged."""
        return replace(self, codes=self.codes[rows])

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of rows of each category."""
        return code_counts(self.codes, len(self.categories))

    @property
    def singletons(self) -> int:
        """Number of categories that occur in exactly one row."""
        return int((self.counts == 1).sum())

    def unseen_share(self) -> float:
        """Good-Turing estimate of the probability that a new row has an unseen category."""
        return self.singletons / max(self.codes.size, 1)

    def observed(self) -> CategoricalColumn:
        """Return the column without categories that occur in no row."""
        if self.ordered:
            return self
        there = self.counts > 0
        if there.all():
            return self
        number = np.append(np.cumsum(there) - 1, -1).astype(
            np.int32
        )  # code -1 indexes the -1 at the end
        categories = tuple(compress(self.categories, there))
        return CategoricalColumn(self.name, self.kind, number[self.codes], categories)

    def by_text(self) -> CategoricalColumn:
        """Return the column with its categories sorted: numbers by value, others by text.

        Ordered categories stay in their order.
        """
        if self.ordered:
            return self
        places = sorted(range(len(self.categories)), key=lambda i: self._sorting(i))
        if places == list(range(len(places))):
            return self
        number = np.full(len(places) + 1, -1, np.int32)  # code -1 indexes the -1 at the end
        number[places] = np.arange(len(places))
        categories = tuple(self.categories[place] for place in places)
        return CategoricalColumn(self.name, self.kind, number[self.codes], categories)

    def with_order(self, order: CategoryOrder) -> CategoricalColumn:
        """Return the column with ordered categories; unchanged if it has a value without a place.

        Values without a place occur only in new data.
        """
        place = {label: number for number, label in enumerate(order.labels)}
        if any(category not in place for category in self.observed().categories):
            return self
        number = np.array([*(place.get(c, -1) for c in self.categories), -1], np.int32)
        return CategoricalColumn(self.name, self.kind, number[self.codes], order.labels, True)

    def _sorting(self, category: int) -> tuple[float, str]:
        text = self.categories[category]
        return _by_number(text) if self.kind == "code" else (0.0, text)


Column = NumericColumn | CategoricalColumn


class CellColumn(NamedTuple):
    """Cells of any kind: for each row the number of one of ``values``; None is a missing cell."""

    codes: Codes
    values: list[Any]

    def cells(self) -> list[Any]:
        """Return the cell of each row."""
        return [self.values[code] for code in self.codes.tolist()]


def coded_cells(cells: list[Any]) -> CellColumn:
    """Return a column in which every row has a value of its own."""
    return CellColumn(np.arange(len(cells), dtype=np.int32), cells)


def is_missing(value: object) -> bool:
    """Whether an object is a missing value: None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or _is_nat(value):
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def text_of(value: object) -> str:
    """Text of a category, the same for every container.

    Examples
    --------
    >>> text_of("high"), text_of(True), text_of(3.0), text_of(2.5)
    ('high', 'True', '3', '2.5')
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if (moment := _moment_of(value)) is not None:
        return moment_text(float(moments.moment_numbers("", [value], moment, [False])[0]), moment)
    if isinstance(value, int | np.integer) or _is_whole_decimal(value):
        return str(int(value))  # a double may lose digits
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        return str(value)
    return str(int(number)) if number.is_integer() else repr(number)


def _is_whole_decimal(value: object) -> TypeGuard[Decimal]:
    return isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value()


def may_be_inexact(values: Floats) -> bool:
    """Whether numbers are large enough for whole numbers to have lost digits."""
    with np.errstate(invalid="ignore"):
        return any(
            (np.abs(values[first : first + BLOCK_CELLS]) >= MAX_EXACT_INTEGER).any()
            for first in range(0, values.size, BLOCK_CELLS)
        )


def refuse_inexact(name: str, values: Iterable[object]) -> None:
    """Refuse whole numbers that no double represents."""
    for value in values:
        whole = isinstance(value, int | np.integer) or _is_whole_decimal(value)
        if whole and int(value) != int(float(value)):  # type: ignore[call-overload, arg-type]
            raise InputError(
                f"Column {name!r} holds the whole number {value}. Whole numbers above 2**53 "
                f"({MAX_EXACT_INTEGER}) lose digits as floating-point numbers. If the column is a "
                "key, leave it out (--drop). If it holds codes, declare it categorical "
                "(--categorical, categorical_features). If it is a quantity, round it to "
                "floating-point numbers first."
            )


def all_finite(values: Floats) -> bool:
    """Whether all numbers are certainly finite, judged by their sum.

    A quick test that needs no memory. False does not mean that a number is infinite.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(float(values.sum()))


def none_infinite(matrix: Floats) -> bool:
    """Whether no number of a matrix is infinite; a part that fits in the cache at a time."""
    if all_finite(matrix):
        return True
    lines = matrix if matrix.flags.c_contiguous else matrix.T
    step = max(BLOCK_CELLS // max(lines.shape[1], 1), 1)
    return not any(
        np.isinf(lines[first : first + step]).any() for first in range(0, lines.shape[0], step)
    )


def numeric_column(name: str, values: Floats) -> NumericColumn:
    """Return a numeric column after checking that no number is infinite."""
    if not all_finite(values) and np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise InputError(
            f"Column {name!r}, row {row}: the value is infinite. Numbers must be finite. Replace "
            "it by the largest sensible number, or mark it as missing (NaN)."
        )
    return NumericColumn(name, values)


def numeric_column_of_objects(name: str, values: Sequence[Any]) -> NumericColumn:
    """Return a numeric column of numbers, Booleans and missing values."""
    try:
        numbers = np.array([np.nan if is_missing(v) else float(v) for v in values], np.float64)
    except (OverflowError, ValueError) as error:
        raise InputError(f"Column {name!r} holds a number that is too large: {error}.") from error
    if may_be_inexact(numbers):
        refuse_inexact(name, values)
    return numeric_column(name, numbers)


def moment_column(name: str, values: Sequence[Any], kind: Kind, first: int = 0) -> NumericColumn:
    """Return a column of dates, datetimes, durations or their texts as the given kind.

    ``first`` is the number of the first row; error messages count from it.
    """
    assert is_moment(kind)
    missing = [is_missing(value) for value in values]
    strange = next(
        (v for v, m in zip(values, missing, strict=True) if not m and not _fits(v)), None
    )
    if strange is not None:
        raise InputError(
            f"Column {name!r} held {moments.MOMENT_NAMES[kind]} in training, but has {strange!r} "
            f"now. Use {moments.MOMENT_NAMES[kind]}, or texts such as "
            f"{moments.MOMENT_EXAMPLES[kind]}."
        )
    return NumericColumn(name, moments.moment_numbers(name, values, kind, missing, first), kind)


def _fits(value: object) -> bool:
    return isinstance(value, str) or moments.kind_of_type(type(value)) is not None


def _is_nat(value: object) -> bool:
    return isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))


def _moment_of(value: object) -> Moment | None:
    if moments.kind_of_type(type(value)) is None:
        return None
    return moments.kind_of_objects("", [value])


def categorical_column(name: str, kind: Kind, values: Sequence[Hashable]) -> CategoricalColumn:
    """Return a categorical column of objects by their text, categories in sorted order."""
    distinct = {value for value in set(values) if not is_missing(value)}
    kind_of_objects(name, list(distinct))  # refuses what is neither number, text nor Boolean
    text = {value: category_text(value, kind) for value in distinct}
    categories = sorted(set(text.values()), key=_by_number if kind == "code" else None)
    number = {category: code for code, category in enumerate(categories)}
    code_of = {value: number[category] for value, category in text.items()}
    codes = np.fromiter((code_of.get(v, -1) for v in values), np.int32, count=len(values))
    return CategoricalColumn(name, kind, codes, tuple(categories))


def category_text(value: object, kind: Kind) -> str:
    """Text of a category of the given kind.

    A Boolean may be 0 or 1, or text in any case. A code may be text, or 3.0 for 3.

    Examples
    --------
    >>> category_text(1, "boolean"), category_text("FALSE", "boolean"), category_text("3.0", "code")
    ('True', 'False', '3')
    """
    text = text_of(value)
    if kind == "boolean":
        return {"1": "True", "0": "False", "true": "True", "false": "False"}.get(text.lower(), text)
    return _number_text(text) if kind == "code" else text


def _by_number(text: str) -> tuple[float, str]:
    try:
        return float(text), ""
    except ValueError:
        return math.inf, text


def is_number_text(text: str) -> bool:
    """Whether a text is a number."""
    return math.isfinite(_by_number(text)[0])


def _number_text(text: str) -> str:
    try:
        return str(int(text)) if WHOLE.fullmatch(text) else text_of(float(text))
    except (ValueError, OverflowError):
        return text


def kind_of_objects(name: str, values: Sequence[object]) -> Kind:
    """Kind of a column by the types of its objects."""
    types = {type(value) for value in values if not is_missing(value)}
    if types and all(moments.kind_of_type(t) is not None for t in types):
        present = [value for value in values if not is_missing(value)]
        return moments.kind_of_objects(name, present)
    if types and all(issubclass(t, bool | np.bool_) for t in types):
        return "boolean"
    if all(_is_number(t) for t in types):
        return "numeric"
    if all(_is_number(t) or issubclass(t, str | bool | np.bool_) for t in types):
        return "text"
    strange = sorted(t.__name__ for t in types)
    raise unsupported(name, preview_types=", ".join(strange))


def _is_number(kind: type) -> bool:
    return issubclass(kind, Number | np.number) and not issubclass(
        kind, bool | np.bool_ | complex | np.complexfloating
    )


def unsupported(name: str, *, preview_types: str) -> InputError:
    """Error for a column that holds neither numbers nor categories."""
    return InputError(
        f"Column {name!r} holds values of type {preview_types}. A column must hold numbers, "
        "text, Booleans, dates, datetimes or durations, and dates must not be mixed with "
        "others. Convert it, or leave the column out."
    )
