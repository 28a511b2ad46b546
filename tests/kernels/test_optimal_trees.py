"""Optimal trees, against trying every tree."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.optimal_trees import (
    candidate_tests,
    impurity_of,
    least_impurity,
    least_losses,
    shape_of,
)
from strategies.coded import coded_rows, random_rows
from strategies.effort import QUARTER

from rulewright.kernels import CodedCells, LeafLoss, SearchLimits

LIMITS = SearchLimits()
DEPTHS = st.integers(0, 3)
LEAVES = st.integers(1, 8)
RATIOS = st.sampled_from(
    [Fraction(0), Fraction(1, 4), Fraction(1), Fraction(2), Fraction(313, 100)]
)


def offered(rows):
    return candidate_tests(rows.codes, rows.values, rows.ordered)


def loss_of(rows, ratio):
    """Rows whose weights are small enough for a loss with impurity, and the loss."""
    if ratio:
        rows = rows._replace(weight=rows.weight // max(rows.weight.min() // 3, 1))
    return rows, LeafLoss.of(ratio, int(rows.weight.sum()))


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


@given(coded_rows(), DEPTHS, LEAVES, RATIOS)
def test_no_tree_of_any_size_has_a_lower_loss(rows, depth, leaves, ratio):
    rows, loss = loss_of(rows, ratio)
    found = rows.cells().optimal_trees(depth, leaves, LIMITS, loss)
    tests, facts = offered(rows), (rows.label, rows.weight, rows.classes)
    least = least_losses(tests, *facts, depth, leaves, loss)
    assert found.losses.tolist() == found.lower.tolist() == least
    assert not found.stopped
    for size, (tree, lost) in enumerate(zip(found.trees, found.losses, strict=True), start=1):
        shape = shape_of(tree, tests, *facts, loss)
        assert shape[0] == lost
        assert shape[1] <= depth
        assert shape[2] <= size
        assert size == 1 or lost < found.losses[size - 2] or tree == found.trees[size - 2]


@pytest.mark.parametrize("ratio", [Fraction(1, 2), Fraction(2)])
def test_impurity_is_exact_where_weights_are_large(ratio):
    rows = large(rows=60, columns=3)
    rows = rows._replace(weight=rows.weight * 100_003 + np.arange(60))
    loss = LeafLoss.of(ratio, int(rows.weight.sum()))
    found = rows.cells().optimal_trees(2, 4, LIMITS, loss)
    facts = (rows.label, rows.weight, rows.classes)
    assert found.losses.tolist() == least_losses(offered(rows), *facts, 2, 4, loss)


def test_losses_beyond_exact_numbers_are_refused():
    assert LeafLoss.of(Fraction(2), 2**26) is None
    cells = large().cells()
    for loss in (LeafLoss(1, 2**40), LeafLoss(2**50, 1), LeafLoss(0, 1), LeafLoss(2, 0)):
        with pytest.raises(ValueError, match="error"):
            cells.optimal_trees(2, 4, LIMITS, loss)


@QUARTER
@given(coded_rows(most_rows=9, most_columns=2, most_values=4), st.integers(1, 2))
def test_of_equally_good_trees_the_purest_is_found(rows, depth):
    tests, facts = offered(rows), (rows.label, rows.weight, rows.classes)
    found = rows.cells().optimal_trees(depth, 4, LIMITS)
    first = rows.cells().optimal_trees(depth, 4, LIMITS, by_impurity=False)
    assert first.losses.tolist() == found.losses.tolist()
    for size, (tree, errors) in enumerate(zip(found.trees, found.losses, strict=True), start=1):
        if size == 1 or errors < found.losses[size - 2]:
            least = least_impurity(tests, *facts, depth, size)
            assert (errors, impurity_of(tree, tests, *facts)) == pytest.approx(least)


def test_the_purest_of_two_tests_with_equal_errors():
    codes = np.array([[0, 0, 0, 1, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1, 1]], np.int32)
    label = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)
    cells = CodedCells(codes, [2, 2], [True, True], label, np.ones(8, np.int64), 2)
    purest = cells.optimal_trees(1, 2, LIMITS)
    first = cells.optimal_trees(1, 2, LIMITS, by_impurity=False)
    assert purest.losses.tolist() == first.losses.tolist() == [4, 2]
    assert (purest.trees[1], first.trees[1]) == ([1, -1, -1], [0, -1, -1])


@QUARTER
@given(coded_rows(most_rows=9, most_columns=2, most_values=3), st.integers(4, 5), RATIOS)
def test_deeper_trees_are_optimal_too(rows, depth, ratio):
    rows, loss = loss_of(rows, ratio)
    found = rows.cells().optimal_trees(depth, 7, LIMITS, loss)
    least = least_losses(offered(rows), rows.label, rows.weight, rows.classes, depth, 7, loss)
    assert found.losses.tolist() == least


@given(coded_rows())
def test_the_numbers_of_tests_are_those_of_the_reference(rows):
    kinds = {"values": 0, "values or missing": 1, "missing": 2}
    found = [tuple(test) for test in rows.cells().tests]
    assert found == [(column, base, kinds[kind]) for column, base, kind, _ in offered(rows)]


@given(coded_rows(), DEPTHS, LEAVES, st.integers(0, 12), st.sampled_from([0, 500, 2**29]), RATIOS)
def test_bounds_are_valid_wherever_a_search_stops(rows, depth, leaves, subproblems, memory, ratio):
    rows, loss = loss_of(rows, ratio)
    best = rows.cells().optimal_trees(depth, leaves, LIMITS, loss)
    limits = SearchLimits(max_subproblems=subproblems, max_memory=memory)
    found = rows.cells().optimal_trees(depth, leaves, limits, loss)
    assert (found.lower <= best.losses).all()
    assert (found.losses >= best.losses).all()
    assert found.memory <= memory
    assert found.stopped or found.losses.tolist() == best.losses.tolist()
    tests = offered(rows)
    for tree, lost in zip(found.trees, found.losses, strict=True):
        assert shape_of(tree, tests, rows.label, rows.weight, rows.classes, loss)[0] == lost


@given(coded_rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, random):
    order = list(range(rows.label.size))
    random.shuffle(order)
    found = rows.cells().optimal_trees(3, 8, LIMITS)
    again = rows.take(order).cells().optimal_trees(3, 8, LIMITS)
    assert again.trees == found.trees
    assert again.losses.tolist() == found.losses.tolist()


@given(coded_rows(most_rows=12))
def test_weights_count_as_repeated_rows(rows):
    rows = rows._replace(weight=np.maximum(rows.weight % 4, 1))
    copies = rows.take(np.repeat(np.arange(rows.label.size), rows.weight))
    copies = copies._replace(weight=np.ones(copies.label.size, np.int64))
    assert rows.cells().optimal_trees(3, 8, LIMITS).trees == (
        copies.cells().optimal_trees(3, 8, LIMITS).trees
    )


@given(coded_rows(most_rows=12), st.integers(1, 3), st.integers(2, 8), st.integers(0, 2), RATIOS)
def test_all_first_tests_within_a_limit_are_found(rows, depth, leaves, more, ratio):
    rows, loss = loss_of(rows._replace(weight=rows.weight % 4 + 1), ratio)
    tests = offered(rows)
    facts = (rows.label, rows.weight, rows.classes)
    limit = least_losses(tests, *facts, depth, leaves, loss)[-1] + more * loss.error
    expected = {}
    for test in tests:
        sides = [rows.take(side) for side in (test[-1], ~test[-1])]
        if any(side.label.size == 0 for side in sides):
            continue
        one, other = (
            least_losses(
                [(*names, mask[side]) for *names, mask in tests],
                *facts_of(rows, side),
                depth - 1,
                8,
                loss,
            )
            for side in (test[-1], ~test[-1])
        )
        pairs = [(i, j) for i in range(len(one)) for j in range(len(other)) if i + j + 2 <= leaves]
        best = min((one[i] + other[j] for i, j in pairs), default=limit + 1)
        if best <= limit:
            expected.setdefault(partition(test[-1]), best)
    found = rows.cells().root_choices(limit, depth, leaves, LIMITS, loss)
    first = {
        partition(tests[tree[0]][-1]): e for tree, e in zip(found.trees, found.losses, strict=True)
    }
    assert first == expected
    assert found.losses.tolist() == sorted(found.losses.tolist())


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
        assert (found.lower <= best.losses).all()
        assert (best.losses <= found.losses).all()
        gaps.append(int(found.losses[-1] - found.lower[-1]))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > gaps[-1]


def test_solved_subproblems_are_kept_within_a_limit():
    cells = large(rows=120).cells()
    free = cells.optimal_trees(4, 16, LIMITS)
    tight = cells.optimal_trees(4, 16, SearchLimits(max_memory=20_000))
    assert tight.losses.tolist() == free.losses.tolist()
    assert tight.memory <= 20_000 < free.memory
    assert tight.subproblems > free.subproblems


def test_time_can_be_over():
    found = large().cells().optimal_trees(4, 16, SearchLimits(seconds=0.0))
    assert found.stopped
    assert (found.lower <= found.losses).all()
    assert found.losses[-1] < found.losses[0]


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


@pytest.mark.parametrize(("classes", "ratio"), [(2, 0), (3, 0), (2, 1)])
def test_threads_change_no_tree(classes, ratio):
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 8, (8, 4000)).astype(np.int32)
    label = ((codes[0] > 3) + (codes[1] + codes[2] > 9) + (rng.random(4000) < 0.2)) % classes
    weight = np.ones(4000, np.int64)
    cells = CodedCells(list(codes), [8] * 8, [True] * 8, label.astype(np.int32), weight, classes)
    loss = LeafLoss(1, ratio)
    limits = SearchLimits(max_subproblems=30)
    one, two = (cells.optimal_trees(3, 8, limits, loss, threads=n) for n in (1, 3))
    assert one.trees == two.trees
    assert np.array_equal(one.losses, two.losses)
    assert np.array_equal(one.lower, two.lower)
    assert one.subproblems == two.subproblems
    most = int(one.losses[3])
    few, more = (cells.root_choices(most, 2, 4, limits, loss, threads=n) for n in (1, 3))
    assert few.trees == more.trees
