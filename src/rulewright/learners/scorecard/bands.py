"""Bands of totals: the curve of the risk, the cut, and the totals that share a risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rulewright.rules import Points, ScoreBand

Floats = NDArray[np.float64]
Totals = NDArray[np.int64]

MAX_STEPS = 50
MAX_HALVINGS = 20
MAX_PART = 0.9
"""Largest part of the way to the slope 0 that a step goes."""
MIN_SHARE = 1e-15
"""Smallest share of a class, where its weight is lost by rounding."""
RIDGE = 1e-9
"""Added to second derivatives, so that Newton's step exists."""
EXCESS = 3
"""Multiple of the squared coefficients that the penalty expects from which it is lowered."""
DECIMALS = 3
"""Risks are rounded to this number of decimals, which are all that is printed."""


@dataclass(frozen=True)
class RiskCurve:
    """Risk that is logistic in the total."""

    slope: float
    intercept: float

    def __call__(self, total: Floats | Totals) -> Floats:
        """Risk of each total."""
        score = np.minimum(np.maximum(self.slope * total + self.intercept, -700), 700)
        risk: Floats = 1 / (1 + np.exp(-score))
        return risk

    def loss(self, total: Floats, own: Floats, every: Floats, penalty: float) -> float:
        """Logistic loss of weights by total, with the penalty of the slope."""
        score = self.slope * total + self.intercept
        lost = every @ np.logaddexp(0.0, score) - own @ score
        return float(lost + penalty / 2 * self.slope**2)


def fitted_curve(
    total: Floats, own: Floats, every: Floats, penalty: float, start: RiskCurve
) -> RiskCurve:
    """Return the curve of the least loss, by Newton's method; its slope is not negative.

    ``own`` and ``every`` are the weights of the second class and of both, by total. The loss is
    convex. So a curve of slope 0 is best if none beside it with a positive slope has a lower loss;
    otherwise steps stop before they reach the slope 0.
    """
    share = min(max(own.sum() / every.sum(), MIN_SHARE), 1 - MIN_SHARE)
    flat = RiskCurve(0.0, math.log(share / (1 - share)))
    if (share * every - own) @ total >= 0:  # the derivative of its loss by the slope
        return flat
    curve, loss = flat, flat.loss(total, own, every, penalty)
    if start.slope > 0 and (first := start.loss(total, own, every, penalty)) < loss:
        curve, loss = start, first
    for _ in range(MAX_STEPS):
        slope, intercept = _newton_step(curve, total, own, every, penalty)
        whole = 1.0 if curve.slope + slope > 0 else MAX_PART * curve.slope / -slope
        for halvings in range(MAX_HALVINGS):
            part = whole * 0.5**halvings
            moved = RiskCurve(curve.slope + part * slope, curve.intercept + part * intercept)
            lower = moved.loss(total, own, every, penalty)
            if lower < loss:
                break
        else:
            return curve
        finished = loss - lower <= 1e-12 * (1 + loss)
        curve, loss = moved, lower
        if finished:
            break
    return curve


def _newton_step(
    curve: RiskCurve, total: Floats, own: Floats, every: Floats, penalty: float
) -> tuple[float, float]:
    """Return the step of the slope and of the intercept, by hand: the arrays are short."""
    risk = curve(total)
    expected = every * risk
    excess, curvature = expected - own, expected * (1 - risk)
    by_slope = float(excess @ total) + penalty * curve.slope
    by_intercept = float(excess.sum())
    weighted = curvature * total
    twice_slope = float(weighted @ total) + penalty + RIDGE
    mixed, twice_intercept = float(weighted.sum()), float(curvature.sum()) + RIDGE
    determinant = twice_slope * twice_intercept - mixed * mixed
    if determinant <= 0:  # by rounding: no step lowers the loss
        return 0.0, 0.0
    return (
        (mixed * by_intercept - twice_intercept * by_slope) / determinant,
        (mixed * by_slope - twice_slope * by_intercept) / determinant,
    )


