"""Bounds from check rows, against SciPy, at their ends, and by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import split as oracle
from scipy import stats

from rulewright.bounds import bounded_loss_bound, split_bound, split_interval
from rulewright.errors import InputError

DELTAS = st.sampled_from([0.5, 0.05, 1e-3, 1e-9])
LOG_PRIORS = st.one_of(st.just(0.0), st.floats(-200, -1e-9))
LOG_SPLITS = st.sampled_from([0.0, math.log(16 / 15), math.log(5 * 16 / 15), math.log(1000)])


@st.composite
def counts(draw, most=2000):
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


@given(counts(), LOG_PRIORS, LOG_SPLITS, DELTAS)
def test_the_bound_equals_halving_on_scipys_tail(count, log_prior, log_splits, delta):
    k, n = count
    expected = oracle.upper(k, n, -math.log(delta) - log_prior + log_splits)
    assert split_bound(k, n, log_prior, log_splits, delta) == pytest.approx(expected, rel=1e-9)


@given(counts(), LOG_PRIORS, LOG_SPLITS, DELTAS)
def test_the_interval_equals_halving_on_scipys_tail(count, log_prior, log_splits, delta):
    k, n = count
    length = -math.log(delta / 2) - log_prior + log_splits
    low, high = split_interval(k, n, log_prior, log_splits, delta)
    assert low == pytest.approx(oracle.lower(k, n, length), rel=1e-9, abs=1e-12)
    assert high == pytest.approx(oracle.upper(k, n, length), rel=1e-9)
    assert low <= k / n <= high


@given(counts(most=10**5), st.sampled_from([0.5, 0.1, 0.05, 0.01, 1e-6]))
def test_one_split_and_one_candidate_is_clopper_and_pearsons_bound(count, delta):
    k, n = count
    expected = oracle.clopper_pearson(k, n, delta)
    assert split_bound(k, n, 0.0, delta=delta) == pytest.approx(expected, abs=1e-12)


@given(counts(most=300), LOG_PRIORS, DELTAS)
def test_prior_and_splits_are_one_price(count, log_prior, delta):
    k, n = count
    paid = split_bound(k, n, log_prior, math.log(5), delta)
    assert paid == pytest.approx(split_bound(k, n, log_prior - math.log(5), 0.0, delta), rel=1e-12)
    assert paid >= split_bound(k, n, log_prior, 0.0, delta) >= split_bound(k, n, 0.0, 0.0, delta)


@given(counts(most=300), LOG_PRIORS, DELTAS)
def test_more_errors_and_fewer_rows_are_a_larger_bound(count, log_prior, delta):
    k, n = count
    bound = split_bound(k, n, log_prior, 0.0, delta)
    assert split_bound(k, n + 1, log_prior, 0.0, delta) <= bound
    assert k == n or split_bound(k + 1, n, log_prior, 0.0, delta) >= bound


@pytest.mark.parametrize("n", [1, 2, 50, 10**6])
def test_no_errors_and_only_errors(n):
    assert split_bound(0, n, -3.0) == pytest.approx(1 - (0.05 * math.exp(-3)) ** (1 / n), rel=1e-9)
    assert split_bound(n, n, -3.0) == 1.0
    assert split_interval(0, n, -3.0)[0] == 0.0
    assert split_interval(n, n, -3.0)[1] == 1.0
    assert split_interval(n, n, 0.0)[0] == pytest.approx(0.025 ** (1 / n), rel=1e-9)


def test_no_check_rows_promise_nothing():
    assert split_bound(0, 0, 0.0) == 1.0
    assert split_interval(0, 0, -2.0) == (0.0, 1.0)
    assert bounded_loss_bound(0.0, 0) == 1.0


@pytest.mark.parametrize("log_prior", [-1e3, -1e5, -1e8])
def test_a_length_at_which_the_probability_underflows_is_paid_in_logarithms(log_prior):
    n = 10**6
    exact = -math.expm1((math.log(0.05) + log_prior) / n)
    assert split_bound(0, n, log_prior) == pytest.approx(exact, rel=1e-12)
    assert exact <= split_bound(10, n, log_prior) <= 1.0
    assert split_interval(10, n, log_prior)[0] < 1e-5


def test_a_prior_of_nothing_promises_nothing():
    assert split_bound(3, 10, -math.inf) == 1.0
    assert split_interval(3, 10, -math.inf) == (0.0, 1.0)
    assert bounded_loss_bound(0.2, 10, -math.inf) == 1.0


def test_a_price_near_zero_is_as_good_as_none():
    assert split_bound(3, 40, -1e-15) == pytest.approx(split_bound(3, 40, 0.0), rel=1e-12)
    assert split_bound(3, 40, 1e-13) == split_bound(3, 40, 0.0)  # a sum of shares, rounded


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0.0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"delta": math.nan}, r"delta must be in \(0, 1\), got nan"),
        ({"log_prior": 0.1}, "logarithm of a prior must be 0 or less, got 0.1"),
        ({"log_prior": math.nan}, "logarithm of a prior must be 0 or less, got nan"),
        ({"log_splits": -0.1}, "log_splits must be 0 or more, got -0.1"),
        ({"log_splits": math.inf}, "log_splits must be 0 or more, got inf"),
        ({"log_splits": math.nan}, "log_splits must be 0 or more, got nan"),
    ],
)
def test_impossible_prices_are_refused(arguments, reason):
    given = {"log_prior": -1.0, **arguments}
    for bound in (split_bound, split_interval):
        with pytest.raises(InputError, match=reason):
            bound(1, 10, **given)
    with pytest.raises(InputError, match=reason):
        bounded_loss_bound(0.1, 10, **given)


@pytest.mark.parametrize(("k", "n"), [(-1, 10), (11, 10), (1, 0), (0, -1)])
def test_impossible_counts_are_refused(k, n):
    for bound in (split_bound, split_interval):
        with pytest.raises(InputError, match="k must be from 0 to n"):
            bound(k, n, -1.0)
    with pytest.raises(TypeError):
        split_bound(0.5, 10, -1.0)


@pytest.mark.parametrize("mean", [-0.1, 1.1, math.nan])
def test_impossible_losses_are_refused(mean):
    with pytest.raises(InputError, match=r"mean loss must be in \[0, 1\]"):
        bounded_loss_bound(mean, 10)


@pytest.mark.parametrize("bound", [split_bound, split_interval])
def test_numbers_of_numpy_are_taken(bound):
    assert bound(np.int8(100), np.int16(300), -1.0) == bound(100, 300, -1.0)


# Losses between 0 and 1.


@given(st.floats(0, 1), st.integers(1, 3000), LOG_PRIORS, LOG_SPLITS, DELTAS)
def test_the_bound_of_losses_is_the_smaller_one_of_two(mean, n, log_prior, log_splits, delta):
    length = -math.log(delta) - log_prior + log_splits
    expected = min(oracle.hoeffding(mean, n, length), oracle.bentkus(mean, n, length))
    found = bounded_loss_bound(mean, n, log_prior, log_splits, delta)
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-12)
    assert found >= mean


@given(counts(most=500), LOG_PRIORS, DELTAS)
def test_errors_are_losses_and_never_promise_less_than_the_exact_tail(count, log_prior, delta):
    """Errors are also losses. Hoeffding's and Bentkus' tails are at least the binomial one."""
    k, n = count
    losses = bounded_loss_bound(k / n, n, log_prior, 0.0, delta)
    assert losses >= split_bound(k, n, log_prior, 0.0, delta) - 1e-12


def test_the_smaller_bound_is_sometimes_one_and_sometimes_the_other():
    length = math.log(20)
    pairs = [(mean, n) for mean in (0.0, 0.003, 0.1, 0.4) for n in (10, 100, 1000)]
    first = [oracle.hoeffding(m, n, length) < oracle.bentkus(m, n, length) for m, n in pairs]
    assert any(first)
    assert not all(first)


LOSSES = {
    "uniform": lambda rng, shape: rng.random(shape),
    "mostly none": lambda rng, shape: rng.random(shape) ** 8,
    "two values": lambda rng, shape: rng.choice([0.2, 0.7], shape, p=[0.9, 0.1]),
    "rarely much": lambda rng, shape: rng.choice([0.01, 0.98], shape, p=[0.95, 0.05]),
    "errors": lambda rng, shape: (rng.random(shape) < 0.07).astype(float),
}
MEANS = {
    "uniform": 0.5,
    "mostly none": 1 / 9,
    "two values": 0.25,
    "rarely much": 0.0585,
    "errors": 0.07,
}


def failure_rate(name, n, delta, bound, samples=2000):
    """How often the bound is below the true mean; a repeated mean is asked about once."""
    means = LOSSES[name](np.random.default_rng(n), (samples, n)).mean(axis=1).round(12)
    values, times = np.unique(means, return_counts=True)
    # A bound grows with the mean: find by halving where it is above the truth.
    low, high = 0, values.size
    while low < high:
        middle = (low + high) // 2
        failed = bound(float(values[middle]), n, delta=delta) < MEANS[name]
        low, high = (middle + 1, high) if failed else (low, middle)
    return int(times[:low].sum()), samples


@pytest.mark.parametrize("n", [8, 60, 400])
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("name", LOSSES)
def test_the_bound_of_losses_fails_at_most_a_share_delta_of_the_time(name, delta, n):
    failures, samples = failure_rate(name, n, delta, bounded_loss_bound)
    assert failures <= stats.binom.isf(1e-6, samples, delta)


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_a_bound_that_leaves_out_a_factor_would_be_noticed(delta):
    """Bentkus' bound without the factor e, and rounded down: it fails too often."""

    def wrong(mean, n, delta):
        return split_bound(math.floor(n * mean), n, 0.0, 0.0, min(3 * delta, 0.99))

    failures, samples = failure_rate("errors", 400, delta, wrong)
    assert failures > stats.binom.isf(1e-6, samples, delta)
