"""The importance of columns, against scikit-learn's trees and against counting by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.feature_selection import SelectFromModel
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import rulewright
from rulewright import (
    BoundSearch,
    RuleVoteClassifier,
    SetCoveringMachine,
    TreeClassifier,
    TreeRegressor,
    from_sklearn,
    learners,
)
from rulewright.data import Field, NumericColumn, Table, detect_table
from rulewright.models import Model, feature_importances
from rulewright.rules import AllOf, Rule, RuleList, RuleVote, Threshold, WeightedRule

IRIS, CANCER, DIABETES = (
    load(return_X_y=True, as_frame=True) for load in (load_iris, load_breast_cancer, load_diabetes)
)


@pytest.mark.parametrize(("X", "y"), [IRIS, CANCER], ids=["iris", "cancer"])
def test_a_tree_of_scikit_learn_has_the_importances_of_scikit_learn(X, y):
    weight = 1.0 + np.arange(len(X)) % 3
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y, sample_weight=weight)
    model = from_sklearn(tree, X, y, sample_weight=weight)
    found = feature_importances(model, detect_table(X), weight)
    assert found == pytest.approx(tree.feature_importances_)


def test_a_regression_tree_has_the_importances_of_scikit_learn():
    X, y = DIABETES
    ours = TreeRegressor(max_depth=3).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    assert len(ours.model_.values) == theirs.get_n_leaves()
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)


def columns(*names):
    return tuple(Field(name, "numeric") for name in names)


def test_a_list_counts_what_each_rule_separates_from_the_rest():
    first = Rule(Threshold("a", True, 1.0), 1)
    both = Rule(AllOf((Threshold("b", True, 1.0), Threshold("a", False, 0.0))), 0)
    body = RuleList((first, both), default=1)
    evidence = ((0.0, 4.0), (3.0, 0.0), (1.0, 2.0))
    model = Model(columns("c", "a", "b"), ("no", "yes"), body, evidence)

    def gini(no, yes):
        return no + yes - (no**2 + yes**2) / (no + yes)

    one = gini(4, 6) - gini(0, 4) - gini(4, 2)
    two = gini(4, 2) - gini(3, 0) - gini(1, 2)
    expected = np.array([0, one + two / 2, two / 2]) / (one + two)
    assert feature_importances(model, Table([], 10), np.ones(10)) == pytest.approx(expected)


def test_a_vote_counts_the_weights_of_its_rules():
    voters = (
        WeightedRule(Threshold("a", True, 1.0), 1, 2.0),
        WeightedRule(Threshold("b", True, 1.0), 0, -1.0),
        WeightedRule(AllOf(), 0, 5.0),
    )
    model = Model(columns("a", "b"), (0, 1), RuleVote(voters, 0), ((1.0, 1.0),) * 4)
    table = Table(
        [
            NumericColumn("a", np.array([0.0, 2, 2, 2])),
            NumericColumn("b", np.array([2.0, 2, 0, 0])),
        ],
        4,
    )
    rule_a, rule_b = 2 * np.sqrt(3 / 16), 0.5
    expected = [rule_a / (rule_a + rule_b), rule_b / (rule_a + rule_b)]
    assert feature_importances(model, table, np.ones(4)) == pytest.approx(expected)


@pytest.mark.parametrize("name", learners.ESTIMATORS)
def test_importances_sum_to_one_and_are_zero_for_columns_that_no_rule_tests(name):
    X, y = CANCER
    estimator = getattr(rulewright, name)().fit(X[::2], y[::2])
    found = estimator.feature_importances_
    assert found.shape == (30,) and (found >= 0).all()
    assert found.sum() == pytest.approx(1)
    used = {estimator.feature_names_in_[place] for place in np.flatnonzero(found)}
    assert used <= set(estimator.model_.body.columns)


def test_a_model_without_rules_has_no_important_columns():
    X, y = np.zeros((9, 2)), np.arange(9) % 2
    for estimator in (TreeClassifier(), SetCoveringMachine(), RuleVoteClassifier()):
        assert estimator.fit(X, y).feature_importances_.tolist() == [0, 0]
    assert TreeRegressor().fit(X, y).feature_importances_.tolist() == [0, 0]


def test_a_search_has_importances_and_so_has_its_best_estimator():
    search = BoundSearch(SetCoveringMachine(), {"penalty": [1, 2]}).fit(*CANCER)
    assert search.feature_importances_.sum() == pytest.approx(1)
    assert (search.best_estimator_.feature_importances_ == search.feature_importances_).all()


def test_columns_are_selected_by_importance():
    X, y = CANCER
    tree = TreeClassifier(max_leaf_nodes=4)
    selected = SelectFromModel(tree, threshold=1e-9).fit(X, y)
    assert set(selected.get_feature_names_out()) == set(selected.estimator_.model_.body.columns)
