"""Sample weights are relative: their scale changes no model."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier
from strategies.effort import DOUBLE

from rulewright import (
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    ScorecardClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRegressor,
    TreeRulesClassifier,
    from_sklearn,
)
from rulewright.models import normalised_weight

LEARNERS = {
    "cart": TreeClassifier(),
    "c4.5": TreeClassifier(preset="c4.5"),
    "id3": TreeClassifier(preset="id3", max_leaf_nodes=6),
    "bound": TreeClassifier(pruning="bound"),
    "reduced error": TreeClassifier(pruning="reduced-error"),
    "regressor": TreeRegressor(max_leaf_nodes=5),
    "regressor by absolute error": TreeRegressor(criterion="absolute_error", max_leaf_nodes=5),
    "ripper": RipperClassifier(),
    "slipper": SlipperClassifier(n_rounds=4),
    "scorecard": ScorecardClassifier(),
    "tree rules": TreeRulesClassifier(),
    "boosted tree rules": TreeRulesClassifier(n_rounds=3),
    "winnowed tree rules": TreeRulesClassifier(winnow=True),
    "rule list": RuleListClassifier(max_rules=3),
    "rule vote": RuleVoteClassifier(max_rules=3),
    "scm": SetCoveringMachine(max_rules=3, penalty=1.1),
    "dlm": DecisionListMachine(family=["thresholds", "categories"], max_rules=3),
}
SCALES = {"sum 1": None, "tiny": 1e-6, "thousandfold": 1000.0, "odd": 3.7}


def patients(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, rows).astype(float),
            "dose": rng.normal(size=rows).round(1),
            "ward": rng.choice(["north", "south", "east"], rows),
        }
    )
    X.loc[::9, "dose"] = np.nan
    ill = ((X["age"] > 50) & (X["ward"] != "east")) ^ (rng.random(rows) < 0.1)
    return X, ill.to_numpy().astype(int)


def weights(kind, rows):
    rng = np.random.default_rng(7)
    if kind == "whole":
        return rng.permutation([1, 2, 3, 5] * (rows // 4)).astype(float)
    return rng.uniform(0.1, 4.0, rows)


def scaled(weight, scale):
    return weight / weight.sum() if scale is None else weight * scale


@pytest.mark.cross_section(12)
@pytest.mark.parametrize("kind", ["whole", "fractions"])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_scale_of_weights_changes_no_model(name, kind):
    X, y = patients()
    weight = weights(kind, len(y))
    one = LEARNERS[name].fit(X, y, sample_weight=weight).model_
    assert len(one.body.outputs) > 1
    for scale in SCALES.values():
        other = LEARNERS[name].fit(X, y, sample_weight=scaled(weight, scale)).model_
        assert other.body == one.body
        assert other.evidence == one.evidence


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=12),
    st.floats(1e-200, 1e200, allow_subnormal=False),
)
@DOUBLE
def test_multiples_of_a_unit_become_whole_numbers_without_a_common_factor(multiples, unit):
    multiples = np.array([1, *multiples], float)
    assert normalised_weight(multiples * unit).tolist() == multiples.tolist()
    assert normalised_weight(multiples / multiples.sum()).tolist() == multiples.tolist()
    assert normalised_weight(6 * multiples).tolist() == multiples.tolist()


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=20), st.sampled_from([1e-6, 3.7, 1e9]))
@DOUBLE
def test_any_proportions_have_one_scale(weight, scale):
    weight = np.array(weight)
    one, other = normalised_weight(weight), normalised_weight(weight * scale)
    np.testing.assert_allclose(one, other, rtol=0, atol=2.0**-20)
    assert (one > 0).all()
    whole = (one == np.rint(one)).all()
    assert whole or one.mean() == pytest.approx(1.0, abs=1e-5)


def test_weights_without_a_small_unit_have_mean_one():
    assert normalised_weight(np.array([139.0, 164.0])).tolist() == pytest.approx(
        [139 / 151.5, 164 / 151.5], abs=1e-6
    )
    assert normalised_weight(np.array([1.0, 20_000.0])).sum() == pytest.approx(2, abs=1e-5)
    assert normalised_weight(np.array([1e-30, 1.0])).min() > 0


def test_boosting_by_scikit_learn_works():
    X, y = patients(200)
    X = X[["age", "dose"]].fillna(0.0).assign(east=X["ward"] == "east").astype(float)
    alone = TreeClassifier(max_leaf_nodes=4).fit(X, y).score(X, y)
    boosted = AdaBoostClassifier(TreeClassifier(max_leaf_nodes=4), n_estimators=20).fit(X, y)
    assert boosted.score(X, y) > alone
    assert len(boosted.estimators_) > 1


@pytest.mark.parametrize("name", ["cart", "c4.5", "ripper", "slipper", "rule list", "rule vote"])
def test_the_scale_of_class_costs_changes_no_model(name):
    X, y = patients()
    one, other = (
        LEARNERS[name].set_params(class_costs=costs).fit(X, y).model_.body
        for costs in ({0: 1, 1: 3}, {0: 0.001, 1: 0.003})
    )
    LEARNERS[name].set_params(class_costs=None)
    assert one == other


def test_the_scale_of_the_costs_of_tree_rules_changes_no_model():
    X, y = patients()
    one = TreeRulesClassifier(class_costs={(0, 1): 1, (1, 0): 3}).fit(X, y).model_.body
    other = TreeRulesClassifier(class_costs={(0, 1): 0.001, (1, 0): 0.003}).fit(X, y).model_.body
    assert one == other


def test_a_converted_tree_has_evidence_on_the_same_scale():
    X, y = patients()
    X, weight = X[["age"]], weights("whole", len(y))
    models = [
        from_sklearn(
            DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X, y, sample_weight=w),
            X,
            y,
            sample_weight=w,
        )
        for w in (weight, weight / weight.sum())
    ]
    np.testing.assert_allclose(models[0].evidence, models[1].evidence, rtol=1e-9)
    assert sum(map(sum, models[1].evidence)) == pytest.approx(weight.sum())
