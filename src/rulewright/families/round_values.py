"""The roundest value of a gap between two numbers, or between two dates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from rulewright.data import Moment

DAY = 86_400_000_000
"""Microseconds of a day."""
CLOCK_STEPS = (DAY, 3_600_000_000, 60_000_000, 1_000_000)
"""Days, hours, minutes and seconds, in microseconds."""
Ratio = tuple[int, int]
EPOCH = date(1970, 1, 1).toordinal()
FURTHER_DIGITS = 2
"""Number of digits beyond the first that fits, before the lower value stays as it is."""


@lru_cache(maxsize=2**16)
def roundest(low: float, high: float, kind: Moment | None = None) -> float:
    """The roundest number v with ``low <= v < high``; ``low`` where both are the same.

    It is 0 where that is in the gap. Otherwise it is a multiple of the largest of the steps 1, 5,
    10, 50, 100 and so on (and 0.5, 0.1, 0.05, ...) that has a multiple there; of several multiples
    the one nearest to the middle. Of dates and datetimes it is the first of a year, of a month, a
    day, an hour, a minute or a second; of durations a whole number of these units. A date stays as
    it is where the gap has no first of a month.

    Examples
    --------
    >>> roundest(117.2, 117.7), roundest(0.06556, 0.0667), roundest(23.0, 28.0), roundest(7.0, 8.0)
    (117.5, 0.066, 25.0, 7.0)
    >>> roundest(18990.0, 19010.0, "date") == date(2022, 1, 1).toordinal() - EPOCH
    True
    """
    if not low < high:
        return low
    if kind is None:
        return _roundest_number(low, high)
    values = _durations(low, high) if kind == "duration" else _calendar(low, high, kind)
    return next((value for value in values if low <= value < high), low)


def _roundest_number(low: float, high: float) -> float:
    if low <= 0.0 < high:
        return 0.0
    top = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    fits = math.floor(math.log10(high - low)) if math.isfinite(high - low) else top
    ends = low.as_integer_ratio(), high.as_integer_ratio()
    for exponent in range(top, fits - FURTHER_DIGITS, -1):
        for digit in (5, 1):
            step = digit * 10 ** max(exponent, 0), 10 ** max(-exponent, 0)
            first, last = _multiples_between(low, high, ends, step)
            if first <= last:
                return _multiple(min(max(_middle(*ends, step), first), last), step) + 0.0
    return low


def _multiples_between(
    low: float, high: float, ends: tuple[Ratio, Ratio], step: Ratio
) -> tuple[int, int]:
    """First and last multiple of a step in the gap; the first is after the last if none is."""
    (a, b), (c, d) = ends
    over, under = step
    first, last = a * under // (b * over), -(-c * under // (d * over))
    # A decimal such as 117.2 may be less than the double that is written like it.
    while first <= last and _multiple(first, step) < low:
        first += 1
    while first <= last and _multiple(last, step) >= high:
        last -= 1
    return first, last


def _middle(low: Ratio, high: Ratio, step: Ratio) -> int:
    """Number of the multiple of a step that is nearest to the middle of two numbers."""
    (a, b), (c, d), (over, under) = low, high, step
    return ((a * d + c * b) * under + b * d * over) // (2 * b * d * over)


def _multiple(number: int, step: Ratio) -> float:
    """Double nearest to a multiple of a step; infinite beyond the largest."""
    try:
        return number * step[0] / step[1]
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _calendar(low: float, high: float, kind: Moment) -> Iterator[float]:
    """Candidates of a gap of dates or datetimes, the roundest first."""
    unit = 1 if kind == "date" else DAY
    first_day, last_day = math.ceil(low / unit), math.ceil(high / unit) - 1
    if date.min.toordinal() <= first_day + EPOCH and last_day + EPOCH <= date.max.toordinal():
        firsts = _first_days(first_day, last_day, (low + high) / 2 / unit)
        yield from (float(day * unit) for day in firsts)
    if kind != "date":
        yield from _multiples(low, high, CLOCK_STEPS)


def _first_days(first_day: int, last_day: int, middle: float) -> Iterator[int]:
    """First of a round year, and first of a month nearest to the middle, in days since 1970."""
    if last_day < first_day:
        return
    start, end = (date.fromordinal(day + EPOCH) for day in (first_day, last_day))
    year = start.year + (start > date(start.year, 1, 1))
    if year <= end.year:
        round_year = int(_roundest_number(float(year), end.year + 0.5))
        yield date(round_year, 1, 1).toordinal() - EPOCH
        return
    months = (date(start.year, month, 1).toordinal() - EPOCH for month in range(2, 13))
    inside = [day for day in months if first_day <= day <= last_day]
    yield from sorted(inside, key=lambda day: abs(day - middle))[:1]


def _durations(low: float, high: float) -> Iterator[float]:
    """Candidates of a gap of durations: a round number of days, or of smaller units."""
    if low <= 0.0 < high:
        yield 0.0
    days = _roundest_number(low / DAY, high / DAY)
    yield from (days * DAY for _ in range(days.is_integer()))
    yield from _multiples(low, high, CLOCK_STEPS)


def _multiples(low: float, high: float, steps: tuple[int, ...]) -> Iterator[float]:
    """Multiple of each step that is nearest to the middle of the gap."""
    for step in steps:
        first, last = math.ceil(low / step), math.ceil(high / step) - 1
        if first <= last:
            yield float(min(max(round((low + high) / 2 / step), first), last) * step)
