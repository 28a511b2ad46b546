"""Ranges of gains and gain ratios: they contain those of the best cut of all values."""

import math

import numpy as np
import oracles.counts
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import written
from oracles.counts import RowCounts
from strategies.effort import EIGHTH

from rulewright.data import detect_table
from rulewright.kernels import GrowthOptions
from rulewright.learners import Sample, TreeSettings, learn, learn_lazily
from rulewright.learners.base.number_groups import NumberGroups
from rulewright.learners.tree.counted_splits import NodeSplits
from rulewright.learners.tree.gain_ranges import (
    GainRange,
    compared_columns,
    gain_range,
)

OPTIONS = GrowthOptions(impurity="entropy", by_ratio=True, min_leaf=2.0)


@st.composite
def binned_values(draw):
    """Rows of each class by value, and the same rows in bins of neighbouring values."""
    classes = draw(st.integers(2, 3))
    rows = st.lists(st.integers(0, 9), min_size=classes, max_size=classes).filter(any)
    counts = np.array(draw(st.lists(rows, min_size=2, max_size=25)), np.float64)
    values = np.arange(counts.shape[0], dtype=np.float64)
    inner = draw(st.sets(st.integers(1, values.size - 1)))
    starts = np.array(sorted({0, *inner}))
    ends = np.append(starts[1:], values.size) - 1
    bins = np.add.reduceat(counts, starts, axis=0)
    return (
        NumberGroups(values, values, counts),
        NumberGroups(values[starts], values[ends], bins),
    )


@given(binned_values())
def test_a_range_contains_the_gain_and_the_ratio_of_the_best_cut(data):
    values, bins = data
    search = NodeSplits(values.known, OPTIONS)
    found, best = gain_range(search, bins), search.on_numbers(0, values)
    if found is None:
        assert best is None
        return
    if best is None:  # C4.5 asks for a millionth of a bit
        assert not found.low > 1e-6 * search.rows
        return
    assert found.low <= best.gain <= found.high
    rounding = 1e-12 * abs(best.ratio)
    assert found.low_ratio <= best.ratio + rounding and best.ratio - rounding <= found.high_ratio


ranges = st.tuples(st.floats(-5, 50), st.floats(0, 20), st.floats(0.01, 1), st.floats(0.01, 1))


@given(st.lists(ranges, min_size=1, max_size=5), st.lists(st.floats(0, 1), min_size=10))
def test_columns_that_are_not_compared_are_not_chosen_whatever_their_gains(drawn, places):
    """Every gain and ratio within the ranges gives a choice among the compared columns."""
    rows = 100.0
    given_ranges = {
        column: GainRange(low, low + more, min(one, other), max(one, other))
        for column, (low, more, one, other) in enumerate(drawn)
    }
    chosen, unknown = compared_columns(given_ranges, set(), rows)
    gains = [
        r.low + p * (r.high - r.low) for r, p in zip(given_ranges.values(), places, strict=False)
    ]
    ratios = [
        r.low_ratio + p * (r.high_ratio - r.low_ratio)
        for r, p in zip(given_ranges.values(), places[5:], strict=False)
    ]
    there = [column for column, gain in enumerate(gains) if gain > 1e-6 * rows]
    if not there:
        return
    average = math.fsum(gains[column] for column in there) / len(there)
    able = [column for column in there if gains[column] >= average - 1e-3 * rows]
    best = max(able, key=lambda column: ratios[column])
    assert best in chosen
    assert set(unknown) == set(chosen)


@st.composite
def numeric_tables(draw):
    """Numbers with ties, text, and classes that some of them decide, with noise."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, classes = draw(st.integers(20, 300)), draw(st.integers(2, 3))
    digits = draw(st.sampled_from([0, 1, 6]))
    columns = {f"x{i}": random.normal(size=rows).round(digits) for i in range(3)}
    columns["z"] = random.integers(0, 4, rows).astype(str)
    labels = (columns["x0"] > 0.3).astype(int) + (columns["z"] == "2")
    noise = random.random(rows) < draw(st.sampled_from([0.0, 0.1, 1.0]))
    labels = np.where(noise, random.integers(0, classes, rows), labels % classes)
    seen, codes = np.unique(labels, return_inverse=True)
    table = detect_table(pl.DataFrame(columns))
    return table, codes.astype(np.int32), tuple("pqr"[: seen.size])


@EIGHTH
@pytest.mark.filterwarnings("ignore::UserWarning")
@given(data=numeric_tables(), bins=st.sampled_from([3, 16]), leaf=st.sampled_from([2, 10]))
def test_a_tree_of_c45_in_bins_is_the_tree_from_rows(data, bins, leaf):
    table, labels, classes = data
    if len(classes) < 2:
        return
    settings = TreeSettings(preset="c4.5", certificate=None, pruning="none", min_samples_leaf=leaf)
    expected = learn(settings, Sample.of(table, labels, classes, target="y")).entry.model
    counts = RowCounts(table, labels, classes)
    counts.exact_rows = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oracles.counts, "BINS", bins)
        found = learn_lazily(settings, counts).entry.model
    assert written(found) == written(expected)


def test_few_values_of_columns_that_are_not_chosen_are_counted(monkeypatch):
    random = np.random.default_rng(4)
    columns = {f"x{i}": random.normal(size=2000) for i in range(8)}
    labels = (columns["x0"] > 0.3).astype(np.int32)
    table = detect_table(pl.DataFrame(columns))
    settings = TreeSettings(preset="c4.5", certificate=None, max_depth=1, min_samples_leaf=50)
    counts = RowCounts(table, labels, ("n", "p"))
    counts.exact_rows = 0
    asked = {}

    def by_group(route, values, *others, **named):
        found = RowCounts.by_group(counts, route, values, *others, **named)
        for name, groups in found.values.items():
            asked[name] = asked.get(name, 0) + groups.low.size
        return found

    monkeypatch.setattr(oracles.counts, "BINS", 64)
    monkeypatch.setattr(counts, "by_group", by_group)
    model = learn_lazily(settings, counts).entry.model
    assert "x0 >" in str(model)
    assert asked["x0"] == 2000 and sum(asked.values()) < 3000
