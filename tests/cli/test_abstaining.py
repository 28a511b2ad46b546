"""Commands on a model that abstains: labels, counts and promises that say so."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulewright.certificates import Code, certify, load_model
from rulewright.data import detect_table
from rulewright.families import Categories, Thresholds
from rulewright.models import Model, save_model
from rulewright.rules import (
    AllOf,
    Category,
    Rule,
    RuleList,
    RuleVote,
    Threshold,
    WeightedRule,
)


@pytest.fixture
def quiet_model(table, tmp_path):
    frame = pd.read_csv(table)
    row = int(frame.index[frame["age"] == 41][0])
    old = Threshold("age", True, 41.0, anchored_on=(row,))
    body = RuleList(
        (Rule(AllOf((old, Category("city", ("Bern",)))), 1), Rule(Category("city", ("Chur",)), 0)),
        default=None,
    )
    features = detect_table(frame[["age", "city", "income"]])
    y = (frame["class"] == "good").to_numpy().astype(np.int32)
    evidence = np.zeros((3, 2))
    np.add.at(evidence, (body.answer(features), y), 1)
    code = Code((Thresholds(), Categories()), 2, combinations=("all",))
    certificate = certify(body, features, y, code)
    rows = tuple(map(tuple, evidence.tolist()))
    model = Model(
        features.fields, ("bad", "good"), body, rows, target="class", certificate=certificate
    ).profiled(features)
    save_model(model, tmp_path / "quiet.json")
    return tmp_path / "quiet.json"


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
def test_predictions_have_the_label_and_no_share(rulewright, quiet_model, table, tmp_path, name):
    done = rulewright("predict", quiet_model, table, "--out", tmp_path / name, "--batch", "7")
    read = pd.read_csv if name.endswith("csv") else pd.read_parquet
    found = read(tmp_path / name)
    expected = load_model(quiet_model).predict(pd.read_csv(table))
    left = int((expected == "abstain").sum())
    assert 0 < left < 300
    assert found["prediction"].tolist() == expected.tolist()
    assert found["predicted_class_probability"].isna().tolist() == (expected == "abstain").tolist()
    bad, good = (int((expected == label).sum()) for label in ("bad", "good"))
    assert f"{300 - left} rows answered (bad: {bad}, good: {good}), {left} unanswered\n" in done.out


def test_the_number_of_unanswered_rows_is_said_beside_the_screen(rulewright, quiet_model, table):
    left = int((load_model(quiet_model).predict(pd.read_csv(table)) == "abstain").sum())
    done = rulewright("predict", quiet_model, table)
    assert (
        sum(row["prediction"] == "abstain" for row in csv.DictReader(io.StringIO(done.out))) == left
    )
    assert done.err == f"{left} of 300 rows unanswered\n"
    assert rulewright("predict", quiet_model, table, "--quiet").err == ""
    lines = rulewright("predict", quiet_model, table, "--json").out.splitlines()
    rows = [json.loads(line) for line in lines]
    assert sum(row["predicted_class_probability"] is None for row in rows) == left


def test_the_number_of_unanswered_rows_is_said_to_machines(
    rulewright, quiet_model, table, tmp_path
):
    said = rulewright("predict", quiet_model, table, "--out", tmp_path / "p.csv", "--json").json
    assert said["unanswered"] == said["predictions"]["abstain"] > 0
    assert sum(said["predictions"].values()) == said["rows"] == 300


def test_show_and_certify_say_what_is_left_unanswered(rulewright, quiet_model, table):
    left = load_model(quiet_model).unanswered
    shown = rulewright("show", quiet_model)
    assert f"otherwise no answer ({left:g} of 300 training cases)" in shown.out
    assert "Wrong or unanswered on " in shown.out
    (line,) = [line for line in shown.out.splitlines() if line.startswith("   3  otherwise")]
    assert line.split() == ["3", "otherwise", "no", "answer", f"{left:g}", "cases"]
    said = rulewright("show", quiet_model, "--json").json
    assert said["abstains"] and said["unanswered"] == left
    assert said["rules"][2]["class"] == "abstain" and said["rules"][2]["right"] == 0
    done = rulewright("certify", quiet_model, table)
    assert done.code == 0 and "Wrong or unanswered on " in done.out


def test_rows_are_explained_with_what_came_second(rulewright, quiet_model, table, tmp_path):
    frame = pd.read_csv(table)
    expected = load_model(quiet_model).explain(frame)
    out = tmp_path / "why.parquet"
    done = rulewright("explain", quiet_model, table, "--out", out, "--keep", "id", "--batch", "7")
    assert done.code == 0 and " unanswered\n" in done.out
    found = pd.read_parquet(out)
    names = {"probability": "predicted_class_probability"}
    assert list(found) == ["row", "id", *(names.get(name, name) for name in expected)]
    assert found["id"].astype(int).tolist() == list(range(300))
    for name in ("prediction", "rule", "why", "runner_up"):
        assert found[name].fillna("").tolist() == expected[name].tolist()
    assert found["predicted_class_probability"].tolist() == pytest.approx(
        expected["probability"].tolist(), nan_ok=True
    )
    assert set(expected["runner_up"]) == {"", "rule 3: no answer, otherwise"}
    rows = [
        json.loads(line)
        for line in rulewright("explain", quiet_model, table, "--json").out.splitlines()
    ]
    assert [row["why"] for row in rows] == expected["why"].tolist()
    screen = csv.DictReader(io.StringIO(rulewright("explain", quiet_model, table).out))
    assert [row["runner_up"] for row in screen] == expected["runner_up"].tolist()


def test_rules_of_a_vote_are_shown_where_they_are_the_weightiest(rulewright, quiet_model):
    plain = load_model(quiet_model)
    voters = tuple(WeightedRule(r.condition, r.output, 0.5) for r in plain.body.listed)
    vote = replace(plain, body=RuleVote(voters, None), certificate=None)
    save_model(vote, quiet_model)
    shown = rulewright("show", quiet_model).out
    assert "In training, each case counted at the weightiest rule for its answer:\n" in shown
    assert "no answer where nothing votes (" in shown
