"""Rules from trees by counts: the same files as from rows in memory."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES, labelled, plain, ruled, ugly_frame, written
from oracles.counts import RowCounts
from strategies.effort import EIGHTH

from rulewright import TreeClassifier, TreeRulesClassifier
from rulewright.data import LazyTable
from rulewright.errors import InputError
from rulewright.learners import Sample, TimeBudgetWarning, TreeRulesSettings, learn, learn_lazily

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SETTINGS = [
    {},
    {"min_samples_leaf": 1.0, "confidence": 0.5},
    {"min_weight_fraction_leaf": 0.1},
    {"subsets": True, "min_samples_leaf": 1.0},
    {"missing_tests": False, "min_samples_leaf": 0.5, "confidence": 0.5},
    {"positive_tests": True, "min_samples_leaf": 1.0},
    {"forbid": ["b"]},
]


def full_frame(rows, classes="np"):
    """The ugly frame without missing values."""
    filled = pl.col("a").fill_nan(0).fill_null(0), pl.col("it's").fill_null("none")
    return ugly_frame(rows, classes).with_columns(*filled)


@EIGHTH
@given(
    data=st.one_of(ruled(missing=False), ruled(), labelled()),
    parameters=st.sampled_from(SETTINGS),
    exact=st.sampled_from([0, 1000]),
)
def test_rules_from_counts_are_the_rules_from_rows(data, parameters, exact):
    table, labels, classes = data
    if len(classes) < 2:
        return
    settings = TreeRulesSettings(certificate=None, **parameters)
    expected = learn(settings, Sample.of(table, labels, classes, target="y"))
    counts = RowCounts(table, labels, classes)
    counts.exact_rows = exact
    found = learn_lazily(settings, counts)
    assert written(found.entry.model) == written(expected.entry.model)
    assert (found.entry.errors, found.entry.size) == (expected.entry.errors, expected.entry.size)
    assert (found.description, found.attributes) == (expected.description, expected.attributes)


@pytest.mark.parametrize(("engine", "classes"), [("duckdb", "np"), ("polars", "npq")])
def test_engines_give_the_rules_of_memory(engine, classes):
    frame = full_frame(200, classes)
    rules = TreeRulesClassifier(certificate=None, min_samples_leaf=15)
    expected = rules.fit(frame, target="y")
    kept, importances = expected.kept_columns_, expected.feature_importances_.tolist()
    model = written(expected.model_)
    lazy = rules.fit(ENGINES[engine](frame.reverse()), target="y")
    assert written(lazy.model_) == model
    assert len(lazy.model_.body.listed) > 0
    assert (lazy.kept_columns_, lazy.feature_importances_.tolist()) == (kept, importances)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_split_by_key_gives_the_candidates_of_memory(engine):
    frame = full_frame(200).with_columns(id=pl.int_range(pl.len()) * 7)
    rules = TreeRulesClassifier(certificate="split", n_splits=1, min_samples_leaf=25)
    expected = [written(plain(e.model)) for e in rules.fit(frame, target="y", key="id").path_]
    lazy = ENGINES[engine](frame)
    found = rules.fit(lazy, target="y", key="id")
    assert [written(entry.model) for entry in found.path_] == expected
    assert found.certificate_.verify(found.model_, lazy).holds


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_rounds": 2}, "n_rounds needs the rows in memory"),
        ({"winnow": True}, "winnow needs the rows in memory"),
    ],
)
def test_what_needs_rows_in_memory_is_refused(parameters, message):
    rules = TreeRulesClassifier(certificate=None, **parameters)
    with pytest.raises(InputError, match=message):
        rules.fit(ugly_frame(30).lazy(), target="y")


@pytest.mark.parametrize(
    ("estimator", "classes"),
    [(TreeRulesClassifier(min_samples_leaf=200), 2), (TreeClassifier(max_depth=1), 7)],
)
def test_all_values_of_a_large_column_are_counted_if_bins_have_no_bounds(estimator, classes):
    """Bins of a gain ratio, and of many classes, were counted again without end."""
    random = np.random.default_rng(3)
    x = random.random(3000)
    frame = pl.DataFrame({"x": x, "y": (x * classes).astype(int)})
    estimator.set_params(certificate=None)
    expected = written(estimator.fit(frame, target="y").model_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LazyTable, "exact_rows", 10)
        assert written(estimator.fit(frame.lazy(), target="y").model_) == expected


def test_a_deadline_stops_the_tree():
    rules = TreeRulesClassifier(certificate=None, time_budget=1e-9)
    frame = full_frame(60)
    with pytest.warns(TimeBudgetWarning, match="the tree stopped growing"):
        fitted = rules.fit(frame.lazy(), target="y")
    assert len(fitted.model_.body.listed) == 0
