"""rulewright fit --learner ripper."""

import json
import re
import subprocess
import sys

import pandas as pd
import pytest

from rulewright import RipperClassifier, load_model

FIT = ("--target", "class", "--drop", "id", "--learner", "ripper")


def test_rules_are_fitted_certified_and_explained(rulewright, table, tmp_path):
    model, report = tmp_path / "m.json", tmp_path / "r.html"
    done = rulewright("fit", table, *FIT, "--out", model, "--report", report)
    assert done.code == 0, done.err
    assert re.search(r"; ripper2; \d", done.out)
    assert "95 % confidence" in done.out
    assert "95 % confidence" in report.read_text(encoding="utf-8")
    assert rulewright("certify", model, table).code == 0
    assert rulewright("explain", model, table).code == 0


OPTIONS = [
    ((), {}, "ripper2"),
    (("-k", 0, "--seed", 3), {"k": 0, "random_state": 3}, "irep*"),
    (("--no-prune",), {"prune": False}, "ripper without pruning"),
    (("--algorithm", "irep"), {"algorithm": "irep"}, "irep"),
    (("--min-covered", 20), {"min_covered": 20}, "ripper2"),
    (("--class-costs", "bad=2.5"), {"class_costs": {"bad": 2.5}}, "ripper2"),
]


@pytest.mark.parametrize(("typed", "options", "name"), OPTIONS)
def test_options_mean_what_the_estimators_parameters_mean(
    rulewright, table, tmp_path, typed, options, name
):
    model = tmp_path / "m.json"
    done = rulewright("fit", table, *FIT, *typed, "--out", model, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["learner"] == name
    frame = pd.read_csv(table).drop(columns="id")
    expected = RipperClassifier(**options).fit(frame.drop(columns="class"), frame["class"])
    assert str(load_model(model)) == str(expected.model_)


def test_a_time_budget_keeps_what_was_found_and_says_so(rulewright, table):
    done = rulewright("fit", table, *FIT, "--time-budget", 1e-6)
    assert done.code == 0
    assert "Caution: The time_budget of 1e-06 seconds was over before the search" in done.err
    assert rulewright("fit", table, *FIT, "--time-budget", 0).code == 1
    assert rulewright("fit", table, "-t", "class", "--time-budget", 3).code == 2


INTERRUPTED = """
import os, signal
from rulewright.cli.main import run
from rulewright.learners.ripper.search import RuleSetSearch
RuleSetSearch.optimise = lambda *_: os.kill(os.getpid(), signal.SIGINT)
run()
"""


@pytest.mark.slow
def test_an_interrupted_fit_says_so_and_leaves_no_file(table, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    files = ("--out", str(out / "m.json"), "--report", str(out / "r.html"))
    command = [sys.executable, "-c", INTERRUPTED, "fit", str(table), *FIT, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Stopped.\n")
    assert list(out.iterdir()) == []
