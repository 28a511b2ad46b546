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
WRITTEN = "at least 2 of (age > 40; city = Chur; income > 50 or age < 20) -> good"
LEARNERS = {"rule-list": RuleListClassifier, "rule-vote": RuleVoteClassifier}


@pytest.fixture(params=LEARNERS)
def learner(request):
    return request.param


def read(table):
    frame = pd.read_csv(table).drop(columns="id")
    return frame.drop(columns="class"), frame["class"]


def test_rules_are_fitted_certified_shown_explained_and_run(rulewright, table, tmp_path, learner):
    model, report = tmp_path / "m.json", tmp_path / "r.html"
    options = ("--size", "bound", "--out", model, "--report", report)
    done = rulewright("fit", table, *FIT, "--learner", learner, *options)
    assert done.code == 0, done.err
    assert re.search(rf"; {learner} by \w+, the best certificate of \d+; ", done.out)
    assert "95 % confidence" in done.out
    assert "95 % confidence" in report.read_text(encoding="utf-8")
    assert rulewright("certify", model, table).code == 0
    assert "95 % confidence" in rulewright("show", model).out
    expected = load_model(model).predict(pd.read_csv(table))
    predicted = csv.DictReader(io.StringIO(rulewright("predict", model, table).out))
    assert [row["prediction"] for row in predicted] == expected.tolist()
    explained = csv.DictReader(io.StringIO(rulewright("explain", model, table).out))
    assert all(row["why"] for row in explained)


OPTIONS = [
    ((), {}),
    (("--size", "bound"), {"size": "bound"}),
    (("--size", "all", "--max-rules", 3), {"size": "all", "max_rules": 3}),
    (("--criterion", "laplace", "--max-terms", 2), {"criterion": "laplace", "max_terms": 2}),
    (("--correction", "sc", "--seed", 3), {"correction": "sc", "random_state": 3}),
    (("--beam-width", 0, "--max-terms", 2), {"beam_width": None, "max_terms": 2}),
    (("--beam-width", 1, "--default", "abstain"), {"beam_width": 1, "default": "abstain"}),
    (("--conditions", "syndromes", "--size", "all"), {"conditions": "syndromes", "size": "all"}),
    (("--keep", "age", "--keep", "city"), {"keep": ["age", "city"]}),
    (("--forbid", "city"), {"forbid": ["city"]}),
    (("--force", "income", "--size", "all"), {"force": ["income"], "size": "all"}),
    (("--min-precision", 0.9, "--min-support", 20), {"min_precision": 0.9, "min_support": 20}),
    (("--max-p-value", 0.001, "--min-gain", 0.1), {"max_p_value": 0.001, "min_gain": 0.1}),
    (("--family", "intervals", "--delta", 0.1), {"family": ["intervals"], "delta": 0.1}),
    (("--class-costs", "bad=2.5", "--size", "all"), {"class_costs": {"bad": 2.5}, "size": "all"}),
    (("--rules", "age > 60 -> good"), {"rules": ["age > 60 -> good"]}),
    (
        ("--rules", "not (age > 60 or income > 9) -> bad", "--rules", WRITTEN),
        {"rules": ["not (age > 60 or income > 9) -> bad", WRITTEN]},
    ),
]


@pytest.mark.cross_section(7)
@pytest.mark.parametrize(("options", "parameters"), OPTIONS)
def test_the_model_is_the_estimators(rulewright, table, tmp_path, learner, options, parameters):
    model = tmp_path / "m.json"
    done = rulewright("fit", table, *FIT, "--learner", learner, *options, "--out", model)
    assert done.code == 0, done.err
    estimator = LEARNERS[learner](**parameters).fit(*read(table))
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
        *("--rules", "city = Chur -> bad", "--rules", "age > 60 or missing -> good"),
    )
    assert done.code == 0, done.err
    assert "  1. bad if city = Chur\n  2. good if age > 60 or missing\n" in done.out
    assert "0 other training cases" in done.out or "1 other training case " in done.out
    assert rulewright("certify", model, table).code == 0


