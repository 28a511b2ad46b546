"""Keys of the rows, and columns of many categories, say little about new rows."""

import warnings

import numpy as np
import pandas as pd
import pytest

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
)
from rulewright.data import detect_table, key_columns

LEARNERS = [
    TreeClassifier(),
    TreeClassifier(pruning="bound"),
    TreeClassifier(preset="c4.5"),
    TreeClassifier(preset="id3"),
    TreeRegressor(max_leaf_nodes=4),
    RipperClassifier(),
    SlipperClassifier(n_rounds=3),
    ScorecardClassifier(4),
    TreeRulesClassifier(),
    TreeRulesClassifier(winnow=True),
    RuleListClassifier(max_rules=3),
    RuleVoteClassifier(max_rules=3),
    SetCoveringMachine(max_rules=3),
    DecisionListMachine(family=["thresholds", "categories"], max_rules=3),
]


def passengers(rows=300, seed=0):
    """Sex decides, with noise; tickets and names are nearly unique, cabins often."""
    rng = np.random.default_rng(seed)
    female = rng.random(rows) < 0.4
    X = pd.DataFrame(
        {
            "PassengerId": rng.permutation(rows) + 1,
            "Name": [f"Passenger {i}" for i in range(rows)],
            "Ticket": [f"T{t}" for t in rng.integers(0, 2 * rows, rows)],
            "Cabin": [f"C{t}" for t in rng.integers(0, rows // 4, rows)],
            "Sex": np.where(female, "female", "male"),
        }
    )
    X.loc[rng.random(rows) < 0.3, "Cabin"] = None
    return X, (female ^ (rng.random(rows) < 0.2)).astype(int)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_nothing_is_learnt_about_keys(learner):
    X, y = passengers()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = learner.fit(X, y)
    told = [str(w.message) for w in caught if "is left out" in str(w.message)]
    assert sorted(text.split("'")[1] for text in told) == ["Name", "PassengerId", "Ticket"]
    assert not {"PassengerId", "Name", "Ticket"} & set(fitted.model_.body.columns)
    assert "Sex" in fitted.model_.body.columns
    if getattr(fitted, "certificate_", None) is not None:
        fitted.certificate_.verify(fitted.model_, X, y)
    fitted.predict(X.head())


@pytest.mark.filterwarnings("ignore:Column")
@pytest.mark.parametrize(
    "options", [{"pruning": "bound"}, {"preset": "id3"}, {"max_leaf_nodes": 3}]
)
def test_many_categories_do_not_capture_the_root(options):
    X, y = passengers()
    tree = TreeClassifier(**options).fit(X[["Cabin", "Sex"]], y)
    assert tree.model_.body.nodes[0].columns == ("Sex",)


@pytest.mark.filterwarnings("ignore:Column")
def test_a_date_does_not_capture_the_root_of_a_tree_for_numbers():
    rng = np.random.default_rng(1)
    dose = rng.normal(size=400)
    X = pd.DataFrame({"date": [f"day {d}" for d in rng.integers(0, 150, 400)], "dose": dose})
    tree = TreeRegressor(max_leaf_nodes=4).fit(X, dose + rng.normal(size=400))
    assert tree.model_.body.nodes[0].columns == ("dose",)


def test_a_few_categories_are_chosen_for_what_they_say():
    rng = np.random.default_rng(2)
    colour, x = rng.choice(list("abcdefgh"), 400), rng.normal(size=400)
    y = np.isin(colour, ["b", "c", "g"]) ^ (x > 1.6)
    tree = TreeClassifier(max_leaf_nodes=2).fit(pd.DataFrame({"x": x, "colour": colour}), y)
    assert set(tree.model_.body.nodes[0].tests[0].values) in ({"b", "c", "g"}, set("adefh"))


@pytest.mark.filterwarnings("ignore:Column")
def test_what_is_declared_is_kept():
    X, y = passengers()
    tree = TreeClassifier(categorical_features=["Ticket"]).fit(X[["Ticket", "Cabin"]], y)
    assert "Ticket" in tree.model_.body.columns
    assert tree.model_.kinds["Ticket"] == "text"  # so that files can be predicted
    tree = TreeClassifier(categorical_features=[0]).fit(X[["Ticket", "Cabin"]], y)
    assert "Ticket" in tree.model_.body.columns


def test_what_a_key_is_depends_on_columns_alone():
    X, _ = passengers()
    assert list(key_columns(detect_table(X))) == ["PassengerId", "Name", "Ticket"]
    assert not key_columns(detect_table(X.head(19)))  # too few rows to tell
    assert not key_columns(detect_table(X[["Name", "Ticket"]]))  # there is nothing else
    assert not key_columns(detect_table(X.rename(columns={"PassengerId": "age"})[["age", "Sex"]]))
    twice = X.assign(PassengerId=X["PassengerId"] // 2)
    assert not key_columns(detect_table(twice[["PassengerId", "Sex"]]))


def test_families_of_all_numbers_keep_a_key_that_is_a_number():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"row_id": np.arange(40), "a": rng.normal(size=40), "b": rng.normal(size=40)})
    y = (X["a"] > 0).astype(int)
    with pytest.warns(UserWarning, match="'row_id' is left out"):
        machine = SetCoveringMachine(family=["thresholds", "balls"], max_rules=2).fit(X, y)
    machine.certificate_.verify(machine.model_, X, y)


def test_the_caution_about_categories_comes_once_a_column():
    X, y = passengers()
    X = X[["Cabin"]].assign(Deck=X["Cabin"].shift(7))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TreeClassifier().fit(X, y)
    named = [str(w.message).split("'")[1] for w in caught]
    assert sorted(named) == ["Cabin", "Deck"]
