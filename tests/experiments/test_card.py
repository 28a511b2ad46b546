"""The off-the-shelf card: forms of tables, measurements and verdicts."""

import dataclasses

import numpy as np
import pytest

from rulewright.experiments import EXPERIMENTS, OffTheShelf, Result
from rulewright.experiments.card import (
    BAYES,
    FORMS,
    LEARNERS,
    LECTURE,
    VERDICTS,
    Measured,
    changed,
    changed_table,
    made,
    missing_cells,
    mixed_table,
    mixed_types,
    model_size,
    verdict,
)

RNG = np.random.default_rng(0)
X, TEST = RNG.normal(size=(300, 4)) * [1, 10, 0.1, 5], RNG.normal(size=(100, 4))

PERFECT = Measured(
    takes_mixed=True,
    mixed_excess=0.0,
    takes_missing=True,
    missing_loss=0.0,
    cause_loss=0.0,
    outlier_loss=0.0,
    changed=0.0,
    exponent=1.0,
    noise_loss=0.0,
    rotation_loss=0.0,
    rules=3.0,
    literals=5.0,
    columns=3.0,
    accuracy=0.9,
    behind=0.0,
)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_the_same_each_time_and_leaves_its_input(form):
    before = X.copy()
    first, again = (changed(form, X, TEST, seed=3) for _ in range(2))
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, again, strict=True))
    assert np.array_equal(X, before)


def test_a_fifth_of_the_cells_is_missing():
    train, test = changed("missing", X, TEST, seed=0)
    assert np.isnan(train).mean() == pytest.approx(0.2, abs=0.04)
    assert np.isnan(test).mean() == pytest.approx(0.2, abs=0.08)
    train, test = changed("cause", X, TEST, seed=0)
    assert np.isnan(train).mean() == pytest.approx(0.2, abs=0.01)
    limit = np.nanmax(train, axis=0)
    assert (np.isnan(train) == (X > limit)).all() and (np.isnan(test) <= (TEST > limit)).all()


def test_outliers_are_in_training_only():
    train, test = changed("outliers", X, TEST, seed=0)
    assert np.array_equal(test, TEST)
    moved = train != X
    assert moved.mean() == pytest.approx(0.05, abs=0.02)
    assert (np.abs(train - X)[moved] > 50 * np.abs(X).std(axis=0).min()).all()


def test_a_monotone_form_keeps_the_order_and_a_rotation_the_distances():
    train, test = changed("monotone", X, TEST, seed=0)
    whole, bent = np.concatenate([X, TEST]), np.concatenate([train, test])
    assert np.array_equal(whole.argsort(axis=0), bent.argsort(axis=0))
    turned, _ = changed("rotated", X, TEST, seed=0)
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    assert np.linalg.norm(turned[0] - turned[1]) == pytest.approx(
        np.linalg.norm(standard[0] - standard[1])
    )
    noisy, test = changed("irrelevant", X, TEST, seed=0)
    assert noisy.shape == (300, 44) and test.shape == (100, 44)
    assert np.array_equal(noisy[:, :4], X)


def test_the_mixed_table_has_the_stated_share_of_wrong_labels():
    table, y = mixed_table(20_000, seed=0)
    place, size = (
        np.array(table.categories(c).categories)[table.categories(c).codes]
        for c in ("place", "size")
    )
    bad = np.isin(place, ["place b", "place e", "place g"]) & (table.numbers("age") > 40)
    bad |= (size == "large") & (table.numbers("income") < 30)
    assert ((y == "bad") != bad).mean() == pytest.approx(BAYES, abs=0.006)


def test_whether_a_table_is_taken_is_found_out_by_trying():
    for function in (mixed_types, missing_cells):
        assert function({"learner": "tree", "rows": 60}, None)["taken"]
        assert not function({"learner": "lda", "rows": 60}, None)["taken"]


