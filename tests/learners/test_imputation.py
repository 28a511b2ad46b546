"""Balls and half-spaces whose missing values count as numbers of the model."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from families.cases import tables
from hypothesis import given
from hypothesis import strategies as st
from oracles.families import gathers
from sklearn.impute import SimpleImputer
from strategies.effort import QUARTER
from strategies.numbers import TIED_OR_MISSING, weights_for

from rulewright import (
    BoundSearch,
    DecisionListMachine,
    RuleListClassifier,
    SetCoveringMachine,
    TreeClassifier,
    load_model,
)
from rulewright.data import NumericColumn, Table
from rulewright.errors import CertificateError, InputError
from rulewright.families import FILLINGS, Balls, HalfSpaces, Question, Training
from rulewright.rules import Ball, HalfSpace, Missing, Scaling, Split, literals_of

WAYS = FILLINGS[1:]
SPACES = ["balls", "half_spaces"]


def gaps(rows=160, seed=0):
    """Points inside and outside a circle; a tenth of the numbers is missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2)).round(1)
    y = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 < 1.5, "inside", "outside")
    X[rng.random(X.shape) < 0.1] = np.nan
    return pd.DataFrame(X, columns=["east", "north"]), y


def fillings(model):
    """The numbers of each test for missing values."""
    spaces = [part for part in literals_of(model.body) if isinstance(part, Ball | HalfSpace)]
    return {part.scaling.fill for part in spaces}


def filled(frame, numbers):
    return frame.fillna(dict(zip(frame.columns, numbers, strict=True)))


@pytest.mark.parametrize("way", WAYS)
@given(st.lists(st.one_of(TIED_OR_MISSING, st.sampled_from([np.inf, 1e300])), min_size=1))
@QUARTER
def test_the_numbers_are_those_of_the_rows_set_aside(way, values):
    x = np.array(values)
    aside = np.arange(0, x.size, 10)
    table = Table([NumericColumn("x", x)], x.size)
    (found,) = Balls(impute=way).measured(table, aside).scaling.fill
    known = x[aside][np.isfinite(x[aside])]
    if not known.size or not np.isfinite(known.sum()):
        assert np.isfinite(found)
        return
    (expected,) = SimpleImputer(strategy=way).fit(known[:, None]).statistics_
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("scale", ["none", "standard", "rank"])
@pytest.mark.parametrize("kind", [Balls, HalfSpaces])
@given(st.data(), st.sampled_from(WAYS), st.integers(1, 8))
@QUARTER
def test_the_search_is_that_of_filled_columns(kind, scale, data, way, rows):
    table = data.draw(tables(rows, TIED_OR_MISSING))
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)), np.int32)
    family = kind(scale=scale, impute=way).measured(table, np.arange(rows))
    plain = replace(family, impute="none", scaling=replace(family.scaling, fill=()))
    names = [column.name for column in table.quantities]
    numbers = dict(zip(names, family.scaling.fill, strict=True))
    complete = Table([with_number(c, numbers) for c in table.columns], rows)
    question = Question(data.draw(weights_for(rows)), output=data.draw(st.integers(0, 2)))
    found = family.prepare(Training(table, y)).heaviest(question)
    expected = plain.prepare(Training(complete, y)).heaviest(question)
    assert (found and found[1:]) == (expected and expected[1:])
    if found is not None:
        fires = found.predicate.holds(table) == question.side
        assert gathers(fires, question.weight) == found[1:]
        assert (fires == (found.predicate.holds(complete) == question.side)).all()


def with_number(column, numbers):
    if column.name not in numbers:
        return column
    number = numbers[column.name]
    return NumericColumn(column.name, np.where(np.isnan(column.values), number, column.values))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("family", SPACES)
