"""The order of rows and named columns changes no model; nor do increasing transformations."""

import dataclasses
import json

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from rulewright import (
    BoundSearch,
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
from rulewright.certificates import from_json
from rulewright.models import to_json

pytestmark = pytest.mark.filterwarnings("ignore")

NUMBERS = ["zeta", "alpha", "mid", "beta"]
"""Names whose order is not the order of the columns."""


def numbers(rows=90, seed=0):
    """Numbers whose sums round differently in another order, with ties and equal rows."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4)) * [1.0, 1e-3, 1e3, 0.7]
    x[:, 3] = np.round(x[:, 3])
    x[rows // 2 :][:8] = x[:8]
    y = np.where(x[:, 0] + 0.001 * x[:, 2] + 0.5 * rng.normal(size=rows) > 0, "yes", "no")
    return pandas.DataFrame(x, columns=NUMBERS), y


def mixed(rows=90, seed=0):
    """The same with categories and missing values."""
    rng = np.random.default_rng(seed)
    frame, y = numbers(rows, seed)
    frame["kind"] = rng.choice(["u", "v", "w"], rows)
    frame["colour"] = rng.choice(["red", "green"], rows)
    frame.loc[rng.random(rows) < 0.1, "mid"] = np.nan
    y = np.where((frame["kind"] == "w") & (rng.random(rows) < 0.7), "yes", y)
    return frame, y


ORDERED = {
    "scm, thresholds": SetCoveringMachine(kind="best", penalty=2),
    "scm, intervals": SetCoveringMachine(family=["intervals", "subsets"]),
    "scm, coarse": SetCoveringMachine(family="coarse", kind="best"),
    "scm, consistent": SetCoveringMachine(family="thresholds", consistent=True),
    "dlm, auto": DecisionListMachine(family="auto"),
    "rule list": RuleListClassifier(),
    "rule vote": RuleVoteClassifier(),
    "ripper": RipperClassifier(),
    "irep": RipperClassifier(algorithm="irep"),
    "slipper": SlipperClassifier(max_rounds=6, n_folds=3),
    "scorecard": ScorecardClassifier(),
    "scorecard of pairs": ScorecardClassifier(6, max_terms=2),
    "bound search": BoundSearch(SetCoveringMachine(), {"penalty": [1, 2]}),
}
"""Learners that see numbers by their order alone."""

MIDDLING = {
    "scm, midpoints": SetCoveringMachine(family="midpoints"),
    "tree rules": TreeRulesClassifier(),
    "tree rules, boosted": TreeRulesClassifier(n_rounds=3),
    "cart": TreeClassifier(),
    "cart, intervals": TreeClassifier(family=["thresholds", "intervals", "subsets"]),
    "cart, cost-complexity": TreeClassifier(pruning="cost-complexity", ccp_alpha=0.01),
    "c4.5": TreeClassifier("c4.5"),
    "c4.5, by bound": TreeClassifier("c4.5", pruning="bound"),
    "id3": TreeClassifier("id3"),
    "cart, reduced-error": TreeClassifier(pruning="reduced-error"),
}
"""Learners whose cuts lie in the middle between two values."""

SPATIAL = {
    "scm, balls": SetCoveringMachine(family="balls", kind="best"),
    "scm, l1 balls": SetCoveringMachine(family="balls", metric="l1", scale="standard"),
    "scm, few balls": SetCoveringMachine(family="balls", max_candidates=20),
    "scm, consistent balls": SetCoveringMachine(family="balls", consistent=True),
    "scm, half-spaces": SetCoveringMachine(family="half_spaces"),
    "scm, few half-spaces": SetCoveringMachine(
        family="half_spaces", kernel="rbf", gamma=0.1, scale="rank", max_candidates=50
    ),
    "scm, half-planes": SetCoveringMachine(family="half_planes", max_candidates=40),
    "dlm, balls": DecisionListMachine("balls", types="complex"),
    "dlm, scaled balls": DecisionListMachine("balls", scale="standard"),
    "dlm, half-spaces": DecisionListMachine(family="half_spaces", kernel="polynomial", degree=2),
    "tree, balls": TreeClassifier(family=["thresholds", "balls"], max_candidates=10),
    "tree, half-spaces": TreeClassifier(family=["half_spaces"], max_candidates=30),
    "held out": BoundSearch(SetCoveringMachine(family="balls"), {"penalty": [1, 2]}, by="holdout"),
    "held out, scaled": BoundSearch(
        SetCoveringMachine(family="balls", scale="standard"), {"penalty": [1, 2]}, by="holdout"
    ),
    "crossed": BoundSearch(SetCoveringMachine(family="balls"), {"penalty": [1, 2]}, by="cv", cv=3),
}
"""Learners that compare rows by all numbers together."""

ON_MIXED = {**ORDERED, **MIDDLING}
CLASSIFIERS = {**ON_MIXED, **SPATIAL}
NEW = {True: mixed(60, 1)[0], False: numbers(60, 1)[0]}


def data_for(name):
    return mixed() if name in ON_MIXED else numbers()


def fitted(learner, X, y, weight=None):
    return clone(learner).fit(X, y, sample_weight=weight)


def anchored_values(model, X, y):
    """What the rows hold that a model is anchored on."""
    rows = list(model.body.anchors)
    cells = X[sorted(X.columns)].iloc[rows].assign(label=y[rows]).to_numpy().tolist()
    return sorted(map(repr, cells))


def without_rows(certificate):
    """A certificate less the numbers of rows, and what is said about the order of the table."""
    said = certificate.to_json()
    for name in ("roles", "held", "cautions"):
        said.pop(name, None)
    return said


def assert_same(one, X, y, other, Z, z, new):
    assert one.model_.body == other.model_.body
    assert anchored_values(one.model_, X, y) == anchored_values(other.model_, Z, z)
    assert one.model_.evidence == other.model_.evidence
    assert without_rows(one.certificate_) == without_rows(other.certificate_)
    assert one.predict_proba(new).tolist() == other.predict_proba(new[Z.columns]).tolist()


def shuffled(X, y, seed=7):
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    return X.iloc[rows, columns].reset_index(drop=True), y[rows], rows


@pytest.mark.cross_section(19)
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_the_order_of_rows_and_columns_changes_nothing(name, weighted):
    X, y = data_for(name)
    weight = np.random.default_rng(3).choice([0.3, 1.0, 0.1, 2.0], len(X)) if weighted else None
    Z, z, rows = shuffled(X, y)
    one = fitted(CLASSIFIERS[name], X, y, weight)
    other = fitted(CLASSIFIERS[name], Z, z, None if weight is None else weight[rows])
    assert_same(one, X, y, other, Z, z, NEW[name in ON_MIXED])
    assert [c.name for c in other.model_.columns] == list(Z.columns)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_certificate_holds_on_its_table_with_columns_in_any_order(name):
    X, y = data_for(name)
    weight = np.random.default_rng(3).choice([0.0, 1.0, 2.0], len(X))
    machine = fitted(CLASSIFIERS[name], X, y, weight)
    model = from_json(json.loads(json.dumps(to_json(machine.model_))))
    model.certificate.verify(model, X[sorted(X.columns)], y, weight)
    if name.startswith("held out"):
        learnt = weight.copy()
        learnt[list(machine.certificate_.held)] = 0
        tail = dataclasses.replace(model, certificate=machine.tail_certificate_)
        machine.tail_certificate_.verify(tail, X, y, learnt)


def increasing(X):
    """Transform numbers, each column by another function, without merging any two."""
    functions = [np.exp, np.sinh, lambda x: x**3, lambda x: 5 * x - 2]
    other = X.copy()
    for function, name in zip(functions, NUMBERS, strict=True):
        other[name] = function(X[name] / abs(X[name]).max())
        assert other[name].nunique() == X[name].nunique()
    return other


@pytest.mark.parametrize("name", ORDERED)
def test_an_increasing_transformation_changes_no_answer(name):
    X, y = mixed(150)
    later = X[100:]
    one = fitted(ORDERED[name], X[:100], y[:100])
    Z = increasing(X)
    other = fitted(ORDERED[name], Z[:100], y[:100])
    assert other.certificate_.bound == one.certificate_.bound
    assert other.model_.body.anchors == one.model_.body.anchors
    assert other.predict(Z[100:]).tolist() == one.predict(later).tolist()


@pytest.mark.parametrize("name", MIDDLING)
def test_where_cuts_lie_in_the_middle_the_answers_on_the_training_rows_stay(name):
    X, y = mixed()
    Z = increasing(X)
    one, other = fitted(MIDDLING[name], X, y), fitted(MIDDLING[name], Z, y)
    assert other.predict(Z).tolist() == one.predict(X).tolist()


@pytest.mark.parametrize(
    "regressor",
    [
        TreeRegressor(),
        TreeRegressor(criterion="absolute_error", max_leaf_nodes=12),
        TreeRegressor(family=["thresholds", "balls"], max_candidates=10, max_leaf_nodes=9),
        TreeRegressor(monotonic_cst={"alpha": 1, "beta": -1}, max_leaf_nodes=9),
    ],
    ids=["variance", "absolute", "balls", "monotone"],
)
def test_a_regression_tree_depends_on_no_order(regressor):
    X, _ = numbers()
    y = X["zeta"].to_numpy() / 3 + np.random.default_rng(5).normal(size=len(X))
    weight = np.random.default_rng(3).choice([0.0, 0.3, 1.0, 0.1], len(X))
    Z, z, rows = shuffled(X, y)
    one, other = fitted(regressor, X, y, weight), fitted(regressor, Z, z, weight[rows])
    assert one.model_.body == other.model_.body
    assert one.model_.values == other.model_.values
    assert one.model_.evidence == other.model_.evidence
    assert anchored_values(one.model_, X, y) == anchored_values(other.model_, Z, z)
    assert one.predict(X).tolist() == other.predict(X[Z.columns]).tolist()
    assert [c.name for c in other.model_.columns] == list(Z.columns)


def test_directions_by_position_follow_the_columns_of_the_table():
    X, y = numbers()
    by_name = TreeClassifier(monotonic_cst={"zeta": 1, "mid": -1}).fit(X, y)
    assert TreeClassifier(monotonic_cst=[1, 0, -1, 0]).fit(X, y).model_.body == by_name.model_.body


def test_columns_of_an_array_keep_their_positions():
    X, y = numbers()
    machine = SetCoveringMachine(family="balls").fit(X.to_numpy()[:, [0, 1] * 6 + [2, 3]][:, 2:], y)
    assert machine.model_.body.parts[0].on == tuple(f"x{number}" for number in range(12))


def test_precomputed_distances_keep_the_order_of_the_table():
    X, y = numbers(40)
    distances = np.abs(X.to_numpy()[:, None] - X.to_numpy()[None]).sum(axis=2)
    machine = DecisionListMachine(family="balls", metric="precomputed").fit(distances, y)
    assert not machine.certificate_.canonical
    machine.certificate_.verify(machine.model_, distances, y)


def test_a_splitter_gets_the_rows_in_the_order_of_the_table():
    X, y = numbers()
    outright = list(KFold(3).split(X))
    grid = {"penalty": [0.5, 1, 2]}
    one, other = (
        BoundSearch(SetCoveringMachine(), grid, by="cv", cv=cv).fit(X, y)
        for cv in (KFold(3), outright)
    )
    assert one.cv_results_["cv_loss"].tolist() == other.cv_results_["cv_loss"].tolist()


def test_cautions_look_at_the_order_of_the_table():
    X, y = numbers()
    by_class = np.argsort(y, kind="stable")
    machine = SetCoveringMachine().fit(X.iloc[by_class], y[by_class])
    assert "sorted by class" in machine.certificate_.cautions[0]
    assert not SetCoveringMachine().fit(X, y).certificate_.cautions


@pytest.mark.parametrize("name", SPATIAL)
def test_a_file_that_was_made_in_the_order_of_the_table_is_checked_in_it(name, monkeypatch):
    for module in ("learners.base.learning", "selection.bound_search"):
        monkeypatch.setattr(f"rulewright.{module}.in_search_order", lambda sample, families: sample)
    X, y = numbers()
    weight = np.random.default_rng(3).choice([0.0, 1.0, 2.0], len(X))
    data = json.loads(json.dumps(to_json(fitted(SPATIAL[name], X, y, weight).model_)))
    del data["certificate"]["canonical"]
    model = from_json(data)
    assert not model.certificate.canonical
    model.certificate.verify(model, X[sorted(X.columns)], y, weight)
