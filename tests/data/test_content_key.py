"""Keys that depend on the content of a table only, and rows drawn with them."""

from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import split as oracle
from scipy import stats
from strategies.mixed import tables

from rulewright.data import (
    CategoricalColumn,
    NumericColumn,
    Table,
    content_key,
    detect_table,
    draw_rows,
    seed_key,
)

NAN = float("nan")
CLASSES = ("no", "yes")
RECIPE = {"learner": "tree", "parameters": {"max_depth": 3, "delta": 0.05}, "version": "1"}
SIZE = np.array([3.5, -0.5, NAN, 3.5, 0.0, 7.0])
COUNT = np.array([2.0, 2.0, 1.0, 2.0, NAN, 5.0])
COLOUR = np.array([0, 1, 0, 0, -1, 2], np.int32)
COLOURS = ("blue", "green", "red")
Y = np.array([0, 1, 1, 0, 1, 0], np.int32)
WEIGHT = np.array([1.0, 1.0, 2.0, 0.5, 1.0, 1.0])


def columns(size=SIZE, count=COUNT, colour=COLOUR, names=COLOURS):
    return [
        NumericColumn("size", np.array(size, float)),
        NumericColumn("count", np.array(count, float)),
        CategoricalColumn("colour", "text", np.array(colour, np.int32), tuple(names)),
    ]


def table(named=True, **changes):
    made = columns(**changes)
    return Table(made, made[0].values.size, named=named)


def key(made=None, *, y=Y, weight=WEIGHT, classes=CLASSES, recipe=RECIPE, purpose="test"):
    made = table() if made is None else made
    return content_key(purpose, made, classes, y, weight, recipe=recipe)[0]


def replaced(values, row, value):
    values = np.array(values)
    values[row] = value
    return values


def test_a_key_is_the_same_every_time():
    """Pinned: splits of earlier versions must be drawn again by later ones."""
    known = "f57aac0f"
    assert key().hex()[:8] == known
    assert len(key()) == 32


@given(tables(), st.data())
def test_the_order_of_rows_changes_neither_key_nor_sorted_content(made, data):
    rows = made.rows
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows)), np.int32)
    by = np.array(data.draw(st.permutations(range(rows))), np.intp)
    one, order = content_key("test", made, CLASSES, y)
    two, other = content_key("test", made.take(by), CLASSES, y[by])
    assert one == two
    assert sorted(order.tolist()) == list(range(rows))
    first = [made.take(order).column(name) for name in made.names]
    second = [made.take(by).take(other).column(name) for name in made.names]
    for a, b in zip(first, second, strict=True):
        if isinstance(a, NumericColumn):
            assert np.array_equal(a.values, b.values, equal_nan=True)
        else:
            assert a.codes.tolist() == b.codes.tolist()
    assert y[order].tolist() == y[by][other].tolist()


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_of_named_columns_changes_nothing(order):
    made = columns()
    assert key(Table([made[i] for i in order], 6)) == key()


def test_the_order_of_columns_without_names_is_their_meaning():
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]])
    y = np.array([0, 1, 1])
    one, two = (content_key("test", detect_table(X), CLASSES, y)[0] for X in (x, x[:, ::-1]))
    assert one != two


def test_the_order_of_categories_changes_nothing():
    turned = replaced(2 - COLOUR, 4, -1)
    assert key(table(colour=turned, names=COLOURS[::-1])) == key()


def test_a_category_that_no_row_has_changes_nothing():
    assert key(table(names=(*COLOURS, "violet"))) == key()


def test_zero_has_no_sign_and_a_missing_value_no_bits():
    assert key(table(size=replaced(SIZE, 4, -0.0))) == key()
    other_nan = np.array([0x7FF8000000000123], np.uint64).view(np.float64)[0]
    assert np.isnan(other_nan)
    assert key(table(size=replaced(SIZE, 2, other_nan))) == key()


