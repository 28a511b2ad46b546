"""Conditions in the values of the training rows: the same rows of training, in fewer words."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from strategies.mixed import tables
from strategies.nodes import PREDICATES

from rulewright import SetCoveringMachine, TreeClassifier, load_model, save_model
from rulewright.models import ProfileMaker, training_condition
from rulewright.rules import Category, Threshold


@given(tables(), PREDICATES)
def test_a_condition_holds_on_the_same_training_rows(table, condition):
    missing = np.any([table.missing(name) for name in table.names], axis=0)
    for rows in (table, table.take(~missing)):
        profile = ProfileMaker(rows).profile(rows.names, None)
        shorter = training_condition(condition, profile)
        assert (shorter.holds(rows) == condition.holds(rows)).all()
        assert shorter.literals == condition.literals


def flags(rows=300, missing=False):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(["t", "f"], rows) for name in ("over", "night")})
    X["city"] = rng.choice(["Bern", "Chur", "Genf"], rows)
    X["age"] = rng.integers(18, 80, rows).astype(float)
    y = np.where((X["over"] == "t") & (X["night"] == "t"), "well", "ill")
    if missing:
        X.loc[:9, ["over", "night", "city"]] = None
        X.loc[:9, "age"] = np.nan
    return X, y


def headlines(model, **options):
    return [model.rule_headline(number, **options) for number in range(len(model.rules))]


@pytest.mark.parametrize(
    "learner", [TreeClassifier(), SetCoveringMachine(kind="conjunction", penalty=10, max_rules=2)]
)
def test_a_column_of_two_values_reads_without_a_negation(learner, tmp_path):
    model = learner.fit(*flags()).model_
    assert any("or missing" in text for text in headlines(model))
    shown = headlines(model, in_training=True)
    assert {"over = f", "night = f"} <= {part for text in shown for part in text.split(" and ")}
    assert not any("missing" in text or "!=" in text for text in shown)
    save_model(model, tmp_path / "model.json")
    assert headlines(load_model(tmp_path / "model.json"), in_training=True) == shown


def test_missing_values_of_training_stay_in_the_condition():
    model = TreeClassifier(missing="side").fit(*flags(missing=True)).model_
    exact = [text.count("missing") for text in headlines(model)]
    assert sum(exact)
    assert [text.count("missing") for text in headlines(model, in_training=True)] == exact


def test_of_many_categories_the_few_are_named():
    X, _ = flags()
    model = TreeClassifier().fit(X, np.where(X["city"] == "Chur", "a", "b")).model_
    assert "city != Chur" in headlines(model, in_training=True)
    maker = ProfileMaker(model.table(X))
    profile = maker.profile(["city"], None)
    others = ~Category("city", ("Bern", "Chur"))
    assert training_condition(others, profile) == Category("city", ("Genf",))
    assert training_condition(~Category("city", ("Bern", "Chur", "Genf")), profile).among is False
    assert training_condition(others, None) == others
    unknown = ~Threshold("age", True, 3.0)
    assert training_condition(unknown, profile) == unknown


def test_new_values_are_answered_as_the_exact_condition_says():
    model = TreeClassifier(family="categories").fit(*flags()).model_
    new = pd.DataFrame({"over": ["x", None], "night": "t", "city": "Bern", "age": 70.0})
    answers = model.body.answer(model.table(new))
    for row, number in enumerate(answers):
        assert model.rules[number].condition.holds(model.table(new))[row]
