"""Rows through tests of numbers and bits, against following them one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies.numbers import TIED, TIED_OR_MISSING

from rulewright.kernels import RouteTests, route


def followed(numbers, codes, tests, words, row):
    at = 0
    while at >= 0:
        low, high, column, bits, inside, outside = (array[at] for array in tests)
        if bits < 0:
            is_inside = low <= numbers[column][row] <= high
        else:
            bit = int(codes[column][row]) + 1
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
        [data.draw(st.integers(-5, -1) | st.integers(i + 1, max(count - 1, i + 1))) for _ in "io"]
        for i in range(count)
    ]
    inside, outside = np.array([[-1 if e >= count else e for e in pair] for pair in ends]).T
    tests = RouteTests(low, high, drawn(column), drawn(bits), drawn(inside), drawn(outside))
    found = route(numbers, codes, tests, words, rows)
    assert found.tolist() == [followed(numbers, codes, tests, words, row) for row in range(rows)]


def test_any_number_of_threads_gives_the_same():
    random = np.random.default_rng(1)
    numbers = [random.normal(size=20_000)]
    depth = 500
    tests = RouteTests(
        np.full(depth, -np.inf),
        np.sort(random.normal(size=depth)),
        *(drawn(n) for n in (np.zeros(depth), np.full(depth, -1), ~np.arange(depth))),
        drawn([*range(1, depth), ~depth]),
    )
    once, again = (route(numbers, [], tests, np.empty(0, np.uint64), 20_000, n) for n in (1, 7))
    assert (once == again).all()
    assert (once == np.searchsorted(tests.high, numbers[0])).all()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"inside": drawn([0])}, "leads back"),
        ({"outside": drawn([1])}, "leads back"),
        ({"column": drawn([1])}, "no such column"),
        ({"column": drawn([-1])}, "no such column"),
        ({"bits": drawn([0])}, "no such column"),
        ({"high": np.zeros(2)}, "one of each array"),
    ],
)
def test_tests_that_lead_nowhere_are_refused(change, match):
    tests = RouteTests(np.zeros(1), np.zeros(1), *(drawn([n]) for n in (0, -1, -1, -2)))
    with pytest.raises(ValueError, match=match):
        route([np.zeros(3)], [], tests._replace(**change), np.empty(0, np.uint64), 3)
    with pytest.raises(ValueError, match="differ in length"):
        route([np.zeros(3)], [], tests, np.empty(0, np.uint64), 4)
