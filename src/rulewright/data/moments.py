"""Dates, datetimes and durations as numbers, and their text format.

=============  =======================================================  ========================
kind           the number                                               as text =============
=======================================================  ======================== ``date``
days since 1970-01-01                                    ``2021-03-01`` ``datetime``   microseconds
since 1970-01-01, as the clock showed them  ``2021-03-01 12:30`` ``instant``    microseconds since
1970-01-01 UTC, of a known time zone  ``2021-03-01 12:30Z`` ``duration``   microseconds
``3 days 04:05:06.5`` =============  =======================================================
========================
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any, Literal, TypeGuard, get_args

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError

Moment = Literal["date", "datetime", "instant", "duration"]
MOMENTS: tuple[Moment, ...] = get_args(Moment)
MOMENT_NAMES: dict[Moment, str] = {
    "date": "dates",
    "datetime": "datetimes without a time zone",
    "instant": "datetimes with a time zone",
    "duration": "durations",
}
MOMENT_EXAMPLES: dict[Moment, str] = {
    "date": "2021-03-01",
    "datetime": "2021-03-01 12:30",
    "instant": "2021-03-01 12:30Z",
    "duration": "3 days 04:05",
}

DAY = 86_400
MICRO = 1_000_000
DAY_IN_MICROSECONDS = DAY * MICRO
EPOCH = date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = 1 - EPOCH, date.max.toordinal() - EPOCH
MAX_DIGITS = 30
"""Maximum number of decimals of a second; only near 1970 do doubles distinguish that many."""

CLOCK = r"([0-9]{2}):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,30}))?)?"
ZONE = r"(Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
ISO = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?:[ T]{CLOCK}(?: ?{ZONE})?)?", re.IGNORECASE)
PLAIN: dict[Moment, re.Pattern[str]] = {
    "date": re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    "datetime": re.compile(
        "[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?)?"
    ),
}
"""Texts that NumPy reads as this module does."""
DURATION = re.compile(rf"([+-]?)(?:([0-9]{{1,12}}) days?(?: {CLOCK})?|{CLOCK})(?!\w)")


def is_moment(kind: object) -> TypeGuard[Moment]:
    """Whether a kind of column is dates, datetimes or durations."""
    return kind in MOMENTS


def moment_text(number: float, kind: Moment) -> str:
    """Shortest text that identifies a date, datetime or duration.

    A number outside the calendar is written as a number.

    Examples
    --------
    >>> moment_text(18687, "date"), moment_text(18687.5, "date")
    ('2021-03-01', '2021-03-01 12:00')
    >>> moment_text(1614601800e6, "instant"), moment_text(-5400e6, "duration")
    ('2021-03-01 12:30Z', '-01:30')
    """
    seconds = Fraction(number) * (DAY if kind == "date" else Fraction(1, MICRO))
    for digits in range(MAX_DIGITS + 1):
        text = _seconds_text(round(seconds * 10**digits), digits, kind)
        if text is not None and read_moment(text, kind) == number:
            return text
    return repr(float(number))


def _seconds_text(ticks: int, digits: int, kind: Moment) -> str | None:
    """Text of a time in ticks, 10**digits to a second; None outside the calendar."""
    sign = "-" if kind == "duration" and ticks < 0 else ""
    whole, fraction = divmod(abs(ticks) if kind == "duration" else ticks, 10**digits)
    days, second = divmod(whole, DAY)
    clock = _clock_text(second, f"{fraction:0{digits}d}" if digits else "")
    if kind == "duration":
        named = f"{days} day{'' if days == 1 else 's'}" if days else ""
        return sign + " ".join(filter(None, [named, clock])) if days or clock else "00:00"
    if not FIRST_DAY <= days <= LAST_DAY:
        return None
    day = date.fromordinal(days + EPOCH).isoformat()
    if kind == "instant":
        return f"{day} {clock or '00:00'}Z"
    return f"{day} {clock}" if clock else day


def _clock_text(second: int, digits: str) -> str:
    minutes, seconds = divmod(second, 60)
    text = "{:02d}:{:02d}".format(*divmod(minutes, 60))
    if digits.strip("0"):
        return f"{text}:{seconds:02d}.{digits}"
    if seconds:
        return f"{text}:{seconds:02d}"
    return text if minutes else ""


def read_moment(text: str, kind: Moment) -> float | None:
    """Number of a text written by ``moment_text`` or in ISO 8601; None for anything else.

    Examples
    --------
    >>> read_moment("2021-03-01", "date"), read_moment("2021-02-30", "date")
    (18687.0, None)
    >>> read_moment("2021-03-01T14:30:00+02:00", "instant")
    1614601800000000.0
    """
    found = match_moment(text, kind)
    if found is None or found.end() < len(text):
        return None
    seconds = _duration_seconds(found) if kind == "duration" else _iso_seconds(found, kind)
    if seconds is None:
        return None
    return float(seconds / DAY if kind == "date" else seconds * MICRO)


def match_moment(text: str, kind: Moment, start: int = 0) -> re.Match[str] | None:
    """Match of a date, datetime or duration at a position of a text."""
    return (DURATION if kind == "duration" else ISO).match(text, start)


def _iso_seconds(found: re.Match[str], kind: Moment) -> Fraction | None:
    day, zone = found[1], found[6]
    if (zone is not None) != (kind == "instant"):
        return None
    try:
        days = date.fromisoformat(day).toordinal() - EPOCH
    except ValueError:
        return None
    clock = _clock_seconds(found.groups()[1:5])
    if clock >= DAY:
        return None
    shift = _zone_seconds(zone) if zone else 0
    return None if shift is None else days * DAY + clock - shift


def _zone_seconds(zone: str) -> int | None:
    if zone.upper() == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (-60 if zone[0] == "-" else 60)


def _duration_seconds(found: re.Match[str]) -> Fraction:
    sign, days, *clocks = found.groups()
    clock = clocks[:4] if days is not None else clocks[4:]
    size = int(days or 0) * DAY + _clock_seconds(clock)
    return -size if sign == "-" else size


def _clock_seconds(parts: Sequence[str | None]) -> Fraction:
    hours, minutes, seconds, digits = (part or "0" for part in parts)
    whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    return whole + Fraction(int(digits), 10 ** len(digits))


def kind_of_texts(texts: Sequence[str]) -> Moment | None:
    """Kind as which all texts can be read: dates, datetimes with or without time zone, or None."""
    for kind in ("date", "datetime", "instant"):
        assert is_moment(kind)
        if texts and all(_reads_as(text, kind) for text in texts):
            return kind
    return None


def _reads_as(text: str, kind: Moment) -> bool:
    number = read_moment(text, kind)
    return number is not None and (kind != "date" or number.is_integer())


def kind_of_type(kind: type) -> Moment | None:
    """Kind of objects of a type; a datetime may or may not have a time zone."""
    if issubclass(kind, datetime | np.datetime64):
        return "datetime"
    if issubclass(kind, date):
        return "date"
    return "duration" if issubclass(kind, timedelta | np.timedelta64) else None


def kind_of_objects(name: str, values: Sequence[Any]) -> Moment:
    """Kind of dates, datetimes or durations; None if there are none. Mixtures are refused."""
    kinds = {_kind_of_object(value) for value in values}
    if kinds == {"date", "datetime"}:
        return "datetime"
    if len(kinds) > 1:
        found = " and ".join(sorted(MOMENT_NAMES[kind] for kind in kinds))
        raise InputError(
            f"Column {name!r} mixes {found}. Convert the values to one kind, or leave the column "
            "out."
        )
    return kinds.pop()


def _kind_of_object(value: Any) -> Moment:
    if isinstance(value, datetime):
        return "datetime" if value.utcoffset() is None else "instant"
    if isinstance(value, np.datetime64):
        return kind_of_dtype(value.dtype)
    kind = kind_of_type(type(value))
    assert kind is not None
    return kind


def kind_of_dtype(dtype: np.dtype[Any]) -> Moment:
    """Kind of a NumPy type of dates: whole days, months and years are dates."""
    if dtype.kind == "m":
        return "duration"
    return "date" if np.datetime_data(dtype)[0] in ("Y", "M", "W", "D") else "datetime"


def moment_numbers(
    name: str, values: Sequence[Any], wanted: Moment, missing: Sequence[bool], first: int = 0
) -> NDArray[np.float64]:
    """Numbers of dates, datetimes, durations or their texts; NaN where missing."""
    quick = _numbers_of_texts(values, wanted, missing)
    if quick is not None:
        return quick
    known: dict[Any, float] = {}
    numbers = np.full(len(values), np.nan)
    for row, (value, absent) in enumerate(zip(values, missing, strict=True)):
        if absent:
            continue
        key = (type(value), value)
        if key not in known:
            known[key] = _number(name, value, wanted, first + row)
        numbers[row] = known[key]
    return numbers


def _numbers_of_texts(
    values: Sequence[Any], wanted: Moment, missing: Sequence[bool]
) -> NDArray[np.float64] | None:
    """Numbers of plain ISO dates, or datetimes without a time zone; None if there are others."""
    pattern = PLAIN.get(wanted)
    present = [value for value, absent in zip(values, missing, strict=True) if not absent]
    if pattern is None or not all(isinstance(v, str) and pattern.fullmatch(v) for v in present):
        return None
    try:
        unit = "D" if wanted == "date" else "us"
        counts = np.array(present, f"M8[{unit}]").astype(np.int64)
    except ValueError:  # no day of the calendar, or no time of the day
        return None
    if counts.size and counts.min() < FIRST_DAY * (1 if wanted == "date" else DAY_IN_MICROSECONDS):
        return None
    numbers = np.full(len(values), np.nan)
    numbers[~np.asarray(missing, np.bool_)] = counts
    return numbers


def _number(name: str, value: Any, wanted: Moment, row: int) -> float:
    if isinstance(value, str):
        number = read_moment(value.strip(), wanted)
        if number is None or (wanted == "date" and not number.is_integer()):
            raise InputError(
                f"Column {name!r}, row {row}: {value!r} does not belong to {MOMENT_NAMES[wanted]}. "
                f"Write it as {MOMENT_EXAMPLES[wanted]}, or mark it as missing."
            )
        return number
    found = _kind_of_object(value)
    array = np.array([_microseconds(name, value, row)], np.int64)
    return float(as_kind(name, _doubles(name, array, found), found, wanted)[0])


def _microseconds(name: str, value: Any, row: int) -> int:
    """Number of microseconds (for a date, of days) of an object."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return int(_counted(name, np.array([value]), _kind_of_object(value))[0])
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0) % 1000:
        raise _too_fine(name, row)
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    if not isinstance(value, datetime):
        return int(value.toordinal()) - EPOCH
    if value.utcoffset() is None:
        return (value.replace(tzinfo=None) - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    return (value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def numbers_of_array(name: str, values: NDArray[Any], found: Moment) -> NDArray[np.float64]:
    """Numbers of an array of datetime64 or timedelta64; NaN for NaT."""
    absent = np.isnat(values)
    counted = _counted(name, values[~absent], found)
    numbers = np.full(values.shape, np.nan)
    numbers[~absent] = _doubles(name, counted, found)
    return numbers


def _counted(name: str, values: NDArray[Any], kind: Moment) -> NDArray[np.int64]:
    """Whole days or microseconds of an array, after checking that they are exact."""
    unit, count = np.datetime_data(values.dtype)
    if unit == "generic" or (kind == "duration" and unit in ("Y", "M")):
        raise InputError(
            f"Column {name!r} has type {values.dtype}, whose unit has no fixed length. Convert it "
            "to another unit first: X.astype('timedelta64[us]')."
        )
    _refuse_far(name, values, unit, count, kind)
    letter = "m8" if kind == "duration" else "M8"
    coarse = values.astype(f"{letter}[{'D' if kind == 'date' else 'us'}]")
    unequal = np.flatnonzero(coarse.astype(values.dtype) != values)
    if unequal.size:
        raise _too_fine(name, int(unequal[0]))
    return coarse.astype(np.int64)


UNITS = {"Y": 366 * DAY, "M": 31 * DAY, "W": 7 * DAY, "D": DAY, "h": 3600, "m": 60, "s": 1}


def _refuse_far(name: str, values: NDArray[Any], unit: str, count: int, kind: Moment) -> None:
    """Refuse values that overflow as microseconds: NumPy itself does not check."""
    seconds = np.abs(values.astype(np.int64).astype(np.float64)) * count * UNITS.get(unit, 0)
    if (seconds > (2.0**63 / MICRO if kind == "duration" else 10_000 * 366 * DAY)).any():
        raise _outside(name, kind)


def _doubles(name: str, counts: NDArray[np.int64], kind: Moment) -> NDArray[np.float64]:
    """Whole numbers as doubles; refuse those that doubles do not represent."""
    numbers = counts.astype(np.float64)
    if kind != "duration" and counts.size:
        day = 1 if kind == "date" else DAY_IN_MICROSECONDS
        if counts.min() < FIRST_DAY * day or counts.max() >= (LAST_DAY + 1) * day:
            raise _outside(name, kind)
    inexact = np.flatnonzero(np.abs(numbers) >= 2.0**53)
    for place in inexact:
        if int(numbers[place]) != int(counts[place]):
            raise moments_too_far(name, kind)
    return numbers


def moments_too_far(name: str, kind: Moment) -> InputError:
    """Error for numbers of microseconds that doubles do not represent."""
    return InputError(
        f"Column {name!r} holds {MOMENT_NAMES[kind]} too far from "
        f"{('0' if kind == 'duration' else '1970')} to keep microseconds. Round them to "
        "seconds first, or leave the column out."
    )


def _outside(name: str, kind: Moment) -> InputError:
    return InputError(
        f"Column {name!r} holds {MOMENT_NAMES[kind]} out of range. Dates must be in the years "
        "1 to 9999, and durations shorter than 290,000 years. Mark others as missing."
    )


def _too_fine(name: str, row: int) -> InputError:
    return InputError(
        f"Column {name!r}, row {row}: the value has nanoseconds. Times have microseconds at "
        "most. Round them first (in pandas: X[name].dt.floor('us'))."
    )


def counted_moments(name: str, counts: Sequence[Any], found: Moment) -> NDArray[np.float64]:
    """Numbers of the days or microseconds read from a file; NaN for None."""
    numbers = np.full(len(counts), np.nan)
    known = [place for place, count in enumerate(counts) if count is not None]
    numbers[known] = _doubles(name, np.array([counts[i] for i in known], np.int64), found)
    return numbers


def as_kind(
    name: str, numbers: NDArray[np.float64], found: str, wanted: str
) -> NDArray[np.float64]:
    """Convert dates to datetimes, or datetimes at midnight to dates; refuse any other change."""
    if found == wanted:
        return numbers
    if (found, wanted) == ("date", "datetime"):
        return numbers * DAY_IN_MICROSECONDS
    if (found, wanted) == ("datetime", "date"):
        with np.errstate(invalid="ignore"):
            inside = np.flatnonzero(numbers % DAY_IN_MICROSECONDS > 0)
        if inside.size:
            row = int(inside[0])
            raise InputError(
                f"Column {name!r}, row {row}: the column held dates in training, but "
                f"{moment_text(float(numbers[row]), 'datetime')} has a time of day. Use dates only "
                "(in pandas: X[name].dt.normalize())."
            )
        return numbers / DAY_IN_MICROSECONDS
    was, now = (MOMENT_NAMES[kind] if is_moment(kind) else "numbers" for kind in (wanted, found))
    raise InputError(
        f"Column {name!r} held {was} in training, but holds {now} now. Use values as in training."
    )
