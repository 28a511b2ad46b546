"""Reasons: why a row got its answer, in its own values."""

import numpy as np
import pytest
from hypothesis import given
from strategies.mixed import tables
from strategies.nodes import PREDICATES

from rulewright.data import detect_table
from rulewright.render import reason_text, reason_texts
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Ball,
    Category,
    Function,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Not,
    Share,
    Threshold,
)

NUMBERS = detect_table(np.array([[1.0, 2.5], [4.0, 2.5], [np.nan, 1.0]])).renamed(["x", "y"])
BALL = Ball(("x", "y"), (1.0, 2.5), 3.2, anchored_on=(17, 4))
HALF = HalfSpace(("x", "y"), (3.0, 1.0), (1.0, 0.0), 6.5, anchored_on=(17, 203, 9))
PLANE = HalfPlane(("x", "y"), (1.0, -0.5), 2.0, above=True, anchored_on=(9,))


def test_reasons_give_the_rows_own_values():
    data = detect_table(np.array([[31.5, "Bern"], [None, "Chur"]], dtype=object))
    data = data.renamed(["bmi", "city"])
    grounds = [
        Threshold("bmi", True, 29.9),
        Category("city", ("Chur",), among=False),
        Category("city", ("Bern",)),
    ]
    assert (
        reason_text(grounds, data, 0) == "bmi = 31.5 (> 29.9); city = Bern (!= Chur); city = Bern"
    )
    assert reason_text([~grounds[0]], data, 1) == "bmi is missing"
    assert reason_text([], data, 0) == "always"


@pytest.mark.parametrize(
    ("ground", "row", "text"),
    [
        (Threshold("x", True, 4.0, cut_above=True), 1, "x = 4 (>= 4)"),
        (Threshold("x", False, 4.0, cut_above=True), 0, "x = 1 (< 4)"),
        (Interval("x", 0.5, 2.0), 0, "x = 1 (from 0.5 to 2)"),
        (Interval("x", 0.5, 2.0, inside=False), 1, "x = 4 (not from 0.5 to 2)"),
        (Interval("x", 0.5, 2.0, if_missing=True), 2, "x is missing"),
        (Interval("x", 0.5, 2.0, low_open=True), 0, "x = 1 (> 0.5 and <= 2)"),
        (Interval("x", 0.5, 2.0, inside=False, high_open=True), 1, "x = 4 (< 0.5 or >= 2)"),
        (BALL, 1, "distance 3 to example 17 (nearer than 3.2)"),
        (
            Ball(("x",), (1.0,), 3.0, strict=False, anchored_on=(7,)),
            1,
            "distance 3 to example 7 (within 3)",
        ),
        (Ball(("x",), (1.0,), 3.0, inside=False), 1, "distance 3 to the point (x 1) (at least 3)"),
        (~BALL, 2, "x is missing"),
        (HALF, 1, "margin 10.5 towards example 17 against example 203 (>= 6.5)"),
        (~HALF, 0, "margin 4.5 towards example 17 against example 203 (< 6.5)"),
        (~HALF, 2, "x is missing"),
        (PLANE, 1, "x - 0.5 y = 2.75 (> 2; x = 4, y = 2.5)"),
        (~PLANE, 0, "x - 0.5 y = -0.25 (<= 2; x = 1, y = 2.5)"),
        (~PLANE, 2, "x is missing"),
        (Function("old", ("x",), function=lambda c: c["x"] > 2), 1, "the function 'old' says yes"),
        (Function("old", ("x",), False), 0, "the function 'old' says no"),
        (
            AllOf((Threshold("x", True, 0.0), BALL)),
            0,
            "x = 1 (> 0) and distance 0 to example 17 (nearer than 3.2)",
        ),
        (AllOf((Threshold("x", False, 4.0), Threshold("x", True, 2.0))), 1, "x = 4 (> 2 and <= 4)"),
        (AnyOf((Threshold("x", True, 2.0), Threshold("y", True, 2.0))), 0, "y = 2.5 (> 2)"),
        (
            AtLeast(1, (Threshold("x", True, 2.0), Threshold("y", True, 2.0))),
            0,
            "1 of 2: y = 2.5 (> 2)",
        ),
        (Not(Threshold("x", True, 2.0)), 0, "x = 1 (<= 2)"),
        (AllOf(), 0, "always"),
    ],
)
def test_reasons_read_like_this(ground, row, text):
    assert reason_text([ground], NUMBERS, row) == text


def test_a_given_column_says_its_value():
    flags = detect_table(np.array([[True], [False]])).renamed(["smoker"])
    assert reason_text([Given("smoker")], flags, 0) == "smoker = True"
    assert reason_text([~Given("smoker")], flags, 1) == "smoker = False"


@given(PREDICATES, tables())
def test_every_row_has_a_reason_on_one_line(predicate, table):
    holds = predicate.holds(table)
    for row in range(table.rows):
        reason = reason_text([predicate if holds[row] else ~predicate], table, row)
        assert reason and reason.isprintable()


@given(PREDICATES, tables())
def test_the_reasons_of_many_rows_are_those_of_each(predicate, table):
    held = np.flatnonzero(predicate.holds(table))
    some = table.take(held)
    assert reason_texts([predicate], some) == [
        reason_text([predicate], table, row) for row in held.tolist()
    ]


def test_a_row_that_was_shared_out_says_so():
    grounds = Threshold("x", True, 1.0, if_missing=True), Threshold("y", True, 0.0)
    way = Share(("x",), 5), Share(("y",), 3)
    assert reason_text(grounds, NUMBERS, 1, way) == "x = 4 (> 1); y = 2.5 (> 0)"
    assert reason_text(grounds, NUMBERS, 2, way) == (
        "y = 1 (> 0); x is missing (5/16 of the row comes here)"
    )
    twice = Share(("x", "y"), 5), Share(("x",), 8)
    assert reason_text(grounds, NUMBERS, 2, twice).endswith(
        "x is missing (about 0.15625 of the row comes here)"
    )
