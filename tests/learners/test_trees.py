"""Decision trees: the lectures' examples, scikit-learn's trees, certificates, and what users do."""

import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.trees import leaf_shares
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rulewright import TreeClassifier, load_model
from rulewright.errors import InputError
from rulewright.learners import Deadline, TimeBudgetWarning
from rulewright.rules import Leaf, Split, Tree

TENNIS = pd.DataFrame(
    [
        row.split()
        for row in """
        sunny hot high False no
        sunny hot high True no
        overcast hot high False yes
        rainy mild high False yes
        rainy cool normal False yes
        rainy cool normal True no
        overcast cool normal True yes
        sunny mild high False no
        sunny cool normal False yes
        rainy mild normal False yes
        sunny mild normal True yes
        overcast mild high True yes
        overcast hot normal False yes
        rainy mild high True no
        """.strip().splitlines()
    ],
    columns=["outlook", "temperature", "humidity", "windy", "play"],
)
EIGHT = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)], float)
EIGHT_LABELS = np.array([1, 0, 1, 1, 0, 1, 0, 0])
PRUNINGS = ("none", "bound", "cost-complexity", "pessimistic", "reduced-error")
CANCER = load_breast_cancer()


def leaves(tree):
    return len(tree.model_.body.outputs)


def mixed(rows=200, seed=0, classes=2):
    """Make a table of numbers and categories, some of them missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": np.round(rng.normal(size=rows), 1),
            "b": rng.integers(0, 5, rows).astype(float),
            "colour": rng.choice(["red", "green", "blue", "grey"], rows),
            "flag": rng.random(rows) < 0.4,
        }
    )
    y = (frame["a"] > 0).astype(int) + (frame["colour"] == "red") * (classes - 1)
    y = np.where(rng.random(rows) < 0.1, rng.integers(0, classes, rows), y % classes)
    frame.loc[rng.random(rows) < 0.1, "a"] = np.nan
    frame["colour"] = frame["colour"].where(rng.random(rows) >= 0.1, None)
    return frame, y


def test_id3_finds_quinlans_tree():
    tree = TreeClassifier(preset="id3").fit(TENNIS.drop(columns="play"), TENNIS["play"])
    assert str(tree.model_).splitlines() == [
        "if outlook = overcast: yes",
        "if outlook = sunny:",
        "  if humidity = normal: yes",
        "  else: no",
        "else:",
        "  if windy = True: no",
        "  else: yes",
    ]
    assert tree.score(TENNIS.drop(columns="play"), TENNIS["play"]) == 1.0


def test_the_lectures_table_is_split_on_the_column_with_two_errors():
    """J = 2 for x1, 4 for x2 and 4 for x3."""
    for columns, errors in (([0, 1, 2], 2), ([1], 4), ([2], 4)):
        tree = TreeClassifier(criterion="error", max_depth=1, pruning="none").fit(
            EIGHT[:, columns], EIGHT_LABELS
        )
        assert (tree.predict(EIGHT[:, columns]) != EIGHT_LABELS).sum() == errors
    assert tree.model_.body.columns == ("x0",)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_impurity_equals_scikit_learns_at_every_size(criterion):
    X, y = make_classification(400, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=1)
    X = X.astype(np.float32)
    for size in range(2, 40):
        theirs = DecisionTreeClassifier(
            criterion=criterion, max_leaf_nodes=size, random_state=0
        ).fit(X, y)
        ours = TreeClassifier(criterion=criterion, max_leaf_nodes=size, pruning="none")
        ours.fit(X, y)
        assert leaves(ours) == theirs.get_n_leaves()
        ends = theirs.tree_.children_left < 0
        found = _impurity(np.array(ours.model_.evidence), criterion)
        wanted = (theirs.tree_.impurity * theirs.tree_.weighted_n_node_samples)[ends].sum()
        assert found == pytest.approx(wanted, rel=1e-9)


def _impurity(counts, criterion):
    total = counts.sum(axis=1, keepdims=True)
    share = counts / total
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(share > 0, share * np.log2(share), 0.0)
    impurity = 1 - (share**2).sum(axis=1) if criterion == "gini" else -bits.sum(axis=1)
    return (impurity * total[:, 0]).sum()


def test_the_alphas_of_cost_complexity_are_scikit_learns():
    X, y = CANCER.data.astype(np.float32), CANCER.target
    theirs = DecisionTreeClassifier(random_state=0, max_leaf_nodes=14)
    ours = TreeClassifier(max_leaf_nodes=14)
    path, known = ours.cost_complexity_pruning_path(X, y), theirs.cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(path.ccp_alphas, known.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(path.impurities, known.impurities, atol=1e-12)
    for alpha in (known.ccp_alphas[:-1] + known.ccp_alphas[1:]) / 2:
        pruned = TreeClassifier(max_leaf_nodes=14, ccp_alpha=alpha).fit(X, y)
        theirs = DecisionTreeClassifier(random_state=0, max_leaf_nodes=14, ccp_alpha=alpha)
        assert leaves(pruned) == theirs.fit(X, y).get_n_leaves()


@pytest.mark.cross_section(15)
@pytest.mark.parametrize("preset", ["cart", "c4.5", "id3"])
@pytest.mark.parametrize("pruning", PRUNINGS)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_preset_is_certified_on_mixed_data(preset, pruning, classes, tmp_path):
    X, y = mixed(classes=classes)
    tree = TreeClassifier(preset=preset, pruning=pruning, max_depth=6).fit(X, y)
    for entry in tree.path_:
        entry.certificate.verify(entry.model, X, y)
        assert (entry.model.predict(X) != y).sum() == entry.errors
    assert tree.score(X, y) > 0.6
    tree.save_model(tmp_path / "tree.json")
    again = load_model(tmp_path / "tree.json")
    assert again == tree.model_
    assert (again.predict(X) == tree.predict(X)).all()
    assert (tree.predict_proba(X).argmax(axis=1) == tree.predict(X)).all()


@pytest.mark.parametrize(
    "splits",
    [
        "thresholds",
        "intervals",
        ["thresholds", "categories"],
        ["thresholds", "subsets"],
        ["thresholds", "multiway"],
        ["balls"],
        ["half_spaces"],
        ["thresholds", "balls", "half_spaces"],
        "given",
        ["given", "thresholds", "subsets"],
    ],
)
def test_a_tree_of_any_split_is_certified(splits):
    X, y = mixed(80)
    X["a"] = X["a"].fillna(0.0)
    tree = TreeClassifier(family=splits, max_leaf_nodes=4, pruning="none").fit(X, y)
    assert 2 <= leaves(tree) <= 4
    tree.certificate_.verify(tree.model_, X, y)
    assert (tree.predict(X) == tree.model_.predict(X)).all()


def test_pairs_of_examples_split_what_no_column_does():
    """Hinton & Revow: one half-space of a pair separates a slanted border."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    scores = {
        splits: TreeClassifier(family=splits, max_leaf_nodes=2).fit(X, y).score(X, y)
        for splits in ("thresholds", "half_spaces")
    }
    assert scores["half_spaces"] > 0.95 > scores["thresholds"]


