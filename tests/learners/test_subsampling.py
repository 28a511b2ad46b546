"""The subsampler draws the same examples in whatever order and however often they are written."""

import math

import numpy as np
import pytest

from rulewright.data import detect_table
from rulewright.errors import InputError
from rulewright.learners import Deadline, Sample, Subsampler, TimeBudgetWarning


def sample_of(x, y, weight=None):
    table = detect_table(np.array(x, object), [1])
    return Sample.of(table, np.array(y, np.int32), ("no", "yes"), weight=weight)


def told(sample, rows):
    """What the drawn examples say, whatever their numbers."""
    cells = [column.take(rows).cells() for column in sample.table.columns]
    return list(zip(*cells, sample.y[rows].tolist(), strict=True))


def drawn(sample, seed=3):
    subsampler = Subsampler(sample, seed)
    growing, aside = (subsampler.rows[places] for places in subsampler.parted(subsampler.places, 3))
    numbers = subsampler.folds(subsampler.places, 4)
    return told(sample, growing), told(sample, aside), numbers.tolist()


RNG = np.random.default_rng(0)
X = [[float(a), "uvw"[b]] for a, b in RNG.integers(0, 3, (40, 2))]
X[3][0], X[7][0], X[9][1] = np.nan, -0.0, None
Y = RNG.integers(0, 2, 40).tolist()


def test_the_order_of_the_rows_changes_nothing():
    order = np.random.default_rng(1).permutation(40)
    shuffled = sample_of([X[i] for i in order], [Y[i] for i in order])
    assert repr(drawn(sample_of(X, Y))) == repr(drawn(shuffled))


def test_a_weight_counts_as_repeated_rows():
    copies = np.random.default_rng(2).integers(1, 4, 40)
    weighted = sample_of(X, Y, copies.astype(float))
    rows = np.repeat(np.arange(40), copies)
    assert repr(drawn(weighted)) == repr(drawn(sample_of([X[i] for i in rows], np.array(Y)[rows])))


def test_one_of_three_is_put_aside_and_nothing_is_lost():
    subsampler = Subsampler(sample_of(X, Y), 0)
    growing, aside = subsampler.parted(subsampler.places, 3)
    assert len(aside) in (13, 14)
    assert sorted([*growing, *aside]) == list(range(40))
    again = subsampler.parted(subsampler.places, 3)[1]
    assert sorted(again) != sorted(aside)


def test_a_source_of_chance_of_their_own_is_the_same_for_the_same_number():
    subsampler = Subsampler(sample_of(X, Y), 0)
    subsampler.parted(subsampler.places, 3)
    one, same, other = (
        subsampler.another(number).parted(subsampler.places, 3)[1] for number in (1, 1, 2)
    )
    assert one.tolist() == same.tolist() != other.tolist()


def test_folds_are_as_equal_as_can_be():
    subsampler = Subsampler(sample_of(X, Y), 0)
    assert sorted(np.bincount(subsampler.folds(subsampler.places[:38], 5)).tolist()) == [
        7,
        7,
        8,
        8,
        8,
    ]


def test_a_deadline_is_told_of_where_it_was_missed():
    deadline = Deadline(1e-9)
    assert deadline.over
    with pytest.warns(TimeBudgetWarning, match="2 rules"):
        deadline.warn("it has 2 rules.")


@pytest.mark.parametrize("budget", [0, -1.0, "long", True, float("nan")])
def test_a_time_budget_is_a_number_of_seconds(budget):
    with pytest.raises(InputError, match="time_budget must be a number of seconds above 0"):
        Deadline(budget)


def test_the_half_of_a_deadline_ends_earlier_and_is_told_with_it():
    whole = Deadline(600)
    half = whole.half()
    assert 299 < half.seconds <= 300
    assert Deadline(None).half().seconds == math.inf
    half.missed = True
    assert not whole.over
    with pytest.warns(TimeBudgetWarning, match="half of it"):
        whole.warn("half of it was done.")