def calibrated_curve(
    total: Floats, own: Floats, every: Floats, points: Totals, ridge: float, start: RiskCurve
) -> RiskCurve:
    """Return the curve of the table, which is less penalised where coefficients are large.

    The penalty expects squared coefficients of about 1 / ridge. Where they are ``EXCESS`` times as
    large on average, as on tables whose classes hardly overlap, it would hold risks back: it is
    then ``EXCESS`` times the inverse of their average, found by iteration.
    """
    squares, lines = float(points @ points), int(np.count_nonzero(points))
    curve, penalty = start, ridge
    for _ in range(MAX_STEPS):
        average = curve.slope**2 * squares / max(lines, 1)
        lower = min(penalty, EXCESS / max(average, 1e-12))
        curve = fitted_curve(total, own, every, lower * squares, curve)
        if penalty - lower <= 1e-3 * penalty:
            break
        penalty = lower
    return curve


@dataclass(frozen=True)
class Bands:
    """How totals become bands.

    ``cut`` is the lowest total of the second class. ``costs`` is whether the cut follows costs, so
    that a class may be answered that is not the more probable one.
    """

    curve: RiskCurve
    cut: int
    max_bands: int
    costs: bool = False

    def of(self, total: Totals, weight: Floats, lowest: int, highest: int) -> tuple[ScoreBand, ...]:
        """Return the bands of totals from the lowest to the highest possible one."""
        values, place = np.unique(total, return_inverse=True)
        sums = np.bincount(place, weight, values.size).astype(np.float64)
        if not lowest < self.cut <= highest:
            output = int(self.cut <= lowest)
            return tuple(self._side(values, sums, lowest, output, self.max_bands))
        second = values >= self.cut
        room = self._rooms(int((~second).sum()), int(second.sum()))
        return (
            *self._side(values[~second], sums[~second], lowest, 0, room[0]),
            *self._side(values[second], sums[second], self.cut, 1, room[1]),
        )

    def _rooms(self, below: int, above: int) -> tuple[int, int]:
        """Number of bands on each side of the cut, at least one each."""
        share = below / max(below + above, 1)
        first = min(max(round(self.max_bands * share), 1), self.max_bands - 1)
        return first, self.max_bands - first

    def _side(
        self, values: Totals, sums: Floats, low: int, output: int, count: int
    ) -> list[ScoreBand]:
        if not values.size:
            return [ScoreBand(Points(low), output, self._risk(np.array([low]), np.ones(1), output))]
        groups = merged_totals(sums, count)
        bands = []
        for number, group in enumerate(groups):
            start = low if number == 0 else int(values[group[0]])
            risk = self._risk(values[group], sums[group], output)
            bands.append(ScoreBand(Points(start), output, risk))
        return bands

    def _risk(self, totals: Totals, weight: Floats, output: int) -> float:
        step = 10.0**-DECIMALS
        risk = round(float(np.average(self.curve(totals), weights=weight)), DECIMALS)
        risk = min(max(risk, step), 1 - step)
        if self.costs:
            return risk
        # A rounded risk of one half would not show which class is the more probable one.
        return max(risk, 0.5 + step) if output else min(risk, 0.5 - step)


def merged_totals(sums: Floats, count: int) -> list[list[int]]:
    """Return neighbouring totals in groups, at most ``count``: the lightest two are merged first.

    Examples
    --------
    >>> merged_totals(np.array([5.0, 1.0, 1.0, 9.0]), 3)
    [[0], [1, 2], [3]]
    """
    groups = [[place] for place in range(sums.size)]
    weights: list[float] = sums.tolist()
    while len(groups) > count:
        pairs: Sequence[float] = [a + b for a, b in pairwise(weights)]
        place = int(np.argmin(pairs))
        groups[place : place + 2] = [groups[place] + groups[place + 1]]
        weights[place : place + 2] = [pairs[place]]
    return groups
