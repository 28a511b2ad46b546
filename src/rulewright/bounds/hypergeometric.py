"""Hypergeometric tails for any size."""

from __future__ import annotations

import math

import numpy as np

from rulewright.bounds.counting import log_choose

CHUNK = 4096


def hypergeometric_tail(total: int, marked: int, drawn: int, max_drawn: int) -> float:
    """Return the probability that ``max_drawn`` or fewer marked objects are drawn.

    Examples
    --------
    >>> round(hypergeometric_tail(total=10, marked=3, drawn=5, max_drawn=0), 6)  # C(7,5) / C(10,5)
    0.083333
    """
    min_drawn = max(0, drawn + marked - total)
    if max_drawn < min_drawn:
        return 0.0
    if max_drawn >= min(marked, drawn):
        return 1.0
    mode = (drawn + 1) * (marked + 1) // (total + 2)
    start = max(min_drawn, min(max_drawn, mode))
    log_mass = log_choose(marked, start) + log_choose(total - marked, drawn - start)
    log_mass -= log_choose(total, drawn)
    numbers = total, marked, drawn
    ratios = 1.0 + _ratio_sum(*numbers, start, min_drawn) + _ratio_sum(*numbers, start, max_drawn)
    return min(1.0, math.exp(log_mass) * ratios)


def _ratio_sum(total: int, marked: int, drawn: int, start: int, end: int) -> float:
    """Sum ``P[s] / P[start]`` from beside the start to the end, where the terms decrease."""
    step = 1 if end > start else -1
    result, last = 0.0, 1.0
    for first in range(start, end, step * CHUNK):
        stop = first + step * min(CHUNK, abs(end - first))
        s = np.arange(first, stop, step, dtype=np.float64) + (step > 0)
        up = (marked - s + 1) * (drawn - s + 1) / (s * (total - marked - drawn + s))
        terms = last * np.cumprod(up if step > 0 else 1 / up)
        result += float(terms.sum())
        last = float(terms[-1])
        if last < 1e-17 * result:
            break
    return result
