"""Every bound in decimal arithmetic of 60 digits, from factorials; no logs of differences lost."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, prod

DIGITS = Context(prec=60, Emin=-(10**15), Emax=10**15)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def decimals(function):
    """Run a function in decimals of 60 digits."""

    def run(*numbers, **named):
        with localcontext(DIGITS):
            return function(*numbers, **named)

    return run


@lru_cache
def bernoulli(n):
    if n == 0:
        return Fraction(1)
    return -sum(comb(n + 1, j) * bernoulli(j) for j in range(n)) / Fraction(n + 1)


@decimals
def log_factorial(n):
    """ln n!, from the whole number itself or by Stirling's series to the last digit."""
    if n < 2000:
        return Decimal(factorial(n)).ln()
    x = Decimal(n)
    total = x * x.ln() - x + (2 * PI * x).ln() / 2
    for j in range(1, 16):
        part = bernoulli(2 * j) / (2 * j * (2 * j - 1))
        total += Decimal(part.numerator) / part.denominator / x ** (2 * j - 1)
    return total


@decimals
def log_ways(n, sizes):
    """ln of n! / (prod sizes! rest!)."""
    rest = n - sum(sizes)
    if n < 2000:
        product = prod(map(factorial, sizes)) * factorial(rest)
        return Decimal(factorial(n) // product).ln()
    return log_factorial(n) - sum(map(log_factorial, sizes)) - log_factorial(rest)


@decimals
def log_split(sizes):
    """ln of prod 6/pi^2 (n + 1)^-2."""
    return sum(((6 / PI**2 / (n + 1) ** 2).ln() for n in sizes), Decimal(0))


@decimals
def one_minus_exp(nats, right):
    return 1 - (-nats / right).exp() if right else Decimal(1)


@decimals
def closed(m, roles, k, log_message, delta):
    nats = log_ways(m, [*roles, k]) + Decimal(log_message)
    nats -= Decimal(delta).ln() + log_split([*roles, k])
    return one_minus_exp(nats, m - sum(roles) - k)


@decimals
def log_delta(m, roles, log_message, delta):
    """The tail form's delta'."""
    return Decimal(delta).ln() + log_split(roles) - log_ways(m, roles) - Decimal(log_message)


@decimals
def log_tail(k, n, e):
    """ln P[Bin(n, e) <= k], summed downwards from k until nothing is added."""
    term = total = Decimal(1)
    for i in range(k, 0, -1):
        term *= i * (1 - e) / ((n - i + 1) * e)
        total += term
        if term < total.scaleb(-40) and i < n * e:
            break
    return log_ways(n, [k]) + k * e.ln() + (n - k) * (1 - e).ln() + total.ln()


@decimals
def tail_inverse(k, n, log_probability):
    """Largest e whose tail has that probability, by halving."""
    low, high = Decimal(0), Decimal(1)
    if k == n:
        return high
    for _ in range(60):
        middle = (low + high) / 2
        if log_tail(k, n, middle) >= log_probability:
            low = middle
        else:
            high = middle
    return low


@decimals
def tail(m, roles, k, log_message, delta):
    return tail_inverse(k, m - sum(roles), log_delta(m, roles, log_message, delta))


@decimals
def printed(m_p, m_n, positives, negatives, messages, delta, *, ordered=False):
    """The papers' form: sizes in each class, errors last, and the number of messages."""
    nats = Decimal(messages).ln() - Decimal(delta).ln() - log_split([*positives, *negatives])
    right = m_p + m_n - sum(positives) - sum(negatives)
    for m, sizes in ((m_p, positives), (m_n, negatives)):
        nats += log_ways(m, sizes)
        if ordered:
            nats += sum(map(log_factorial, sizes))
    return one_minus_exp(nats, right)
