"""Hashes of rows, against rows that are compared value by value."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies.mixed import tables

from rulewright.data import CategoricalColumn
from rulewright.kernels import row_hashes


def content(table, row):
    """What a row holds; None where missing."""
    return tuple(column.cells()[row] for column in table.columns)


@given(tables(most_rows=40), st.booleans())
def test_rows_have_the_same_hash_where_they_are_equal(table, strided):
    numbers = [column.values for column in table.numeric]
    if strided:
        numbers = list(np.stack(numbers, axis=1).T)
    codes = [c.codes for c in table.columns if isinstance(c, CategoricalColumn)]
    hashes = row_hashes(numbers, codes, table.rows).tolist()
    contents = [content(table, row) for row in range(table.rows)]
    for one in range(table.rows):
        for other in range(one):
            assert (hashes[one] == hashes[other]) == (contents[one] == contents[other])


def test_values_in_other_columns_give_another_hash():
    one, other = np.array([1.0, 2.0]), np.array([2.0, 1.0])
    assert np.unique(row_hashes([one, other], [], 2)).size == 2


def test_rows_without_columns_are_equal():
    assert row_hashes([], [], 3).tolist() == [0, 0, 0]


def test_rows_of_several_blocks_are_all_hashed():
    values = np.arange(10_000.0)
    hashes = row_hashes([values], [], values.size)
    assert np.unique(hashes).size == values.size
    assert hashes[-1] == row_hashes([values[-1:]], [], 1)[0]