def test_a_model_answers_as_if_the_values_had_been_filled(family, way, tmp_path):
    X, y = gaps()
    options = {"family": family, "impute": way, "max_rules": 3}
    machine = SetCoveringMachine(scale="standard", **options).fit(X, y)
    (numbers,) = fillings(machine.model_)
    whole = filled(X, numbers)
    assert machine.predict(X).tolist() == machine.predict(whole).tolist()
    assert machine.explain(X)["why"].tolist() == machine.explain(whole)["why"].tolist()
    machine.save_model(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert model == machine.model_
    assert model.certificate.verify(model, X, y)
    shuffled = np.random.default_rng(1).permutation(len(X))
    again = SetCoveringMachine(scale="standard", **options).fit(X.iloc[shuffled], y[shuffled])
    assert fillings(again.model_) == {numbers}
    assert again.predict(X).tolist() == machine.predict(X).tolist()


LEARNERS = {
    "list machine": DecisionListMachine(family="balls", impute="mean", max_rules=3),
    "consistent": SetCoveringMachine(family="half_spaces", impute="median", consistent=True),
    "with thresholds": SetCoveringMachine(family=["missing", Balls(impute="mean")], max_rules=2),
    "rule list": RuleListClassifier(family=["thresholds", "balls"], impute="mean", max_rules=2),
    "split": RuleListClassifier(
        family="balls", impute="mean", max_rules=2, max_candidates=20, certificate="split"
    ),
    "tree": TreeClassifier(family=["balls"], impute="mean", max_leaf_nodes=4),
    "c4.5": TreeClassifier(
        preset="c4.5", family=["balls", "thresholds"], impute="most_frequent", max_leaf_nodes=4
    ),
    "search": BoundSearch(SetCoveringMachine(family="balls"), {"impute": WAYS, "max_rules": [2]}),
    "held out": BoundSearch(
        SetCoveringMachine(family="balls", impute="median"), {"max_rules": [1, 2]}, by="holdout"
    ),
}


@pytest.mark.filterwarnings("ignore::UserWarning")  # of candidates that are not tried
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_with_a_certificate_verifies(name):
    X, y = gaps()
    learner = LEARNERS[name].fit(X, y)
    (numbers,) = fillings(learner.model_)
    assert learner.certificate_.verify(learner.model_, X, y)
    assert learner.score(X, y) > 0.65
    if any(isinstance(part, Missing) for part in literals_of(learner.model_.body)):
        return
    if name != "c4.5":  # its thresholds let missing values go down all branches
        assert learner.predict(X).tolist() == learner.predict(filled(X, numbers)).tolist()


def test_a_filled_row_takes_one_branch_of_a_tree():
    X, y = gaps()
    tree = TreeClassifier(missing="fractional", family=["balls"], impute="mean", max_leaf_nodes=3)
    body = tree.fit(X, y).model_.body
    assert all(node.shares == () for node in body.nodes if isinstance(node, Split))


def test_other_numbers_than_those_of_the_rows_set_aside_are_found_out():
    X, y = gaps()
    machine = SetCoveringMachine(family="balls", impute="mean", max_rules=2).fit(X, y)
    body = machine.model_.body
    (numbers,) = fillings(machine.model_)
    other = Scaling(fill=(numbers[0] + 0.5, numbers[1]))
    forged = replace(body, parts=tuple(replace(part, scaling=other) for part in body.parts))
    with pytest.raises(CertificateError):
        machine.certificate_.verify(replace(machine.model_, body=forged), X, y)


def test_the_rows_set_aside_are_not_counted_and_no_theorem_is_printed():
    X, y = gaps()
    certificate = SetCoveringMachine(family="balls", impute="mean").fit(X, y).certificate_
    assert sum(certificate.aside) in range(10, 17)
    assert certificate.printed_bound is None
    assert [family.to_json() for family in certificate.families] == [
        {"name": "balls", "impute": "mean"}
    ]


def test_without_missing_values_the_numbers_change_no_answer():
    X, y = gaps()
    X = X.fillna(0.25)
    plain = SetCoveringMachine(family="balls", max_rules=2).fit(X, y)
    imputed = SetCoveringMachine(family="balls", impute="mean", max_rules=2).fit(X, y)
    assert imputed.predict(X).tolist() == plain.predict(X).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"impute": "knn"}, "impute must be one of 'none', 'mean', .*got 'knn'"),
        ({"impute": "mean", "metric": "precomputed"}, "distances cannot be imputed"),
    ],
)
def test_what_cannot_be_imputed_is_refused(options, message):
    X, y = gaps(20)
    with pytest.raises(InputError, match=message):
        SetCoveringMachine(family="balls", **options).fit(X, y)


def test_an_option_without_effect_is_noticed():
    X, y = gaps(40)
    with pytest.warns(UserWarning, match="impute has no effect with family='thresholds'"):
        SetCoveringMachine(family="thresholds", impute="mean").fit(X, y)
