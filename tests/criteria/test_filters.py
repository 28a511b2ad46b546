"""Filters pass what the lecture's definitions pass."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import criteria as oracle
from strategies.counts import coverages

from rulewright import criteria
from rulewright.criteria import Filters, p_value
from rulewright.errors import InputError

SHARES = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5, 0.8, 0.9, 0.95, 1.0])
SUPPORTS = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5, 0.95, 1, 2, 3, 10])


def exact(number):
    return Fraction(str(number))


@given(coverages(), SHARES, SUPPORTS)
def test_an_epsilon_delta_rule_is_told_exactly(counts, least_precision, least_support):
    p, n, P, N = counts
    precise = oracle.share(p, p + n) >= exact(least_precision)
    frequent = p if least_support >= 1 else oracle.share(p, P + N)
    found = Filters(least_precision, least_support).passes(*counts)
    assert found == (precise and frequent >= exact(least_support))


@given(coverages(), st.sampled_from([1e-6, 0.01, 0.05, 0.5, 0.95, 1.0]))
def test_a_statistical_rule_is_one_that_fishers_exact_test_does_not_leave_to_chance(counts, most):
    exact_value = oracle.p_value(*counts)
    assume(abs(exact_value - exact(most)) > 1e-12 or exact_value == 1)
    assert Filters(max_p_value=most).passes(*counts) == (exact_value <= exact(most))


@given(coverages(most=200))
def test_p_values_are_those_of_counting_every_way(counts):
    expected = float(oracle.p_value(*counts))
    assert p_value(*counts) == pytest.approx(expected, rel=1e-10, abs=0)


@pytest.mark.parametrize(
    "counts",
    [(60_000, 40_000, 120_000, 80_000), (60_500, 40_000, 120_000, 80_000), (1, 0, 1, 10**6)],
)
def test_p_values_of_large_data_are_those_of_scipy(counts):
    stats = pytest.importorskip("scipy.stats")
    p, n, P, N = counts
    expected = stats.hypergeom.sf(p - 1, P + N, P, p + n)
    assert p_value(*counts) == pytest.approx(expected, rel=1e-7)


@given(coverages(), st.floats(1e-6, 1e-3))
def test_p_values_of_weights_are_near_those_of_counts(counts, more):
    p, n, P, N = counts
    near = p_value(p, n, P, N + more), p_value(p, n + more, P, N + more)
    assert near == pytest.approx([float(oracle.p_value(*counts))] * 2, abs=0.05)


@given(coverages(), st.sampled_from([0.0, 0.01, 0.1, 0.5]), st.sampled_from([0.0, 0.5, 2.0, 5.0]))
def test_information_and_surprise_count_only_for_the_class(counts, bits, nats):
    p, n, P, N = counts
    better = p * N > n * P
    for filters, criterion, least in (
        (Filters(min_gain=bits), criteria.entropy, bits),
        (Filters(min_fisher=nats), criteria.fisher, nats),
    ):
        score = criterion(*counts)
        score = score if better else -score
        assert filters.passes(*counts) == (score >= least)


@given(st.lists(coverages(), min_size=1, max_size=6))
def test_filters_take_arrays(rows):
    p, n, P, N = np.array(rows).T
    filters = Filters(0.5, 2, max_p_value=0.5, min_gain=0.01, min_fisher=0.1)
    found = filters.passes(p, n, P, N)
    assert found.dtype == np.bool_
    assert found.tolist() == [bool(filters.passes(*row)) for row in rows]
    table = Filters(max_p_value=0.3).passes(p[:, None].clip(0, 5), n.clip(0, 5), 40, 40)
    assert table.shape == (len(rows), len(rows))


def test_everything_passes_no_filter_and_nothing_else_is_exact_than_a_pure_rule():
    assert Filters().passes([0, 3, 0], [0, 0, 4], 4, 4).all()
    exact_rules = Filters(min_precision=1).passes([5.0, 5.0, 0.0], [0.0, 1e-30, 0.0], 9, 9)
    assert exact_rules.tolist() == [True, False, False]


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("min_precision", 1.5, r"min_precision must be in \[0, 1\], got 1.5"),
        ("min_precision", math.nan, r"min_precision must be in"),
        ("min_support", -0.1, r"a share in \[0, 1\) or a whole number"),
        ("min_support", 2.5, r"got 2.5"),
        ("min_support", -2, r"got -2"),
        ("min_support", math.inf, r"got inf"),
        ("max_p_value", 0, r"max_p_value must be in \(0, 1\] or None, got 0"),
        ("min_gain", -1, r"min_gain must be a number of 0 or more, or None, got -1"),
        ("min_fisher", math.inf, r"min_fisher must be a number of 0 or more"),
    ],
)
def test_filters_that_make_no_sense_are_refused(name, value, message):
    with pytest.raises(InputError, match=message):
        Filters(**{name: value})


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(InputError, match=r"got p = 3 of P = 2"):
        Filters().passes(3, 0, 2, 2)
