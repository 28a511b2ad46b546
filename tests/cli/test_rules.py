"""rulewright fit --learner rule-list and rule-vote."""

import csv
import io
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from rulewright import RuleListClassifier, RuleVoteClassifier, load_model

FIT = ("--target", "class", "--drop", "id")
LEARNERS = {"rule-list": RuleListClassifier, "rule-vote": RuleVoteClassifier}


@pytest.fixture(params=LEARNERS)
def learner(request):
    return request.param


def read(table):
    frame = pd.read_csv(table).drop(columns="id")
    return frame.drop(columns="class"), frame["class"]


def test_rules_are_fitted_certified_shown_explained_and_run(rulewright, table, tmp_path, learner):
    model, report = tmp_path / "m.json", tmp_path / "r.html"
    done = rulewright("fit", table, *FIT, "--learner", learner, "--out", model, "--report", report)
    assert done.code == 0, done.err
    assert re.search(rf"; {learner} by \w+, the best certificate of \d+; ", done.out)
    assert "With confidence 95 %" in done.out
    assert "With confidence 95 %" in report.read_text(encoding="utf-8")
    assert rulewright("certify", model, table).code == 0
    assert "With confidence 95 %" in rulewright("show", model).out
    expected = load_model(model).predict(pd.read_csv(table))
    predicted = csv.DictReader(io.StringIO(rulewright("predict", model, table).out))
    assert [row["prediction"] for row in predicted] == expected.tolist()
    explained = csv.DictReader(io.StringIO(rulewright("explain", model, table).out))
    assert all(row["why"] for row in explained)


OPTIONS = [
    ((), {}),
    (("--size", "all", "--max-rules", 3), {"size": "all", "max_rules": 3}),
    (("--criterion", "laplace", "--max-terms", 2), {"criterion": "laplace", "max_terms": 2}),
    (("--correction", "sc", "--seed", 3), {"correction": "sc", "random_state": 3}),
    (("--width", 0, "--max-terms", 2), {"width": None, "max_terms": 2}),
    (("--width", 1, "--default", "abstain"), {"width": 1, "default": "abstain"}),
    (("--conditions", "syndromes", "--size", "all"), {"conditions": "syndromes", "size": "all"}),
    (("--keep", "age", "--keep", "city"), {"keep": ["age", "city"]}),
    (("--forbid", "city"), {"forbid": ["city"]}),
    (("--force", "income", "--size", "all"), {"force": ["income"], "size": "all"}),
    (("--min-precision", 0.9, "--min-support", 20), {"min_precision": 0.9, "min_support": 20}),
    (("--max-p-value", 0.001, "--min-gain", 0.1), {"max_p_value": 0.001, "min_gain": 0.1}),
    (("--family", "intervals", "--delta", 0.1), {"family": ["intervals"], "delta": 0.1}),
    (("--cost", "bad=2.5", "--size", "all"), {"class_costs": {"bad": 2.5}, "size": "all"}),
    (("--rule", "age > 60 -> good"), {"rules": ["age > 60 -> good"]}),
]


@pytest.mark.parametrize(("options", "parameters"), OPTIONS)
def test_the_model_is_the_estimators(rulewright, table, tmp_path, learner, options, parameters):
    model = tmp_path / "m.json"
    done = rulewright("fit", table, *FIT, "--learner", learner, *options, "--out", model)
    assert done.code == 0, done.err
    estimator = LEARNERS[learner](**{"size": "bound"} | parameters).fit(*read(table))
    assert load_model(model) == estimator.model_
    assert rulewright("certify", model, table).code == 0


def test_a_list_may_weigh_what_is_covered(rulewright, table, tmp_path):
    model = tmp_path / "m.json"
    options = ("--learner", "rule-list", "--covering", "weighting", "--size", "all")
    assert rulewright("fit", table, *FIT, *options, "--out", model).code == 0
    estimator = RuleListClassifier(covering="weighting").fit(*read(table))
    assert load_model(model) == estimator.model_
    assert load_model(model) != RuleListClassifier().fit(*read(table)).model_


