"""The automatic choice on lazy tables: the candidates and the model of the rows in memory."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES, plain, ruled, ugly_frame, written
from oracles.counts import RowCounts
from strategies.effort import EIGHTH

from rulewright import AutoClassifier
from rulewright.data import TooManyPatternsError
from rulewright.errors import InputError
from rulewright.learners import Sample, Units, learn, learn_lazily
from rulewright.selection import AutoSettings

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

COUNTED = ("machines", "tree", "ripper", "tree-rules", "rule-list")


def same_models(settings, data, seed):
    """Whether rows in memory and counts give the same paths and choices."""
    table, labels, classes = data
    keys = np.random.default_rng(seed).permutation(table.rows) * 10_007
    sample = Sample.of(table, labels, classes, target="y")
    try:
        expected = learn(settings, sample, units=Units(keys=keys, column="key"))
    except InputError:
        return
    found = learn_lazily(settings, RowCounts(table, labels, classes, keys=keys))
    models = [written(entry.model) for entry in found.entries]
    chosen = expected.chosen
    plains = [
        plain(entry.model) if place == chosen else entry.model
        for place, entry in enumerate(expected.entries)
    ]
    assert models == [written(model) for model in plains]
    assert (found.chosen, found.description) == (chosen, expected.description)


@EIGHTH
@given(data=ruled(), seed=st.integers(0, 9), tolerance=st.sampled_from([0.0, 0.5, 3.0]))
def test_counts_give_the_choice_of_rows(data, seed, tolerance):
    share = {"min_weight_fraction_leaf": 0.001}
    settings = AutoSettings(among=COUNTED, n_splits=1, tolerance=tolerance, **share)
    if len(data[2]) > 1:
        same_models(settings, data, seed)


def keyed_frame(rows=120):
    """Rows without missing values, with keys."""
    filled = pl.col("a").fill_nan(0).fill_null(0), pl.col("it's").fill_null("none")
    keys = np.random.default_rng(8).permutation(rows) * 10_007
    return ugly_frame(rows).with_columns(*filled, id=keys)


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_give_the_choice_of_memory_and_check_it(engine):
    clear = (
        pl.when((pl.col("a") > 0.2) & (pl.col("it's") != "--"))
        .then(pl.lit("p"))
        .otherwise(pl.lit("n"))
    )
    frame = keyed_frame(80).select("a", "it's", "id", y=clear)
    auto = AutoClassifier(n_splits=1, among=COUNTED, min_weight_fraction_leaf=0.001)
    expected = auto.fit(frame, target="y", key="id").model_
    lazy = ENGINES[engine](frame)
    with pytest.warns(UserWarning, match="The learners are machines, tree, ripper, tree-rules, r"):
        found = AutoClassifier(n_splits=1).fit(lazy, target="y", key="id")
    assert written(found.model_) == written(plain(expected))
    assert found.front_ and found.certificate_.unit_column == "id"
    assert found.certificate_.verify(found.model_, lazy).holds


def test_candidates_that_tell_too_many_rows_apart_are_counted_in_parts(monkeypatch):
    frame = keyed_frame(60).select("a", "id", "y")
    auto = AutoClassifier(n_splits=1, among="machines")
    expected = written(auto.fit(frame.lazy(), target="y", key="id").model_)
    monkeypatch.setattr("rulewright.data.lazy_queries.MAX_PATTERNS", 12)
    monkeypatch.setattr("rulewright.data.expression_counts.MAX_PATTERNS", 12)
    assert written(auto.fit(frame.lazy(), target="y", key="id").model_) == expected
    monkeypatch.setattr("rulewright.data.lazy_queries.MAX_PATTERNS", 2)
    with pytest.raises(TooManyPatternsError, match="The tests of the model tell over 2 rows apart"):
        auto.fit(frame.lazy(), target="y", key="id")


@pytest.mark.parametrize(
    ("parameters", "fit", "message"),
    [
        ({"among": "slipper"}, {}, "slipper in among needs the rows in memory. Leave it out"),
        ({"forbid": ["a", "it's"], "polish": True}, {}, "polish needs the rows in memory"),
        ({"among": "cart"}, {"key": None}, "auto chooses among learners by a split certificate"),
        ({"family": "intervals"}, {}, "family: a lazy table supports thresholds"),
    ],
)
def test_what_needs_rows_or_a_key_is_refused(parameters, fit, message):
    frame = ugly_frame(40).with_columns(id=pl.int_range(pl.len()))
    arguments = {"target": "y", "key": "id"} | fit
    with pytest.raises(InputError, match=message):
        AutoClassifier(n_splits=1, **parameters).fit(frame.lazy(), **arguments)
