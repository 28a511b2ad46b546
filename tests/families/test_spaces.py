"""Balls and half-spaces: their options, their scales, and what they refuse."""

import numpy as np
import pytest
from families.cases import manhattan, manhattan_where_known

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.families import (
    Balls,
    Categories,
    HalfSpaces,
    Question,
    SpaceOptions,
    Training,
    as_families,
    prepare,
)
from rulewright.rules import Kernel, Metric, Scaling

ROWS = 30
FAR = Table(
    [
        NumericColumn("near", np.linspace(0.0, 1.0, ROWS)),
        NumericColumn("far", 1000.0 * np.arange(ROWS)),
        NumericColumn("constant", np.full(ROWS, 7.0)),
        CategoricalColumn("colour", "text", np.zeros(ROWS, np.int32), ("red",)),
    ],
    ROWS,
)


def test_a_name_takes_the_options_that_come_with_it():
    options = SpaceOptions(metric="kernel", kernel="polynomial", gamma=2, degree=2, coef0=1)
    kernel = Kernel("polynomial", gamma=2.0, offset=1.0, degree=2)
    assert as_families("half_spaces", options) == (HalfSpaces(kernel=kernel),)
    assert as_families("balls", options) == (Balls(metric=Metric("kernel", kernel)),)
    assert as_families("balls", SpaceOptions(types="simple", scale="rank")) == (
        Balls(types="simple", scale="rank"),
    )
    assert as_families("half_spaces", SpaceOptions(kernel="rbf", gamma=0.5)) == (
        HalfSpaces(kernel=Kernel("rbf", gamma=0.5)),
    )
    assert as_families(["categories", Balls()], options) == (Categories(), Balls())


def test_a_function_is_known_by_its_name():
    assert Balls(metric=manhattan).metric == Metric("function", name="manhattan")
    assert HalfSpaces(kernel=manhattan).kernel == Kernel("function", name="manhattan")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (SpaceOptions(metric="l3"), "metric must be one of 'l1', 'l2', .*a function of two points"),
        (SpaceOptions(metric=3), "metric must be one of .*got 3"),
        (SpaceOptions(metric="function"), "metric must be one of"),
        (SpaceOptions(kernel="sigmoid"), "kernel must be one of 'linear', 'rbf', .*'sigmoid'"),
        (SpaceOptions(kernel="rbf", gamma="auto"), "gamma must be a number, got 'auto'"),
        (SpaceOptions(kernel="rbf", gamma=np.inf), "gamma must be finite"),
        (SpaceOptions(kernel="polynomial", degree=65), "degree must be a whole number from 0"),
        (SpaceOptions(kernel="polynomial", degree=1.5), "degree must be a whole number from 0"),
        (SpaceOptions(kernel="polynomial", coef0=None), "coef0 must be a number"),
        (SpaceOptions(scale="log"), "scale must be one of none, standard, rank, got 'log'"),
        (SpaceOptions(types="both"), "types must be 'simple' or 'complex', got 'both'"),
        (SpaceOptions(metric="precomputed", scale="rank"), "distances cannot be scaled"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        as_families("balls", options)


def test_a_precomputed_kernel_cannot_be_scaled():
    with pytest.raises(InputError, match=r"kernel cannot be scaled. Use scale='none'"):
        HalfSpaces(kernel="precomputed", scale="standard")


def test_columns_are_measured_on_every_tenth_row():
    family = Balls(scale="standard")
    aside = family.scaling_rows(ROWS)
    assert aside.tolist() == [0, 10, 20]
    scaling = family.measured(FAR, aside).scaling
    chosen = FAR.numbers("far")[aside]
    assert scaling.shift[1:] == (chosen.mean(), 7.0)
    assert scaling.unit[1:] == (chosen.std(), 1.0)  # what is constant keeps its unit
    ranks = Balls(scale="rank").measured(FAR, aside).scaling
    assert ranks.knots[1:] == (tuple(chosen.tolist()), (7.0, 7.0, 7.0))


def test_missing_values_are_left_out_of_the_measure():
    """A single missing value among the rows aside once left the whole column unscaled."""
    values = 1000.0 * np.arange(ROWS)
    values[10] = np.nan
    table = Table([NumericColumn("a", values), NumericColumn("b", np.full(ROWS, np.nan))], ROWS)
    family = Balls(metric=manhattan_where_known, scale="standard")
    scaling = family.measured(table, family.scaling_rows(ROWS)).scaling
    assert scaling == Scaling("standard", shift=(10_000.0, 0.0), unit=(10_000.0, 1.0))
    ranks = Balls(metric=manhattan_where_known, scale="rank").measured(table, np.array([0, 10]))
    assert ranks.scaling.knots == ((0.0,), (0.0,))


def test_without_a_scale_nothing_is_set_aside():
    assert Balls().scaling_rows(ROWS).size == 0
    assert Balls().measured(FAR, np.arange(3)) == Balls()


@pytest.mark.parametrize(
    "family",
    [
        Balls(metric="precomputed"),
        Balls(metric=Metric("kernel", Kernel("precomputed"))),
        HalfSpaces(kernel="precomputed"),
    ],
)
def test_precomputed_columns_must_be_one_for_each_row(family):
    square = Table([NumericColumn(f"to {i}", np.arange(3.0)) for i in range(3)], 3)
    y = np.array([0, 1, 1], np.int32)
    few = square.select(square.names[:2])
    mixed = Table([*square.columns, FAR.column("colour").take(np.arange(3))], 3)
    for table in (few, mixed):
        with pytest.raises(InputError, match="one per training row"):
            prepare([family], Training(table, y))
    if family.name == "balls" and family.metric.kind == "kernel":
        with pytest.raises(InputError, match=r"and then one for k\(x, x\).*got 3 columns"):
            prepare([family], Training(square, y))
        square = Table([*square.columns, NumericColumn("to itself", np.ones(3))], 3)
    assert prepare([family], Training(square, y)).heaviest(Question(np.ones(3, np.int64)))


def test_a_limit_is_noticed():
    training = Training(FAR, np.arange(ROWS, dtype=np.int32) % 2, max_candidates=20)
    assert "has 30 centres in 30 rows. Only 20" in Balls().notice(training)
    assert Balls(types="simple").notice(training) is None
    assert "has 225 pairs" in HalfSpaces().notice(training)
    assert Categories().notice(training) is None
    unlimited = Training(FAR, training.y, max_candidates="auto")
    assert Balls().notice(unlimited) is None
