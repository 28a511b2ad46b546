"""The heaviest interval, against trying every one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import intervals as oracle
from strategies.numbers import TIED, UGLY, numeric_columns, weights_for

from rulewright.kernels import IntervalIndex


@st.composite
def questions(draw, most_rows=15, **options):
    columns = draw(numeric_columns(most_rows=most_rows, **options))
    rows = columns[0].size
    said = {"gathers_missing": draw(st.booleans()), "prefers_outside": draw(st.booleans())}
    for ends in ("inside_ends", "outside_ends"):
        if draw(st.booleans()):
            said[ends] = draw(hnp.arrays(np.bool_, rows))
    return columns, draw(weights_for(rows)), said


@given(questions())
def test_the_heaviest_interval_is_the_first_of_the_best(question):
    columns, weight, said = question
    found = IntervalIndex(columns).heaviest(weight, **said)
    assert found == oracle.heaviest_interval(columns, weight, **said)


@given(questions(values=TIED), st.sampled_from([2, 3, 8]))
def test_the_answer_is_the_same_for_any_number_of_threads(question, threads):
    columns, weight, said = question
    one, many = (IntervalIndex(columns, n).heaviest(weight, **said) for n in (1, threads))
    assert one == many


@given(questions(values=UGLY, most_rows=60))
def test_rows_gathered_by_the_answer_weigh_what_it_says(question):
    columns, weight, said = question
    found = IntervalIndex(columns).heaviest(weight, **said)
    if found is None:
        return
    x = columns[found.column]
    low, high = x[found.low], x[found.high]
    rows = oracle.gathered_rows(x, low, high, found.inside, said["gathers_missing"])
    assert low <= high
    assert found.total == weight[rows].sum()
    assert found.gathered == weight[rows & (weight > 0)].sum()


def test_many_rows_are_searched_exactly():
    rng = np.random.default_rng(7)
    x = np.round(rng.normal(size=30_000), 3)
    x[rng.random(x.size) < 0.05] = np.nan
    weight = np.where(rng.random(x.size) < 0.4 + 0.3 * (np.abs(x) < 0.5), 2, -3)
    values = np.unique(x[~np.isnan(x)])
    sums = np.array([weight[x == v].sum() for v in values])
    ends = np.cumsum(sums)
    begins = np.minimum.accumulate(np.append(0, ends[:-1]))
    found = IntervalIndex([x]).heaviest(weight)
    assert found.total == (ends - begins).max()
    assert found.inside


def test_successive_questions_do_not_disturb_each_other():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 9, 60).astype(float) for _ in range(3)]
    index = IntervalIndex(columns)
    for _ in range(20):
        weight = rng.integers(-2, 3, 60)
        assert index.heaviest(weight) == oracle.heaviest_interval(columns, weight)


def test_the_largest_weights_do_not_overflow():
    weight = np.array([2**60, -(2**60), 2**60, 2**60 - 1])
    found = IntervalIndex([np.arange(4.0)]).heaviest(weight)
    assert found == (0, False, 1, 1, 3 * 2**60 - 1, 3 * 2**60 - 1)


def test_zero_and_minus_zero_are_one_value():
    found = IntervalIndex([np.array([0.0, -0.0, 1.0])]).heaviest(np.array([-1, 3, -1]))
    assert found == (0, True, 0, 0, 2, 3)


def test_a_single_row_is_an_interval():
    assert IntervalIndex([np.array([4.0])]).heaviest(np.array([5])) == (0, True, 0, 0, 5, 5)


def test_no_value_that_may_be_an_end_means_no_interval():
    weight = np.array([1, 1])
    none = np.zeros(2, bool)
    assert IntervalIndex([np.array([np.nan, np.nan])]).heaviest(weight) is None
    assert IntervalIndex([]).heaviest(weight) is None
    assert IntervalIndex([np.empty(0)]).heaviest(np.empty(0, np.int64)) is None
    index = IntervalIndex([np.arange(2.0)])
    assert index.heaviest(weight, inside_ends=none, outside_ends=none) is None
    assert not index.heaviest(weight, inside_ends=none).inside


def test_the_columns_are_not_copied_and_not_written_to():
    matrix = np.arange(12.0).reshape(6, 2)
    matrix.setflags(write=False)
    index = IntervalIndex([matrix[:, 0], matrix[:, 1]])
    index.heaviest(np.ones(6, np.int64))
    assert all(np.shares_memory(column, matrix) for column in index.columns)


def test_weights_and_marks_of_another_length_are_refused():
    index = IntervalIndex([np.arange(3.0)])
    with pytest.raises(ValueError, match="3 rows need 3 weights and marks"):
        index.heaviest(np.ones(4, np.int64))
    with pytest.raises(ValueError, match="3 rows need 3 weights and marks"):
        index.heaviest(np.ones(3, np.int64), inside_ends=np.ones(2, bool))


def test_weights_of_another_type_are_refused():
    with pytest.raises(TypeError):
        IntervalIndex([np.arange(3.0)]).heaviest(np.ones(3))