def test_by_bound_the_best_certificate_of_the_path_is_chosen():
    tree = TreeClassifier(pruning="bound").fit(CANCER.data, CANCER.target)
    bounds = [entry.certificate.bound for entry in tree.path_]
    sizes = [entry.size for entry in tree.path_]
    assert sizes == sorted(set(sizes))
    assert tree.certificate_.bound == min(bounds)
    assert 1 < leaves(tree) < max(sizes)
    errors = [entry.errors for entry in tree.path_]
    assert errors == sorted(errors, reverse=True)
    near = tree.smallest(tree.certificate_.bound + 0.01)
    assert near.size <= leaves(tree)
    with pytest.raises(InputError, match="No tree of the path"):
        tree.smallest(0.0)


def test_a_tree_of_a_size_has_the_fewest_errors_of_all_subtrees():
    X, y = mixed(60, seed=3)
    tree = TreeClassifier(pruning="bound", max_depth=4).fit(X, y)
    grown = TreeClassifier(pruning="none", max_depth=4).fit(X, y)
    assert tree.path_[-1].errors == (grown.predict(X) != y).sum()
    assert tree.path_[0].errors == len(y) - np.bincount(y).max()


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["side", "fractional"])
@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_certificate_holds_under_simulation(delta, missing):
    """Of trees of all sizes at once, on samples whose true error is known."""
    values, samples = np.array([0.0, 1.0, 2.0, 3.0, np.nan]), 60
    grid = np.stack(np.meshgrid(*[values] * 2), axis=-1).reshape(-1, 2)
    chance = np.where(grid[:, 0] > 1, 0.8, 0.2)
    tree = TreeClassifier(missing=missing, pruning="bound", delta=delta, max_leaf_nodes=6)
    violated = shared = 0
    for seed in range(samples):
        rng = np.random.default_rng([seed, int(100 * delta)])
        rows = rng.integers(0, len(grid), 40)
        tree.fit(grid[rows], (rng.random(40) < chance[rows]).astype(int))
        said = np.array([entry.model.predict(grid) for entry in tree.path_])
        errors = np.where(said == 1, 1 - chance, chance).mean(axis=1)
        violated += any(errors > [entry.certificate.bound for entry in tree.path_])
        shared += any(isinstance(n, Split) and n.shares for n in tree.path_[-1].model.body.nodes)
    assert violated <= delta * samples
    assert shared > samples / 2 if missing == "fractional" else shared == 0


