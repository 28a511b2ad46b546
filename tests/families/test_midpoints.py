"""Cuts halfway between two examples, as scikit-learn computes and compares them."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import families as oracle

from rulewright.data import NumericColumn, Table
from rulewright.families import Examples, Midpoints, Question, Site, Training, halfway, unrounded
from rulewright.rules import Threshold

LARGEST = float(np.finfo(np.float32).max)
SMALLEST = float(np.finfo(np.float32).smallest_subnormal)
SINGLES = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, SMALLEST, -SMALLEST, LARGEST, -LARGEST, 1.0, -1.0, 0.5]),
)
CUTS = st.one_of(SINGLES, st.floats(-LARGEST, LARGEST), st.floats(-1, 1))


def rounded(x):
    with np.errstate(over="ignore"):
        return float(np.float32(x))


def around(x, steps=4):
    """A double and its neighbours on both sides."""
    near = [x]
    for end in (-np.inf, np.inf):
        step = x
        for _ in range(steps):
            step = float(np.nextafter(step, end))
            near.append(step)
    return near


@given(CUTS, st.floats(allow_nan=False))
@example(0.0, 0.0)
@example(-0.0, SMALLEST / 2)
@example(LARGEST, np.inf)
@example(SMALLEST / 2, SMALLEST)
@example(-SMALLEST / 4, -SMALLEST)
@example(16777217.0, 16777218.0)
def test_comparing_doubles_gives_what_comparing_rounded_ones_does(cut, other):
    c = float(unrounded(cut))
    with np.errstate(over="ignore", under="ignore"):
        neighbours = np.nextafter(np.float32(cut), np.array([-np.inf, np.inf], np.float32))
    tested = [other, *around(c), *around(cut), *around(-c), *neighbours.tolist(), -0.0, 0.0]
    for x in tested:
        assert (x <= c) == (rounded(x) <= cut)


@given(CUTS)
def test_the_cut_is_the_largest_double_that_is_not_rounded_above(cut):
    c = float(unrounded(cut))
    assert np.isfinite(c)
    assert rounded(c) <= cut < rounded(np.nextafter(c, np.inf))


@given(hnp.arrays(np.float64, st.integers(0, 5), elements=CUTS))
def test_many_cuts_are_found_at_once(cuts):
    assert unrounded(cuts).tolist() == [float(unrounded(cut)) for cut in cuts]


@given(SINGLES, SINGLES)
def test_a_midpoint_is_built_from_two_rows_in_order(one, other):
    assume(one != other)
    low, high = sorted((one, other))
    table = Table([NumericColumn("a", np.array([high, np.nan, low]))], 3)
    examples = Examples.of(Training(table, np.zeros(3, np.int32)))
    site = Site("a", (True,))
    found = Midpoints().build(site, examples, (2, 0))
    assert found.anchored_on == (2, 0)
    assert low <= found.cut < high
    for x in (low, high, *around(found.cut)):
        assert (x > found.cut) == (rounded(x) > low / 2 + high / 2)
    assert Midpoints().site(found) == site
    for chosen in [(0, 2), (0, 0), (1, 0), (2, 1)]:
        assert Midpoints().build(site, examples, chosen) is None


def test_values_too_large_for_single_precision_make_no_cut():
    table = Table([NumericColumn("a", np.array([1.0, 1e300, -1e300, 3.0]))], 4)
    training = Training(table, np.zeros(4, np.int32))
    found = Midpoints().prepare(training).heaviest(Question(np.array([0, 5, 0, 0])))
    assert (found.predicate.anchored_on, found.total) == ((0, 3), 5)
    assert found.predicate.above
    for chosen in [(0, 1), (2, 0)]:
        assert Midpoints().build(Site("a", (False,)), Examples.of(training), chosen) is None


def test_values_that_single_precision_cannot_tell_apart_make_no_cut():
    close = np.array([1.0, np.nextafter(1.0, 2), 1.0 + 1e-9])
    training = Training(Table([NumericColumn("a", close)], 3), np.zeros(3, np.int32))
    assert Midpoints().prepare(training).heaviest(Question(np.ones(3, np.int64))) is None


@given(
    hnp.arrays(np.float64, 6, elements=st.one_of(st.floats(-2, 2), st.floats(-1e38, 1e38))),
    hnp.arrays(np.int64, 6, elements=st.integers(-3, 3)),
    st.booleans(),
)
def test_the_heaviest_of_numbers_that_must_be_rounded_is_the_first_of_the_best(x, weight, side):
    training = Training(Table([NumericColumn("a", x)], 6), np.zeros(6, np.int32))
    question = Question(weight, side=side)
    found = Midpoints().prepare(training).heaviest(question)
    expected = oracle.heaviest([Midpoints()], training, question)
    assert (found and tuple(found)) == expected
    if found is not None:
        assert found.predicate.anchored_on == expected[0].anchored_on


@given(hnp.arrays(np.float64, 4, elements=SINGLES))
def test_no_midpoint_gathers_more_than_those_of_neighbours(x):
    """Why only neighbours are tried, though any two examples make a predicate."""
    training = Training(Table([NumericColumn("a", x)], 4), np.zeros(4, np.int32))
    weight = np.array([3, -2, 1, -1])
    found = Midpoints().prepare(training).heaviest(Question(weight))
    totals = [
        int(weight[predicate.holds(training.table)].sum())
        for above in (False, True)
        for low in range(4)
        for high in range(4)
        if (predicate := Midpoints().build(Site("a", (above,)), Examples.of(training), (low, high)))
    ]
    assert (found and found.total) == max(totals, default=None)


@pytest.mark.parametrize("anchors", [(), (1,), (1, 2, 3)])
def test_a_midpoint_has_two_anchors(anchors):
    assert Midpoints().site(Threshold("a", True, 1.0, anchored_on=anchors)) is None


def test_halves_of_the_largest_numbers_do_not_overflow():
    assert float(halfway(np.float32(LARGEST), np.float32(LARGEST))) == LARGEST
