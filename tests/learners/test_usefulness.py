"""Signed weights order predicates as their usefulness does."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.learners.base.usefulness import MAX_WEIGHT, signed_weights, usefulness

WEIGHTS = st.lists(
    st.one_of(st.integers(1, 9).map(float), st.floats(1e-6, 1e6)), min_size=2, max_size=8
)


PENALTIES = [
    *(Fraction(0), Fraction(1, 10**300), Fraction(1, 10**18), Fraction(11, 10), Fraction(3)),
    *(Fraction(10**18), Fraction(10**300), math.inf),
]


@given(WEIGHTS, st.data(), st.sampled_from(PENALTIES))
def test_whole_weights_compare_exactly(weights, data, p):
    weight = np.floor(np.array(weights)) + 1
    covered = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(weights), max_size=len(weights)))
    )
    signed = signed_weights(covered, weight, p)
    sides = [
        np.array(data.draw(st.lists(st.booleans(), min_size=len(weights), max_size=len(weights))))
        for _ in range(2)
    ]

    def value(side):
        covers = sum(Fraction(w) for w in weight[side & covered])
        loses = sum(Fraction(w) for w in weight[side & ~covered])
        if p == math.inf:
            return (-loses, covers)
        return (covers - p * loses, 0) if p else (covers, -loses)

    one, two = (int(signed[side].sum()) for side in sides)
    assert (one > two) == (value(sides[0]) > value(sides[1]))
    assert (one == two) == (value(sides[0]) == value(sides[1]))


@given(WEIGHTS, st.sampled_from([Fraction(0), Fraction(repr(0.1234567890123456)), math.inf]))
def test_any_weights_stay_within_bounds_and_keep_their_sign(weights, p):
    weight = np.array(weights)
    covered = np.arange(weight.size) % 2 == 0
    signed = signed_weights(covered, weight, p)
    assert (signed[covered] > 0).all()
    assert (signed[~covered] < 0).all()
    assert sum(abs(int(w)) for w in signed) <= 2 * MAX_WEIGHT


def test_a_tiny_weight_is_never_lost_against_an_infinite_penalty():
    weight = np.array([1e12, 1e-12, 1.0])
    signed = signed_weights(np.array([True, False, True]), weight, math.inf)
    assert signed[1] + signed[0] + signed[2] < 0


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-300, 1e300, 1e307])
@pytest.mark.parametrize("p", PENALTIES)
def test_weights_of_any_size_order_as_their_proportions(size, p):
    signed = signed_weights(np.array([True, True, False]), size * np.array([1.0, 4.0, 1.0]), p)
    assert 0 < signed[0] < signed[1]
    assert signed[2] < 0


def test_proportions_survive_scaling():
    weight = np.array([0.1, 0.2, 0.3])
    signed = signed_weights(np.array([True, True, True]), weight, Fraction(1))
    assert signed / signed[0] == pytest.approx([1, 2, 3], rel=1e-12)


def test_losing_nothing_costs_nothing_even_at_an_infinite_price():
    assert usefulness(3.0, 0.0, math.inf) == 3.0
    assert usefulness(3.0, 1.0, math.inf) == -math.inf
    assert usefulness(3.0, 2.0, Fraction(1, 2)) == 2.0
