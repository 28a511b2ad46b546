"""Predicates: what they hold on, and that negation is exact."""

import math
import pickle  # noqa: TID251  (scikit-learn's joblib pickles estimators)
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.mixed import tables
from strategies.nodes import INTERVALS, LITERALS, PREDICATES

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Ball,
    Category,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Kernel,
    Metric,
    Missing,
    Not,
    Threshold,
)

NUMBERS = Table([NumericColumn("x", np.array([1.0, 2.0, 3.0, np.nan]))], 4)
COLOURS = Table(
    [CategoricalColumn("c", "text", np.array([0, 1, 2, -1], np.int32), ("blue", "new", "red"))], 4
)


def holds(predicate, table=NUMBERS):
    return predicate.holds(table).tolist()


@given(PREDICATES, tables())
def test_a_predicate_and_its_negation_are_never_equal(predicate, table):
    assert (predicate.holds(table) != (~predicate).holds(table)).all()


@given(PREDICATES, tables())
def test_negating_twice_changes_nothing(predicate, table):
    assert (predicate.holds(table) == (~~predicate).holds(table)).all()


@given(LITERALS)
def test_a_literal_negated_twice_is_itself(literal):
    assert ~~literal == literal
    assert hash(~~literal) == hash(literal)


@given(PREDICATES)
def test_negation_keeps_columns_size_and_anchors(predicate):
    assert set((~predicate).columns) == set(predicate.columns)
    assert (~predicate).literals == predicate.literals
    assert (~predicate).anchors == predicate.anchors


@given(PREDICATES, tables())
def test_a_predicate_looks_at_its_own_columns_only(predicate, table):
    own = table.select(predicate.columns)
    assert (predicate.holds(own) == predicate.holds(table)).all()


@given(PREDICATES)
def test_nodes_survive_pickling(predicate):
    assert pickle.loads(pickle.dumps(predicate)) == predicate


def test_a_threshold_splits_at_its_cut_and_is_false_on_missing():
    assert holds(Threshold("x", False, 2.0)) == [True, True, False, False]
    assert holds(Threshold("x", True, 2.0)) == [False, False, True, False]
    assert holds(~Threshold("x", True, 2.0)) == [True, True, False, True]


def test_an_interval_is_closed():
    assert holds(Interval("x", 2.0, 3.0)) == [False, True, True, False]
    assert holds(Interval("x", 2.0, 3.0, inside=False)) == [True, False, False, False]


def test_an_open_end_of_an_interval_is_not_inside():
    assert holds(Interval("x", 2.0, 3.0, low_open=True)) == [False, False, True, False]
    assert holds(Interval("x", 2.0, 3.0, high_open=True)) == [False, True, False, False]
    outside = ~Interval("x", 2.0, 3.0, low_open=True)
    assert holds(outside) == [True, True, False, True]


@given(INTERVALS, tables())
def test_the_sides_of_an_interval_are_the_thresholds_that_it_is_made_of(interval, table):
    above, below = interval.sides
    known = replace(interval, inside=True, if_missing=False)
    assert (known.holds(table) == (above.holds(table) & below.holds(table))).all()
    if len(interval.anchored_on) == 2:
        assert above.anchored_on + below.anchored_on == interval.anchored_on


def test_a_category_that_training_never_showed_is_among_no_values():
    seen = Category("c", ("red", "blue"))
    assert holds(seen, COLOURS) == [True, False, True, False]
    assert holds(Category("c", ("red",), among=False), COLOURS) == [True, True, False, False]
    assert holds(~seen, COLOURS) == [False, True, False, True]


def test_the_values_of_a_category_have_no_order():
    assert Category("c", ("red", "blue", "red")) == Category("c", ("blue", "red"))


def test_missing_is_a_predicate_of_its_own():
    assert holds(Missing("x")) == [False, False, False, True]
    assert holds(Missing("x", False)) == [True, True, True, False]
    assert holds(Missing("c"), COLOURS) == [False, False, False, True]


def test_a_given_column_is_true_where_it_says_so():
    flags = CategoricalColumn("f", "boolean", np.array([1, 0, -1], np.int32), ("False", "True"))
    numbers = NumericColumn("n", np.array([1.0, 0.0, np.nan]))
    for column in (flags, numbers):
        table = Table([column], 3)
        assert holds(Given(column.name), table) == [True, False, False]
        assert holds(~Given(column.name), table) == [False, True, True]


def test_a_ball_is_open_or_closed_at_a_value_that_occurs():
    x = np.array([0.1, 0.4, 0.7, np.nan])
    y = np.array([0.2, 0.6, 1.3, 0.0])
    table = Table([NumericColumn("x", x), NumericColumn("y", y)], 4)
    radius = math.sqrt((0.4 - 0.1) ** 2 + (0.6 - 0.2) ** 2)
    ball = Ball(("x", "y"), (0.1, 0.2), radius, strict=True, anchored_on=(0, 1))
    assert holds(ball, table) == [True, False, False, False]
    assert holds(Ball(("x", "y"), (0.1, 0.2), radius, strict=False), table)[1]
    assert holds(~ball, table) == [False, True, True, True]
    assert ball.anchors == (0, 1)


