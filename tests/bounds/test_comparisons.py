"""Tests of new rows against earlier ones: exact where they can be, and never too small."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.comparisons import category_counts, chances, rows_outside, upper_tail
from scipy import stats

from rulewright.bounds import excess_test, range_test, share_tests, unseen_test
from rulewright.errors import InputError


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_shares_are_compared_by_fishers_exact_test(k, rest, new, new_rest):
    more, less = share_tests(k, k + rest, new, new + new_rest)
    table = [[new, new_rest], [k, rest]]
    assert more == pytest.approx(stats.fisher_exact(table, "greater").pvalue, abs=1e-10)
    assert less == pytest.approx(stats.fisher_exact(table, "less").pvalue, abs=1e-10)


@pytest.mark.parametrize(("earlier", "new"), [(2, 3), (3, 4), (5, 2), (1, 4), (6, 4)])
def test_the_range_test_is_exact_for_different_values(earlier, new):
    found = chances(list(range(earlier + new)), new, rows_outside)
    for outside in range(new + 1):
        expected = upper_tail(found, outside) if earlier > 1 else 1.0
        assert range_test(earlier, new, outside) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(0, 3), min_size=4, max_size=9), st.integers(1, 3))
def test_the_range_test_is_never_too_small_where_values_are_equal(values, new):
    found = chances(values, new, rows_outside)
    for outside in found:
        p_value = range_test(len(values) - new, new, outside)
        assert p_value >= upper_tail(found, outside) - 1e-12


@given(st.lists(st.sampled_from("aabbcde"), min_size=4, max_size=10), st.integers(1, 5))
def test_the_test_of_unseen_categories_keeps_its_level(values, new):
    new = min(new, len(values) - 1)
    found = chances(values, new, category_counts)
    p_values = {counts: unseen_test(*counts) for counts in found}
    for level in set(p_values.values()):
        rejected = sum(float(p) for counts, p in found.items() if p_values[counts] <= level)
        assert rejected <= level + 1e-9


def test_one_new_category_for_all_rows_is_as_unlikely_as_it_can_be():
    # 5 rows of one category, all of them among the new ones: 1 / C(15, 5)
    assert unseen_test([10, 0], [0, 5]) == pytest.approx(1 / 3003, rel=1e-6)
    assert unseen_test([716, 784, 0], [0, 0, 661]) < 1e-300


@given(st.integers(1, 200), st.data(), st.floats(0.001, 0.999))
def test_an_excess_of_errors_is_a_binomial_tail(rows, data, bound):
    errors = data.draw(st.integers(0, rows))
    expected = stats.binom.sf(errors - 1, rows, bound)
    assert excess_test(errors, rows, bound) == pytest.approx(expected, rel=1e-6, abs=1e-250)


def test_edges():
    assert excess_test(0, 10, 0.0) == excess_test(10, 10, 1.0) == 1.0
    assert excess_test(1, 10, 0.0) == 0.0
    assert share_tests(0, 0, 0, 0) == (1.0, 1.0)
    assert np.isclose(range_test(0, 5, 5), 1.0)
    with pytest.raises(InputError, match="outside must be from 0 to 3"):
        range_test(10, 3, 4)
    with pytest.raises(InputError, match="errors must be from 0 to 3"):
        excess_test(4, 3, 0.5)
    with pytest.raises(InputError, match="2 earlier counts but 1 new"):
        unseen_test([1, 2], [3])
