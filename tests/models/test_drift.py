"""New rows compared with the training rows: what is noticed, and what is kept in a model file."""

import json

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from rulewright import (
    RuleListClassifier,
    SetCoveringMachine,
    TreeClassifier,
    TreeRegressor,
    load_model,
    save_model,
)
from rulewright.certificates import from_json, model_schema
from rulewright.errors import InputError, ModelFileError
from rulewright.models import DriftCounter, to_json


def people(rows, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], rows),
            "age": rng.integers(18, 80, rows).astype(float),
            "born": pd.Timestamp("1980-01-01") + pd.to_timedelta(rng.integers(0, 9000, rows), "D"),
        }
    )
    X.loc[rng.random(rows) < 0.02, "age"] = np.nan
    good = (X["sex"] == "female") & ~(X["age"] <= 40)
    return X, np.where(good ^ (rng.random(rows) < 0.1), "yes", "no")


@pytest.fixture(scope="module")
def model():
    X, y = people(800, 0)
    return TreeClassifier(max_leaf_nodes=3, certificate="split").fit(X, y).model_


def kinds(report):
    return {(each.kind, each.column or each.rule) for each in report.findings}


def test_unchanged_rows_give_no_notice(model):
    report = model.drift(people(661, 1)[0])
    assert not report.found and report.tests == 2 * 3 + 3
    assert str(report) == "No difference from the training rows was found in 661 rows."


def test_f_for_female_is_noticed(model):
    X = people(661, 1)[0].replace({"sex": {"female": "F", "male": "M"}})
    report = model.drift(X)
    assert ("unseen_categories", "sex") in kinds(report)
    assert ("rule_share", 1) in kinds(report)
    first = str(report).splitlines()[0]
    assert first.startswith("Column sex: 661 of 661 values (100.0 %) are categories that training")
    assert "Training had female, male" in first
    assert all(each.p_value <= report.level for each in report.findings)


def test_half_a_column_missing_and_values_out_of_range_are_noticed(model):
    X = people(661, 1)[0]
    X.loc[::2, "age"] = np.nan
    assert ("missing", "age") in kinds(model.drift(X))
    old = people(661, 1)[0].assign(age=lambda X: X["age"] + 30)
    report = model.drift(old)
    assert ("outside_range", "age") in kinds(report)
    assert "outside the range of training, 18 to 79" in str(report)


def test_batches_count_as_all_rows_together(model):
    X = people(661, 1)[0].replace({"sex": {"female": "F"}})
    counter = DriftCounter(model)
    for first in range(0, 661, 100):
        table = model.table(X.iloc[first : first + 100])
        counter.update(table, model.body.answer(table))
    assert counter.report() == model.drift(X)


def test_few_rows_can_hardly_show_a_change(model):
    X = people(661, 1)[0].replace({"sex": {"female": "F"}})
    assert not model.drift(X[X["sex"] == "F"].iloc[:1]).found


def test_a_profile_is_saved_and_holds_no_rows(model, tmp_path):
    save_model(model, tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").profile == model.profile
    data = json.loads((tmp_path / "m.json").read_text())
    Draft202012Validator(model_schema()).validate(data)
    assert data["profile"]["rows"] == 800
    assert [column["name"] for column in data["profile"]["columns"]] == ["sex", "age"]
    assert set(data["profile"]["columns"][0]["categories"]) == {"female", "male"}
    assert sum(data["profile"]["rules"]) == model.certificate.m


def test_a_file_without_a_profile_says_so(model, tmp_path):
    data = to_json(model)
    del data["profile"]
    report = from_json(data).drift(people(100, 1)[0])
    assert (report.found, report.tests) == (False, 0)
    assert "no training profile" in str(report)


@pytest.mark.parametrize(
    "change",
    [
        lambda p: p.update(rows=-1),
        lambda p: p.update(rows=True),
        lambda p: p.update(more=1),
        lambda p: p.update(rules=[1]),
        lambda p: p.update(rules=[10**6, 0, 0]),
        lambda p: p["columns"].append(p["columns"][0]),
        lambda p: p["columns"][0].update(name="x"),
        lambda p: p["columns"][0].update(missing=1.5),
        lambda p: p["columns"][0].update(categories={"female": 1}),
        lambda p: p["columns"][1].update(low=100, high=1),
        lambda p: p["columns"][1].update(low=None),
        lambda p: p["columns"][1].update(low=10**400),
        lambda p: p["columns"][1].pop("high"),
    ],
)
def test_a_profile_that_cannot_be_is_refused(model, change):
    data = json.loads(json.dumps(to_json(model)))
    change(data["profile"])
    with pytest.raises(ModelFileError, match="the training profile is not valid"):
        from_json(data)


def test_categories_beyond_a_limit_are_not_kept():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"city": [f"c{i % 150}" for i in range(900)], "x": rng.random(900)})
    y = (X["city"].isin(["c1", "c2", "c3"]) | (X["x"] > 0.9)).astype(int)
    model = RuleListClassifier(max_rules=5).fit(X, y).model_
    assert "city" in model.body.columns
    (profile,) = [each for each in model.profile.columns if each.name == "city"]
    assert profile.categories is None
    report = model.drift(X.assign(city="new"))
    assert ("unseen_categories", "city") not in kinds(report)
    assert "too many categories" in " ".join(report.notes)


@pytest.mark.parametrize("form", ["compression", "holdout", "split", None])
def test_rules_are_compared_where_there_is_a_certificate(form):
    X, y = people(600, 0)
    model = SetCoveringMachine(max_rules=2, certificate=form, random_state=0).fit(X, y).model_
    report = model.drift(X.assign(age=79.0, sex="female"))
    compared = any(each.kind == "rule_share" for each in report.findings)
    assert compared == (form is not None)
    assert not model.drift(people(500, 9)[0]).found


def test_other_rules_have_no_counts(model):
    assert model.as_rule_list().profile.rules is None
    assert model.rounded(0, people(50, 1)[0]).model.profile.rules is None


def test_a_regression_model_notices_too():
    X, _ = people(600, 0)
    target = X["age"].fillna(0) * (X["sex"] == "male")
    tree = TreeRegressor(max_leaf_nodes=4, certificate="split").fit(X, target)
    assert not tree.model_.drift(people(500, 9)[0]).found
    report = tree.model_.drift(X.assign(sex="F"))
    assert ("unseen_categories", "sex") in kinds(report)
    assert any(each.kind == "rule_share" for each in report.findings)


def test_results_as_frames_and_wrong_levels(model):
    X = people(300, 1)[0].replace({"sex": {"female": "F"}})
    assert model.drift(X).to_frame("pandas")["column"].iloc[0] == "sex"
    with pytest.raises(InputError, match="level must be in"):
        model.drift(X, level=0)


def test_names_that_would_steer_a_terminal_are_escaped():
    X, y = people(600, 0)
    X = X.rename(columns={"sex": "s\x1b[31mx"})
    model = TreeClassifier(max_leaf_nodes=3, certificate="split").fit(X, y).model_
    report = model.drift(X.assign(**{"s\x1b[31mx": "F\x1b]0;title\x07"}))
    assert "\x1b" not in str(report) and "\\x1b" in str(report)
