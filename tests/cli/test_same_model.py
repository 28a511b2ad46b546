"""The same data and settings give the same model file in Python and on the command line."""

import numpy as np
import pandas as pd
import pytest

import rulewright as package
from rulewright.learners import ESTIMATORS

FIXED = {
    "auto": "AutoClassifier",
    "ripper": "RipperClassifier",
    "slipper": "SlipperClassifier",
    "scorecard": "ScorecardClassifier",
    "scm": "SetCoveringMachine",
    "dlm": "DecisionListMachine",
    "tree": "TreeClassifier",
    "rule-list": "RuleListClassifier",
    "rule-vote": "RuleVoteClassifier",
    "tree-rules": "TreeRulesClassifier",
}
SPLIT = ["--certificate", "split", "--n-splits", "2"]
CASES = [
    *((learner, [], {}) for learner in FIXED),
    *((learner, SPLIT, {"certificate": "split", "n_splits": 2}) for learner in FIXED),
    (
        "tree",
        ["--certificate", "split", "--seed", "7", "--check-share", "0.3", "--delta", "0.1"],
        {"certificate": "split", "random_state": 7, "check_share": 0.3, "delta": 0.1},
    ),
    (
        "scm",
        ["--certificate", "split", "--class-costs", "bad=4", "--forbid", "age"],
        {"certificate": "split", "class_costs": {"bad": 4.0}, "forbid": ["age"]},
    ),
    ("tree", ["--certificate", "holdout"], {"certificate": "holdout"}),
    *((learner, ["--polish"], {"polish": True}) for learner in FIXED),
    ("ripper", [*SPLIT, "--polish"], {"certificate": "split", "n_splits": 2, "polish": True}),
    ("scm", ["--kind", "best", "--penalty", "2"], {"kind": "best", "penalty": 2.0}),
    (
        "scm",
        ["--family", "thresholds", "--forbid", "age"],
        {"family": ["thresholds"], "forbid": ["age"]},
    ),
    ("dlm", ["--consistent", "--max-rules", "3"], {"consistent": True, "max_rules": 3}),
    ("tree", ["--preset", "c4.5", "--confidence", "0.1"], {"preset": "c4.5", "confidence": 0.1}),
    (
        "tree",
        ["--pruning", "bound", "--class-costs", "bad=4"],
        {"pruning": "bound", "class_costs": {"bad": 4.0}},
    ),
    (
        "tree",
        ["--search", "optimal", "--max-depth", "2", "--max-cuts", "9", "--ccp-alpha", "0.01"],
        {"search": "optimal", "max_depth": 2, "max_cuts": 9, "ccp_alpha": 0.01},
    ),
    ("tree", ["--monotonic-cst", "income=1"], {"monotonic_cst": {"income": 1}}),
    (
        "tree",
        ["--pruning", "reduced-error", "--seed", "7"],
        {"pruning": "reduced-error", "random_state": 7},
    ),
    (
        "rule-list",
        ["--size", "bound", "--keep", "income", "--keep", "town"],
        {"size": "bound", "keep": ["income", "town"]},
    ),
    (
        "rule-list",
        ["--search", "optimal", "--max-rules", "2", "--max-cuts", "4", "--n-alternatives", "1"],
        {"search": "optimal", "max_rules": 2, "max_cuts": 4, "n_alternatives": 1},
    ),
    ("rule-list", ["--beam-width", "0", "--max-terms", "2"], {"beam_width": None, "max_terms": 2}),
    (
        "rule-vote",
        ["--max-rules", "3", "--default", "abstain"],
        {"max_rules": 3, "default": "abstain"},
    ),
    ("rule-vote", ["--preset", "small"], {"preset": "small"}),
    (
        "scorecard",
        ["--lines", "age > 40: +2", "--lines", "income > 50", "--force", "town", "--intervals"],
        {"lines": ["age > 40: +2", "income > 50"], "force": ["town"], "intervals": True},
    ),
    ("ripper", ["-k", "0", "--seed", "3"], {"k": 0, "random_state": 3}),
    (
        "ripper",
        ["--no-prune", "--class-costs", "balanced"],
        {"prune": False, "class_costs": "balanced"},
    ),
    ("slipper", ["--n-rounds", "4"], {"n_rounds": 4}),
    (
        "rule-list",
        ["--round-cuts", "--cuts", "deciles", "--positive-tests"],
        {"round_cuts": True, "cuts": "deciles", "positive_tests": True},
    ),
    (
        "ripper",
        ["--max-columns", "2", "--interactions", "income,town", "--interactions", "age,town"],
        {"max_columns": 2, "interactions": [["income", "town"], ["age", "town"]]},
    ),
    (
        "slipper",
        ["--interactions", "pairwise", "--monotonic-cst", "income=1"],
        {"interactions": "pairwise", "monotonic_cst": {"income": 1}},
    ),
    ("auto", ["--round-cuts", "--cuts", "integers"], {"round_cuts": True, "cuts": "integers"}),
    ("tree-rules", ["--n-rounds", "3", "--winnow"], {"n_rounds": 3, "winnow": True}),
]


def people(rows=160):
    rng = np.random.default_rng(5)
    income, age = rng.normal(30, 9, rows).round(1), rng.integers(18, 80, rows)
    town = rng.choice(["Alba", "Asti", "Bra"], rows)
    bad = (income < 27) & (town != "Bra") ^ (rng.random(rows) < 0.1)
    income[rng.choice(rows, 9, replace=False)] = np.nan
    opened = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), "D")
    return pd.DataFrame(
        {
            "number": np.arange(rows) + 1000,
            "income": income,
            "age": age,
            "town": town,
            "opened": opened.date,
            "state": np.where(bad, "bad", "good"),
        }
    )


def test_every_learner_has_a_case():
    assert set(FIXED.values()) == {*ESTIMATORS, "AutoClassifier"} - {"TreeRegressor"}


@pytest.mark.cross_section(11)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("learner", "options", "parameters"), CASES, ids=str)
def test_python_and_the_command_line_give_the_same_file(
    rulewright, tmp_path, learner, options, parameters
):
    data = people()
    data.to_csv(tmp_path / "people.csv", index=False)
    estimator = getattr(package, FIXED[learner])(**parameters)
    estimator.fit(data.drop(columns="state"), data["state"]).save_model(tmp_path / "python.json")
    written = ["--out", tmp_path / "typed.json", "--learner", learner, *options]
    typed = rulewright("fit", tmp_path / "people.csv", "--target", "state", *written)
    assert typed.code == 0, typed.err
    assert (tmp_path / "typed.json").read_bytes() == (tmp_path / "python.json").read_bytes()
