"""The scale of sample weights: weights are relative, only their proportions matter.

Every threshold on a sum of weights (the least weight of a leaf, Laplace's counts, description
lengths) needs a scale. It is fixed here, once, before anything is learnt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError

Floats = NDArray[np.float64]

MAX_LEAST_MULTIPLE = 10
"""Maximum units in the least weight: weights such as 139 and 164 are proportions, not copies."""
MAX_MULTIPLE = 10_000
TOLERANCE = 1e-9
"""Relative tolerance: weights that were divided by their sum are whole multiples within this."""
UNIT = 2.0**-20
"""Weights of mean 1 are multiples of this, so that sums of them are exact in any order."""


def kept_rows(sample_weight: Any, rows: int) -> NDArray[np.intp]:
    """Return the rows that a fit with these weights learns from: all but those of weight zero."""
    if sample_weight is None:
        return np.arange(rows)
    weight = np.asarray(sample_weight, np.float64)
    if weight.shape != (rows,):
        raise InputError(f"sample_weight must have shape ({rows},), got {weight.shape}.")
    return np.flatnonzero(weight > 0)


def normalised_weight(weight: Floats) -> Floats:
    """Scale positive weights so that the same proportions give the same weights, bit for bit.

    Weights that are whole multiples of a common unit become these multiples, without a common
    factor: then a weight counts as that number of equal rows. The least may be 10 units and the
    largest 10,000. Other weights get mean 1, rounded to multiples of 2^-20.

    Examples
    --------
    >>> normalised_weight(np.array([0.2, 0.2, 0.6])).tolist()
    [1.0, 1.0, 3.0]
    >>> normalised_weight(np.array([1.0, 1.0, 2**0.5])).round(4).tolist()
    [0.8787, 0.8787, 1.2426]
    """
    if not weight.size or (weight == 1.0).all():
        return weight
    multiples = _multiples(weight)
    return _of_mean_one(weight) if multiples is None else multiples


def unit_of(costs: Sequence[Fraction]) -> Fraction:
    """Return the cost that counts as 1: the least, or the mean if the least is very small.

    Examples
    --------
    >>> unit_of([Fraction(1, 2), Fraction(5)])
    Fraction(1, 2)
    """
    if not costs or max(costs) <= MAX_MULTIPLE * min(costs):
        return min(costs, default=Fraction(1))
    return sum(costs, Fraction(0)) / len(costs)


def _multiples(weight: Floats) -> Floats | None:
    """Express the weights in their largest common unit; None where they have none."""
    min_weight = weight.min()
    if weight.max() > MAX_MULTIPLE * min_weight:
        return None
    ratio = weight / min_weight
    for units in range(1, MAX_LEAST_MULTIPLE + 1):
        whole: Floats = np.rint(ratio * units)
        if (np.abs(ratio * units - whole) <= TOLERANCE * whole).all():
            # A common factor would have fitted before.
            return whole if whole.max() <= MAX_MULTIPLE else None
    return None


def _of_mean_one(weight: Floats) -> Floats:
    mean = math.fsum(weight.tolist()) / weight.size
    rounded: Floats = np.maximum(np.rint(weight / mean / UNIT), 1.0) * UNIT
    return rounded
