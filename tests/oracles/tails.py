"""Binomial tails in exact fractions."""

from fractions import Fraction
from math import comb


def binomial_tail(k, n, e):
    """P[Bin(n, e) <= k] for a fraction e."""
    return sum(comb(n, i) * e**i * (1 - e) ** (n - i) for i in range(k + 1))


def tail_inverse(k, n, delta, digits=12):
    """Largest e with P[Bin(n, e) <= k] >= delta, by halving an interval."""
    low, high = Fraction(0), Fraction(1)
    for _ in range(4 * digits):
        middle = (low + high) / 2
        if binomial_tail(k, n, middle) >= delta:
            low = middle
        else:
            high = middle
    return float(low)
