"""Fitted objects of scikit-learn: exact on every double, and what is refused."""

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from exports.hard_rows import hard_table
from exports.test_hostile_names import HOSTILE
from golden import make
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.nodes import trees

from rulewright import TreeClassifier, TreeRegressor, load_model
from rulewright.data import Field, NumericColumn, Table
from rulewright.errors import InputError, UnrenderableError
from rulewright.exports import ENGINES, Job, compare, model_answers
from rulewright.models import Model
from rulewright.render import file_content
from rulewright.rules import Interval, Leaf, Missing, Not, Split, Threshold, Tree

FOLDER = make.FOLDER / "0.1"
ENGINE = ENGINES["sklearn"]
REASONS = (
    "scikit-learn has no such object|divides rows|reads no column|holds categories|holds dates|"
    "not a threshold|of its user|precomputed"
)
CUTS = (
    *(
        0.0,
        -0.0,
        5e-324,
        0.1,
        math.nextafter(0.1, 1.0),
        math.nextafter(0.1, 0.0),
        1 / 3,
        16777217.0,
    ),
    *(1.7976931348623157e308, -1.7976931348623157e308, 2.0**53, 1e-300),
)
FIELDS = (Field("a", "numeric"), Field("b", "numeric"))
NAMES = st.sampled_from(["a", "b"])
THRESHOLDS = st.builds(
    Threshold,
    NAMES,
    st.booleans(),
    st.sampled_from(CUTS),
    st.booleans(),
    st.just(()),
    st.booleans(),
)
TESTS = st.one_of(THRESHOLDS, THRESHOLDS.map(Not), st.builds(Missing, NAMES, st.booleans()))


def golden(name):
    return load_model(FOLDER / f"{name}.json", functions=make.FUNCTIONS)


def model_of(body, fields=FIELDS):
    evidence = tuple((2.0, 1.0 + number, 3.0) for number, _ in enumerate(body.outputs))
    return Model(fields, ("no", "perhaps", "yes"), body, evidence)


def numeric_model():
    rows = make.patients().head(make.ROWS)
    return TreeClassifier().fit(rows[make.NUMBERS], rows["outcome"]).model_


def differing(jobs, **options):
    engine = ENGINE.with_options(options)
    found = zip(jobs.items(), engine.run(list(jobs.values())), strict=True)
    compared = {
        name: compare(engine.title, model_answers(job.model, job.table), answers)
        for (name, job), answers in found
    }
    return {name: str(each) for name, each in compared.items() if each.differing}


def exportable(models):
    there = {}
    for name, model in models.items():
        try:
            model.export("sklearn")
            there[name] = model
        except UnrenderableError as error:
            assert re.search(REASONS, str(error)), error
    return there


def single(table):
    """A table of finite numbers that single precision can hold."""
    columns = []
    with np.errstate(over="ignore"):
        for name in table.names:
            x = table.numbers(name).astype(np.float32).astype(float)
            columns.append(NumericColumn(name, np.where(np.isinf(x), 0.0, x)))
    return Table(columns, table.rows)


def same_answers(model, table, exported):
    """Whether an object in this process has the classes, rules and probabilities of its model."""
    x = np.column_stack([table.numbers(name) for name in table.names])
    tree, codes = exported, x
    if hasattr(exported, "steps"):
        tree, codes = exported[-1], exported[:-1].transform(x)
    else:
        del exported.feature_names_in_  # the rows have no names
    rules, shares = model.body.answered(table, model.probabilities)
    found = tree.apply(codes) - tree.tree_.node_count + tree.tree_.n_leaves
    labels = [model.label_of(model.body.outputs[rule]) for rule in rules.tolist()]
    return (
        exported.predict_proba(x).tolist() == shares.tolist()
        and found.tolist() == rules.tolist()
        and exported.predict(x).tolist() == labels
    )


def drawn_tree_agrees(body, rows):
    model = model_of(body)
    if exportable({"drawn": model}):
        table = hard_table(model, rows)
        assert same_answers(model, table, model.export("sklearn"))
        assert same_answers(model, single(table), model.export("sklearn", precision="single"))


@given(trees(TESTS, most=4, shared=False))
@settings(max_examples=25)
def test_a_pipeline_answers_every_double_as_its_tree_does(body):
    drawn_tree_agrees(body, 80)


@pytest.mark.exports
@given(trees(TESTS, most=8, shared=False))
@settings(max_examples=1000)
def test_pipelines_of_very_many_trees_answer_as_they_do(body):
    drawn_tree_agrees(body, 1000)


def test_models_of_files_answer_hard_rows_without_this_package():
    models = {name: golden(name) for name in ("TreeRegressor-absolute", "from_sklearn")}
    models["fitted"] = numeric_model()
    assert differing({name: Job(m, hard_table(m, 300)) for name, m in models.items()}) == {}


