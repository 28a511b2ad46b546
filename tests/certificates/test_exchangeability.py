"""Cautions about rows that stand in an order: what they find, and how rarely they err."""

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest

from rulewright.certificates import exchangeability
from rulewright.certificates.exchangeability import CHECK, FALSE_ALARM, order_cautions
from rulewright.data import CategoricalColumn, NumericColumn, Table


def table_of(rows, **columns):
    return Table([NumericColumn(n, np.asarray(v, np.float64)) for n, v in columns.items()], rows)


def said_of(y, wrong=None, classes=(), **columns):
    y = np.asarray(y)
    wrong = np.zeros(y.size, bool) if wrong is None else np.asarray(wrong, bool)
    return order_cautions(table_of(y.size, **columns), y, wrong, classes)


def mixed_classes(rows, classes=2, seed=3):
    return np.random.default_rng(seed).integers(0, classes, rows)


# What is found


def test_a_file_sorted_by_class_is_said_to_be_that_and_nothing_else():
    y = np.repeat([2, 0, 1], 50)
    [caution] = said_of(y, wrong=(y == 1) & (np.arange(150) % 2 == 0))
    assert caution.startswith(
        "The rows are sorted by class: each of the 3 classes is one block of the 150 rows."
    )
    assert caution.endswith("check the model on rows of mixed classes.")


