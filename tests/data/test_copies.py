"""Columns that give the class of nearly all rows, against a plain count."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.data import CategoricalColumn, NumericColumn, Table, table_cautions


def is_remarked(column, y):
    found = table_cautions(Table([column], y.size), y, range(int(y.max(initial=0)) + 1), {})
    return any("gives the class" in caution for caution in found)


def gives_the_class(column, y):
    """Whether at most 20 values tell the class of 98 % of the rows, and of 95 % of the rarer."""
    cells = column.cells()
    counts = {}
    for cell, label in zip(cells, y.tolist(), strict=True):
        if cell is not None:
            counts.setdefault(cell, Counter())[label] += 1
    rows = sum(sum(of.values()) for of in counts.values())
    if not 2 <= len(counts) <= 20 or rows < max(20, 0.98 * y.size):
        return False
    right = sum(max(of.values()) for of in counts.values())
    guessed = max(sum(counts.values(), Counter()).values())
    return right >= 0.98 * rows and right - guessed >= 0.95 * (rows - guessed)


@st.composite
def cases(draw):
    """A column that copies the class but for some rows, some of them missing."""
    rows, classes = draw(st.integers(0, 400)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    y = rng.integers(0, classes, rows).astype(np.int32)
    codes = y.copy()
    several = draw(st.sampled_from([1, 2, 8]))
    codes = (codes + classes * rng.integers(0, several, rows)).astype(np.int32)
    changed = draw(st.sampled_from([0, 1, 2, 3, 8, 50]))
    places = rng.integers(0, max(rows, 1), changed if rows else 0)
    if draw(st.booleans()):
        places = places % max(rows // 10, 1)  # among the first rows
    codes[places] = draw(st.sampled_from([-1, 0, 30]))
    if draw(st.booleans()):
        values = np.where(codes < 0, np.nan, codes * 1.5)
        return NumericColumn("x", values), y
    return CategoricalColumn("x", "text", codes, tuple(map(str, range(40)))).observed(), y


@given(cases())
def test_copies_of_the_class_are_found(case):
    column, y = case
    assert is_remarked(column, y) == gives_the_class(column, y)


@pytest.mark.parametrize("wrong", [0, 20, 21, 100])
def test_errors_in_the_first_rows_count_for_all(wrong):
    y = (np.arange(1000) % 2).astype(np.int32)
    values = y.astype(float)
    values[:wrong] = 0.0  # half of them are right
    assert is_remarked(NumericColumn("x", values), y) == (wrong <= 40)
