"""How many bits it takes to tell rules, and the examples that they get wrong.

W. Cohen (1995), Fast Effective Rule Induction, section 3.2, after J. R. Quinlan (1995), MDL and
Categorical Theories (Continued).
"""

from __future__ import annotations

import math

REDUNDANCY = 0.5
"""What the bits of a rule are multiplied by, "to adjust for possible redundancy in the
attributes"."""


def subset_bits(n: float, k: float, p: float) -> float:
    """Tell which k of n are meant, each expected to be so with probability p.

    ``S(n, k, p) = k log2(1/p) + (n - k) log2(1/(1 - p))``.

    Examples
    --------
    >>> subset_bits(8, 2, 0.25)
    6.490...
    """
    chosen = -k * math.log2(p) if k else 0.0
    return chosen - (n - k) * math.log2(1 - p) if n > k else chosen


def number_bits(k: int) -> float:
    """Tell a whole number of 1 or more: ``log2 k``, and how long that is.

    Examples
    --------
    >>> [number_bits(k) for k in (1, 2, 4)]
    [0.0, 1.0, 4.0]
    """
    bits = math.log2(k)
    return bits + 2 * math.log2(bits) if k > 1 else bits


def rule_bits(k: int, tests: int) -> float:
    """Tell a rule of k conditions where there are so many tests to choose from.

    Examples
    --------
    >>> rule_bits(2, 8)
    3.745...
    """
    if not k:
        return 0.0
    share = min(k / max(tests, 1), 1.0)
    return REDUNDANCY * (number_bits(k) + subset_bits(max(tests, k), k, share))


def exception_bits(covered: float, uncovered: float, wrong: float, missed: float) -> float:
    """Tell which examples are covered wrongly, and which are missed.

    Errors of both kinds are expected to be as many: the side that is larger is told by half of all
    errors, and the other, whose number then follows, by its own share.

    Examples
    --------
    >>> exception_bits(8, 4, 2, 1)
    13.57...
    """
    bits = math.log2(covered + uncovered + 1)
    expected = (wrong + missed) / 2
    if covered > uncovered:
        left = subset_bits(uncovered, missed, missed / uncovered) if uncovered else 0.0
        return bits + subset_bits(covered, wrong, min(expected / covered, 1.0)) + left
    left = subset_bits(covered, wrong, wrong / covered) if covered else 0.0
    return bits + subset_bits(uncovered, missed, min(expected / uncovered, 1.0)) + left
