"""The papers' printed theorems: the numbers they print, and that they are not true."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import compression as oracle

from rulewright.bounds import (
    compression_closed,
    compression_tail,
    printed_dlm_complex,
    printed_dlm_simple,
    printed_scm_balls,
    printed_scm_half_spaces,
)
from rulewright.errors import InputError

small = st.integers(0, 5)
kinds = st.sampled_from(["conjunction", "disjunction"])
deltas = st.sampled_from([0.5, 0.05, 1e-6])


@st.composite
def leftovers(draw, most=50):
    """Errors and right answers of one class outside the subsets."""
    return draw(st.integers(0, most)), draw(st.integers(0, most))


@given(kinds, small, small, small, leftovers(), leftovers(), st.floats(0, 1), deltas, st.booleans())
def test_half_spaces_equal_sixty_digits(kind, a, b, c, p, n, share, delta, ordered):
    r = round(share * a * b)
    positives, negatives = ([a, c], [b]) if kind == "conjunction" else ([a], [b, c])
    m_p, m_n = sum(positives) + sum(p), sum(negatives) + sum(n)
    which = math.perm(a * b, r) if ordered else math.comb(a * b, r)
    expected = oracle.printed(
        m_p, m_n, [*positives, p[0]], [*negatives, n[0]], max(a * b, 1) * which, delta,
        ordered=ordered,
    )  # fmt: skip
    counting = "ordered" if ordered else "printed"
    found = printed_scm_half_spaces(kind, m_p, m_n, a, b, c, p[0], n[0], r, delta, counting)
    assert found == pytest.approx(float(expected), rel=1e-10)


@given(kinds, small, small, small, leftovers(), leftovers(), deltas)
def test_balls_equal_sixty_digits(kind, c_p, c_n, b, p, n, delta):
    positives, negatives = ([c_p, b], [c_n]) if kind == "conjunction" else ([c_p], [c_n, b])
    m_p, m_n = sum(positives) + sum(p), sum(negatives) + sum(n)
    expected = oracle.printed(m_p, m_n, [*positives, p[0]], [*negatives, n[0]], 1, delta)
    found = printed_scm_balls(kind, m_p, m_n, c_p, c_n, b, p[0], n[0], delta)
    assert found == pytest.approx(float(expected), rel=1e-10)


@given(small, small, small, small, leftovers(), leftovers(), small, deltas)
def test_lists_of_balls_equal_sixty_digits(c_p, c_n, b_p, b_n, p, n, more, delta):
    m_p, m_n = c_p + b_p + sum(p), c_n + b_n + sum(n)
    sizes = (m_p, m_n, [c_p, b_p, p[0]], [c_n, b_n, n[0]])
    centres, examples = c_p + c_n, c_p + c_n + b_p + b_n
    simple = oracle.printed(*sizes, math.factorial(centres), delta)
    found = printed_dlm_simple(m_p, m_n, c_p, c_n, b_p, b_n, p[0], n[0], delta)
    assert found == pytest.approx(float(simple), rel=1e-10)
    r = centres + more if centres else 0
    complex_ = oracle.printed(*sizes, max(examples, 1) * (2 * centres) ** r, delta)
    found = printed_dlm_complex(m_p, m_n, c_p, c_n, b_p, b_n, p[0], n[0], r, delta)
    assert found == pytest.approx(float(complex_), rel=1e-10)


@pytest.mark.parametrize("counting", ["printed", "ordered"])
@pytest.mark.parametrize("k_n", [0, 10**7, 39 * 10**6])
def test_no_digits_are_lost_at_a_hundred_million(counting, k_n):
    m_p, m_n, size, r = 6 * 10**7, 4 * 10**7, 3 * 10**4, 2
    pairs = size**2
    which = pairs * (pairs - 1) // (1 if counting == "ordered" else 2)
    expected = oracle.printed(
        m_p, m_n, [size, size, 10**6], [size, k_n], pairs * which, 0.05,
        ordered=counting == "ordered",
    )  # fmt: skip
    found = printed_scm_half_spaces(
        "conjunction", m_p, m_n, size, size, size, 10**6, k_n, r, counting=counting
    )
    assert found == pytest.approx(float(expected), rel=1e-10)


def test_the_papers_own_counterexample_is_reproduced():
    found = printed_scm_half_spaces("conjunction", 500, 500, 1, 1, 1, k_p=0, k_n=499, r=1)
    assert found == pytest.approx(0.08, abs=0.005)


MACHINES = {
    "half-spaces": partial(printed_scm_half_spaces, "conjunction", a=1, b=1, c=1, r=1),
    "balls": partial(printed_scm_balls, "conjunction", c_p=1, c_n=1, b=1),
    "simple list": partial(printed_dlm_simple, c_p=1, c_n=1, b_p=1, b_n=0),
    "complex list": partial(printed_dlm_complex, c_p=1, c_n=1, b_p=1, b_n=0, r=2),
}


@pytest.mark.parametrize("name", MACHINES)
def test_the_printed_form_is_false_on_noise_and_the_others_are_true(name):
    """Say "positive" to all but one negative that rebuilds the machine; labels are fair coins.

    Whatever the inputs, the error on new cases is 1/2. The roles hold two positives and a negative.
    """
    draws, m, delta = 300, 400, 0.05
    rng = np.random.default_rng(5)
    printed = tail = closed = 0
    for m_n in rng.binomial(m, 0.5, draws):
        k_n = int(m_n) - 1
        printed += MACHINES[name](m_p=m - int(m_n), m_n=int(m_n), k_p=0, k_n=k_n) < 0.5
        tail += compression_tail(m, [1, 1, 1], k_n, delta=delta) < 0.5
        closed += compression_closed(m, [1, 1, 1], k_n, delta=delta) < 0.5
    assert printed > 0.99 * draws
    assert tail <= delta * draws
    assert closed <= delta * draws


def test_kinds_swap_with_the_classes():
    c = printed_scm_half_spaces("conjunction", 100, 80, a=2, b=3, c=4, k_p=5, k_n=6, r=3)
    d = printed_scm_half_spaces("disjunction", 80, 100, a=3, b=2, c=4, k_p=6, k_n=5, r=3)
    assert c == pytest.approx(d, rel=1e-14)
    c = printed_scm_balls("conjunction", 100, 80, c_p=2, c_n=3, b=4, k_p=5, k_n=6)
    d = printed_scm_balls("disjunction", 80, 100, c_p=3, c_n=2, b=4, k_p=6, k_n=5)
    assert c == pytest.approx(d, rel=1e-14)


def test_ordered_counting_costs_more():
    sizes = {"m_p": 300, "m_n": 300, "a": 2, "b": 2, "c": 2, "k_p": 30, "k_n": 30, "r": 2}
    plain = printed_scm_half_spaces("conjunction", **sizes)
    assert printed_scm_half_spaces("conjunction", **sizes, counting="ordered") > plain
    assert printed_scm_half_spaces("conjunction", **sizes, delta=0.01) > plain


def test_a_machine_that_is_right_on_nothing_is_bounded_by_one():
    assert printed_scm_balls("conjunction", 5, 5, c_p=1, c_n=1, b=1, k_p=3, k_n=4) == 1.0
    assert printed_dlm_simple(0, 0, 0, 0, 0, 0, 0, 0) == 1.0


def test_a_machine_without_features_sends_no_message():
    empty = printed_scm_half_spaces("conjunction", 60, 40, a=0, b=0, c=0, k_p=0, k_n=40, r=0)
    expected = 1 - (0.05 * (6 / math.pi**2) ** 5 / 41**2) ** (1 / 60)
    assert empty == pytest.approx(expected, rel=1e-12)
    lists = 1 - (0.05 * (6 / math.pi**2) ** 6 / 41**2) ** (1 / 60)
    assert printed_dlm_simple(60, 40, 0, 0, 0, 0, 0, 40) == pytest.approx(lists, rel=1e-12)
    assert printed_dlm_complex(60, 40, 0, 0, 0, 0, 0, 40, 0) == pytest.approx(lists, rel=1e-12)


def test_integers_of_any_kind_give_the_same_number():
    sizes = {"m_p": 120, "m_n": 110, "a": 20, "b": 20, "c": 3, "k_p": 40, "k_n": 7, "r": 2}
    narrow = {name: np.uint8(size) for name, size in sizes.items()}
    assert printed_scm_half_spaces("disjunction", **narrow) == printed_scm_half_spaces(
        "disjunction", **sizes
    )


HALF_SPACES = {"m_p": 9, "m_n": 9, "a": 2, "b": 2, "c": 1, "k_p": 0, "k_n": 0, "r": 2}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kind": "both"}, "kind must be 'conjunction' or 'disjunction', got 'both'"),
        ({"counting": "fast"}, "counting must be 'printed' or 'ordered', got 'fast'"),
        ({"r": 5}, "r must be from 0 to 4, the number of pairs of 2 and 2 examples, got 5"),
        ({"r": -1}, "got -1"),
        ({"a": 0}, "r must be from 0 to 0, .* got 2"),
        ({"a": -2, "b": -2, "r": 0}, "sum to at most 9 positives"),
        ({"k_p": 7}, r"at most 9 positives, got \[2, 1\] and 7 errors"),
        ({"k_n": 8}, r"at most 9 negatives, got \[2\] and 8 errors"),
        ({"kind": "disjunction", "k_n": 7}, "at most 9 negatives, got .* and 7 errors"),
        ({"k_p": -1}, "and -1 errors"),
        ({"m_p": -1, "a": 0, "c": 0, "r": 0}, "at most -1 positives"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0.0"),
        ({"delta": math.nan}, r"delta must be in \(0, 1\)"),
    ],
)
def test_impossible_half_spaces_are_refused(changed, message):
    with pytest.raises(InputError, match=message):
        printed_scm_half_spaces(**{"kind": "conjunction", **HALF_SPACES, **changed})


def test_impossible_balls_and_lists_are_refused():
    with pytest.raises(InputError, match="kind must be"):
        printed_scm_balls("list", 9, 9, 1, 1, 1, 0, 0)
    with pytest.raises(InputError, match="at most 9 positives, got .* and 8 errors"):
        printed_scm_balls("conjunction", 9, 9, 1, 1, 1, 8, 0)
    with pytest.raises(InputError, match="at most 9 negatives, got .* and 9 errors"):
        printed_dlm_simple(9, 9, 1, 1, 1, 1, 0, 9)
    with pytest.raises(InputError, match="at most 9 positives"):
        printed_dlm_simple(9, 9, -3, 1, 1, 1, 0, 0)
    with pytest.raises(InputError, match="r must be .* 0 without centres, got 2"):
        printed_dlm_complex(9, 9, 0, 0, 1, 1, 0, 0, r=2)
    with pytest.raises(InputError, match="r must be 0 or more, .* got -1"):
        printed_dlm_complex(9, 9, 1, 1, 1, 1, 0, 0, r=-1)
