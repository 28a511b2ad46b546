"""Conditions of rules dropped: the native search against one that counts every row every time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.pruning import more_errors
from oracles.tree_rules import dropped

from rulewright.kernels import drop_conditions, packed, pessimistic_errors

CONFIDENCES = st.sampled_from([0.01, 0.25, 0.5])


@st.composite
def rulesets(draw):
    rows = draw(st.integers(1, 150))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.3, 0.7, 0.95, 1.0]))
    tests = seed.random((draw(st.integers(1, 6)), rows)) < share
    y = seed.integers(0, draw(st.integers(1, 3)), rows)
    weight = seed.integers(0, 8, rows) / 4 if draw(st.booleans()) else np.ones(rows)
    number = st.integers(0, tests.shape[0] - 1)
    rules = draw(st.lists(st.lists(number, unique=True), min_size=1, max_size=4))
    outputs = seed.integers(0, y.max() + 1, len(rules)).tolist()
    return tests, y, weight, rules, outputs


def run(tests, y, weight, rules, outputs, confidence=0.25, threads=1):
    return drop_conditions(
        np.array([packed(test) for test in tests]),
        np.array([packed(y == c) for c in range(y.max() + 1)]),
        weight,
        y.size,
        rules,
        outputs,
        confidence=confidence,
        threads=threads,
    )


@given(rulesets(), CONFIDENCES)
def test_the_conditions_kept_are_those_of_counting_anew(case, confidence):
    tests, y, weight, rules, outputs = case
    found = run(*case, confidence)
    for rule, output, kept, right, wrong in zip(rules, outputs, *found, strict=True):
        own = (y == output).tolist()
        left = dropped([tests[n].tolist() for n in rule], own, weight.tolist(), confidence)
        assert kept == [rule[place] for place in left]
        covered = np.logical_and.reduce([np.ones_like(y, bool), *tests[kept]])
        assert right == weight[covered & (y == output)].sum()
        assert wrong == weight[covered & (y != output)].sum()


@given(rulesets())
def test_no_weights_are_weights_of_one_and_threads_change_nothing(case):
    tests, y, _, rules, outputs = case
    alone = run(tests, y, None, rules, outputs)
    weighed = run(tests, y, np.ones(y.size), rules, outputs, threads=3)
    assert alone.conditions == weighed.conditions
    assert alone.right.tolist() == weighed.right.tolist()
    assert alone.wrong.tolist() == weighed.wrong.tolist()


@given(st.lists(st.tuples(st.integers(1, 400), st.floats(0, 1))), CONFIDENCES)
def test_errors_to_be_expected_are_those_of_the_formula(cases, confidence):
    total = np.array([float(count) for count, _ in cases])
    errors = np.array([round(4 * count * share) / 4 for count, share in cases])
    expected = [
        e + more_errors(t, e, confidence)
        for t, e in zip(total.tolist(), errors.tolist(), strict=True)
    ]
    assert pessimistic_errors(total, errors, confidence).tolist() == pytest.approx(expected)


def test_a_confidence_of_nothing_is_refused():
    with pytest.raises(ValueError, match="confidence must be above 0"):
        pessimistic_errors(np.ones(1), np.ones(1), 0.0)


def test_arrays_that_do_not_fit_are_refused():
    tests, y = np.ones((1, 70), np.bool_), np.zeros(70, np.int64)
    with pytest.raises(ValueError, match="condition must be from"):
        run(tests, y, None, [[1]], [0])
    with pytest.raises(ValueError, match="class must be from"):
        run(tests, y, None, [[0]], [1])
    with pytest.raises(ValueError, match="one number per row"):
        run(tests, y, np.ones(3), [[0]], [0])
    with pytest.raises(ValueError, match="beyond the rows"):
        bits = np.full((1, 2), 2**64 - 1, np.uint64)
        drop_conditions(bits, bits, None, 70, [[0]], [0])
