"""A tree of counts is the same from rows as they are and from rows in canonical order."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies.mixed import tables

from rulewright.data import NumericColumn, Table
from rulewright.learners import Sample, TreeSettings, learn
from rulewright.models import to_json
from rulewright.rules import Threshold, literals_of

pytestmark = pytest.mark.filterwarnings("ignore")

SETTINGS = {
    "cart": {},
    "id3": {"preset": "id3"},
    "no certificate": {"certificate": None, "pruning": "none"},
    "gain ratio": {"criterion": "gain_ratio"},
    "entropy, few leaves": {"criterion": "entropy", "max_leaf_nodes": 4},
    "error, single categories": {"criterion": "error", "family": ["thresholds", "categories"]},
    "cost and complexity": {"ccp_alpha": 0.02, "min_samples_leaf": 2},
    "few columns": {"max_columns": 2, "keep": ["a", "b", "colour"]},
}
SEEING = {
    "bound": {"pruning": "bound"},
    "reduced error": {"pruning": "reduced-error"},
    "fractional": {"preset": "c4.5"},
    "optimal": {"search": "optimal", "max_depth": 2},
    "costs": {"class_costs": {"no": 1, "yes": 3}},
    "balls": {"family": "balls"},
    "deciles": {"cuts": "deciles"},
    "whole numbers": {"cuts": "integers"},
    "ranges": {"family": "ranges"},
    "some columns": {"max_features": 2},
    "polish": {"polish": True},
}


class InOrder(TreeSettings):
    """A tree whose rows are always copied in canonical order."""

    def sees_row_order(self, sample):
        return True


def sample_of(table, y):
    return Sample.of(table, y, ("no", "yes", "maybe")[: max(int(y.max()) + 1, 2)], target="y")


@st.composite
def samples(draw):
    table = draw(tables(most_rows=40))
    classes = draw(st.integers(1, 3))
    y = draw(hnp.arrays(np.int32, table.rows, elements=st.integers(0, classes - 1)))
    twice = draw(st.lists(st.integers(0, table.rows - 1), max_size=10))
    rows = np.array([*range(table.rows), *twice], np.intp)
    return sample_of(table.take(rows), y[rows])


def everything(path):
    """All that a path tells of its models, as text."""
    entries = [
        (to_json(entry.model), entry.certificate.to_json(), entry.errors, entry.size)
        for entry in path.entries
    ]
    return json.dumps([entries, path.chosen, path.description], sort_keys=True, default=str)


@pytest.mark.parametrize("name", SETTINGS)
@given(sample=samples())
def test_rows_as_they_are_give_the_same_tree(name, sample):
    given_rows = TreeSettings(**SETTINGS[name])
    assert not given_rows.sees_row_order(sample)
    expected = learn(InOrder(**SETTINGS[name]), sample)
    assert everything(learn(given_rows, sample)) == everything(expected)


@pytest.mark.parametrize("name", SEEING)
def test_a_tree_that_sees_the_order_of_rows_says_so(name):
    sample = sample_of(*few_rows())
    assert TreeSettings(**SEEING[name]).sees_row_order(sample)


def test_a_tree_of_weighted_rows_sees_their_order():
    sample = sample_of(*few_rows())
    assert TreeSettings().sees_row_order(replace(sample, weight=np.linspace(1, 2, sample.y.size)))


def few_rows():
    table = Table([NumericColumn("a", np.arange(12.0)), NumericColumn("b", np.ones(12))], 12)
    return table, np.arange(12, dtype=np.int32) % 2


@pytest.mark.parametrize("cuts", ["integers", "deciles"])
@given(sample=samples())
def test_coarse_cuts_are_named_by_rows_of_their_group(cuts, sample):
    """Bug: a cut at a whole number, the value of no row, was looked for among the rows."""
    path = learn(TreeSettings(cuts=cuts, pruning="none"), sample)
    for test in literals_of(path.entries[path.chosen].model.body):
        if isinstance(test, Threshold):
            (row,) = test.anchored_on
            value = sample.table.numbers(test.column)[row]
            assert value <= test.cut < value + 1 if cuts == "integers" else value == test.cut