def test_missing_values_take_the_side_that_they_were_seen_on():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, np.nan, np.nan]})
    y = [0, 0, 1, 1, 1, 1]
    tree = TreeClassifier().fit(X, y)
    assert tree.predict(pd.DataFrame({"a": [np.nan, 1.0, 9.0]})).tolist() == [1, 0, 1]
    tree = TreeClassifier().fit(X, [0, 0, 1, 1, 0, 0])
    assert tree.predict(pd.DataFrame({"a": [np.nan, 1.0, 9.0]})).tolist() == [0, 0, 1]


def test_being_missing_can_be_all_that_matters():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, np.nan, np.nan, np.nan]})
    tree = TreeClassifier().fit(X, [0, 0, 0, 1, 1, 1])
    assert "missing" in str(tree.model_)
    assert leaves(tree) == 2


def test_unseen_categories_take_the_larger_branch():
    X = pd.DataFrame({"c": ["x"] * 5 + ["y"] * 3})
    y = [0] * 5 + [1] * 3
    for preset in ("cart", "c4.5", "id3"):
        tree = TreeClassifier(preset=preset).fit(X, y)
        assert tree.predict(pd.DataFrame({"c": ["z", "x", "y", None]})).tolist() == [0, 0, 1, 0]


def test_fractional_examples_vote_by_their_shares():
    X = pd.DataFrame({"a": [1.0] * 6 + [2.0] * 3 + [np.nan]})
    y = [0] * 6 + [1] * 3 + [0]
    tree = TreeClassifier(preset="c4.5", pruning="none").fit(X, y)
    assert str(tree.model_.body.nodes[0].tests[0]).startswith("Threshold(column='a', above=True")
    assert tree.model_.body.nodes[0].shares == (5, 11)
    assert tree.predict(pd.DataFrame({"a": [np.nan, 1.0, 2.0]})).tolist() == [0, 0, 1]


@given(st.integers(0, 10_000), st.sampled_from(["cart", "c4.5", "id3"]))
@settings(max_examples=25, deadline=None)
def test_whole_weights_equal_repeated_rows(seed, preset):
    X, y = mixed(40, seed)
    if preset == "c4.5":  # fractions of weights would add up to ties in one order, not in another
        X = X.fillna({"a": 0.0, "colour": "none"})
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    if len(set(y[weight > 0])) < 2:
        return
    repeated = np.repeat(np.arange(len(y)), weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        one = TreeClassifier(preset=preset).fit(X, y, sample_weight=weight)
        other = TreeClassifier(preset=preset).fit(X.iloc[repeated], y[repeated])
    assert str(one.model_) == str(other.model_)
    assert one.model_.evidence == other.model_.evidence


def test_the_same_tree_from_every_container_and_any_number_of_threads():
    X, y = mixed(300)
    trees = [
        TreeClassifier(preset="c4.5").fit(X, y),
        TreeClassifier(preset="c4.5", n_jobs=2).fit(X, y),
        TreeClassifier(preset="c4.5").fit(pl.from_pandas(X), y),
    ]
    assert len({str(tree.model_) for tree in trees}) == 1


def test_costs_move_the_answers_to_the_dearer_class():
    X, y = CANCER.data[:, :4], CANCER.target
    plain = TreeClassifier(max_leaf_nodes=6).fit(X, y)
    dear = TreeClassifier(max_leaf_nodes=6, class_costs={0: 20}).fit(X, y)
    assert (dear.predict(X)[y == 0] == 0).mean() > (plain.predict(X)[y == 0] == 0).mean()
    assert (dear.predict_proba(X).argmax(axis=1) == dear.predict(X)).all()


def test_monotone_trees_answer_in_order():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(300, 3)), 1)
    y = (X[:, 0] - X[:, 1] + rng.normal(size=300) > 0).astype(int)
    tree = TreeClassifier(monotonic_cst=[1, -1, 0], min_samples_leaf=3).fit(X, y)
    for column, sign in ((0, 1), (1, -1)):
        for row in X[:40]:
            line = np.repeat(row[None], 50, axis=0)
            line[:, column] = np.linspace(-4, 4, 50)
            assert (np.diff(tree.predict(line)) * sign >= 0).all()
    free = TreeClassifier(min_samples_leaf=3).fit(X, y)
    assert leaves(tree) < leaves(free)
    named = pd.DataFrame(X, columns=["u", "v", "w"])
    again = TreeClassifier(monotonic_cst={"u": 1, "v": -1}, min_samples_leaf=3).fit(named, y)
    assert (again.predict(named) == tree.predict(X)).all()


