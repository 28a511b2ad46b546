"""SLIPPER's formulas, example by example."""

from __future__ import annotations

import math
from collections.abc import Sequence

from oracles.rule_growing import Test, covered, sides

STEPS = 16


def confidence(right: float, wrong: float, n: int) -> float:
    """Smoothed: Cohen & Singer (1999)."""
    return 0.5 * math.log((right + 1 / (2 * n)) / (wrong + 1 / (2 * n)))


def pruned_losses(
    codes: Sequence[Sequence[int]],
    tests: Sequence[Test],
    own: Sequence[bool],
    weight: Sequence[float],
    growing: Sequence[int],
    pruning: Sequence[int],
) -> dict[int, float]:
    """Give the loss on the pruning set of every prefix that speaks for the class."""
    total = math.fsum(weight[row] for row in growing)
    losses = {}
    for size in range(1, len(tests) + 1):
        w = sides(covered(codes, tests[:size], growing), own, weight)
        c = confidence(w[0] / total, w[1] / total, len(growing))
        v = sides(covered(codes, tests[:size], pruning), own, weight)
        if c > 0:
            losses[size] = (1 - v[0] - v[1]) + v[0] * math.exp(-c) + v[1] * math.exp(c)
    return losses


def z(covered_weights: tuple[float, float]) -> float:
    """The sum of weights after a rule with the best weight: less is better."""
    right, wrong = covered_weights
    return 1 - (math.sqrt(right) - math.sqrt(wrong)) ** 2


def weighed_anew(
    weight: Sequence[float], rows: Sequence[int], own: Sequence[bool], rule_weight: float
) -> list[float]:
    """Multiply what a rule covers by exp(-weight) where it is right, by exp(weight) elsewhere."""
    heavier = list(weight)
    for row in rows:
        heavier[row] *= math.exp(-rule_weight if own[row] else rule_weight)
    total = math.fsum(heavier)
    return [w / total for w in heavier]
