"""Bad input gets a clear error: what is needed, what was found, the way out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from rulewright import SetCoveringMachine
from rulewright.errors import InputError

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])


def refuse(message, X=X, y=Y, error=ValueError, weight=None, **parameters):
    with pytest.raises(error, match=message):
        SetCoveringMachine(**parameters).fit(X, y, sample_weight=weight)


def test_an_empty_table():
    refuse("0 sample", np.empty((0, 2)), [])
    refuse("0 feature", np.empty((6, 0)))
    refuse("0 sample", pd.DataFrame({"a": []}, dtype=float), [])
    refuse("0 feature", pd.DataFrame(index=range(6)))


def test_one_class():
    refuse("needs at least two classes.* one class: 7", y=[7] * 6)


def test_one_class_after_weights():
    refuse("needs at least two classes", weight=[1, 0, 1, 0, 1, 0])


def test_more_classes_than_two():
    refuse("Only binary classification is supported.*OneVsRest", y=[0, 1, 2, 0, 1, 2])


@pytest.mark.parametrize(
    "y",
    [
        np.full(6, np.nan),
        [None] * 6,
        pd.Series([None] * 6, dtype=object),
        pd.Series([pd.NA] * 6, dtype="Int64"),
        pl.Series([None] * 6, dtype=pl.Float64),
    ],
    ids=["array", "list", "objects", "nullable", "polars"],
)
def test_a_class_column_that_is_all_missing(y):
    refuse("y contains NaN: 6 of 6 labels are missing", y=y)


@pytest.mark.parametrize(
    "y",
    [
        [0.0, 1.0, np.nan, 1.0, 0.0, 1.0],
        pd.Series(["a", "b", None, "b", "a", "b"]),
        pd.Series([0, 1, pd.NA, 1, 0, 1], dtype="Int64"),
        pl.Series(["a", "b", None, "b", "a", "b"]),
        pd.Series(pd.Categorical(["a", "b", None, "b", "a", "b"])),
    ],
    ids=["array", "text", "nullable", "polars", "category"],
)
def test_a_label_that_is_missing(y):
    refuse("1 of 6 labels are missing, the first in row 2", y=y)


def test_an_infinite_label():
    refuse("y contains infinity", y=[0, 1, np.inf, 1, 0, 1])


def test_an_infinite_value():
    bad = X.copy()
    bad[3, 1] = -np.inf
    refuse(r"Column 'x1', row 3: the value is infinite", bad)


def test_an_infinite_value_in_prediction():
    machine = SetCoveringMachine().fit(X, (X[:, 1] > 5).astype(int))
    bad = X.copy()
    bad[0, 0] = np.inf
    with pytest.raises(InputError, match="infinite"):
        machine.predict(bad)


def test_duplicate_column_names():
    refuse("more than once: 'a'", pd.DataFrame(X, columns=["a", "a"]))


def test_mixed_column_names():
    refuse("all be text or all be whole numbers", pd.DataFrame(X, columns=["a", 1]))


def test_labels_of_another_length():
    refuse("inconsistent numbers of samples: 6 rows, 3 labels", y=[0, 1, 0])


def test_labels_that_are_measurements():
    refuse("Unknown label type", y=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def test_labels_that_are_missing_in_pandas_own_way():
    refuse("2 of 6 labels are missing", y=pd.Series(["a", pd.NA, "b", "a", pd.NA, "b"]))


def test_no_labels():
    refuse("requires y to be passed", y=None)


def test_labels_in_two_columns():
    refuse("1d array|shape", y=np.zeros((6, 2)))


def test_a_sparse_matrix_that_is_too_large_as_dense_columns():
    refuse("sparse .* GiB as dense columns", scipy.sparse.csc_matrix((10**9, 6)))


def test_a_query_that_was_not_run():
    refuse("holds no rows yet. Call its collect", pl.DataFrame(X).lazy())


def test_a_single_column_without_its_brackets():
    refuse("Reshape your data|two dimensions", X[:, 0])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2], "sample_weight.shape"),
        ([1, 1, 1, 1, 1, -1], "0 or more"),
        ([1, 1, 1, 1, 1, np.nan], "finite"),
        ([0] * 6, "zero"),
        ([1e308] * 6, "over 1e300"),
        (["heavy"] * 6, "must hold numbers"),
        ([pd.NA] * 6, "must hold numbers"),
    ],
)
def test_weights_that_make_no_sense(weight, message):
    refuse(message, weight=weight)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kind": "both"}, "kind must be one of 'conjunction', 'disjunction', 'best', got 'both'"),
        ({"penalty": -1.0}, "penalty must be a number of 0 or more"),
        ({"penalty": np.nan}, "penalty must be a number"),
        ({"penalty": "high"}, "penalty must be a number"),
        ({"max_rules": 0}, "max_rules must be a whole number of at least 1"),
        ({"max_rules": 2.5}, "max_rules must be a whole number"),
        ({"delta": 0}, r"delta must be in \(0, 1\)"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\)"),
        ({"family": np.array(["thresholds", "categories"])}, "There is no family"),
        ({"family": "balloons"}, "There is no family 'balloons'"),
        ({"family": "categories"}, "no columns for family categories"),
        (
            {"categorical_features": ["z"]},
            "'z' is declared categorical, but the data does not have it",
        ),
    ],
)
def test_parameters_that_make_no_sense(parameters, message):
    refuse(message, **parameters)


def test_a_failed_fit_says_not_fitted():
    machine = SetCoveringMachine()
    with pytest.raises(ValueError):
        machine.fit(X, [0] * 6)
    with pytest.raises(Exception, match="not fitted"):
        machine.predict(X)


@pytest.mark.parametrize("max_rules", [None, np.inf])
def test_no_limit_on_rules_may_be_said_in_two_ways(max_rules):
    assert len(SetCoveringMachine(max_rules=max_rules, penalty=np.inf).fit(X, Y).path_) >= 1
