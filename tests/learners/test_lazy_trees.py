"""Trees from counts: the same model files as from rows in memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import labelled, written
from oracles.counts import RowCounts
from strategies.effort import EIGHTH

from rulewright.learners import Sample, TreeSettings, learn, learn_lazily

SETTINGS = [
    {},
    {"max_depth": 2},
    {"pruning": "none"},
    {"pruning": "none", "criterion": "entropy"},
    {"pruning": "none", "criterion": "error"},
    {"raising": False},
    {"max_leaf_nodes": 4},
    {"min_samples_leaf": 3},
    {"min_weight_fraction_leaf": 0.1},
    {"min_impurity_decrease": 0.05},
    {"ccp_alpha": 0.02},
    {"family": ["thresholds", "categories"], "pruning": "none"},
    {"family": "thresholds"},
    {"preset": "id3"},
    {"preset": "c4.5"},
    {"preset": "c4.5", "missing_tests": False},
    {"preset": "c4.5", "pruning": "none", "min_samples_leaf": 1},
    {"preset": "c4.5", "pruning": "none", "family": ["thresholds", "categories"]},
    {"preset": "c4.5", "pruning": "none", "family": ["thresholds", "subsets"]},
    {"missing": "fractional", "pruning": "none"},
    {"missing": "fractional", "max_leaf_nodes": 4},
    {"preset": "c4.5", "missing": "side"},
    {"preset": "c4.5", "missing": "side", "family": ["thresholds", "subsets"], "pruning": "none"},
    {"keep": ["a", "colour"]},
    {"forbid": ["b"]},
]
EXACT_ROWS = [0, 4, 1000]

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def without_certificate(settings, table, labels, classes):
    sample = Sample.of(table, labels, classes, target="y")
    return learn(settings, sample).entry.model


@EIGHTH
@given(
    data=labelled(),
    parameters=st.sampled_from(SETTINGS),
    exact=st.sampled_from(EXACT_ROWS),
    refined=st.sampled_from(EXACT_ROWS),
)
def test_a_tree_from_counts_is_the_tree_from_rows(data, parameters, exact, refined):
    table, labels, classes = data
    if len(classes) < 2:
        return
    settings = TreeSettings(certificate=None, **parameters)
    expected = without_certificate(settings, table, labels, classes)
    counts = RowCounts(table, labels, classes)
    counts.exact_rows, counts.refined_rows = exact, refined
    found = learn_lazily(settings, counts).entry.model
    assert written(found) == written(expected)
