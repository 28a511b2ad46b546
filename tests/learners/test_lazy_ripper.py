"""RIPPER from counts and fetched growing rows: the same files as from rows in memory."""

from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES, labelled, plain, ruled, ugly_frame, written
from oracles.counts import RowCounts
from strategies.effort import EIGHTH

from rulewright import RipperClassifier, TreeClassifier
from rulewright.data import MODULUS, LazyTable
from rulewright.errors import InputError
from rulewright.learners import (
    RipperSettings,
    Sample,
    TimeBudgetWarning,
    Units,
    learn,
    learn_lazily,
)
from rulewright.learners.ripper.key_division import PRUNING, KeyDraws, growing_limits
from rulewright.rules import without_anchors

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SETTINGS = [
    {},
    {"k": 1, "min_covered": 2.0},
    {"max_growing": 5},
    {"max_growing": 1, "random_state": 3},
    {"prune": False},
    {"prune": False, "max_growing": 7},
    {"algorithm": "irep"},
    {"missing_tests": False, "positive_tests": True},
    {"forbid": ["b"]},
    {"max_columns": 2, "k": 1},
    {"interactions": "pairwise"},
]


def drawn_keys(seed, rows):
    return np.random.default_rng(seed).permutation(10 * rows)[:rows].astype(np.int64) * 7919


@EIGHTH
@given(
    data=st.one_of(ruled(), labelled()),
    parameters=st.sampled_from(SETTINGS),
    seed=st.integers(0, 9),
    fetches_all=st.booleans(),
)
def test_counts_give_the_rules_of_rows_with_the_same_keys(data, parameters, seed, fetches_all):
    table, labels, classes = data
    if len(classes) < 2:
        return
    keys = drawn_keys(seed, table.rows)
    settings = RipperSettings(certificate=None, **parameters)
    sample = Sample.of(table, labels, classes, target="y")
    expected = learn(settings, sample, units=Units(keys=keys, column="key"))
    with patch.object(RipperSettings, "fetches_all", return_value=fetches_all):
        found = learn_lazily(settings, RowCounts(table, labels, classes, keys=keys))
    assert written(found.entry.model) == written(expected.entry.model)
    assert (found.entry.errors, found.entry.size) == (expected.entry.errors, expected.entry.size)
    assert found.description == expected.description


def keyed_frame(rows=300, classes="np"):
    return ugly_frame(rows, classes).with_columns(number=drawn_keys(1, rows))


@pytest.fixture
def small_tables_counted(monkeypatch):
    """Small tables are counted, as large ones are."""
    monkeypatch.setattr(RipperSettings, "fetches_all", lambda *_: False)


def test_tables_are_fetched_up_to_the_rows_that_a_rule_may_need():
    for rows, fetched in ((40, True), (41, False)):
        with LazyTable(keyed_frame(rows).lazy(), "y", key="number") as table:
            assert RipperSettings(max_growing=20).fetches_all(table) == fetched


@pytest.mark.parametrize("engine", ENGINES)
def test_small_tables_are_fetched_once(engine, monkeypatch):
    frame = keyed_frame(300, "npq")
    ripper = RipperClassifier(certificate=None)
    expected = written(ripper.fit(frame, target="y", key="number").model_)
    monkeypatch.setattr(LazyTable, "rows_of", None)
    monkeypatch.setattr(LazyTable, "by_depth", None)
    lazy = ripper.fit(ENGINES[engine](frame.reverse()), target="y", key="number")
    assert written(lazy.model_) == expected


@pytest.mark.parametrize(
    ("engine", "classes", "parameters"),
    [
        ("polars", "np", {}),
        ("polars", "npq", {"max_growing": 20}),
        ("duckdb", "npq", {"max_growing": 20, "k": 1}),
    ],
)
@pytest.mark.usefixtures("small_tables_counted")
def test_engines_give_the_rules_of_memory(engine, classes, parameters):
    frame = keyed_frame(300, classes)
    ripper = RipperClassifier(certificate=None, **parameters)
    expected = ripper.fit(frame, target="y", key="number")
    model, importances = written(expected.model_), expected.feature_importances_.tolist()
    assert len(expected.model_.body.listed) > 1
    lazy = ripper.fit(ENGINES[engine](frame.reverse()), target="y", key="number")
    assert written(lazy.model_) == model
    assert lazy.feature_importances_.tolist() == importances


@pytest.mark.parametrize(
    ("parameters", "fit", "message"),
    [
        ({}, {"key": None}, "Name a column of whole numbers that identify the rows"),
        ({"max_growing": None}, {}, "max_growing=None grows rules from all rows, which a lazy"),
        ({"class_costs": {"n": 2}}, {}, "class_costs needs the rows in memory"),
        ({"class_weight": "balanced"}, {}, "class_weight needs the rows in memory"),
        ({"polish": True}, {}, "polish needs the rows in memory"),
        ({"round_cuts": True}, {}, "round_cuts needs the rows in memory"),
        ({"cuts": "deciles"}, {}, "cuts needs the rows in memory"),
    ],
)
def test_what_needs_rows_or_a_key_is_refused(parameters, fit, message):
    ripper = RipperClassifier(**{"certificate": None} | parameters)
    with pytest.raises(InputError, match=message):
        ripper.fit(keyed_frame(30).lazy(), **{"target": "y", "key": "number"} | fit)


