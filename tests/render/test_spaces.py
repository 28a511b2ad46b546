"""Balls and half-spaces: read by examples and by numbers, both true."""

import re
from dataclasses import replace
from html import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.data import NumericColumn, Table
from rulewright.render import (
    arrangement_html,
    arrangement_text,
    headline_text,
    linear_form,
    predicate_details,
    predicate_text,
)
from rulewright.rules import (
    AllOf,
    Ball,
    Conjunction,
    Disjunction,
    Function,
    HalfPlane,
    HalfSpace,
    Kernel,
    Leaf,
    Metric,
    Rule,
    RuleList,
    Scaling,
    Split,
    Threshold,
    Tree,
)

STANDARD = Scaling("standard", shift=(1.0, -2.0), unit=(2.0, 4.0))
RANK = Scaling("rank", knots=((0.0, 1.0), (0.0, 1.0)))
BALL = Ball(("glucose", "bmi"), (148.0, 33.6), 3.2, anchored_on=(17, 4))
HALF = HalfSpace(
    ("glucose", "bmi", "age"),
    (148.0, 33.5, 50.0),
    (85.0, 26.5, 50.0),
    41.5,
    anchored_on=(17, 203, 9),
)
CENTRE = "example 17 (glucose 148, bmi 33.6)"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, f"nearer than 3.2 to {CENTRE}"),
        ({"strict": False}, f"within 3.2 of {CENTRE}"),
        ({"inside": False}, f"at least 3.2 from {CENTRE}"),
        ({"strict": False, "inside": False}, f"farther than 3.2 from {CENTRE}"),
        ({"if_missing": True}, f"nearer than 3.2 to {CENTRE}, or missing"),
        ({"metric": Metric("l1")}, f"nearer than 3.2 to {CENTRE} by l1"),
        (
            {"metric": Metric("kernel", Kernel("rbf", gamma=0.5))},
            f"nearer than 3.2 to {CENTRE} by the rbf kernel, gamma 0.5",
        ),
        (
            {"metric": Metric("function", name="mine")},
            f"nearer than 3.2 to {CENTRE} by the function 'mine'",
        ),
        (
            {"metric": Metric("precomputed")},
            "nearer than 3.2 to example 17 (column glucose) by the precomputed distances",
        ),
        ({"scaling": STANDARD}, f"nearer than 3.2 to {CENTRE}, columns standardised"),
        (
            {"scaling": RANK, "metric": Metric("linf")},
            f"nearer than 3.2 to {CENTRE} by linf, columns by rank",
        ),
        (
            {"scaling": Scaling(fill=(120.0, 32.0))},
            f"nearer than 3.2 to {CENTRE}, missing values filled",
        ),
        ({"anchored_on": ()}, "nearer than 3.2 to the point (glucose 148, bmi 33.6)"),
    ],
)
def test_balls_read_like_this(changes, text):
    assert predicate_text(replace(BALL, **changes)) == text


def wide(count, anchors=(17, 4)):
    names = tuple(f"column {i}" for i in range(count))
    return Ball(names, tuple(float(i) for i in range(count)), 3.2, anchored_on=anchors)


def test_an_example_may_be_cut_short_but_a_point_may_not():
    assert predicate_text(wide(30)).endswith("column 4 4, column 5 5, ... 24 more)")
    assert "column 5 5)" in predicate_text(wide(6))
    assert predicate_text(wide(30, ())).count("column") == 30


def test_what_a_sentence_cuts_short_stands_below_it():
    assert predicate_details(wide(6)) == []
    assert predicate_details(wide(30, ())) == []
    assert predicate_details(wide(7)) == [
        "example 17: " + ", ".join(f"column {i} {i}" for i in range(7))
    ]
    assert headline_text(wide(7)) == "nearer than 3.2 to example 17"
    assert headline_text(wide(6)) == predicate_text(wide(6))
    assert predicate_details(wide(40))[0].endswith("column 15 15, ... 24 more")


