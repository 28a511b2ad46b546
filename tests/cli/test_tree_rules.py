"""rulewright fit --learner tree-rules."""

import csv
import io
import subprocess
import sys

import pandas as pd
import pytest

from rulewright import TreeRulesClassifier, load_model

FIT = ("--target", "class", "--drop", "id", "--learner", "tree-rules")


def test_rules_are_fitted_certified_shown_explained_and_run(rulewright, table, tmp_path):
    model, report = tmp_path / "m.json", tmp_path / "r.html"
    done = rulewright("fit", table, *FIT, "--out", model, "--report", report)
    assert done.code == 0, done.err
    assert "; tree-rules; " in done.out
    assert "95 % confidence" in done.out
    assert "95 % confidence" in report.read_text(encoding="utf-8")
    assert rulewright("certify", model, table).code == 0
    assert "95 % confidence" in rulewright("show", model).out
    expected = load_model(model).predict(pd.read_csv(table))
    predicted = csv.DictReader(io.StringIO(rulewright("predict", model, table).out))
    assert [row["prediction"] for row in predicted] == expected.tolist()
    explained = csv.DictReader(io.StringIO(rulewright("explain", model, table).out))
    assert all(row["why"] for row in explained)


@pytest.mark.parametrize(
    ("typed", "options", "how"),
    [
        ((), {}, "tree-rules"),
        (("--n-rounds", 3), {"n_rounds": 3}, "tree-rules, 3 rounds of rules"),
        (
            ("--n-rounds", 2, "--base", "trees", "--confidence", 0.1),
            {"n_rounds": 2, "base": "trees", "confidence": 0.1},
            "tree-rules, 2 rounds of trees",
        ),
        (("--winnow", "--seed", 3), {"winnow": True, "random_state": 3}, "columns kept"),
        (("--class-costs", "bad=4"), {"class_costs": {"bad": 4}}, "tree-rules"),
        (("--time-budget", 600), {"time_budget": 600}, "tree-rules"),
    ],
    ids=str,
)
def test_the_rules_are_the_estimators(rulewright, table, tmp_path, typed, options, how):
    model = tmp_path / "m.json"
    done = rulewright("fit", table, *FIT, *typed, "--out", model, "--json")
    assert done.code == 0, done.err
    assert how in done.json["learner"]
    frame = pd.read_csv(table).drop(columns="id")
    fitted = TreeRulesClassifier(**options).fit(frame.drop(columns="class"), frame["class"])
    assert load_model(model) == fitted.model_


def test_time_that_is_up_is_a_caution(rulewright, table):
    options = ("--n-rounds", 5, "--time-budget", 1e-6)
    done = rulewright("fit", table, *FIT, *options)
    assert done.code == 0, done.err
    assert "Caution: The time_budget of 1e-06 seconds was over" in done.err
    assert "1 of 5 rounds were made." in done.err
    (caution,) = rulewright("fit", table, *FIT, *options, "--json").json["cautions"]
    assert "1 of 5 rounds were made." in caution


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--n-rounds", 0), "n_rounds must be a whole number of 1 or more"),
        (("--base", "trees"), "set n_rounds"),
        (("--confidence", 0.7), "confidence must be above 0 and at most 0.5"),
        (("--time-budget", 0), "time_budget must be a number of seconds above 0"),
        (("--family", "balls"), "--family is an option of --learner"),
        (("--max-rules", 3), "--max-rules is an option of --learner"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(rulewright, table, options, said):
    done = rulewright("fit", table, *FIT, *options)
    assert done.code in (1, 2)
    assert said in " ".join((done.err + done.out).replace("│", " ").split())


@pytest.mark.parametrize("option", [("--n-rounds", 3), ("--winnow",), ("--subsets",)], ids=str)
def test_its_options_are_not_for_others(rulewright, table, option):
    done = rulewright("fit", table, "--target", "class", "--learner", "scm", *option)
    assert done.code == 2
    assert "tree-rules" in done.err


@pytest.mark.slow
def test_scikit_learn_is_not_needed(table):
    """It takes longer to import than these rules take to learn."""
    program = (
        "import sys; from rulewright.cli.main import run\n"
        f"sys.argv = ['rulewright', 'fit', {str(table)!r}, *{FIT!r}, '--n-rounds', '2', '-q']\n"
        "try: run()\nexcept SystemExit as stop: assert not stop.code\n"
        "assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
