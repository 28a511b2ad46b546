"""The usefulness of a predicate as a signed weight on every example.

``U_h = |Q_h| - p |R_h|``: what h covers of the class to be covered, less p times what it loses of
the other. (Marchand, Shah, Shawe-Taylor & Sokolova 2003, section 2.) Weights are whole numbers, so
that two usefulnesses compare exactly: p is a decimal that somebody typed, 1.1 and not its double.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError

MAX_WEIGHT = 2**61
"""Upper limit of the total weight, so that no sum in a kernel can overflow."""

Penalty = Fraction | float
Rows = NDArray[np.int64] | None
Numbers = TypeVar("Numbers", NDArray[np.int64], NDArray[np.float64])


def signed_weights(
    covered: NDArray[np.bool_],
    weight: NDArray[np.float64],
    p: Penalty,
    max_total: int = MAX_WEIGHT,
    rows: Rows = None,
) -> NDArray[np.int64]:
    """Weight of each example: positive if it is to be covered, negative if it is to be spared.

    With ``p`` infinite, losing less comes first and covering more second; with ``p`` zero the other
    way round. Either is a single weight, large enough that the second can never outweigh the first.
    A ``p`` so large or so small that it orders the same way is taken for infinite or zero.
    ``rows`` is the number of equal examples that each one stands for.

    Examples
    --------
    >>> signed_weights(np.array([True, False]), np.ones(2), Fraction(3, 2)).tolist()
    [2, -3]
    """
    ratio = Fraction(0) if p == math.inf else Fraction(p)
    room = max_total // max(ratio.numerator, ratio.denominator)
    if ratio and room > _examples(weight, rows):
        whole = whole_weights(weight, room, rows)
        return _signed(covered, np.where(covered, ratio.denominator, ratio.numerator) * whole)
    whole = whole_weights(weight, math.isqrt(max_total), rows)
    sums = _times(whole, rows)
    if p > int(sums[covered].sum()):
        return _one_before_the_other(covered, whole, ~covered, sums)
    if p * int(sums[~covered].sum()) < 1:
        return _one_before_the_other(covered, whole, covered, sums)
    # More digits in p than fit: round the weights themselves.
    return _signed(
        covered, whole_weights(np.where(covered, weight, float(ratio) * weight), max_total, rows)
    )


def prefer_fewer_losses(
    weight: NDArray[np.int64], max_total: int = MAX_WEIGHT, rows: Rows = None
) -> NDArray[np.int64]:
    """Weights of the same order, in which a tie goes to the predicate that loses less.

    Weights with too many digits for both to fit into one number keep their order only. ``rows`` is
    the number of equal examples that each one stands for.

    Examples
    --------
    >>> prefer_fewer_losses(np.array([2, 2, -3])).tolist()
    [8, 8, -15]
    """
    weight = weight // max(int(np.gcd.reduce(weight)), 1)
    sums = _times(weight, rows)
    lost = -int(sums[sums < 0].sum())
    if (lost + 2) * int(np.abs(sums).sum()) > max_total:
        return weight
    return np.where(weight < 0, weight * (lost + 2), weight * (lost + 1))


def class_weights(
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    penalties: Sequence[Penalty],
    max_total: int = MAX_WEIGHT,
    rows: Rows = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two weights of each example: the gain of covering it correctly, and the cost of losing it.

    A rule for class c is worth ``|covered of c| - sum_k p_k |covered of k|`` (Sokolova, Marchand,
    Japkowicz & Shawe-Taylor 2003, section 2, for any number of classes), all rules on one scale. A
    loss of infinite penalty outweighs everything of finite penalty; a loss of penalty zero counts
    less than anything else, so that of two rules that cover the same the one that loses less wins.
    ``rows`` is the number of equal examples that each one stands for.

    Examples
    --------
    >>> gain, loss = class_weights(np.array([0, 1]), np.ones(2), [Fraction(1, 2), Fraction(3)])
    >>> gain.tolist(), loss.tolist()
    ([2, 2], [1, 6])
    """
    ratios = [_handy(p) for p in penalties]
    finite = [r for r in ratios if isinstance(r, Fraction)]
    scale = math.lcm(*(r.denominator for r in finite))
    largest = max([scale, *(int(r * scale) for r in finite)])
    levels = 1 + (0 in finite) + (len(finite) < len(ratios))
    room = int((max_total // (2 * largest)) ** (1 / levels)) - 1
    if room < 2 * _examples(weight, rows):
        raise InputError(
            "The penalties have too many digits to be compared exactly: write them with fewer."
        )
    whole = whole_weights(weight, room, rows)
    total = int(_times(whole, rows).sum())
    below = total + 1 if 0 in finite else 1
    price = [
        (int(r * scale) * below if r else 1)
        if isinstance(r, Fraction)
        else total * largest * below + 1
        for r in ratios
    ]
    return whole * (scale * below), whole * np.array(price, np.int64)[y]


def _handy(p: Penalty) -> Penalty:
    """Penalty, infinite or zero if it is beyond all counts."""
    if p == math.inf or p > 10**12:
        return math.inf
    return Fraction(p) if p * 10**12 > 1 else Fraction(0)


def _examples(weight: NDArray[np.float64], rows: Rows) -> int:
    return weight.size if rows is None else int(rows.sum())


def _times(weight: Numbers, rows: Rows) -> Numbers:
    return weight if rows is None else weight * rows


def _one_before_the_other(
    covered: NDArray[np.bool_],
    whole: NDArray[np.int64],
    first: NDArray[np.bool_],
    sums: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Weights in which one unit of the first kind outweighs all the rest."""
    above = int(sums[~first].sum()) + 1
    return _signed(covered, whole * np.where(first, above, 1))


def _signed(positive: NDArray[np.bool_], amount: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(positive, amount, -amount)


def whole_weights(
    weight: NDArray[np.float64], max_total: int, rows: Rows = None
) -> NDArray[np.int64]:
    """Turn weights of 0 or more into whole numbers that sum to at most about ``max_total``.

    Whole weights stay what they are. Others keep their proportions to about one part in
    ``max_total``, and none that is positive becomes zero.
    """
    with np.errstate(over="ignore"):
        total = float(_times(weight, rows).sum())
    if total <= max_total and np.array_equal(weight, np.floor(weight)):
        return weight.astype(np.int64)
    weight = np.ldexp(weight, -math.frexp(weight.max())[1])  # the largest is below 1 now
    total = float(_times(weight, rows).sum())
    scale = math.ldexp(1.0, math.floor(math.log2(max_total / total)) - 1)
    scaled = np.maximum(np.rint(weight * scale), 1.0)
    return np.where(weight > 0, scaled, 0.0).astype(np.int64)


def usefulness(covers: float, loses: float, p: Fraction | float) -> float:
    """Return ``|Q| - p |R|`` as a number to print; infinity times zero is zero."""
    return covers - (float(p) * loses if loses else 0.0)
