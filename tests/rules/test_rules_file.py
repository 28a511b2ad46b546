"""Rules files read back as they were written, with their comments; errors name the line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.mixed import tables
from strategies.written import COLUMNS, CONDITIONS, ODD_NAMES

from rulewright.data import Field
from rulewright.errors import InputError, UnrenderableError
from rulewright.render import rules_file_text
from rulewright.rules import (
    AllOf,
    ClassScorecard,
    Given,
    HalfPlane,
    Missing,
    Points,
    Rule,
    RuleList,
    RulesFile,
    RuleVote,
    ScoreBand,
    Scorecard,
    ScoreLine,
    Threshold,
    WeightedRule,
    parse_rules_file,
)

CLASSES = ["negative", "positive", "no answer"]
OUTPUT = st.integers(0, 2)
NOTES = st.lists(st.sampled_from(["", "# note", "# a -> b", "# otherwise -> x"]), max_size=2)
TEXT = """\
# who decides
age > 40 and
    colour = red -> positive

# the rest
at least 2 of (age > 60; colour = blue; not (age < 20)) -> positive
age < 10 or colour in {red, blue} -> negative
otherwise -> no answer
# end
"""
FIELDS = [Field("age", "numeric"), Field("colour", "text", 2)]
TWO = ["negative", "positive"]
BAND = ScoreBand(Points(0), 0, 0.25)


@st.composite
def files(draw):
    listed = draw(st.lists(st.builds(Rule, CONDITIONS, OUTPUT), max_size=4))
    notes = [tuple(draw(NOTES)) for _ in range(len(listed) + 2)]
    return RulesFile(RuleList(tuple(listed), draw(st.none() | OUTPUT)), tuple(notes))


@given(files(), tables())
def test_a_file_reads_back_with_the_same_answers_and_comments(file, table):
    text = rules_file_text(file, CLASSES)
    again = parse_rules_file(text, COLUMNS, CLASSES)
    assert again.comments == file.comments
    assert again.body.default == file.body.default
    assert (again.body.classify(table) == file.body.classify(table)).all()
    assert parse_rules_file(rules_file_text(again, CLASSES), COLUMNS, CLASSES) == again


@st.composite
def files_of_sums(draw):
    """Files of votes and scorecards."""
    if draw(st.booleans()):
        weights = st.floats(-100, 100)
        voters = draw(st.lists(st.builds(WeightedRule, CONDITIONS, OUTPUT, weights), min_size=1))
        body = RuleVote(tuple(voters), draw(st.none() | OUTPUT))
    else:
        points = st.integers(-1000, 1000).map(Points)
        lines = tuple(draw(st.lists(st.builds(ScoreLine, CONDITIONS, points), min_size=1)))
        bands = [ScoreBand(Points(-1_000_000), draw(st.integers(0, 1)), 0.25)]
        if draw(st.booleans()):
            bands.append(ScoreBand(draw(points), 1 - bands[0].output, 0.75))
        body = Scorecard(lines, tuple(bands))
    file = RulesFile.of(body)
    return RulesFile(file.body, tuple(tuple(draw(NOTES)) for _ in range(file.statements + 1)))


@given(files_of_sums(), tables())
def test_votes_and_scorecards_read_back_with_the_same_answers_and_comments(file, table):
    classes = CLASSES if isinstance(file.body, RuleVote) else TWO
    text = rules_file_text(file, classes)
    again = parse_rules_file(text, COLUMNS, classes)
    assert type(again.body) is type(file.body) and again.comments == file.comments
    assert (again.body.classify(table) == file.body.classify(table)).all()
    assert parse_rules_file(rules_file_text(again, classes), COLUMNS, classes) == again
    fewer = again.without([1])
    assert len(fewer.parts) == len(file.parts) - 1
    assert len(fewer.comments) == fewer.statements + 1
    simpler = again.simplified().body
    assert (simpler.classify(table) == file.body.classify(table)).all()


def test_classes_that_read_like_votes_and_points_are_told_apart():
    odd = ["a", "a with 2 votes"]
    vote = RuleVote((WeightedRule(Missing("age"), 0, 2.0), WeightedRule(AllOf(), 1, 1.0)), 0)
    text = rules_file_text(RulesFile(vote), odd)
    assert parse_rules_file(text, FIELDS, odd).body == vote
    listed = RuleList((Rule(Missing("age"), 1),), 0)
    assert parse_rules_file(rules_file_text(RulesFile(listed), odd), FIELDS, odd).body == listed
    card = RulesFile.of(Scorecard((ScoreLine(Missing("age"), Points(3)),), (BAND,)))
    with pytest.raises(UnrenderableError, match="reads as points"):
        rules_file_text(card, ["3 points", "b"])


@given(ODD_NAMES, ODD_NAMES.filter(bool))
def test_odd_names_of_columns_and_classes_read_back(name, label):
    columns = [Field(name, "boolean", 2), Field("x", "numeric")]
    rules = (Rule(Given(name), 1), Rule(Missing(name), 0), Rule(AllOf(), 1))
    file = RulesFile(RuleList(rules, 1), ((), (), (), (), ()))
    assert parse_rules_file(rules_file_text(file, ["z", label]), columns, ["z", label]) == file


@pytest.mark.parametrize("name", ["#x", "# x", "otherwise"])
def test_a_name_that_looks_like_a_comment_or_the_last_line_is_put_in_parentheses(name):
    columns = [Field(name, "boolean", 2)]
    file = RulesFile(RuleList((Rule(Given(name), 1),), 0), ((), (), ()))
    text = rules_file_text(file, TWO)
    assert text.startswith("(")
    assert parse_rules_file(text, columns, TWO) == file


def test_lines_go_on_and_windows_line_ends_are_read():
    unix = parse_rules_file(TEXT, FIELDS, TWO)
    assert [len(rule.condition.columns) for rule in unix.body.listed] == [2, 2, 2]
    assert unix.body.default is None
    assert unix.comments == (("# who decides",), ("", "# the rest"), (), (), ("# end",))
    assert parse_rules_file(TEXT.replace("\n", "\r\n"), FIELDS, TWO) == unix


def test_a_rule_is_left_out_with_its_comments():
    file = parse_rules_file(TEXT, FIELDS, TWO).without([1])
    assert rules_file_text(file, TWO).startswith("\n# the rest\nat least 2 of (")
    with pytest.raises(InputError, match="There is no rule 3: the rules are numbered 1 to 2"):
        file.without([3])


def test_simplifying_keeps_the_answers():
    text = "# old\nage > 40 and age > 30 -> positive\notherwise -> negative\n"
    simpler = parse_rules_file(text, FIELDS, TWO).simplified()
    assert rules_file_text(simpler, TWO) == "# old\nage > 40 -> positive\notherwise -> negative\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "last line of a rules file must be 'otherwise -> CLASS'"),
        ("age > 40 -> positive\n", "last line of a rules file must be"),
        ("\nagee > 40 -> positive\n", "Line 2: There is no column 'agee'; did you mean 'age'"),
        ("otherwise -> maybe", "Line 1: There is no class 'maybe'"),
        ("otherwise -> negative\nage > 4 -> positive", "Line 2: nothing may follow"),
        ("age > 40\notherwise -> negative", "Line 1: '->' and a class must follow"),
        ("\n" * 100_001, "has at most 100,000 lines"),
        ("age > 4 -> positive\nage > 5 -> 2 points\notherwise -> negative", "all of one kind"),
        (
            "age > 4 -> positive with 2 votes\n2 points or more -> positive\notherwise -> negative",
            "all of one kind",
        ),
        ("age > 4 -> 2000 points\notherwise -> negative", "Line 1: Points must be from -1000 to"),
        ("age > 4 -> 2 points\notherwise -> no answer", "Points need two classes"),
        (
            "2 points or more -> positive\nage > 4 -> 2 points\notherwise -> negative",
            "Line 2: Only 'otherwise -> CLASS' may follow",
        ),
        ("age > 4 -> positive with 1e999 votes\notherwise -> negative", "must be finite"),
        ("age > 4 -> positive with . votes\notherwise -> negative", "must be finite"),
        ("age > 4 -> maybe with 2 votes\notherwise -> negative", "There is no class 'maybe'"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text, message):
    with pytest.raises(InputError, match=message):
        parse_rules_file(text, FIELDS, TWO)


def test_a_scorecard_of_three_classes_cannot_be_written():
    with pytest.raises(InputError, match="Learn rules that can"):
        RulesFile.of(ClassScorecard((Points(0),) * 3, (), 0.0))


def test_a_test_of_several_columns_cannot_be_written():
    plane = HalfPlane(("a", "b"), (1.0, 1.0), 0.0, True)
    rules = RuleList((Rule(plane, 1), Rule(Threshold("a", True, 1.0), 0)), 0)
    with pytest.raises(UnrenderableError, match="cannot be written in a rules file"):
        rules_file_text(RulesFile(rules), TWO)
