"""Information in contingency tables, and the numbers of the lectures."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.criteria import bits, share

from rulewright.criteria import (
    conditional_entropy,
    fisher,
    impurity_entropy,
    mutual_information,
    smoothed_gain,
    split_errors,
    surprise,
)
from rulewright.errors import InputError

ROW = st.lists(st.integers(0, 9), min_size=2, max_size=2)
TABLES = st.lists(ROW, min_size=1, max_size=4)
RAIN = [[0.01, 0.09], [0.16, 0.04], [0.35, 0.35]]


def information(table):
    """Sum over all cells of the joint share times log2(joint / product of the margins)."""
    total = sum(map(sum, table))
    columns = [sum(column) for column in zip(*table, strict=True)]
    return math.fsum(
        count / total * math.log2(count * total / (sum(row) * column))
        for row in table
        for count, column in zip(row, columns, strict=True)
        if count
    )


@given(TABLES)
def test_information_is_what_its_definition_gives(table):
    found = mutual_information(table)
    assert found == pytest.approx(information(table), abs=1e-12)
    assert found == pytest.approx(mutual_information(np.transpose(table)), abs=1e-12)
    whole = impurity_entropy(np.sum(table, axis=0))
    assert conditional_entropy(table) == pytest.approx(whole - information(table), abs=1e-12)


@given(TABLES)
def test_errors_of_a_split_are_those_outside_the_most_frequent_classes(table):
    assert split_errors(table) == sum(min(sum(row) - count for count in row) for row in table)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=5))
def test_entropy_is_the_mean_surprise(counts):
    total = sum(counts)
    found = surprise(counts)
    assert np.isinf(found).tolist() == [count == 0 for count in counts]
    mean = sum(count / total * value for count, value in zip(counts, found, strict=True) if count)
    assert mean == pytest.approx(sum(bits(share(count, total)) for count in counts), abs=1e-12)


def test_many_tables_are_measured_at_once():
    tables = np.arange(24).reshape(2, 2, 3, 2)
    for function in (conditional_entropy, mutual_information, split_errors):
        found = function(tables)
        assert found.shape == (2, 2)
        assert found[1, 0] == function(tables[1, 0])


def test_the_numbers_of_the_lecture_are_reproduced():
    """Its 0.893 and 0.106 are wrong sums: its terms 0.047 + 0.144 + 0.7 make 0.891."""
    assert surprise([0.2, 0.8]) == pytest.approx([2.3219, 0.3219], abs=1e-4)
    assert impurity_entropy(RAIN) == pytest.approx([0.469, 0.722, 1.0], abs=5e-4)
    assert conditional_entropy(RAIN) == pytest.approx(0.891, abs=5e-4)
    assert mutual_information(RAIN) == pytest.approx(0.108, abs=5e-4)


def test_the_gain_column_of_the_comparison_is_reproduced():
    p, n = np.array([(50, 0), (100, 50), (50, 9), (5, 0), (100, 0), (140, 20)]).T
    printed = [23.70, 1.98, 7.94, 3.04, 53.32, 37.03]
    assert smoothed_gain(p, n, 200, 100).round(2).tolist() == printed


def test_the_smoothed_gain_comes_near_the_statistical_criterion():
    p, n, P, N = 50_000, 9_000, 200_000, 100_000
    assert smoothed_gain(p, n, P, N) == pytest.approx(fisher(p, n, P, N), rel=0.01)


@pytest.mark.parametrize("function", [conditional_entropy, mutual_information, split_errors])
def test_what_is_not_a_table_is_refused(function):
    with pytest.raises(InputError, match="must be a table, with a row for each value, got 1 axes"):
        function([1, 2])
    with pytest.raises(InputError, match="finite and 0 or more, got -1"):
        function([[1, -1]])
    with pytest.raises(InputError, match="finite and 0 or more, got nan"):
        surprise([1, math.nan])
