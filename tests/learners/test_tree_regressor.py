"""Regression trees: scikit-learn's, missing values and categories, monotone answers, files."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.ensemble import BaggingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeRegressor

from rulewright import TreeRegressor, load_model
from rulewright.errors import InputError
from rulewright.learners import TimeBudgetWarning

DIABETES = load_diabetes()
X, Y = DIABETES.data.astype(np.float32), DIABETES.target
NAMES = {"variance": "squared_error", "absolute_error": "absolute_error"}


def mixed(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": np.round(rng.normal(size=rows), 1), "c": rng.choice(["x", "y", "z"], rows)}
    )
    y = frame["a"] + 3.0 * (frame["c"] == "y") + 0.1 * rng.normal(size=rows)
    frame.loc[rng.random(rows) < 0.1, "a"] = np.nan
    frame["c"] = frame["c"].where(rng.random(rows) >= 0.1, None)
    return frame, y.to_numpy()


def loss(criterion, apart):
    return (apart**2).sum() if criterion == "variance" else np.abs(apart).sum()


@pytest.mark.parametrize("criterion", NAMES)
def test_the_loss_equals_scikit_learns_at_every_size(criterion):
    for size in (2, 3, 4, 6, 9, 14, 22, 35):
        ours = TreeRegressor(criterion=criterion, max_leaf_nodes=size).fit(X, Y)
        theirs = DecisionTreeRegressor(
            criterion=NAMES[criterion], max_leaf_nodes=size, random_state=0
        ).fit(X, Y)
        found, wanted = (loss(criterion, Y - tree.predict(X)) for tree in (ours, theirs))
        assert found == pytest.approx(wanted, rel=1e-9)


def test_grown_to_the_end_it_answers_every_training_row_exactly():
    assert (TreeRegressor().fit(X, Y).predict(X) == Y).all()


def test_the_alphas_of_cost_complexity_are_scikit_learns():
    ours = TreeRegressor(max_leaf_nodes=15).cost_complexity_pruning_path(X, Y)
    theirs = DecisionTreeRegressor(max_leaf_nodes=15, random_state=0)
    theirs = theirs.cost_complexity_pruning_path(X, Y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, rtol=1e-9)
    np.testing.assert_allclose(ours.impurities, theirs.impurities, rtol=1e-9)
    alpha = float(theirs.ccp_alphas[-3:-1].mean())
    pruned = TreeRegressor(max_leaf_nodes=15, ccp_alpha=alpha).fit(X, Y)
    known = DecisionTreeRegressor(max_leaf_nodes=15, random_state=0, ccp_alpha=alpha).fit(X, Y)
    assert len(pruned.model_.values) == known.get_n_leaves()


@pytest.mark.parametrize("criterion", NAMES)
def test_mixed_data_and_missing_values_need_no_encoding(criterion, tmp_path):
    frame, y = mixed()
    tree = TreeRegressor(criterion=criterion, min_samples_leaf=3).fit(frame, y)
    assert tree.score(frame, y) > 0.8
    answers = tree.predict(pd.DataFrame({"a": [0.0, np.nan], "c": ["never seen", None]}))
    assert np.isin(answers, tree.model_.values).all()
    tree.save_model(tmp_path / "tree.json")
    assert (load_model(tmp_path / "tree.json").predict(frame) == tree.predict(frame)).all()
    assert tree.explain(frame.head(2))["why"].str.len().min() > 0


def test_by_absolute_error_a_leaf_answers_with_the_median():
    tree = TreeRegressor(criterion="absolute_error", max_leaf_nodes=2)
    tree.fit([[0.0], [0.0], [0.0], [1.0], [1.0]], [1.0, 2.0, 90.0, 500.0, 501.0])
    assert tree.predict([[0.0], [1.0]]).tolist() == [2.0, 500.0]


@given(st.integers(0, 10_000), st.sampled_from(sorted(NAMES)))
@settings(max_examples=15, deadline=None)
def test_whole_weights_equal_repeated_rows(seed, criterion):
    frame, y = mixed(30, seed)
    y = np.round(4 * y) / 4  # so that sums are exact, and ties are the same
    weight = np.random.default_rng(seed).integers(0, 3, len(y))
    if not weight.any():
        return
    repeated = np.repeat(np.arange(len(y)), weight)
    one = TreeRegressor(criterion=criterion).fit(frame, y, sample_weight=weight)
    other = TreeRegressor(criterion=criterion).fit(frame.iloc[repeated], y[repeated])
    np.testing.assert_allclose(one.predict(frame), other.predict(frame), rtol=1e-9, atol=1e-12)


def test_monotone_answers_rise_with_the_column():
    rng = np.random.default_rng(0)
    points = np.round(rng.normal(size=(300, 2)), 1)
    y = points[:, 0] + rng.normal(size=300)
    tree = TreeRegressor(monotonic_cst=[1, 0]).fit(points, y)
    for row in points[:30]:
        line = np.repeat(row[None], 60, axis=0)
        line[:, 0] = np.linspace(-4, 4, 60)
        assert (np.diff(tree.predict(line)) >= -1e-12).all()


@pytest.mark.parametrize(
    "splits", ["intervals", ["balls"], ["half_spaces"], ["half_planes", "thresholds"]]
)
def test_other_splits_grow_regression_trees_too(splits):
    tree = TreeRegressor(family=splits, max_leaf_nodes=4, max_candidates=60)
    with pytest.warns(UserWarning, match="not tried") if splits != "intervals" else _quiet():
        tree.fit(X[:150], Y[:150])
    assert tree.score(X[:150], Y[:150]) > 0.2


class _quiet:  # noqa: N801
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


@pytest.mark.slow
def test_trees_work_inside_bagging():
    bag = BaggingRegressor(TreeRegressor(), n_estimators=10, random_state=0)
    assert cross_val_score(bag, X, Y, cv=3).mean() > 0.25


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({"criterion": "gini"}, Y, "criterion must be one of 'variance'"),
        ({"time_budget": -1}, Y, "time_budget must be a number of seconds above 0"),
        ({"pruning": "bound"}, Y, "pruning must be one of 'auto', 'none', 'cost-complexity'"),
        ({"criterion": "absolute_error", "family": "intervals"}, Y, "By absolute error"),
        ({}, np.where(np.arange(Y.size) == 7, np.nan, Y), "NaN or infinity, the first in row 7"),
        ({}, np.array(["a"] * Y.size), "For classes use TreeClassifier"),
        ({}, Y[:-1], "inconsistent numbers of samples"),
    ],
)
def test_what_is_wrong_is_said(options, y, message):
    with pytest.raises(InputError, match=message):
        TreeRegressor(**options).fit(X, y)


def test_an_estimator_draws_its_tree_with_the_branches_of_missing_values():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, np.nan, 5.0], "b": np.arange(6.0)})
    tree = TreeRegressor(family="thresholds", max_leaf_nodes=2)
    with pytest.raises(NotFittedError):
        tree.plot()
    y = [0.0, 0.0, 8.0, 8.0, 8.0, 8.0]
    texts = [text.get_text() for text in tree.fit(X[["a"]], y).plot().texts]
    assert "a <= 2" in texts and "or missing" in texts and "4 rows, spread 0" in texts
    texts = [text.get_text() for text in tree.plot(missing=()).texts]
    assert "or missing" not in texts
    texts = [text.get_text() for text in tree.fit(X[["b"]], y).plot(max_depth=0).texts]
    assert "… 2 leaves below" in texts and "or missing" not in texts
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("criterion", NAMES)
def test_time_that_is_up_leaves_a_tree_and_a_warning(criterion):
    tree = TreeRegressor(criterion=criterion, time_budget=1e-6)
    with pytest.warns(TimeBudgetWarning, match="1e-06 seconds was over .*: the tree has 1 leaf"):
        tree.fit(X, Y)
    assert np.unique(tree.predict(X)).size == 1
    with pytest.warns(TimeBudgetWarning, match="the tree has 1 leaf"):
        tree.cost_complexity_pruning_path(X, Y)


@pytest.mark.parametrize("criterion", NAMES)
def test_time_that_is_not_up_changes_nothing(criterion):
    tree = TreeRegressor(criterion=criterion)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TimeBudgetWarning)
        free = tree.fit(X, Y).model_
        limited = tree.set_params(time_budget=600).fit(X, Y).model_
    assert free == limited
