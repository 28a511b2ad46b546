"""Fitted estimators in files of skops and joblib, and what they look like in a notebook."""

import io

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_html_repr

import rulewright
from rulewright import BoundSearch, SetCoveringMachine, TreeClassifier, TreeRegressor, learners
from rulewright.models import Model

RNG = np.random.default_rng(3)
ROWS = 120
X = pd.DataFrame(
    {
        "age": np.where(RNG.random(ROWS) < 0.1, np.nan, RNG.integers(20, 80, ROWS)),
        "dose": np.round(RNG.normal(size=ROWS), 2),
        "ward": RNG.choice(["a", "b", "c"], ROWS),
    }
)
Y = np.where((X["age"] > 50) ^ (X["ward"] == "b"), "ill", "well")
NUMERIC = ["dose"]


def estimators():
    for name in learners.ESTIMATORS:
        yield getattr(rulewright, name)(), NUMERIC if name == "DecisionListMachine" else list(X)
    yield SetCoveringMachine(family=["balls", "half_spaces"]), NUMERIC
    yield TreeClassifier(preset="c4.5"), list(X)
    yield TreeClassifier(pruning="bound"), list(X)
    yield BoundSearch(SetCoveringMachine(), {"penalty": [1, 2]}, cross_validate=True, cv=3), list(X)
    yield BoundSearch(SetCoveringMachine(), {"penalty": [1, 2]}, by="holdout"), list(X)


CASES = list(estimators())
IDS = [str(estimator) for estimator, _ in CASES]


def fitted(estimator, columns):
    target = X["dose"] if isinstance(estimator, TreeRegressor) else Y
    return estimator.fit(X[columns], target)


def by_skops(value):
    data = skops.io.dumps(value)
    found = skops.io.get_untrusted_types(data=data)
    assert all(name.startswith("rulewright.") for name in found), found
    return skops.io.loads(data, trusted=found)


def by_joblib(value):
    file = io.BytesIO()
    joblib.dump(value, file)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.cross_section(8)
@pytest.mark.parametrize("saved", [by_skops, by_joblib])
@pytest.mark.parametrize(("estimator", "columns"), CASES, ids=IDS)
def test_a_saved_estimator_is_the_same(estimator, columns, saved):
    rows = X[columns]
    before = fitted(estimator, columns)
    before.explain(rows)  # what is computed once is there by now
    after = saved(before)
    assert (after.predict(rows) == before.predict(rows)).all()
    assert after.model_ == before.model_
    assert after.explain(rows).equals(before.explain(rows))
    assert after.get_rules().equals(before.get_rules())
    if getattr(before, "certificate_", None) is not None:
        after.certificate_.verify(after.model_, rows, Y)
    if isinstance(before, BoundSearch):
        assert after.results_.equals(before.results_)
        assert after._curves == before._curves


def test_a_fitted_search_does_not_keep_the_training_data():
    def size(rows):
        values = np.arange(float(rows))[:, np.newaxis]
        search = BoundSearch(SetCoveringMachine(), {"penalty": [1]}).fit(
            values, values[:, 0] > rows / 3
        )
        file = io.BytesIO()
        joblib.dump(search, file)
        return len(file.getvalue())

    assert size(20_000) < size(200) + 1_000


@pytest.mark.parametrize(("estimator", "columns"), CASES, ids=IDS)
def test_models_and_certificates_are_told_in_a_line(estimator, columns):
    fitted(estimator, columns)
    lines = [repr(estimator.model_), *map(repr, getattr(estimator, "path_", []))]
    assert all("\n" not in line and len(line) < 400 for line in lines), max(lines, key=len)
    if getattr(estimator, "certificate_", None) is not None:
        told = repr(estimator.certificate_)
        assert told.startswith(f"Certificate(bound={estimator.certificate_.bound:.4g}, delta=0.05")
        assert len(told) < 120
        assert estimator.certificate_._repr_html_().startswith("<p><i>Wrong on ")


def test_the_line_of_a_model_says_what_it_is():
    tree = TreeClassifier(max_leaf_nodes=3).fit(X, Y)
    assert repr(tree.model_) == "Model(tree of 3 leaves, 2 of 3 columns, classes 'ill', 'well')"
    machine = SetCoveringMachine(max_rules=1).fit(X[["dose"]], Y)
    assert repr(machine.model_) == (
        "Model(conjunction of 1 test, 1 of 1 column, classes 'ill', 'well')"
    )
    regressor = TreeRegressor(max_leaf_nodes=2).fit(X[["dose"]], X["dose"])
    assert repr(regressor.model_) == "RegressionModel(tree of 2 leaves, 1 of 1 column)"


def test_cautions_are_shown_with_the_certificate_and_escaped():
    certificate = SetCoveringMachine().fit(X[["dose"]], Y).certificate_
    shown = type(certificate)(**{**certificate.__dict__, "cautions": ("a < b",)})._repr_html_()
    assert "<ul><li>Caution: a &lt; b</li></ul>" in shown


def test_large_models_are_cut_short_in_a_notebook():
    values = np.arange(2000.0)[:, np.newaxis]
    tree = TreeClassifier(min_samples_leaf=1, pruning="none").fit(values, np.arange(2000) % 2)
    assert len(tree.model_.body.outputs) == 2000
    assert "more lines: print the model to read them all</pre>" in tree.model_._repr_html_()
    assert len(tree._repr_html_()) < 20_000
    rules = tree.model_.as_rule_list()
    assert isinstance(rules, Model)
    assert rules._repr_html_().count("<li>") == 50
    assert "more: print the model to read them all" in rules._repr_html_()


@pytest.mark.cross_section(6)
@pytest.mark.parametrize(("estimator", "columns"), CASES, ids=IDS)
def test_pipelines_and_searches_show_estimators_in_a_notebook(estimator, columns):
    target = X["dose"] if isinstance(estimator, TreeRegressor) else Y
    pipeline = make_pipeline(FunctionTransformer(), estimator)
    search = GridSearchCV(pipeline, {}, cv=2).fit(X[columns], target)
    for shown in (pipeline, search):
        html = estimator_html_repr(shown)
        assert type(estimator).__name__ in html
        assert len(html) < 150_000
        assert "\n" * 3 not in repr(shown) and len(repr(shown)) < 1_000
        assert "text/html" in shown._repr_mimebundle_()
