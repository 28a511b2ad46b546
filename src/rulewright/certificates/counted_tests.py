"""What the tests of models ask of the columns of a table whose rows are counted."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError
from rulewright.render import predicate_text
from rulewright.rules import (
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


def _before(value: float) -> float:
    """Largest number below a value."""
    return math.nextafter(value, -math.inf)
