"""scikit-learn's own checks, all of them, for every estimator."""

import json
import os
import subprocess
import sys

import pytest

from rulewright import (
    BoundSearch,
    DecisionListMachine,
    SetCoveringMachine,
    TreeClassifier,
    TreeRegressor,
    learners,
)

SMALL = {"max_rules": 3, "max_terms": 2, "beam_width": 2}
SETTINGS = {
    "SetCoveringMachine": [
        {},
        {"kind": "best", "penalty": 3.0, "max_rules": None},
        {"family": "balls", "kind": "best", "consistent": True},
        {"family": "half_spaces", "kernel": "rbf"},
        {"family": ["thresholds", "balls", "half_spaces"], "max_rules": 3},
        {"polish": True},
    ],
    "DecisionListMachine": [
        {},
        {"types": "complex", "family": "balls", "metric": "l1", "consistent": True},
        {"family": ["thresholds", "balls", "half_spaces"], "max_rules": 3},
    ],
    "RuleListClassifier": [
        SMALL,
        {},
        {"covering": "weighting", **SMALL},
        {"conditions": "syndromes", "size": "bound", **SMALL},
    ],
    "RuleVoteClassifier": [SMALL, {}, {"correction": "sc", **SMALL}],
    "RipperClassifier": [{}, {"prune": False}, {"algorithm": "irep"}],
    "ScorecardClassifier": [{}, {"positive_only": True, "max_points": 3}, {"max_terms": 2}],
    "SlipperClassifier": [{"max_rounds": 5, "n_folds": 3}, {"n_rounds": 3, "prune": False}],
    "TreeClassifier": [
        {},
        {"preset": "c4.5"},
        {"preset": "id3", "max_leaf_nodes": 4},
        {"pruning": "bound"},
        {"family": "balls", "max_leaf_nodes": 3},
    ],
    "TreeRegressor": [
        {},
        {"criterion": "absolute_error", "max_depth": 4},
        {
            "family": ["thresholds", "intervals", "half_planes"],
            "max_leaf_nodes": 5,
            "ccp_alpha": 0.01,
        },
    ],
    "TreeRulesClassifier": [
        {},
        {"n_rounds": 3},
        {"n_rounds": 3, "base": "trees", "confidence": 0.5, "min_samples_leaf": 1},
    ],
}
"""Settings that `make test` checks, and others that take other ways through the code."""

MORE_SETTINGS = {
    "SetCoveringMachine": [
        {"kind": "disjunction", "penalty": 0.5},
        {"family": "thresholds", "consistent": True},
        {"family": "balls"},
        {"family": "half_spaces"},
        {"family": "half_spaces", "kernel": "rbf", "consistent": True},
        {"family": "intervals"},
    ],
    "DecisionListMachine": [
        {"polish": True},
        {"polish": True, "family": ["balls", "half_spaces"], "max_rules": 3},
        {"family": "balls", "types": "complex", "metric": "l1", "consistent": True},
        {"family": "auto"},
        {"family": "thresholds", "consistent": True},
        {"family": "half_spaces"},
        {"family": "intervals", "consistent": True},
    ],
    "RuleListClassifier": [
        {"polish": True, **SMALL},
        {"polish": True, "conditions": "syndromes", **SMALL},
        {"covering": "weighting"},
        {"correction": "sc", "beam_width": 1},
        {"search": "optimal", "max_rules": 2, "max_terms": 1, "size": "bound"},
        {"search": "optimal", "max_cuts": 8, "n_alternatives": 2, "max_subproblems": 200},
        {"conditions": "syndromes", "max_terms": 3, "size": "bound"},
        {"family": ["intervals", "categories"], "beam_width": None, "max_terms": 2, "max_rules": 3},
    ],
    "RuleVoteClassifier": [
        {"polish": True, **SMALL},
        {"criterion": "entropy", "max_rules": 5},
        {"correction": "sc", "max_rules": 10, "beam_width": 1},
    ],
    "RipperClassifier": [{"k": 0, "min_covered": 3}, {"polish": True}],
    "ScorecardClassifier": [{"size": "bound", "ridge": 0}, {"max_bins": 3, "max_conditions": 3}],
    "SlipperClassifier": [
        {"polish": True, "n_rounds": 5},
        {"max_rounds": 20},
        {"n_rounds": 5},
        {"max_rounds": 10, "prune": False, "n_folds": 3},
    ],
    "TreeClassifier": [
        {"polish": True},
        {"polish": True, "family": ["thresholds", "intervals"], "max_leaf_nodes": 6},
        {"criterion": "error", "ccp_alpha": 0.01},
        {"search": "optimal", "max_depth": 2, "ccp_alpha": 0.01},
        {"search": "optimal", "max_cuts": 8, "n_alternatives": 2, "pruning": "bound"},
        {"criterion": "wracc", "family": ["thresholds", "intervals"], "max_depth": 2},
        {"family": ["balls", "half_spaces"], "max_leaf_nodes": 3},
    ],
    "TreeRulesClassifier": [{"winnow": True, "subsets": True}, {"polish": True}],
}
"""`make estimators` checks these."""

