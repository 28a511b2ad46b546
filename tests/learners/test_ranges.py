"""Trees that split a numeric column into several ranges at once."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles.evaluation import first_true
from strategies.numbers import TIED_OR_MISSING

from rulewright import TreeClassifier, TreeRegressor
from rulewright.certificates import from_json
from rulewright.data import NumericColumn, Table, detect_table
from rulewright.errors import InputError
from rulewright.learners.tree.tree_columns import MAX_RANGES, RangeColumn
from rulewright.models import to_json
from rulewright.render.branch_tests import branch_tests
from rulewright.rules import Interval, Split, Threshold


def banded(rows=240, missing=0.0):
    """The class depends on four ranges of a column; another column is noise."""
    random = np.random.default_rng(5)
    X = pd.DataFrame(random.normal(size=(rows, 2)).round(2), columns=["dose", "noise"])
    X["ward"] = random.choice(["north", "south", "west"], rows)
    bands = np.searchsorted([-1.0, 0.3, 1.0], X["dose"])
    y = np.array(["ill", "well", "ill", "dead"])[bands]
    X.loc[random.random(rows) < missing, "dose"] = np.nan
    return X, y


def splits_of(model):
    return [node for node in model.body.nodes if isinstance(node, Split)]


CASES = {
    "ranges": {"family": "ranges"},
    "c4.5": {"family": ["ranges", "multiway"], "preset": "c4.5"},
    "with cuts": {"family": ["thresholds", "ranges", "subsets"]},
    "entropy by bound": {"family": "ranges", "criterion": "entropy", "pruning": "bound"},
    "rounded": {"family": "ranges", "round_cuts": True},
    "deciles": {"family": "ranges", "cuts": "deciles"},
    "reduced error": {"family": "ranges", "pruning": "reduced-error"},
    "split": {"family": "ranges", "certificate": "split", "n_splits": 2},
    "own criterion": {"family": "ranges", "criterion": "precision", "max_leaf_nodes": 6},
}


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("name", CASES)
def test_a_column_is_split_into_ranges_and_the_certificate_holds(name, missing):
    X, y = banded(missing=missing)
    tree = TreeClassifier(**CASES[name]).fit(X, y)
    root = tree.model_.body.nodes[0]
    assert root.columns == ("dose",)
    assert len(root.tests) > 1 or name in ("own criterion", "with cuts")
    assert all(isinstance(test, Threshold) for test in root.tests)
    assert tree.score(X, y) > 0.7
    tree.certificate_.verify(tree.model_, X, y)
    restored = from_json(json.loads(json.dumps(to_json(tree.model_))))
    assert restored.body == tree.model_.body
    restored.certificate.verify(restored, X, y)
    as_list = tree.model_.as_rule_list() if name != "c4.5" else tree.model_
    assert (as_list.predict(X) == tree.predict(X)).all()


def test_ranges_are_printed_with_both_ends():
    X, y = banded()
    assert str(TreeClassifier(family="ranges").fit(X, y).model_) == PRINTED


PRINTED = """\
if dose <= -1.06: ill
if -1.06 < dose <= -0.86: well
if dose > 0.97: dead
if 0.43 < dose <= 0.97: ill
if 0.25 < dose <= 0.43: ill
else: well"""


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([-1.0, 0.0, 0.5, 2.0])), min_size=2))
def test_the_tests_that_are_shown_hold_on_the_rows_that_come_to_them(cuts):
    tests = tuple(Threshold("a", above, cut, cut_above=above) for above, cut in cuts)
    split = Split(tests, tuple(range(1, len(cuts) + 2)))
    values = np.array([-2.0, -1.0, -0.5, 0.0, 0.2, 0.5, 1.0, 2.0, 3.0, np.nan])
    table = Table([NumericColumn("a", values)], values.size)
    branch = first_true([test.holds(table) for test in tests], table.rows)
    for place, shown in enumerate(branch_tests(split)):
        reaching = branch >= place
        assert (shown.holds(table)[reaching] == (branch == place)[reaching]).all()


def test_the_tests_of_ranges_in_order_hold_nowhere_else():
    cuts = [(False, -1.0), (False, 0.0), (True, 2.0), (True, 0.5)]
    tests = tuple(Threshold("a", above, cut) for above, cut in cuts)
    shown = branch_tests(Split(tests, (1, 2, 3, 4, 5)))
    assert shown[1] == Interval("a", -1.0, 0.0, low_open=True)
    assert shown[3] == Interval("a", 0.5, 2.0, low_open=True)
    missing = (Threshold("a", False, 1.0, if_missing=True), Threshold("a", False, 2.0))
    assert branch_tests(Split(missing, (1, 2, 3))) == missing


@given(hnp.arrays(np.float64, st.integers(1, 60), elements=TIED_OR_MISSING | st.floats(-9, 9)))
def test_ranges_end_at_values_and_keep_their_order(values):
    column = RangeColumn.of("a", values)
    present = ~np.isnan(values)
    assert (column.codes[~present] == -1).all()
    assert column.ends.size <= MAX_RANGES and set(column.ends) <= set(values[present] + 0.0)
    if not present.any():
        return
    assert column.ends[-1] == values[present].max()
    for code, value in zip(column.codes[present], values[present], strict=True):
        below = -np.inf if code == 0 else column.ends[code - 1]
        assert below < value <= column.ends[code]
    counts = np.bincount(column.codes[present])
    distinct = np.unique(values[present]).size
    assert (counts > 0).all()
    assert counts.size == distinct or distinct > MAX_RANGES


def test_the_order_of_rows_and_columns_does_not_matter():
    X, y = banded(missing=0.1)
    order = np.random.default_rng(0).permutation(len(X))
    one = TreeClassifier(family=["ranges", "multiway"]).fit(X, y)
    other = TreeClassifier(family=["ranges", "multiway"]).fit(X.iloc[order, ::-1], y[order])
    assert str(one.model_) == str(other.model_)


def test_weights_count():
    X, y = banded(rows=120)
    weight = np.where(y == "dead", 4, 1)
    tree = TreeClassifier(family="ranges").fit(X, y, sample_weight=weight)
    tree.certificate_.verify(tree.model_, X, y, sample_weight=weight)
    assert (tree.predict(X)[y == "dead"] == "dead").all()


def test_branches_have_enough_rows():
    X, y = banded(missing=0.1)
    tree = TreeClassifier(family="ranges", min_samples_leaf=25, pruning="none").fit(X, y)
    leaf = tree.model_.body.answer(detect_table(X))
    assert np.bincount(leaf).min() >= 25


def test_columns_with_a_direction_have_no_ranges():
    X, y = banded()
    y = np.where(X["dose"] + 0.3 * X["noise"] > 0.2, "ill", "well")
    settings = {"monotonic_cst": {"dose": -1}, "max_leaf_nodes": 6}
    tree = TreeClassifier(family=["thresholds", "ranges"], **settings).fit(X, y)
    ranged = {c for s in splits_of(tree.model_) if len(s.tests) > 1 for c in s.columns}
    assert "dose" not in ranged
    with pytest.raises(InputError, match="no columns for family"):
        TreeClassifier(family="ranges", monotonic_cst={"dose": 1}).fit(X[["dose"]], y)


def test_constraints_on_columns_are_kept():
    X, y = banded()
    for settings in ({"forbid": ["dose"]}, {"keep": ["noise"]}):
        tree = TreeClassifier(family="ranges", pruning="none", **settings).fit(X, y)
        assert set(tree.model_.body.columns) == {"noise"}
    one = TreeClassifier(family=["thresholds", "ranges"], max_columns=1, pruning="none").fit(X, y)
    assert len(set(one.model_.body.columns)) == 1


def test_a_maximum_number_of_leaves_limits_the_ranges():
    X, _ = banded()
    for leaves in (2, 3, 5):
        tree = TreeRegressor(family="ranges", max_leaf_nodes=leaves).fit(X, X["dose"] ** 2)
        assert 2 <= len(tree.model_.values) <= leaves


def test_what_has_no_ranges_refuses_them():
    X, y = banded()
    with pytest.raises(InputError, match="search='optimal' has the families"):
        TreeClassifier(family="ranges", search="optimal").fit(X, y)
    with pytest.raises(InputError, match="ranges, intervals, multiway and categories need"):
        TreeRegressor(family="ranges", criterion="absolute_error").fit(X, X["dose"])
