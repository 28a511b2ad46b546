"""Optimal trees: proof, models, certificates, and settings."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles.optimal_trees import leaf_loss, least_losses
from strategies.effort import QUARTER
from strategies.mixed import tables

from rulewright import TreeClassifier
from rulewright.errors import InputError
from rulewright.learners import (
    SETTINGS,
    Optimality,
    TimeBudgetWarning,
    recipe_of,
    settings_of,
)
from rulewright.rules import Category, Leaf, Missing, Split, Threshold

pytestmark = pytest.mark.filterwarnings("ignore:Column .* has:UserWarning")


def column_tests(table):
    """Every test that a tree may have, as a mask; missing values on either side."""
    for column in table.columns:
        missing = column.missing
        if missing.any():
            yield Missing(column.name).holds(table)
        if hasattr(column, "categories"):
            tests = [Category(column.name, (value,)) for value in column.categories]
        else:
            cuts = np.unique(column.values[~missing])
            tests = [Threshold(column.name, False, float(cut)) for cut in cuts]
        for test in tests:
            yield test.holds(table)
            if missing.any():
                yield test.holds(table) | missing


def filled_tests(table, weight, missing_tests):
    """Every test of a tree where missing numbers are the lower median, and no category is."""
    for column in table.columns:
        missing = column.missing
        if missing.any() and (missing_tests or hasattr(column, "categories")):
            yield missing
        if hasattr(column, "categories"):
            yield from (Category(column.name, (value,)).holds(table) for value in column.categories)
        elif not missing.all():
            known = np.sort(np.repeat(column.values[~missing], weight[~missing]))
            filled = np.where(missing, known[(known.size - 1) // 2], column.values)
            yield from (filled <= cut for cut in np.unique(known))


def least_errors(table, y, weight, classes, depth, leaves, loss=(1, 0)):
    tests = [(mask,) for mask in column_tests(table)]
    return least_losses(tests, y, weight, classes, depth, leaves, loss)


@st.composite
def examples(draw):
    """Examples of all classes, with whole weights."""
    table = draw(tables(most_rows=10, least_rows=3))
    classes = draw(st.integers(2, 3))
    y = draw(hnp.arrays(np.int32, table.rows, elements=st.integers(0, classes - 1)))
    y[:classes] = np.arange(classes)
    weight = draw(hnp.arrays(np.int64, table.rows, elements=st.integers(1, 3)))
    weight[0] = 1  # no common factor
    return table, y, weight


def weighted_errors(model, table, y, weight):
    return int(weight[model.body.classify(table) != y].sum())


@QUARTER
@given(examples(), st.integers(1, 3), st.integers(1, 8))
def test_no_tree_has_fewer_errors(case, depth, leaves):
    table, y, weight = case
    tree = TreeClassifier(search="optimal", max_depth=depth, max_leaf_nodes=leaves)
    tree.fit(table, y, weight)
    least = least_errors(table, y, weight, y.max() + 1, depth, leaves)
    assert weighted_errors(tree.model_, table, y, weight) == least[-1]
    assert tree.optimality_.proven
    assert tree.optimality_.objective == pytest.approx(least[-1] / weight.sum())
    by_size = {entry.size: weighted_errors(entry.model, table, y, weight) for entry in tree.path_}
    assert by_size == {
        size: errors
        for size, errors in enumerate(least, start=1)
        if size == 1 or errors < least[size - 2]
    }


def own_loss(model, table, y, weight, loss):
    """Sum of the losses of the leaves of a model."""
    leaf = model.body.answer(table)
    facts = ((y[leaf == each], weight[leaf == each]) for each in np.unique(leaf))
    return sum(leaf_loss(*each, y.max() + 1, *loss) for each in facts)


@QUARTER
@given(
    examples(),
    st.integers(1, 3),
    st.sampled_from([0.25, 1.0, 2.0, 3.13]),
    st.lists(st.integers(1, 3), min_size=3, max_size=3),
)
def test_impurity_can_be_part_of_the_objective(case, depth, ratio, costs):
    table, y, weight = case
    options = {"max_depth": depth, "class_costs": dict(enumerate(costs[: y.max() + 1]))}
    tree = TreeClassifier(search="optimal", impurity_weight=ratio, **options)
    tree.fit(table, y, weight)
    worth = weight * np.array(costs)[y]
    loss = (10**6, round(ratio * 10**6))
    least = least_errors(table, y, worth, y.max() + 1, depth, 2**depth, loss)[-1]
    assert tree.optimality_.proven
    assert tree.optimality_.objective == pytest.approx(least / worth.sum() / 10**6, abs=1e-4)
    own = own_loss(tree.model_, table, y, worth, loss)
    assert own >= least - 10
    assert own <= least + 10 or any("left out of the tree" in said for said in tree.notices_)
    nodes = tree.model_.body.nodes
    for node in nodes:
        if isinstance(node, Split):
            first, second = (nodes[branch] for branch in node.branches)
            assert not (isinstance(first, Leaf) and first == second)


def test_splits_whose_leaves_answer_alike_are_left_out():
    """The second column tells pure leaves from mixed ones, whose answer is the same."""
    frame = pd.DataFrame({"a": [0] * 8 + [1] * 8, "b": [0, 0, 0, 0, 1, 1, 1, 1] * 2})
    y = np.array([0, 0, 0, 0, 0, 0, 0, 1] + [1] * 8)
    tree = TreeClassifier(search="optimal", max_depth=2, impurity_weight=1.0).fit(frame, y)
    assert str(tree.model_) == "if a > 0: class 1\nelse: class 0"
    assert tree.notices_[1] == (
        "1 split is left out of the tree, because all leaves below gave the same answer."
    )
    assert tree.optimality_.sentence.endswith(
        "has a lower training error plus the Gini impurity of the leaves."
    )
    assert tree.optimality_.objective == pytest.approx(1 / 16 + 2 * 3 / 4 / 16)


def test_fractional_weights_count_in_impurity():
    frame, y = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]}), np.array([0, 1, 0, 1])
    tree = TreeClassifier(search="optimal", max_depth=1, impurity_weight=2.0)
    tree.fit(frame, y, np.array([1.5, 0.25, 0.25, 1.5]))
    gini = 2 * 0.25 * 1.75 / 2.0  # of the last three rows
    assert tree.optimality_.objective == pytest.approx((0.25 + 2 * gini) / 3.5)


@QUARTER
@given(examples(), st.integers(1, 3), st.booleans())
def test_missing_values_can_go_with_the_median(case, depth, missing_tests):
    table, y, weight = case
    options = {"missing_sides": "median", "missing_tests": missing_tests}
    tree = TreeClassifier(search="optimal", max_depth=depth, **options).fit(table, y, weight)
    tests = [(mask,) for mask in filled_tests(table, weight, missing_tests)]
    least = least_losses(tests, y, weight, y.max() + 1, depth, 2**depth)
    assert weighted_errors(tree.model_, table, y, weight) == least[-1]
    assert tree.optimality_.proven


def test_missing_values_go_with_the_median_where_a_node_has_none():
    """The median of all ages is 5; those of the men are at most 4 more often than not."""
    ages = [1, 2, 3, 4, 5, 6, 2, 5, 20, 20, 20, 20, np.nan, np.nan]
    frame = pd.DataFrame({"age": ages, "sex": list("mmmmmmffffffff")})
    y = list("aaaabbcccccccc")
    unknown = pd.DataFrame({"age": [np.nan], "sex": ["m"]})
    for sides, answer in (("median", "b"), ("either", "a")):
        tree = TreeClassifier(search="optimal", max_depth=2, missing_sides=sides).fit(frame, y)
        assert tree.score(frame, y) == 1.0
        assert tree.predict(unknown).tolist() == [answer]


@QUARTER
@given(examples(), st.integers(1, 5), st.integers(1, 5))
def test_costs_count_as_weights(case, first, second):
    table, y, weight = case
    costs = {0: first, 1: second}
    tree = TreeClassifier(search="optimal", max_depth=2, class_costs=costs).fit(table, y, weight)
    worth = weight * np.array([first, second, 1])[y]
    least = least_errors(table, y, worth, y.max() + 1, 2, 4)[-1]
    assert weighted_errors(tree.model_, table, y, worth) == least
    assert tree.optimality_.objective == pytest.approx(least / worth.sum())


@QUARTER
@given(examples(), st.sampled_from([0.0, 0.01, 0.1, 0.5]))
def test_a_price_of_leaves_is_part_of_the_objective(case, price):
    table, y, weight = case
    tree = TreeClassifier(search="optimal", max_depth=2, ccp_alpha=price).fit(table, y, weight)
    least = least_errors(table, y, weight, y.max() + 1, 2, 4)
    worth = Fraction(repr(price))
    expected = min(Fraction(e, int(weight.sum())) + worth * (s + 1) for s, e in enumerate(least))
    assert tree.optimality_.objective == pytest.approx(float(expected))
    assert tree.optimality_.proven


@QUARTER
@given(examples(), st.integers(1, 6))
def test_bounds_hold_where_the_search_stops(case, subproblems):
    table, y, weight = case
    tree = TreeClassifier(search="optimal", max_subproblems=subproblems).fit(table, y, weight)
    least = least_errors(table, y, weight, y.max() + 1, 3, 8)[-1] / weight.sum()
    found = tree.optimality_
    assert found.lower_bound <= least + 1e-12
    assert found.objective >= least - 1e-12
    errors = weighted_errors(tree.model_, table, y, weight)
    assert found.objective == pytest.approx(errors / weight.sum())
    assert found.proven or found.stopped_by == "max_subproblems"


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(5)
    rows = 300
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, rows).astype(float),
            "bmi": rng.normal(27, 5, rows).round(1),
            "ward": rng.choice(["north", "south", "west", "east"], rows),
            "score": rng.normal(size=rows),
        }
    )
    ill = (frame["age"] > 60) ^ (frame["ward"] == "west") | (frame["bmi"] > 34)
    ill ^= rng.random(rows) < 0.1
    frame.loc[::9, "bmi"] = np.nan
    frame.loc[::11, "ward"] = None
    return frame, np.where(ill, "ill", "well")


def test_the_model_does_not_depend_on_rows_columns_or_threads(patients):
    frame, y = patients
    tree = TreeClassifier(search="optimal", max_cuts=8).fit(frame, y)
    order = np.random.default_rng(0).permutation(len(frame))
    moved = frame.iloc[order][["score", "ward", "age", "bmi"]]
    again = TreeClassifier(search="optimal", max_cuts=8, n_jobs=2).fit(moved, y[order])
    assert str(again.model_) == str(tree.model_)
    assert again.optimality_ == tree.optimality_


def test_it_is_at_least_as_good_as_a_grown_tree(patients):
    frame, y = patients
    best = TreeClassifier(search="optimal", max_cuts=300).fit(frame, y)
    grown = TreeClassifier(max_depth=3, pruning="none", family=["thresholds", "categories"])
    assert best.score(frame, y) >= grown.fit(frame, y).score(frame, y)
    assert best.certificate_.verify(best.model_, frame, y).holds
    assert [entry.errors for entry in best.path_] == sorted(
        (entry.errors for entry in best.path_), reverse=True
    )


def test_missing_values_take_the_larger_branch_where_training_has_none(patients):
    frame, y = patients
    tree = TreeClassifier(search="optimal", max_depth=1, keep=["age"]).fit(frame, y)
    (test,) = tree.model_.body.nodes[0].tests
    larger = test.holds(tree._new_table(frame)).mean() > 0.5
    unknown = frame.assign(age=np.nan).head(1)
    last = tree.model_.body.outputs[-1]
    assert tree.predict(unknown)[0] == tree.classes_[last]
    assert not larger


def test_a_limit_of_cuts_takes_quantiles(patients):
    frame, y = patients
    few = TreeClassifier(search="optimal", max_cuts=1).fit(frame, y)
    many = TreeClassifier(search="optimal", max_cuts=64).fit(frame, y)
    assert few.optimality_.objective >= many.optimality_.objective
    assert "at most 1 cut of a column" in few.optimality_.sentence


def test_of_trees_with_equally_few_errors_the_purest_is_taken():
    frame = pd.DataFrame({"a": [0, 0, 0, 1, 0, 1, 1, 1.0], "b": [0, 0, 1, 1, 1, 1, 1, 1.0]})
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    trees = {
        ties: TreeClassifier(search="optimal", max_depth=1, ties=ties).fit(frame, y)
        for ties in ("impurity", "first")
    }
    assert {ties: tree.model_.body.columns for ties, tree in trees.items()} == {
        "impurity": ("b",),
        "first": ("a",),
    }
    assert trees["impurity"].optimality_ == trees["first"].optimality_


def test_recipes_of_earlier_versions_take_the_first_tree_with_the_fewest_errors():
    tree = SETTINGS["tree"]
    recipe = recipe_of(tree(search="optimal"))
    assert recipe["parameters"].pop("ties") == "impurity"
    assert recipe["parameters"].pop("impurity_weight") == 0
    earlier, _ = settings_of(recipe, SETTINGS)
    assert (earlier.ties, earlier.impurity_weight) == ("first", 0)
    grown = recipe_of(tree())
    assert not {"ties", "impurity_weight"} & set(grown["parameters"])
    assert settings_of(grown, SETTINGS)[0] == tree()


def test_pruning_by_bound_chooses_a_size(patients):
    frame, y = patients
    tree = TreeClassifier(search="optimal", pruning="bound").fit(frame, y)
    assert tree.certificate_.bound == min(entry.certificate.bound for entry in tree.path_)
    leaves = len(tree.model_.body.outputs)
    assert f"with at most {leaves} leaves" in tree.optimality_.sentence


def test_a_split_certificate_has_optimal_trees_as_candidates(patients):
    frame, y = patients
    tree = TreeClassifier(search="optimal", max_depth=2, certificate="split", n_splits=2)
    tree.fit(frame, y)
    assert tree.certificate_.verify(tree.model_, frame, y).holds
    assert not hasattr(tree, "optimality_")


def test_sentences_say_what_is_proven(patients):
    frame, y = patients
    tree = TreeClassifier(search="optimal", max_depth=2).fit(frame, y)
    assert tree.optimality_.sentence == (
        "Optimal, with proof: no tree of depth 2 or less with at most 4 leaves, and at most 32 "
        "cuts of a column, has a lower training error."
    )
    assert tree.notices_[0] == tree.optimality_.sentence
    priced = TreeClassifier(search="optimal", max_depth=2, ccp_alpha=0.01).fit(frame, y)
    assert priced.optimality_.sentence.endswith("lower training error plus 0.01 for each leaf.")
    stopped = TreeClassifier(search="optimal", max_subproblems=1).fit(frame, y).optimality_
    assert stopped.sentence.startswith(
        "Not proven optimal: the search stopped at max_subproblems. The training error is "
    )
    assert stopped.gap > 0
    assert stopped.to_json()["proven"] is False
    impure = TreeClassifier(search="optimal", max_depth=1, impurity_weight=0.5).fit(frame, y)
    assert impure.optimality_.sentence.endswith(
        "training error plus 0.5 times the Gini impurity of the leaves."
    )


def test_a_time_budget_keeps_the_best_tree_and_a_valid_bound(patients):
    frame, y = patients
    with pytest.warns(TimeBudgetWarning):
        tree = TreeClassifier(search="optimal", max_depth=4, time_budget=1e-9).fit(frame, y)
    best = TreeClassifier(search="optimal").fit(frame, y)
    assert tree.optimality_.stopped_by == "time_budget"
    assert tree.optimality_.lower_bound <= best.optimality_.objective


def test_alternatives_have_other_first_tests(patients):
    frame, y = patients
    options = {"search": "optimal", "max_depth": 2, "n_alternatives": 3, "max_excess": 0.02}
    tree = TreeClassifier(**options).fit(frame, y)
    found, most = tree.optimality_, tree.path_[-1].errors + 0.02 * len(frame)
    assert found.n_alternatives >= len(tree.alternatives_) == 3
    first = [str(entry.model.body.nodes[0]) for entry in tree.alternatives_]
    assert len({*first, str(tree.model_.body.nodes[0])}) == 4
    for entry in tree.alternatives_:
        assert entry.errors <= most
        assert (entry.model.predict(frame) != y).sum() == entry.errors
        assert entry.certificate.verify(entry.model, frame, y).holds
    assert f"{found.n_alternatives} other first tests give trees" in tree.notices_[1]
    none = TreeClassifier(search="optimal", max_depth=1, n_alternatives=2)
    none.fit(frame[["age"]], frame["age"] > 60)
    assert "No other first test" in none.notices_[1]
    assert not hasattr(none, "alternatives_")


def test_alternatives_of_a_hold_out_are_checked_too(patients):
    frame, y = patients
    tree = TreeClassifier(
        search="optimal", max_depth=1, n_alternatives=1, max_excess=0.2, certificate="holdout"
    ).fit(frame, y)
    (entry,) = tree.alternatives_
    assert entry.certificate.form == "holdout"
    plain = TreeClassifier(
        search="optimal", max_depth=1, n_alternatives=1, max_excess=0.2, certificate=None
    ).fit(frame, y)
    assert plain.alternatives_[0].model.certificate is None
    assert plain.notices_[0].startswith("Optimal, with proof")


def test_a_least_share_of_a_leaf_has_no_effect_and_a_warning(patients):
    frame, y = patients
    expected = TreeClassifier(search="optimal", max_depth=2).fit(frame, y)
    tree = TreeClassifier(search="optimal", max_depth=2, min_weight_fraction_leaf=0.3)
    with pytest.warns(UserWarning, match="min_weight_fraction_leaf has no effect with"):
        tree.fit(frame, y)
    assert tree.model_.body == expected.model_.body


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "gini"}, "criterion has no effect with search='optimal'"),
        ({"preset": "c4.5"}, "preset has no effect"),
        ({"min_samples_leaf": 5}, "min_samples_leaf has no effect"),
        ({"monotonic_cst": {"age": 1}}, "monotonic_cst has no effect"),
        ({"missing": "fractional"}, "needs missing='side'"),
        ({"pruning": "pessimistic"}, "pruning='none' or 'bound'"),
        ({"family": "subsets"}, "has the families 'thresholds'"),
        ({"max_depth": 9}, "max_depth must be at most 8"),
        ({"max_leaf_nodes": 65}, "max_leaf_nodes must be at most 64"),
        ({"max_cuts": 0}, "max_cuts must be a whole number from 1 to 1000, got 0"),
        ({"n_alternatives": -1}, "n_alternatives must be a whole number of 0 or more"),
        ({"max_memory": 0}, "max_memory must be a number above 0"),
        ({"search": "greedy", "max_cuts": 9}, "max_cuts has no effect with search='greedy'"),
        ({"search": "greedy", "ties": "first"}, "ties has no effect with search='greedy'"),
        ({"search": "greedy", "missing_sides": "median"}, "missing_sides has no effect"),
        ({"search": "greedy", "impurity_weight": 1.0}, "impurity_weight has no effect"),
        ({"impurity_weight": 10.5}, "impurity_weight must be from 0 to 10"),
        ({"impurity_weight": 0.125}, "at most two digits after the point, got 0.125"),
        ({"impurity_weight": -1}, "impurity_weight must be a number of 0 or more"),
        ({"missing_sides": "mean"}, "missing_sides must be one of 'median', 'either'"),
        ({"search": "best"}, "search must be one of 'greedy', 'optimal'"),
        ({"certificate": "split", "time_budget": 1}, "exclude each other"),
    ],
)
def test_options_that_do_not_go_together_are_refused(patients, options, message):
    with pytest.raises(InputError, match=message):
        TreeClassifier(**{"search": "optimal", **options}).fit(*patients)


def test_many_categories_keep_the_most_frequent():
    rng = np.random.default_rng(1)
    towns = rng.choice([f"town {i}" for i in range(40)], 500, p=np.arange(1, 41) / 820)
    y = np.where(towns == "town 39", "yes", "no")
    tree = TreeClassifier(search="optimal", max_cuts=3, max_depth=1)
    tree.set_params(categorical_features=["town"]).fit(pd.DataFrame({"town": towns}), y)
    assert tree.score(pd.DataFrame({"town": towns}), y) == 1.0
    assert str(tree.model_) == "if town = town 39: yes\nelse: no"


def test_the_result_is_plain_values():
    found = Optimality(0.25, 0.25, 7, "tree")
    assert found.proven
    assert found.to_json() == {
        "objective": 0.25,
        "lower_bound": 0.25,
        "subproblems": 7,
        "models": "tree",
        "measure": "training error",
        "stopped_by": "",
        "n_alternatives": None,
        "gap": 0.0,
        "proven": True,
    }
