"""Criteria are what their sources say, on any counts."""

import inspect
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import criteria as oracle
from strategies.counts import coverages
from strategies.effort import QUARTER

from rulewright import criteria
from rulewright.criteria import CRITERIA
from rulewright.criteria.arithmetic import log_choose
from rulewright.errors import InputError


@pytest.mark.parametrize("name", CRITERIA)
@given(counts=coverages())
@example(counts=(0, 0, 0, 0))
@example(counts=(0, 0, 3, 4))
@example(counts=(3, 4, 3, 4))
@example(counts=(0, 2, 0, 4))
@example(counts=(2, 0, 3, 0))
def test_a_criterion_is_what_fractions_and_factorials_give(name, counts):
    expected = float(oracle.CRITERIA[name](*counts))
    assert CRITERIA[name](*counts) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(coverages(), st.integers(0, 9))
def test_costs_and_estimates_take_their_parameter(counts, number):
    for name, parameter in (("linear_cost", "cost"), ("m_estimate", "m")):
        expected = float(oracle.CRITERIA[name](*counts, **{parameter: number}))
        found = CRITERIA[name](*counts, **{parameter: number})
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
        with pytest.raises(TypeError):
            CRITERIA[name](*counts, number)


def test_an_estimate_without_more_examples_is_precision():
    assert criteria.m_estimate(3, 1, 5, 5, m=0) == criteria.precision(3, 1, 5, 5)
    assert criteria.m_estimate(3, 1, 5, 5, m=2) == criteria.laplace(3, 1, 5, 5)


def test_the_registry_has_every_criterion_by_its_name():
    names = (
        "precision accuracy linear_cost relative_accuracy ratio entropy gini fisher boosting "
        "boosting_normalised laplace m_estimate foil_gain wracc correlation"
    )
    assert list(CRITERIA) == names.split()
    assert set(oracle.CRITERIA) == set(CRITERIA)
    for name, criterion in CRITERIA.items():
        assert criterion is getattr(criteria, name)
        assert list(inspect.signature(criterion).parameters)[:4] == ["p", "n", "P", "N"]
        assert "]_" in criterion.__doc__, f"{name} cites no source"


@pytest.mark.parametrize("name", CRITERIA)
@QUARTER
@given(data=st.data())
def test_arrays_broadcast_and_numbers_give_numbers(name, data):
    rows = data.draw(st.lists(coverages(), min_size=1, max_size=5))
    P, N = max(row[2] for row in rows), max(row[3] for row in rows)
    p, n = np.array(rows)[:, :1], np.array(rows)[:, 1]
    table = CRITERIA[name](p, n, P, N)
    assert table.shape == (len(rows), len(rows)) and table.dtype == np.float64
    for i, j in np.ndindex(*table.shape):
        one = CRITERIA[name](int(p[i, 0]), int(n[j]), P, N)
        assert isinstance(one, float) and one == table[i, j]


@pytest.mark.parametrize("name", CRITERIA)
def test_a_criterion_of_nothing_is_an_empty_array(name):
    assert CRITERIA[name](np.empty(0), np.empty(0), 3, 4).shape == (0,)


@given(st.tuples(*[st.integers(1, 9)] * 4))
def test_the_gain_tends_to_the_statistical_criterion(parts):
    """The lecture's theorem: gain -> Fisher / (L ln 2) as the sample of L grows."""
    p, n, rest_p, rest_n = parts
    apart = []
    for scale in (10, 1_000, 100_000, 10_000_000):
        counts = [scale * count for count in (p, n, p + rest_p, n + rest_n)]
        size = counts[2] + counts[3]
        limit = criteria.fisher(*counts) / (size * math.log(2))
        apart.append(abs(criteria.entropy(*counts) - limit))
    assert apart[-1] < 1e-6
    # Stirling's formula: they differ by ln L / L and less.
    assert all(after < before / 10 for before, after in pairwise(apart))


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_logarithms_of_binomial_coefficients_lose_no_digits(n, k):
    n, k = max(n, k), min(n, k)
    exact = oracle.logarithm(Fraction(math.comb(n, k)))
    assert float(log_choose(n, k)) == pytest.approx(exact, rel=1e-13, abs=1e-13)


@given(st.floats(0.01, 50), st.floats(0.01, 50))
def test_binomial_coefficients_of_weights_follow_the_gamma_function(k, rest):
    exact = math.lgamma(k + rest + 1) - math.lgamma(k + 1) - math.lgamma(rest + 1)
    assert float(log_choose(k + rest, k)) == pytest.approx(exact, rel=1e-11, abs=1e-11)


WEIGHTS = st.just(0.0) | st.floats(1e-9, 1e9)


@given(hnp.arrays(np.float64, 4, elements=WEIGHTS), st.sampled_from(sorted(CRITERIA)))
def test_weights_may_stand_for_counts(parts, name):
    p, n, rest_p, rest_n = parts
    assert np.isfinite(CRITERIA[name](p, n, p + rest_p, n + rest_n))


def test_a_sum_of_weights_in_another_order_is_no_more_than_there_is():
    whole = 0.1 + 0.2 + 0.3
    part = 0.3 + 0.2 + 0.1
    assert whole > part
    for criterion in CRITERIA.values():
        assert criterion(whole, 0.0, part, 1.0) == criterion(part, 0.0, part, 1.0)


@pytest.mark.parametrize(
    "counts",
    [(3, 0, 2, 5), (0, 6, 2, 5), (-1, 0, 2, 5), (0, math.nan, 2, 5), (0, 0, math.inf, 5)],
)
@pytest.mark.parametrize("name", CRITERIA)
def test_counts_that_cannot_be_are_refused(name, counts):
    with pytest.raises(
        InputError, match=r"covered counts must be .* from 0 to the totals.*order .* p, n, P, N"
    ):
        CRITERIA[name](*counts)


def test_parameters_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match=r"cost must be a finite number of 0 or more, got -1"):
        criteria.linear_cost(1, 1, 2, 2, cost=-1)
    with pytest.raises(InputError, match=r"m must be a finite number of 0 or more, got nan"):
        criteria.m_estimate(1, 1, 2, 2, m=math.nan)