@pytest.mark.parametrize("criterion", ["fisher", "wracc", "laplace", lambda p, n, P, N: p - n])
def test_any_criterion_of_rules_grows_a_tree(criterion):
    X, y = CANCER.data[:, :5], CANCER.target
    tree = TreeClassifier(criterion=criterion, max_leaf_nodes=4).fit(X, y)
    assert tree.score(X, y) > 0.8
    tree.certificate_.verify(tree.model_, X, y)


def test_what_a_users_criterion_raises_reaches_the_user():
    def broken(p, n, P, N):
        raise ZeroDivisionError("no such luck")

    with pytest.raises(ZeroDivisionError, match="no such luck"):
        TreeClassifier(criterion=broken).fit(CANCER.data, CANCER.target)


def test_trees_work_inside_bagging_pipelines_and_searches():
    X, y = load_wine(return_X_y=True)
    bag = BaggingClassifier(TreeClassifier(), n_estimators=15, max_features=0.5, random_state=0)
    assert cross_val_score(bag, X, y, cv=3).mean() > 0.9
    search = GridSearchCV(
        make_pipeline(StandardScaler(), TreeClassifier()),
        {
            "treeclassifier__max_leaf_nodes": [2, 4],
            "treeclassifier__criterion": ["gini", "entropy"],
        },
        cv=3,
    ).fit(X, y)
    assert search.best_params_["treeclassifier__max_leaf_nodes"] == 4
    assert search.score(X, y) > 0.9


def test_explain_gives_the_path():
    iris = load_iris(as_frame=True)
    tree = TreeClassifier(max_leaf_nodes=3).fit(iris.data, iris.target_names[iris.target])
    why = tree.explain(iris.data.iloc[[0, 60, 120]])["why"].tolist()
    assert why[0].count(";") == 0
    assert "petal" in why[1] and "(" in why[1]
    rules = tree.get_rules()
    assert len(rules) == 3
    assert rules["support"].sum() == 150


