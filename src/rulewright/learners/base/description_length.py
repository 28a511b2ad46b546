"""Description length, in bits, of rules and of the examples that they get wrong.

J. R. Quinlan (1995), MDL and categorical theories (continued), ICML, has the code for exceptions:
one that expects as many false alarms as misses. W. Cohen (1995), Fast Effective Rule Induction,
section 3.2, has that for rules.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TINY = float(np.finfo(np.float64).tiny)
REDUNDANCY = 0.5
"""What the bits of a rule are multiplied by, "to adjust for possible redundancy in the
attributes"."""


def subset_bits(size: Any, chosen: Any, expected: Any) -> Floats:
    """Number of bits that encode which items are chosen, given the expected number of them.

    ``S(n, k, p) = k log2(1/p) + (n - k) log2(1/(1 - p))``, p being the expected share.

    Examples
    --------
    >>> float(subset_bits(8, 2, 2))
    6.490...
    """
    share = np.minimum(expected / np.maximum(size, TINY), 1)
    left = np.maximum(size - chosen, 0)
    # What is never chosen takes no bits, however unlikely: nothing times a finite number.
    inside = -chosen * np.log2(np.maximum(share, TINY))
    bits: Floats = inside - left * np.log2(np.maximum(1 - share, TINY))
    return bits


def exception_bits(total: float, covered: Any, alarms: Any, misses: Any) -> Floats:
    """Number of bits that encode which covered examples are not of the class, and which others are.

    First how many there are; then, where more than half is covered, the false alarms as if they
    were half of all errors, and the misses by their own rate; else the other way round.

    Examples
    --------
    >>> float(exception_bits(12, 8, 2, 1))
    13.57...
    """
    uncovered = total - covered
    half = (alarms + misses) / 2
    mostly_covered = covered > uncovered
    of_alarms = subset_bits(covered, alarms, np.where(mostly_covered, half, alarms))
    of_misses = subset_bits(uncovered, misses, np.where(mostly_covered, misses, half))
    bits: Floats = math.log2(total + 1) + of_alarms + of_misses
    return bits


def number_bits(k: int) -> float:
    """Number of bits that encode a whole number of 1 or more: ``log2 k``, and the length of that.

    Examples
    --------
    >>> [number_bits(k) for k in (1, 2, 4)]
    [0.0, 1.0, 4.0]
    """
    bits = math.log2(k)
    return bits + 2 * math.log2(bits) if k > 1 else bits


def rule_bits(k: int, tests: int) -> float:
    """Number of bits that encode a rule of k conditions, chosen from the given number of tests.

    Examples
    --------
    >>> rule_bits(2, 8)
    3.745...
    """
    if not k:
        return 0.0
    return REDUNDANCY * (number_bits(k) + float(subset_bits(max(tests, k), k, k)))
