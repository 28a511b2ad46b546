"""Tests of the difference between two learners that were tested on the same rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

CONFIDENCE = 0.95


@dataclass(frozen=True)
class PairedTest:
    """Mean difference of two losses, with its 95 % interval and a two-sided p-value."""

    difference: float
    low: float
    high: float
    p_value: float


def standard_error(values: Sequence[float], test_ratio: float) -> float:
    """Standard error of a mean over splits whose training sets overlap.

    Parameters
    ----------
    values : sequence of float
        One value for each split.
    test_ratio : float
        Test rows divided by training rows. The correction of Nadeau & Bengio (2003) adds it to
        ``1 / len(values)``; with 0 the values count as independent.

    Examples
    --------
    >>> round(standard_error([0.1, 0.2, 0.3], test_ratio=0.5), 4)
    0.0913
    """
    count = len(values)
    if count < 2:
        return math.nan
    return math.sqrt((1 / count + test_ratio) * float(np.var(values, ddof=1)))


def corrected_test(differences: Sequence[float], test_ratio: float) -> PairedTest:
    """Corrected resampled t-test of Nadeau & Bengio (2003) for repeated cross-validation.

    The folds share training rows, so their differences are not independent, and a plain t-test
    finds differences between equal learners far too often.

    Parameters
    ----------
    differences : sequence of float
        Loss of one learner minus that of the other, for each split.
    test_ratio : float
        Test rows divided by training rows; 0 for the plain t-test of independent rows.

    Examples
    --------
    >>> test = corrected_test([0.02, 0.01, 0.03, 0.00, 0.02], test_ratio=0.25)
    >>> round(test.difference, 3), round(test.p_value, 3)
    (0.016, 0.105)
    """
    mean, count = float(np.mean(differences)), len(differences)
    error = standard_error(differences, test_ratio)
    if math.isnan(error):
        return PairedTest(mean, -math.inf, math.inf, 1.0)
    if error == 0:
        return PairedTest(mean, mean, mean, 1.0 if mean == 0 else 0.0)
    width = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * error
    chance = 2 * float(stdtr(count - 1, -abs(mean) / error))
    return PairedTest(mean, mean - width, mean + width, chance)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min((len(order) - rank) * p_values[place], 1.0))
        corrected[place] = largest
    return corrected
