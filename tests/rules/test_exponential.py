"""The exponential of votes: nearly that of the C library, and made of fixed operations."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulewright.rules import consistent_shares, exponential


@given(st.floats(-800, 0))
def test_the_exponential_is_within_one_unit_in_the_last_place(x):
    found = float(exponential(np.array([x]))[0])
    assert abs(found - math.exp(x)) <= math.ulp(math.exp(x))


def test_ends():
    found = exponential(np.array([0.0, -5e-324, -745.13, -746.0, -1e308, -np.inf]))
    assert found.tolist() == [1.0, 1.0, 5e-324, 0.0, 0.0, 0.0]


@given(st.lists(st.floats(0.01, 100), min_size=9, max_size=40))
def test_shares_are_divided_by_a_sum_in_the_order_of_the_classes(weights):
    total = 0.0
    for weight in weights:
        total += weight
    most = int(np.argmax(weights))
    for order in "CF":
        table = np.array([weights, weights], order=order)
        found = consistent_shares(table, np.array([most, most]))
        assert found.tolist() == [[weight / total for weight in weights]] * 2