def test_rules_that_a_person_wrote_come_first_and_cost_no_example(rulewright, table, tmp_path):
    model = tmp_path / "m.json"
    done = rulewright(
        *("fit", table, *FIT, "--learner", "rule-list", "--max-rules", 1, "--out", model),
        *("--rule", "city = Chur -> bad", "--rule", "age > 60 or missing -> good"),
    )
    assert done.code == 0, done.err
    assert "  1. bad if city = Chur\n  2. good if age > 60 or missing\n" in done.out
    assert "0 training examples" in done.out or "1 training example " in done.out
    assert rulewright("certify", model, table).code == 0


def test_what_no_rule_answers_may_stay_unanswered(rulewright, table, tmp_path, learner):
    model = tmp_path / "m.json"
    options = ("--default", "abstain", "--min-precision", 1, "--size", "all", "--max-rules", 2)
    done = rulewright("fit", table, *FIT, "--learner", learner, *options, "--out", model)
    assert done.code == 0, done.err
    assert "misjudged or left unanswered" in done.out
    assert rulewright("show", model, "--json").json["abstains"]
    expected = load_model(model).predict(pd.read_csv(table))
    left = int((expected == "abstain").sum())
    assert 0 < left < 300
    said = rulewright("predict", model, table, "--out", tmp_path / "p.csv", "--json").json
    assert said["unanswered"] == left
    explained = csv.DictReader(io.StringIO(rulewright("explain", model, table).out))
    assert sum(row["prediction"] == "abstain" for row in explained) == left
    assert rulewright("certify", model, table).code == 0


def test_it_is_said_when_no_rule_is_good_enough(rulewright, table, learner):
    options = ("--learner", learner, "--min-support", 290)
    done = rulewright("fit", table, *FIT, *options)
    assert done.code == 0
    assert "always bad" in done.out or "bad where nothing votes" in done.out
    assert "Caution: No rule was learnt: " in done.err
    assert any(
        "No rule" in caution
        for caution in rulewright("fit", table, *FIT, *options, "--json").json["cautions"]
    )
    assert "No rule" not in rulewright("fit", table, *FIT, "--learner", learner).err


def test_machines_are_told_the_same(rulewright, table, learner):
    said = rulewright("fit", table, *FIT, "--learner", learner, "--json").json
    assert said["learner"].startswith(f"{learner} by ")
    assert said["rows"] == 300 and said["columns"] == 3
    assert sum(rule["support"] for rule in said["rules"]) == 300
    assert 0 < said["certificate"]["bound"] < 0.5
    assert said["cost_bound"] is None
    priced = rulewright("fit", table, *FIT, "--learner", learner, "--cost", "bad=4", "--json").json
    assert priced["cost_bound"] > 0


def test_three_classes_make_one_list(rulewright, tmp_path, learner):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=120).round(1), "c": rng.choice(["a", "b"], 120)})
    frame["y"] = np.select([frame["x"] > 0.5, frame["c"] == "a"], [3, 2], 1)
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = ("--target", "y", "--learner", learner, "--max-rules", 4, "--size", "all")
    done = rulewright("fit", tmp_path / "t.csv", *options, "--json")
    assert done.code == 0, done.err
    assert {rule["class"] for rule in done.json["rules"]} == {1, 2, 3}
    assert done.json["training_errors"] == 0


