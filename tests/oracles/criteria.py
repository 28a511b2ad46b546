"""Criteria for one rule at a time, in fractions and factorials, as their sources write them."""

import math
from fractions import Fraction


def share(part, whole):
    return Fraction(part, whole) if whole else Fraction(0)


def bits(q):
    return -float(q) * math.log2(q) if q else 0.0


def gain(impurity, p, n, P, N):
    """Impurity of all, less what is left of it in the two parts, each by its size."""
    size = P + N
    parts = [(p, n), (P - p, N - n)]
    rest = [float(share(a + b, size)) * float(impurity(share(a, a + b))) for a, b in parts]
    return float(impurity(share(P, size))) - sum(rest)


def logarithm(number):
    """The natural logarithm of a fraction of any size."""
    return math.log(number.numerator) - math.log(number.denominator)


def fisher(p, n, P, N):
    chance = Fraction(math.comb(P, p) * math.comb(N, n), math.comb(P + N, p + n))
    return -logarithm(chance)


def p_value(p, n, P, N):
    """The share of all ways to cover so many that cover at least so many of the class."""
    ways = [math.comb(P, more) * math.comb(N, p + n - more) for more in range(p, p + n + 1)]
    return Fraction(sum(ways), math.comb(P + N, p + n))


def foil_gain(p, n, P, N):
    return p * (math.log2(share(p, p + n)) - math.log2(share(P, P + N))) if p else 0.0


def wracc(p, n, P, N):
    if p + n == 0:
        return Fraction(0)
    return share(p + n, P + N) * (share(p, p + n) - share(P, P + N))


def correlation(p, n, P, N):
    spread = P * N * (p + n) * (P - p + N - n)
    return (p * N - n * P) / math.sqrt(spread) if spread else 0.0


CRITERIA = {
    "precision": lambda p, n, P, N: share(p, p + n),
    "accuracy": lambda p, n, P, N: p - n,
    "linear_cost": lambda p, n, P, N, cost=1: p - cost * n,
    "relative_accuracy": lambda p, n, P, N: share(p, P) - share(n, N),
    "ratio": lambda p, n, P, N: Fraction(p, n + 1),
    "entropy": lambda *counts: gain(lambda q: bits(q) + bits(1 - q), *counts),
    "gini": lambda *counts: gain(lambda q: 2 * q * (1 - q), *counts),
    "fisher": fisher,
    "boosting": lambda p, n, P, N: math.sqrt(p) - math.sqrt(n),
    "boosting_normalised": lambda p, n, P, N: math.sqrt(share(p, P)) - math.sqrt(share(n, N)),
    "laplace": lambda p, n, P, N: Fraction(p + 1, p + n + 2),
    "m_estimate": lambda p, n, P, N, m=2: share(p + m * share(P, P + N), p + n + m),
    "foil_gain": foil_gain,
    "wracc": wracc,
    "correlation": correlation,
}


def impurity_entropy(counts):
    return math.fsum(bits(share(count, sum(counts))) for count in counts)


def impurity_gini(counts):
    """The chance that two drawn with replacement are of different classes."""
    total = sum(counts)
    return sum(
        share(a, total) * share(b, total)
        for i, a in enumerate(counts)
        for j, b in enumerate(counts)
        if i != j
    )


def impurity_error(counts):
    total = sum(counts)
    wrong = [sum(counts) - count for count in counts]  # by the class that is answered
    return share(min(wrong), total)