PAIR = "example 17 than example 203"
WEIGHTS = "63 glucose + 7 bmi"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, f"more like {PAIR}: {WEIGHTS} >= 41.5"),
        ({"strict": True}, f"more like {PAIR}: {WEIGHTS} > 41.5"),
        ({"beyond": False}, f"not more like {PAIR} by at least 41.5: {WEIGHTS} < 41.5"),
        (
            {"beyond": False, "strict": True, "if_missing": True},
            f"not more like {PAIR} by more than 41.5: {WEIGHTS} <= 41.5, or missing",
        ),
        ({"cut": -41.5}, f"more like {PAIR}, or less by at most 41.5: {WEIGHTS} >= -41.5"),
        ({"cut": -41.5, "beyond": False}, f"less like {PAIR}: {WEIGHTS} < -41.5"),
        ({"cut": 0.0}, f"at least as like example 17 as example 203: {WEIGHTS} >= 0"),
        (
            {"kernel": Kernel("rbf", gamma=0.5)},
            f"more like {PAIR} by at least 41.5 (rbf kernel, gamma 0.5)",
        ),
        (
            {"kernel": Kernel("polynomial", 0.5, 1.0, 3)},
            f"more like {PAIR} by at least 41.5 (polynomial kernel, gamma 0.5, offset 1, degree 3)",
        ),
        (
            {"kernel": Kernel("function", name="mine")},
            f"more like {PAIR} by at least 41.5 (kernel function 'mine')",
        ),
        ({"toward": (85.0, 26.5, 50.0)}, f"more like {PAIR}: 0 >= 41.5"),
        (
            {"anchored_on": (17,)},
            "more like example 17 than the point (glucose 85, bmi 26.5, age 50): "
            f"{WEIGHTS} >= 41.5",
        ),
    ],
)
def test_half_spaces_read_like_this(changes, text):
    assert predicate_text(replace(HALF, **changes)) == text


def test_a_precomputed_half_space_names_its_columns():
    half = HalfSpace(("x17", "x203"), (1.0, 0.5), (0.5, 1.0), 0.25, kernel=Kernel("precomputed"))
    half = replace(half, anchored_on=(17, 203, 9))
    assert predicate_text(half) == f"more like {PAIR} by at least 0.25 (columns x17, x203)"
    assert predicate_details(half) == []


def test_a_scaled_half_space_gives_its_weights_as_about():
    half = HalfSpace(("x", "y"), (3.0, 6.0), (1.0, 14.0), 0.1, scaling=STANDARD, anchored_on=(1, 2))
    assert predicate_text(half) == (
        "more like example 1 than example 2 by at least 0.1 (columns standardised): "
        "about 0.5 x - 0.5 y >= 1.6"
    )
    assert headline_text(half) == (
        "more like example 1 than example 2 by at least 0.1 (columns standardised)"
    )
    ranked = replace(half, toward=(1.0, 0.0), away=(0.0, 1.0), scaling=RANK)
    assert "(columns by rank): about 0.5 rank of x - 0.5 rank of y >= 0.1" in predicate_text(ranked)


def test_a_column_whose_name_looks_like_a_sum_is_quoted():
    half = HalfSpace(("a - 2 b", "c"), (1.0, 2.0), (0.0, 0.0), 3.0, anchored_on=(1, 2))
    assert predicate_text(half).endswith(": 1 'a - 2 b' + 2 c >= 3")


def test_many_weights_are_cut_short_on_one_line():
    names = tuple(f"x{i}" for i in range(30))
    half = HalfSpace(names, (1.0,) * 30, (0.0,) * 30, 3.0, anchored_on=(1, 2))
    assert predicate_text(half).endswith("+ 1 x5 + ... 24 more >= 3")
    assert predicate_details(half)[0].endswith("+ 1 x15 + ... 14 more >= 3")
    assert len(linear_form(half).terms) == 30


def understood(sentence, margin):
    """Say whether a sentence about likeness is true of a margin, as a reader would."""
    if sentence.startswith("not "):
        return not understood(sentence.removeprefix("not "), margin)
    number = float((re.findall(r"[\d.]+$", sentence) or ["0"])[0])
    less = sentence.startswith("less like")
    margin = -margin if less else margin
    if sentence.startswith("at least as like"):
        return margin >= 0
    if "or less by at most" in sentence:
        return margin >= -number
    if "or less by less than" in sentence:
        return margin > -number
    return margin >= number if "by at least" in sentence else margin > number


CUTS = st.sampled_from([-2.5, -1.0, 0.0, 1.0, 2.5])


