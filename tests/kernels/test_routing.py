"""Rows through tests of numbers and bits, against following them one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies.numbers import TIED, TIED_OR_MISSING

from rulewright.kernels import Forks, RouteTests, route


def followed(numbers, codes, tests, words, row):
    at = 0
    while at >= 0:
        low, high, column, bits, inside, outside, missing = (array[at] for array in tests)
        value = (numbers if bits < 0 else codes)[column][row]
        if np.isnan(value) if bits < 0 else value < 0:
            at = int(missing)
            continue
        if bits < 0:
            is_inside = low <= value <= high
        else:
            bit = int(value) + 1
            is_inside = int(words[bits + bit // 64]) >> (bit % 64) & 1
        at = int(inside if is_inside else outside)
    return ~at


def drawn(numbers):
    return np.array(numbers, np.int32)


@given(st.data(), st.integers(0, 30), st.integers(1, 12))
def test_every_row_is_followed_to_its_leaf(data, rows, count):
    numbers = [data.draw(hnp.arrays(np.float64, rows, elements=TIED_OR_MISSING)) for _ in range(2)]
    codes = [data.draw(hnp.arrays(np.int32, rows, elements=st.integers(-1, 100)))]
    words = data.draw(hnp.arrays(np.uint64, 4))
    low, high = data.draw(hnp.arrays(np.float64, (2, count), elements=TIED))
    bits = [data.draw(st.sampled_from([-1, 0, 1, 2])) for _ in range(count)]
    column = [0 if b >= 0 else data.draw(st.integers(0, 1)) for b in bits]
    ends = [
        [data.draw(st.integers(-5, -1) | st.integers(i + 1, max(count - 1, i + 1))) for _ in "iom"]
        for i in range(count)
    ]
    ends = np.array([[-1 if e >= count else e for e in three] for three in ends]).T
    tests = RouteTests(low, high, drawn(column), drawn(bits), *map(drawn, ends))
    found = route(numbers, codes, tests, words, np.zeros(5, np.int32), rows)
    assert found.tolist() == [followed(numbers, codes, tests, words, row) for row in range(rows)]


def test_any_number_of_threads_gives_the_same():
    random = np.random.default_rng(1)
    numbers = [random.normal(size=20_000)]
    depth = 500
    tests = RouteTests(
        np.full(depth, -np.inf),
        np.sort(random.normal(size=depth)),
        *(drawn(n) for n in (np.zeros(depth), np.full(depth, -1), ~np.arange(depth))),
        *[drawn([*range(1, depth), ~depth])] * 2,
    )
    words, output = np.empty(0, np.uint64), np.zeros(depth + 1, np.int32)
    once, again = (route(numbers, [], tests, words, output, 20_000, threads=n) for n in (1, 7))
    assert (once == again).all()
    assert (once == np.searchsorted(tests.high, numbers[0])).all()


def test_a_row_that_is_parted_comes_back_as_one():
    tests = RouteTests(
        np.array([-np.inf, -np.inf]),
        np.array([np.inf, 2.0]),
        *(drawn(numbers) for numbers in ([0, 0], [-1, -1], [1, ~0], [~1, ~1], [~3, ~1])),
    )
    x, words, output = np.array([1.0, 3.0, np.nan]), np.empty(0, np.uint64), drawn([1, 2, 0])
    for shares, end in (((0.5, 0.25, 0.25), 0), ((0.25, 0.25, 0.5), 2), ((0.25, 0.375, 0.375), 2)):
        forks = Forks(drawn([0, 3]), drawn([~0, ~1, ~2]), np.array(shares))
        assert route([x], [], tests, words, output, 3, forks=forks).tolist() == [0, 1, end]
    for forks, match in (
        (Forks(drawn([0, 2]), drawn([~0, 0]), np.ones(2)), "must lead to later tests"),
        (Forks(drawn([0, 2]), drawn([~0, ~3]), np.ones(2)), "is out of range"),
        (Forks(drawn([0, 2]), drawn([~0, 2]), np.ones(2)), "is out of range"),
        (Forks(drawn([0, 1]), drawn([~0, ~1]), np.ones(2)), "must cover all branches"),
        (Forks(drawn([0, 0]), drawn([]), np.ones(0)), "must have branches"),
        (Forks(drawn([0, 1]), drawn([~0]), np.ones(2)), "one entry per branch"),
        (Forks(drawn([0]), drawn([]), np.ones(0)), "is out of range"),
    ):
        with pytest.raises(ValueError, match=match):
            route([x], [], tests, words, output, 3, forks=forks)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"inside": drawn([0])}, "must lead to later tests"),
        ({"outside": drawn([1])}, "is out of range"),
        ({"outside": drawn([~2])}, "is out of range"),
        ({"missing": drawn([0])}, "must lead to later tests"),
        ({"missing": drawn([~2])}, "is out of range"),
        ({"missing": drawn([-1, -1])}, "one entry per test"),
        ({"column": drawn([1])}, "column of a test is out of range"),
        ({"column": drawn([-1])}, "column of a test is out of range"),
        ({"bits": drawn([0])}, "column of a test is out of range"),
        ({"high": np.zeros(2)}, "one entry per test"),
    ],
)
def test_tests_that_lead_nowhere_are_refused(change, match):
    tests = RouteTests(np.zeros(1), np.zeros(1), *(drawn([n]) for n in (0, -1, -1, -2, -2)))
    words, output = np.empty(0, np.uint64), drawn([0, 0])
    with pytest.raises(ValueError, match=match):
        route([np.zeros(3)], [], tests._replace(**change), words, output, 3)
    with pytest.raises(ValueError, match="must have the same length"):
        route([np.zeros(3)], [], tests, words, output, 4)
    with pytest.raises(ValueError, match="class must be from"):
        route([np.zeros(3)], [], tests, words, drawn([0, -1]), 3)
