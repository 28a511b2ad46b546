"""The set covering machine as users meet it."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import BaggingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from rulewright import SetCoveringMachine, load_model
from rulewright.data import detect_table
from rulewright.errors import InputError
from rulewright.rules import Category, Conjunction, Disjunction, Missing, Threshold

CANCER = load_breast_cancer(as_frame=True)
X, Y = CANCER.data, CANCER.target.map({0: "malignant", 1: "benign"})


@pytest.fixture(scope="module")
def machine():
    return SetCoveringMachine(kind="disjunction", penalty=2.0, max_rules=3).fit(X, Y)


def mixed(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows).astype(float)
    city = rng.choice(["Bern", "Chur", "Aarau"], rows)
    member = rng.random(rows) < 0.5
    y = np.where((age > 40) & (city != "Chur"), "good", "bad")
    age[rng.random(rows) < 0.1] = np.nan
    return {"age": age.tolist(), "city": city.tolist(), "member": member.tolist()}, y


def test_it_learns_what_it_says(machine):
    assert isinstance(machine.model_.body, Disjunction)
    assert (machine.predict(X) == machine.model_.predict(X)).all()
    assert machine.score(X, Y) > 0.9
    assert machine.classes_.tolist() == ["benign", "malignant"]
    assert machine.n_features_in_ == 30
    assert machine.feature_names_in_.tolist() == list(X.columns)


def test_the_path_has_every_size_and_ends_in_the_model(machine):
    assert [entry.size for entry in machine.path_] == [1, 2, 3]
    assert machine.path_[-1].model == machine.model_
    assert machine.path_[-1].certificate == machine.certificate_
    parts = machine.model_.body.parts
    assert [entry.model.body.parts for entry in machine.path_] == [parts[:1], parts[:2], parts]


def test_a_larger_machine_extends_a_smaller_one(machine):
    larger = SetCoveringMachine(kind="disjunction", penalty=2.0, max_rules=6).fit(X, Y)
    assert [e.model for e in larger.path_[:3]] == [e.model for e in machine.path_]


def test_probabilities_are_smoothed_training_shares(machine):
    answers = machine.model_.body.answer(detect_table(X))
    for answer in range(4):
        here = Y[answers == answer]
        expected = [((here == c).sum() + 1) / (here.size + 2) for c in machine.classes_]
        found = machine.predict_proba(X)[answers == answer]
        assert found == pytest.approx(np.tile(expected, (len(found), 1)))


def test_rules_come_as_a_frame_of_the_fitted_library(make_frame):
    data, y = mixed()
    rules = SetCoveringMachine(max_rules=2).fit(make_frame(data), y).get_rules()
    assert type(rules) is type(make_frame({"x": [1]}))
    names = list(getattr(rules, "column_names", rules.columns))
    assert names[:4] == ["number", "rule", "class", "support"]
    assert sum(dict(rules)["coverage"]) == pytest.approx(1.0) if hasattr(rules, "iloc") else True


def test_rules_add_up(machine):
    rules = machine.get_rules()
    assert rules["number"].tolist() == [1, 2, 3, 4]
    assert rules["coverage"].sum() == pytest.approx(1.0)
    assert rules["support"].sum() == 569
    assert rules["class"].tolist() == ["malignant"] * 3 + ["benign"]
    assert rules["rule"].iloc[-1] == "otherwise"
    errors = (rules["support"] * (1 - rules["precision"])).sum()
    assert errors == pytest.approx(machine.path_[-1].errors)


def test_rules_for_an_array_come_in_whatever_is_installed():
    assert isinstance(SetCoveringMachine().fit(X.to_numpy(), Y).get_rules(), pd.DataFrame)


def test_explanations_give_the_rule_and_the_rows_own_values(machine):
    answers = machine.explain(X.head(3))
    assert answers["prediction"].tolist() == machine.predict(X.head(3)).tolist()
    first = machine.model_.body.parts[0]
    value = X[first.column].iloc[0]
    assert answers["rule"].iloc[0] == 1
    assert answers["why"].iloc[0] == f"{first.column} = {value} (> {first.cut})"
    proba = machine.predict_proba(X.head(3)).max(axis=1)
    assert answers["probability"].to_numpy() == pytest.approx(proba)


def test_an_explanation_of_the_default_names_every_test():
    machine = SetCoveringMachine(max_rules=2).fit(X, Y)
    positive = X[machine.predict(X) == "malignant"].head(1)
    why = machine.explain(positive)["why"].iloc[0]
    assert all(part.column in why for part in machine.model_.body.parts)


def test_the_same_fit_from_every_library_gives_the_same_model(make_frame):
    data, y = mixed()
    expected = SetCoveringMachine(kind="best", max_rules=5).fit(pd.DataFrame(data), y)
    found = SetCoveringMachine(kind="best", max_rules=5).fit(make_frame(data), y)
    assert found.model_ == expected.model_
    assert found.certificate_ == expected.certificate_
    assert (found.predict(make_frame(data)) == expected.predict(pd.DataFrame(data))).all()


def test_the_same_fit_from_an_array_gives_the_same_model(make_frame):
    rng = np.random.default_rng(0)
    matrix = np.round(rng.normal(size=(80, 3)), 1)
    matrix[rng.random(matrix.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, 80)
    columns = {f"x{j}": [None if v != v else v for v in matrix[:, j].tolist()] for j in range(3)}
    plain = SetCoveringMachine().fit(matrix, y)
    framed = SetCoveringMachine().fit(make_frame(columns), y)
    fortran = SetCoveringMachine().fit(np.asfortranarray(matrix), y)
    assert plain.model_ == framed.model_ == fortran.model_
    assert plain.certificate_ == framed.certificate_


def test_text_booleans_and_missing_values_need_no_encoding():
    data, y = mixed()
    machine = SetCoveringMachine().fit(pd.DataFrame(data), y)
    used = {type(part) for part in machine.model_.body.parts}
    assert {Threshold, Category} <= used
    assert machine.score(pd.DataFrame(data), y) > 0.85


def test_whether_a_value_is_missing_can_be_a_rule():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    y = rng.integers(0, 2, 100)
    x[y == 1] = np.nan
    machine = SetCoveringMachine().fit(x.reshape(-1, 1), y)
    assert machine.score(x.reshape(-1, 1), y) == 1.0
    assert machine.model_.body.parts == (Missing("x0"),)


def test_a_category_unseen_in_training_matches_no_category():
    data = pd.DataFrame({"c": ["a", "b", "a", "b"] * 5})
    y = (data["c"] == "b").to_numpy()
    machine = SetCoveringMachine().fit(data, y)
    assert machine.model_.body == Conjunction((Category("c", ("b",)),), then=1, otherwise=0)
    assert machine.predict(pd.DataFrame({"c": ["b", "new", None]})).tolist() == [True, False, False]


def test_integers_can_be_declared_categories():
    data = pd.DataFrame({"code": [1, 2, 3, 2, 1, 3] * 4})
    y = (data["code"] == 2).to_numpy()
    machine = SetCoveringMachine(categorical_features=["code"]).fit(data, y)
    assert machine.model_.body.parts == (Category("code", ("2",)),)
    assert machine.predict(pd.DataFrame({"code": [2, 9]})).tolist() == [True, False]


def test_only_the_columns_in_use_are_needed_by_the_model(machine, make_frame):
    used = list(machine.model_.body.columns)
    few = make_frame({name: X[name].head(5).tolist() for name in reversed(used)})
    assert (machine.model_.predict(few) == machine.predict(X.head(5))).all()
    with pytest.raises(InputError, match=f"needs column '{used[0]}'"):
        machine.model_.predict(X.drop(columns=used[0]))


def test_extra_columns_are_ignored_and_missing_ones_named(machine):
    extra = X.assign(when=pd.Timestamp("2020-01-01"))[["when", *X.columns]]
    assert (machine.predict(extra) == machine.predict(X)).all()
    with pytest.raises(ValueError, match="yet now missing:\n- worst area"):
        machine.predict(X.drop(columns="worst area"))
    with pytest.raises(ValueError, match="same order"):
        machine.predict(X[X.columns[::-1]])


def test_names_on_one_side_only_warn_as_in_scikit_learn(machine):
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        machine.predict(X.to_numpy())
    plain = SetCoveringMachine().fit(X.to_numpy(), Y)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        plain.predict(X)


def test_weights_count_as_repeated_rows():
    rng = np.random.default_rng(5)
    matrix = np.round(rng.normal(size=(60, 3)), 1)
    y = rng.integers(0, 2, 60)
    weight = rng.integers(0, 4, 60)
    weighted = SetCoveringMachine(kind="best", penalty=1.1).fit(matrix, y, sample_weight=weight)
    rows = np.repeat(np.arange(60), weight)
    repeated = SetCoveringMachine(kind=weighted_kind(weighted), penalty=1.1).fit(
        matrix[rows], y[rows]
    )
    assert weighted.model_.body == repeated.model_.body
    assert weighted.model_.evidence == repeated.model_.evidence


def weighted_kind(machine):
    return type(machine.model_.body).__name__.lower()


def test_rows_of_weight_zero_count_as_absent_and_keep_their_numbers():
    weight = np.ones(569)
    weight[:100] = 0
    part = SetCoveringMachine(max_rules=2).fit(X, Y, sample_weight=weight)
    alone = SetCoveringMachine(max_rules=2).fit(X.iloc[100:], Y.iloc[100:])
    assert part.model_ == alone.model_
    assert part.certificate_.m == 469
    assert part.certificate_.examples == tuple(row + 100 for row in alone.certificate_.examples)
    part.certificate_.verify(part.model_, X, Y, sample_weight=weight)


def test_scaling_all_weights_changes_nothing():
    weight = np.linspace(0.5, 2.0, 569)
    one = SetCoveringMachine().fit(X, Y, sample_weight=weight)
    other = SetCoveringMachine().fit(X, Y, sample_weight=8 * weight)
    assert one.model_.body == other.model_.body


def test_best_keeps_the_better_certificate_and_pays_for_the_choice():
    both = SetCoveringMachine(kind="best", penalty=2.0, max_rules=2).fit(X, Y)
    each = [
        SetCoveringMachine(kind=k, penalty=2.0, max_rules=2).fit(X, Y)
        for k in ("conjunction", "disjunction")
    ]
    better = min(each, key=lambda m: m.certificate_.bound)
    assert both.model_ == better.model_
    assert both.certificate_.message_nats == pytest.approx(
        better.certificate_.message_nats + math.log(2)
    )


@pytest.mark.parametrize("labels", [[0, 1], [1, 2], [1.0, 2.0], ["a", "b"], [False, True]])
def test_labels_of_any_type_come_back(labels, tmp_path):
    y = np.array(labels)[(Y == "benign").astype(int)]
    machine = SetCoveringMachine(max_rules=1).fit(X, y)
    assert machine.predict(X).dtype == y.dtype
    assert set(machine.predict(X)) == set(labels)
    machine.save_model(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert (loaded.predict(X) == machine.predict(X)).all()
    assert loaded.predict(X).dtype.kind == y.dtype.kind


def test_it_works_in_pipelines_searches_and_ensembles():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipeline = make_pipeline(SimpleImputer(), SetCoveringMachine(max_rules=2))
        assert cross_val_score(pipeline, X, Y, cv=3).mean() > 0.85
        search = GridSearchCV(
            SetCoveringMachine(), {"penalty": [0.5, 2.0], "max_rules": [1, 3]}, cv=3
        )
        assert search.fit(X, Y).best_score_ > 0.85
        assert BaggingClassifier(SetCoveringMachine(max_rules=1), 3).fit(X, Y).score(X, Y) > 0.8


def test_more_classes_go_through_one_against_the_rest():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [5, 0], [0, 5]])
    y = rng.integers(0, 3, 150)
    matrix = centres[y] + rng.normal(size=(150, 2))
    many = OneVsRestClassifier(SetCoveringMachine()).fit(matrix, y)
    assert many.score(matrix, y) > 0.9


def test_a_clone_forgets_what_was_learnt(machine):
    fresh = clone(machine)
    assert fresh.get_params() == machine.get_params()
    assert not hasattr(fresh, "model_")


def test_the_notebook_shows_rules_and_certificate(machine):
    bundle = machine._repr_mimebundle_()
    assert "<li>worst" in bundle["text/html"]
    assert "95 % confidence" in bundle["text/html"]
    assert machine._repr_html_().startswith("<div>")
    assert "<" in SetCoveringMachine()._repr_html_()


def test_a_table_of_the_data_room_is_data_too(machine):
    table = detect_table(X)
    assert (
        SetCoveringMachine(kind="disjunction", penalty=2.0, max_rules=3).fit(table, Y).model_
        == machine.model_
    )
    assert (machine.predict(table) == machine.predict(X)).all()