@pytest.mark.exports
def test_every_tree_that_can_be_exported_answers_20000_hard_rows():
    rows = make.patients().head(make.ROWS)
    numeric = rows[make.NUMBERS]
    models = {
        path.stem: load_model(path, functions=make.FUNCTIONS) for path in FOLDER.glob("*.json")
    }
    options = {"default": {}, "deep": {"max_depth": 12}}
    options |= {family: {"family": family} for family in ("thresholds", "rounded")}
    for name, some in options.items():
        models[f"{name}-classes"] = TreeClassifier(**some).fit(numeric, rows["outcome"]).model_
        models[f"{name}-three"] = TreeClassifier(**some).fit(numeric, rows["severity"]).model_
        models[f"{name}-numbers"] = TreeRegressor(**some).fit(numeric, rows["cost"]).model_
    there = exportable(models)
    assert len(there) >= 12
    assert differing({name: Job(m, hard_table(m, 20_000)) for name, m in there.items()}) == {}
    tables = {name: Job(m, single(hard_table(m, 20_000))) for name, m in there.items()}
    assert differing(tables, precision="single") == {}


def test_columns_are_found_by_name():
    model = numeric_model()
    exported = model.export("sklearn")
    rows = make.patients().head(60)
    expected = model.predict(rows).tolist()
    names = list(exported.feature_names_in_)
    assert names == [field.name for field in model.columns if field.name in model.body.columns]
    for frame in (rows, rows.select(sorted(rows.columns, reverse=True)), rows.to_pandas()):
        assert isinstance(frame, pl.DataFrame | pd.DataFrame)
        assert exported.predict(frame).tolist() == expected
    with pytest.raises(ValueError, match="columns are missing"):
        exported.predict(rows.drop(names[0]).to_pandas())
    bare = model.export("sklearn", precision="single")
    assert bare.feature_names_in_.tolist() == names


def test_an_object_says_what_it_is_and_its_file_is_the_same_each_time():
    model = numeric_model()
    exported = model.export("sklearn")
    lines = exported.description_.splitlines()
    assert lines[0].startswith("Rulewright model: tree of")
    assert f"Certificate: {model.certificate.sentence}" in lines
    assert lines[-1] == "Check: rulewright export MODEL --to sklearn --check DATA"
    assert file_content(exported) == file_content(model.export("sklearn"))
    tree = exported[-1].tree_
    assert tree.weighted_n_node_samples[0] == sum(map(sum, model.evidence))
    assert tree.value[0, 0].sum() == pytest.approx(1.0)


def test_numbers_that_single_precision_rounds_differ_in_the_bare_tree_only():
    """float32(0.1) is above 0.1, so scikit-learn's own tree puts 0.1 on the other side."""
    model = model_of(Tree((Split((Threshold("a", False, 0.1),), (1, 2)), Leaf(0), Leaf(2))))
    table = Table([NumericColumn("a", np.array([0.1, 0.5]))], 2)
    assert same_answers(model, table, model.export("sklearn"))
    assert not same_answers(model, table, model.export("sklearn", precision="single"))
    assert same_answers(model, single(table), model.export("sklearn"))


def test_hostile_names_change_no_answer():
    nodes, fields = [], tuple(Field(name, "numeric") for name in HOSTILE)
    for number, name in enumerate(HOSTILE):
        split = Split((Threshold(name, True, 0.0),), (2 * number + 1, 2 * number + 2))
        nodes += [split, Leaf(number % 3)]
    model = model_of(Tree((*nodes, Leaf(0))), fields)
    rng = np.random.default_rng(0)
    x = rng.choice([-1.0, 1.0, np.nan], (200, len(HOSTILE)), p=[0.9, 0.05, 0.05])
    table = Table([NumericColumn(n, column) for n, column in zip(HOSTILE, x.T, strict=True)], 200)
    exported = model.export("sklearn")
    assert same_answers(model, table, exported)
    assert list(exported.feature_names_in_) == list(HOSTILE)
    shuffled = pd.DataFrame({name: table.numbers(name) for name in reversed(HOSTILE)})
    assert exported.predict(shuffled).tolist() == exported.predict(x).tolist()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("RipperClassifier", "The model is a list of .*, and scikit-learn has no such object"),
        ("SlipperClassifier", "The model is a vote of"),
        ("ScorecardClassifier", "The model is a scorecard of"),
        ("node-fractional_tree", "divides rows with missing values"),
        ("TreeClassifier", "which holds categories"),
    ],
)
def test_what_scikit_learn_cannot_hold_is_refused_by_name(name, reason):
    with pytest.raises(UnrenderableError, match=reason):
        golden(name).export("sklearn")


def test_tests_of_intervals_and_trees_of_one_leaf_are_refused():
    split = Split((Interval("a", 0.0, 1.0),), (1, 2))
    with pytest.raises(UnrenderableError, match="a test that is not a threshold of one column"):
        model_of(Tree((split, Leaf(0), Leaf(1)))).export("sklearn")
    with pytest.raises(UnrenderableError, match="reads no column"):
        model_of(Tree((Leaf(0),))).export("sklearn")
    with pytest.raises(InputError, match="precision must be 'double' or 'single', got 'half'"):
        golden("TreeRegressor").export("sklearn", precision="half")
