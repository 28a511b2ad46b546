"""Distances and similarities, against one row at a time in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.numbers import numeric_columns

from rulewright.kernels import distances, kernel_distances, similarities

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


def kernel(row, other, kind, gamma=1.0, offset=0.0, degree=1):
    total = 0.0
    for x, c in zip(row, other, strict=True):
        total += (x - c) * (x - c) if kind == "rbf" else x * c
    if kind == "rbf":
        return math.exp(-gamma * total)
    power = 1.0
    for _ in range(degree):
        power *= gamma * total + offset
    return total if kind == "linear" else power


@given(cases(), st.sampled_from(["linear", "rbf", "polynomial"]), st.sampled_from([0.01, 1.0]))
def test_distances_in_the_space_of_a_kernel_follow_their_formula(case, kind, gamma):
    columns, point = case
    shape = {"gamma": gamma, "offset": 1.0, "degree": 3}
    found = kernel_distances(columns, point, kind, **shape)
    for i, row in enumerate(zip(*columns, strict=True)):
        own, to = (kernel(row, other, kind, **shape) for other in (row, point))
        square = (own - 2 * to) + kernel(point, point, kind, **shape)
        assert same(found[i], found[i]) and math.isnan(square) == math.isnan(found[i])
        if not math.isnan(square):
            expected = math.sqrt(max(square, 0.0))
            assert found[i] == (pytest.approx(expected, abs=1e-7) if kind == "rbf" else expected)


@given(cases(), st.sampled_from(["linear", "rbf", "polynomial"]))
def test_a_row_lies_on_itself_in_the_space_of_a_kernel(case, kind):
    columns, _ = case
    for i, row in enumerate(zip(*columns, strict=True)):
        found = kernel_distances(columns, row, kind, gamma=0.3, offset=1.0, degree=3)
        assert same(found[i], math.nan if any(map(math.isnan, row)) else 0.0)


@pytest.mark.parametrize("rows", [1, 1023, 1024, 1025, 3000])
def test_many_rows_are_measured_like_few(rows):
    """Sums are made for blocks of rows, of columns that lie close together or apart."""
    X = np.random.default_rng(0).normal(size=(rows, 5))
    X[::7, 2] = np.nan
    apart, close = list(X.T), [np.ascontiguousarray(x) for x in X.T]
    point, last = X[rows // 2], [x[-1:] for x in X.T]
    for metric in ("l1", "l2", "linf"):
        found = distances(apart, point, metric)
        assert found.tobytes() == distances(close, point, metric).tobytes()
        assert same(found[-1], distances(last, point, metric)[0])
    for kind in ("linear", "rbf", "polynomial"):
        for measure in (similarities, kernel_distances):
            found = measure(apart, point, kind, gamma=0.2, offset=1.0, degree=2)
            again = measure(close, point, kind, gamma=0.2, offset=1.0, degree=2)
            single = measure(last, point, kind, gamma=0.2, offset=1.0, degree=2)
            assert found.tobytes() == again.tobytes()
            assert same(found[-1], single[0])


def test_a_point_needs_a_coordinate_a_column():
    with pytest.raises(ValueError, match="one coordinate per column"):
        distances([np.zeros(2), np.zeros(2)], [1.0], "l2")
    with pytest.raises(ValueError, match="at least one coordinate"):
        distances([], [], "l2")
    with pytest.raises(ValueError, match="one coordinate per column"):
        kernel_distances([np.zeros(2), np.zeros(2)], [1.0], "linear")
