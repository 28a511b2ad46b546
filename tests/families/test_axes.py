"""Families as axes: the numbers agree with the predicates that cut them."""

from dataclasses import replace

import numpy as np
import pytest
from families.cases import (
    BALLS,
    FAMILY,
    HALF_PLANES,
    HALF_SPACES,
    READ_FROM_COLUMNS,
    WHERE_KNOWN,
    problems,
)
from hypothesis import given
from hypothesis import strategies as st

from rulewright.data import NumericColumn, Table
from rulewright.errors import InputError
from rulewright.families import Balls, HalfSpaces, Training, axes_of
from rulewright.families.axes import _pairs

GIVEN = [name for name in FAMILY if name.startswith("given")]
SPACES = sorted(BALLS | HALF_SPACES | READ_FROM_COLUMNS | WHERE_KNOWN)
LIMITED = sorted(set(SPACES) | set(HALF_PLANES))
WITH_AXES = sorted({*LIMITED, *GIVEN})


@given(st.data())
def test_a_cut_holds_where_the_number_is_larger_than_at_its_row(data):
    problem = data.draw(problems(WITH_AXES))
    table, places = problem.training.table, problem.training.places
    axes = axes_of(problem.family, problem.training)
    assert axes.left_out == 0
    for axis, values in enumerate(axes.values):
        for row in np.flatnonzero(~np.isnan(values)).tolist():
            predicate = axes.above(axis, row)
            assert np.array_equal(predicate.holds(table), values > values[row])
            opposite = axes.at_most(axis, row)
            assert np.array_equal(opposite.holds(table), values <= values[row])
            if problem.family.anchored:
                assert predicate.anchored_on[-1] == places[row]


@given(st.data())
def test_the_family_has_words_for_every_cut(data):
    problem = data.draw(problems(WITH_AXES))
    axes = axes_of(problem.family, problem.training)
    choices = problem.family.choices(None)
    for axis, values in enumerate(axes.values):
        most = values[~np.isnan(values)].max(initial=-np.inf)
        for row in np.flatnonzero(values < most).tolist():
            for predicate in (axes.above(axis, row), axes.at_most(axis, row)):
                sites = [problem.family.site(predicate, side=side) for side in (True, False)]
                site = next(site for site in sites if site is not None)
                if site.column is None:
                    assert choices.number(site.option) is not None


@given(st.data())
def test_every_prototype_or_pair_of_different_classes_is_an_axis(data):
    problem = data.draw(problems(BALLS | HALF_SPACES))
    y = problem.training.y
    one, other = np.nonzero(y[:, np.newaxis] != y)
    every = y.size if problem.family.name == "balls" else int((one < other).sum())
    axes = axes_of(problem.family, problem.training)
    assert (len(axes.values), axes.left_out) == (every, 0)


@given(st.data(), st.integers(1, 5), st.integers(0, 9))
def test_a_limit_is_kept_and_the_same_seed_gives_the_same_axes(data, most, seed):
    problem = data.draw(problems(LIMITED))
    every = axes_of(problem.family, problem.training)
    training = replace(problem.training, max_candidates=most, seed=seed)
    axes, again = axes_of(problem.family, training), axes_of(problem.family, training)
    if getattr(problem.family, "sum_columns", 2) > 2:  # extends the pairs within the limit
        assert len(axes.values) <= most
        return
    assert len(axes.values) == min(most, len(every.values))
    assert axes.left_out == len(every.values) - len(axes.values)
    assert np.array_equal(axes.values, again.values, equal_nan=True)
    for values in axes.values:
        assert any(np.array_equal(values, other, equal_nan=True) for other in every.values)


@given(st.lists(st.integers(0, 3), max_size=12), st.integers(1, 80), st.integers(0, 3))
def test_pairs_are_of_different_classes_and_drawn_once(classes, most, seed):
    y, rows = np.array(classes, np.int32), 3 * np.arange(len(classes)) + 1
    expected = [
        (rows[i], rows[j]) for i in range(y.size) for j in range(i + 1, y.size) if y[i] != y[j]
    ]
    pairs, every = _pairs(rows, y, 2**62, seed)
    assert [tuple(pair) for pair in pairs] == expected
    assert every == len(expected)
    some, still = _pairs(rows, y, most, seed)
    drawn = [tuple(pair) for pair in some]
    assert still == every and len(drawn) == len(set(drawn)) == min(most, every)
    assert drawn == [pair for pair in expected if pair in set(drawn)]


def test_every_pair_is_as_likely_to_be_drawn_as_any_other():
    y = np.array([0] * 3 + [1] * 2 + [2], np.int32)
    counts = {}
    for seed in range(1100):
        for pair in map(tuple, _pairs(np.arange(6), y, 2, seed)[0]):
            counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) == 11
    assert all(140 < count < 260 for count in counts.values())  # 200, and 4.7 deviations either way


def test_the_automatic_limit_leaves_room_for_all_rows(monkeypatch):
    points = np.random.default_rng(0).normal(size=(2, 30))
    table = Table([NumericColumn(name, x) for name, x in zip("ab", points, strict=True)], 30)
    training = Training(table, (points[0] > 0).astype(np.int32), max_candidates="auto")
    pairs = int((training.y == 0).sum() * (training.y == 1).sum())
    monkeypatch.setattr("rulewright.families.family.MAX_CELLS", 300)
    for family, every in ((Balls(), 30), (HalfSpaces(), pairs)):
        axes = axes_of(family, training)
        assert (len(axes.values), axes.left_out) == (10, every - 10)


@pytest.mark.parametrize("name", ["thresholds", "intervals", "categories", "subsets", "expert"])
def test_a_family_of_single_columns_has_no_axes(name):
    table = Table([NumericColumn("a", np.array([1.0, 2.0]))], 2)
    axes = axes_of(FAMILY[name], Training(table, np.array([0, 1], np.int32)))
    assert (list(axes.values), axes.left_out) == ([], 0)
    with pytest.raises(IndexError, match="no axis 0"):
        axes.above(0, 0)


def test_a_row_without_a_number_cuts_nothing():
    columns = [NumericColumn("a", np.array([1.0, np.nan, 2.0])), NumericColumn("b", np.arange(3.0))]
    training = Training(Table(columns, 3), np.array([0, 1, 1], np.int32))
    axes = axes_of(FAMILY["half-planes"], training)
    with pytest.raises(IndexError, match=r"Row 1 has no number on axis 0 \(nan\)"):
        axes.above(0, 1)


def test_a_space_refuses_missing_values_as_axes_too():
    columns = [NumericColumn("a", np.array([1.0, np.nan])), NumericColumn("b", np.arange(2.0))]
    training = Training(Table(columns, 2), np.array([0, 1], np.int32))
    with pytest.raises(InputError, match=r"missing values: 'a \(1\)'"):
        axes_of(Balls(), training)


def test_axes_with_numbers_out_of_reach_are_left_out():
    column = NumericColumn("a", np.array([1e200, -1e200, 1.0, 2.0]))
    training = Training(Table([column], 4), np.array([0, 1, 0, 1], np.int32))
    axes = axes_of(Balls(), training)  # l2 squares: only 1 and 2 could be near each other
    assert (len(axes.values), axes.left_out) == (0, 4)
    axes = axes_of(Balls(metric="l1"), training)
    assert (len(axes.values), axes.left_out) == (4, 0)
