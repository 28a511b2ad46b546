"""Trees of scikit-learn as models: the same answer on every row, and a certificate."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import rulewright
from rulewright import DecisionListMachine, SetCoveringMachine, from_sklearn, load_model, save_model
from rulewright.errors import CertificateError, InputError
from rulewright.families import Midpoints, MissingValues
from rulewright.rules import Leaf, Missing, Split, Threshold, Tree, literals_of

SETS = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer, "digits": load_digits}
FEWER = settings(max_examples=max(settings.default.max_examples // 2, 1))


def hard_rows(tree, X, seed=0):
    """Rows on both sides of every cut, by a hair of either precision, and with missing values."""
    rng = np.random.default_rng(seed)
    rows = [X, X * rng.normal(1.0, 0.2, size=X.shape)]
    grown = tree.tree_
    splits = np.flatnonzero((grown.children_left >= 0) & np.isfinite(grown.threshold))
    for precision in (np.float32, np.float64):
        for end in (-np.inf, 0, np.inf):
            near = X[rng.integers(len(X), size=splits.size)].copy()
            cuts = grown.threshold[splits].astype(precision)
            cuts = cuts if end == 0 else np.nextafter(cuts, precision(end))
            near[np.arange(splits.size), grown.feature[splits]] = cuts
            rows.append(near)
    gaps = X[rng.integers(len(X), size=len(X))].copy()
    gaps[rng.random(gaps.shape) < 0.3] = np.nan
    return np.concatenate([*rows, gaps, np.full((1, X.shape[1]), np.nan)])


def assert_same(model, tree, rows):
    assert model.predict(rows).tolist() == tree.predict(rows).tolist()


def cut_rows(model, X):
    """Rows at the model's own cuts and at the doubles next to them."""
    for part in literals_of(model.body):
        if isinstance(part, Threshold):
            place = [column.name for column in model.columns].index(part.column)
            for cut in (part.cut, *np.nextafter(part.cut, [-np.inf, np.inf])):
                row = X[:1].copy()
                row[0, place] = cut
                yield row


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": 1},
        {"max_depth": 4},
        {"max_leaf_nodes": 7},
        {},
        {"criterion": "entropy", "min_samples_leaf": 5},
        {"ccp_alpha": 0.01},
        {"class_weight": "balanced", "max_depth": 3},
    ],
    ids=str,
)
def test_a_tree_answers_alike_on_every_row_and_its_certificate_holds(name, options):
    X, y = SETS[name](return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0, **options).fit(X, y)
    model = from_sklearn(tree, X, y)
    assert isinstance(model.body, Tree)
    assert len(model.rules) == tree.get_n_leaves()
    assert_same(model, tree, hard_rows(tree, X))
    assert_same(model, tree, np.concatenate([X[:1], *cut_rows(model, X)]))
    model.certificate.verify(model, X, y)
    assert model.certificate.families == (Midpoints(),)
    assert model.certificate.combinations == ()
    assert 0 < model.certificate.bound < 1
    wrong = model.predict(X) != y
    wrong[list(model.certificate.examples)] = False
    assert model.certificate.errors == wrong.sum()
    assert len(str(model).splitlines()) >= tree.tree_.node_count // 2


UGLY = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-7, 0.1, np.float64(np.float32(0.1)), 16777217.0]),
    st.floats(-2, 2),
    st.floats(-1e36, 1e36),
)


@FEWER
@given(st.data(), st.sampled_from([UGLY, st.one_of(UGLY, st.just(np.nan))]))
def test_small_ugly_data_is_answered_alike_to_the_last_bit(data, values):
    """Values that single precision rounds, ties, duplicates, missing values, one class."""
    rows, width = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 3))
    X = data.draw(hnp.arrays(np.float64, (rows, width), elements=values))
    y = data.draw(hnp.arrays(np.int64, rows, elements=st.integers(0, 2)))
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    model = from_sklearn(tree, X, y)
    assert_same(model, tree, hard_rows(tree, X))
    for row in cut_rows(model, X):
        assert_same(model, tree, row)
    model.certificate.verify(model, X, y)
    assert (model.as_rule_list().predict(X) == model.predict(X)).all()


