"""Baselines accept tables of all kinds."""

import numpy as np
import pandas as pd
import pytest

from rulewright.data import detect_table
from rulewright.experiments import BASELINES, TableEncoder, baseline


def table(rows=90, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 9, rows),
            "city": rng.choice(["Bern", "Chur", "Thun"], rows),
            "member": rng.random(rows) < 0.5,
            "empty": np.nan,
            "same": 1.0,
        }
    )
    y = np.where((X["age"] > 40) ^ (X["city"] == "Chur"), "yes", "no")
    X.loc[::7, "age"] = np.nan
    X.loc[::9, "city"] = None
    return X, y


@pytest.mark.cross_section(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_baseline_learns_from_mixed_columns_with_missing_values(name):
    X, y = table()
    fitted = baseline(name, tuned=name == "knn").fit(X.iloc[:60], y[:60])
    answers = fitted.predict(X.iloc[60:])
    assert set(answers) <= {"yes", "no"}
    other = baseline(name, tuned=name == "knn").fit(detect_table(X.iloc[:60]), y[:60])
    assert (other.predict(detect_table(X.iloc[60:])) == answers).all()


def test_missing_values_and_new_categories_are_encoded():
    X = pd.DataFrame({"x": [1.0, np.nan, 5.0], "c": ["a", "b", None]})
    encoder = TableEncoder("plain").fit(X)
    new = pd.DataFrame({"x": [np.nan], "c": ["new"]})
    # x, whether x is missing, and one column for each of a, b and missing
    assert encoder.transform(new).tolist() == [[3.0, 1.0, 0.0, 0.0, 0.0]]
    assert encoder.transform(X.iloc[[2]])[0, 2:].sum() == 1.0


def test_declared_categories_are_not_numbers():
    X = np.array([[1.0], [2.0], [3.0], [1.0]])
    assert TableEncoder().fit_transform(X).shape == (4, 1)
    assert TableEncoder(categorical_features=[0]).fit_transform(X).shape == (4, 3)
