"""Training rows in the codes of a model's tests: what a page counts with, without raw values.

A numeric column with cuts is coded by its place among some cuts: 2 i between cuts i - 1 and i, and
2 i + 1 on cut i. The last code is a missing value. Every comparison with one of these cuts is
therefore exact. All other tests are coded by their truth.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.families import roundest
from rulewright.render import column_text, cut_text
from rulewright.rules import Interval, Literal, Threshold

MAX_BYTES = 400_000
"""Maximum size of the codes in a page."""

OFFERED_CUTS = (48, 16, 4, 0)
"""Numbers of further cuts of a column to which a cut can be moved; the first that fits is used."""

Codes = NDArray[np.uint16]
Classes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class CodedField:
    """A column with its cuts, or a single test; ``codes`` has a number for each row."""

    codes: Codes
    column: str | None = None
    cuts: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def to_json(self) -> dict[str, Any]:
        """Description of the field for the page."""
        if self.column is None:
            return {"cuts": None}
        return {"cuts": self.cuts, "texts": self.texts, "name": column_text(self.column)}


@dataclass(frozen=True, eq=False)
class CodedFields:
    """Fields of a model, and the field of each of its tests."""

    fields: tuple[CodedField, ...]
    places: tuple[int, ...]


def code_rows(tests: Sequence[Literal], table: Table, offered: int) -> CodedFields:
    """Return the rows of a table in the codes of some tests.

    Parameters
    ----------
    tests : sequence of Literal
    table : Table
    offered : int
        Maximum number of cuts of a column beside those of the tests.
    """
    names = dict.fromkeys(test.column for test in tests if isinstance(test, Threshold | Interval))
    fields = [_cut_field(name, tests, table, offered) for name in names]
    numbers = {name: number for number, name in enumerate(names)}
    places = []
    for test in tests:
        if isinstance(test, Threshold | Interval):
            places.append(numbers[test.column])
        else:
            places.append(len(fields))
            fields.append(CodedField(test.holds(table).astype(np.uint16)))
    return CodedFields(tuple(fields), tuple(places))


def cuts_of(test: Literal) -> tuple[float, ...]:
    """Return the cuts of a test; none where it has no cut that can be moved.

    Examples
    --------
    >>> cuts_of(Interval("age", 20.0, 30.0)), cuts_of(Threshold("age", True, 40.0))
    ((20.0, 30.0), (40.0,))
    """
    match test:
        case Threshold():
            return (test.cut,)
        case Interval():
            return test.low, test.high
    return ()


def _cut_field(name: str, tests: Iterable[Literal], table: Table, offered: int) -> CodedField:
    own = [test for test in tests if isinstance(test, Threshold | Interval) and test.column == name]
    moment, values = own[0].moment, table.numbers(name)
    known = {cut for test in own for cut in cuts_of(test)}
    cuts = np.array(sorted(known | set(_offered_cuts(values, offered, moment))))
    place = np.searchsorted(cuts, values)
    equal = cuts[np.minimum(place, cuts.size - 1)] == values
    codes = np.where(np.isnan(values), 2 * cuts.size + 1, 2 * place + equal)
    listed = tuple(cuts.tolist())
    texts = tuple(cut_text(cut, moment) for cut in listed)
    return CodedField(codes.astype(np.uint16), name, listed, texts)


def _offered_cuts(values: NDArray[np.float64], offered: int, moment: Any) -> list[float]:
    """Return round numbers between values, at about equal numbers of rows."""
    known = np.sort(values[np.isfinite(values)])
    distinct = np.unique(known)
    if distinct.size < 2 or not offered:
        return []
    at = known[(np.arange(1, offered + 1) * known.size // (offered + 1)).clip(0, known.size - 1)]
    places = np.unique(np.searchsorted(distinct, at).clip(0, distinct.size - 2))
    gaps = zip(distinct[places].tolist(), distinct[places + 1].tolist(), strict=True)
    return [cut for low, high in gaps if math.isfinite(cut := roundest(low, high, moment))]


def coded_facts(
    tests: Sequence[Literal], table: Table, y: Classes, row_numbers: NDArray[np.intp] | None
) -> dict[str, Any]:
    """Return the coded rows for the page: one by one, or as counted cells, or none if too large."""
    for offered in OFFERED_CUTS:
        coded = code_rows(tests, table, offered)
        widths = [_width(field.codes) for field in coded.fields] + [_width(y)]
        if sum(widths) * table.rows <= MAX_BYTES:
            return _facts(coded, [f.codes for f in coded.fields], y, None, row_numbers)
        cells, counts = _cells([*(field.codes for field in coded.fields), y])
        if (sum(widths) + 4) * counts.size <= MAX_BYTES:
            *codes, classes = cells.T
            return _facts(coded, codes, classes, counts, None)
    none = np.zeros(0, np.int32)
    return _facts(coded, [none] * len(coded.fields), none, none, None)


def _facts(
    coded: CodedFields,
    codes: Sequence[NDArray[Any]],
    y: NDArray[Any],
    counts: NDArray[Any] | None,
    row_numbers: NDArray[np.intp] | None,
) -> dict[str, Any]:
    plain = row_numbers is None or np.array_equal(row_numbers, np.arange(y.size))
    return {
        "fields": [field.to_json for field in coded.fields],
        "places": coded.places,
        "codes": [_packed(column) for column in codes],
        "classes": _packed(y),
        "counts": None if counts is None else _packed(counts, 4),
        "numbers": None if plain else _packed(row_numbers, 4),
    }


def _cells(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Return the distinct rows of some columns, and the number of each."""
    stacked = np.ascontiguousarray(np.stack(columns, axis=1).astype(np.uint16))
    whole = stacked.view(np.dtype((np.void, 2 * stacked.shape[1]))).ravel()
    _, first, counts = np.unique(whole, return_index=True, return_counts=True)
    return stacked[first], counts


def _width(codes: NDArray[Any]) -> int:
    return 1 if codes.max(initial=0) < 256 else 2


def _packed(codes: Any, width: int | None = None) -> dict[str, Any]:
    """Return numbers as text: base 64 of little-endian whole numbers of 1, 2 or 4 bytes."""
    numbers = np.asarray(codes)
    size = width or _width(numbers)
    return {"bytes": size, "text": b64encode(numbers.astype(f"<u{size}").tobytes()).decode()}
