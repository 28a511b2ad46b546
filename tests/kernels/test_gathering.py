"""Columns at some rows, against NumPy's own indexing."""

import numpy as np
import pytest

from rulewright.kernels import gathered


@pytest.mark.parametrize("rows", [0, 1, 255, 256, 1000])
@pytest.mark.parametrize("order", ["C", "F"])
def test_values_are_those_of_the_rows(rows, order):
    rng = np.random.default_rng(0)
    matrix = np.array(rng.normal(size=(300, 5)), order=order)
    matrix[3, 2] = np.nan
    chosen = rng.integers(0, 300, rows)
    found = gathered([matrix[:, j] for j in range(5)], chosen)
    assert np.array_equal(found, matrix[chosen].T, equal_nan=True)


def test_no_columns_give_no_lines():
    assert gathered([], np.arange(3)).shape == (0, 3)


@pytest.mark.parametrize("row", [-1, 4])
def test_a_row_that_is_not_there_is_refused(row):
    with pytest.raises(ValueError, match="rows must be in the range"):
        gathered([np.zeros(4)], np.array([0, row]))
