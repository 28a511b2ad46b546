"""rulewright show, predict and certify on the file of a regression model."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from rulewright import TreeRegressor, load_model, save_model
from rulewright.data import Field
from rulewright.models import RegressionModel
from rulewright.rules import Category, Leaf, Split, Threshold, Tree

BODY = Tree(
    (
        Split((Threshold("age", False, 41.25),), (1, 2)),
        Leaf(0),
        Split((Category("city", ("Bern", "Chur")),), (3, 4)),
        Leaf(1),
        Leaf(2),
    )
)
MODEL = RegressionModel(
    (Field("age", "numeric"), Field("city", "text", 3), Field("income", "numeric")),
    BODY,
    (0.1 + 0.2, 1e22, -7.0),
    ((120.0, 2.5), (1.0, 0.0), (50.0, 1.0 / 3.0)),
    target="rent",
)


@pytest.fixture
def model(tmp_path):
    save_model(MODEL, tmp_path / "rent.json")
    return tmp_path / "rent.json"


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_predictions_are_those_of_the_model_row_by_row(rulewright, model, table, tmp_path, name):
    out = tmp_path / name
    done = rulewright("predict", model, table, "--out", out, "--keep", "id", "--batch", "7")
    assert done.code == 0, done.err
    assert done.out == (f"300 rows answered (from -7 to {1e22!r})\npredictions: {out}\n")
    found = pd.read_csv(out) if name.endswith("csv") else pd.read_parquet(out)
    explained = MODEL.explain(pd.read_csv(table))
    assert list(found.columns) == ["row", "id", "prediction", "rule"]
    assert found["prediction"].dtype == np.float64
    assert found["prediction"].tolist() == explained["prediction"].tolist()
    assert found["rule"].tolist() == explained["rule"].tolist()
    assert found["row"].tolist() == list(range(300))


def test_predictions_go_to_the_screen_without_a_file(rulewright, model, table):
    rows = list(csv.DictReader(io.StringIO(rulewright("predict", model, table).out)))
    predicted = MODEL.predict(pd.read_csv(table)).tolist()
    assert [float(row["prediction"]) for row in rows] == predicted


def test_predictions_are_json_lines_for_machines(rulewright, model, table, tmp_path):
    lines = rulewright("predict", model, table, "--json").out.splitlines()
    predicted = MODEL.predict(pd.read_csv(table)).tolist()
    assert [json.loads(line)["prediction"] for line in lines] == predicted
    said = rulewright("predict", model, table, "--out", tmp_path / "p.csv", "--json").json
    del said["drift"]
    assert said == {"rows": 300, "range": [-7.0, 1e22], "out": str(tmp_path / "p.csv")}


def test_show_prints_the_tree_and_how_each_leaf_did(rulewright, model):
    done = rulewright("show", model)
    assert done.code == 0
    assert done.err == ""
    tree, _, training = done.out.partition("\n\nIn training:\n")
    assert tree == str(MODEL)
    otherwise = "(age > 41.25 or missing) and (city not in {Bern, Chur} or missing)"
    assert training.splitlines() == [
        f"   1  {'age <= 41.25':<66}  0.30000000000000004  120 cases  spread 2.5",
        f"   2  {'(age > 41.25 or missing) and city in {Bern, Chur}':<66}  1e+22                "
        "  1 case   spread 0",
        f"   3  {otherwise}  -7                    50 cases  spread 0.333333",
        "",
        "This model has no certificate: only TreeRegressor(certificate='split') makes one.",
        "Not verified against data: the counts above are what the file says. Only the training "
        "data can show whether they are true.",
        "",
    ]


def test_show_says_everything_to_machines(rulewright, model):
    said = rulewright("show", model, "--json").json
    assert said["task"] == "regression"
    assert said["target"] == "rent"
    assert said["columns"] == ["age", "city"]
    assert said["certificate"] is None
    assert [rule["value"] for rule in said["rules"]] == list(MODEL.values)
    assert {"number", "rule", "value", "support", "spread"} == set(said["rules"][0])


def test_a_rounded_model_counts_its_changed_answers(rulewright, model, tmp_path):
    path = tmp_path / "ages.csv"
    pd.DataFrame({"age": [41.25, 41.0, 60.0], "city": "Bern"}).to_csv(path, index=False)
    done = rulewright("show", model, "--decimals", "0", "--data", path)
    assert "rounded to 0 decimals: 1 of 3 answers change" in done.out
    said = rulewright("show", model, "--decimals", "0", "--data", path, "--json").json
    assert (said["changed"], said["rows"]) == (1, 3)
    assert said["model"]["values"] == list(MODEL.values)


def test_certify_says_that_there_is_no_certificate(rulewright, model, table):
    done = rulewright("certify", model, table)
    assert done.code == 1
    said = " ".join(done.err.split())
    assert "rent.json holds a regression model without a certificate: only TreeRegressor" in said
    assert load_model(model).certificate is None


@pytest.fixture
def certified(table, tmp_path):
    """A regression tree with a certificate, learnt from a file."""
    frame = pd.read_csv(table)[["age", "city"]]
    rng = np.random.default_rng(0)
    frame["rent"] = (frame["age"].fillna(0) > 40) * 9.0 + rng.normal(size=len(frame)).round(2)
    frame["times"] = rng.integers(0, 3, len(frame))
    frame.to_csv(tmp_path / "rents.csv", index=False)
    tree = TreeRegressor(certificate="split", n_splits=2)
    tree.fit(frame[["age", "city"]], frame["rent"], frame["times"])
    tree.save_model(tmp_path / "tree.json")
    return tmp_path / "tree.json", tmp_path / "rents.csv", tree


def test_show_prints_the_certificate(rulewright, certified):
    path, _, tree = certified
    done = rulewright("show", path)
    assert tree.certificate_.sentence in done.out
    assert "Not verified against data" in done.out
    assert tree.certificate_.details not in done.out
    assert tree.certificate_.details in rulewright("show", path, "--verbose").out
    said = rulewright("show", path, "--json").json["certificate"]
    assert (said["form"], said["bound"]) == ("split", tree.certificate_.bound)
    assert said["mean_error"] == tree.certificate_.mean_error


def test_certify_verifies_the_certificate(rulewright, certified):
    path, data, tree = certified
    done = rulewright("certify", path, data, "--weight", "times", "--verbose")
    assert done.code == 0, done.err
    assert done.out.startswith("The certificate holds: split ")
    assert tree.certificate_.sentence in done.out
    assert tree.certificate_.details in done.out
    assert "rows count as absent" in done.out
    said = rulewright("certify", path, data, "--weight", "times", "--json").json
    assert said["holds"] is True
    assert said["bound"] == tree.certificate_.bound
    assert said["columns_not_offered"] == []


def test_certify_refuses_other_data_and_options_for_classes(rulewright, certified, tmp_path):
    path, data, _ = certified
    done = rulewright("certify", path, data)
    assert done.code == 3
    assert "do not give the key of the certificate" in " ".join(done.err.split())
    done = rulewright("certify", path, data, "--rules")
    assert done.code == 1
    assert "tree.json holds a regression model" in done.err
    without = json.loads(path.read_text()) | {"target": None}
    (tmp_path / "nameless.json").write_text(json.dumps(without))
    done = rulewright("certify", tmp_path / "nameless.json", data)
    assert done.code == 1
    assert "does not say which column is the target: give --target" in " ".join(done.err.split())


def test_certify_counts_rows_without_a_target_as_absent(rulewright, table, tmp_path):
    frame = pd.read_csv(table)[["age", "city"]]
    frame["rent"] = np.random.default_rng(1).normal(size=len(frame)).round(2)
    frame.loc[:4, "rent"] = np.nan
    frame.to_csv(tmp_path / "rents.csv", index=False)
    known = frame.dropna(subset="rent")
    tree = TreeRegressor(certificate="split", n_splits=1)
    tree.fit(known[["age", "city"]], known["rent"]).save_model(tmp_path / "tree.json")
    done = rulewright("certify", tmp_path / "tree.json", tmp_path / "rents.csv")
    assert done.code == 0, done.err
    assert "5 of the 300 rows have no target" in " ".join(done.err.split())
    strict = rulewright("certify", tmp_path / "tree.json", tmp_path / "rents.csv", "--strict")
    assert strict.code == 3


def test_a_model_whose_column_is_missing_from_the_data_is_said(rulewright, model, table, tmp_path):
    path = tmp_path / "less.csv"
    pd.read_csv(table).drop(columns="age").to_csv(path, index=False)
    done = rulewright("predict", model, path, "--out", tmp_path / "p.csv")
    assert done.code == 1
    assert "less.csv has no column 'age'" in done.err
    assert not (tmp_path / "p.csv").exists()


def test_rows_are_explained_by_the_way_to_their_leaf(rulewright, model, table):
    rows = list(csv.DictReader(io.StringIO(rulewright("explain", model, table).out)))
    explained = MODEL.explain(pd.read_csv(table))
    assert list(rows[0]) == ["row", "prediction", "rule", "why"]
    assert [row["why"] for row in rows] == explained["why"].tolist()
