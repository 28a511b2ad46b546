"""Cautions about repeated rows: what they find, and how rarely they err."""

import numpy as np
import pytest

from rulewright.certificates.repetition import FALSE_ALARM, column_hashes, repetition_cautions
from rulewright.data import CategoricalColumn, NumericColumn, Table


def table_of(values):
    values = np.asarray(values, np.float64).reshape(len(values), -1)
    return Table([NumericColumn(f"c{i}", column) for i, column in enumerate(values.T)], len(values))


def said_of(values, y=None):
    table = table_of(values)
    return repetition_cautions(table, np.zeros(table.rows, np.int32) if y is None else y)


def test_forty_rows_that_stand_25_times_each_are_said_to_be_copies():
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.normal(size=(40, 3)), 25, axis=0)
    [caution] = said_of(rng.permutation(rows))
    assert caution.startswith(
        "960 of the 1000 rows repeat another row: all columns and the class are equal, and only 40 "
        "rows differ. 40 of these occur 25 times, but 0 occur 24 times and 0 26 times"
    )
    assert "Copies of a case are not new cases" in caution
    assert "keep one row of each case, or hold out and count whole groups" in caution


def test_copies_of_rows_of_few_values_are_found_by_how_often_they_occur():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (200, 10))
    assert said_of(rows) == []
    [caution] = said_of(np.repeat(rows, 3, axis=0))
    assert " occur 3 times, but 0 occur twice and 0 4 times" in caution


def test_rows_that_were_added_twice_are_found_among_others():
    rows = np.arange(800.0)
    [caution] = said_of(np.append(rows, rows[:200]))
    assert caution.startswith("200 of the 1000 rows repeat another row")
    assert "200 of these occur twice, but 600 occur once and 0 3 times" in caution


def test_cases_with_some_rows_each_are_found_where_values_are_fine():
    rng = np.random.default_rng(2)
    rows = np.repeat(rng.normal(size=(100, 2)), rng.geometric(0.3, 100), axis=0)
    [caution] = said_of(rows)
    assert "Two rows seldom agree even in 'c" in caution
    assert "pairs of equal rows, and there are" in caution


def test_few_copies_change_no_bound_and_get_no_caution():
    rows = np.random.default_rng(3).normal(size=(1000, 3))
    assert said_of(np.append(rows, rows[:20], axis=0)) == []


def test_the_class_and_missing_values_belong_to_a_row():
    values = np.repeat([np.nan, 1.0, -0.0, 0.0], 60)
    y = np.tile([0, 1], 120)
    hashes = column_hashes(table_of(values).columns, y)
    assert np.unique(hashes).size == 6
    column = CategoricalColumn("c", "text", np.array([0, 1, -1, 0], np.int32), ("a", "b"))
    assert np.unique(column_hashes([column])).size == 3


SOURCES = {
    "forty cases": lambda rng: rng.integers(0, 40, 1000),
    "every case once on average": lambda rng: rng.integers(0, 432, 432),
    "every case twice on average": lambda rng: rng.integers(0, 300, 600),
    "a long tail": lambda rng: rng.zipf(1.3, 500).clip(max=10**9),
    "yes and no": lambda rng: rng.integers(0, 2, (600, 8)),
    "rarely yes": lambda rng: rng.random((800, 12)) < 0.15,
    "grades": lambda rng: np.clip(np.round(rng.normal(5, 1, (700, 3))), 1, 10),
    "grades of two kinds": lambda rng: np.round(
        rng.choice([2, 8], (700, 1)) + rng.normal(0, 0.6, (700, 6))
    ),
    "rounded numbers": lambda rng: np.round(rng.normal(size=(500, 2)), 1),
    "age and weight": lambda rng: np.c_[rng.integers(18, 80, 1500), rng.integers(50, 100, 1500)],
    "a few rows": lambda rng: rng.integers(0, 5, 20),
}


@pytest.mark.cross_section(5)
@pytest.mark.parametrize("source", SOURCES)
def test_of_independent_samples_hardly_any_gets_a_caution(source):
    rng = np.random.default_rng(7)
    alarms = sum(bool(said_of(SOURCES[source](rng))) for _ in range(300))
    assert alarms <= 300 * FALSE_ALARM + 1


REAL = {  # how many rows of a table occur once, twice, ...
    "cells graded by a doctor": {
        **{1: 415, 2: 20, 3: 8, 4: 2, 5: 2, 7: 2, 8: 1, 9: 3, 10: 5, 12: 1},
        **{20: 1, 21: 1, 23: 1, 27: 1},
    },
    "votes of a parliament": {1: 304, 2: 16, 3: 7, 4: 5, 5: 6, 6: 2, 8: 2},
    "websites, many of them entered twice": {
        **{1: 3212, 2: 1515, 3: 419, 4: 449, 5: 99, 6: 57, 7: 23, 8: 30, 9: 17, 10: 11},
        **{11: 5, 12: 3, 13: 2, 15: 1, 16: 2, 22: 1, 24: 2, 25: 1},
    },
}


@pytest.mark.parametrize("name", REAL)
def test_of_real_tables_only_the_one_that_was_entered_twice_gets_a_caution(name):
    times = np.repeat(list(REAL[name]), list(REAL[name].values()))
    cautions = said_of(np.repeat(np.arange(times.size), times))
    assert len(cautions) == ("twice" in name)
