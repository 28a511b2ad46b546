"""What the tests of models ask of the columns of a table whose rows are counted."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Condition
from rulewright.errors import InputError
from rulewright.render import predicate_text
from rulewright.rules import (
    AllOf,
    Arrangement,
    Category,
    Interval,
    Missing,
    Predicate,
    Threshold,
    literals_of,
)

Floats = NDArray[np.float64]


def tests_of(
    bodies: Iterable[Arrangement], categorical: Iterable[str]
) -> tuple[dict[str, Floats], list[str]]:
    """Cuts of numeric columns, and names of the others, that models test.

    ``categorical`` are the names of all other columns.
    """
    return asked_by((one for body in bodies for one in literals_of(body)), categorical)


def asked_by(
    literals: Iterable[Predicate], categorical: Iterable[str]
) -> tuple[dict[str, Floats], list[str]]:
    """Cuts of numeric columns, and names of the others, that tests ask."""
    known, cuts, others = set(categorical), dict[str, set[float]](), set[str]()
    for literal in literals:
        match literal:
            case Threshold(name, _, cut):
                cuts.setdefault(name, set()).add(_before(cut) if literal.cut_above else cut)
            case Interval(name, low, high):
                ends = {low if literal.low_open else _before(low)}
                ends.add(_before(high) if literal.high_open else high)
                cuts.setdefault(name, set()).update(ends)
            case Category(name) | Missing(name) if name in known:
                others.add(name)
            case Missing(name):
                cuts.setdefault(name, set())
            case _:
                raise InputError(
                    f"A test such as '{predicate_text(literal)}' cannot be counted where the rows "
                    "are, so there is no split certificate. Set certificate=None, or use tests of "
                    "single columns."
                )
    return {name: np.array(sorted(mine)) for name, mine in sorted(cuts.items())}, sorted(others)


def counted_condition(predicate: Predicate) -> Condition | None:
    """Condition that holds where a conjunction of tests of columns does; None if there is none.

    Examples
    --------
    >>> counted_condition(AllOf((Threshold("x", True, 1.0), Missing("y"))))  # doctest: +ELLIPSIS
    Condition(kind='all', ... parts=(('x', Condition(kind='above', cut=1.0, ...
    >>> counted_condition(Threshold("x", True, 1.0, if_missing=True))
    """
    parts: list[tuple[str, Condition]] = []
    for test in predicate.parts if isinstance(predicate, AllOf) else (predicate,):
        found = _conditions(test)
        if found is None:
            return None
        parts += found
    return Condition("all", parts=tuple(parts))


def _conditions(test: Predicate) -> list[tuple[str, Condition]] | None:
    match test:
        case Threshold(name, above, cut, if_missing=False, cut_above=False):
            return [(name, Condition("above" if above else "up_to", cut))]
        case Interval(
            name, low, high, inside=True, if_missing=False, low_open=False, high_open=False
        ):
            return [(name, Condition("from", low)), (name, Condition("up_to", high))]
        case Category(name, values, among, if_missing=False):
            return [(name, Condition("among" if among else "not_among", categories=values))]
        case Missing(name, missing):
            return [(name, Condition("missing" if missing else "present"))]
    return None


def _before(value: float) -> float:
    """Largest number below a value."""
    return math.nextafter(value, -math.inf)