@given(CUTS, st.booleans(), st.booleans())
def test_the_words_say_what_the_node_says(cut, strict, beyond):
    table = Table([NumericColumn("x", np.array([-3, -2.5, -1, -0.5, 0, 0.5, 1, 2.5, 3]))], 9)
    half = HalfSpace(("x",), (1.0,), (0.0,), cut, strict=strict, beyond=beyond)
    half = replace(half, anchored_on=(1, 2, 3))
    sentence = re.sub("example [12] (than|as) example [12]", "it", headline_text(half))
    sentence = sentence.removesuffix("it").strip()
    margins = half.margin(table)
    assert [understood(sentence, m) for m in margins] == half.holds(table).tolist()
    brief, inequality = predicate_text(half).split(": ")
    assert inequality.startswith("1 x ")
    if "by" not in brief:  # what is left out must follow from the inequality
        likes = {"more": margins > 0, "less": margins < 0, "at": margins >= 0, "not": margins <= 0}
        assert likes[brief.split()[0]][half.holds(table)].all()


NICE = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
POINT = st.tuples(NICE, NICE)


def printed(text):
    """Read weights and cut of an inequality as it is printed."""
    left, relation, cut = re.fullmatch(r"(?:about )?(.*) (>=|>|<=|<) (\S+)", text).groups()
    terms = re.findall(r"(-?) ?([\d.e+-]+) (x|y)(?: |$)", left.replace("+ ", ""))
    return {name: float(sign + number) for sign, number, name in terms}, relation, float(cut)


@given(
    POINT,
    POINT,
    NICE,
    st.booleans(),
    st.booleans(),
    st.sampled_from([Scaling(), STANDARD]),
    st.lists(POINT, min_size=1, max_size=8),
)
def test_the_printed_weights_give_the_nodes_answers(a, b, cut, strict, beyond, scaling, rows):
    half = HalfSpace(("x", "y"), a, b, cut, strict=strict, beyond=beyond, scaling=scaling)
    half = replace(half, anchored_on=(1, 2, 3))
    weights, relation, at = printed(predicate_details(half)[0])
    data = np.array(rows)
    table = Table([NumericColumn("x", data[:, 0]), NumericColumn("y", data[:, 1])], len(rows))
    terms = np.array([weights.get("x", 0.0) * data[:, 0], weights.get("y", 0.0) * data[:, 1]])
    total = terms.sum(axis=0)
    said = {">=": total >= at, ">": total > at, "<=": total <= at, "<": total < at}[relation]
    exact = scaling.kind == "none"
    size = np.abs(terms).sum(axis=0) + abs(at) + sum(map(abs, (*a, *b))) * np.abs(data).sum(axis=1)
    clear = np.abs(total - at) > (1e-12 if exact else 1e-4) * (size + 1)
    assert (said == half.holds(table))[clear].all()


def test_a_machine_of_half_spaces_reads_like_this():
    body = Conjunction((HALF, replace(HALF, kernel=Kernel("rbf"), cut=-0.5)), 1, 0)
    assert (
        arrangement_text(body, ["healthy", "ill"])
        == """\
ill if all of these hold, otherwise healthy:
  1. more like example 17 than example 203 by at least 41.5
       63 glucose + 7 bmi >= 41.5
       example 17: glucose 148, bmi 33.5, age 50
       example 203: glucose 85, bmi 26.5, age 50
  2. more like example 17 than example 203, or less by at most 0.5 (rbf kernel, gamma 1)
       example 17: glucose 148, bmi 33.5, age 50
       example 203: glucose 85, bmi 26.5, age 50"""
    )
    html = arrangement_html(body, ["healthy", "ill"])
    assert "<li>more like example 17 than example 203 by at least 41.5<ul><li>63 glucose" in html


def test_a_list_of_balls_and_others_reads_like_this():
    obese = Function("obese", ("bmi", "age"))
    body = RuleList(
        (
            Rule(replace(BALL, scaling=STANDARD), 2),
            Rule(AllOf((HALF, Threshold("age", True, 40.0))), 1),
            Rule(obese, 0),
        ),
        1,
    )
    assert (
        arrangement_text(body, ["a", "b", "c"])
        == """\
the first of these that holds:
  1. c if nearer than 3.2 to example 17 (glucose 148, bmi 33.6), columns standardised
  2. b if more like example 17 than example 203 by at least 41.5 and age > 40
       63 glucose + 7 bmi >= 41.5
       example 17: glucose 148, bmi 33.5, age 50
       example 203: glucose 85, bmi 26.5, age 50
  3. a if the function 'obese' says yes
       it looks at bmi, age
otherwise b
columns standardised: (glucose - 1) / 2, (bmi + 2) / 4"""
    )
    html = arrangement_html(body, ["a", "b", "c"])
    assert html.count("<li>") == 7
    assert html.endswith("<p>columns standardised: (glucose - 1) / 2, (bmi + 2) / 4</p>")


