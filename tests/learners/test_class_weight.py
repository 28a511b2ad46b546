"""scikit-learn's class_weight, and balanced costs."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_class_weight_classifiers

import rulewright
from rulewright import (
    BoundSearch,
    RipperClassifier,
    ScorecardClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRulesClassifier,
    learners,
)
from rulewright.errors import InputError
from rulewright.learners import balanced_costs

RNG = np.random.default_rng(8)
X = np.round(RNG.normal(size=(90, 3)), 1)
Y = np.where(X[:, 0] + RNG.normal(size=90) > 1, "rare", "usual")
WEIGHT = RNG.integers(1, 4, 90)
WEIGHTED = [
    RipperClassifier(),
    SlipperClassifier(max_rounds=10),
    ScorecardClassifier(),
    TreeClassifier(),
    TreeClassifier(preset="c4.5"),
    TreeClassifier(pruning="bound"),
    TreeClassifier(criterion="wracc", family=["thresholds", "intervals"], max_depth=2),
    TreeRulesClassifier(),
    TreeRulesClassifier(n_rounds=3),
]
CLASSIFIERS = [name for name in learners.ESTIMATORS if name != "TreeRegressor"]


def balanced():
    share = {label: WEIGHT[label == Y].sum() / WEIGHT.sum() for label in ("rare", "usual")}
    return {label: float(f"{0.5 / share[label]:.6g}") for label in share}


@pytest.mark.parametrize("estimator", WEIGHTED, ids=str)
def test_class_weight_is_another_name_of_the_costs(estimator):
    costs = {"rare": 3.0, "usual": 1.5}
    estimator.set_params(class_weight=costs).fit(X, Y)
    other = type(estimator)(**{**estimator.get_params(), "class_weight": None})
    other.set_params(class_costs=costs).fit(X, Y)
    assert estimator.model_ == other.model_
    assert estimator.certificate_ == other.certificate_


@pytest.mark.parametrize("estimator", WEIGHTED, ids=str)
def test_class_weight_passes_the_check_of_scikit_learn(estimator):
    check_class_weight_classifiers(type(estimator).__name__, estimator)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_balanced_costs_follow_the_weight_of_the_classes(name):
    estimator = getattr(rulewright, name)()
    found = estimator.set_params(class_costs="balanced").fit(X, Y, WEIGHT).model_
    written = estimator.set_params(class_costs=balanced()).fit(X, Y, WEIGHT).model_
    assert found == written
    twice = np.repeat(np.arange(90), WEIGHT)
    again = estimator.set_params(class_costs="balanced").fit(X[twice], Y[twice])
    sample = again._sample(X[twice], Y[twice], None)
    assert again.settings().given_costs(sample) == balanced()


def test_a_search_balances_costs():
    search = BoundSearch(SetCoveringMachine(class_costs="balanced"), {"penalty": [1, 2]})
    written = BoundSearch(SetCoveringMachine(class_costs=balanced()), {"penalty": [1, 2]})
    assert search.fit(X, Y, WEIGHT).model_ == written.fit(X, Y, WEIGHT).model_
    assert search.best_params_ == written.best_params_


def test_both_names_at_once_are_refused():
    tree = TreeClassifier(class_weight="balanced", class_costs={"rare": 2})
    with pytest.raises(InputError, match=r"class_weight and class_costs mean the same\. Set one"):
        tree.fit(X, Y)
    rules = TreeRulesClassifier(class_weight="balanced", class_costs={"rare": 2})
    with pytest.raises(InputError, match=r"class_weight and class_costs mean the same\. Set one"):
        rules.fit(X, Y)


@pytest.mark.parametrize("wrong", ["equal", 3, [1, 2]])
def test_a_class_weight_must_be_a_dict_or_balanced(wrong):
    with pytest.raises(InputError, match="class_weight must be a dict .*'balanced' or None, got"):
        TreeClassifier(class_weight=wrong).fit(X, Y)


def test_costs_that_are_another_word_are_refused():
    with pytest.raises(InputError, match="class_costs must be a dict .*'balanced' .*got 'equal'"):
        SetCoveringMachine(class_costs="equal").fit(X, Y)


def test_labels_that_y_does_not_have_are_an_error_only_where_a_class_has_no_weight():
    every = {"rare": 2, "usual": 1, "other": 5}
    known = TreeClassifier(class_weight={"rare": 2, "usual": 1}).fit(X, Y)
    assert TreeClassifier(class_weight=every).fit(X, Y).model_ == known.model_
    with pytest.raises(InputError, match="names 'rrae', but the classes are 'rare', 'usual'"):
        TreeClassifier(class_weight={"rrae": 2}).fit(X, Y)


def test_a_class_without_weight_costs_one():
    assert balanced_costs(["a", "b", "c"], [30, 10, 0]) == {"a": 0.666667, "b": 2.0, "c": 1.0}


def test_rules_of_trees_do_not_lose_more_than_a_single_answer_would():
    costs = {"rare": 1000.0, "usual": 0.0001}
    rules = TreeRulesClassifier(class_costs=costs).fit(X, Y)
    lost = sum(costs[label] for label in Y[rules.predict(X) != Y])
    assert lost <= costs["usual"] * (Y == "usual").sum() + 1e-9
