"""Rows under the rules of a rule set, and rules that do not pay, against counting anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.ripper import SlowRipper

from rulewright.kernels import (
    ClassRows,
    RuleCounts,
    count_marked,
    delete_rules,
    part_rows,
    rows_covered,
)


def random_rows(rng: np.random.Generator, count: int, share: float) -> np.ndarray:
    return np.flatnonzero(rng.random(count) < share).astype(np.int32)


@given(st.integers(0, 60), st.integers(1, 5), st.integers(0, 2**32))
def test_rows_are_parted_class_by_class(count, parts, seed):
    rng = np.random.default_rng(seed)
    rows, own = random_rows(rng, count, 0.8), rng.random(count) < 0.4
    sides = rows[own[rows]], rows[~own[rows]]
    draws = [rng.integers(parts, size=-(-side.size // parts)) for side in sides]
    kept, aside = part_rows(rows, own, *draws, parts)
    wanted = [
        row
        for side, drawn in zip(sides, draws, strict=True)
        for place, row in enumerate(side.tolist())
        if drawn[place // parts] == place % parts
    ]
    assert aside.tolist() == sorted(wanted)
    assert kept.tolist() == sorted(set(rows.tolist()) - set(wanted))
    assert count_marked(rows, own) == sides[0].size
    times = rng.integers(0, 3, count).astype(np.int16)
    assert rows_covered(rows, times, 1).tolist() == [row for row in rows if times[row] == 1]


def test_every_group_needs_a_draw():
    rows, own = np.arange(4, dtype=np.int32), np.array([True, False, True, True])
    with pytest.raises(ValueError, match="one draw per group"):
        part_rows(rows, own, np.zeros(1, np.int64), np.zeros(1, np.int64), 2)


@st.composite
def rule_sets(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(1, 80))
    own = rng.random(count) < draw(st.sampled_from([0.2, 0.5]))
    shares = draw(st.lists(st.sampled_from([0.02, 0.1, 0.5, 0.9]), max_size=6))
    covered = [random_rows(rng, count, share) for share in shares]
    weight = rng.choice([0.5, 1.0, 3.0], count) if draw(st.booleans()) else None
    return own, weight, covered, rng.choice([0.5, 3.0, 20.0], len(covered))


def counted(covered, own, weight) -> RuleCounts:
    """Count who covers what, rule by rule and row by row."""
    by_row = [[n for n, rows in enumerate(covered) if row in rows] for row in range(own.size)]
    alone = np.zeros((len(covered), 2))
    total = np.zeros(2)
    for row, numbers in enumerate(by_row):
        side, worth = int(not own[row]), 1.0 if weight is None else weight[row]
        if len(numbers) == 1:
            alone[numbers[0], side] += worth
        total[side] += worth if numbers else 0
    times = np.array([len(numbers) for numbers in by_row], np.int16)
    return RuleCounts(times, np.array([sum(n) for n in by_row], np.int32), alone, total)


@given(rule_sets(), st.booleans())
def test_rules_are_deleted_as_the_slow_twin_does(case, only_weights):
    own, weight, covered, bits = case
    worth = np.ones(own.size) if weight is None else weight
    totals = np.array([worth[own].sum(), worth[~own].sum()])
    counts = counted(covered, own, weight)
    before = RuleCounts(*(part.copy() for part in counts))
    numbers = range(len(covered))
    rows = ClassRows(own, weight, totals)
    deleted = delete_rules(
        covered, list(numbers), bits, rows, counts, 1e-9, only_weights=only_weights
    )

    class Twin(SlowRipper):
        def length(self, rules):
            return super().length(rules) + sum(bits[number] for number in rules)

    sets = [set(rows.tolist()) for rows in covered]
    twin = Twin(
        range(own.size), own, worth, 1, lambda n, row: row in sets[n], None, lambda n: 0, iter(())
    )
    left = twin.simplified(list(numbers))
    assert deleted == sorted(set(numbers) - set(left), reverse=True)
    again = counted([rows if n in left else [] for n, rows in enumerate(covered)], own, weight)
    assert counts.covered == pytest.approx(again.covered)
    assert counts.alone[left] == pytest.approx(again.alone[left])
    expected = before if only_weights else again
    assert counts.times.tolist() == expected.times.tolist()
    assert counts.sum.tolist() == expected.sum.tolist()


def test_a_row_that_does_not_exist_is_refused():
    counts = counted([[0]], np.array([True, False]), None)
    rows = ClassRows(np.array([True, False]), None, np.ones(2))
    with pytest.raises(ValueError, match="row is not valid"):
        delete_rules([np.array([2], np.int32)], [0], np.full(1, 99.0), rows, counts, 0.0)