PROGRAM = """
import json, sys
import sklearn
from sklearn.utils.estimator_checks import check_estimator
from rulewright import *
class Costs(dict):  # for whatever labels a check has: about every other one is dear
    def get(self, label, other):
        return 2.5 if sum(map(ord, str(label))) % 2 else other
faulty = set()
if sklearn.__version__.startswith("1.6."):  # these checks may swap the classes of their samples
    faulty = {f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")}
for estimator, failing in json.loads(sys.argv[1]):
    results = check_estimator(eval(estimator), on_fail=None, on_skip=None)
    bad = {r["check_name"]: repr(r["exception"]) for r in results if r["status"] != "passed"}
    assert len(results) > 40 and set(bad) - faulty == set(failing) - faulty, (estimator, bad)
"""
SEARCHES = [
    "BoundSearch(SetCoveringMachine(), {'penalty': [0.5, 2], 'kind': ['best', 'conjunction']})",
    "BoundSearch(SetCoveringMachine(max_rules=3), {'penalty': [0.5, 2]}, by='cv', cv=3)",
    "BoundSearch(SetCoveringMachine(), "
    "[{'class_costs': [Costs()], 'penalty': [1]}, {'penalty': [2]}])",
    "BoundSearch(DecisionListMachine(max_rules=3), {'penalty': [0.5, 2]})",
    "BoundSearch(DecisionListMachine(family='auto'), {'penalty': [1]}, by='cv', cv=3)",
]
MORE_SEARCHES = [
    "BoundSearch(RipperClassifier(), {'k': [0, 2]})",
    "BoundSearch(RuleListClassifier(max_terms=2), {'beam_width': [1, 2]}, by='cv', cv=3)",
    "BoundSearch(TreeClassifier(max_depth=2), {'pruning': ['bound', 'none']}, by='cv', cv=3)",
]
SPLIT_SEARCHES = [
    "BoundSearch(RipperClassifier(certificate='split', random_state=1), {'k': [0, 1]})",
]
"""With a seed: samples of the checks have a class of one row, which few splits may learn from."""
PRICED = [
    "SetCoveringMachine(class_costs=Costs())",
    "DecisionListMachine(family='balls', class_costs=Costs())",
    "RuleListClassifier(class_costs=Costs())",
    "RuleVoteClassifier(class_costs=Costs(), max_rules=5, max_terms=2, beam_width=2)",
]
PRICED_UNDER_ONE_NAME = [
    "RipperClassifier(class_costs=Costs())",
    "ScorecardClassifier(class_costs=Costs())",
    "SlipperClassifier(class_costs=Costs(), max_rounds=5, n_folds=3)",
    "TreeClassifier(class_costs=Costs())",
    "TreeRulesClassifier(class_costs=Costs())",
    "TreeRulesClassifier(class_costs=Costs(), n_rounds=3)",
]
HELD_OUT = [
    "BoundSearch(SetCoveringMachine(), {'penalty': [0.5, 2]}, by='holdout')",
    "BoundSearch(DecisionListMachine(family='balls'), {'penalty': [0.5, 2]}, by='holdout')",
    "TreeClassifier(pruning='reduced-error')",
]
WEIGHTS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
CLASS_WEIGHT = ("check_class_weight_classifiers",)


def test_every_learner_is_checked():
    assert set(SETTINGS) == set(learners.ESTIMATORS)
    assert set(MORE_SETTINGS) <= set(SETTINGS)


def check(*cases):
    """Run all checks in a process of their own: one needs SciPy's array API switched on.

    A case is an estimator and the checks that it does not pass.
    """
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(cases)],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def passing(name, settings):
    return [(f"{name}(**{options!r})", ()) for options in settings]


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_every_check_passes_and_none_is_skipped(name):
    check(*passing(name, SETTINGS[name][:1]))


@pytest.mark.estimators
@pytest.mark.parametrize("name", SETTINGS)
def test_every_check_passes_with_more_settings(name):
    check(*passing(name, [*SETTINGS[name][1:], *MORE_SETTINGS.get(name, [])]))


@pytest.mark.slow
def test_every_check_passes_for_the_automatic_choice():
    check(("AutoClassifier(n_splits=1)", ()))


@pytest.mark.estimators
def test_every_check_passes_for_the_automatic_choice_with_all_splits():
    check(("AutoClassifier()", ()))


@pytest.mark.slow
def test_every_check_passes_for_a_search():
    check((SEARCHES[0], ()))


@pytest.mark.estimators
def test_every_check_passes_for_more_searches():
    check(*((search, ()) for search in SEARCHES[1:]))


@pytest.mark.estimators
def test_every_check_passes_for_searches_of_other_learners():
    check(*((search, ()) for search in MORE_SEARCHES))
    check(*((search, WEIGHTS) for search in SPLIT_SEARCHES))


@pytest.mark.estimators
def test_every_check_passes_with_costs_but_that_which_gives_them_twice():
    priced = [(estimator, ()) for estimator in PRICED]
    check(*priced, *((estimator, CLASS_WEIGHT) for estimator in PRICED_UNDER_ONE_NAME))


@pytest.mark.estimators
def test_what_keeps_rows_apart_passes_all_checks_but_those_of_weights():
    """A row of weight 2 is kept apart or not; the same row twice may be both."""
    check(*((estimator, WEIGHTS) for estimator in HELD_OUT))


@pytest.mark.parametrize(
    ("estimator", "categorical"),
    [
        (SetCoveringMachine(), True),
        (SetCoveringMachine(family="thresholds"), False),
        (DecisionListMachine(), True),
        (DecisionListMachine(family="balls"), False),
        (DecisionListMachine(family=["balls", "subsets"]), True),
        (TreeClassifier(), True),
        (TreeClassifier(family=["balls", "half_spaces"]), False),
        (TreeRegressor(family="thresholds"), False),
        (BoundSearch(DecisionListMachine(family="balls"), {"penalty": [1]}), False),
        (BoundSearch(DecisionListMachine(), {"family": ["balls", "categories"]}), True),
    ],
    ids=str,
)
def test_the_tags_say_whether_categories_are_looked_at(estimator, categorical):
    assert estimator.__sklearn_tags__().input_tags.categorical == categorical
