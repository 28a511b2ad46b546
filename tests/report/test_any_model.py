"""The report of any arrangement: lists, balls, half-spaces, many classes."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.reading import EVIL, check_drawings, check_scripts, read
from strategies.mixed import tables
from strategies.nodes import ARRANGEMENTS

from rulewright.certificates import PathEntry
from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.models import Model, RegressionModel
from rulewright.report import facts, page
from rulewright.rules import (
    AllOf,
    AnyOf,
    Ball,
    Category,
    Conjunction,
    Function,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Kernel,
    Leaf,
    Metric,
    Missing,
    Rule,
    RuleList,
    RuleVote,
    Scaling,
    Threshold,
    Tree,
    WeightedRule,
    reanchored,
)


@dataclass(frozen=True)
class Promise:
    """As much of a certificate as the page looks at."""

    m: int
    roles: dict
    classes: int = 3
    bound: float = 0.25
    delta: float = 0.05
    errors: int = 3
    aside: tuple = (0, 0, 0)
    message: tuple = (("how many rules", 2.0), ("which examples", 5.0))
    message_nats: float = 7.0
    sentence: str = "On new cases: at most 25.0 % (95 % confidence)."
    cautions: tuple = ()
    printed_bound: float | None = None

    @property
    def examples(self):
        return tuple(sorted({row for rows in self.roles.values() for row in rows}))

    @property
    def others(self):
        return self.m - len(self.examples)

    @property
    def class_bounds(self):
        return (0.3,) * self.classes

    def __str__(self):
        return "A promise."


def content_of(body, table, y, classes=("low", "high", "none"), roles=None, rows=None):
    answers = body.answer(table)
    evidence = np.zeros((len(body.rules), len(classes)))
    np.add.at(evidence, (answers, y), 1)
    model = Model(table.fields, classes, body, tuple(map(tuple, evidence.tolist())))
    promise = Promise(table.rows, roles or {"anchors": body.anchors}, len(classes))
    errors = int((body.classify(table) != y).sum())
    entry = PathEntry(2, replace(model, certificate=promise), errors, promise, 1.0)
    path = [replace(entry, size=1, errors=table.rows), entry]
    return facts(entry, path, table, y, title="A title", row_numbers=rows)


@pytest.mark.slow
@settings(max_examples=20)
@given(ARRANGEMENTS, tables(), st.data())
def test_any_arrangement_gives_a_page(body, table, data):
    body = reanchored(body, [row % table.rows for row in range(51)])
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=table.rows, max_size=table.rows)))
    text = page(content_of(body, table, y.astype(np.int32)))
    read(text)
    check_drawings(text)


NAMES = ("glucose", "bmi", "age")
RNG = np.random.default_rng(5)
Y = np.repeat(np.arange(3, dtype=np.int32), 20)
TABLE = Table(
    [
        *(NumericColumn(name, RNG.normal(size=60).round(3) + Y) for name in NAMES),
        CategoricalColumn("city", "text", (np.arange(60) % 3).astype(np.int32), ("a", "b", "c")),
        CategoricalColumn(
            "smoker", "boolean", (np.arange(60) % 2).astype(np.int32), ("False", "True")
        ),
    ],
    60,
)


def test_one_row_is_one_row():
    body = RuleList((Rule(Threshold("bmi", True, 0.0, anchored_on=(3,)), 1),), 0)
    _, words = read(page(content_of(body, TABLE, Y)))
    assert "rebuilt from 1 training row (the compression set)" in words


def example(row):
    return tuple(float(TABLE.numbers(name)[row]) for name in NAMES)


STANDARD = Scaling("standard", shift=(0.5, 1.0, 1.5), unit=(1.0, 2.0, 0.25))
BALL = Ball(NAMES, example(45), 1.25, scaling=STANDARD, anchored_on=(45, 3))
HALF = HalfSpace(NAMES, example(50), example(7), 0.5, anchored_on=(50, 7, 12))
PLANE = HalfPlane(("glucose", "age"), (1.0, -0.5), 0.25, above=True, anchored_on=(12,))
LISTED = RuleList(
    (
        Rule(BALL, 2),
        Rule(AllOf((HALF, Category("city", ("a", "b")))), 2),
        Rule(Interval("age", 0.2, 1.3, anchored_on=(30, 31)), 1),
        Rule(Threshold("bmi", True, 0.4, cut_above=True, anchored_on=(33,)), 1),
        Rule(Given("smoker"), 0),
        Rule(Function("young", ("age",), function=lambda c: c["age"] < 0), 0),
        Rule(Missing("age"), 0),
    ),
    0,
)
ROLES = {"centres": (45,), "pairs": (7, 50), "borders": (3, 12), "anchors": (30, 31, 33)}
CONTENT = content_of(LISTED, TABLE, Y, roles=ROLES)


def test_a_list_is_told_rule_by_rule():
    _, words = read(page(CONTENT))
    assert "none if nearer than 1.25 to example 45 (" in words
    assert "none if more like example 50 than example 7 by at least 0.5 and city in {a, b}" in words
    assert "otherwise low ." in words
    rules = CONTENT["rules"]
    assert [rule["label"] for rule in rules] == ["none", "none", "high", "high"] + ["low"] * 4
    assert rules[-1]["answers"] == "otherwise"
    assert math.isclose(sum(rule["coverage"] for rule in rules), 1.0)
    assert sum(int(part["n"]) for rule in rules for part in rule["bar"]) == 60


def test_three_classes_have_a_matrix_and_rates_of_their_own():
    reader, words = read(page(CONTENT))
    assert [part["label"] for part in CONTENT["by_class"]] == ["low", "high", "none"]
    assert "predicted actual low high none all right" in words
    counts = np.array([row["counts"] for row in CONTENT["confusion"]])
    assert counts.shape == (3, 3) and counts.sum() == 60
    assert [row["total"] for row in CONTENT["confusion"]] == [20, 20, 20]
    assert len([tag for tag, a in reader.tags if a.get("class") == "card"]) == 5


def test_two_classes_have_rates_of_their_own():
    body = Conjunction((BALL,), 1, 0)
    content = content_of(body, TABLE, np.minimum(Y, 1), classes=("well", "ill"))
    assert [part["label"] for part in content["by_class"]] == ["ill", "well"]
    assert "wrong, of new cases that are ill ≤ 30.0 %" in read(page(content))[1]


def test_every_test_of_a_list_is_drawn_on_the_rows_that_reach_it():
    answers = LISTED.answer(TABLE)
    titles = {plot["title"]: plot for plot in CONTENT["plots"]}
    assert [plot["number"] for plot in CONTENT["plots"]] == [1, 2, 2, 3, 4, 5, 6, 7]
    for plot in CONTENT["plots"]:
        reached = int((answers >= plot["number"] - 1).sum())
        assert plot["rows"] == reached
        assert sum(bar["n"] for bar in plot["stacks"]) == reached
    assert titles["smoker"]["names"][0]["text"] in ("true", "false")
    assert {n["text"]: n["held"] for n in titles["age is missing"]["names"]} == {
        "present": False,
        "missing": True,
    }
    check_drawings(page(CONTENT))


def held_rows(plot):
    """Count the rows whose bars lie on the shade."""
    return sum(
        bar["n"]
        for bar in plot["stacks"]
        for shade in plot["shades"]
        if shade["x"] - 0.01 <= bar["x"] and bar["x"] + bar["w"] <= shade["x"] + shade["w"] + 0.01
    )


WHOLE = NumericColumn("whole", np.array([1.0, 1, 2, 3, 3, 3, 5, 8, 8, np.nan]))


@pytest.mark.parametrize("cut", [0.0, 1.0, 3.0, 3.5, 8.0, 9.0])
@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("cut_above", [True, False])
def test_bars_of_whole_numbers_end_where_the_test_cuts(cut, above, cut_above):
    test = Threshold("whole", above, cut, cut_above=cut_above)
    table = Table([WHOLE], 10)
    body = Conjunction((test,), 1, 0)
    (plot,) = content_of(body, table, np.zeros(10, np.int32))["plots"]
    assert plot["missing"] == 1
    assert held_rows(plot) == test.holds(table).sum()


@pytest.mark.parametrize(
    "test",
    [
        BALL,
        ~BALL,
        replace(BALL, strict=False),
        replace(
            BALL,
            metric=Metric("l1"),
            radius=float(replace(BALL, metric=Metric("l1")).distance(TABLE)[9]),
        ),
        HALF,
        ~HALF,
        PLANE,
        ~PLANE,
        replace(PLANE, cut=float(PLANE.sums(TABLE)[12])),
        replace(PLANE, cut=float(PLANE.sums(TABLE).max())),
        replace(HALF, strict=True, cut=float(HALF.margin(TABLE)[12])),
        replace(HALF, strict=False, cut=float(HALF.margin(TABLE)[12])),
        replace(HALF, kernel=Kernel("rbf"), cut=0.0),
        replace(BALL, radius=float(BALL.distance(TABLE).max())),
        replace(BALL, strict=False, radius=float(BALL.distance(TABLE).max())),
        replace(BALL, inside=False, radius=0.0),
        replace(BALL, strict=False, radius=0.0),
        Interval("age", *sorted(TABLE.numbers("age")[[3, 50]].tolist())),
        Interval("age", *sorted(TABLE.numbers("age")[[3, 50]].tolist()), inside=False),
        Interval("age", *sorted(TABLE.numbers("age")[[3, 50]].tolist()), low_open=True),
        Interval("age", *sorted(TABLE.numbers("age")[[3, 50]].tolist()), high_open=True),
        Threshold("bmi", True, float(TABLE.numbers("bmi")[4])),
        Threshold("bmi", False, float(TABLE.numbers("bmi")[4]), cut_above=True),
    ],
)
def test_bars_end_where_the_test_cuts(test):
    (plot,) = content_of(Conjunction((test,), 1, 0), TABLE, Y)["plots"]
    assert held_rows(plot) == test.holds(TABLE).sum()
    assert sum(bar["n"] for bar in plot["stacks"]) == 60


def test_a_linear_half_space_shows_its_weights():
    (plot,) = content_of(Conjunction((HALF,), 1, 0), TABLE, Y)["plots"]
    assert {bar["name"] for bar in plot["weights"]["bars"]} == set(NAMES)
    assert plot["weights"]["bars"][0]["share"] == 1.0
    for bar in plot["weights"]["bars"]:
        place = NAMES.index(bar["name"])
        weight = HALF.toward[place] - HALF.away[place]
        assert bar["up"] == (weight > 0) and math.isclose(float(bar["text"]), weight, rel_tol=1e-5)
    (plot,) = content_of(Conjunction((replace(HALF, kernel=Kernel("rbf")),), 1, 0), TABLE, Y)[
        "plots"
    ]
    assert plot["weights"] is None


def test_the_examples_are_shown_whole_and_with_their_roles():
    table = CONTENT["examples"]
    shown = {row["row"]: row for row in table["rows"]}
    assert list(shown) == [45, 3, 50, 7, 12, 30, 31, 33]
    assert shown[45]["use"] == "rule 1: centre"
    assert shown[7]["use"] == "rule 2: against"
    assert shown[31]["use"] == "rule 3: upper end"
    for row, line in shown.items():
        cells = dict(zip(table["columns"], line["cells"], strict=True))
        assert tuple(float(cells[name]) for name in NAMES) == example(row)
        assert line["label"] == ("low", "high", "none")[Y[row]]


def test_wide_examples_stand_in_columns_and_nothing_is_left_out():
    names = tuple(f"x{i}" for i in range(40))
    table = Table([NumericColumn(name, RNG.normal(size=60)) for name in names], 60)
    centre = tuple(float(column.values[11]) for column in table.columns)
    body = RuleList((Rule(Ball(names, centre, 8.0, anchored_on=(11, 12)), 1),), 0)
    _, words = read(page(content_of(body, table, Y)))
    for x in centre:
        assert repr(x) in words
    assert "... 24 more" in words


def test_examples_are_named_as_the_reader_numbers_them():
    content = content_of(LISTED, TABLE, Y, rows=np.arange(60) + 1000)
    _, words = read(page(content))
    assert "nearer than 1.25 to example 1045" in words and "example 45" not in words
    assert "distance to example 1045" in words
    assert [row["row"] for row in content["examples"]["rows"]][:2] == [1045, 1003]


def test_scales_are_written_out():
    _, words = read(page(CONTENT))
    assert "glucose 0.5 1 bmi 1 2 age 1.5 0.25" in words
    ranked = replace(BALL, scaling=Scaling("rank", knots=((0.0, 2.5),) * 3))
    _, words = read(page(content_of(Conjunction((ranked,), 1, 0), TABLE, Y)))
    assert "glucose 2 0 2.5" in words


def test_a_vote_says_its_weights():
    body = RuleVote((WeightedRule(BALL, 2, 0.5), WeightedRule(Missing("age"), 1, 1.5)), 0)
    _, words = read(page(content_of(body, TABLE, Y)))
    assert "The class with the most votes: 0.5 for none if nearer than 1.25" in words
    assert "low where nothing votes." in words
    always = RuleVote((*body.voters, WeightedRule(AllOf(), 0, 0.25)), 0)
    _, words = read(page(content_of(always, TABLE, Y)))
    assert "0.25 for low always" in words and "where nothing votes" not in words


def test_the_rules_of_a_vote_are_counted_where_they_speak():
    high, low = Threshold("bmi", True, 1.0), Threshold("age", False, 2.0)
    body = RuleVote((WeightedRule(high, 2, 0.5), WeightedRule(AllOf((low, high)), 1, -2.0)), 0)
    content = content_of(body, TABLE, Y)
    held = [high.holds(TABLE), (low.holds(TABLE) & high.holds(TABLE)), ~high.holds(TABLE)]
    for rule, rows, output in zip(content["rules"], held, (2, 1, 0), strict=True):
        assert rule["support"] == f"{rows.sum()}"
        assert rule["precision"] == (Y[rows] == output).mean()
        assert rule["coverage"] == rows.mean()
    lines = content["statement"]["lines"]
    assert [(line["weight"], line["share"], line["against"]) for line in lines] == [
        ("0.5", 0.25, False),
        ("-2", 1.0, True),
    ]
    assert lines[0]["fit"]["cases"] == f"{held[0].sum()}"
    assert [plot["numbers"] for plot in content["plots"]] == [[1, 2], [2]]
    _, words = read(page(content))
    assert "Several rules may hold for a case" in words and "the first that applies" not in words
    assert "1, 2. bmi > 1" in words


def test_the_two_ends_of_a_column_are_drawn_as_one():
    ends = Threshold("bmi", True, 0.5), Threshold("bmi", False, 2.0)
    content = content_of(RuleList((Rule(AllOf((*ends, Given("smoker"))), 1),), 0), TABLE, Y)
    plot, other = content["plots"]
    assert (plot["title"], other["title"]) == ("0.5 < bmi <= 2", "smoker")
    assert held_rows(plot) == AllOf(ends).holds(TABLE).sum()
    assert len(plot["lines"]) == 2
    (line,) = content["statement"]["lines"]
    assert line["pieces"] == ["0.5 < bmi <= 2", "and smoker"]
    _, words = read(page(content))
    assert "high if 0.5 < bmi <= 2 and smoker" in words


def test_of_very_many_tests_the_first_are_drawn():
    tests = tuple(Threshold("bmi", True, i / 10) for i in range(30))
    content = content_of(RuleList((Rule(AnyOf(tests), 1),), 0), TABLE, Y)
    assert len(content["plots"]) == 24
    assert "The first 24 of 30 tests are shown." in read(page(content))[1]


def test_an_empty_list_says_always():
    _, words = read(page(content_of(RuleList((), 2), TABLE, Y)))
    assert "none , always." in words


def test_more_classes_than_colours_have_colours():
    y = np.arange(60, dtype=np.int32) % 15
    classes = tuple(f"class <{i}>" for i in range(15))
    text = page(content_of(RuleList((Rule(BALL, 14),), 3), TABLE, y, classes=classes))
    read(text)
    assert ".k14 { fill: hsl(" in text and "<14>" not in text


def test_everything_in_a_list_is_data():
    names = tuple(f"{EVIL}{i}" for i in range(3))
    table = Table([NumericColumn(name, RNG.normal(size=60)) for name in names], 60)
    parts = (
        replace(BALL, on=names),
        replace(HALF, on=names),
        Function(EVIL, names, function=lambda c: c[names[0]] > 0),
        Interval(names[0], 0.0, 1.0),
        Missing(names[1]),
    )
    body = RuleList(tuple(Rule(part, 1) for part in parts), 0)
    classes, roles = (EVIL, f"{EVIL}2", "none"), {EVIL: body.anchors}
    text = page(content_of(body, table, Y, classes=classes, roles=roles))
    read(text)
    check_scripts(text)
    assert "&lt;script&gt;" in text


def test_the_papers_formula_is_said_to_be_no_bound():
    text = page({**CONTENT, "printed": "61.3 %"})
    assert "the formula printed in the papers gives 61.3 %. It is not a valid bound" in text
    assert "printed in the papers" not in page(CONTENT)


def test_a_model_that_answers_with_numbers_has_no_report():
    model = RegressionModel(TABLE.fields, Tree((Leaf(0),)), (12.5,), ((60.0, 1.0),))
    entry = PathEntry(1, model, 0, Promise(60, {}, 3), 1.0)
    for subject in (model, entry):
        with pytest.raises(InputError, match="needs a classifier with a certificate"):
            facts(subject, [], TABLE, Y, title="A title")


def test_a_half_plane_is_drawn_along_its_sums():
    content = content_of(Conjunction((PLANE,), 1, 0), TABLE, Y)
    (plot,) = content["plots"]
    assert plot["caption"] == "glucose - 0.5 age"
    assert plot["weights"] is None
    assert [row["use"] for row in content["examples"]["rows"]] == ["rule 1: border"]


def test_a_model_that_abstains_shows_what_it_leaves_unanswered():
    test = Threshold("bmi", True, 1.5)
    held = test.holds(TABLE)
    for body in (RuleList((Rule(test, 1),), None), RuleVote((WeightedRule(test, 1, 2.0),), None)):
        content = content_of(body, TABLE, Y)
        assert content["rules"][-1]["label"] == "no answer"
        assert content["rules"][-1]["class"] is None and content["rules"][-1]["precision"] is None
        counts = [row["counts"] for row in content["confusion"]]
        expected = [
            [0, int((held & (Y == c)).sum()), 0, int((~held & (Y == c)).sum())] for c in range(3)
        ]
        assert counts == expected
        assert [row["total"] for row in content["confusion"]] == [20, 20, 20]
        text = page(content)
        check_drawings(text)
        _, words = read(text)
        assert f"{(~held).sum()} training cases ({100 * (~held).mean():.1f} %)" in words
        assert "wrong or unanswered, of all new cases" in words
        assert "no answer" in words
    _, words = read(page(content_of(RuleList((), None), TABLE, Y)))
    assert "no answer , always." in words
    assert "unanswered" not in read(page(CONTENT))[1]


@pytest.mark.parametrize("whole", [False, True])
def test_the_ends_of_an_axis_are_labelled_with_its_ends_and_not_with_the_extremes(whole):
    """A histogram ended at quantiles, but its labels were the extremes."""
    values = np.linspace(0.0, 100.0, 401)
    values = np.append(np.floor(values) if whole else values, [100_000.0])
    table = Table([NumericColumn("bmi", values)], 402)
    body = RuleList((Rule(Threshold("bmi", True, 25.0), 1),), 0)
    y = (np.arange(402) % 2).astype(np.int32)
    (plot,) = content_of(body, table, y, classes=("low", "high"))["plots"]
    assert plot["high"].endswith(" and above") and "below" not in plot["low"]
    low, high = float(plot["low"]), float(plot["high"].removesuffix(" and above"))
    (line,) = plot["lines"]
    assert low + (high - low) * line / 560 == pytest.approx(25, abs=1.5)
    assert high < 200


def test_an_edge_that_rounding_moved_is_labelled_with_the_value():
    """The axis of a column from 0 began at 2.78e-17 and below."""
    values = np.linspace(0.0, 0.76, 20)
    table = Table([NumericColumn("K", values)], 20)
    y = (np.arange(20) % 2).astype(np.int32)
    for cut in np.arange(0.01, 0.76, 0.01).round(2).tolist():
        body = RuleList((Rule(Threshold("K", True, cut), 1),), 0)
        (plot,) = content_of(body, table, y, classes=("low", "high"))["plots"]
        assert (plot["low"], plot["high"]) == ("0", "0.76"), cut


def test_long_lists_of_uses_are_shortened():
    tests = [Rule(Threshold("bmi", True, 0.5 * i, anchored_on=(3,)), i % 2) for i in range(9)]
    _, words = read(page(content_of(RuleList(tuple(tests), 0), TABLE, Y)))
    assert "rule 4: cut; and 5 more" in words