@pytest.mark.slow
def test_a_deep_chain_is_grown_printed_saved_and_loaded(tmp_path):
    """Every split peels one row off: rows are in pairs of alternating classes, each rarer above."""
    rows = 3000
    X = np.arange(rows, dtype=float)[:, None]
    y = (np.arange(rows) % 2).astype(int)
    tree = TreeClassifier(
        criterion=lambda p, n, P, N: (n == 0) / (p + n + 1.0), pruning="none"
    ).fit(X, y)
    assert isinstance(tree.model_.body, Tree)
    assert (tree.predict(X) == y).all()
    assert sum(isinstance(node, Leaf) for node in tree.model_.body.nodes) == rows
    tree.save_model(tmp_path / "deep.json")
    assert (load_model(tmp_path / "deep.json").predict(X) == y).all()
    assert len(str(tree.model_)) < 400 * rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "c5.0"}, "preset must be one of 'cart', 'c4.5', 'id3', got 'c5.0'"),
        ({"criterion": "ginni"}, "criterion must be a function, 'auto' or one of"),
        ({"family": []}, "family"),
        ({"family": ["subsets", "multiway"]}, "family may have one of"),
        ({"family": "spheres"}, "There is no family 'spheres'"),
        ({"missing": "impute"}, "missing must be one of 'auto', 'side', 'fractional'"),
        ({"pruning": "hard"}, "pruning must be one of 'auto', 'none'"),
        ({"max_depth": 0}, "max_depth must be a whole number of at least 1"),
        ({"max_leaf_nodes": 1.5}, "max_leaf_nodes must be a whole number"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be a number above 0"),
        ({"min_weight_fraction_leaf": 0.6}, "min_weight_fraction_leaf must be in \\[0, 0.5\\]"),
        ({"min_impurity_decrease": -1}, "min_impurity_decrease must be a number of 0 or more"),
        ({"ccp_alpha": "much"}, "ccp_alpha must be a number of 0 or more"),
        ({"confidence": 0.9, "preset": "c4.5"}, "confidence must be above 0 and at most 0.5"),
        ({"raising": "yes"}, "raising must be True or False"),
        ({"time_budget": 0}, "time_budget must be a number of seconds above 0"),
        ({"time_budget": "long"}, "time_budget must be a number of seconds above 0"),
        ({"monotonic_cst": [1]}, "monotonic_cst must be a dict"),
        ({"monotonic_cst": {"nope": 1}}, "monotonic_cst has 'nope', which is not a numeric column"),
        ({"monotonic_cst": {"colour": 1}}, "monotonic_cst has 'colour', which is not a numeric"),
        ({"monotonic_cst": {"a": 2}}, "monotonic_cst must be 1, -1 or 0, got 2 for 'a'"),
        ({"family": "balls"}, "missing values"),
        ({"class_costs": {"maybe": 2}}, "class_costs must be a dict"),
    ],
)
def test_a_wrong_parameter_is_named(options, message):
    X, y = mixed(50)
    with pytest.raises(InputError, match=message):
        TreeClassifier(**options).fit(X, y)


def test_monotone_needs_two_classes():
    X, y = mixed(50, classes=3)
    with pytest.raises(InputError, match="monotonic_cst needs two classes"):
        TreeClassifier(monotonic_cst={"a": 1}).fit(X, y)


def test_splits_without_a_column_are_named():
    with pytest.raises(InputError, match="no columns for family"):
        TreeClassifier(family="subsets").fit(EIGHT, EIGHT_LABELS)


def test_intervals_and_axes_keep_to_their_own_columns():
    """A ball's distance has no interval, and a column without thresholds no cut."""
    X, y = mixed(80)
    X["a"] = X["a"].fillna(0.0)
    for splits in (["intervals", "balls"], ["intervals", "half_planes"], ["half_planes"]):
        tree = TreeClassifier(family=splits, max_leaf_nodes=6).fit(X, y)
        tree.certificate_.verify(tree.model_, X, y)


def test_half_planes_bear_missing_values():
    X, y = mixed(120)
    tree = TreeClassifier(family=["half_planes", "thresholds"], max_leaf_nodes=8).fit(X, y)
    tree.certificate_.verify(tree.model_, X, y)
    assert (tree.predict(X) == tree.model_.predict(X)).all()


def test_a_tree_draws_itself_with_the_shares_of_missing_values():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, np.nan, 5.0, 6.0, 7.0]})
    tree = TreeClassifier("c4.5", pruning="none")
    with pytest.raises(NotFittedError):
        tree.plot()
    tree.fit(X, [0, 0, 1, 1, 1, 1, 1, 1])
    shares = [f"missing: {share}/16" for share in tree.model_.body.nodes[0].shares]
    texts = [text.get_text() for text in tree.plot().texts]
    assert set(shares) <= set(texts) and len(shares) == 2
    assert not set(shares) & {text.get_text() for text in tree.plot(missing=["b"]).texts}
    _, ax = matplotlib.pyplot.subplots()
    assert tree.plot(ax, max_leaves=1) is ax
    matplotlib.pyplot.close("all")


def shared_rows():
    """A column that decides, and rows that miss it, most of them of the second class."""
    X = pd.DataFrame({"a": [1.0] * 8 + [2.0] * 8 + [np.nan] * 4})
    return X, [0] * 8 + [1] * 8 + [1] * 3 + [0]