def test_the_numbers_for_missing_values_stand_below():
    scaling = replace(STANDARD, fill=(120.0, 32.0))
    filled = HalfSpace(("glucose", "bmi"), (148.0, 33.5), (85.0, 26.5), 41.5, scaling=scaling)
    text = arrangement_text(RuleList((Rule(filled, 1),), 0), ["a", "b"])
    assert "by at least 41.5 (columns standardised, missing values filled)" in text
    assert text.endswith(
        "columns standardised: (glucose - 1) / 2, (bmi + 2) / 4\n"
        "missing values count as: glucose 120, bmi 32"
    )


def test_a_part_of_a_sentence_is_set_apart():
    both = AllOf((HALF, Threshold("age", True, 40.0)))
    assert predicate_text(both) == f"(more like {PAIR}: {WEIGHTS} >= 41.5) and age > 40"


def test_long_details_are_broken_between_their_pieces():
    text = arrangement_text(Disjunction((wide(16),), 1, 0), ["a", "b"])
    lines = text.splitlines()
    assert len(lines) > 3
    assert all(len(line) <= 100 for line in lines)
    assert all(re.fullmatch(r"       (example 17: |  )(column \d+ \d+,? ?)+", x) for x in lines[2:])


def test_a_tree_of_half_spaces_stays_on_its_lines():
    tree = Tree((Split((HALF,), (1, 2)), Leaf(1), Leaf(0)))
    assert (
        arrangement_text(tree, ["a", "b"]) == f"if more like {PAIR}: {WEIGHTS} >= 41.5: b\nelse: a"
    )


@pytest.mark.parametrize(
    ("half", "text"),
    [
        (HalfPlane(("glucose", "bmi"), (1.0, 3.0), 220.0, True), "glucose + 3 bmi > 220"),
        (HalfPlane(("age", "income"), (1.0, -0.5), 3.0, False), "age - 0.5 income <= 3"),
        (HalfPlane(("a", "b"), (-1.0, -1.0), -0.25, True), "-a - b > -0.25"),
        (
            HalfPlane(("a", "b"), (-2.0, 2e-07), 0.1 + 0.2, True),
            "-2 a + 2e-07 b > " + repr(0.3 + 4e-17),
        ),
        (~HalfPlane(("a", "b"), (1.0, 4e12), 7.0, True), "a + 4000000000000 b <= 7 or missing"),
        (HalfPlane(("a-b", "2 c"), (1.0, 3.0), 0.0, True), "'a-b' + 3 '2 c' > 0"),
    ],
)
def test_half_planes_read_like_this(half, text):
    assert predicate_text(half) == headline_text(half) == text
    assert predicate_details(half) == []
    assert arrangement_html(Disjunction((half,), 1, 0), ["no", "yes"]).endswith(
        f"<ol><li>{escape(text)}</li></ol>"
    )


def test_a_half_plane_that_may_be_missing_stands_in_brackets():
    half = ~HalfPlane(("a", "b"), (1.0, 2.0), 7.0, above=True)
    text = predicate_text(AllOf((half, Threshold("c", True, 1.0))))
    assert text == "(a + 2 b <= 7 or missing) and c > 1"


@given(
    st.lists(st.floats(-1e20, 1e20).filter(bool), min_size=1, max_size=4),
    st.floats(-1e20, 1e20),
    st.booleans(),
)
def test_the_numbers_of_a_half_plane_read_back_as_they_are(weights, cut, above):
    names = tuple(f"x{place}" for place in range(len(weights)))
    half = HalfPlane(names, tuple(weights), cut, above)
    said, relation, number = predicate_text(half).rpartition(" > " if above else " <= ")
    assert relation and float(number) == cut
    terms = re.findall(r"(^-?|[+-] )(?:(\S+) )?(x\d)", said)
    assert [name for _, _, name in terms] == list(names)
    read = [(-1 if "-" in sign else 1) * float(size or 1) for sign, size, _ in terms]
    assert read == weights
