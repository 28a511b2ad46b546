"""Text: what is printed is what decides."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.nodes import ARRANGEMENTS, PREDICATES

from rulewright.errors import UnrenderableError
from rulewright.render import (
    arrangement_html,
    arrangement_text,
    certificate_text,
    headline_text,
    holdout_text,
    number_text,
    percent_text,
    pieces_of,
    predicate_details,
    predicate_text,
)
from rulewright.rules import (
    AllOf,
    AnyOf,
    Arrangement,
    AtLeast,
    Ball,
    Category,
    Conjunction,
    Disjunction,
    Function,
    Given,
    HalfSpace,
    Interval,
    Kernel,
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
ABOVE, BELOW = Threshold("x", True, 3.0), Threshold("x", False, 7.0)
OR_MISSING = replace(ABOVE, if_missing=True)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_as_itself(number):
    assert float(number_text(number)) == number


@given(PREDICATES)
def test_a_negation_reads_differently(predicate):
    assert predicate_text(predicate) != predicate_text(~predicate)


@given(PREDICATES)
def test_every_predicate_is_said_on_one_line(predicate):
    for line in (
        predicate_text(predicate),
        headline_text(predicate),
        *predicate_details(predicate),
    ):
        assert line == line.strip() != ""
        assert line.isprintable()


@given(ARRANGEMENTS)
def test_every_arrangement_has_a_text_on_lines_of_its_own(arrangement):
    text = arrangement_text(arrangement, CLASSES)
    assert text == "\n".join(line.rstrip() for line in text.splitlines())


TAGS = {"p", "b", "ol", "ul", "li", "pre", "small", "table", "tr", "th", "td"}


@given(ARRANGEMENTS)
def test_html_is_made_of_escaped_text_in_closed_tags(arrangement):
    support = [(float(i), 0.5 * i) for i in range(len(arrangement.rules))]
    html = arrangement_html(arrangement, ["<script>", "&", '"'], support=support)
    assert "<script>" not in html
    assert set(re.findall(r"</?(\w+)", html)) <= TAGS
    assert not re.search(r"&(?!lt;|gt;|amp;|quot;|#x27;)", html)
    for tag in TAGS:
        assert len(re.findall(rf"<{tag}[ >]", html)) == html.count(f"</{tag}>")


EVIL = "<script>&\"'"


@pytest.mark.parametrize(
    "predicate",
    [
        Threshold(EVIL, True, 1.0),
        Interval(EVIL, 0.0, 1.0),
        Category("c", (EVIL,)),
        Category(EVIL, ("a", "b")),
        Missing(EVIL),
        Given(EVIL),
        Function(EVIL, (EVIL,)),
        Ball((EVIL,), (1.0,), 1.0, anchored_on=(1, 2)),
        Ball(tuple(f"{EVIL}{i}" for i in range(8)), (1.0,) * 8, 1.0, anchored_on=(1, 2)),
        HalfSpace((EVIL,), (1.0,), (2.0,), 1.0, anchored_on=(1, 2, 3)),
        HalfSpace((EVIL,), (1.0,), (2.0,), 1.0, kernel=Kernel("function", name=EVIL)),
    ],
    ids=lambda predicate: type(predicate).__name__,
)
def test_html_escapes_names_and_values(predicate):
    for body in (
        Conjunction((predicate,), 1, 0),
        RuleList((Rule(predicate, 1),), 0),
        RuleVote((WeightedRule(predicate, 1, 1.0),), 0),
        Tree((Split((predicate,), (1, 2)), Leaf(0), Leaf(1))),
    ):
        html = arrangement_html(body, CLASSES)
        assert "<script" not in html and "&lt;script&gt;&amp;" in html


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (Threshold("bmi", True, 29.9), "bmi > 29.9"),
        (Threshold("bmi", False, 30.0, if_missing=True), "bmi <= 30 or missing"),
        (Threshold("bmi", True, 29.9, cut_above=True), "bmi >= 29.9"),
        (~Threshold("bmi", True, 29.9, cut_above=True), "bmi < 29.9 or missing"),
        (Interval("age", 18.0, 65.5), "18 <= age <= 65.5"),
        (Interval("age", 18.0, 65.5, inside=False), "age < 18 or age > 65.5"),
        (Interval("age", 18.0, 65.5, low_open=True), "18 < age <= 65.5"),
        (Interval("age", 18.0, 65.5, False, low_open=True), "age <= 18 or age > 65.5"),
        (Interval("age", 18.0, 65.5, high_open=True), "18 <= age < 65.5"),
        (Interval("age", 18.0, 65.5, False, high_open=True), "age < 18 or age >= 65.5"),
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
        (Function("old and obese", ("age",)), "the function 'old and obese' says yes"),
        (Function("old and obese", ("age",), False), "the function 'old and obese' says no"),
        (AllOf(), "always"),
        (AnyOf(), "never"),
        (
            AllOf((Missing("a"), AnyOf((Missing("b"), Given("c"))))),
            "a is missing and (b is missing or c)",
        ),
        (AtLeast(2, (Given("a"), Given("b"), Given("c"))), "at least 2 of (a; b; c)"),
        (Not(Given("a")), "not (a)"),
        (Threshold("two\nlines", True, 1.0), "'two\\nlines' > 1"),
        (AllOf((ABOVE, BELOW)), "3 < x <= 7"),
        (AllOf((BELOW, Given("c"), ABOVE)), "3 < x <= 7 and c"),
        (AllOf((replace(ABOVE, cut_above=True), BELOW)), "3 <= x <= 7"),
        (AllOf((ABOVE, replace(BELOW, cut_above=True))), "3 < x < 7"),
        (AllOf((OR_MISSING, replace(BELOW, if_missing=True))), "(3 < x <= 7 or missing)"),
        (AllOf((OR_MISSING, BELOW)), "(x > 3 or missing) and x <= 7"),
        (AllOf((ABOVE, replace(BELOW, cut=3.0))), "x > 3 and x <= 3"),
        (AllOf((ABOVE, ABOVE, BELOW)), "x > 3 and x > 3 and x <= 7"),
        (AllOf((ABOVE, replace(BELOW, column="y"))), "x > 3 and y <= 7"),
        (AnyOf((ABOVE, BELOW)), "x > 3 or x <= 7"),
        (AnyOf((Given("c"), AllOf((ABOVE, BELOW)))), "c or (3 < x <= 7)"),
    ],
)
def test_predicates_read_like_this(predicate, text):
    assert predicate_text(predicate) == text


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
    RuleList((Rule(PARTS[0], 1), Rule(AllOf(PARTS), 2), Rule(AllOf(), 1)), 0): (
        "the first of these that holds:\n"
        "  1. high if bmi > 29.9\n"
        "  2. none if bmi > 29.9 and age is missing\n"
        "  3. high always\n"
        "otherwise low"
    ),
    RuleList((), 2): "always none",
    RuleList((), None): "always no answer",
    RuleList((Rule(PARTS[0], 1),), None): "the first of these that holds:\n"
    "  1. high if bmi > 29.9\notherwise no answer",
    RuleVote((WeightedRule(PARTS[0], 1, 0.5),), None): "the class with the most votes:\n"
    "  1. 0.5 for high if bmi > 29.9\nno answer where nothing votes",
    RuleVote((WeightedRule(PARTS[0], 1, 0.5),), 0): "the class with the most votes:\n"
    "  1. 0.5 for high if bmi > 29.9\nlow where nothing votes",
    RuleVote((WeightedRule(PARTS[0], 1, 0.5), WeightedRule(AllOf(), 0, 0.25)), 0): (
        "the class with the most votes:\n  1. 0.5 for high if bmi > 29.9\n  2. 0.25 for low always"
    ),
    Tree((Split((PARTS[0],), (1, 2)), Split((PARTS[1],), (3, 4)), Leaf(0), Leaf(1), Leaf(2))): (
        "if bmi > 29.9:\n  if age is missing: high\n  else: none\nelse: low"
    ),
    Tree((Split((PARTS[0],), (1, 2), (5, 11)), Leaf(0), Leaf(1))): (
        "if bmi > 29.9 (5/16 where missing): low\nelse (11/16 where missing): high"
    ),
}


@pytest.mark.parametrize("body", SAYINGS, ids=lambda body: type(body).__name__)
def test_arrangements_read_like_this(body):
    assert arrangement_text(body, CLASSES) == SAYINGS[body]


def test_a_list_is_an_ordered_list_in_html():
    body = RuleList((Rule(PARTS[0], 1), Rule(PARTS[1], 2)), 0)
    assert arrangement_html(body, CLASSES) == (
        "<p>the first of these that holds:</p><ol><li><b>high</b> if bmi &gt; 29.9</li>"
        "<li><b>none</b> if age is missing</li></ol><p>otherwise <b>low</b></p>"
    )


def test_rules_show_in_html_how_they_did():
    listed = RuleList((Rule(PARTS[0], 1), Rule(PARTS[1], 2)), 0)
    html = arrangement_html(listed, CLASSES, support=[(8.0, 7.0), (0.0, 0.0), (1.0, 0.5)])
    assert html == (
        "<p>the first of these that holds:</p><ol>"
        "<li><b>high</b> if bmi &gt; 29.9 <small>(8 cases, 87.5 % right)</small></li>"
        "<li><b>none</b> if age is missing</li></ol>"
        "<p>otherwise <b>low</b> <small>(1 case, 50.0 % right)</small></p>"
    )
    vote = RuleVote((WeightedRule(PARTS[0], 1, 0.5),), None)
    html = arrangement_html(vote, CLASSES, unanswered=" (2)", support=[(8.0, 8.0), (2.0, 0.0)])
    assert "bmi &gt; 29.9 <small>(8 cases, 100.0 % right)</small></li>" in html
    assert html.endswith("<p><b>no answer</b> where nothing votes (2)</p>")
    always = RuleVote((*vote.voters, WeightedRule(AllOf(), 0, 0.25)), 0)
    assert arrangement_html(always, CLASSES).endswith("<li>0.25 for <b>low</b> always</li></ol>")


def test_a_long_condition_is_broken_before_its_clauses():
    parts = tuple(Threshold(f"measurement number {i}", True, 0.125) for i in range(6))
    text = arrangement_text(
        RuleList((Rule(AllOf(parts), 1), Rule(AllOf(parts[:2]), 2)), 0), CLASSES
    )
    assert text == (
        "the first of these that holds:\n"
        "  1. high if measurement number 0 > 0.125 and measurement number 1 > 0.125\n"
        "          and measurement number 2 > 0.125 and measurement number 3 > 0.125\n"
        "          and measurement number 4 > 0.125 and measurement number 5 > 0.125\n"
        "  2. none if measurement number 0 > 0.125 and measurement number 1 > 0.125\n"
        "otherwise low"
    )
    ((first, *rest),) = [
        arrangement_text(Conjunction((AllOf(parts),), 1, 0), CLASSES).splitlines()[1:]
    ]
    assert first.startswith("  1. measurement number 0 > 0.125 and")
    assert all(line.startswith("     and measurement") and len(line) <= 100 for line in rest)


def test_a_long_syndrome_is_broken_between_its_terms():
    parts = tuple(Threshold(f"measurement number {i}", True, 0.125) for i in range(5))
    text = arrangement_text(RuleList((Rule(AtLeast(2, parts), 1),), 0), CLASSES)
    assert text.splitlines()[1:3] == [
        "  1. high if at least 2 of (measurement number 0 > 0.125; measurement number 1 > 0.125;",
        "          measurement number 2 > 0.125; measurement number 3 > 0.125; "
        "measurement number 4 > 0.125)",
    ]


@given(PREDICATES)
def test_pieces_make_the_headline(predicate):
    assert " ".join(pieces_of(predicate)) == headline_text(predicate)


def test_numbers_of_rules_stand_below_each_other():
    rules = tuple(Rule(Threshold("x", True, float(i)), 1) for i in range(10))
    lines = arrangement_text(RuleList(rules, 0), CLASSES).splitlines()
    assert lines[1] == "   1. high if x > 0" and lines[10] == "  10. high if x > 9"


def test_long_conditions_of_one_model_hang_at_one_depth():
    """Those of a short vote once stood below their class, and those of a long one did not."""
    parts = tuple(Threshold(f"measurement number {i}", True, 0.125) for i in range(6))
    voters = (WeightedRule(AllOf(parts), 1, 1.0), WeightedRule(AllOf(parts), 1, 1.0625))
    lines = arrangement_text(RuleVote(voters, 0), CLASSES).splitlines()
    hanging = [line for line in lines if line.lstrip().startswith("and ")]
    assert len(hanging) == 4 and all(line.startswith("       and ") for line in hanging)


@given(ARRANGEMENTS)
def test_breaking_a_line_changes_no_word(arrangement):
    for rule in arrangement.children:
        if isinstance(rule, Rule):
            words = " ".join(arrangement_text(arrangement, CLASSES).split())
            assert (
                " ".join(headline_text(rule.condition).split()) in words
                or rule.condition == AllOf()
            )


def test_what_is_left_unanswered_is_said_where_a_model_abstains():
    said = " (3 of 9 training cases)"
    rules, voters = (Rule(PARTS[0], 1),), (WeightedRule(PARTS[0], 1, 0.5),)
    listed, vote = RuleList(rules, None), RuleVote(voters, None)
    for body, last in ((listed, "otherwise no answer"), (vote, "no answer where nothing votes")):
        text = arrangement_text(body, CLASSES, unanswered=said)
        assert text.splitlines()[-1] == last + said
        html = arrangement_html(body, CLASSES, unanswered=said)
        assert html.endswith(f"<p>{last}{said}</p>".replace("no answer", "<b>no answer</b>"))
    for body in (RuleList(rules, 0), RuleVote(voters, 0), Conjunction(PARTS, 1, 0)):
        assert said not in arrangement_text(body, CLASSES, unanswered=said)
        assert said not in arrangement_html(body, CLASSES, unanswered=said)


def test_answers_are_written_and_escaped_as_they_are_given():
    body = Conjunction((Threshold("a", True, 1.0),), 1, 0)
    tree = Tree((Split((Threshold("a", True, 1.0),), (1, 2)), Leaf(0), Leaf(1)))
    assert arrangement_text(tree, ["0.5", "12.5"]) == "if a > 1: 0.5\nelse: 12.5"
    for shape in (body, tree):
        html = arrangement_html(shape, ["<0>", "<1>"])
        assert "&lt;1&gt;" in html
        assert "class" not in html


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
        "Wrong on 16 of 611 training cases (2.6 %). On new cases: at most 12.3 % (95 % "
        "confidence). The model is rebuilt from 4 other training cases (the compression set) and a "
        "message of 21.7 bits."
    )
    assert "from 1 other training case (" in certificate(examples=1)
    assert "Wrong on 2,384 of 7,214 training cases (33.0 %). " in certificate(
        errors=2384, others=7214
    )
    assert "(99.9 % confidence)" in certificate(delta=0.001)
    assert "(99.9999 % confidence)" in certificate(delta=1e-6)
    assert "(1 - 1e-12 confidence)" in certificate(delta=1e-12)


def test_a_certificate_from_rows_held_out_reads_like_this():
    numbers = {"bound": 0.2, "delta": 0.05, "held": 60, "errors": 4, "guess": 0.4}
    first = (
        "Wrong on 4 of 60 held-out cases (6.7 %). On new cases: at most 20.0 % (95 % confidence)."
    )
    assert holdout_text(**numbers, models=1) == first
    chosen = f"{first} The held-out cases chose among 1,200 models."
    assert holdout_text(**numbers, models=1200) == chosen
    none = holdout_text(bound=1.0, delta=0.05, held=0, errors=0, models=1, guess=0.0)
    assert none.startswith("Wrong on 0 of 0 held-out cases. On new cases: at most 100.0 %")


def test_the_certificate_of_a_model_that_abstains_counts_what_is_unanswered():
    assert certificate(abstains=True).startswith(
        "Wrong or unanswered on 16 of 611 training cases (2.6 %). On new cases: at most 12.3 %"
    )


def test_a_bound_that_is_no_better_than_a_guess_is_called_weak():
    assert certificate(bound=0.5).endswith(" This bound is no better than the toss of a coin.")
    assert certificate(guess=0.1).endswith(
        " This bound is weak: always answering the most frequent class is wrong on 10.0 % of the "
        "training cases."
    )
    assert certificate(bound=0.52, guess=0.6).endswith("21.7 bits.")  # of many classes


def test_a_node_without_text_is_refused():
    class Odd(Predicate):
        def holds(self, table):
            return None

        def __invert__(self):
            return self

    with pytest.raises(UnrenderableError, match="Odd has no form as text"):
        predicate_text(Odd())


def test_an_arrangement_without_text_is_refused():
    class Odd(Arrangement):
        rules = ()

        def answer(self, table):
            return None

    with pytest.raises(UnrenderableError, match="Odd has no form as text"):
        arrangement_text(Odd(), CLASSES)
