"""Reasons: why a predicate holds on a row, in the row's own values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rulewright.data import CategoricalColumn, Table
from rulewright.data.columns import Column
from rulewright.render.predicates import function_text, predicate_text, threshold_relation
from rulewright.render.spaces import (
    ball_relation,
    centre_text,
    example_text,
    half_plane_relation,
    half_space_relation,
    prototypes,
    weighted_sum,
)
from rulewright.render.words import about_text, name_text, number_text, value_text
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


def reason_text(
    grounds: Sequence[Predicate], table: Table, row: int, shares: Sequence[Share] = ()
) -> str:
    """Say with the row's own values why predicates that hold on it do.

    ``shares`` are where the row may have been shared out, because a value is missing.

    Examples
    --------
    >>> from rulewright.data import detect_table
    >>> import numpy as np
    >>> reason_text([Threshold("x0", True, 3.0)], detect_table(np.array([[5.5]])), 0)
    'x0 = 5.5 (> 3)'
    """
    reasons = dict.fromkeys(_reason(ground, table, row) for ground in grounds)
    shared = list(_shares(shares, table, row, reasons))
    return "; ".join([*reasons, *shared]) or "always"


def _shares(
    shares: Sequence[Share], table: Table, row: int, reasons: dict[str, None]
) -> Iterator[str]:
    """Say which part of the row came here, and no longer only that a value is missing."""
    parts: dict[str, list[int]] = {}
    for columns, share in shares:
        missing = [name for name in columns if _is_missing(table.column(name), row)]
        if missing:
            for name in missing:
                reasons.pop(f"{name_text(name)} is missing", None)
            parts.setdefault(_missing_text(missing), []).append(share)
    for missing_text, counts in parts.items():
        exact = f"{counts[0]}/{SHARES}"
        part = math.prod(count / SHARES for count in counts)
        said = exact if len(counts) == 1 else f"about {about_text(part)}"
        yield f"{missing_text} ({said} of the row comes here)"


def _reason(ground: Predicate, table: Table, row: int) -> str:
    match ground:
        case Threshold(column):
            return _cell(table, column, row, f" ({threshold_relation(ground)})")
        case Interval(column, inside=True, low_open=low_open, high_open=high_open) if (
            low_open or high_open
        ):
            above, below = map(threshold_relation, ground.sides)
            return _cell(table, column, row, f" ({above} and {below})")
        case Interval(column, inside=False, low_open=low_open, high_open=high_open) if (
            low_open or high_open
        ):
            below, above = (threshold_relation(~side) for side in ground.sides)
            return _cell(table, column, row, f" ({below} or {above})")
        case Interval(column, low, high, inside):
            ends = f"from {number_text(low)} to {number_text(high)}"
            return _cell(table, column, row, f" ({'' if inside else 'not '}{ends})")
        case Category(column, values, among) if len(values) > 1 or not among:
            said = predicate_text(Category(column, values, among))
            return _cell(table, column, row, f" ({said.removeprefix(name_text(column) + ' ')})")
        case Category(column) | Given(column):
            return _cell(table, column, row, "")
        case Function():
            return function_text(ground)
        case Ball():
            return _ball(ground, table, row)
        case HalfSpace():
            return _half_space(ground, table, row)
        case HalfPlane():
            return _half_plane(ground, table, row)
        case AllOf(parts) if parts:
            return " and ".join(_reason(part, table, row) for part in parts)
        case AnyOf(parts) if parts:
            return _reason(_holding(parts, table, row, 1)[0], table, row)
        case AtLeast(count, parts) if count:
            held = _holding(parts, table, row, count)
            return f"{count} of {len(parts)}: " + ", ".join(_reason(p, table, row) for p in held)
        case Not(part):
            return _reason(~part, table, row)
        case _:
            return predicate_text(ground)


def _alone(node: Predicate, table: Table, row: int) -> Table:
    return table.select(node.columns).take(np.array([row]))


def _holding(parts: Sequence[Predicate], table: Table, row: int, most: int) -> Sequence[Predicate]:
    """Give the first of the parts that hold on the row, as many as are wanted."""
    held = [part for part in parts if part.holds(_alone(part, table, row))[0]]
    return held[:most] or parts[:1]


def _ball(ball: Ball, table: Table, row: int) -> str:
    distance = float(ball.distance(_alone(ball, table, row))[0])
    centre = example_text(ball.anchored_on, 0) or centre_text(ball)
    if math.isnan(distance):
        return _missing(ball, table, row) or f"the distance to {centre} is not a number"
    return f"distance {number_text(distance)} to {centre} ({ball_relation(ball)})"


def _half_space(half: HalfSpace, table: Table, row: int) -> str:
    margin = float(half.margin(_alone(half, table, row))[0])
    toward, away = prototypes(half)
    if math.isnan(margin):
        return _missing(half, table, row) or f"the margin towards {toward} is not a number"
    relation = half_space_relation(half)
    return f"margin {number_text(margin)} towards {toward} against {away} ({relation})"


def _half_plane(half: HalfPlane, table: Table, row: int) -> str:
    total, said = float(half.sums(_alone(half, table, row))[0]), weighted_sum(half)
    if math.isnan(total):
        return _missing(half, table, row) or f"{said} is not a number"
    values = ", ".join(f"{name_text(n, ',')} = {_number(table, n, row)}" for n in half.on)
    return f"{said} = {number_text(total)} ({half_plane_relation(half)}; {values})"


def _number(table: Table, name: str, row: int) -> str:
    return number_text(float(table.numbers(name)[row]))


def _missing(node: Predicate, table: Table, row: int) -> str:
    """Name the columns that are missing in a row."""
    missing = [name for name in node.columns if _is_missing(table.column(name), row)]
    return _missing_text(missing) if missing else ""


def _missing_text(missing: Sequence[str]) -> str:
    listed = ", ".join(name_text(name, ",") for name in missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return f"{listed}{more} {'is' if len(missing) == 1 else 'are'} missing"


def _is_missing(column: Column, row: int) -> bool:
    """Look at one row only: all of a column's would be looked at for every row."""
    if isinstance(column, CategoricalColumn):
        return bool(column.codes[row] < 0)
    return math.isnan(column.values[row])


def _cell(table: Table, name: str, row: int, relation: str) -> str:
    column = table.column(name)
    if _is_missing(column, row):
        return f"{name_text(name)} is missing"
    if isinstance(column, CategoricalColumn):
        return f"{name_text(name)} = {value_text(column.categories[column.codes[row]])}{relation}"
    return f"{name_text(name)} = {_number(table, name, row)}{relation}"
