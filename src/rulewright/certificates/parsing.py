"""Parsers of the members of a certificate in JSON. Each checks its value.

``name`` is the name of the member, for the error.
"""

from __future__ import annotations

from math import inf
from typing import Any

from rulewright.bounds import Message
from rulewright.certificates.codes import COMBINATIONS
from rulewright.errors import ModelFileError
from rulewright.families import Family, family_from_json


def need(condition: bool, otherwise: str) -> None:
    """Raise an error about the file unless a condition holds."""
    if not condition:
        raise ModelFileError(f"the certificate cannot be read: {otherwise}.")


def probability(value: Any, name: str) -> float:
    """Parse a number from 0 to 1."""
    need(type(value) in (int, float), f"{name} must be a number")
    need(0 <= value <= 1, f"{name} must be from 0 to 1")
    return float(value)


def fraction(value: Any, name: str) -> float:
    """Parse a number between 0 and 1."""
    need(type(value) in (int, float), f"{name} must be a number")
    need(0 < value < 1, f"{name} must be between 0 and 1")
    return float(value)


def amount(value: Any, name: str) -> float:
    """Parse a finite number of 0 or more."""
    need(type(value) in (int, float), f"{name} must be a number")
    need(0 <= value < inf, f"{name} must be 0 or more")
    return float(value)


def positive(value: Any, name: str) -> float:
    """Parse a finite number above 0."""
    need(amount(value, name) > 0, f"{name} must be above 0")
    return float(value)


def number_or_none(value: Any, name: str) -> float | None:
    """Parse a number or null."""
    need(value is None or type(value) in (int, float), f"{name} must be a number")
    return None if value is None else float(value)


def settings(value: Any, name: str) -> int:
    """Parse a number of settings."""
    need(_whole(value) >= 1, f"{name} must be 1 or more")
    return int(value)


def seed_or_none(value: Any, name: str) -> int | None:
    """Parse a seed or null."""
    need(value is None or _whole(value) == value, f"{name} must be a whole number")
    return None if value is None else int(value)


def boolean(value: Any, name: str) -> bool:
    """Parse a Boolean."""
    need(type(value) is bool, f"{name} must be true or false")
    return bool(value)


def counts(value: Any, name: str) -> tuple[int, ...]:
    """Parse a list of counts or rows."""
    return tuple(map(_whole, _items(value)))


def row_lists(value: Any, name: str) -> dict[str, tuple[int, ...]]:
    """Parse an object of lists of counts or rows."""
    need(isinstance(value, dict), f"{name} must be an object")
    return {role: counts(rows, name) for role, rows in value.items()}


def message(value: Any, name: str) -> Message:
    """Parse the parts of a message with their lengths."""
    return tuple(_part(part) for part in _items(value))


def families(value: Any, name: str) -> tuple[Family, ...]:
    """Parse families."""
    return tuple(family_from_json(family, {}) for family in _items(value))


def combinations_or_none(value: Any, name: str) -> tuple[str, ...] | None:
    """Parse names of combinations, or null."""
    if value is None:
        return None
    names = tuple(map(_text, _items(value)))
    known = tuple(COMBINATIONS.values())
    need(set(names) <= set(known), f"{name} must be of {', '.join(known)}")
    return names


def texts(value: Any, name: str) -> tuple[str, ...]:
    """Parse a list of texts."""
    return tuple(map(_text, _items(value)))


def text(value: Any, name: str) -> str:
    """Parse a text."""
    return _text(value)


def text_or_none(value: Any, name: str) -> str | None:
    """Parse a text or null."""
    return None if value is None else _text(value)


UNITS = ("row", "group", "time", "key")


def unit(value: Any, name: str) -> str:
    """Parse the unit of a split."""
    need(value in UNITS, f"{name} must be one of {', '.join(UNITS)}")
    return str(value)


def group_losses(value: Any, name: str) -> tuple[tuple[float, int], ...]:
    """Parse mean losses with their numbers of groups."""
    pairs = [_items(pair) for pair in _items(value)]
    need(all(len(pair) == 2 for pair in pairs), f"{name} must be pairs")
    return tuple((probability(mean, name), _whole(groups)) for mean, groups in pairs)


def logarithm(value: Any, name: str) -> float:
    """Parse the logarithm of a probability."""
    need(type(value) in (int, float) and -1e9 < value <= 0, f"{name} must be 0 or less")
    return float(value)


def recipe(value: Any, name: str) -> dict[str, Any]:
    """Parse a recipe; the form checks it."""
    need(isinstance(value, dict), f"{name} must be an object")
    return dict(value)


def pool_or_none(value: Any, name: str) -> dict[str, Any] | None:
    """Parse the candidates of a recipe, or null; they are decoded where they are needed."""
    need(value is None or isinstance(value, dict), f"{name} must be an object")
    return None if value is None else dict(value)


def _items(value: Any) -> list[Any]:
    need(isinstance(value, list), "a list is missing")
    return list(value)


def _whole(value: Any) -> int:
    need(type(value) is int and 0 <= value < 2**53, "a count or row must be a whole number")
    return int(value)


def _text(value: Any) -> str:
    need(isinstance(value, str), "a name must be text")
    return str(value)


def _part(part: Any) -> tuple[str, float]:
    match part:
        case [str(name), int() | float() as nats] if 0 <= nats < 2**53:
            return name, float(nats)
    raise ModelFileError("the certificate cannot be read: a part of the message has no length.")
