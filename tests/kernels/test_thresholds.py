"""The heaviest threshold, against trying every one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import thresholds as oracle
from strategies.numbers import TIED, UGLY, numeric_columns, weights_for

from rulewright.kernels import ThresholdIndex


@st.composite
def questions(draw, **options):
    columns = draw(numeric_columns(**options))
    return columns, draw(weights_for(columns[0].size)), draw(st.booleans()), draw(st.booleans())


@given(questions())
def test_the_heaviest_threshold_is_the_first_of_the_best(question):
    columns, weight, missing, above = question
    found = ThresholdIndex(columns).heaviest(weight, gathers_missing=missing, prefers_above=above)
    assert found == oracle.heaviest_threshold(columns, weight, missing, above)


@given(questions(values=TIED, most_rows=12), st.sampled_from([2, 3, 8]))
def test_the_answer_is_the_same_for_any_number_of_threads(question, threads):
    columns, weight, missing, above = question
    one, many = (
        ThresholdIndex(columns, n).heaviest(weight, gathers_missing=missing, prefers_above=above)
        for n in (1, threads)
    )
    assert one == many


@given(questions(values=UGLY))
def test_rows_gathered_by_the_answer_weigh_what_it_says(question):
    columns, weight, missing, above = question
    found = ThresholdIndex(columns).heaviest(weight, gathers_missing=missing, prefers_above=above)
    if found is None:
        assert all(np.isnan(x).all() for x in columns)
        return
    rows = oracle.gathered_rows(columns[found.column], found.cut, found.above, missing)
    assert found.total == weight[rows].sum()
    assert found.gathered == weight[rows & (weight > 0)].sum()


@pytest.mark.parametrize("shape", ["normal", "integers", "zero-inflated", "far values", "mixed"])
def test_many_rows_are_searched_exactly(shape):
    """Enough rows for all coarse and fine bins, where the pruning has something to prune."""
    rng = np.random.default_rng(7)
    rows = 30_000
    x = {
        "normal": rng.normal(size=rows),
        "integers": rng.integers(0, 300, rows).astype(float),
        "zero-inflated": np.where(rng.random(rows) < 0.7, 0.0, rng.exponential(size=rows)),
        "far values": np.where(rng.random(rows) < 0.001, 1e9, rng.normal(size=rows)),
        "mixed": np.round(rng.normal(size=rows), 3),
    }[shape]
    x[rng.random(rows) < 0.05] = np.nan
    weight = np.where(rng.random(rows) < 0.5 + 0.1 * np.tanh(np.nan_to_num(x)), 2, -3)
    weight[rng.random(rows) < 0.3] = 0
    order = np.argsort(x[~np.isnan(x)], kind="stable")
    values, w = x[~np.isnan(x)][order], weight[~np.isnan(x)][order]
    last = np.append(values[1:] != values[:-1], True)
    below = np.cumsum(w)[last]
    found = ThresholdIndex([x]).heaviest(weight)
    assert found.total == max(below.max(), (w.sum() - below).max())


def test_successive_questions_do_not_disturb_each_other():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 9, 60).astype(float) for _ in range(3)]
    index = ThresholdIndex(columns)
    for _ in range(20):
        weight = rng.integers(-2, 3, 60)
        assert index.heaviest(weight) == oracle.heaviest_threshold(columns, weight)


def test_a_single_row_has_a_threshold():
    found = ThresholdIndex([np.array([4.0])]).heaviest(np.array([5]))
    assert found == (0, False, 4.0, 5, 5)


def test_no_present_value_means_no_threshold():
    assert ThresholdIndex([np.array([np.nan, np.nan])]).heaviest(np.array([1, 1])) is None
    assert ThresholdIndex([]).heaviest(np.array([1, 1])) is None


def test_the_columns_are_not_copied_and_not_written_to():
    matrix = np.arange(12.0).reshape(6, 2)
    matrix.setflags(write=False)
    index = ThresholdIndex([matrix[:, 0], matrix[:, 1]])
    index.heaviest(np.ones(6, np.int64))
    assert all(np.shares_memory(column, matrix) for column in index.columns)


def test_weights_of_another_length_are_refused():
    with pytest.raises(ValueError, match="weight must have shape \\(3,\\)"):
        ThresholdIndex([np.arange(3.0)]).heaviest(np.ones(4, np.int64))


def test_weights_of_another_type_are_refused():
    with pytest.raises(TypeError):
        ThresholdIndex([np.arange(3.0)]).heaviest(np.ones(3))
