"""Comparisons: the same splits for all, honest tests, a summary that follows from the numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from rulewright import TreeClassifier, compare
from rulewright.data import ResultStore, detect_table
from rulewright.errors import InputError
from rulewright.experiments import FitRecord, FitRecorder, Fold, LeakError


def people(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 9, rows).round(),
            "city": rng.choice(["Bern", "Chur", "Thun"], rows),
        }
    )
    y = np.where((X["age"] > 40) ^ (rng.random(rows) < 0.1), "yes", "no")
    X.loc[::11, "age"] = np.nan
    return X, y


def numbers(rows=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=rows) > 0, "yes", "no")
    return np.column_stack([X, np.arange(rows)]), y


class Constant(ClassifierMixin, BaseEstimator):
    """Answers with one label; its error is known in advance."""

    def __init__(self, label="yes"):
        self.label = label

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


TWO = {"tree": TreeClassifier(preset="c4.5"), "bayes": GaussianNB()}


def test_all_learners_are_tested_on_the_same_rows_and_learn_from_none_of_them():
    X, y = numbers()
    records = {name: FitRecord() for name in ("a", "b")}
    compare(
        {name: FitRecorder(GaussianNB(), record) for name, record in records.items()},
        X,
        y,
        folds=3,
        repeats=2,
    )
    assert records["a"].fits == records["b"].fits
    assert len(records["a"].fits) == 6


def test_a_leak_in_the_splits_is_caught(monkeypatch):
    X, y = numbers()
    leaking = [Fold(0, 0, np.arange(60), np.arange(59, 90)), Fold(0, 1, np.arange(9), np.arange(9))]
    monkeypatch.setattr(
        "rulewright.experiments.comparison.comparison.make_folds", lambda *a, **k: leaking
    )
    with pytest.raises(LeakError, match="tested on row 59"):
        compare({"a": FitRecorder(GaussianNB(), FitRecord())}, X, y)


def test_errors_and_costs_are_those_counted_by_hand():
    X, y = numbers()
    found = compare({"yes": Constant("yes"), "no": Constant("no")}, X, y, folds=3, repeats=1)
    share = (y == "no").mean()
    errors = dict(zip(found.frame["learner"], found.frame["error"], strict=True))
    assert errors == pytest.approx({"yes": share, "no": 1 - share})
    assert found.frame["balanced_error"].tolist() == pytest.approx([0.5, 0.5])
    priced = compare({"yes": Constant("yes")}, X, y, folds=3, repeats=1, class_costs={"no": 4})
    assert priced.frame["cost"].item() == pytest.approx(4 * share)
    assert "cost" in priced.page.tables[0].names
    assert "per case" in priced.summary


def test_a_comparison_does_not_depend_on_the_order_of_rows():
    X, y = people()
    shuffle = np.random.default_rng(1).permutation(len(y))
    one = compare({"tree": TWO["tree"]}, X, y, folds=4, repeats=1)
    other = compare(
        {"tree": TWO["tree"]},
        X.iloc[shuffle].reset_index(drop=True),
        y[shuffle],
        folds=4,
        repeats=1,
    )
    assert one.measures[0].errors.tolist() == other.measures[0].errors.tolist()


@pytest.mark.parametrize("make", [lambda X: X, detect_table, lambda X: X.to_numpy(object)])
def test_any_classifier_and_any_table_are_welcome(make):
    X, y = people(80)
    models = [RandomForestClassifier(3, random_state=0), LogisticRegression(), "tree", "lda"]
    found = compare(models, make(X), y, folds=2, repeats=1)
    assert set(found.frame["learner"]) == {
        "RandomForestClassifier",
        "LogisticRegression",
        "tree",
        "lda",
    }
    assert not found.refused and (found.frame["error"] < 0.5).all()
    sizes = dict(zip(found.frame["learner"], found.frame["size"], strict=True))
    assert all(size > 0 for size in sizes.values())


def test_numbers_that_are_held_as_objects_are_classes():
    X, y = numbers()
    classes = np.where(y == "yes", 2, 1)
    plain, held = (
        compare(TWO, X, c, folds=2, repeats=1) for c in (classes, classes.astype(object))
    )
    assert not held.refused
    for one, other in zip(plain.measures, held.measures, strict=True):
        assert (one.name, one.errors.tolist()) == (other.name, other.errors.tolist())


def test_learners_that_refuse_are_listed_with_the_reason():
    X, y = numbers()
    y = np.where(X[:, 1] > 1, "maybe", y)
    found = compare(["scm", "tree"], X[:, :2], y, folds=2, repeats=1)
    assert list(found.refused) == ["scm"] and "Only binary" in found.refused["scm"]
    assert [one.name for one in found.measures] == ["tree"]
    assert "Left out" in str(found)


def test_groups_times_and_test_rows_make_the_splits():
    X, y = numbers()
    grouped = compare(TWO, X, y, folds=3, repeats=1, groups=np.arange(90) // 5)
    assert "groups kept together" in grouped.how
    assert grouped.frame["certificate"].isna().all()  # these assume independent rows
    timed = compare(TWO, X, y, folds=3, times=np.arange(90))
    assert "3 tests in the order of time" in timed.how
    held = compare(TWO, X[:60], y[:60], X_test=X[60:], y_test=y[60:])
    model = GaussianNB().fit(X[:60], y[:60])
    errors = dict(zip(held.frame["learner"], held.frame["error"], strict=True))
    assert errors["bayes"] == pytest.approx((model.predict(X[60:]) != y[60:]).mean())
    assert "tested on 30 other rows" in held.how
    assert len(held.tests) == 1


def test_finished_results_are_kept(tmp_path):
    X, y = numbers()
    record = FitRecord()
    models = {"a": FitRecorder(GaussianNB(), record)}
    with ResultStore(tmp_path / "store.duckdb") as store:
        one = compare(models, X, y, folds=3, repeats=1, store=store)
        again = compare(models, X, y, folds=3, repeats=1, store=store)
        assert len(record.fits) == 3
        compare(models, X, y, folds=3, repeats=2, store=store)  # only the second shuffle is new
        assert len(record.fits) == 6
        compare(models, X + 1, y, folds=3, repeats=1, store=store)
        assert len(record.fits) == 9
    assert str(one) == str(again)


def test_a_sample_is_drawn_from_the_content():
    X, y = people(200)
    found = compare({"tree": TWO["tree"]}, X, y, folds=2, repeats=1, max_rows=100)
    assert "100 rows, a random sample of 200" in found.how
    assert found.measures[0].confusions.sum() == 100


def test_the_smallest_readable_model_near_the_best_is_taken():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.where(X[:, 0] > 0, "yes", "no")
    models = {
        "big": DecisionTreeClassifier(random_state=0, splitter="random"),
        "stump": DecisionTreeClassifier(max_depth=1),
        "svm": SVC(),
        "blind": make_pipeline(
            ColumnTransformer([("noise", "passthrough", [1])]), DecisionTreeClassifier(max_depth=1)
        ),
    }
    found = compare(models, X, y, folds=5, repeats=1)
    assert found.recommendation.taken.name == "stump"
    assert "Take stump (about 2 rules with 1 test). No other model is better." in found.summary
    worse = compare({"stump": models["blind"], "svm": SVC()}, X, y, folds=5, repeats=1)
    assert worse.recommendation.best.name == "svm"
    assert "No model that can be read is within one standard error" in worse.summary
    assert "more wrong in 1,000 cases than svm" in worse.summary
    verdicts = worse.page.tables[1].rows
    assert verdicts[0][0] == "stump" and verdicts[0][-1] == "worse"


def test_noise_is_said_to_be_noise():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.choice(["no", "yes"], 100, p=[0.7, 0.3])
    found = compare(["majority", "tree"], X, y, folds=5, repeats=1)
    assert "No model is clearly better than that." in found.summary


def test_the_page_has_a_chart_and_can_be_written(tmp_path):
    X, y = numbers()
    found = compare(TWO, X, y, folds=3, repeats=1)
    found.save_report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().count("<svg") == 2
    found.plot().save(tmp_path / "chart.svg")
    assert "tree" in found.plot()._repr_svg_() and (tmp_path / "chart.svg").exists()
    assert found.summary in found._repr_html_()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"estimators": ["trees"]}, "no learner 'trees'. Choose some of: auto, "),
        ({"estimators": [LinearRegression()]}, "Only classifiers can be compared"),
        ({"estimators": []}, "nothing to compare"),
        ({"y": ["yes"] * 90}, "at least two classes"),
        ({"y": ["yes", "no"]}, "X has 90 rows, but y has 2 labels"),
        ({"groups": np.arange(90), "times": np.arange(90)}, "give one of these"),
        ({"X_test": np.zeros((2, 3))}, "both X_test and y_test"),
        ({"class_costs": {"maybe": 2}}, "class_costs must have numbers above 0"),
    ],
)
def test_wrong_arguments_have_a_way_out(change, message):
    X, y = numbers()
    arguments = {"estimators": TWO, "X": X, "y": y, "folds": 3, "repeats": 1} | change
    with pytest.raises(InputError, match=message):
        compare(**arguments)
