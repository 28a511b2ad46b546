"""Optimal lists of rules, against trying every list."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.optimal_lists import conditions_of, errors_of, fewest_errors, literals_of
from oracles.optimal_trees import candidate_tests
from strategies.coded import coded_rows, random_rows
from strategies.effort import QUARTER

from rulewright.kernels import SearchLimits

LIMITS = SearchLimits()
RULES, TERMS = st.integers(0, 3), st.integers(1, 3)


def offered(rows):
    return candidate_tests(rows.codes, rows.values, rows.ordered)


def least_errors(rows, max_rules, max_terms):
    literals = literals_of(offered(rows))
    return fewest_errors(literals, rows.label, rows.weight, rows.classes, max_rules, max_terms)


def check_lists(rows, found):
    """The lists have the errors that they are found with."""
    tests = offered(rows)

    def mask(literal):
        holds = tests[literal // 2][-1]
        return holds if literal % 2 == 0 else ~holds

    for size, (rules, errors) in enumerate(zip(found.lists, found.errors, strict=True)):
        assert len(rules) <= size
        assert errors_of(rules, mask, rows.label, rows.weight, rows.classes) == errors


def large(rows=250, columns=5, values=7):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, values, (columns, rows))
    label = ((codes[0] > 3) & (codes[1] > 2)) | ((codes[2] < 2) & (codes[3] > 3))
    label ^= rng.random(rows) < 0.15
    codes[rng.random(codes.shape) < 0.05] = -1
    return random_rows(rng, rows)._replace(
        codes=codes.astype(np.int32),
        values=[values] * columns,
        ordered=[True] * columns,
        label=label.astype(np.int32),
        weight=rng.integers(1, 3, rows),
        classes=2,
    )


@given(coded_rows(most_rows=11), RULES, TERMS)
def test_no_list_of_any_size_has_fewer_errors(rows, max_rules, max_terms):
    found = rows.cells().optimal_lists(max_rules, max_terms, LIMITS)
    least = least_errors(rows, max_rules, max_terms)
    assert found.errors.tolist() == found.lower.tolist() == least
    assert not found.stopped
    assert all(len(rule) <= max_terms for rules in found.lists for rule in rules)
    check_lists(rows, found)


@given(coded_rows(most_rows=11), RULES, TERMS, st.integers(0, 9), st.sampled_from([0, 400, 2**29]))
def test_bounds_are_valid_wherever_a_search_stops(rows, max_rules, max_terms, subproblems, memory):
    best = rows.cells().optimal_lists(max_rules, max_terms, LIMITS)
    limits = SearchLimits(max_subproblems=subproblems, max_memory=memory)
    found = rows.cells().optimal_lists(max_rules, max_terms, limits)
    assert (found.lower <= best.errors).all()
    assert (found.errors >= best.errors).all()
    assert found.memory <= memory
    assert found.stopped or found.errors.tolist() == best.errors.tolist()
    check_lists(rows, found)


@given(coded_rows(most_rows=14), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, random):
    order = list(range(rows.label.size))
    random.shuffle(order)
    found = rows.cells().optimal_lists(2, 2, LIMITS)
    assert rows.take(order).cells().optimal_lists(2, 2, LIMITS).lists == found.lists


@given(coded_rows(most_rows=12))
def test_weights_count_as_repeated_rows(rows):
    rows = rows._replace(weight=np.maximum(rows.weight % 4, 1))
    copies = rows.take(np.repeat(np.arange(rows.label.size), rows.weight))
    copies = copies._replace(weight=np.ones(copies.label.size, np.int64))
    assert rows.cells().optimal_lists(2, 2, LIMITS).lists == (
        copies.cells().optimal_lists(2, 2, LIMITS).lists
    )


@QUARTER
@given(coded_rows(most_rows=9), st.integers(1, 2), TERMS, st.integers(0, 2))
def test_all_first_rules_within_a_limit_are_found(rows, max_rules, max_terms, more):
    rows = rows._replace(weight=rows.weight % 4 + 1)
    literals = literals_of(offered(rows))
    limit = least_errors(rows, max_rules, max_terms)[-1] + more
    expected = {}
    for covered in conditions_of(literals, max_terms).values():
        if not covered.any():
            continue
        inside, outside = rows.take(covered), rows.take(~covered)
        left = {number: mask[~covered] for number, mask in literals.items()}
        facts = (outside.label, outside.weight, rows.classes)
        rest = fewest_errors(left, *facts, max_rules - 1, max_terms)[-1]
        own = fewest_errors({}, inside.label, inside.weight, rows.classes, 0, 1)[0]
        if own + rest <= limit:
            expected[covered.tobytes()] = own + rest
    found = rows.cells().first_rules(limit, max_rules, max_terms, LIMITS)
    tests = offered(rows)
    first = {}
    for rules, errors in zip(found.lists, found.errors.tolist(), strict=True):
        masks = [tests[literal // 2][-1] ^ (literal % 2 == 1) for literal in rules[0]]
        first[np.logical_and.reduce(masks).tobytes()] = errors
    everything = np.ones(rows.label.size, np.bool_).tobytes()
    expected.pop(everything, None)  # a rule that covers all rows is the constant answer
    first.pop(everything, None)
    assert first == expected
    assert found.errors.tolist() == sorted(found.errors.tolist())


def test_bounds_close_as_a_search_goes_on():
    cells = large().cells()
    best = cells.optimal_lists(2, 2, LIMITS)
    gaps = []
    for subproblems in (1, 10, 40, 10**6):
        found = cells.optimal_lists(2, 2, SearchLimits(max_subproblems=subproblems))
        assert (found.lower <= best.errors).all()
        assert (best.errors <= found.errors).all()
        gaps.append(int(found.errors[-1] - found.lower[-1]))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > gaps[-1] == 0


def test_solved_sets_are_kept_within_a_limit():
    cells = large(rows=90, columns=4, values=4).cells()
    free = cells.optimal_lists(3, 1, LIMITS)
    tight = cells.optimal_lists(3, 1, SearchLimits(max_memory=5_000))
    assert tight.errors.tolist() == free.errors.tolist()
    assert tight.memory <= 5_000 < free.memory
    assert tight.subproblems > free.subproblems


@pytest.mark.parametrize("max_terms", [2, 3])
def test_time_can_be_over(max_terms):
    cells = large().cells()
    found = cells.optimal_lists(3, max_terms, SearchLimits(seconds=0.0))
    assert found.stopped
    assert found.errors[-1] < found.errors[0]
    best = cells.optimal_lists(1, max_terms, LIMITS)
    assert found.lower[1] <= best.errors[1] <= found.errors[1]


def test_rules_in_small_batches_give_the_same_errors():
    rows = large(rows=50, columns=4, values=4)
    free = rows.cells().optimal_lists(2, 3, LIMITS)
    tight = rows.cells().optimal_lists(2, 3, SearchLimits(max_memory=0))
    assert tight.errors.tolist() == tight.lower.tolist() == free.errors.tolist()
    assert tight.subproblems > free.subproblems
    check_lists(rows, tight)


def test_a_rule_of_three_terms_is_found_among_many_columns():
    codes = np.array(list(np.ndindex(2, 2, 2, 2, 2)), np.int32).T
    label = (codes[[0, 2, 4]] == 1).all(axis=0).astype(np.int32)
    rows = random_rows(np.random.default_rng(0), label.size)._replace(
        codes=codes, values=[2] * 5, ordered=[True] * 5, label=label, classes=2
    )
    rows = rows._replace(weight=np.ones(label.size, np.int64))
    found = rows.cells().optimal_lists(1, 3, LIMITS)
    assert found.errors.tolist() == [4, 0]
    assert len(found.lists[1][0]) == 3
    assert rows.cells().optimal_lists(1, 2, LIMITS).errors.tolist() == [4, 4]


def test_wide_and_narrow_counts_agree():
    rows = large(rows=80, columns=4)
    heavy = rows._replace(weight=rows.weight * 10**9)
    many = rows._replace(classes=3)
    found = rows.cells().optimal_lists(2, 2, LIMITS)
    assert heavy.cells().optimal_lists(2, 2, LIMITS).lists == found.lists
    assert many.cells().optimal_lists(2, 2, LIMITS).lists == found.lists
    best = rows.cells().optimal_lists(1, 3, LIMITS)
    assert heavy.cells().optimal_lists(1, 3, LIMITS).lists == best.lists
    assert many.cells().optimal_lists(1, 3, LIMITS).lists == best.lists
