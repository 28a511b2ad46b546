"""Text: what is printed is what decides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.nodes import ARRANGEMENTS, PREDICATES

from rulewright.data import detect_table
from rulewright.errors import UnrenderableError
from rulewright.render import (
    arrangement_html,
    arrangement_text,
    certificate_text,
    number_text,
    percent_text,
    predicate_text,
    reason_text,
)
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Ball,
    Category,
    Conjunction,
    Disjunction,
    Given,
    HalfSpace,
    Interval,
    Leaf,
    Missing,
    Not,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
    WeightedRule,
)

CLASSES = ["low", "high", "none"]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_as_itself(number):
    assert float(number_text(number)) == number


@given(PREDICATES)
def test_a_negation_reads_differently(predicate):
    assert predicate_text(predicate) != predicate_text(~predicate)


@given(ARRANGEMENTS)
def test_every_arrangement_has_a_text_on_lines_of_its_own(arrangement):
    text = arrangement_text(arrangement, CLASSES)
    assert text == "\n".join(line.rstrip() for line in text.splitlines())


@given(ARRANGEMENTS)
def test_html_is_made_of_escaped_text(arrangement):
    html = arrangement_html(arrangement, ["<script>", "&", '"'])
    assert "<script>" not in html


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (Threshold("bmi", True, 29.9), "bmi > 29.9"),
        (Threshold("bmi", False, 30.0, if_missing=True), "bmi <= 30 or missing"),
        (Interval("age", 18.0, 65.5), "18 <= age <= 65.5"),
        (Interval("age", 18.0, 65.5, inside=False), "age < 18 or age > 65.5"),
        (Category("sex", ("f",)), "sex = f"),
        (Category("sex", ("f",), among=False), "sex != f"),
        (Category("city", ("b", "a")), "city in {a, b}"),
        (
            Category("city", ("b", "a"), among=False, if_missing=True),
            "city not in {a, b} or missing",
        ),
        (Category("city", ("a, b",)), "city = 'a, b'"),
        (Missing("age"), "age is missing"),
        (Missing("age", False), "age is not missing"),
        (Given("smoker"), "smoker"),
        (Given("smoker", truth=False), "not smoker"),
        (AllOf(), "always"),
        (AnyOf(), "never"),
        (
            AllOf((Missing("a"), AnyOf((Missing("b"), Given("c"))))),
            "a is missing and (b is missing or c)",
        ),
        (AtLeast(2, (Given("a"), Given("b"), Given("c"))), "at least 2 of (a; b; c)"),
        (Not(Given("a")), "not (a)"),
        (Threshold("two\nlines", True, 1.0), "'two\\nlines' > 1"),
    ],
)
def test_predicates_read_like_this(predicate, text):
    assert predicate_text(predicate) == text


def test_balls_and_half_spaces_name_their_examples():
    ball = Ball(("x", "y"), (1.0, 2.5), 3.2, strict=False, anchored_on=(17, 4))
    assert predicate_text(ball) == "within 3.2 of example 17 (x 1, y 2.5) by l2"
    half = HalfSpace(("x",), (1.0,), (2.0,), -0.5, anchored_on=(3, 5, 9))
    assert "example 3 (x 1)" in predicate_text(half)
    assert "example 5 (x 2) >= -0.5 (linear)" in predicate_text(half)
    data = detect_table(np.array([[1.0, 2.5], [4.0, 2.5]])).renamed(["x", "y"])
    assert reason_text([ball], data, 1).endswith("its distance is 3")
    assert reason_text([half], data, 1).endswith("its margin is -4")


PARTS = (Threshold("bmi", True, 29.9), Missing("age"))
SAYINGS = {
    Conjunction(PARTS, 1, 0): "high if all of these hold, otherwise low:\n"
    "  1. bmi > 29.9\n  2. age is missing",
    Disjunction(PARTS, 1, 0): "high if any of these holds, otherwise low:\n"
    "  1. bmi > 29.9\n  2. age is missing",
    Conjunction((), 1, 0): "always high",
    Disjunction((), 1, 0): "always low",
    RuleList((Rule(PARTS[0], 1),), 0): "the first of these that holds:\n"
    "  1. high if bmi > 29.9\notherwise low",
    RuleVote((WeightedRule(PARTS[0], 1, 0.5),), 0): "the class with the most votes:\n"
    "  1. 0.5 for high if bmi > 29.9\nlow where nothing votes",
    Tree((Split((PARTS[0],), (1, 2)), Split((PARTS[1],), (3, 4)), Leaf(0), Leaf(1), Leaf(2))): (
        "if bmi > 29.9:\n  if age is missing: high\n  else: none\nelse: low"
    ),
}


@pytest.mark.parametrize("body", SAYINGS, ids=lambda body: type(body).__name__)
def test_arrangements_read_like_this(body):
    assert arrangement_text(body, CLASSES) == SAYINGS[body]


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


def test_a_bound_is_never_rounded_down():
    assert percent_text(0.12301) == "12.4 %"
    assert percent_text(0.123) == "12.3 %"
    assert percent_text(1.0) == "100.0 %"


def certificate(**changes):
    numbers = {
        "bound": 0.1229,
        "delta": 0.05,
        "examples": 4,
        "bits": 21.7,
        "others": 611,
        "errors": 16,
        "guess": 0.4,
    }
    return certificate_text(**{**numbers, **changes})


def test_a_certificate_reads_like_this():
    assert certificate() == (
        "With confidence 95 %, at most 12.3 % of new cases are misjudged; 4 training examples and "
        "21.7 bits rebuild the model; checked on 611 others: 16 errors."
    )
    assert "1 training example and" in certificate(examples=1)
    assert ": 1 error." in certificate(errors=1)
    assert certificate(delta=0.001).startswith("With confidence 99.9 %")
    assert certificate(delta=1e-6).startswith("With confidence 99.9999 %")
    assert certificate(delta=1e-12).startswith("With confidence 1 - 1e-12, ")


def test_a_certificate_that_says_nothing_says_so():
    assert certificate(bound=0.5).endswith("a coin would do as well.")
    assert "always answering the more frequent class misjudges 10.0 %" in certificate(guess=0.1)


def test_a_node_without_text_is_refused():
    class Odd(Predicate):
        def holds(self, table):
            return None

        def __invert__(self):
            return self

    with pytest.raises(UnrenderableError, match="Odd has no form as text"):
        predicate_text(Odd())
    with pytest.raises(UnrenderableError):
        arrangement_text(Odd(), CLASSES)