def test_probabilities_of_a_shared_row_are_the_mixture_of_its_leaves():
    X, y = shared_rows()
    tree = TreeClassifier(preset="c4.5", pruning="none", missing_tests=False).fit(X, y)
    assert tree.model_.body.nodes[0].shares == (8, 8)
    low, high, missing = tree.predict_proba(pd.DataFrame({"a": [1.0, 2.0, np.nan]}))
    # The vote of the leaves is a tie, which the first class wins: it is given a hair more.
    mixture = (low + high) / 2
    assert mixture[1] > mixture[0]
    assert missing == pytest.approx([0.5, 0.5])
    assert missing[0] > missing[1]
    weighted = TreeClassifier(preset="c4.5", pruning="none", missing_tests=False).fit(X[4:], y[4:])
    shares = np.array(weighted.model_.body.nodes[0].shares) / 16
    low, high, missing = weighted.predict_proba(pd.DataFrame({"a": [1.0, 2.0, np.nan]}))
    assert missing == pytest.approx(shares @ np.array([low, high]))


def test_a_shared_row_counts_at_each_leaf_by_its_share():
    X, y = shared_rows()
    tree = TreeClassifier(preset="c4.5", pruning="none", missing_tests=False).fit(X, y)
    assert tree.model_.evidence == ((0.5, 9.5), (8.5, 1.5))
    assert tree.get_rules()["support"].sum() == len(y)


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_shares_and_probabilities_are_those_of_following_every_way(seed):
    X, y = mixed(60, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        tree = TreeClassifier(preset="c4.5", pruning="none").fit(X, y)
    model, table = tree.model_, tree.model_.table(X)
    ways = [leaf_shares(model.body, table, row) for row in range(table.rows)]
    evidence, expected = np.zeros_like(model.evidence), []
    for row, shares in enumerate(ways):
        for leaf, share in shares.items():
            evidence[leaf, list(tree.classes_).index(y[row])] += share
        expected.append(sum(float(s) * model.probabilities[leaf] for leaf, s in shares.items()))
    np.testing.assert_allclose(model.evidence, evidence.astype(float), atol=1e-9)
    expected, found = np.array(expected), tree.predict_proba(X)
    agree = tree.classes_[expected.argmax(axis=1)] == tree.predict(X)
    np.testing.assert_allclose(found[agree], expected[agree], atol=1e-9)
    assert (tree.classes_[found.argmax(axis=1)] == tree.predict(X)).all()


@pytest.mark.parametrize("pruning", PRUNINGS)
def test_time_that_is_up_leaves_a_certified_tree_and_a_warning(pruning):
    X, y = make_classification(20_000, 10, random_state=0)
    with pytest.warns(TimeBudgetWarning, match="1e-06 seconds was over .*: the tree has 1 leaf"):
        tree = TreeClassifier(pruning=pruning, time_budget=1e-6).fit(X, y)
    assert leaves(tree) == 1
    tree.certificate_.verify(tree.model_, X, y)
    with pytest.warns(TimeBudgetWarning, match="the tree has 1 leaf"):
        assert tree.cost_complexity_pruning_path(X, y).ccp_alphas.tolist() == [0.0]


@pytest.mark.slow
def test_a_slow_criterion_runs_out_of_time_with_a_part_of_the_tree():
    X, y = make_classification(300, 5, flip_y=0.1, random_state=0)
    asked = 0

    def slow_after_a_while(p, n, P, N):
        nonlocal asked
        asked += 1
        if asked == 100:
            time.sleep(1.0)
        return np.abs(p * N - n * P)

    with pytest.warns(TimeBudgetWarning, match=r"the tree has \d+ leaves"):
        tree = TreeClassifier(
            criterion=slow_after_a_while, pruning="none", time_budget=0.9, n_jobs=1
        ).fit(X, y)
    assert leaves(tree) > 1
    tree.certificate_.verify(tree.model_, X, y)
    assert tree.score(X, y) > 0.6


@pytest.mark.parametrize("pruning", PRUNINGS)
@pytest.mark.parametrize("preset", ["cart", "c4.5", "id3"])
def test_time_that_is_not_up_changes_nothing(preset, pruning):
    X, y = mixed(300)
    tree = TreeClassifier(preset=preset, pruning=pruning)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TimeBudgetWarning)
        free = tree.fit(X, y).model_
        limited = tree.set_params(time_budget=600).fit(X, y).model_
    assert free == limited


