"""What every term would keep of covered rows: the native tally against counting one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.extensions import term_sums, value_sums

from rulewright.kernels import ExtensionIndex, TermQuery, ValueTallies, packed


@st.composite
def tallies(
    draw: st.DrawFn,
) -> tuple[list[list[int]], list[int], list[bool], list[bool], list[int]]:
    rows = draw(st.integers(0, 150))
    values = draw(st.lists(st.sampled_from([0, 1, 2, 5, 17, 700]), min_size=1, max_size=3))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = [seed.integers(-1, count, rows).tolist() for count in values]
    share = draw(st.sampled_from([0.0, 0.05, 0.5, 1.0]))
    covered = (seed.random(rows) < share).tolist()
    own = (seed.random(rows) < draw(st.sampled_from([0.0, 0.3, 1.0]))).tolist()
    weight = seed.integers(0, 4, rows).tolist()
    return codes, values, covered, own, weight


def asked(
    codes: list[list[int]],
    values: list[int],
    covered: list[bool],
    own: list[bool],
    weight: NDArray[np.float64] | None,
    threads: int = 1,
) -> ValueTallies:
    index = ExtensionIndex([np.array(c, np.int32) for c in codes], values, threads)
    return index.tally(np.array(covered, np.bool_), np.array(own, np.bool_), weight)


@given(tallies(), st.booleans())
def test_every_value_is_weighed_as_one_by_one(case: tuple, weighted: bool) -> None:
    codes, values, covered, own, weight = case
    given_weight = np.array(weight, np.float64) if weighted else None
    slots = asked(codes, values, covered, own, given_weight)
    found = {
        (column, code): (p, n)
        for column, code, p, n in zip(*(part.tolist() for part in slots), strict=True)
    }
    wanted = value_sums(codes, covered, own, weight if weighted else [1] * len(covered))
    assert found == wanted
    assert list(found) == sorted(found)


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(0)
    codes = [rng.integers(-1, 50, 40_000).tolist() for _ in range(8)]
    covered, own = (rng.random(40_000) < 0.9).tolist(), (rng.random(40_000) < 0.4).tolist()
    weight = rng.random(40_000)
    one = asked(codes, [50] * 8, covered, own, weight)
    two = asked(codes, [50] * 8, covered, own, weight, threads=2)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@given(tallies(), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_every_term_is_weighed_as_one_by_one(
    case: tuple, weighted: bool, boundaries: bool, seed: int
) -> None:
    codes, values, covered, own, weight = case
    rng = np.random.default_rng(seed)
    marks = rng.random((len(values), 8)) < 0.8
    cut, single, allowed = marks[:, 0].copy(), marks[:, 1].copy(), marks[:, 2:]
    index = ExtensionIndex([np.array(c, np.int32) for c in codes], values)
    slots = index.terms(
        np.array(covered, np.bool_),
        np.array(own, np.bool_),
        np.array(weight, np.float64) if weighted else None,
        TermQuery(cut, single, allowed, boundaries),
    )
    found = {
        (relation, column, code): (p, n)
        for column, relation, code, p, n in zip(*(part.tolist() for part in slots), strict=True)
    }
    sums = value_sums(codes, covered, own, weight if weighted else [1] * len(covered))
    assert found == term_sums(sums, cut, single, allowed, boundaries)
    assert list(found) == sorted(found)


def test_threads_change_no_term() -> None:
    rng = np.random.default_rng(0)
    codes = [rng.integers(-1, 3000, 40_000).astype(np.int32) for _ in range(9)]
    covered, own, weight = rng.random(40_000) < 0.9, rng.random(40_000) < 0.4, rng.random(40_000)
    every = np.ones(9, np.bool_)
    query = TermQuery(every, every, np.ones((9, 6), np.bool_), True)
    one, two = (
        ExtensionIndex(codes, [3000] * 9, threads).terms(covered, own, weight, query)
        for threads in (1, 2)
    )
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_bits_are_packed_from_the_lowest() -> None:
    mask = np.zeros(130, np.bool_)
    mask[[0, 63, 64, 129]] = True
    assert packed(mask).tolist() == [1 | 1 << 63, 1, 2]


def test_a_value_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="value must be from"):
        ExtensionIndex([np.array([0, 3], np.int32)], [2])
