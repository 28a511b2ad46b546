"""Rules grown natively, each step against trying every test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.rule_growing import all_tests, covered, gains, holds, sides
from strategies.effort import QUADRUPLE

from rulewright.kernels import ExtensionIndex, RuleGrowthOptions


@st.composite
def fields(draw: st.DrawFn) -> dict:
    count = draw(st.sampled_from([200, 40, 12, 6, 1]))
    values = draw(st.lists(st.sampled_from([9, 300, 2, 5, 1, 0]), min_size=1, max_size=4))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = [seed.integers(-1, v, count).tolist() for v in values]
    there = seed.random(count) < draw(st.sampled_from([0.7, 1.0]))
    own = (seed.random(count) < draw(st.sampled_from([0.3, 0.6, 0.0, 1.0]))).tolist()
    if draw(st.booleans()):
        own = [code > values[0] // 3 and mark for code, mark in zip(codes[0], own, strict=True)]
    weight = seed.choice([0.25, 0.5, 1.0, 2.0], count).tolist() if draw(st.booleans()) else None
    return {
        "codes": codes,
        "values": values,
        "numeric": draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))),
        "rows": np.flatnonzero(there).tolist(),
        "own": own,
        "weight": weight,
        "gain": draw(st.sampled_from(["foil", "boosting"])),
        "least": draw(st.sampled_from([0.5, 1.0, 2.0, 4.0])),
    }


def grown(case: dict, first: list = (), threads: int = 1, asked: list | None = None) -> list:
    index = ExtensionIndex([np.array(c, np.int32) for c in case["codes"]], case["values"], threads)
    weight = None if case["weight"] is None else np.array(case["weight"], np.float64)
    growth = RuleGrowthOptions(
        case["gain"],
        np.array(case["numeric"], np.bool_),
        np.ones(len(case["values"]), np.bool_) if asked is None else np.array(asked, np.bool_),
        case["least"],
    )
    rows, own = np.array(case["rows"], np.int32), np.array(case["own"], np.bool_)
    return index.grow(rows, own, weight, growth, first)


def gains_of(case: dict, tests: list) -> dict:
    weight = case["weight"] or [1.0] * len(case["own"])
    rows = covered(case["codes"], tests, case["rows"])
    options = (case["values"], case["numeric"], rows, case["own"], weight)
    return gains(case["codes"], *options, case["gain"], case["least"]), sides(
        rows, case["own"], weight
    )


@QUADRUPLE
@given(fields())
def test_every_test_of_a_rule_gains_most_and_nothing_gains_after_the_last(case: dict) -> None:
    tests = grown(case)
    for step, test in enumerate(tests):
        known, _ = gains_of(case, tests[:step])
        assert known[test] > 0
        assert known[test] == pytest.approx(max(known.values()), abs=1e-9)
    known, (own, other) = gains_of(case, tests)
    if own and other:
        assert max(known.values(), default=0.0) <= 1e-9


@given(fields(), st.data())
def test_a_rule_is_grown_from_the_tests_it_begins_with(case: dict, data: st.DataObject) -> None:
    known = list(all_tests(case["values"], case["numeric"]))
    first = data.draw(st.lists(st.sampled_from(known), max_size=2)) if known else []
    rest = {**case, "rows": covered(case["codes"], first, case["rows"])}
    assert grown(case, first) == [*first, *grown(rest)]


@given(fields(), st.booleans(), st.sampled_from([1, 20]), st.data())
def test_the_first_test_that_fails_is_found(
    case: dict, binned: bool, share: int, data: st.DataObject
) -> None:
    """By value; or by bin, if a rule was grown before and most of the rows are asked for."""
    known = list(all_tests(case["values"], case["numeric"]))
    tests = data.draw(st.lists(st.sampled_from(known), max_size=4)) if known else []
    index = ExtensionIndex([np.array(c, np.int32) for c in case["codes"]], case["values"])
    if binned:
        every = np.ones(len(case["values"]), np.bool_)
        nothing = RuleGrowthOptions(case["gain"], every, every, max_tests=0)
        index.grow(np.empty(0, np.int32), np.array(case["own"], np.bool_), None, nothing)
    rows = np.array(case["rows"][::share], np.int32)
    depth = index.depth(tests, rows)
    for row, found in zip(rows.tolist(), depth.tolist(), strict=True):
        passed = [holds(test, case["codes"][test[0]][row]) for test in tests]
        assert found == (passed.index(False) if False in passed else len(tests))
    assert index.passing(tests, rows).tolist() == rows[depth == len(tests)].tolist()


def test_rows_are_tested_by_bin_block_after_block() -> None:
    """Values above and below the cut are in one bin, a value is the last of its bin, or beyond."""
    rng = np.random.default_rng(3)
    codes = [rng.integers(-1, 3000, 5000).astype(np.int32) for _ in range(2)]
    index = ExtensionIndex(codes, [3000, 3000])
    rows, every = np.arange(5000, dtype=np.int32), np.ones(2, np.bool_)
    before = [index.depth([(0, 1, cut), (1, 0, 2500)], rows) for cut in (7, 11, 12, 2999, 9999)]
    index.grow(rows, codes[0] > 9, None, RuleGrowthOptions("foil", every, every, max_tests=0))
    after = [index.depth([(0, 1, cut), (1, 0, 2500)], rows) for cut in (7, 11, 12, 2999, 9999)]
    assert [depth.tolist() for depth in before] == [depth.tolist() for depth in after]


def test_of_equal_gains_the_first_wins() -> None:
    code = [0, 0, 1, 1]
    case = {"codes": [code, code], "values": [2, 2], "rows": [0, 1, 2, 3], "weight": None}
    case |= {"own": [True, True, False, False], "gain": "foil", "least": 1.0}
    assert grown({**case, "numeric": [True, True]}) == [(0, 0, 0)]
    assert grown({**case, "numeric": [False, True]}) == [(0, 2, 0)]
    assert grown({**case, "numeric": [True, True]}, asked=[False, True]) == [(1, 0, 0)]
    middle = {**case, "codes": [[0, 1, 1, 2]], "values": [3], "own": [True, False, False, True]}
    assert grown({**middle, "numeric": [True]}) == [(0, 0, 0)]


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(0)
    values = [50, 70_000, 3, 400]
    case = {"codes": [rng.integers(-1, v, 60_000) for v in values], "values": values}
    case |= {"numeric": [True, True, False, True], "rows": np.arange(60_000), "weight": None}
    case |= {"own": rng.random(60_000) < 0.3, "gain": "foil", "least": 2.0}
    assert grown(case) == grown(case, threads=4)
    case["weight"] = rng.random(60_000)
    assert grown(case) == grown(case, threads=4)


def test_what_is_no_row_or_test_is_refused() -> None:
    index = ExtensionIndex([np.array([0, 1], np.int32)], [2])
    rows, own = np.array([2], np.int32), np.array([True, False])
    growth = RuleGrowthOptions("foil", np.array([True]), np.array([True]))
    with pytest.raises(ValueError, match="row must be from"):
        index.grow(rows, own, None, growth)
    with pytest.raises(ValueError, match="column of a test is out of range"):
        index.depth([(1, 0, 0)], np.array([0], np.int32))
    with pytest.raises(ValueError, match="relation of a test is not valid"):
        index.depth([(0, 3, 0)], np.array([0], np.int32))
