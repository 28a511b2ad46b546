"""Reasons: why a predicate holds on a row, in the row's own values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Table
from rulewright.data.columns import Column
from rulewright.render.formatting import about_text, column_text, number_text, value_text, written
from rulewright.render.predicates import (
    function_text,
    paired,
    predicate_text,
    threshold_relation,
)
from rulewright.render.spaces import (
    ball_relation,
    centre_text,
    example_text,
    half_plane_relation,
    half_space_relation,
    prototypes,
    weighted_sum,
)
from rulewright.rules import (
    SHARES,
    AllOf,
    AnyOf,
    AtLeast,
    Ball,
    Category,
    Function,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Not,
    Predicate,
    Share,
    Threshold,
)

Rows = NDArray[np.intp]


def reason_text(
    grounds: Sequence[Predicate], table: Table, row: int, shares: Sequence[Share] = ()
) -> str:
    """Say with the row's own values why predicates that hold on it do; see ``reason_texts``.

    Examples
    --------
    >>> from rulewright.data import detect_table
    >>> import numpy as np
    >>> reason_text([Threshold("x0", True, 3.0)], detect_table(np.array([[5.5]])), 0)
    'x0 = 5.5 (> 3)'
    """
    return reason_texts(grounds, table.take(np.array([row])), shares)[0]


def reason_texts(
    grounds: Sequence[Predicate], table: Table, shares: Sequence[Share] = ()
) -> list[str]:
    """Say of each row, with its own values, why predicates that hold on all of them do.

    ``shares`` are where rows may have been shared out, because a value is missing.
    """
    said = [_reasons(ground, table) for ground in grounds]
    rows = zip(*said, strict=True) if said else [()] * table.rows
    texts = []
    for row, parts in enumerate(rows):
        reasons = dict.fromkeys(parts)
        shared = list(_shares(shares, table, row, reasons)) if shares else []
        texts.append("; ".join([*reasons, *shared]) or "always")
    return texts


def _shares(
    shares: Sequence[Share], table: Table, row: int, reasons: dict[str, None]
) -> Iterator[str]:
    """Say which part of the row came here, and no longer only that a value is missing."""
    parts: dict[str, list[int]] = {}
    for columns, share in shares:
        missing = [name for name in columns if _is_missing(table.column(name), row)]
        if missing:
            for name in missing:
                reasons.pop(f"{column_text(name)} is missing", None)
            parts.setdefault(_missing_text(missing), []).append(share)
    for missing_text, counts in parts.items():
        exact = f"{counts[0]}/{SHARES}"
        part = math.prod(count / SHARES for count in counts)
        said = exact if len(counts) == 1 else f"about {about_text(part)}"
        yield f"{missing_text} ({said} of the row comes here)"


def _reasons(ground: Predicate, table: Table) -> list[str]:
    """Say of each row why a predicate holds on it."""
    match ground:
        case Threshold(column):
            return _cells(table, column, f" ({threshold_relation(ground)})")
        case Interval(column, inside=True, low_open=low_open, high_open=high_open) if (
            low_open or high_open
        ):
            above, below = map(threshold_relation, ground.sides)
            return _cells(table, column, f" ({above} and {below})")
        case Interval(column, inside=False, low_open=low_open, high_open=high_open) if (
            low_open or high_open
        ):
            below, above = (threshold_relation(~side) for side in ground.sides)
            return _cells(table, column, f" ({below} or {above})")
        case Interval(column, low, high, inside):
            ends = f"from {written(low, ground.moment)} to {written(high, ground.moment)}"
            return _cells(table, column, f" ({'' if inside else 'not '}{ends})")
        case Category(column, values, among) if len(values) > 1 or not among:
            said = predicate_text(Category(column, values, among))
            return _cells(table, column, f" ({said.removeprefix(column_text(column) + ' ')})")
        case Category(column) | Given(column):
            return _cells(table, column, "")
        case Function():
            return [function_text(ground)] * table.rows
        case Ball():
            return _ball(ground, table)
        case HalfSpace():
            return _half_space(ground, table)
        case HalfPlane():
            return _half_plane(ground, table)
        case AllOf(parts) if parts:
            said_by_part = [_pair(pair, table) for pair in paired(parts)]
            return [" and ".join(said) for said in zip(*said_by_part, strict=True)]
        case AnyOf(parts) if parts:
            return [said[0] for said in _holding(parts, table, 1)]
        case AtLeast(count, parts) if count:
            head = f"{count} of {len(parts)}: "
            return [head + ", ".join(said) for said in _holding(parts, table, count)]
        case Not(part):
            return _reasons(~part, table)
        case _:
            return [predicate_text(ground)] * table.rows


def _pair(pair: Sequence[Predicate], table: Table) -> list[str]:
    """Say why a part holds, or both ends of a column at once."""
    match pair:
        case [Threshold(column) as low, Threshold() as high]:
            relation = f"{threshold_relation(low)} and {threshold_relation(high)}"
            return _cells(table, column, f" ({relation})")
        case _:
            return _reasons(pair[0], table)


def _holding(parts: Sequence[Predicate], table: Table, most: int) -> list[list[str]]:
    """Give the reasons of the first parts that hold on each row, as many as are wanted."""
    said: list[list[str]] = [[] for _ in range(table.rows)]
    waiting = np.full(table.rows, most)
    for part in parts:
        rows = np.flatnonzero(part.holds(table) & (waiting > 0))
        waiting[rows] -= 1
        _append(said, part, table, rows)
    _append(said, parts[0], table, np.flatnonzero(waiting == most))
    return said


def _append(said: list[list[str]], part: Predicate, table: Table, rows: Rows) -> None:
    if rows.size:
        for row, text in zip(rows.tolist(), _reasons(part, _of(part, table, rows)), strict=True):
            said[row].append(text)


def _of(node: Predicate, table: Table, rows: Rows) -> Table:
    return table.select(node.columns).take(rows)


def _ball(ball: Ball, table: Table) -> list[str]:
    centre = example_text(ball.anchored_on, 0) or centre_text(ball)
    unknown, relation = f"the distance to {centre} is not a number", ball_relation(ball)
    return [
        f"distance {number_text(distance)} to {centre} ({relation})"
        if distance == distance
        else _missing(ball, table, row) or unknown
        for row, distance in enumerate(ball.distance(table).tolist())
    ]


def _half_space(half: HalfSpace, table: Table) -> list[str]:
    toward, away = prototypes(half)
    unknown, relation = f"the margin towards {toward} is not a number", half_space_relation(half)
    return [
        f"margin {number_text(margin)} towards {toward} against {away} ({relation})"
        if margin == margin
        else _missing(half, table, row) or unknown
        for row, margin in enumerate(half.margin(table).tolist())
    ]


def _half_plane(half: HalfPlane, table: Table) -> list[str]:
    said, relation = weighted_sum(half), half_plane_relation(half)
    texts = []
    for row, total in enumerate(half.sums(table).tolist()):
        if total != total:
            texts.append(_missing(half, table, row) or f"{said} is not a number")
            continue
        values = ", ".join(f"{column_text(n, ',')} = {_number(table, n, row)}" for n in half.on)
        texts.append(f"{said} = {number_text(total)} ({relation}; {values})")
    return texts


def _number(table: Table, name: str, row: int) -> str:
    return number_text(float(table.numbers(name)[row]))


def _missing(node: Predicate, table: Table, row: int) -> str:
    """Name the columns that are missing in a row."""
    missing = [name for name in node.columns if _is_missing(table.column(name), row)]
    return _missing_text(missing) if missing else ""


def _missing_text(missing: Sequence[str]) -> str:
    listed = ", ".join(column_text(name, ",") for name in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return f"{listed}{more} {'is' if len(missing) == 1 else 'are'} missing"


def _is_missing(column: Column, row: int) -> bool:
    """Look at one row only: all of a column's would be looked at for every row."""
    if isinstance(column, CategoricalColumn):
        return bool(column.codes[row] < 0)
    return math.isnan(column.values[row])


def _cells(table: Table, name: str, relation: str) -> list[str]:
    """Write what each row has in a column, and what it is compared with."""
    column, head = table.column(name), column_text(name)
    missing = f"{head} is missing"
    if isinstance(column, CategoricalColumn):
        codes = column.codes.tolist()
        said = {
            code: f"{head} = {value_text(column.categories[code])}{relation}"
            if code >= 0
            else missing
            for code in set(codes)
        }
        return [said[code] for code in codes]
    return [
        f"{head} = {written(value, column.field.moment)}{relation}" if value == value else missing
        for value in column.values.tolist()
    ]
