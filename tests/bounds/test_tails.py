"""Binomial tails and coefficients, against exact arithmetic and SciPy."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import tails as oracle
from scipy import stats

from rulewright.bounds import (
    log_binomial_mass,
    log_binomial_tail,
    log_choose,
    log_multinomial,
    tail_inverse,
)
from rulewright.errors import InputError


@st.composite
def counts(draw, most=60):
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


@given(counts(), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
def test_tails_equal_exact_sums(count, e):
    k, n = count
    exact = oracle.binomial_tail(k, n, e)
    assert log_binomial_tail(k, n, float(e)) == pytest.approx(math.log(exact), rel=1e-11, abs=1e-11)
    mass = math.comb(n, k) * e**k * (1 - e) ** (n - k)
    assert log_binomial_mass(k, n, float(e)) == pytest.approx(math.log(mass), rel=1e-11, abs=1e-11)


@given(counts(most=25), st.sampled_from([0.5, 0.05, 1e-3, 1e-9]))
def test_the_inverse_equals_exact_halving(count, delta):
    k, n = count
    assert tail_inverse(k, n, math.log(delta)) == pytest.approx(
        oracle.tail_inverse(k, n, Fraction(delta)), abs=1e-9
    )


@given(counts(most=10**6), st.floats(-300, -1e-3))
def test_the_inverse_equals_scipys_where_scipy_can(count, log_delta):
    k, n = count
    if k == n:
        assert tail_inverse(k, n, log_delta) == 1.0
        return
    expected = stats.beta.isf(math.exp(log_delta), k + 1, n - k)
    if math.isnan(expected):  # SciPy gives up where the answer is one, to all digits
        assert tail_inverse(k, n, log_delta) == pytest.approx(1.0, abs=1e-12)
        return
    assert tail_inverse(k, n, log_delta) == pytest.approx(expected, rel=1e-9)


@given(counts(most=500), st.sampled_from([0.1, 0.05, 0.01]))
def test_it_is_clopper_and_pearsons_upper_end(count, delta):
    k, n = count
    interval = stats.binomtest(k, n).proportion_ci(1 - 2 * delta, method="exact")
    assert tail_inverse(k, n, math.log(delta)) == pytest.approx(interval.high, rel=1e-9)


@pytest.mark.parametrize(
    ("k", "n", "log_delta"),
    [
        (100, 1000, -1e4),
        (0, 10**8, -1e5),
        (10**5, 10**8, -1e6),
        (5 * 10**7, 10**8, -745.2),
        (3, 5, -1e3),
    ],
)
def test_probabilities_far_below_any_double_are_inverted(k, n, log_delta):
    e = tail_inverse(k, n, log_delta)
    assert k / n < e <= 1
    if e < 1:
        assert log_binomial_tail(k, n, e) == pytest.approx(log_delta, rel=1e-9)


def test_the_inverse_is_monotone():
    bounds = [tail_inverse(k, 200, -5.0) for k in range(201)]
    assert bounds == sorted(bounds)
    bounds = [tail_inverse(20, 200, -float(x)) for x in range(1, 2000, 7)]
    assert bounds == sorted(bounds)


@pytest.mark.parametrize(
    ("k", "n", "log_delta"), [(-1, 5, -1), (6, 5, -1), (1, 5, 0.1), (1, 5, math.nan)]
)
def test_impossible_counts_are_refused(k, n, log_delta):
    with pytest.raises(InputError):
        tail_inverse(k, n, log_delta)


@given(counts(most=3000))
def test_binomial_coefficients_are_exact_to_ten_digits(count):
    k, n = count
    assert log_choose(n, k) == pytest.approx(math.log(math.comb(n, k)), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(("n", "k"), [(10**8, 3), (10**8, 10**5), (10**8, 5 * 10**7)])
def test_large_binomial_coefficients_lose_no_digits(n, k):
    if k <= 10**5:
        exact = math.fsum(math.log((n - i) / (i + 1)) for i in range(k))
        assert log_choose(n, k) == pytest.approx(exact, rel=1e-12)
    assert log_choose(n, k) == pytest.approx(log_choose(n, n - k), rel=1e-14)


def test_multinomials_are_products():
    assert math.exp(log_multinomial(10, [2, 3])) == pytest.approx(
        math.comb(10, 2) * math.comb(8, 3)
    )
    assert log_multinomial(10, []) == 0.0
    with pytest.raises(InputError, match="from 0 to n = 4, got 5"):
        log_choose(4, 5)
