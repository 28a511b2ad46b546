"""Scorecards: what is printed is what predicts, risks are calibrated, and constraints hold."""

import json

import numpy as np
import pandas as pd
import pytest
from oracles import scorecards as oracle
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from rulewright import ScorecardClassifier, load_model
from rulewright.data import detect_table
from rulewright.errors import InputError
from rulewright.rules import ClassScorecard, RuleList, Scorecard, Threshold, literals_of


def patients(rows=400, seed=0):
    """Risks that follow points, with missing values and categories."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, rows).astype(float),
            "bmi": rng.normal(27, 5, rows).round(1),
            "ward": rng.choice(["north", "south", "east"], rows),
            "sex": rng.choice(["f", "m"], rows),
        }
    )
    score = 2.0 * (frame.age > 60) + (frame.bmi > 30) + (frame.ward == "east") - 2.0
    y = np.where(rng.random(rows) < 1 / (1 + np.exp(-score)), "ill", "well")
    frame.loc[rng.random(rows) < 0.1, "bmi"] = np.nan
    return frame, y


def test_the_printed_points_and_risks_are_those_of_the_predictions():
    X, y = patients()
    card = ScorecardClassifier(5).fit(X, y)
    body = card.model_.body
    total = np.array(oracle.total_of(body, detect_table(X)))
    assert (body.total(detect_table(X)) == total).all()
    text = str(card.model_)
    for line in body.lines:
        assert f"{line.points:+d}  " in text
    second = card.classes_[1]
    assert f"answer {second} if the total is at least {body.cut}" in text
    assert (card.predict(X) == np.where(total >= body.cut, second, card.classes_[0])).all()
    risks = {f"{100 * band.risk:.1f} %" for band in body.bands}
    assert {f"{100 * risk:.1f} %" for risk in card.predict_proba(X)[:, 1]} <= risks
    assert all(risk in text for risk in risks)


def test_an_explanation_adds_up():
    X, y = patients()
    card = ScorecardClassifier(4).fit(X, y)
    total = card.model_.body.total(detect_table(X))
    for row, why in enumerate(card.explain(X.head(20))["why"]):
        *parts, last = why.split(", ")
        assert sum(int(part.split()[0]) for part in parts) == total[row]
        assert last.startswith(f"total {total[row]} -> ")


def test_risks_rise_with_the_total_and_agree_with_the_shares_in_training():
    X, y = patients(4000)
    card = ScorecardClassifier(6).fit(X, y)
    risks = [band.risk for band in card.model_.body.bands]
    assert risks == sorted(risks)
    for band, (support, _), counts in zip(
        card.model_.body.bands, card.model_.support, card.model_.evidence, strict=True
    ):
        spread = 4 * np.sqrt(band.risk * (1 - band.risk) / max(support, 1)) + 0.02
        assert abs(counts[1] / support - band.risk) < spread


def test_risks_are_calibrated_on_new_cases():
    X, y = patients(4000)
    new, truth = patients(4000, seed=1)
    risk = ScorecardClassifier(6).fit(X, y).predict_proba(new)[:, 1]
    for one in np.unique(risk):
        here = risk == one
        share = (truth[here] == "well").mean()
        assert abs(share - one) < 4 * np.sqrt(one * (1 - one) / here.sum()) + 0.03


def test_points_keep_to_their_range_and_conditions_to_their_number():
    X, y = load_breast_cancer(return_X_y=True)
    for limit, conditions in ((1, 3), (3, 12), (5, 1)):
        card = ScorecardClassifier(conditions, max_points=limit).fit(X, y)
        body = card.model_.body
        assert max(abs(line.points) for line in body.lines) <= limit
        assert 1 <= body.literals <= conditions


def test_points_above_zero_only():
    X, y = patients()
    body = ScorecardClassifier(positive_only=True).fit(X, y).model_.body
    assert all(line.points > 0 for line in body.lines) and body.lines


@pytest.mark.parametrize("direction", [1, -1])
def test_a_monotonic_column_moves_the_risk_one_way(direction):
    X, y = patients()
    card = ScorecardClassifier(monotonic_cst={"age": direction, "bmi": direction}).fit(X, y)
    row = X.dropna().head(30)
    risks = [card.predict_proba(row.assign(age=age))[:, 1] for age in range(20, 90, 5)]
    assert (direction * np.diff(risks, axis=0) >= 0).all()


def test_costs_move_the_cut_and_leave_the_risks_calibrated():
    X, y = patients(3000)
    plain = ScorecardClassifier(4).fit(X, y)
    dear = ScorecardClassifier(4, class_costs={"ill": 3}).fit(X, y)
    assert (dear.predict(X) == "ill").sum() > (plain.predict(X) == "ill").sum()
    lowest = min(b.risk for b in dear.model_.body.bands if b.output == 1)
    assert lowest > 0.7  # a healthy answer needs a small risk of illness
    assert abs(dear.predict_proba(X)[:, 1].mean() - (y == "well").mean()) < 0.02


def test_several_classes_have_a_table_of_points_each():
    X, y = load_iris(return_X_y=True, as_frame=True)
    card = ScorecardClassifier(6, max_bins=20).fit(X, y)
    body = card.model_.body
    assert isinstance(body, ClassScorecard)
    totals = body.totals(detect_table(X))
    assert (card.predict(X) == totals.argmax(axis=1)).all()
    assert card.score(X, y) > 0.93
    assert f"exp({body.slope:g} x points)" in str(card.model_)
    card.certificate_.verify(card.model_, X, y)


def test_conditions_of_two_terms_find_an_interaction():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 6))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    one = ScorecardClassifier(8).fit(X, y).score(X, y)
    two = ScorecardClassifier(8, max_terms=2).fit(X, y)
    assert one < 0.62 < 0.8 < two.score(X, y)
    assert two.model_.body.literals <= 8
    two.certificate_.verify(two.model_, X, y)


def test_cuts_are_values_of_the_rows_that_they_are_anchored_on():
    X, y = patients()
    model = ScorecardClassifier().fit(X, y).model_
    cuts = [test for test in literals_of(model.body) if isinstance(test, Threshold)]
    assert cuts
    for test in cuts:
        (row,) = test.anchored_on
        assert X[test.column].iloc[row] == test.cut


def test_labels_of_chance_give_a_constant_answer_or_verify():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    y = rng.random(40) < 0.1
    card = ScorecardClassifier().fit(X, y)
    card.certificate_.verify(card.model_, X, y)
    constant = ScorecardClassifier().fit(np.zeros((10, 2)), np.arange(10) < 3)
    assert constant.model_.body == RuleList((), 0)


def test_a_model_file_keeps_points_bands_and_answers(tmp_path):
    X, y = patients()
    card = ScorecardClassifier(5).fit(X, y)
    card.save_model(tmp_path / "card.json")
    loaded = load_model(tmp_path / "card.json")
    assert loaded.body == card.model_.body and str(loaded) == str(card.model_)
    assert (loaded.predict(X) == card.predict(X)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda body: body["bands"].clear(), "needs a band"),
        (lambda body: body["bands"][1].update(low=-999), "increasing totals"),
        (lambda body: body["bands"][0].update(risk=2.0), "between 0 and 1"),
        (lambda body: body["lines"][0].update(points=1.5), "a whole number"),
        (lambda body: body["lines"][0].update(points=10**6), "from -1000 to 1000"),
        (lambda body: [band.update(output=n % 2) for n, band in enumerate(body["bands"])], "once"),
    ],
)
def test_a_changed_file_is_refused(tmp_path, change, message):
    X, y = patients()
    card = ScorecardClassifier(5).fit(X, y)
    path = tmp_path / "card.json"
    card.save_model(path)
    data = json.loads(path.read_text())
    change(data["body"])
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=message):
        load_model(path)


@pytest.mark.parametrize(
    "options",
    [{"max_conditions": 0}, {"max_points": 0}, {"max_terms": 3}, {"max_bins": 1}, {"max_bands": 1}],
)
def test_wrong_options_are_refused(options):
    X, y = patients(40)
    with pytest.raises(InputError, match=f"{next(iter(options))} must be a whole number"):
        ScorecardClassifier(**options).fit(X, y)


def test_a_split_certificate_has_a_statement_for_each_band():
    X, y = patients(600)
    card = ScorecardClassifier(4, certificate="split", n_splits=2).fit(X, y)
    assert isinstance(card.model_.body, Scorecard)
    card.certificate_.verify(card.model_, X, y)
    statements = card.certificate_.by_rule(card.model_, X, y)
    assert len(statements.rules) == len(card.model_.body.bands)


def test_few_columns_are_those_of_the_largest_scorecard_that_has_no_more():
    X, y = patients()
    free = ScorecardClassifier(6).fit(X, y)
    assert len(set(free.model_.body.columns)) > 2
    few = ScorecardClassifier(6, max_columns=2).fit(X, y)
    assert len(set(few.model_.body.columns)) == 2
    assert len(few.model_.body.lines) > 2
    sizes = [entry.model.body for entry in free.path_ if len(set(entry.model.body.columns)) <= 2]
    assert set(few.model_.body.columns) == set(sizes[-1].columns)
    enough = ScorecardClassifier(6, max_columns=4).fit(X, y)
    assert enough.model_.body == free.model_.body


def test_positive_tests_hold_with_points_above_zero_only():
    X, y = patients()
    X["ward"] = X["ward"].where(X["ward"] != "north")
    for several in (y, np.where(X["age"] > 70, "old", y)):
        card = ScorecardClassifier(10, positive_only=True, positive_tests=True).fit(X, several)
        assert "not" not in str(card.model_).split("answer")[0]
        card.certificate_.verify(card.model_, X, several)


def test_groups_of_columns_leave_conditions_of_one_term():
    X, y = patients()
    card = ScorecardClassifier(6, max_terms=2, interactions=[["age", "bmi"]]).fit(X, y)
    assert all(len(line.condition.columns) == 1 for line in card.model_.body.lines)


@pytest.mark.parametrize("certificate", ["compression", "split"])
def test_polishing_leaves_a_scorecard_as_it_is(certificate):
    X, y = patients()
    plain, polished = (
        ScorecardClassifier(4, certificate=certificate, polish=p, random_state=0).fit(X, y)
        for p in (False, True)
    )
    assert isinstance(polished.model_.body, Scorecard)
    assert polished.model_.body == plain.model_.body
    assert polished.certificate_.bound == plain.certificate_.bound
    polished.certificate_.verify(polished.model_, X, y)
    with pytest.raises(InputError, match="A Scorecard cannot be polished"):
        plain.model_.polished(X, y)


TABLES = [(load_breast_cancer, 1), (load_wine, 1), (load_iris, 1), (load_digits, 8)]
"""Tables that are part of scikit-learn, and the class that is told from the others."""


@pytest.mark.slow
@pytest.mark.parametrize("ridge", [2.0, 0.01])
@pytest.mark.parametrize("max_points", [2, 5])
@pytest.mark.parametrize(("load", "label"), TABLES)
def test_points_lose_no_more_than_rounded_coefficients(load, label, max_points, ridge):
    """Coefficients of the same conditions are rounded, the largest to the largest points.

    The slope and the intercept of either curve are the best ones. The loss is the logistic loss
    with the penalty that points minimise; where the penalty is small, it is also the plain loss.
    """
    X, y = load(return_X_y=True, as_frame=True)
    own = y.to_numpy() == label
    card = ScorecardClassifier(6, max_points=max_points, ridge=ridge).fit(X, own)
    lines = card.model_.body.lines
    assert len(lines) > 2
    table = detect_table(X)
    holds = np.array([line.condition.holds(table) for line in lines])
    fitted = LogisticRegression(C=1 / ridge, tol=1e-8, max_iter=10_000).fit(holds.T, own)
    coefficient = fitted.coef_[0]
    rounded = np.rint(coefficient * max_points / np.abs(coefficient).max()).astype(int)
    weight = np.ones(len(X))
    for penalty in [ridge] if ridge > 1 else [ridge, 0.0]:
        ours, naive = (
            oracle.points_loss(points, holds, own, weight, penalty)
            for points in ([line.points for line in lines], rounded)
        )
        assert ours <= naive + 1e-4


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_threads_change_nothing(load, monkeypatch):
    monkeypatch.setattr("rulewright.kernels.shared_calls.MIN_CELLS_FOR_THREADS", 0)
    X, y = load(return_X_y=True)
    one, two = (ScorecardClassifier(max_conditions=4, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.model_ == two.model_
    assert one.certificate_ == two.certificate_
