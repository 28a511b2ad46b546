"""Parameters as users write them, checked and read once, at the start of a fit."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Literal

import numpy as np

from rulewright.errors import InputError

Kind = Literal["conjunction", "disjunction"]


def read_penalty(p: object) -> Fraction | float:
    """Read p: a number of 0 or more, to the decimals that were typed, or infinity.

    Examples
    --------
    >>> read_penalty(1.1)
    Fraction(11, 10)
    """
    if isinstance(p, bool) or not isinstance(p, int | float | np.number | Fraction):
        raise InputError(f"p must be a number of 0 or more, or infinity; found {p!r}.")
    if p != p or p < 0:
        raise InputError(f"p must be a number of 0 or more, or infinity; found {p}.")
    if p > sys.float_info.max:
        return math.inf
    return p if isinstance(p, Fraction) else Fraction(repr(float(p)))


def read_max_rules(max_rules: object) -> float:
    """Read max_rules: a whole number of at least 1; None or infinity for no limit."""
    if max_rules is None or (isinstance(max_rules, float) and max_rules == math.inf):
        return math.inf
    whole = isinstance(max_rules, int | np.integer) and not isinstance(max_rules, bool)
    if whole and max_rules >= 1:  # type: ignore[operator]
        return int(max_rules)  # type: ignore[call-overload, no-any-return]
    raise InputError(
        f"max_rules must be a whole number of at least 1, or None (no limit); found {max_rules!r}."
    )


def read_kinds(kind: object) -> tuple[Kind, ...]:
    """Read kind: which kinds of machine to try."""
    kinds: dict[object, tuple[Kind, ...]] = {
        "conjunction": ("conjunction",),
        "disjunction": ("disjunction",),
        "best": ("conjunction", "disjunction"),
    }
    if not isinstance(kind, str) or kind not in kinds:
        raise InputError(f"kind must be 'conjunction', 'disjunction' or 'best'; found {kind!r}.")
    return kinds[kind]


def read_delta(delta: object) -> float:
    """Read delta: the probability with which a certificate may fail."""
    if isinstance(delta, int | float | np.number) and 0 < delta < 1:
        return float(delta)
    raise InputError(f"delta must lie between 0 and 1 (0.05 for 95 % confidence); found {delta!r}.")
