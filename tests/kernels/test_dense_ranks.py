"""Ranks of values, against NumPy's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies.numbers import TIED

from rulewright.kernels import dense_ranks

VALUES = st.one_of(TIED, st.sampled_from([np.nan, 0.0, -0.0, np.inf, -np.inf, 5e-324]), st.floats())


@given(hnp.arrays(np.float64, st.integers(0, 40), elements=VALUES), st.integers(1, 3))
def test_ranks_are_those_of_the_sorted_values(values, step):
    values = values[::step]
    known, expected = np.unique(values, return_inverse=True)
    ranks, count = dense_ranks(values)
    assert count == known.size
    assert ranks.tolist() == expected.tolist()


@pytest.mark.parametrize("extra", [0, 1])
def test_too_many_values_are_not_ranked(extra):
    values = np.random.default_rng(0).permutation(2**15 + extra) * 0.1
    found = dense_ranks(values)
    if extra:
        assert found is None
    else:
        assert found[0].tolist() == np.unique(values, return_inverse=True)[1].tolist()