def test_a_half_space_is_closed_or_open_at_its_third_example():
    x = np.array([0.0, 4.0, 2.0, np.nan])
    table = Table([NumericColumn("x", x)], 4)
    half = HalfSpace(("x",), (4.0,), (0.0,), cut=8.0, anchored_on=(1, 0, 2))
    assert holds(half, table) == [False, True, True, False]
    strict = HalfSpace(("x",), (4.0,), (0.0,), cut=8.0, strict=True)
    assert holds(strict, table) == [False, True, False, False]
    assert holds(~half, table) == [True, False, False, True]


def test_a_half_plane_cuts_at_the_sum_of_its_example_and_is_false_where_a_column_is_missing():
    x = np.array([0.1, 0.2, 0.3, np.nan, 1.0])
    y = np.array([0.3, 0.2, 0.2, 0.0, np.nan])
    table = Table([NumericColumn("x", x), NumericColumn("y", y)], 5)
    half = HalfPlane(("x", "y"), (1.0, -3.0), 0.2 - 3.0 * 0.2, above=True, anchored_on=(1,))
    assert holds(half, table) == [False, False, True, False, False]
    assert holds(replace(half, above=False), table) == [True, True, False, False, False]
    assert holds(~half, table) == [True, True, False, True, True]
    assert half.anchors == (1,)
    assert half.columns == ("x", "y")


@given(tables(), st.permutations(["a", "b"]), st.lists(st.floats(0.1, 1e3), min_size=2))
def test_a_sum_adds_from_the_first_column_to_the_last(table, names, weights):
    half = HalfPlane(tuple(names), tuple(weights[:2]), 0.0, above=True)
    cells = [table.numbers(name).tolist() for name in names]
    by_hand = [weights[0] * one + weights[1] * other for one, other in zip(*cells, strict=True)]
    assert np.array_equal(half.sums(table), by_hand, equal_nan=True)


def test_a_sum_too_large_for_a_number_lies_beyond_every_cut():
    table = Table([NumericColumn("x", np.array([1e300, -1e300, 1.0]))], 3)
    half = HalfPlane(("x",), (1e12,), 5.0, above=True)
    assert holds(half, table) == [True, False, True]
    assert holds(~half, table) == [False, True, False]


def test_combinations_of_nothing():
    assert holds(AllOf()) == [True] * 4
    assert holds(AnyOf()) == [False] * 4
    assert holds(AtLeast(0, (Missing("x"),))) == [True] * 4


def test_at_least_counts():
    parts = (Threshold("x", True, 1.0), Threshold("x", True, 2.0), Missing("x"))
    assert holds(AtLeast(2, parts)) == [False, False, True, False]
    assert holds(AtLeast(1, parts)) == holds(AnyOf(parts))
    assert holds(AtLeast(3, parts)) == holds(AllOf(parts))


def test_anchors_do_not_make_two_predicates_differ():
    assert Threshold("x", True, 1.0, anchored_on=(3,)) == Threshold("x", True, 1.0)


def test_size_columns_and_anchors_add_up():
    part = Threshold("x", True, 1.0, anchored_on=(7,))
    whole = AllOf((part, Not(Missing("y")), Threshold("x", False, 9.0, anchored_on=(2,))))
    assert whole.literals == 3
    assert whole.columns == ("x", "y")
    assert whole.anchors == (2, 7)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Threshold("x", True, math.nan),
        lambda: Threshold("x", True, math.inf),
        lambda: Interval("x", 2.0, 1.0),
        lambda: Interval("x", 2.0, 2.0, low_open=True),
        lambda: Category("c", ()),
        lambda: AtLeast(5, (Missing("x"),)),
        lambda: Ball(("x",), (1.0,), -1.0),
        lambda: Ball(("x",), (1.0, 2.0), 1.0),
        lambda: Ball(("x", "x"), (1.0, 2.0), 1.0),
        lambda: Ball(("x",), (1.0,), 1.0, metric=Metric("l3")),
        lambda: HalfSpace(("x",), (1.0,), (2.0,), math.inf),
        lambda: HalfPlane((), (), 0.0, True),
        lambda: HalfPlane(("x",), (1.0, 2.0), 0.0, True),
        lambda: HalfPlane(("x", "x"), (1.0, 2.0), 0.0, True),
        lambda: HalfPlane(("x",), (0.0,), 0.0, True),
        lambda: HalfPlane(("x",), (math.inf,), 0.0, True),
        lambda: HalfPlane(("x",), (1.0,), math.nan, True),
        lambda: HalfSpace(("x",), (1.0,), (2.0,), 0.0, kernel=Kernel("sigmoid")),
        lambda: HalfSpace(("x",), (1.0,), (2.0,), 0.0, kernel=Kernel("polynomial", degree=1000)),
    ],
)
def test_nodes_that_make_no_sense_cannot_be_made(make):
    with pytest.raises(ValueError):
        make()
