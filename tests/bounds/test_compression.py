"""Compression bounds: their formula, their arguments, what they refuse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from rulewright.bounds import class_tail, compression_tail, log_multinomial
from rulewright.errors import InputError


def log_delta(m, roles, log_message, delta):
    """The formula of the tail form, written out."""
    total = math.log(delta) - log_message
    for n in roles:
        total += math.log(6 / math.pi**2) - 2 * math.log(n + 1)
    total -= special.gammaln(m + 1) - special.gammaln(m - sum(roles) + 1)
    return total + sum(special.gammaln(n + 1) for n in roles)


@given(
    st.integers(20, 500),
    st.lists(st.integers(0, 4), max_size=3),
    st.floats(0, 1),
    st.floats(0, 20),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_the_tail_form_is_its_formula(m, roles, share, log_message, delta):
    others = m - sum(roles)
    k = int(share * (others - 1))
    expected = stats.beta.isf(math.exp(log_delta(m, roles, log_message, delta)), k + 1, others - k)
    assert compression_tail(m, roles, k, log_message, delta) == pytest.approx(expected, rel=1e-8)


@given(st.integers(1, 2000), st.floats(0, 1), st.sampled_from([0.01, 0.05, 0.1]))
def test_with_no_examples_and_no_message_it_is_clopper_and_pearson(m, share, delta):
    k = int(share * m)
    interval = stats.binomtest(k, m).proportion_ci(1 - 2 * delta, method="exact")
    assert compression_tail(m, [], k, delta=delta) == pytest.approx(interval.high, rel=1e-9)


def test_published_numbers_are_met():
    assert compression_tail(691, [3, 3, 3], 130, math.log(756)) == pytest.approx(0.40, abs=0.005)
    assert compression_tail(615, [1, 1, 1], 15) == pytest.approx(0.098, abs=0.0005)


@given(st.integers(30, 300), st.integers(30, 300), st.integers(0, 3), st.integers(0, 3))
def test_the_class_form_is_its_formula(m_p, m_n, a, b):
    miss, alarm = class_tail(m_p, m_n, [a], [b], 5, 7, log_message=2.0, delta=0.1)
    log_d = log_delta(m_p, [a], 2.0, 0.05) + log_delta(m_n, [b], 0.0, 1.0)
    assert miss == pytest.approx(stats.beta.isf(math.exp(log_d), 6, m_p - a - 5), rel=1e-8)
    assert alarm == pytest.approx(stats.beta.isf(math.exp(log_d), 8, m_n - b - 7), rel=1e-8)


def test_more_of_anything_costs_more():
    plain = compression_tail(500, [2], 20)
    assert compression_tail(500, [3], 20) > plain
    assert compression_tail(500, [2, 0], 20) > plain
    assert compression_tail(500, [2], 21) > plain
    assert compression_tail(500, [2], 20, log_message=1.0) > plain
    assert compression_tail(500, [2], 20, delta=0.01) > plain
    assert compression_tail(600, [2], 20) < plain


def test_nothing_overflows_where_the_bound_is_vacuous():
    assert compression_tail(10**8, [10**5], 10**5, log_message=1e6) < 0.03
    assert compression_tail(10, [10], 0) == 1.0
    assert 0.999 < compression_tail(1000, [400, 400], 10, log_message=1e4) <= 1.0


@pytest.mark.parametrize("integer", [np.uint8, np.int8, np.uint64, np.int32])
def test_integers_of_any_kind_give_the_same_bound(integer):
    m, n, k = (integer(number) for number in (100, 3, 70))
    assert compression_tail(m, [n], k, 40.0) == compression_tail(100, [3], 70, 40.0)
    assert class_tail(m, m, [n], [n], k, k) == class_tail(100, 100, [3], [3], 70, 70)
    assert log_multinomial(m, [n, k]) == log_multinomial(100, [3, 70])


def test_the_smallest_delta_has_a_logarithm():
    assert class_tail(10, 10, [0], [0], 5, 5, delta=5e-324) == pytest.approx((1.0, 1.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"m": 10, "roles": [6, 6], "k": 0}, "at most m = 10, got"),
        ({"m": 10, "roles": [-1], "k": 0}, "roles must be 0 or more"),
        ({"m": 10, "roles": [2], "k": 9}, "from 0 to 8, .* got 9"),
        ({"m": 10, "roles": [2], "k": -1}, "from 0 to 8, .* got -1"),
        ({"m": 10, "roles": [2], "k": 0, "delta": 0.0}, r"delta must be in \(0, 1\)"),
        ({"m": 10, "roles": [2], "k": 0, "delta": 1.0}, r"delta must be in \(0, 1\)"),
        ({"m": 10, "roles": [2], "k": 0, "log_message": -1.0}, "0 nats or more"),
        ({"m": 10, "roles": [2], "k": 0, "log_message": math.nan}, "0 nats or more"),
    ],
)
def test_impossible_numbers_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        compression_tail(**arguments)