def test_a_machine_gives_the_same_answers_after_a_monotone_transformation():
    """Trees need not: like C4.5 they cut below the middle between the two sides."""
    common = {"learner": "scm", "table": "wdbc", "folds": 2}
    plain, bent = (changed_table({"form": form, **common}, None) for form in ("plain", "monotone"))
    assert plain["answers"] == bent["answers"]
    assert plain["size"]["literals"] >= 1


@pytest.mark.parametrize("name", [*LEARNERS, "cart", "knn"])
def test_every_learner_is_made_and_has_a_size(name):
    data = RNG.normal(size=(60, 3))
    model = made(name)
    if name == "forest":
        model.set_params(classifier__n_estimators=5)
    size = model_size(model.fit(data, (data[:, 0] > 0).astype(int)))
    assert (size is None) == (name == "knn")
    assert size is None or 1 <= size["columns"] <= 3


@pytest.mark.parametrize(
    "criterion, change",
    [
        ("mixed data", {"takes_mixed": False}),
        ("mixed data", {"mixed_excess": 0.06}),
        ("missing values", {"takes_missing": False}),
        ("missing values", {"cause_loss": 0.11}),
        ("outliers", {"outlier_loss": 0.03}),
        ("monotone transformations", {"changed": 0.02}),
        ("scalability", {"exponent": 2.0}),
        ("irrelevant inputs", {"noise_loss": 0.03}),
        ("linear combinations", {"rotation_loss": 0.03}),
        ("interpretable", {"literals": 51.0}),
        ("interpretable", {"literals": None}),
        ("accurate", {"behind": 0.06}),
    ],
)
def test_a_verdict_follows_its_number(criterion, change):
    assert VERDICTS.keys() == LECTURE.keys()
    assert verdict(criterion, PERFECT).startswith("yes (")
    assert verdict(criterion, dataclasses.replace(PERFECT, **change)).startswith("no (")


def fabricated(cell):
    parameters = cell.parameters
    name = cell.function.rpartition(".")[2]
    size = {"rules": 2.0, "literals": 4.0, "columns": 3.0}
    loss = {"missing": 0.03, "rotated": 0.2}.get(parameters.get("form"), 0.0)
    answers = "0101" if parameters.get("form") == "monotone" else "0111"
    return {
        "changed_table": {"accuracy": 0.9 - loss, "answers": answers, "size": size},
        "real_table": {"accuracy": 0.8},
        "mixed_types": {"error": 0.06, "taken": True},
        "missing_cells": {"taken": parameters["learner"] != "lda"},
        "growth": {"seconds": parameters.get("rows", 1) ** 1.5 / 1e6},
    }[name]


@pytest.mark.parametrize("quick", [True, False])
def test_the_card_says_what_was_measured(quick):
    experiment = OffTheShelf(["tree", "lda"])
    results = [Result(cell, fabricated(cell), 0.0) for cell in experiment.cells(quick)]
    page = experiment.page(results, quick)
    assert page.tables[0].names == ["learner", *LECTURE]
    names, *columns = zip(*page.tables[0].rows, strict=True)
    assert names == ("tree", "lda")
    rows = {name: list(column) for name, column in zip(LECTURE, columns, strict=True)}
    assert rows["missing values"] == ["yes (-3.0, +0.0)", "no (refused; -3.0, +0.0)"]
    assert rows["monotone transformations"] == ["no (25.0 %)"] * 2
    assert rows["scalability"] == ["no (1.50)"] * 2
    assert rows["linear combinations"] == ["no (-20.0)"] * 2
    beside = page.tables[-1]
    assert beside.names == ["criterion", "lda, lecture", "measured"]
    assert (1, 2) in beside.emphasis and (0, 2) in beside.emphasis


def test_the_forest_is_measured_for_comparison_but_not_shown():
    cells = OffTheShelf(["tree"]).cells(True)
    assert {cell.parameters["learner"] for cell in cells} == {"tree", "forest"}
    assert isinstance(EXPERIMENTS["off-the-shelf"], OffTheShelf)