@pytest.mark.parametrize("library", [pd.DataFrame, lambda data: pl.DataFrame(data, strict=False)])
def test_dataframes_of_all_libraries_have_the_same_key(library):
    data = {"size": [1.5, None, 2.0], "colour": ["red", "blue", None], "flag": [True, False, True]}
    y = np.array([0, 1, 1])
    expected = content_key("test", detect_table(pd.DataFrame(data)), CLASSES, y)[0]
    assert content_key("test", detect_table(library(data)), CLASSES, y)[0] == expected


CHANGES = {
    "a value": {"made": table(size=replaced(SIZE, 1, -0.25))},
    "the last digit of a value": {"made": table(size=replaced(SIZE, 0, np.nextafter(3.5, 4)))},
    "a value that is now missing": {"made": table(count=replaced(COUNT, 0, NAN))},
    "a value that was missing": {"made": table(count=replaced(COUNT, 4, 2.0))},
    "a category": {"made": table(colour=replaced(COLOUR, 0, 1))},
    "a category that is now missing": {"made": table(colour=replaced(COLOUR, 5, -1))},
    "the name of a category": {"made": table(names=("blue", "green", "rose"))},
    "the name of a column": {
        "made": Table([NumericColumn("length", SIZE), *columns()[1:]], 6),
    },
    "the kind of a column": {
        "made": Table([NumericColumn("size", SIZE, "datetime"), *columns()[1:]], 6)
    },
    "a column left out": {"made": Table(columns()[:2], 6)},
    "whether columns have names": {"made": table(named=False)},
    "two values exchanged": {"made": table(size=SIZE[[1, 0, 2, 3, 4, 5]])},
    "a label": {"y": replaced(Y, 3, 1)},
    "labels exchanged": {"y": 1 - Y},
    "a weight": {"weight": replaced(WEIGHT, 2, 2.5)},
    "a weight's last digit": {"weight": replaced(WEIGHT, 2, np.nextafter(2, 3))},
    "a class name": {"classes": ("no", "Yes")},
    "the order of classes": {"classes": ("yes", "no")},
    "names that are numbers": {"classes": (0, 1)},
    "numbers that are names": {"classes": ("0", "1")},
    "the learner": {"recipe": {**RECIPE, "learner": "scm"}},
    "the version": {"recipe": {**RECIPE, "version": "2"}},
    "a parameter": {"recipe": {**RECIPE, "parameters": {"max_depth": 4, "delta": 0.05}}},
    "a parameter's digit": {
        "recipe": {**RECIPE, "parameters": {"max_depth": 3, "delta": 0.05000000000000001}}
    },
    "a parameter more": {
        "recipe": {**RECIPE, "parameters": {"max_depth": 3, "delta": 0.05, "seed": None}}
    },
    "no recipe": {"recipe": None},
    "the purpose": {"purpose": "another"},
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_content_changes_the_key(change):
    assert key(**CHANGES[change]) != key()


def test_all_changes_have_different_keys():
    keys = {key(**change) for change in CHANGES.values()}
    assert len(keys) == len(CHANGES)


def test_the_order_of_parameters_changes_nothing():
    turned = {"version": "1", "parameters": {"delta": 0.05, "max_depth": 3}, "learner": "tree"}
    assert key(recipe=turned) == key()


def test_a_row_given_twice_is_not_a_row_given_once():
    rows = np.array([0, 1, 2, 3, 4, 5, 5])
    assert key(table().take(rows), y=Y[rows], weight=WEIGHT[rows]) != key()


def test_further_values_are_not_confused_with_each_other():
    y = np.array([0, 1, 0, 1, 1, 0])
    zero = np.zeros(6)
    one = content_key("test", table(), CLASSES, y, zero)[0]
    assert one != content_key("test", table(), CLASSES, zero, y)[0]
    assert one != content_key("test", table(), CLASSES, y)[0]


@given(tables(least_rows=2), st.data())
def test_one_changed_number_anywhere_changes_the_key(made, data):
    row = data.draw(st.integers(0, made.rows - 1))
    old = made.column("a").values
    value = data.draw(st.sampled_from([NAN, -17.0, 0.0, 1e300]))
    same = old[row] == value or (np.isnan(old[row]) and np.isnan(value))
    y = np.zeros(made.rows, np.int32)
    others = [made.column(name) for name in made.names if name != "a"]
    changed = Table([NumericColumn("a", replaced(old, row, value)), *others], made.rows)
    keys = [content_key("test", one, CLASSES, y)[0] for one in (made, changed)]
    assert (keys[0] == keys[1]) == bool(same)


# Draws.


def keys(count):
    return [seed_key("test", number) for number in range(count)]


def test_a_draw_is_pinned():
    drawn = draw_rows(seed_key("rulewright-split-1", 0), number=1, rows=12, count=6)
    assert drawn.tolist() == [0, 1, 3, 4, 8, 10]


@given(st.integers(0, 60), st.integers(1, 20), st.data())
def test_a_draw_takes_the_rows_of_the_smallest_words(rows, number, data):
    count = data.draw(st.integers(0, rows))
    start = seed_key("test", rows)
    assert draw_rows(start, number, rows, count).tolist() == oracle.draw(start, number, rows, count)


@given(st.integers(0, 400), st.data())
def test_a_draw_has_the_right_number_of_different_rows_in_order(rows, data):
    count = data.draw(st.integers(0, rows))
    drawn = draw_rows(seed_key("test", rows), 1, rows, count)
    assert drawn.size == count
    assert (np.diff(drawn) > 0).all()
    assert not count or (drawn[0] >= 0 and drawn[-1] < rows)
    assert draw_rows(seed_key("test", rows), 1, rows, count).tolist() == drawn.tolist()


def test_smaller_draws_are_parts_of_larger_ones():
    draws = [set(draw_rows(seed_key("test", 5), 3, 50, count).tolist()) for count in range(51)]
    assert all(small < large for small, large in pairwise(draws))


def test_different_numbers_keys_and_purposes_are_different_draws():
    draws = [draw_rows(one, number, 60, 30) for one in keys(5) for number in range(1, 13)]
    draws += [draw_rows(seed_key("other", 0), 1, 60, 30)]
    assert len({draw.tobytes() for draw in draws}) == len(draws)
    one, eleven = (draw_rows(keys(1)[0], number, 60, 30) for number in (1, 11))
    assert one.tolist() != eleven.tolist()


def within(count, trials, chance, tests):
    """Whether a binomial count is not surprising, at one in a million for all tests together."""
    low, high = limits(trials, chance, 0.5e-6 / tests)
    return low <= count <= high


@cache
def limits(trials, chance, level):
    return stats.binom.ppf(level, trials, chance), stats.binom.isf(level, trials, chance)


def test_every_row_is_drawn_equally_often():
    rows, count, trials = 24, 9, 4000
    times = np.zeros(rows, int)
    for one in keys(trials):
        times[draw_rows(one, 1, rows, count)] += 1
    assert times.sum() == trials * count
    assert all(within(int(n), trials, count / rows, rows) for n in times)


def test_every_pair_is_drawn_equally_often_also_over_the_numbers_of_draws():
    rows, count, trials = 10, 5, 3000
    drawn = np.zeros((trials, rows), bool)
    for trial in range(trials):
        drawn[trial, draw_rows(seed_key("test", trial // 10), trial % 10 + 1, rows, count)] = True
    pairs = drawn.astype(int).T @ drawn.astype(int)
    chance = count * (count - 1) / (rows * (rows - 1))
    found = pairs[np.triu_indices(rows, 1)]
    assert all(within(int(n), trials, chance, found.size) for n in found)
    after = drawn[:-1].astype(int).T @ drawn[1:].astype(int)  # a draw tells nothing of the next
    assert all(within(int(n), trials - 1, count**2 / rows**2, rows**2) for n in after.ravel())


def test_all_subsets_are_drawn_equally_often():
    trials = 6000
    found = [tuple(draw_rows(one, 2, 5, 2).tolist()) for one in keys(trials)]
    counts = {subset: found.count(subset) for subset in set(found)}
    assert len(counts) == 10
    assert all(within(n, trials, 0.1, 10) for n in counts.values())


def test_an_uneven_draw_would_be_noticed():
    """The first row drawn a fifth more often than it should be."""
    trials, chance = 4000, 9 / 24
    assert not within(round(trials * chance * 1.2), trials, chance, 24)
