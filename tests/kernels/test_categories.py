"""Weights by category, against counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies.numbers import weights_for

from rulewright.kernels import weigh_categories


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
