"""A model tested on rows with known classes: every number against its definition."""

import json

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from scipy import stats
from sklearn.metrics import brier_score_loss, confusion_matrix, roc_auc_score

from rulewright import TreeClassifier, TreeRegressor
from rulewright.errors import InputError
from rulewright.evaluation import evaluate, result_schema
from rulewright.models import Model
from rulewright.rules import Rule, RuleList, Threshold


def people(rows, seed, noise=0.1):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], rows),
            "age": rng.integers(18, 80, rows).astype(float),
            "city": rng.choice(["Bern", "Chur", None], rows),
        }
    )
    good = (X["sex"] == "female") & (X["age"] > 40)
    return X, np.where(good ^ (rng.random(rows) < noise), "yes", "no")


@pytest.fixture(scope="module")
def model():
    X, y = people(800, 0)
    return TreeClassifier(max_leaf_nodes=4, certificate="split").fit(X, y).model_


def test_every_number_is_what_it_is_called(model):
    X, y = people(500, 1)
    result = model.test(X, y, by="city", class_costs={"yes": 5})
    wrong = model.predict(X) != y
    assert (result.rows, result.error.wrong) == (500, wrong.sum())
    exact = stats.binomtest(int(wrong.sum()), 500).proportion_ci(0.95, "exact")
    assert (result.error.low, result.error.high) == pytest.approx((exact.low, exact.high))
    assert (np.array(result.confusion) == confusion_matrix(y, model.predict(X))).all()
    likely = model.predict_proba(X)
    assert result.auc == pytest.approx(roc_auc_score(y, likely[:, 1]))
    assert result.brier / 2 == pytest.approx(brier_score_loss(y == "yes", likely[:, 1]))
    assert result.cost.mean == pytest.approx((wrong * np.where(y == "yes", 5, 1)).mean())
    assert result.cost.low <= result.cost.mean <= result.cost.high
    assert result.cost.bound == model.certificate.cost_bound([1.0, 5.0])
    assert sum(each.rows for each in result.rules) == 500
    for each in result.rules:
        assert each.low <= each.precision <= each.high
        share = (y == each.answer).mean()
        assert each.lift == pytest.approx(each.right / each.rows / share)
    assert sum(each.rows for each in result.calibration) == 500
    groups = result.by["city"]
    assert [each.name for each in groups.groups] == ["Bern", "Chur", "(missing)"]
    assert sum(each.rows for each in groups.groups) == 500
    assert groups["Bern"].rates["miss"].rows == ((X["city"] == "Bern") & (y == "yes")).sum()


def test_errors_are_compared_with_the_certificate(model):
    within = model.test(*people(500, 1)).certificate
    assert within.within and within.sentence.startswith("Within the certificate: it allows")
    excess = model.test(*people(500, 1, noise=0.4)).certificate
    assert not excess.within and excess.p_value < 1e-6
    assert "The source of the cases may have changed" in excess.sentence
    assert excess.p_value == pytest.approx(
        stats.binom.sf(excess.errors - 1, 500, model.certificate.bound), rel=1e-6
    )


def test_three_classes_and_no_answers():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.random(600), "z": rng.random(600)})
    y = np.digitize(X["x"], [0.3, 0.7])
    tree = TreeClassifier(max_leaf_nodes=5, certificate=None).fit(X, y).model_
    result = tree.test(X, y)
    expected = roc_auc_score(y, tree.predict_proba(X), multi_class="ovo")
    assert result.auc == pytest.approx(expected)
    assert result.certificate is None and "no certificate" in result.notes[0]
    body = RuleList((Rule(Threshold("x", True, 0.7), 2),), default=None)
    shy = Model(tree.columns, (0, 1, 2), body, ((0.0, 0.0, 9.0), (9.0, 9.0, 0.0)))
    result = shy.test(X, y)
    unanswered = int((~shy.answered(X)).sum())
    assert unanswered > 0 and result.answers[-1] == "no answer"
    assert sum(row[-1] for row in result.confusion) == unanswered
    assert result.answered.rows == 600 - unanswered
    assert result.error.wrong == unanswered + result.answered.wrong


def test_rows_without_a_class_unknown_classes_and_weights(model):
    X, y = people(300, 1)
    y = y.astype(object)
    y[:10], y[10:15] = None, "maybe"
    weight = np.ones(300)
    weight[20:30] = 0
    result = model.test(X, y, sample_weight=weight)
    assert result.rows == 280
    assert result.classes[-1] == "other classes" and sum(result.confusion[-1]) == 5
    assert any(
        "5 rows have a class that the model does not know ('maybe')" in n for n in result.notes
    )
    assert result.weighted_error == pytest.approx(result.error.share)
    with pytest.raises(InputError, match="the model's classes are 'no', 'yes'"):
        model.test(X, np.full(300, "YES"))
    with pytest.raises(InputError, match="nothing to test on"):
        model.test(X, [None] * 300)
    with pytest.raises(InputError, match="one class for each of the 300 rows"):
        model.test(X, y[:5])


def test_groups_may_be_given_by_values_and_must_be_few(model):
    X, y = people(300, 1)
    result = model.test(X, y, by={"half": np.arange(300) < 150})
    assert [each.name for each in result.by["half"].groups] == ["False", "True"]
    with pytest.raises(InputError, match="at most 100 can be compared"):
        model.test(X, y, by={"row": np.arange(300)})
    with pytest.raises(InputError, match="no column 'town'"):
        model.test(X, y, by=["town"])
    with pytest.raises(InputError, match="by must be the name of a column"):
        model.test(X, y, by=[3])


def test_a_regression_model_is_refused_by_name():
    X, _ = people(200, 0)
    tree = TreeRegressor(max_leaf_nodes=3).fit(X[["age"]], X["age"])
    with pytest.raises(InputError, match="this is a regression model"):
        evaluate(tree.model_, X, X["age"])


def test_results_are_json_text_and_pages(model):
    X, y = people(300, 1)
    result = model.test(X, y, by="city")
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    Draft202012Validator(result_schema()).validate(data)
    assert "Wrong on" in str(result) and "<table>" in result._repr_html_()
    assert (
        "<svg" in result.page("Test <b>").html()
        and "Test &lt;b&gt;" in result.page("Test <b>").html()
    )
    one = model.test(X[y == "no"], y[y == "no"])
    assert one.auc is None and "not defined for one class" in str(one)
