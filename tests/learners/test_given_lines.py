"""Scorecards with lines and columns that a user asks for, and with intervals."""

import numpy as np
import pandas as pd
import pytest

from rulewright import ScorecardClassifier
from rulewright.data import detect_table
from rulewright.errors import InputError
from rulewright.render import predicate_text
from rulewright.rules import AllOf, literals_of

LINES = ["age > 55: +2", "bmi > 25", "age > 40 and sex = f: -1"]


def patients(rows=300):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, rows).astype(float),
            "bmi": rng.normal(27, 5, rows).round(1),
            "sex": rng.choice(["f", "m"], rows),
            "noise": rng.random(rows).round(2),
        }
    )
    score = 2.0 * (frame.age > 60) + (frame.bmi > 30) - 2.0
    y = np.where(rng.random(rows) < 1 / (1 + np.exp(score)), "healthy", "ill")
    frame.loc[rng.random(rows) < 0.1, "bmi"] = np.nan
    return frame, y


def points_of(card):
    return {predicate_text(line.condition): line.points for line in card.model_.body.lines}


@pytest.mark.parametrize("certificate", ["compression", "split"])
@pytest.mark.parametrize("max_terms", [1, 2])
def test_given_lines_stay_with_their_points_and_the_certificate_verifies(certificate, max_terms):
    X, y = patients()
    card = ScorecardClassifier(
        7, lines=LINES, max_terms=max_terms, certificate=certificate, random_state=0
    ).fit(X, y)
    for entry in card.path_[1:]:
        points = {predicate_text(line.condition): line.points for line in entry.model.body.lines}
        assert points["age > 55"] == 2
        assert points["age > 40 and sex = f"] == -1
        assert points["bmi > 25"] != 0
        assert entry.model.body.literals <= 7
    card.certificate_.verify(card.model_, X, y)


def test_lines_with_learnt_points_alone_are_as_good_as_the_same_conditions_learnt():
    """The whole card may be given: then only points are learnt, and they minimise the loss."""
    X, y = patients()
    free = ScorecardClassifier(3).fit(X, y)
    texts = [predicate_text(line.condition) for line in free.model_.body.lines]
    card = ScorecardClassifier(3, lines=texts).fit(X, y)
    assert points_of(card) == points_of(free)
    assert (card.predict(X) == free.predict(X)).all()


def test_a_line_that_contradicts_the_data_stays():
    X, y = patients()
    card = ScorecardClassifier(4, lines=["age <= 50: +5"]).fit(X, y)
    assert points_of(card)["age <= 50"] == 5


def test_points_may_be_written_after_a_time():
    X, y = patients()
    X["seen"] = pd.Timestamp("2024-01-01 12:00") + pd.to_timedelta(X["age"], "h")
    card = ScorecardClassifier(3, lines=["seen > 2024-01-03 12:30"]).fit(X, y)
    assert "seen > 2024-01-03 12:30" in points_of(card)
    card = ScorecardClassifier(3, lines=["seen > 2024-01-03 12:30: 3"]).fit(X, y)
    assert points_of(card)["seen > 2024-01-03 12:30"] == 3


def test_forced_columns_are_on_every_card():
    X, y = patients()
    card = ScorecardClassifier(5, force=["noise", "sex"], max_columns=3).fit(X, y)
    for entry in card.path_[1:]:
        assert {"noise", "sex"} <= set(entry.model.body.columns)
        assert len(set(entry.model.body.columns)) <= 3
    assert all(line.points for line in card.model_.body.lines)
    card.certificate_.verify(card.model_, X, y)


@pytest.mark.parametrize("options", [{"keep": ["age", "sex"]}, {"forbid": ["bmi", "noise"]}])
def test_columns_that_are_left_out_are_not_on_the_card(options):
    X, y = patients()
    card = ScorecardClassifier(8, **options).fit(X, y)
    assert set(card.model_.body.columns) <= {"age", "sex"}


def test_several_classes_have_given_conditions_and_forced_columns():
    X, y = patients()
    y = np.where(X["age"] > 75, "old", y)
    card = ScorecardClassifier(4, lines=["noise > 0.5"], force=["sex"]).fit(X, y)
    assert "noise > 0.5" in points_of(card)
    assert "sex" in card.model_.body.columns
    card.certificate_.verify(card.model_, X, y)


@pytest.mark.parametrize("certificate", ["compression", "split"])
def test_intervals_are_conditions_of_two_tests(certificate):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"x": rng.integers(0, 40, 400).astype(float), "z": rng.random(400)})
    y = (X["x"] > 11) & (X["x"] <= 19)
    y ^= rng.random(400) < 0.1
    card = ScorecardClassifier(2, intervals=True, certificate=certificate, random_state=0)
    card.fit(X, y)
    (line,) = card.model_.body.lines
    assert isinstance(line.condition, AllOf)
    assert predicate_text(line.condition) == "11 < x <= 19"
    assert len(list(literals_of(card.model_.body))) == 2
    card.certificate_.verify(card.model_, X, y)


def test_intervals_keep_to_directions_and_signs():
    X, y = patients()
    card = ScorecardClassifier(8, intervals=True, monotonic_cst={"age": 1}).fit(X, y)
    older = X.assign(age=X["age"] + 7)
    change = card.model_.body.total(detect_table(older)) - card.model_.body.total(detect_table(X))
    assert (change >= 0).all()
    card = ScorecardClassifier(8, intervals=True, positive_only=True).fit(X, y)
    assert all(line.points > 0 for line in card.model_.body.lines)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lines": "age > 60"}, "lines must be a list of texts"),
        ({"lines": [3]}, "lines must be texts such as"),
        ({"lines": ["age > 60: 9"]}, "must be from 1 to max_points=5, or from -5 to -1"),
        ({"lines": ["age > 60: 0"]}, "must be from 1 to max_points=5"),
        ({"lines": ["agee > 60: 1"]}, "There is no column 'agee'; did you mean 'age'"),
        ({"lines": ["age > 60 or bmi > 3: 1"]}, "as lines of their own"),
        ({"lines": ["age > 60", "age > 60: 2"]}, "'age > 60' twice"),
        ({"lines": ["age > 60: -1"], "positive_only": True}, "does not respect positive_only"),
        ({"lines": ["age > 60: -1"], "monotonic_cst": {"age": 1}}, "not respect monotonic_cst"),
        ({"lines": ["20 < age <= 60"], "monotonic_cst": {"age": 1}}, "not respect monotonic_cst"),
        ({"lines": LINES, "max_conditions": 3}, "lines have 4 tests"),
        ({"force": ["height"]}, "'height', which is not a column"),
        ({"force": ["age"], "forbid": ["age"]}, "this column is left out"),
        ({"force": ["age", "bmi"], "max_conditions": 1}, "need max_conditions=2"),
        ({"force": ["age", "bmi"], "max_columns": 1}, "need max_columns=2"),
        ({"force": ["one"]}, "No scorecard tests all columns of force"),
    ],
)
def test_wrong_requests_are_refused(options, message):
    X, y = patients(60)
    with pytest.raises(InputError, match=message):
        ScorecardClassifier(**options).fit(X.assign(one=1.0), y)


def test_points_of_three_classes_are_refused():
    X, y = patients(60)
    with pytest.raises(InputError, match="Give the condition only"):
        ScorecardClassifier(lines=["age > 60: 1"]).fit(X, np.where(X["age"] > 75, "old", y))