@pytest.mark.parametrize(
    ("chosen", "options", "said"),
    [
        ("rule-list", ("--penalty", 2), "--penalty is for --learner scm or dlm, not for rule-list"),
        ("rule-vote", ("--kind", "best"), "--kind is for --learner scm, not for rule-vote"),
        ("rule-list", ("--metric", "l1"), "not for rule-list"),
        ("rule-list", ("--consistent",), "not for rule-list"),
        ("rule-vote", ("--pruning", "none"), "--pruning is for --learner tree"),
        ("rule-vote", ("--covering", "removal"), "--covering is for --learner rule-list, not for"),
        ("tree", ("--rule", "age > 1 -> good"), "--rule is for --learner rule-list or rule-vote"),
        ("scm", ("--width", 3), "--width is for --learner rule-list or rule-vote, not for scm"),
        ("auto", ("--default", "abstain"), "not for auto"),
        ("rule-list", ("--max-terms", 0), "--max-terms"),
        ("rule-list", ("--width", -1), "--width"),
        ("rule-list", ("--correction", "vc"), "--correction"),
    ],
)
def test_options_of_other_learners_are_wrong_usage(rulewright, table, chosen, options, said):
    done = rulewright("fit", table, *FIT, "--learner", chosen, *options)
    assert done.code == 2
    assert said in re.sub(r"[\s│]+", " ", done.err)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rule", "agee > 1 -> good"), "There is no column 'agee'; did you mean 'age'?"),
        (("--rule", "age > 1 -> fine"), "There is no class 'fine'"),
        (("--rule", "age > 1"), "'->' and a class must follow"),
        (("--keep", "colour"), "keep names 'colour', which is no column"),
        (("--force", "age", "--forbid", "age"), "Every rule is to test 'age'"),
        (("--criterion", "magic"), "criterion must be"),
        (("--min-precision", 2), "min_precision must be a share"),
        (("--family", "balls"), "family must be of"),
        (("--max-rules", 0), "max_rules must be"),
    ],
)
def test_wrong_input_is_explained(rulewright, table, learner, options, said):
    done = rulewright("fit", table, *FIT, "--learner", learner, *options)
    assert done.code == 1
    assert said in done.err
    machine = rulewright("fit", table, *FIT, "--learner", learner, *options, "--json")
    assert machine.code == 1 and said in json.loads(machine.out)["error"]


def test_help_names_the_defaults_that_hold(rulewright, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    said = re.sub(r"[\s│]+", " ", rulewright("fit", "--help").out)
    a_list, a_vote = (one().get_params() for one in (RuleListClassifier, RuleVoteClassifier))
    same = "criterion", "max_rules", "max_terms", "min_rise", "width", "default", "conditions"
    for name in same:
        assert a_list[name] == a_vote[name]
    assert f"At most so many terms a rule; {a_list['max_terms']} unless said." in said
    assert f"kept after each term, {a_list['width']} unless said;" in said
    assert f"What makes a rule good: {a_list['criterion']} unless said;" in said
    assert f"rule must be better; {a_list['min_rise']} unless said." in said
    assert f"10 unless said, of rule-list and rule-vote {a_list['max_rules']}." in said
    assert (a_list["default"], a_list["covering"], a_list["conditions"], a_list["shrink"]) == (
        *("majority", "removal", "conjunctions", 0.5),
    )


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["auto", "tree", "rule-list", "rule-vote"])
def test_learning_does_without_scikit_learn(table, learner):
    """It takes longer to import than a small fit."""
    program = (
        "import sys; from rulewright.cli.main import app;"
        f"app(['fit', {str(table)!r}, '-t', 'class', '--drop', 'id', '--json', "
        f"'--learner', {learner!r}], "
        "standalone_mode=False); sys.exit('sklearn' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL).returncode == 0
    )


def test_a_vote_without_rules_says_that_others_were_tried(rulewright, tmp_path):
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(120, 3)).round(1), columns=list("abc"))
    table = tmp_path / "noise.csv"
    data.assign(illness=np.where(rng.random(120) < 0.2, "ill", "well")).to_csv(table, index=False)
    done = rulewright("fit", table, "-t", "illness", "--learner", "rule-vote")
    assert done.code == 0, done.err
    assert "Caution: The model has no rules: one answer for all rows has a better" in done.err
    kept = rulewright("fit", table, "-t", "illness", "--learner", "rule-vote", "--size", "all")
    assert "no rules" not in kept.err
    assert " for ill if " in kept.out
