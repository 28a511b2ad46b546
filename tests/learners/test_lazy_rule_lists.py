"""Rule lists from counts: the same files as from rows in memory."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES, labelled, lazy_table, ugly_frame, written
from oracles.counts import RowCounts
from strategies.effort import EIGHTH

from rulewright import RuleListClassifier
from rulewright.criteria import CRITERIA
from rulewright.data import LazyTable
from rulewright.errors import InputError
from rulewright.families import Thresholds
from rulewright.learners import Sample, TimeBudgetWarning, learn, learn_lazily

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def half_right(p, n, P, N):
    """Criterion that neither rises with p nor falls with n."""
    return -abs(p + n - (P + N) / 2)


LISTS = [
    {},
    {"beam_width": 1},
    {"beam_width": 2, "max_terms": 2, "max_rules": 3, "min_rise": 0.0},
    {"family": ["intervals", "categories"]},
    {"family": "missing"},
    {"family": "categories", "positive_tests": True},
    {"default": "abstain", "min_precision": 0.8, "min_support": 2},
    {"max_p_value": 0.3, "min_gain": 0.01, "max_terms": 3},
    {"interactions": "pairwise", "max_columns": 2},
    {"criterion": half_right, "max_terms": 2, "beam_width": 2},
]


def same_files(settings, data, exact):
    table, labels, classes = data
    expected = learn(settings, Sample.of(table, labels, classes, target="y"))
    counts = RowCounts(table, labels, classes)
    counts.exact_rows = exact
    found = learn_lazily(settings, counts)
    assert [written(e.model) for e in found.entries] == [written(e.model) for e in expected.entries]
    assert [(e.errors, e.size) for e in found.entries] == [
        (e.errors, e.size) for e in expected.entries
    ]
    assert (found.chosen, found.description) == (expected.chosen, expected.description)
    assert found.notices == expected.notices


@EIGHTH
@given(data=labelled(), parameters=st.sampled_from(LISTS), exact=st.sampled_from([0, 4, 1000]))
def test_a_list_from_counts_is_the_list_from_rows(data, parameters, exact):
    if len(data[2]) > 1:
        same_files(RuleListClassifier(certificate=None, **parameters).settings(), data, exact)


@EIGHTH
@given(
    data=labelled(), criterion=st.sampled_from(sorted(CRITERIA)), exact=st.sampled_from([0, 1000])
)
def test_every_criterion_counts(data, criterion, exact):
    settings = RuleListClassifier(criterion, certificate=None, max_terms=3).settings()
    if len(data[2]) > 1:
        same_files(settings, data, exact)


@EIGHTH
@given(data=labelled(), parameters=st.sampled_from(LISTS[:4]), exact=st.sampled_from([0, 4, 1000]))
def test_quantiles_are_the_cuts_of_many_values(data, parameters, exact):
    settings = RuleListClassifier(certificate=None, **parameters).settings()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rulewright.families.terms.MAX_VALUES", 3)
        patch.setattr("rulewright.learners.conjunctive.lazy_search.MAX_VALUES", 3)
        if len(data[2]) > 1:
            same_files(settings, data, exact)


@pytest.mark.parametrize(
    ("engine", "parameters", "classes", "exact"),
    [
        ("polars", {"max_rules": 2, "beam_width": 2, "max_terms": 2}, "npq", 5),
        (
            "polars",
            {"max_rules": 2, "beam_width": 1, "family": ["intervals", "categories"]},
            "npq",
            9,
        ),
        ("duckdb", {"max_rules": 2, "beam_width": 1}, "np", 10_000),
        ("duckdb", {"max_rules": 1, "beam_width": 1}, "np", 5),
    ],
)
def test_a_lazy_frame_gives_the_model_of_the_dataframe(
    monkeypatch, engine, parameters, classes, exact
):
    monkeypatch.setattr(LazyTable, "exact_rows", exact)
    # Six bins have several values each, which are counted again.
    by_group = LazyTable.by_group
    monkeypatch.setattr(LazyTable, "by_group", lambda table, *asked: by_group(table, *asked[:4], 6))
    frame = ugly_frame(classes=classes)
    rules = RuleListClassifier(certificate=None, **parameters)
    expected = written(rules.fit(frame, target="y").model_)
    assert written(rules.fit(ENGINES[engine](frame), target="y").model_) == expected
    assert rules.model_.body.listed


@pytest.mark.parametrize("engine", [*ENGINES, "queries"])
def test_engines_find_the_quantiles_of_memory(engine):
    values = [-0.0, None, 0.0, 0.0, 3.0, 1.0, 2.0, float("nan"), 5.0]
    table = lazy_table(engine, pl.DataFrame({"x": values, "y": [*"npnpnpnpn"]}))
    assert table.quantile_ends(["x"], 3)["x"].tolist() == [0.0, 2.0, 5.0]
    assert table.quantile_ends(["x"], 5) == {}


def test_a_frame_of_many_values_gives_the_model_of_the_dataframe(monkeypatch):
    monkeypatch.setattr(LazyTable, "exact_rows", 20)
    for place in ("families.terms", "learners.conjunctive.lazy_search"):
        monkeypatch.setattr(f"rulewright.{place}.MAX_VALUES", 8)
    frame = ugly_frame(200).with_columns(pl.Series("a", [-0.0, 0.0, 1.5, None] * 50) + pl.col("a"))
    rules = RuleListClassifier(certificate=None, max_rules=2, beam_width=1)
    expected = written(rules.fit(frame, target="y").model_)
    assert written(rules.fit(frame.lazy(), target="y").model_) == expected
    assert rules.model_.body.listed


def test_keys_give_the_certificate_of_memory():
    frame = ugly_frame(200).with_row_index("number")
    rules = RuleListClassifier(max_rules=1, beam_width=1, certificate="split", n_splits=1)
    expected = rules.fit(frame, target="y", key="number").certificate_
    found = rules.fit(frame.lazy(), target="y", key="number")
    assert found.certificate_.sentence == expected.sentence
    assert found.certificate_.verify(found.model_, frame.lazy()).holds
    assert found.certificate_.verify(found.model_, frame, frame["y"], keys=frame["number"]).holds
    assert found.model_.body.listed


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"family": "balls"}, "supports thresholds, categories, missing, intervals, got 'balls'"),
        ({"cuts": "deciles"}, "cuts needs the rows in memory"),
        ({"correction": "sc"}, "correction needs the rows in memory"),
        ({"search": "optimal"}, "search needs the rows in memory"),
        ({"covering": "weighting"}, "covering needs the rows in memory"),
        ({"rules": ["a > 1 -> n"]}, "rules needs the rows in memory"),
        ({"beam_width": None}, "A search of all rules needs the rows in memory"),
        ({"size": "bound"}, "size='bound' compares certificates"),
        ({"family": Thresholds("deciles")}, "supports all cuts of a column, got cuts='deciles'"),
    ],
)
def test_what_needs_rows_in_memory_is_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        RuleListClassifier(**parameters).fit(ugly_frame(30).lazy(), target="y")


def test_rules_of_too_many_tests_are_refused(monkeypatch):
    monkeypatch.setattr("rulewright.learners.conjunctive.lazy_search.MAX_TESTS", 1)
    with pytest.raises(InputError, match="over 1 tests, which is more than queries can hold"):
        RuleListClassifier(beam_width=1).fit(ugly_frame(60).lazy(), target="y")


def test_time_is_kept():
    rules = RuleListClassifier(certificate=None, time_budget=1e-9)
    with pytest.warns(TimeBudgetWarning, match="the model has 0 rules"):
        rules.fit(ugly_frame(60).lazy(), target="y")
