"""rulewright fit --learner tree."""

import pandas as pd
import pytest

from rulewright import TreeClassifier, load_model

FIT = ("--target", "class", "--drop", "id", "--learner", "tree")


@pytest.mark.slow
def test_a_tree_is_fitted_certified_shown_and_run(rulewright, table, tmp_path):
    model, report = tmp_path / "m.json", tmp_path / "r.html"
    options = ("--pruning", "bound", "--out", model, "--report", report)
    done = rulewright("fit", table, *FIT, *options)
    assert done.code == 0, done.err
    assert "tree, cart, bound pruning, the best certificate of " in done.out
    assert "if city = Chur: bad" in done.out
    assert "<svg" in report.read_text(encoding="utf-8")
    assert rulewright("certify", model, table).code == 0
    assert "city = Chur" in rulewright("show", model).out
    assert rulewright("predict", model, table, "--out", tmp_path / "p.csv").code == 0


@pytest.mark.parametrize("preset", ["cart", "c4.5", "id3"])
@pytest.mark.parametrize("pruning", ["bound", "pessimistic", "reduced-error", "none"])
def test_the_tree_is_the_estimators(rulewright, table, tmp_path, preset, pruning):
    model = tmp_path / "m.json"
    options = ("--preset", preset, "--pruning", pruning, "--max-leaf-nodes", 6, "--out", model)
    assert rulewright("fit", table, *FIT, *options).code == 0
    frame = pd.read_csv(table).drop(columns="id")
    tree = TreeClassifier(preset=preset, pruning=pruning, max_leaf_nodes=6)
    tree.fit(frame.drop(columns="class"), frame["class"])
    assert load_model(model) == tree.model_


def test_families_say_what_may_be_tested(rulewright, table, tmp_path):
    model = tmp_path / "m.json"
    options = ("--family", "thresholds", "--family", "multiway", "--pruning", "none")
    done = rulewright("fit", table, *FIT, *options, "--max-leaf-nodes", 5, "--out", model)
    assert done.code == 0, done.err
    assert "if city = Chur: bad" in done.out
    assert rulewright("certify", model, table).code == 0


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (("--family", "ranges", "--family", "multiway"), {"family": ["ranges", "multiway"]}),
        (
            ("--family", "half_planes", "--max-sum-columns", 3),
            {"family": ["half_planes"], "max_sum_columns": 3},
        ),
    ],
    ids=["ranges", "half-planes"],
)
def test_ranges_and_half_planes_are_those_of_the_estimator(
    rulewright, table, tmp_path, options, settings
):
    model = tmp_path / "m.json"
    done = rulewright("fit", table, *FIT, *options, "--max-leaf-nodes", 6, "--out", model)
    assert done.code == 0, done.err
    frame = pd.read_csv(table).drop(columns="id")
    tree = TreeClassifier(max_leaf_nodes=6, **settings)
    tree.fit(frame.drop(columns="class"), frame["class"])
    assert load_model(model) == tree.model_
    assert rulewright("certify", model, table).code == 0
    wrong = rulewright("fit", table, *FIT, "--family", "half_planes", "--max-sum-columns", 7)
    assert wrong.code != 0
    assert "max_sum_columns must be 2, 3 or 4, got 7" in wrong.err


def test_what_is_not_for_trees_is_refused(rulewright, table):
    assert rulewright("fit", table, *FIT, "--penalty", 2).code == 2
    assert rulewright("fit", table, *FIT, "--consistent").code == 2
    done = rulewright("fit", table, *FIT, "--family", "subsets", "--family", "multiway")
    assert done.code == 1
    assert "family may have one of" in done.err


def test_costs_weigh_as_in_the_estimator(rulewright, table, tmp_path):
    """A cost of two and a half once doubled all weights here, and so halved C4.5's least leaf."""
    model = tmp_path / "m.json"
    options = ("--preset", "c4.5", "--pruning", "none", "--class-costs", "bad=2.5")
    assert rulewright("fit", table, *FIT, *options, "--out", model).code == 0
    frame = pd.read_csv(table).drop(columns="id")
    tree = TreeClassifier(preset="c4.5", pruning="none", class_costs={"bad": 2.5})
    tree.fit(frame.drop(columns="class"), frame["class"])
    assert load_model(model) == tree.model_


def test_keys_are_left_out_and_named_and_can_be_kept(rulewright, table, tmp_path):
    frame = pd.read_csv(table)
    other = tmp_path / "with keys.csv"
    frame.assign(ticket=[f"T{i}" for i in range(len(frame))]).to_csv(other, index=False)
    done = rulewright("fit", other, "--target", "class", "--learner", "tree")
    assert done.code == 0, done.err
    assert "if city = Chur: bad" in done.out
    assert "Column 'id' is left out" in done.err
    assert "Column 'ticket' is left out" in done.err
    assert f"{len(frame)} of its {len(frame)} values occur only once" in done.err
    kept = ("--categorical", "ticket", "--categorical", "id")
    done = rulewright("fit", other, "--target", "class", "--learner", "tree", *kept)
    assert "left out" not in done.err
    assert "if city = Chur: bad" in done.out


def test_time_that_is_up_is_a_caution(rulewright, table):
    done = rulewright("fit", table, *FIT, "--time-budget", 1e-6)
    assert done.code == 0, done.err
    assert "Caution: The time_budget of 1e-06 seconds was over" in done.err
    assert "the tree has 1 leaf." in done.err
    refused = rulewright("fit", table, *FIT, "--time-budget", 0)
    assert refused.code == 1
    assert "time_budget must be a number of seconds above 0" in refused.err