def test_blocks_that_chance_makes_often_are_not_a_sorted_file():
    assert said_of([0, 0, 0, 1, 1, 1]) == []
    assert said_of([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) == []


def test_a_class_that_becomes_more_frequent_is_named_with_its_shares():
    share = np.repeat([0.2, 0.4], [600, 400])
    y = (np.random.default_rng(0).random(1000) < share).astype(int)
    [caution] = said_of(y, classes=("fine", "ill"))
    assert caution.startswith("Class 'ill' becomes more frequent along the rows: ")
    assert caution.endswith("check the model on the newest rows.")


def test_the_shares_of_a_drift_are_those_before_and_after_its_clearest_row():
    y = np.append(np.tile([1, 0, 0, 0], 25), np.tile([1, 1, 1, 0], 15))
    [caution] = said_of(y)
    assert "25.0 % of the first 100, 75.0 % of the other 60." in caution
    [mirrored] = said_of(y[::-1])
    assert "less frequent along the rows: 75.0 % of the first 60, 25.0 % of the other" in mirrored


def test_one_class_of_many_that_becomes_less_frequent_is_found():
    y = mixed_classes(900, classes=6)
    y[:300][np.arange(300) % 3 == 0] = 4
    [caution] = said_of(y, classes=list("abcdef"))
    assert caution.startswith("Class 'e' becomes less frequent along the rows: ")


def test_alternating_classes_are_said_to_take_turns():
    [caution] = said_of(np.tile([0, 1], 30))
    assert caution.startswith(
        "Of the 30 rows of class '1', 0 stand right behind another of that class, where a random "
        "order has about 14: the classes take turns."
    )


def test_rows_in_groups_of_one_class_are_said_to_be_alike():
    y = np.repeat(mixed_classes(60, seed=1), 4)
    [caution] = said_of(y)
    assert "neighbouring rows are alike" in caution
    assert "keep one row of each such group" in caution


def test_errors_that_become_more_frequent_are_counted_before_and_after():
    wrong = np.arange(400) % 20 == 0
    wrong[300:] = np.arange(100) % 2 == 0
    [caution] = said_of(mixed_classes(400), wrong)
    assert caution.startswith(
        "The model's errors become more frequent along the rows: 5.0 % of the first 300, "
        "50.0 % of the other 100."
    )


def test_four_errors_show_no_order():
    assert said_of(mixed_classes(1000), np.arange(1000) >= 996) == []
    assert said_of(mixed_classes(1000), np.arange(1000) < 996) == []
    assert len(said_of(mixed_classes(1000), np.arange(1000) >= 980)) == 1


def test_a_date_column_is_named_as_a_clock():
    [caution] = said_of(mixed_classes(100), day=np.arange(100), noise=mixed_classes(100, 50))
    assert caution.startswith(
        "The rows look ordered by column 'day', in time perhaps (rising along the rows, rank "
        "correlation 1)."
    )
    assert caution.endswith("check the model on the newest rows.")


def test_a_clock_may_stand_still_or_run_unevenly():
    [caution] = said_of(mixed_classes(100), day=-(np.arange(100) // 2))
    assert "(falling along the rows, rank correlation at least 0.999)" in caution


def test_several_clocks_share_one_caution():
    noise = np.random.default_rng(2).normal(size=500)
    [caution] = said_of(
        mixed_classes(500), number=-np.arange(500), time=np.arange(500) + noise, other=noise
    )
    assert "by columns 'number', 'time', in time perhaps (falling or rising along" in caution


def test_missing_values_do_not_hide_a_clock():
    day = np.arange(3000.0)
    day[np.random.default_rng(5).random(3000) < 0.97] = np.nan
    [caution] = said_of(mixed_classes(3000), day=day, never=np.full(3000, np.nan))
    assert "column 'day'" in caution


def test_a_column_of_few_values_or_of_a_mere_trend_is_no_clock():
    rows = np.arange(1000)
    noise = np.random.default_rng(4).normal(size=1000)
    assert (
        said_of(mixed_classes(1000), year=rows // 60, trend=rows + 200 * noise, same=0 * rows) == []
    )
    assert said_of(mixed_classes(19), number=np.arange(19)) == []


def test_a_clock_and_a_drift_are_two_cautions():
    assert len(said_of(np.repeat([0, 1], 40), day=np.arange(80))) == 2


@pytest.mark.parametrize("y", [[], [0], [0, 1], [1, 1], [0] * 50, [3] * 50])
def test_tiny_tables_and_a_single_class_have_no_order(y):
    y = np.array(y, np.int32)
    assert order_cautions(table_of(y.size, a=np.zeros(y.size)), y, np.zeros(y.size, bool)) == []


def test_categories_are_no_clock():
    column = CategoricalColumn("c", "text", np.arange(40, dtype=np.int32), tuple("x" * 40))
    assert order_cautions(Table([column], 40), mixed_classes(40), np.zeros(40, bool)) == []


def test_the_same_rows_get_the_same_cautions():
    y = np.repeat(mixed_classes(60, seed=1), 4)
    assert said_of(y, day=np.arange(240)) == said_of(y, day=np.arange(240))


# How rarely it errs


def orders(rows, count):
    for chosen in combinations(range(rows), count):
        marked = np.zeros(rows, np.intp)
        marked[list(chosen)] = 1
        yield marked


SHAPES = [(6, 1), (8, 4), (9, 3), (12, 6), (13, 4), (14, 11)]


@pytest.mark.parametrize(("rows", "count"), SHAPES)
def test_the_chance_of_a_deviation_is_never_understated(rows, count):
    found = sorted(abs(exchangeability._deviations(y)[1]) for y in orders(rows, count))[::-1]
    for rank, deviation in enumerate(found, 1):
        true = rank / len(found)  # less than it is, but for the last of equal deviations
        assert exchangeability._chance_of_deviation(deviation) >= true - 1e-12


@pytest.mark.parametrize(("rows", "count"), SHAPES)
def test_the_chance_of_runs_is_that_of_all_orders_and_never_understated(rows, count):
    seen = Counter(int((np.diff(y, prepend=0) == 1).sum()) for y in orders(rows, count))
    few = many = 0
    for runs in sorted(seen):
        few += seen[runs]
        many = sum(n for r, n in seen.items() if r >= runs)
        chance = exchangeability._chance_of_runs(runs, count, rows)
        assert chance >= min(1, 2 * min(few, many) / comb(rows, count)) - 1e-9
        if runs == min(seen) or runs == max(seen):
            assert chance <= min(1, 2 * min(few, many) / comb(rows, count)) * 1.2 + 1e-9


def shares_of(rng, rows, shares):
    return rng.choice(len(shares), rows, p=shares)


EXCHANGEABLE = {
    "two classes, 200 rows": lambda rng: (shares_of(rng, 200, [0.5, 0.5]), 0.1),
    "two classes, 24 rows": lambda rng: (shares_of(rng, 24, [0.5, 0.5]), 0.3),
    "two classes, 12 rows": lambda rng: (shares_of(rng, 12, [0.6, 0.4]), 0.5),
    "a rare class": lambda rng: (shares_of(rng, 300, [0.98, 0.02]), 0.02),
    "many classes": lambda rng: (shares_of(rng, 120, np.full(12, 1 / 12)), 0.2),
    "many rare classes": lambda rng: (shares_of(rng, 60, [0.61] + [0.03] * 13), 0.2),
    "a source without class": lambda rng: (shares_of(rng, 500, [1.0]), 0.5),
    "a sample of another size": lambda rng: (
        shares_of(rng, rng.integers(2, 60), [0.7, 0.2, 0.1]),
        0.4,
    ),
}


@pytest.mark.cross_section(2)
@pytest.mark.slow
@pytest.mark.parametrize("source", EXCHANGEABLE)
def test_of_exchangeable_tables_hardly_any_gets_a_caution(source):
    rng = np.random.default_rng(17)
    alarms = 0
    for _ in range(2000):
        y, error_rate = EXCHANGEABLE[source](rng)
        columns = {
            "numbers": rng.normal(size=y.size),
            "ties": rng.integers(0, 25, y.size),
            "class": y,
            "same": np.ones(y.size),
            "gaps": np.where(rng.random(y.size) < 0.5, np.nan, rng.random(y.size)),
            "mostly_same": rng.random(y.size) * (rng.random(y.size) < 0.3),
        }
        alarms += bool(said_of(y, rng.random(y.size) < error_rate, **columns))
    assert alarms <= 2000 * FALSE_ALARM + 4


def test_the_checks_share_the_false_alarms():
    assert 4 * CHECK <= FALSE_ALARM
