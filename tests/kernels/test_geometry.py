"""Distances and similarities, against one row at a time in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.numbers import numeric_columns

from rulewright.kernels import distances, similarities

FINITE = st.one_of(st.floats(-50, 50), st.just(math.nan))


def same(found, expected):
    return found == expected or (math.isnan(found) and math.isnan(expected))


@st.composite
def cases(draw):
    columns = draw(numeric_columns(values=FINITE))
    point = draw(st.lists(st.floats(-50, 50), min_size=len(columns), max_size=len(columns)))
    return columns, point


def distance(row, point, metric):
    differences = [abs(x - c) for x, c in zip(row, point, strict=True)]
    if any(map(math.isnan, differences)):
        return math.nan
    if metric == "linf":
        return max(differences)
    total = 0.0
    for d in differences:
        total += d if metric == "l1" else d * d
    return total if metric == "l1" else math.sqrt(total)


@given(cases(), st.sampled_from(["l1", "l2", "linf"]))
def test_distances_are_bit_for_bit_the_plain_sum(case, metric):
    columns, point = case
    found = distances(columns, point, metric)
    for i, row in enumerate(zip(*columns, strict=True)):
        assert same(found[i], distance(row, point, metric))


@given(cases(), st.sampled_from(["l1", "l2", "linf"]))
def test_distances_do_not_depend_on_how_columns_lie_in_memory(case, metric):
    columns, point = case
    copies = [np.ascontiguousarray(x) for x in columns]
    here, there = distances(columns, point, metric), distances(copies, point, metric)
    assert here.tobytes() == there.tobytes()


@given(cases())
def test_a_linear_similarity_is_the_plain_sum_of_products(case):
    columns, point = case
    found = similarities(columns, point, "linear")
    for i, row in enumerate(zip(*columns, strict=True)):
        total = 0.0
        for x, c in zip(row, point, strict=True):
            total += x * c
        assert same(found[i], total)


@given(cases(), st.sampled_from([0.01, 1.0]))
def test_other_similarities_follow_their_formula(case, gamma):
    columns, point = case
    rbf = similarities(columns, point, "rbf", gamma=gamma)
    polynomial = similarities(columns, point, "polynomial", gamma=gamma, offset=1.0, degree=3)
    for i, row in enumerate(zip(*columns, strict=True)):
        dot = sum(x * c for x, c in zip(row, point, strict=True))
        square = distance(row, point, "l2") ** 2
        assert same(rbf[i], rbf[i]) and (
            math.isnan(square) or rbf[i] == pytest.approx(math.exp(-gamma * square), abs=1e-12)
        )
        assert math.isnan(dot) or polynomial[i] == pytest.approx((gamma * dot + 1.0) ** 3, rel=1e-9)


def test_a_point_needs_a_coordinate_a_column():
    with pytest.raises(ValueError, match="one coordinate a column"):
        distances([np.zeros(2), np.zeros(2)], [1.0], "l2")
    with pytest.raises(ValueError, match="at least one coordinate"):
        distances([], [], "l2")
