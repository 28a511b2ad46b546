"""rulewright fit --learner slipper."""

import pandas as pd

from rulewright import SlipperClassifier, load_model

FIT = ("--target", "class", "--drop", "id", "--learner", "slipper")


def test_a_vote_is_fitted_certified_shown_and_run(rulewright, table, tmp_path):
    model, report = tmp_path / "m.json", tmp_path / "r.html"
    done = rulewright("fit", table, *FIT, "--out", model, "--report", report)
    assert done.code == 0, done.err
    assert "slipper, " in done.out
    assert "the class with the most votes:" in done.out
    assert "always" in report.read_text(encoding="utf-8")
    assert rulewright("certify", model, table).code == 0
    assert "city = " in rulewright("show", model).out
    assert rulewright("predict", model, table, "--out", tmp_path / "p.csv").code == 0
    assert rulewright("explain", model, table).code == 0


def test_the_vote_is_the_estimators(rulewright, table, tmp_path):
    model = tmp_path / "m.json"
    options = ("--n-rounds", 4, "--seed", 3, "--class-costs", "bad=2.5", "--out", model)
    done = rulewright("fit", table, *FIT, *options)
    assert done.code == 0, done.err
    assert "slipper, 4 rounds" in done.out
    frame = pd.read_csv(table).drop(columns="id")
    slipper = SlipperClassifier(n_rounds=4, class_costs={"bad": 2.5}, random_state=3)
    slipper.fit(frame.drop(columns="class"), frame["class"])
    assert load_model(model) == slipper.model_


def test_what_is_not_for_slipper_is_refused(rulewright, table):
    assert rulewright("fit", table, *FIT, "--penalty", 2).code == 2
    assert rulewright("fit", table, *FIT, "--family", "balls").code == 2
    assert rulewright("fit", table, *FIT, "--n-rounds", 0).code == 1
    assert rulewright("fit", table, *FIT, "--n-rounds", "few").code == 2
    tree = ("--target", "class", "--drop", "id", "--learner", "tree")
    assert rulewright("fit", table, *tree, "--n-rounds", 3).code == 2
