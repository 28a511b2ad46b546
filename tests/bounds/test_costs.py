"""Expected costs: from class rates and a prior, and without any prior."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rulewright.bounds import class_tails, compression_tail, cost_bound, cost_tail
from rulewright.errors import InputError


def test_costs_are_weighed_by_prior_and_rate():
    assert cost_bound([0.1, 0.2], [1.0, 5.0], [0.9, 0.1]) == pytest.approx(0.19, rel=1e-12)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 100)), min_size=1, max_size=5), st.data())
def test_no_cost_is_above_what_is_possible(pairs, data):
    rates, costs = zip(*pairs, strict=True)
    parts = data.draw(
        st.lists(st.floats(0.01, 1), min_size=len(rates), max_size=len(rates)), label="prior"
    )
    prior = [part / sum(parts) for part in parts]
    assert 0 <= cost_bound(rates, costs, prior) <= max(costs)


@given(st.integers(20, 200), st.integers(0, 4), st.integers(0, 5), st.integers(0, 5))
def test_where_all_classes_cost_the_same_it_is_the_bound_on_the_error(m, role, a, b):
    assert cost_tail(m, [role], [a, b], [3.0, 3.0], 1.5) == pytest.approx(
        3.0 * compression_tail(m, [role], a + b, 1.5), rel=1e-12
    )


def test_a_class_that_costs_nothing_is_left_out():
    free = cost_tail(100, [2], [30, 4], [0.0, 1.0])
    assert free == compression_tail(100, [2], 4)
    assert cost_tail(100, [2], [30, 4], [0.0, 0.0]) == 0.0


def test_layers_are_tighter_than_classes_one_by_one():
    shares = [compression_tail(500, [2], k, delta=0.025) for k in (9, 5)]
    assert cost_tail(500, [2], [9, 5], [1.0, 5.0]) < shares[0] + 5 * shares[1]


@pytest.mark.slow
def test_expected_costs_are_exceeded_at_most_a_share_delta_of_the_time():
    """One fixed rule, three classes, three costs: the exact chance that the bound fails."""
    m, truth, costs, delta = 30, np.array([0.15, 0.3, 0.2]), [1.0, 2.0, 6.0], 0.1
    wrong = np.stack(np.indices((m + 1,) * 3), axis=-1).reshape(-1, 3)
    wrong = wrong[wrong.sum(axis=1) <= m]
    drawn = np.column_stack([wrong, m - wrong.sum(axis=1)])
    chance = stats.multinomial.pmf(drawn, m, [*truth, 1 - truth.sum()])
    likely = chance > 1e-9
    bounds = np.array([cost_tail(m, [], k, costs, delta=delta) for k in wrong[likely].tolist()])
    failing = chance[likely][truth @ costs > bounds].sum() + chance[~likely].sum()
    assert 0 < failing <= delta


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rates": [], "costs": [], "prior": []}, "at least one class"),
        (
            {"rates": [0.1], "costs": [1.0, 2.0], "prior": [1]},
            "costs must have .* 1 classes, got 2",
        ),
        ({"rates": [1.1], "costs": [1.0], "prior": [1]}, r"in \[0, 1\], got \[1.1\]"),
        ({"rates": [math.nan], "costs": [1.0], "prior": [1]}, r"in \[0, 1\]"),
        ({"rates": [0.1], "costs": [-1.0], "prior": [1]}, r"0 or more, got \[-1.0\]"),
        ({"rates": [0.1], "costs": [math.inf], "prior": [1]}, "finite"),
        (
            {"rates": [0.1, 0.1], "costs": [1, 1], "prior": [1.0]},
            "prior must have .* 2 classes, got 1",
        ),
        ({"rates": [0.1, 0.1], "costs": [1, 1], "prior": [0.5, 0.4]}, "sum to 1"),
        ({"rates": [0.1, 0.1], "costs": [1, 1], "prior": [1.5, -0.5]}, "0 or more for each class"),
        (
            {"rates": [0.1, 0.1], "costs": [1, 1], "prior": [math.nan, 1]},
            "0 or more for each class",
        ),
    ],
)
def test_impossible_costs_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        cost_bound(**arguments)


def test_costs_and_errors_must_be_of_the_same_classes():
    with pytest.raises(InputError, match="costs must have .* 2 classes, got 1"):
        cost_tail(100, [2], [3, 4], [1.0])
    with pytest.raises(InputError, match="finite"):
        cost_tail(100, [2], [3, 4], [1.0, math.nan])
    with pytest.raises(InputError, match="Errors outside the roles must be from 0"):
        cost_tail(100, [2], [30, 90], [1.0, 2.0])


def test_rates_and_costs_may_be_arrays():
    rates = np.array(class_tails([100, 90], [[2, 1]], [10, 9]))
    assert cost_bound(rates, np.array([2.0, 2.0]), np.array([0.5, 0.5])) == pytest.approx(
        rates.sum()
    )
