"""Weights by category, against counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies.numbers import weights_for

from rulewright.kernels import code_counts, code_sums, weigh_categories


@given(st.data(), st.integers(0, 30))
def test_categories_weigh_what_their_rows_weigh(data, rows):
    codes = data.draw(hnp.arrays(np.int32, rows, elements=st.integers(-1, 3)))
    weight = data.draw(weights_for(rows))
    positive, negative = weigh_categories(codes, weight, 4)
    for category in range(4):
        here = weight[codes == category]
        assert positive[category] == here[here > 0].sum()
        assert negative[category] == here[here < 0].sum()


def test_a_code_without_a_category_is_refused():
    with pytest.raises(ValueError, match="codes must be below 2, got 2"):
        weigh_categories(np.array([2], np.int32), np.array([1]), 2)


@st.composite
def coded_rows(draw):
    codes = draw(hnp.arrays(np.int32, st.integers(0, 30), elements=st.integers(-1, 4)))
    numbers = st.floats(-1e6, 1e6)
    return codes, draw(hnp.arrays(np.float64, codes.size, elements=numbers))


@given(coded_rows(), st.integers(1, 3))
def test_codes_are_counted_as_by_hand(case, step):
    codes, _ = case
    codes = codes[::step]
    listed = codes.tolist()
    assert code_counts(codes, 5).tolist() == [listed.count(code) for code in range(5)]


@given(coded_rows())
def test_weights_are_added_in_the_order_of_the_rows(case):
    codes, weight = case
    sums = [0.0] * 5
    for code, amount in zip(codes.tolist(), weight.tolist(), strict=True):
        if code >= 0:
            sums[code] += amount
    assert code_sums(codes, weight, 5).tolist() == sums


@pytest.mark.parametrize("code", [2, -2])
def test_codes_out_of_range_are_neither_counted_nor_added(code):
    codes = np.array([0, code], np.int32)
    for call in (lambda: code_counts(codes, 2), lambda: code_sums(codes, np.ones(2), 2)):
        with pytest.raises(ValueError, match="code"):
            call()
