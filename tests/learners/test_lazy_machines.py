"""Set covering machines and decision lists from counts: the same files as from rows in memory."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES, labelled, ugly_frame, written
from oracles.counts import RowCounts
from strategies.effort import EIGHTH

from rulewright import DecisionListMachine, SetCoveringMachine, TreeClassifier
from rulewright.data import LazyTable
from rulewright.errors import InputError
from rulewright.learners import Sample, TimeBudgetWarning, learn, learn_lazily

LISTS = [
    {},
    {"penalty": 3.0},
    {"penalty": math.inf, "max_rules": 3},
    {"penalty": 0.5, "ties": "coverage"},
    {"family": ["missing", "thresholds"]},
    {"family": "categories", "positive_tests": True},
    {"keep": ["a", "colour"]},
]
MACHINES = [
    {},
    {"kind": "disjunction"},
    {"kind": "disjunction", "penalty": 2.5, "max_rules": None},
    {"penalty": math.inf},
    {"penalty": 0.0},
    {"ties": "coverage", "family": ["thresholds", "missing"]},
]

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def same_files(settings, data, exact):
    table, labels, classes = data
    expected = learn(settings, Sample.of(table, labels, classes, target="y"))
    counts = RowCounts(table, labels, classes)
    counts.exact_rows = exact
    found = learn_lazily(settings, counts)
    assert [written(e.model) for e in found.entries] == [written(e.model) for e in expected.entries]
    assert [e.errors for e in found.entries] == [e.errors for e in expected.entries]
    assert (found.chosen, found.description) == (expected.chosen, expected.description)


@EIGHTH
@given(data=labelled(), parameters=st.sampled_from(LISTS), exact=st.sampled_from([0, 4, 1000]))
def test_a_list_from_counts_is_the_list_from_rows(data, parameters, exact):
    if len(data[2]) > 1:
        same_files(DecisionListMachine(certificate=None, **parameters).settings(), data, exact)


@EIGHTH
@given(data=labelled(), parameters=st.sampled_from(MACHINES), exact=st.sampled_from([0, 4, 1000]))
def test_a_machine_from_counts_is_the_machine_from_rows(data, parameters, exact):
    if len(data[2]) == 2:
        same_files(SetCoveringMachine(certificate=None, **parameters).settings(), data, exact)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("machine", "classes", "exact"),
    [
        (DecisionListMachine(max_rules=4, certificate=None), "npq", 5),
        (DecisionListMachine(max_rules=3, penalty=2, certificate=None), "np", 10_000),
        (SetCoveringMachine("disjunction", max_rules=3, certificate=None), "np", 5),
        (SetCoveringMachine(max_rules=3, penalty=2, certificate=None), "np", 10_000),
    ],
)
def test_a_lazy_frame_gives_the_model_of_the_dataframe(
    monkeypatch, engine, machine, classes, exact
):
    monkeypatch.setattr(LazyTable, "exact_rows", exact)
    frame = ugly_frame(classes=classes)
    expected = written(machine.fit(frame, target="y").model_)
    assert written(machine.fit(ENGINES[engine](frame), target="y").model_) == expected
    assert len(machine.model_.body.outputs) > 2


def test_a_column_without_values_is_tested_as_in_memory():
    frame = ugly_frame(40).with_columns(empty=pl.lit(None, pl.Float64))
    machine = DecisionListMachine(certificate=None, family=["thresholds", "missing"])
    expected = written(machine.fit(frame, target="y").model_)
    assert written(machine.fit(frame.lazy(), target="y").model_) == expected


def test_a_column_that_is_only_tested_for_missing_values():
    frame = pl.DataFrame({"x": [1.0, None] * 20, "y": ["n", "p"] * 20})
    machine = DecisionListMachine(certificate=None, family="missing")
    expected = written(machine.fit(frame, target="y").model_)
    for engine in ENGINES.values():
        assert written(machine.fit(engine(frame), target="y").model_) == expected
    tree = TreeClassifier(certificate=None)
    expected = written(tree.fit(frame, target="y").model_)
    assert written(tree.fit(frame.lazy(), target="y").model_) == expected


@pytest.mark.parametrize(
    "machine",
    [
        DecisionListMachine(max_rules=3, certificate="split", n_splits=1),
        SetCoveringMachine("best", max_rules=2, certificate="split", n_splits=1),
    ],
)
def test_keys_give_the_certificate_of_memory(machine):
    frame = ugly_frame(400).with_row_index("number")
    expected = machine.fit(frame, target="y", key="number").certificate_
    lazy = frame.lazy()
    found = machine.fit(lazy, target="y", key="number")
    assert found.certificate_.sentence == expected.sentence
    assert found.certificate_.verify(found.model_, lazy).holds
    assert len(found.model_.body.outputs) > 1


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (DecisionListMachine("balls"), "supports thresholds, categories, missing, got 'balls'"),
        (DecisionListMachine(consistent=True), "consistent needs the rows in memory"),
        (DecisionListMachine(cuts="deciles"), "cuts needs the rows in memory"),
        (SetCoveringMachine("best"), "kind='best' compares certificates"),
    ],
)
def test_what_needs_rows_in_memory_is_refused(machine, message):
    with pytest.raises(InputError, match=message):
        machine.fit(ugly_frame(30).lazy(), target="y")


def test_a_machine_of_too_many_tests_is_refused(monkeypatch):
    monkeypatch.setattr("rulewright.learners.base.counted_search.MAX_TESTS", 1)
    with pytest.raises(InputError, match="over 1 tests, which is more than queries can hold"):
        DecisionListMachine().fit(ugly_frame(60).lazy(), target="y")


def test_time_is_kept():
    machine = DecisionListMachine(certificate=None, time_budget=1e-9)
    with pytest.warns(TimeBudgetWarning, match="the model has 0 rules"):
        machine.fit(ugly_frame(60).lazy(), target="y")