@pytest.fixture
def gaps():
    """Cancer data with missing values, some of which tell the class."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6].copy()
    rng = np.random.default_rng(3)
    X[rng.random(X.shape) < 0.15] = np.nan
    X[:, 4] = np.where(rng.random(len(X)) < 0.02 + 0.95 * y, np.nan, rng.random(len(X)))
    return X, y


counts_missing_values = pytest.mark.skipif(
    sklearn.__version__.startswith(("1.6.", "1.7.")),
    reason="trees of this scikit-learn count rows with missing values on the wrong side",
)


@counts_missing_values
def test_missing_values_go_where_the_tree_sends_them(gaps):
    X, y = gaps
    for options in ({}, {"max_depth": 3}, {"criterion": "entropy", "max_leaf_nodes": 12}):
        tree = DecisionTreeClassifier(random_state=0, **options).fit(X, y)
        model = from_sklearn(tree, X, y)
        assert_same(model, tree, hard_rows(tree, X))
        model.certificate.verify(model, X, y)


@counts_missing_values
def test_a_test_of_missing_values_is_told_in_a_language_that_has_it(gaps):
    X, y = gaps
    stump = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    assert np.isinf(stump.tree_.threshold[0])
    model = from_sklearn(stump, X, y)
    assert model.body == Tree((Split((Missing("x4", False),), (1, 2)), Leaf(0), Leaf(1)))
    assert model.certificate.families == (Midpoints(), MissingValues())
    assert model.certificate.examples == ()
    assert_same(model, stump, hard_rows(stump, X))


def test_both_languages_are_paid_for():
    X, y = load_iris(return_X_y=True)
    model = from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y), X, y)
    assert model.certificate.settings == 2
    assert dict(model.certificate.message)["which of the settings tried"] == pytest.approx(
        np.log(2)
    )


def test_missing_values_that_training_did_not_have_go_to_the_larger_part():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    for y, larger in (([0, 1, 1, 1], 1), ([0, 0, 0, 1], 0), ([0, 0, 1, 1], 1)):
        tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        model = from_sklearn(tree, X)
        assert model.predict([[np.nan]]) == tree.predict([[np.nan]]) == [larger]
        (split, *_) = model.body.nodes
        assert model.body.nodes[split.branches[-1]] == Leaf(larger)


def test_cuts_are_anchored_on_the_rows_that_they_lie_between():
    X = np.array([[5.0], [1.0], [2.0], [4.0], [2.0]])
    y = np.array(["b", "a", "a", "b", "a"])
    model = from_sklearn(DecisionTreeClassifier().fit(X, y), X, y)
    (test,) = literals_of(model.body)
    assert test.anchored_on == (2, 3)
    assert float(np.float32(test.cut)) == 3.0
    assert model.certificate.examples == (2, 3)
    assert model.classes == ("a", "b")
    assert str(model) == f"if x0 > {test.cut!r}: b\nelse: a"


def test_an_example_that_is_an_anchor_already_is_taken_again():
    X = np.array([[1.0, 0.0], [1.0, 5.0], [2.0, 5.0], [2.0, 9.0], [1.0, 0.0]])
    y = [0, 1, 2, 2, 0]
    model = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y), X, y)
    rows = [row for part in literals_of(model.body) for row in part.anchored_on]
    assert len(rows) == 4 and len(model.certificate.examples) == 3


def test_evidence_is_the_weight_of_each_class_in_each_leaf():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert from_sklearn(tree, X).evidence == ((50.0, 0.0, 0.0), (0.0, 49.0, 5.0), (0.0, 1.0, 45.0))
    weight = np.where(y == 1, 0.5, 2.0)
    weighted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y, weight)
    model = from_sklearn(weighted, X, y, sample_weight=weight)
    leaf = weighted.apply(X)
    for row, place in zip(model.evidence, np.unique(leaf), strict=True):
        sums = [weight[(leaf == place) & (y == c)].sum() for c in range(3)]
        assert row == pytest.approx([2 * total for total in sums])  # weights of 1 and 4


def test_rows_of_weight_zero_count_as_absent():
    X, y = load_breast_cancer(return_X_y=True)
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y, weight)
    model = from_sklearn(tree, X, y, sample_weight=weight)
    assert model.certificate.m == weight.sum()
    assert (weight[list(model.certificate.examples)] == 1).all()
    assert set(model.certificate.examples) <= set(model.body.anchors)
    model.certificate.verify(model, X, y, weight)
    with pytest.raises(CertificateError):
        model.certificate.verify(model, X, y)
    with pytest.raises(InputError, match="sample_weight must have shape"):
        from_sklearn(tree, X, y, sample_weight=weight[1:])


def test_labels_with_equal_counts_are_answered_with_the_first():
    X = np.zeros((4, 1))
    tree = DecisionTreeClassifier().fit(X, ["b", "a", "b", "a"])
    model = from_sklearn(tree, X, ["b", "a", "b", "a"])
    assert model.predict(X).tolist() == ["a"] * 4 == tree.predict(X).tolist()
    assert model.evidence == ((2.0, 2.0),)
    assert model.certificate.errors == 2


def test_a_tree_of_one_class_is_a_model_of_one_leaf():
    X = np.arange(6.0).reshape(3, 2)
    model = from_sklearn(DecisionTreeClassifier().fit(X, [7, 7, 7]), X, [7, 7, 7])
    assert model.body == Tree((Leaf(0),))
    assert model.predict(X).tolist() == [7, 7, 7]
    assert model.certificate.errors == 0


def test_columns_keep_the_names_of_the_tree_or_else_of_the_data():
    X, y = load_iris(return_X_y=True, as_frame=True)
    named = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    model = from_sklearn(named, X, y)
    assert [column.name for column in model.columns] == list(X.columns)
    assert model.target == "target"
    assert_same(model, named, X)
    assert model.predict(X[X.columns[::-1]]).tolist() == named.predict(X).tolist()
    assert from_sklearn(named, X.to_numpy(), y).columns == model.columns
    assert from_sklearn(named, X[X.columns[::-1]], y) == model
    unnamed = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X.to_numpy(), y)
    assert from_sklearn(unnamed, X, y).columns == model.columns
    assert from_sklearn(unnamed, pl.from_pandas(X), y).columns == model.columns
    bare = from_sklearn(unnamed, X.to_numpy(), y)
    assert [column.name for column in bare.columns] == ["x0", "x1", "x2", "x3"]
    assert bare.body.nodes[0].branches == model.body.nodes[0].branches


def test_whole_numbers_single_precision_and_booleans_are_numbers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "whole": rng.integers(0, 9, 60),
            "single": rng.normal(size=60).astype(np.float32),
            "truth": rng.random(60) < 0.5,
        }
    )
    y = np.where(frame.truth, frame.whole > 3, frame.single > 0)
    tree = DecisionTreeClassifier(random_state=0).fit(frame, y)
    model = from_sklearn(tree, frame, y)
    assert set(model.body.columns) == {"whole", "single", "truth"}
    assert_same(model, tree, frame)
    model.certificate.verify(model, frame, y)
    assert model.classes == (False, True)


def test_a_converted_model_is_saved_and_certified_again(tmp_path):
    X, y = load_wine(return_X_y=True, as_frame=True)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    model = from_sklearn(tree, X, y, delta=0.01)
    save_model(model, tmp_path / "tree.json")
    again = load_model(tmp_path / "tree.json")
    assert again == model
    assert again.certificate == model.certificate
    assert again.certificate.delta == 0.01
    again.certificate.verify(again, X, y)
    forged = y.copy()
    forged[[0, 100]] = forged[[100, 0]].to_numpy()
    with pytest.raises(CertificateError):
        again.certificate.verify(again, X, forged)


def test_a_tree_of_a_forest_has_a_certificate_from_the_rows_that_it_drew():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, y)
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        weight = np.bincount(drawn, minlength=len(y))
        model = from_sklearn(tree, X, y, sample_weight=weight)
        assert_same(model, tree, hard_rows(tree, X))
        assert model.certificate.m == np.unique(drawn).size


@pytest.mark.parametrize(
    "tree",
    [
        ExtraTreeClassifier(max_depth=4, random_state=0),
        DecisionTreeClassifier(splitter="random", max_depth=4, random_state=0),
    ],
)
def test_random_cuts_have_no_certificate_but_the_same_answers(tree, gaps):
    for X, y in (load_wine(return_X_y=True), gaps):
        tree.fit(X, y)
        with pytest.warns(UserWarning, match=r"no certificate: the tree's cut x\d+ <= .*random"):
            model = from_sklearn(tree, X, y)
        assert model.certificate is None
        assert model.body.anchors == ()
        assert_same(model, tree, hard_rows(tree, X))


def test_a_tree_of_other_data_has_no_certificate_but_the_same_answers():
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    with pytest.warns(UserWarning, match="X is not what it was fitted on"):
        model = from_sklearn(tree, X, y)
    assert model.certificate is None
    assert_same(model, tree, hard_rows(tree, X))
    with pytest.warns(UserWarning, match="X is not what it was fitted on"):
        assert from_sklearn(tree, np.full((1, X.shape[1]), np.nan), y[:1]).certificate is None


def test_without_labels_there_is_no_certificate_and_no_warning():
    X, y = load_wine(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tree in (DecisionTreeClassifier(random_state=0), ExtraTreeClassifier(random_state=0)):
            assert from_sklearn(tree.fit(X, y), X).certificate is None


X, Y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
NAMED = DecisionTreeClassifier(max_depth=2).fit(pd.DataFrame(X, columns=list("abcd")), Y)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: (DecisionTreeClassifier(), X), r"not fitted: call its fit\(X, y\) first"),
        (lambda: (DecisionTreeRegressor().fit(X, Y), X), "found a DecisionTreeRegressor"),
        (lambda: (RandomForestClassifier(2).fit(X, Y), X), "Of a forest, give one of its estim"),
        (lambda: (None, X), "found a NoneType"),
        (
            lambda: (DecisionTreeClassifier().fit(X, np.column_stack([Y, Y])), X),
            "answers 2 questions at once.*a tree for each column",
        ),
        (lambda: (TREE, X[:, :3]), "fitted on 4 columns; X has 3"),
        (lambda: (TREE, X[:, 0]), "two dimensions"),
        (lambda: (TREE, csr_array(X)), r"X is sparse.*X.toarray\(\)"),
        (lambda: (NAMED, X[:, :2]), "fitted on 4 columns; X has 2"),
        (lambda: (NAMED, pd.DataFrame(X, columns=list("abce"))), "needs column 'd'"),
        (lambda: (TREE, pd.DataFrame(X, columns=list("abcd")).astype(str)), "'a' of X holds categ"),
        (lambda: (TREE, np.where(X == X[0, 0], np.inf, X)), "value is infinite"),
        (lambda: (TREE, X, Y[:-1]), "X has 150 rows, but y has 149 labels"),
        (lambda: (TREE, X, Y + 1), "labels hold 3, but the model's classes are 0, 1, 2"),
        (lambda: (TREE, X, np.column_stack([Y, Y])), "single column"),
    ],
)
def test_what_cannot_be_converted_is_refused_with_the_way_out(make, message):
    with pytest.raises(InputError, match=message):
        from_sklearn(*make())


@pytest.mark.parametrize("delta", [0, 1, -0.5, np.nan])
def test_a_delta_that_makes_no_sense_is_refused(delta):
    with pytest.raises(InputError, match="delta"):
        from_sklearn(TREE, X, Y, delta=delta)


def test_it_is_found_in_the_package_and_in_its_room():
    assert rulewright.from_sklearn is rulewright.learners.from_sklearn
    assert "from_sklearn" in dir(rulewright)


@pytest.mark.parametrize("consistent", [False, True])
def test_machines_choose_among_midpoints_too(consistent):
    features, labels = load_breast_cancer(return_X_y=True)
    machine = SetCoveringMachine(family="midpoints", max_rules=3, consistent=consistent)
    machine.fit(features, labels)
    machine.certificate_.verify(machine.model_, features, labels)
    assert all(len(part.anchored_on) == 2 for part in literals_of(machine.model_.body))
    lists = DecisionListMachine(family=["midpoints", "thresholds"], consistent=consistent)
    lists.fit(X, Y)
    lists.certificate_.verify(lists.model_, X, Y)
