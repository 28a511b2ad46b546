"""Class-wise forms, shares and costs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import compression as oracle

from rulewright.bounds import (
    class_tail,
    class_tails,
    compression_tail,
)
from rulewright.errors import InputError


@st.composite
def classes(draw, most=15):
    """Counts, roles (one row a role) and errors of one to four classes."""
    number = draw(st.integers(1, 4))
    roles = [
        draw(st.lists(st.integers(0, 3), min_size=number, max_size=number))
        for _ in range(draw(st.integers(0, 3)))
    ]
    others = draw(st.lists(st.integers(0, most), min_size=number, max_size=number))
    wrong = [draw(st.integers(0, n)) for n in others]
    counts = [n + sum(role[c] for role in roles) for c, n in enumerate(others)]
    return counts, roles, wrong


@given(classes(), st.floats(0, 20), st.sampled_from([0.2, 0.05, 1e-6]))
def test_the_class_form_equals_sixty_digits(drawn, log_message, delta):
    counts, roles, wrong = drawn
    with oracle.localcontext(oracle.DIGITS):
        log_delta = oracle.Decimal(delta).ln() - oracle.Decimal(len(counts)).ln()
        log_delta -= oracle.Decimal(log_message)
        for c, m in enumerate(counts):
            log_delta += oracle.log_delta(m, [role[c] for role in roles], 0, 1)
    bounds = class_tails(counts, roles, wrong, log_message, delta)
    for c, m in enumerate(counts):
        others = m - sum(role[c] for role in roles)
        expected = float(oracle.tail_inverse(wrong[c], others, log_delta))
        assert bounds[c] == pytest.approx(expected, rel=1e-10)


@given(st.integers(30, 300), st.integers(30, 300), st.integers(0, 3), st.integers(0, 3))
def test_two_classes_are_a_case_of_many(m_p, m_n, a, b):
    many = class_tails([m_p, m_n], [[a, b], [b, a]], [5, 7], 2.0, 0.1, aside=[3, 1])
    assert class_tail(m_p, m_n, [a, b], [b, a], 5, 7, 2.0, 0.1, 3, 1) == many


def test_a_role_that_only_one_class_can_play_costs_the_other_nothing():
    one_sided = class_tail(100, 100, [2], [], 5, 7)
    both = class_tail(100, 100, [2], [0], 5, 7)
    assert all(a < b for a, b in zip(one_sided, both, strict=True))


def test_one_class_is_the_whole():
    assert class_tails([100], [[2], [1]], [9], 3.0) == (compression_tail(100, [2, 1], 9, 3.0),)


def test_a_class_without_tests_is_bounded_by_one():
    assert class_tails([100, 0, 5], [[0, 0, 5]], [3, 0, 0])[1:] == (1.0, 1.0)


def test_more_of_anything_costs_every_class_more():
    plain = class_tails([200, 300, 250], [[2, 1, 0]], [5, 9, 3])
    dearer = [
        class_tails([200, 300, 250], [[3, 1, 0]], [5, 9, 3]),
        class_tails([200, 300, 250], [[2, 1, 0]], [6, 10, 4]),
        class_tails([200, 300, 250], [[2, 1, 0]], [5, 9, 3], log_message=1.0),
        class_tails([200, 300, 250], [[2, 1, 0]], [5, 9, 3], delta=0.01),
        class_tails([200, 300, 250], [[2, 1, 0]], [5, 9, 3], aside=[9, 9, 9]),
    ]
    for bounds in dearer:
        assert all(after > before for after, before in zip(bounds, plain, strict=True))


def test_large_counts_are_bounded_class_by_class():
    m, role, k = 10**8, 10**5, 10**7
    rates = class_tails([m, m], [[role, role]], [k, 0])
    with oracle.localcontext(oracle.DIGITS):
        log_delta = 2 * oracle.log_delta(m, [role], 0, 1) + oracle.Decimal(0.05).ln()
        log_delta -= oracle.Decimal(2).ln()
        log_tail = oracle.log_tail(k, m - role, oracle.Decimal(rates[0]))
        assert float(log_tail) == pytest.approx(float(log_delta), rel=1e-9)
        none_wrong = 1 - (log_delta / (m - role)).exp()
        assert rates[1] == pytest.approx(float(none_wrong), rel=1e-10)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"counts": [], "roles": [], "wrong": []}, "at least one class"),
        (
            {"counts": [9, 9], "roles": [[1]], "wrong": [0, 0]},
            "A role must have .* 2 classes, got 1",
        ),
        ({"counts": [9, 9], "roles": [], "wrong": [0]}, "wrong must have .* 2 classes, got 1"),
        (
            {"counts": [9], "roles": [], "wrong": [0], "aside": [0, 0]},
            "aside must have .* 1 classes",
        ),
        ({"counts": [9, 9], "roles": [[10, 0]], "wrong": [0, 0]}, "at most m = 9, got"),
        (
            {"counts": [9, 9], "roles": [[1, 1]], "wrong": [0, 9]},
            "from 0 to 8, .* got 9",
        ),
        ({"counts": [9], "roles": [[1]], "wrong": [0], "delta": 0}, "delta must be in"),
        ({"counts": [9], "roles": [], "wrong": [0], "log_message": math.nan}, "0 nats or more"),
        (
            {"counts": [9], "roles": [[1]], "wrong": [0], "aside": [9]},
            "aside must be from 0 to 8, got 9",
        ),
    ],
)
def test_impossible_classes_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        class_tails(**arguments)


def test_integers_and_arrays_of_any_kind_are_read():
    counts, roles = np.array([100, 90], np.uint8), np.array([[2, 1]], np.int8)
    assert class_tails(counts, roles, counts // 10) == class_tails([100, 90], [[2, 1]], [10, 9])
