"""Reading a certificate from JSON, with suspicion."""

from __future__ import annotations

from typing import Any

from rulewright.errors import ModelFileError
from rulewright.families import family_from_json
from rulewright.models.language import COMBINATIONS

FORMS = ("tail", "holdout")


def read_certificate(data: Any, names: set[str]) -> dict[str, Any]:
    """Read the members of a certificate, or say what is wrong with them."""
    _need(isinstance(data, dict), "it is not an object")
    data = {"abstains": False, "canonical": False, **data}  # earlier files do not say these
    _need(set(data) == names, f"its members are not {', '.join(sorted(names))}")
    for name in ("bound", "delta"):
        _need(type(data[name]) in (int, float), f"{name} must be a number")
    seed, printed = data["seed"], data["printed_bound"]
    _need(seed is None or _whole(seed) == seed, "seed must be a whole number")
    _need(printed is None or type(printed) in (int, float), "printed_bound must be a number")
    _need(0 <= data["bound"] <= 1, "bound must be from 0 to 1")
    _need(0 < data["delta"] < 1, "delta must be between 0 and 1")
    _need(_whole(data["settings"]) >= 1, "settings must be 1 or more")
    for name in ("implied", "abstains", "canonical"):
        _need(type(data[name]) is bool, f"{name} must be true or false")
    _need(data["form"] in FORMS, f"no other forms than {' and '.join(FORMS)} are known")
    combinations = data["combinations"]
    _need(
        combinations is None or set(map(_text, _items(combinations))) <= {*COMBINATIONS.values()},
        f"combinations must be of {', '.join(COMBINATIONS.values())}",
    )
    roles, role_counts = data["roles"], data["role_counts"]
    _need(isinstance(roles, dict) and isinstance(role_counts, dict), "roles must be objects")
    _need(list(roles) == list(role_counts), "roles and role_counts must name the same")
    read = {
        **data,
        "roles": {name: _wholes(rows) for name, rows in roles.items()},
        "role_counts": {name: _wholes(counts) for name, counts in role_counts.items()},
        "message": tuple(_priced(part) for part in _items(data["message"])),
        "families": tuple(family_from_json(f, {}) for f in _items(data["families"])),
        **{name: _wholes(data[name]) for name in ("counts", "wrong", "aside", "held")},
        "combinations": combinations if combinations is None else tuple(combinations),
        "cautions": tuple(map(_text, _items(data["cautions"]))),
    }
    _check_counts(read)
    return read


def _wholes(value: Any) -> tuple[int, ...]:
    return tuple(map(_whole, _items(value)))


def _check_counts(read: dict[str, Any]) -> None:
    counts, roles, role_counts = read["counts"], read["roles"], read["role_counts"]
    columns = [read["wrong"], read["aside"], *role_counts.values()]
    fitting = (
        len(counts) >= 2
        and all(len(column) == len(counts) for column in columns)
        and all(sum(role_counts[name]) == len(rows) for name, rows in roles.items())
        and all(sum(used) <= count for count, *used in zip(counts, *columns, strict=True))
    )
    _need(fitting, "its counts do not fit together")


def _need(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ModelFileError(f"the certificate cannot be read: {otherwise}.")


def _items(value: Any) -> list[Any]:
    _need(isinstance(value, list), "a list is missing")
    return list(value)


def _whole(value: Any) -> int:
    _need(type(value) is int and 0 <= value < 2**53, "a count or row must be a whole number")
    return int(value)


def _text(value: Any) -> str:
    _need(isinstance(value, str), "a name must be text")
    return str(value)


def _priced(part: Any) -> tuple[str, float]:
    match part:
        case [str(what), int() | float() as nats] if 0 <= nats < 2**53:
            return what, float(nats)
    raise ModelFileError("the certificate cannot be read: a part of the message has no price.")
