"""Rules grown by trying every test, one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

Test = tuple[int, int, int]
AT_MOST, ABOVE, IS = range(3)


def holds(test: Test, value: int) -> bool:
    """A missing value (-1) passes no test."""
    _, relation, code = test
    if relation == AT_MOST:
        return 0 <= value <= code
    return value > code if relation == ABOVE else value == code


def covered(
    codes: Sequence[Sequence[int]], tests: Sequence[Test], rows: Sequence[int]
) -> list[int]:
    """Give the rows that pass all tests."""
    return [row for row in rows if all(holds(test, codes[test[0]][row]) for test in tests)]


def sides(rows: Sequence[int], own: Sequence[bool], weight: Sequence[float]) -> tuple[float, float]:
    """Weigh the class, and the others."""
    p = math.fsum(weight[row] for row in rows if own[row])
    return p, math.fsum(weight[row] for row in rows if not own[row])


def foil(p: float, n: float, before: tuple[float, float]) -> float:
    """Quinlan's gain (1990)."""
    share = before[0] / sum(before)
    return p * (math.log2(p / (p + n)) - math.log2(share)) if p else 0.0


def boosting(p: float, n: float, before: tuple[float, float]) -> float:
    """How much more of the weight a rule takes away."""
    return math.sqrt(p) - math.sqrt(n) - math.sqrt(before[0]) + math.sqrt(before[1]) if p else 0.0


GAINS = {"foil": foil, "boosting": boosting}


def all_tests(values: Sequence[int], numeric: Sequence[bool]) -> Iterator[Test]:
    """Give every test, in the order that decides between equal ones."""
    for column, count in enumerate(values):
        for relation in (AT_MOST, ABOVE) if numeric[column] else (IS,):
            for code in range(count):
                yield column, relation, code


def gains(
    codes: Sequence[Sequence[int]],
    values: Sequence[int],
    numeric: Sequence[bool],
    rows: Sequence[int],
    own: Sequence[bool],
    weight: Sequence[float],
    gain: str,
    least: float,
) -> dict[Test, float]:
    """Give the gain of each test that keeps enough, for a rule that covers ``rows``.

    That a number is known at all is no test: a cut has known values on both sides.
    """
    before = sides(rows, own, weight)
    found = {}
    for test in all_tests(values, numeric):
        p, n = sides(covered(codes, [test], rows), own, weight)
        known = [codes[test[0]][row] for row in rows if codes[test[0]][row] >= 0]
        parts = any(value <= test[2] for value in known) and any(value > test[2] for value in known)
        if p and p + n >= least and (parts or test[1] == IS):
            found[test] = GAINS[gain](p, n, before)
    return found