def test_pruning_by_bound_certifies_some_sizes_until_time_is_up(monkeypatch):
    """The tree grows in half of the time; the first sizes are certified in the rest."""
    X, y = mixed(300)
    whole = TreeClassifier(pruning="bound").fit(X, y)
    answers = iter([False] * 3)
    monkeypatch.setattr(Deadline, "over", property(lambda deadline: next(answers, True)))
    part = TreeClassifier(pruning="bound", time_budget=600).fit(X, y)
    assert len(part.path_) == 4
    assert [entry.model for entry in part.path_] == [entry.model for entry in whole.path_[:4]]


def test_the_normalised_gain_chooses_as_the_information_gain_does():
    X, y = load_iris(return_X_y=True, as_frame=True)
    one, other = (TreeClassifier(criterion=c).fit(X, y) for c in ("normalised_gain", "entropy"))
    assert str(one.model_) == str(other.model_)


@pytest.mark.parametrize(
    ("value", "drawn"), [(1, 1), (2, 2), (0.5, 2), ("sqrt", 2), ("log2", 2), (None, 4), (99, 4)]
)
def test_a_node_chooses_from_as_many_columns_as_max_features_says(value, drawn):
    X, y = load_iris(return_X_y=True, as_frame=True)
    roots = set()
    for seed in range(40):
        tree = TreeClassifier(max_features=value, random_state=seed, max_depth=1, pruning="none")
        roots.add(tree.fit(X, y).model_.body.nodes[0].columns[0])
    assert len(roots) == {1: 4, 2: 3}.get(drawn, 1)  # the best column of each draw


def test_a_forest_does_not_depend_on_threads_or_the_order_of_rows_and_columns():
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = TreeClassifier(max_features=1, random_state=3, pruning="none")
    expected = str(tree.fit(X, y).model_)
    assert str(TreeClassifier(**tree.get_params()).fit(X.iloc[:, ::-1], y).model_) == expected
    assert str(tree.fit(X.iloc[::-1], y.iloc[::-1]).model_) == expected
    assert str(tree.set_params(n_jobs=2).fit(X, y).model_) == expected
    tree.certificate_.verify(tree.model_, X, y)
    assert str(tree.set_params(random_state=4).fit(X, y).model_) != expected


def test_a_node_draws_more_columns_until_one_has_a_split():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.zeros((60, 9)), rng.normal(size=60)])
    y = (X[:, 9] > 0).astype(int)
    for seed in range(5):
        tree = TreeClassifier(max_features=1, random_state=seed).fit(X, y)
        assert tree.score(X, y) == 1.0


@pytest.mark.parametrize("value", [0, -1, 0.0, 1.5, "half", True])
def test_a_wrong_number_of_features_is_refused(value):
    with pytest.raises(InputError, match="max_features must be a whole number from 1"):
        TreeClassifier(max_features=value).fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize("preset", ["cart", "c4.5", "id3"])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_a_branch_has_its_share_of_the_weight(preset, share):
    frame, y = mixed(300)
    limits = {"preset": preset, "pruning": "none", "certificate": None}
    by_share = TreeClassifier(min_weight_fraction_leaf=share, **limits).fit(frame, y)
    by_rows = TreeClassifier(min_samples_leaf=300 * share, **limits).fit(frame, y)
    assert str(by_share.model_) == str(by_rows.model_)
    weight = np.full(300, 3.0)
    weight[::2] = 1.0
    weighed = TreeClassifier(min_weight_fraction_leaf=share, **limits).fit(frame, y, weight)
    again = TreeClassifier(min_weight_fraction_leaf=share, **limits).fit(frame, y, 7 * weight)
    assert str(weighed.model_) == str(again.model_)


def test_the_larger_limit_of_leaves_counts():
    frame, y = mixed(300)
    rows = {"min_samples_leaf": 30, "pruning": "none", "certificate": None}
    both = TreeClassifier(min_weight_fraction_leaf=0.01, **rows).fit(frame, y)
    assert str(both.model_) == str(TreeClassifier(**rows).fit(frame, y).model_)
