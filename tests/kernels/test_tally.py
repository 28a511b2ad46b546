"""Class weights at every cut, against counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import thresholds as oracle
from strategies.numbers import numeric_columns

from rulewright.kernels import ThresholdIndex


@st.composite
def cases(draw):
    columns = draw(numeric_columns())
    rows = columns[0].size
    classes = draw(st.integers(1, 3))
    label = draw(hnp.arrays(np.int32, rows, elements=st.integers(0, classes - 1)))
    weight = draw(hnp.arrays(np.float64, rows, elements=st.sampled_from([0.0, 0.5, 1.0, 2.0])))
    return columns, label, weight, classes


@given(cases(), st.sampled_from([1, 2, 3]))
def test_a_tally_equals_counting_by_hand(case, threads):
    columns, label, weight, classes = case
    tallies = list(ThresholdIndex(columns, threads).tally(label, weight, classes))
    assert len(tallies) == len(columns)
    for x, found in zip(columns, tallies, strict=True):
        expected = oracle.tally(x, label, weight, classes)
        assert x[found.rows].tolist() == sorted(expected)
        assert found.below.tolist() == [expected[v] for v in sorted(expected)]


@given(cases())
def test_the_row_of_a_cut_is_the_first_that_has_the_value(case):
    columns, label, weight, classes = case
    for x, found in zip(
        columns, ThresholdIndex(columns).tally(label, weight, classes), strict=True
    ):
        for row in found.rows:
            assert row == np.flatnonzero(x == x[row])[0]


def test_labels_out_of_range_are_refused():
    index = ThresholdIndex([np.arange(3.0)])
    with pytest.raises(ValueError, match="labels must be from 0 to 1"):
        list(index.tally(np.array([0, 1, 2], np.int32), np.ones(3), 2))
