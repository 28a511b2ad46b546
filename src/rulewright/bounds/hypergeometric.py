"""Hypergeometric probabilities for any size: of one number of marked objects, and tails."""

from __future__ import annotations

import math

import numpy as np

from rulewright.bounds.counting import log_choose
from rulewright.errors import InputError

CHUNK = 4096


def hypergeometric_mass(total: int, marked: int, drawn: int, found: int) -> float:
    """Return the probability that exactly ``found`` marked objects are drawn.

    ``C(marked, found) C(total - marked, drawn - found) / C(total, drawn)``, the lecture's
    ``H(p, n)`` with total = P + N, marked = P, drawn = p + n and found = p.

    Examples
    --------
    >>> round(hypergeometric_mass(total=10, marked=3, drawn=5, found=0), 6)  # C(7,5) / C(10,5)
    0.083333
    """
    _check_draw(total, marked, drawn)
    if not max(0, drawn + marked - total) <= found <= min(marked, drawn):
        return 0.0
    return min(1.0, math.exp(_log_mass(total, marked, drawn, found)))


def hypergeometric_tail(total: int, marked: int, drawn: int, max_drawn: int) -> float:
    """Return the probability that ``max_drawn`` or fewer marked objects are drawn.

    The cumulative distribution function of the hypergeometric distribution.

    Examples
    --------
    >>> round(hypergeometric_tail(total=10, marked=3, drawn=5, max_drawn=0), 6)  # C(7,5) / C(10,5)
    0.083333
    """
    _check_draw(total, marked, drawn)
    min_drawn = max(0, drawn + marked - total)
    if max_drawn < min_drawn:
        return 0.0
    if max_drawn >= min(marked, drawn):
        return 1.0
    mode = (drawn + 1) * (marked + 1) // (total + 2)
    start = max(min_drawn, min(max_drawn, mode))
    log_mass = _log_mass(total, marked, drawn, start)
    numbers = total, marked, drawn
    ratios = 1.0 + _ratio_sum(*numbers, start, min_drawn) + _ratio_sum(*numbers, start, max_drawn)
    return min(1.0, math.exp(log_mass) * ratios)


def _check_draw(total: int, marked: int, drawn: int) -> None:
    for name, part in (("marked", marked), ("drawn", drawn)):
        if not 0 <= part <= total:
            raise InputError(f"{name} must be from 0 to total = {total}, got {part}.")


def _log_mass(total: int, marked: int, drawn: int, found: int) -> float:
    ways = log_choose(marked, found) + log_choose(total - marked, drawn - found)
    return ways - log_choose(total, drawn)


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
