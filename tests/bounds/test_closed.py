"""The closed form and the hold-out form, against decimal arithmetic of 60 digits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import compression as oracle

from rulewright.bounds import compression_closed, compression_tail, holdout_tail, log_arrangements
from rulewright.errors import InputError


@st.composite
def trainings(draw, most=60):
    """Examples, roles and errors that fit together."""
    roles = draw(st.lists(st.integers(0, 6), max_size=4))
    others = draw(st.integers(0, most))
    return sum(roles) + others, roles, draw(st.integers(0, others))


messages = st.floats(0, 50)
deltas = st.sampled_from([0.5, 0.05, 1e-3, 1e-30])


@given(trainings(), messages, deltas)
def test_the_closed_form_equals_sixty_digits(training, log_message, delta):
    expected = float(oracle.closed(*training, log_message, delta))
    assert compression_closed(*training, log_message, delta) == pytest.approx(expected, rel=1e-10)


@given(trainings(most=30), messages, deltas)
def test_the_tail_form_equals_sixty_digits(training, log_message, delta):
    expected = float(oracle.tail(*training, log_message, delta))
    assert compression_tail(*training, log_message, delta) == pytest.approx(expected, rel=1e-10)


LARGE = [
    (10**8, [10**5], 0, 0.0),
    (10**8, [10**5], 10**5, 1e6),
    (10**8, [5 * 10**4, 3 * 10**4, 2 * 10**4], 5 * 10**7, 1e5),
    (10**8, [1], 5 * 10**7, 0.0),
    (10**8, [10**5], 99_899_990, 3.0),
    (10**8, [], 0, 0.0),
    (10**6, [10**5], 1, 1e5),
    (2 * 10**5, [10**5], 99_999, 0.0),
]


def test_the_oracles_series_equals_its_whole_numbers():
    exact = oracle.DIGITS.ln(oracle.Decimal(math.factorial(2000)))
    assert oracle.log_factorial(2000) == pytest.approx(exact, rel=oracle.Decimal("1e-50"))


@pytest.mark.parametrize(("m", "roles", "k", "log_message"), LARGE)
def test_the_closed_form_loses_no_digits_at_a_hundred_million(m, roles, k, log_message):
    expected = float(oracle.closed(m, roles, k, log_message, 0.05))
    assert compression_closed(m, roles, k, log_message) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("m", "roles", "k", "log_message"), LARGE)
def test_the_tail_form_loses_no_digits_at_a_hundred_million(m, roles, k, log_message):
    """The oracle's tail on both sides of the bound has the two signs it must have."""
    bound = compression_tail(m, roles, k, log_message)
    log_delta = oracle.log_delta(m, roles, log_message, 0.05)
    for factor, above in ((1 - 1e-10, True), (1 + 1e-10, False)):
        e = oracle.Decimal(bound) * oracle.Decimal(factor)
        if e < 1:
            assert (oracle.log_tail(k, m - sum(roles), e) >= log_delta) == above


def test_published_figures_are_met():
    closed = compression_closed(m=691, roles=[3, 3, 3], k=130, log_message=math.log(756))
    assert closed == pytest.approx(0.53, abs=0.005)
    assert compression_closed(m=615, roles=[1, 1, 1], k=15) == pytest.approx(0.157, abs=0.0005)


@given(trainings(), messages, deltas)
def test_the_tail_form_is_never_larger(training, log_message, delta):
    """``Bin(k; n, e) <= C(n, k) (1 - e)^(n - k)``, and the closed form pays for k besides."""
    tail = compression_tail(*training, log_message, delta)
    assert tail <= compression_closed(*training, log_message, delta) * (1 + 1e-12)


def test_more_of_anything_costs_more():
    plain = compression_closed(500, [2], 20)
    assert compression_closed(500, [3], 20) > plain
    assert compression_closed(500, [2, 0], 20) > plain
    assert compression_closed(500, [2], 20, log_message=1.0) > plain
    assert compression_closed(500, [2], 20, delta=0.01) > plain
    assert compression_closed(500, [2], 20, aside=1) > plain
    assert compression_closed(600, [2], 20) < plain
    bounds = [compression_closed(500, [2], k) for k in range(499)]
    assert bounds == sorted(bounds)
    assert len(set(bounds[:300])) == 300


def test_a_machine_that_is_right_on_nothing_is_bounded_by_one():
    assert compression_closed(10, [4], 6) == 1.0
    assert compression_closed(10, [10], 0) == 1.0
    assert compression_closed(10, [4], 4, aside=2) == 1.0
    assert compression_closed(0, [], 0) == 1.0


def test_examples_set_aside_test_nothing():
    """They shrink what the errors are drawn from, and what is right, and nothing else."""
    ways = math.comb(100, 2) * math.comb(88, 5)
    prior = (6 / math.pi**2) ** 2 / (3 * 6) ** 2
    expected = 1 - (0.05 * prior / ways) ** (1 / 83)
    assert compression_closed(100, [2], 5, aside=10) == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 300), st.floats(0, 1), st.integers(1, 100), deltas)
def test_the_holdout_form_pays_for_the_candidates_alone(m, share, candidates, delta):
    k = int(share * m)
    log_choices = math.log(candidates)
    expected = compression_tail(m, [], k, delta=delta / candidates)
    assert holdout_tail(m, k, log_choices, delta) == pytest.approx(expected, rel=1e-9)


def test_nothing_held_out_says_nothing():
    assert holdout_tail(m=0, k=0) == 1.0


def test_integers_of_any_kind_give_the_same_closed_form():
    m, n, k = (np.uint8(number) for number in (100, 3, 70))
    assert compression_closed(m, [n], k, 40.0) == compression_closed(100, [3], 70, 40.0)
    assert holdout_tail(m, k) == holdout_tail(100, 70)


@given(st.integers(0, 400), st.floats(0, 1))
def test_arrangements_are_counted_in_order(n, share):
    k = int(share * n)
    expected = math.log(math.perm(n, k))
    assert log_arrangements(n, k) == pytest.approx(expected, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"m": 10, "roles": [6, 6], "k": 0}, r"at most m = 10, got \[6, 6\]"),
        ({"m": 10, "roles": [-1], "k": 0}, "roles must be 0 or more"),
        ({"m": 10, "roles": [2], "k": 9}, "from 0 to 8, .* got 9"),
        ({"m": 10, "roles": [2], "k": 7, "aside": 2}, "from 0 to 6, .* got 7"),
        ({"m": 10, "roles": [2], "k": 0, "aside": 9}, "aside must be from 0 to 8, got 9"),
        ({"m": 10, "roles": [2], "k": 0, "delta": 1.0}, r"delta must be in \(0, 1\)"),
        ({"m": 10, "roles": [2], "k": 0, "log_message": math.inf}, "0 nats or more"),
    ],
)
def test_impossible_numbers_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        compression_closed(**arguments)


def test_impossible_holdouts_are_refused():
    with pytest.raises(InputError, match="from 0 to 10, .* got 11"):
        holdout_tail(m=10, k=11)
    with pytest.raises(InputError, match="0 nats or more"):
        holdout_tail(m=10, k=1, log_choices=-1.0)