@pytest.mark.usefixtures("small_tables_counted")
def test_rules_of_too_many_tests_are_refused(monkeypatch):
    monkeypatch.setattr("rulewright.learners.ripper.counted_problem.MAX_QUERY_TESTS", 3)
    ripper = RipperClassifier(certificate=None)
    with pytest.raises(InputError, match="over 3 tests, which is more than queries can hold"):
        ripper.fit(keyed_frame().lazy(), target="y", key="number")


def test_a_key_gives_a_certificate_in_memory_and_none_of_a_lazy_table():
    frame = keyed_frame(100)
    eager = RipperClassifier(k=0).fit(frame, target="y", key="number")
    assert eager.certificate_.verify(eager.model_, frame.drop("y", "number"), frame["y"]).holds
    with pytest.warns(UserWarning, match="lazy table has none. Use the split form, test the"):
        lazy = RipperClassifier(k=0).fit(frame.lazy(), target="y", key="number")
    assert lazy.certificate_ is None and lazy.model_.body == without_anchors(eager.model_.body)


def test_holdouts_and_other_learners_need_no_key():
    for learner in (RipperClassifier(certificate="holdout"), TreeClassifier(certificate=None)):
        with pytest.raises(InputError, match="keys need certificate='split'"):
            learner.fit(keyed_frame(60), target="y", key="number")


@pytest.mark.usefixtures("small_tables_counted")
def test_time_that_is_over_leaves_what_was_found():
    ripper = RipperClassifier(certificate=None, time_budget=1e-9)
    with pytest.warns(TimeBudgetWarning, match="the model has the 0 rules that were found by then"):
        found = ripper.fit(keyed_frame(60).lazy(), target="y", key="number")
    assert len(found.model_.body.listed) == 0


@pytest.mark.usefixtures("small_tables_counted")
def test_long_fits_say_how_far_they_are():
    heard = []
    with LazyTable(keyed_frame(300).lazy(), "y", key="number") as table:
        settings = RipperSettings(certificate=None, k=1)
        learn_lazily(settings, table, progress=lambda what, *_: heard.append(what))
    assert heard[0] == "rules for n" and "optimised rules for n, round 1" in heard


@pytest.mark.usefixtures("small_tables_counted")
@pytest.mark.parametrize("rows", [12, 40])
def test_columns_of_many_values_have_quantiles_as_cuts(monkeypatch, rows):
    monkeypatch.setattr("rulewright.families.terms.MAX_VALUES", rows)
    monkeypatch.setattr("rulewright.learners.ripper.settings.MAX_VALUES", rows)
    random = np.random.default_rng(rows)
    x = random.random(400)
    y = np.where((x > 0.4) ^ (random.random(400) < 0.1), "n", "p")
    frame = pl.DataFrame({"x": x, "y": y, "number": drawn_keys(4, 400)})
    ripper = RipperClassifier(certificate=None, k=1)
    expected = ripper.fit(frame, target="y", key="number")
    model = written(expected.model_)
    assert len(expected.model_.body.listed) > 0
    assert written(ripper.fit(frame.lazy(), target="y", key="number").model_) == model


def test_about_a_third_of_the_rows_is_set_aside():
    """A draw is a hash of the keys, so it does not depend on the order of the rows."""
    keys = drawn_keys(0, 3000)
    draws = KeyDraws(0)
    shares = [(draws.next().hashed(keys) < PRUNING).mean() for _ in range(5)]
    assert max(abs(share - 1 / 3) for share in shares) < 0.04
    assert len(set(shares)) > 1


@given(
    st.lists(st.integers(0, 10**9), min_size=2, max_size=2), st.integers(1, 10**5), st.booleans()
)
def test_rows_to_grow_from_are_about_as_many_as_allowed(sizes, most, divided):
    shares, limits = growing_limits(sizes, most, divided=divided)
    for size, share, (low, high) in zip(sizes, shares, limits, strict=True):
        drawn = size * (high - low) / MODULUS
        assert drawn <= most * (1 + 1e-6) + 1
        assert share == 1 or drawn > most / 3
        assert low == (PRUNING if divided else 0) and high <= MODULUS


@pytest.mark.parametrize("fetches_all", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_split_by_key_gives_the_candidates_of_memory(engine, fetches_all, monkeypatch):
    monkeypatch.setattr(RipperSettings, "fetches_all", lambda *_: fetches_all)
    frame = keyed_frame(160)
    ripper = RipperClassifier(certificate="split", n_splits=1, k=int(engine == "polars"))
    eager = ripper.fit(frame, target="y", key="number")
    expected = [written(plain(entry.model)) for entry in eager.path_]
    rows = {"X": frame.drop("y", "number"), "y": frame["y"], "keys": frame["number"]}
    assert eager.certificate_.verify(eager.model_, **rows).holds
    lazy = ENGINES[engine](frame)
    found = ripper.fit(lazy, target="y", key="number")
    assert [written(entry.model) for entry in found.path_] == expected
    assert found.certificate_.verify(found.model_, lazy).holds
    assert found.certificate_.verify(found.model_, **rows).holds


def test_candidates_are_counted_by_the_rules_that_cover_rows(monkeypatch):
    """Their tests would tell far more rows apart."""
    frame = keyed_frame(160)
    ripper = RipperClassifier(certificate="split", n_splits=1, k=0)
    expected = written(plain(ripper.fit(frame, target="y", key="number").model_))
    monkeypatch.setattr(LazyTable, "patterns", None)
    assert written(ripper.fit(frame.lazy(), target="y", key="number").model_) == expected
