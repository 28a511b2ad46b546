"""Rules read from text: what is printed reads back; what cannot be read is refused and shown."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies.mixed import tables
from strategies.nodes import CLASS
from strategies.written import COLUMNS, CONDITIONS, ODD_NAMES, READABLE

from rulewright.data import Field
from rulewright.errors import InputError
from rulewright.render import predicate_text, rule_text
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Category,
    Given,
    Interval,
    Missing,
    Not,
    Rule,
    Threshold,
    parse_condition,
    parse_rule,
)

CLASSES = ["negative", "positive", "not sure"]
TEXTS = st.text(st.sampled_from("ab (),;{}='\"`<>\\\n\té-and or"), max_size=12)


def read(text):
    return parse_condition(text, COLUMNS)


@given(READABLE)
def test_a_single_test_reads_back_as_it_was_printed(test):
    assert read(predicate_text(test)) == test


@given(CONDITIONS, tables())
def test_a_condition_reads_back_as_one_that_holds_on_the_same_rows(condition, table):
    again = read(predicate_text(condition))
    assert (again.holds(table) == condition.holds(table)).all()
    assert read(predicate_text(again)) == again


@given(CONDITIONS, CLASS)
def test_a_rule_reads_back(condition, output):
    rule = Rule(read(predicate_text(condition)), output)
    assert parse_rule(rule_text(rule, CLASSES), COLUMNS, CLASSES) == rule


@given(ODD_NAMES | TEXTS, st.sampled_from([Threshold, Interval, Missing]), st.booleans())
@example("10", Interval, False)
def test_tests_of_a_column_with_an_odd_name_read_back(name, kind, truth):
    test = {
        Threshold: Threshold(name, True, 10.0, truth),
        Interval: Interval(name, 10.0, 20.0, True, truth),
        Missing: Missing(name, truth),
    }[kind]
    assert parse_condition(predicate_text(test), [Field(name, "numeric")]) == test


LOOKALIKES = st.sampled_from(
    [
        *("a", "b", "a > b", "'a > b'", "a > 3", "'a'", '"a"', "not a", "a is missing", "missing"),
        *("a or b", "a and b", "3", "missing a", "(a", "(a)", "a:", "a or missing", "`a > b`"),
    ]
)


@given(
    st.lists(LOOKALIKES | TEXTS.filter(bool), min_size=2, max_size=6, unique=True),
    st.booleans(),
    st.booleans(),
)
@example(["a > b", "'a > b'"], False, False)
@example(["a > 3", "missing"], False, False)
@example(["a", "(a"], False, True)
def test_columns_that_look_like_tests_of_others_read_back(names, truth, if_missing):
    columns = [Field(name, "boolean", 2) for name in names]
    for name in names:
        for test in (Given(name, truth, if_missing), Missing(name, truth)):
            assert parse_condition(predicate_text(test), columns) == test
    both = AnyOf(tuple(Given(name, truth) for name in names))
    assert parse_condition(predicate_text(both), columns) == both
    columns = [Field(name, "numeric") for name in names]
    tests = tuple(Threshold(name, truth, 3.0, if_missing) for name in names)
    for condition in (*tests, AtLeast(1, tests), AllOf((*tests, Missing(names[0])))):
        assert parse_condition(predicate_text(condition), columns) == condition


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a > b", "'a > b' > 3"),
        ("a >= b", "'a >= b' > 3"),
        ("a and b", "'a and b' > 3"),
        ("missing", "'missing' > 3"),
        ("10", "'10' > 3"),
        ("it's", '"it\'s" > 3'),
        ("\x1b[31m", "'\\x1b[31m' > 3"),
        ("sepal length (cm)", "sepal length (cm) > 3"),
        ("time in hospital", "time in hospital > 3"),
    ],
)
def test_a_name_that_looks_like_a_test_is_quoted(name, said):
    test = Threshold(name, True, 3.0)
    assert predicate_text(test) == said
    assert parse_condition(said, [Field(name, "numeric"), Field("a", "numeric")]) == test


@given(ODD_NAMES | TEXTS, TEXTS, st.booleans(), st.booleans())
def test_odd_categories_read_back(one, other, among, if_missing):
    test = Category("colour", (one, other), among, if_missing)
    assert read(predicate_text(test)) == test
    both = AllOf((test, Threshold("a", True, 1.0)))
    assert read(predicate_text(both)) == both
    counted = AtLeast(1, (test, Missing("a")))
    assert read(predicate_text(counted)) == counted


@given(ODD_NAMES | TEXTS)
def test_odd_classes_read_back(label):
    rule = Rule(Missing("a"), 1)
    assert parse_rule(rule_text(rule, ["other", label]), COLUMNS, ["other", label]) == rule


ABOVE = Threshold("a", True, 1.0)
BLUE = Category("colour", ("blue",))


@pytest.mark.parametrize(
    "text, condition",
    [
        ("a>1", ABOVE),
        ("a >= 1", Threshold("a", True, 1.0, cut_above=True)),
        ("a ≤ -1.5e3", Threshold("a", False, -1500.0)),
        ("a < +.5", Threshold("a", False, 0.5, cut_above=True)),
        ("a = 3", Interval("a", 3.0, 3.0)),
        ("a is not 3", Interval("a", 3.0, 3.0, inside=False)),
        ("a between 1 and 2", Interval("a", 1.0, 2.0)),
        ("A > 1", None),
        ("1<a<=2", Interval("a", 1.0, 2.0, low_open=True)),
        ("a < 1 or a > 2", Interval("a", 1.0, 2.0, inside=False)),
        ("a <= 1 or a >= 2 or missing", ~Interval("a", 1.0, 2.0, low_open=True, high_open=True)),
        ("a <= 1 or a > 1", AnyOf((Threshold("a", False, 1.0), ABOVE))),
        ("a <= 2 or b > 3", AnyOf((Threshold("a", False, 2.0), Threshold("b", True, 3.0)))),
        ("colour is blue", BLUE),
        ("colour == 'blue'", BLUE),
        ("colour is dark blue and a > 1", AllOf((Category("colour", ("dark blue",)), ABOVE))),
        ("colour != blue (dark)", Category("colour", ("blue (dark)",), False)),
        ("(colour = blue)", BLUE),
        ("colour NOT IN {red , `a\\`b`}", Category("colour", ("red", "a`b"), False)),
        ("colour = missing", Category("colour", ("missing",))),
        ("colour is missing", Missing("colour")),
        ("`a` is not missing", Missing("a", False)),
        ("grade = 3", Category("grade", ("3",))),
        ("flag", Given("flag")),
        ("not flag", Given("flag", False)),
        ("flag = true", Category("flag", ("True",))),
        ("not (a > 1)", Not(ABOVE)),
        ("a > 1 and colour = blue or flag", AnyOf((AllOf((ABOVE, BLUE)), Given("flag")))),
        ("a > 1 and (colour = blue or flag)", AllOf((ABOVE, AnyOf((BLUE, Given("flag")))))),
        ("at least 2 of (a > 1, colour = blue; flag)", AtLeast(2, (ABOVE, BLUE, Given("flag")))),
        ("sepal length (cm) > 1", Threshold("sepal length (cm)", True, 1.0)),
        ("time in hospital > 1 or missing", Threshold("time in hospital", True, 1.0, True)),
        ("'\\x61' > 1", ABOVE),
    ],
)  # fmt: skip
def test_the_syntax(text, condition):
    if condition is None:
        with pytest.raises(InputError, match="There is no column 'A'"):
            read(text)
    else:
        assert read(text) == condition


def test_classes_are_known_by_their_text():
    assert parse_rule("a > 1 -> 1", COLUMNS, [0, 1]).output == 1
    assert parse_rule("a > 1 -> class 0", COLUMNS, [0, 1]).output == 0
    assert parse_rule("a > 1->not sure", COLUMNS, CLASSES).output == 2
    assert parse_rule("always -> 'not sure'", COLUMNS, CLASSES) == Rule(AllOf(), 2)


@pytest.mark.parametrize(
    "text, message, at",
    [
        ("zz > 1", "There is no column 'zz'. Known are 'a', 'b', 'colour',", 0),
        ("a > 1 and color = red", "There is no column 'color'; did you mean 'colour'?", 10),
        ("a > 1 and 'color' = red", "There is no column 'color'; did you mean 'colour'?", 10),
        ("a > tall", "Column 'a' holds numbers: a number must follow", 4),
        ("a = red", "Column 'a' holds numbers: a number must follow", 4),
        ("a > 1e999", "too large", 4),
        ("a in {1, 2}", "'a' holds numbers, not categories: write 10 <= x <= 20", 0),
        ("colour > 3", "'colour' holds categories, which have no order", 0),
        ("1 < colour < 3", "'colour' holds categories, which have no order", 0),
        ("colour in red", "'{' and a list of categories must follow", 10),
        ("colour in {red", "',' or '}' must follow", 14),
        ("colour in {red,}", "A category must follow", 15),
        ("colour =", "A category must follow", 8),
        ("colour = red (dark", "'(' without ')': put it in quotes", 9),
        ("flag = maybe", "'flag' must be true or false, got 'maybe'", 7),
        ("colour", "A comparison must follow 'colour': = red", 6),
        ("a and b > 1", "A comparison must follow 'a': > 3", 1),
        ("a > 1 b > 2", "'and', 'or' or the end must follow", 6),
        ("a > 1 and", "A test must follow", 9),
        ("", "A test must follow", 0),
        ("(a > 1", "')' must follow", 6),
        ("a > 1)", "'and', 'or' or the end must follow", 5),
        ("not not flag", "'not' needs parentheses", 0),
        ("3 < a", "A number begins a test only as in 10 <= age <= 20", 0),
        ("5 <= a <= 3", "The interval from 5 to 3 is empty", 0),
        ("a between 5 or 3", "'and' and a number must follow", 12),
        ("at least two of (flag)", "followed by a whole number", 9),
        ("at least 2 (flag)", "'of (' must follow", 11),
        ("at least 3 of (flag)", "At least 3 of 1 tests can never hold", 9),
        ("'a > 1", "This quote is not closed", 0),
        ("'\\xzz' > 1", "2 hexadecimal digits", 2),
    ],
)
def test_what_cannot_be_read_is_refused_and_shown(text, message, at):
    with pytest.raises(InputError, match=re.escape(message)) as error:
        read(text)
    said, shown, caret = str(error.value).rsplit("\n", 2)
    assert shown == f"  {text}" and caret == f"  {' ' * at}^", said


def test_rules_without_a_known_class_are_refused():
    with pytest.raises(InputError, match="no class 'postive'; did you mean 'positive'?"):
        parse_rule("a > 1 -> postive", COLUMNS, CLASSES)
    with pytest.raises(InputError, match="'->' and a class must follow the condition"):
        parse_rule("a > 1 positive", COLUMNS, CLASSES)
    with pytest.raises(InputError, match="must be a text; found 3"):
        parse_rule(3, COLUMNS, CLASSES)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 9_000 + "a > 1",
        "not (" * 1_900,
        "at least 1 of (" * 600,
        "a > 1 and " * 999 + "a > 1",
        "a" + " " * 9_990,
        "colour = " + " " * 4_000 + "x" + " " * 4_000 + "y",
        "colour = " + "(" * 9_000,
        "colour = " + "a " * 4_900,
        "'" * 9_999,
        "\\" * 9_999,
        "a > " + "9" * 9_000,
        "zz" * 4_999,
        "x" * 10_001,
    ],
)
def test_hostile_text_is_read_or_refused_quickly(text):
    start = time.process_time()
    try:
        read(text)
    except InputError as error:
        assert len(str(error)) < 1_000
    assert time.process_time() - start < 2


@given(st.text(max_size=40) | TEXTS)
def test_any_text_is_read_or_refused(text):
    try:
        assert read(predicate_text(read(text))) is not None
    except InputError as error:
        assert str(error).endswith("^")
