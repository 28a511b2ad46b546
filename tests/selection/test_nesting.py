"""Cross-validation around a search."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from rulewright import BoundSearch, DecisionListMachine, SetCoveringMachine
from rulewright.selection import nested_cross_validation

RNG = np.random.default_rng(3)
X = np.round(RNG.normal(size=(90, 3)), 1)
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=90) > 0, "up", "down")
MACHINES = [
    SetCoveringMachine(max_rules=3),
    DecisionListMachine(max_rules=3),
    BoundSearch(SetCoveringMachine(), {"penalty": [1, 3]}),
    BoundSearch(SetCoveringMachine(), {"penalty": [1, 3]}, by="cv", cv=3),
    BoundSearch(SetCoveringMachine(), {"penalty": [1, 3]}, by="holdout"),
]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: f"{type(m).__name__}")
def test_the_counts_are_those_made_by_hand(machine):
    result = nested_cross_validation(machine, X, Y, cv=4, random_state=1)
    folds = StratifiedKFold(4, shuffle=True, random_state=1).split(X, Y)
    fitted = [(clone(machine).fit(X[a], Y[a]), b) for a, b in folds]
    assert result.errors == tuple((f.predict(X[b]) != Y[b]).sum() for f, b in fitted)
    assert result.tested == tuple(len(b) for _, b in fitted)
    assert result.sizes == tuple(f.path_[-1].size for f, _ in fitted)
    assert result.bounds == tuple(f.certificate_.bound for f, _ in fitted)
    assert result.total == sum(result.errors)
    assert result.seconds > 0
    assert str(result).startswith(f"{result.total} errors (deviation {result.deviation:.1f})")
    assert not hasattr(machine, "model_")


def test_the_deviation_is_that_of_the_mean_of_the_folds_times_all_rows():
    result = nested_cross_validation(MACHINES[0], X, Y, cv=7)
    rates = np.array(result.errors) / np.array(result.tested)
    mean = sum(rates) / 7
    squares = sum((rate - mean) ** 2 for rate in rates) / 6
    assert result.deviation == pytest.approx((squares / 7) ** 0.5 * 90)


def test_frames_give_the_same_as_arrays():
    array = nested_cross_validation(MACHINES[2], X, Y, cv=3)
    for frame, labels in (
        (pd.DataFrame(X, columns=list("abc"), index=RNG.permutation(90)), pd.Series(Y)),
        (pl.DataFrame(X, schema=list("abc")), pl.Series(Y)),
    ):
        other = nested_cross_validation(MACHINES[2], frame, labels, cv=3)
        assert (other.errors, other.sizes, other.bounds) == (
            array.errors,
            array.sizes,
            array.bounds,
        )


def test_folds_may_be_given():
    splitter = KFold(3)
    one = nested_cross_validation(MACHINES[0], X, Y, cv=splitter)
    other = nested_cross_validation(MACHINES[0], X, Y, cv=list(splitter.split(X)))
    assert one.errors == other.errors
    assert one.tested == (30, 30, 30)


def test_three_classes_are_counted_too():
    three = np.where(X[:, 2] > 0.5, "deep", Y)
    assert nested_cross_validation(MACHINES[1], X, three, cv=3).total < 60


@pytest.mark.parametrize("cv", [1, 91, []])
def test_bad_folds_are_refused(cv):
    with pytest.raises(ValueError, match="cv must"):
        nested_cross_validation(MACHINES[0], X, Y, cv=cv)