def test_what_no_rule_answers_may_stay_unanswered(rulewright, table, tmp_path, learner):
    model = tmp_path / "m.json"
    options = ("--default", "abstain", "--min-precision", 1, "--size", "all", "--max-rules", 2)
    done = rulewright("fit", table, *FIT, "--learner", learner, *options, "--out", model)
    assert done.code == 0, done.err
    assert "Wrong or unanswered on " in done.out
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
    priced = rulewright(
        "fit", table, *FIT, "--learner", learner, "--class-costs", "bad=4", "--json"
    ).json
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
        (
            "rule-list",
            ("--penalty", 2),
            "--penalty is an option of --learner scm or dlm, not of rule-list",
        ),
        ("rule-vote", ("--kind", "best"), "--kind is an option of --learner scm, not of rule-vote"),
        ("rule-list", ("--types", "complex"), "not of rule-list"),
        ("rule-list", ("--consistent",), "not of rule-list"),
        ("rule-vote", ("--pruning", "none"), "--pruning is an option of --learner tree"),
        (
            "rule-vote",
            ("--covering", "removal"),
            "--covering is an option of --learner rule-list, not of",
        ),
        (
            "tree",
            ("--rules", "age > 1 -> good"),
            "--rules is an option of --learner rule-list or rule-vote",
        ),
        (
            "scm",
            ("--beam-width", 3),
            "--beam-width is an option of --learner rule-list, rule-vote or scorecard, not of scm",
        ),
        ("auto", ("--default", "abstain"), "not of auto"),
        ("rule-list", ("--max-terms", "few"), "--max-terms"),
        ("rule-list", ("--beam-width", "few"), "--beam-width"),
        ("rule-list", ("--correction", "vc"), "--correction"),
    ],
)
def test_options_of_other_learners_are_wrong_usage(rulewright, table, chosen, options, said):
    done = rulewright("fit", table, *FIT, "--learner", chosen, *options)
    assert done.code == 2
    assert said in re.sub(r"[\s│]+", " ", done.err)


@pytest.mark.cross_section(12)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rules", "agee > 1 -> good"), "There is no column 'agee'; did you mean 'age'?"),
        (("--rules", "age > 1 -> fine"), "There is no class 'fine'"),
        (("--rules", "age > 1"), "'->' and a class must follow"),
        (("--keep", "colour"), "keep has 'colour', which is not a column"),
        (("--force", "age", "--forbid", "age"), "force has 'age', but this column is left out"),
        (("--criterion", "magic"), "criterion must be"),
        (("--min-precision", 2), "min_precision must be in"),
        (("--family", "balls"), "The family 'balls' compares rows by all numeric columns"),
        (("--family", "subsets"), "family must be among"),
        (("--max-rules", 0), "max_rules must be"),
        (("--max-terms", 0), "max_terms must be a whole number from 1 to 255"),
        (("--beam-width", -1), "beam_width must be a whole number from 1 to 255"),
    ],
)
def test_wrong_input_is_explained(rulewright, table, learner, options, said):
    done = rulewright("fit", table, *FIT, "--learner", learner, *options)
    assert done.code == 1
    assert said in done.err
    machine = rulewright("fit", table, *FIT, "--learner", learner, *options, "--json")
    assert machine.code == 1 and said in json.loads(machine.out)["error"]


def test_help_names_the_defaults_that_hold(rulewright, monkeypatch, learner):
    monkeypatch.setenv("COLUMNS", "400")
    said = re.sub(r"[\s│]+", " ", rulewright("fit", "--learner", learner, "--help").out)
    held = LEARNERS[learner]().get_params()
    assert f"Maximum number of terms of a rule. [{held['max_terms']}]" in said
    assert f"searches all rules, which is slow. [{held['beam_width']}]" in said
    assert f"by its name in rulewright.criteria. [{held['criterion']}]" in said
    assert f"improvement of the score by a further term. [{held['min_rise']}]" in said
    assert f"Maximum number of rules. [{held['max_rules']}]" in said
    assert f"the majority class, or abstain. [{held['default']}]" in said
    assert f"(at least some number of terms hold). [{held['conditions']}]" in said
    assert f"those with the best certificate (bound). [{held['size']}]" in said
    assert ("--covering" in said) == (learner == "rule-list")


@pytest.mark.cross_section(2)
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
    options = ("--learner", "rule-vote", "--size")
    done = rulewright("fit", table, "-t", "illness", *options, "bound")
    assert done.code == 0, done.err
    assert "No rule beat always 'well'. The best rules found have the bound " in done.out
    kept = rulewright("fit", table, "-t", "illness", *options, "all")
    assert "no rules" not in kept.err
    assert " for ill if " in kept.out
