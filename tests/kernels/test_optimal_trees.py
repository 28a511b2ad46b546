"""Optimal trees, against trying every tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.optimal_trees import (
    candidate_tests,
    errors_of,
    fewest_errors,
    impurity_of,
    least_impurity,
)
from strategies.coded import coded_rows, random_rows
from strategies.effort import QUARTER

from rulewright.kernels import CodedCells, SearchLimits

LIMITS = SearchLimits()
DEPTHS = st.integers(0, 3)
LEAVES = st.integers(1, 8)


def offered(rows):
    return candidate_tests(rows.codes, rows.values, rows.ordered)


def large(seed=0, rows=300, columns=6, values=9, missing=0.05):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, values, (columns, rows))
    label = (codes[0] > 4) ^ (codes[1] > 2) ^ (codes[2] < 2) ^ (rng.random(rows) < 0.2)
    codes[rng.random(codes.shape) < missing] = -1
    ordered = [True] * (columns - 1) + [False]
    found = random_rows(rng, rows)
    return found._replace(
        codes=codes.astype(np.int32),
        values=[values] * columns,
        ordered=ordered,
        label=label.astype(np.int32),
        weight=rng.integers(1, 3, rows),
        classes=2,
    )


@given(coded_rows(), DEPTHS, LEAVES)
def test_no_tree_of_any_size_has_fewer_errors(rows, depth, leaves):
    found = rows.cells().optimal_trees(depth, leaves, LIMITS)
    tests = offered(rows)
    least = fewest_errors(tests, rows.label, rows.weight, rows.classes, depth, leaves)
    assert found.errors.tolist() == found.lower.tolist() == least
    assert not found.stopped
    for size, (tree, errors) in enumerate(zip(found.trees, found.errors, strict=True), start=1):
        shape = errors_of(tree, tests, rows.label, rows.weight, rows.classes)
        assert shape[0] == errors
        assert shape[1] <= depth
        assert shape[2] <= size
        assert size == 1 or errors < found.errors[size - 2] or tree == found.trees[size - 2]


@QUARTER
@given(coded_rows(most_rows=9, most_columns=2, most_values=4), st.integers(1, 2))
def test_of_equally_good_trees_the_purest_is_found(rows, depth):
    tests, facts = offered(rows), (rows.label, rows.weight, rows.classes)
    found = rows.cells().optimal_trees(depth, 4, LIMITS)
    first = rows.cells().optimal_trees(depth, 4, LIMITS, by_impurity=False)
    assert first.errors.tolist() == found.errors.tolist()
    for size, (tree, errors) in enumerate(zip(found.trees, found.errors, strict=True), start=1):
        if size == 1 or errors < found.errors[size - 2]:
            least = least_impurity(tests, *facts, depth, size)
            assert (errors, impurity_of(tree, tests, *facts)) == pytest.approx(least)


def test_the_purest_of_two_tests_with_equal_errors():
    codes = np.array([[0, 0, 0, 1, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1, 1]], np.int32)
    label = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)
    cells = CodedCells(codes, [2, 2], [True, True], label, np.ones(8, np.int64), 2)
    purest = cells.optimal_trees(1, 2, LIMITS)
    first = cells.optimal_trees(1, 2, LIMITS, by_impurity=False)
    assert purest.errors.tolist() == first.errors.tolist() == [4, 2]
    assert (purest.trees[1], first.trees[1]) == ([1, -1, -1], [0, -1, -1])


@QUARTER
@given(coded_rows(most_rows=9, most_columns=2, most_values=3), st.integers(4, 5))
def test_deeper_trees_are_optimal_too(rows, depth):
    found = rows.cells().optimal_trees(depth, 7, LIMITS)
    least = fewest_errors(offered(rows), rows.label, rows.weight, rows.classes, depth, 7)
    assert found.errors.tolist() == least


@given(coded_rows())
def test_the_numbers_of_tests_are_those_of_the_reference(rows):
    kinds = {"values": 0, "values or missing": 1, "missing": 2}
    found = [tuple(test) for test in rows.cells().tests]
    assert found == [(column, base, kinds[kind]) for column, base, kind, _ in offered(rows)]


@given(coded_rows(), DEPTHS, LEAVES, st.integers(0, 12), st.sampled_from([0, 500, 2**29]))
def test_bounds_are_valid_wherever_a_search_stops(rows, depth, leaves, subproblems, memory):
    best = rows.cells().optimal_trees(depth, leaves, LIMITS)
    limits = SearchLimits(max_subproblems=subproblems, max_memory=memory)
    found = rows.cells().optimal_trees(depth, leaves, limits)
    assert (found.lower <= best.errors).all()
    assert (found.errors >= best.errors).all()
    assert found.memory <= memory
    assert found.stopped or found.errors.tolist() == best.errors.tolist()
    tests = offered(rows)
    for tree, errors in zip(found.trees, found.errors, strict=True):
        assert errors_of(tree, tests, rows.label, rows.weight, rows.classes)[0] == errors


@given(coded_rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, random):
    order = list(range(rows.label.size))
    random.shuffle(order)
    found = rows.cells().optimal_trees(3, 8, LIMITS)
    again = rows.take(order).cells().optimal_trees(3, 8, LIMITS)
    assert again.trees == found.trees
    assert again.errors.tolist() == found.errors.tolist()


@given(coded_rows(most_rows=12))
def test_weights_count_as_repeated_rows(rows):
    rows = rows._replace(weight=np.maximum(rows.weight % 4, 1))
    copies = rows.take(np.repeat(np.arange(rows.label.size), rows.weight))
    copies = copies._replace(weight=np.ones(copies.label.size, np.int64))
    assert rows.cells().optimal_trees(3, 8, LIMITS).trees == (
        copies.cells().optimal_trees(3, 8, LIMITS).trees
    )


@given(coded_rows(most_rows=12), st.integers(1, 3), st.integers(2, 8), st.integers(0, 2))
def test_all_first_tests_within_a_limit_are_found(rows, depth, leaves, more):
    rows = rows._replace(weight=rows.weight % 4 + 1)
    tests = offered(rows)
    facts = (rows.label, rows.weight, rows.classes)
    limit = fewest_errors(tests, *facts, depth, leaves)[-1] + more
    expected = {}
    for test in tests:
        sides = [rows.take(side) for side in (test[-1], ~test[-1])]
        if any(side.label.size == 0 for side in sides):
            continue
        one, other = (
            fewest_errors(
                [(*names, mask[side]) for *names, mask in tests],
                *facts_of(rows, side),
                depth - 1,
                8,
            )
            for side in (test[-1], ~test[-1])
        )
        pairs = [(i, j) for i in range(len(one)) for j in range(len(other)) if i + j + 2 <= leaves]
        best = min((one[i] + other[j] for i, j in pairs), default=limit + 1)
        if best <= limit:
            expected.setdefault(partition(test[-1]), best)
    found = rows.cells().root_choices(limit, depth, leaves, LIMITS)
    first = {
        partition(tests[tree[0]][-1]): e for tree, e in zip(found.trees, found.errors, strict=True)
    }
    assert first == expected
    assert found.errors.tolist() == sorted(found.errors.tolist())


def test_the_weight_of_a_category_is_its_own():
    """The weights of several categories were added up, and first tests were excluded by them."""
    codes = np.array([[0, 3, 0, 1, 2], [2, 0, 0, 3, 3]], np.int32)
    label, weight = np.array([1, 0, 0, 1, 0], np.int32), np.array([1, 1, 2, 3, 1])
    cells = CodedCells(codes, [5, 4], [False, True], label, weight, 2)
    found = cells.root_choices(0, 3, 4, LIMITS)
    assert [tree[0] for tree in found.trees] == [0, 1, 2, 3, 4, 6]


def facts_of(rows, side):
    return rows.label[side], rows.weight[side], rows.classes


def partition(mask):
    """Two tests that divide the rows alike are the same."""
    return min(mask.tobytes(), (~mask).tobytes())


def test_bounds_close_as_a_search_goes_on():
    cells = large().cells()
    best = cells.optimal_trees(4, 16, LIMITS)
    gaps = []
    for subproblems in (1, 10, 100, 1000):
        found = cells.optimal_trees(4, 16, SearchLimits(max_subproblems=subproblems))
        assert (found.lower <= best.errors).all()
        assert (best.errors <= found.errors).all()
        gaps.append(int(found.errors[-1] - found.lower[-1]))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > gaps[-1]


def test_solved_subproblems_are_kept_within_a_limit():
    cells = large(rows=120).cells()
    free = cells.optimal_trees(4, 16, LIMITS)
    tight = cells.optimal_trees(4, 16, SearchLimits(max_memory=20_000))
    assert tight.errors.tolist() == free.errors.tolist()
    assert tight.memory <= 20_000 < free.memory
    assert tight.subproblems > free.subproblems


def test_time_can_be_over():
    found = large().cells().optimal_trees(4, 16, SearchLimits(seconds=0.0))
    assert found.stopped
    assert (found.lower <= found.errors).all()
    assert found.errors[-1] < found.errors[0]


def test_rows_of_weight_zero_are_absent():
    rows = large(rows=40)
    none = np.arange(40) % 3 == 0
    weight = np.where(none, 0, rows.weight)
    found = rows._replace(weight=weight).cells().optimal_trees(2, 4, LIMITS)
    assert found.trees == rows.take(~none).cells().optimal_trees(2, 4, LIMITS).trees


@pytest.mark.parametrize("classes", [2, 3])
def test_wide_and_narrow_counts_agree(classes):
    rows = large(rows=150)._replace(classes=classes)
    heavy = rows._replace(weight=rows.weight * 10**9)
    found = rows.cells().optimal_trees(3, 8, LIMITS)
    assert heavy.cells().optimal_trees(3, 8, LIMITS).trees == found.trees
