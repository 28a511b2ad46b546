"""decision_function: finite votes that agree with predict, and scores that rank by it."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import cross_val_score

from rulewright import (
    RuleListClassifier,
    RuleVoteClassifier,
    ScorecardClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRulesClassifier,
)
from rulewright.data import Field, NumericColumn, Table
from rulewright.learners.base.voting_mixin import class_votes
from rulewright.models import Model
from rulewright.rules import RuleVote, Threshold, WeightedRule

VOTERS = [
    RuleVoteClassifier(max_rules=6),
    RuleVoteClassifier(max_rules=3, default="abstain"),
    SlipperClassifier(max_rounds=10),
    ScorecardClassifier(),
    TreeRulesClassifier(n_rounds=3),
    TreeRulesClassifier(n_rounds=3, base="trees"),
]
TWO, THREE = load_breast_cancer(return_X_y=True), load_iris(return_X_y=True)


@pytest.mark.parametrize("estimator", VOTERS, ids=str)
def test_two_classes_have_one_value_that_is_above_zero_for_the_second(estimator):
    X, y = TWO
    found = estimator.fit(X[::2], y[::2]).decision_function(X)
    assert found.shape == (569,) and np.isfinite(found).all()
    answered = estimator.model_.answered(X)
    assert ((found > 0) == (estimator.predict(X) == 1))[answered].all()
    chances = estimator.predict_proba(X)[:, 1]
    order = np.argsort(found, kind="stable")
    assert (np.diff(chances[order]) > -1e-9).all()


@pytest.mark.parametrize("estimator", VOTERS, ids=str)
def test_more_classes_have_a_value_each_and_the_largest_answers(estimator):
    X, y = THREE
    found = estimator.fit(X[::2], y[::2]).decision_function(X)
    assert found.shape == (150, 3) and np.isfinite(found).all()
    answered = estimator.model_.answered(X)
    assert (found.argmax(axis=1) == estimator.predict(X))[answered].all()


def test_a_class_without_votes_does_not_win_against_votes_below_zero():
    below = Threshold("x", False, 1.0)
    body = RuleVote((WeightedRule(below, 1, -2.0),), default=0)
    model = Model((Field("x", "numeric"),), ("no", "yes"), body, ((1.0, 5.0), (3.0, 0.0)))
    table = Table([NumericColumn("x", np.array([0.0, 5.0]))], 2)
    votes = class_votes(model, table)
    assert model.predict(table).tolist() == ["yes", "no"]
    assert votes[0].argmax() == 1 and votes[1].argmax() == 0
    assert votes[1] == pytest.approx(np.log(model.probabilities[-1]) / 2)


@pytest.mark.parametrize("estimator", VOTERS, ids=str)
def test_areas_under_the_curve_are_those_of_the_votes(estimator):
    X, y = TWO
    estimator.fit(X[::2], y[::2])
    expected = roc_auc_score(y[1::2], estimator.decision_function(X[1::2]))
    assert get_scorer("roc_auc")(estimator, X[1::2], y[1::2]) == expected > 0.9


@pytest.mark.parametrize(
    "estimator",
    [SetCoveringMachine(), RuleListClassifier(), TreeClassifier(), *VOTERS[:1]],
    ids=str,
)
def test_areas_under_the_curve_are_scored_for_every_kind_of_model(estimator):
    assert (cross_val_score(estimator, *TWO, scoring="roc_auc", cv=2) > 0.7).all()


def test_a_list_has_no_votes():
    assert not hasattr(TreeRulesClassifier(), "decision_function")
    assert not hasattr(RuleListClassifier(), "decision_function")
    assert hasattr(TreeRulesClassifier(n_rounds=2), "decision_function")
