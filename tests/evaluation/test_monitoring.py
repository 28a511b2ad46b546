"""Batches of rows over time: which of them differ, and the level of all of them together."""

import datetime
import json

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from rulewright import TreeClassifier
from rulewright.data import detect_table
from rulewright.errors import InputError
from rulewright.evaluation import periods_of, result_schema


def people(rows, seed):
    rng = np.random.default_rng(seed)
    days = pd.to_timedelta(rng.integers(0, 120, rows), "D")
    X = pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], rows),
            "age": rng.integers(18, 80, rows).astype(float),
            "date": pd.Timestamp("2024-01-01") + days,
        }
    )
    good = (X["sex"] == "female") & (X["age"] > 40)
    return X, np.where(good ^ (rng.random(rows) < 0.1), "yes", "no")


@pytest.fixture(scope="module")
def model():
    X, y = people(800, 0)
    return (
        TreeClassifier(max_leaf_nodes=4, certificate="split").fit(X.drop(columns="date"), y).model_
    )


def test_months_that_changed_are_found(model):
    X, y = people(1200, 1)
    X.loc[X["date"] >= "2024-04-01", "sex"] = "F"
    result = model.monitor(X, y, times="date")
    assert [batch.name for batch in result.batches] == ["2024-01", "2024-02", "2024-03", "2024-04"]
    assert [batch.drift.found for batch in result.batches] == [False, False, False, True]
    assert [batch.certificate.within for batch in result.batches] == [True, True, True, False]
    assert "Different from the training rows: 2024-04." in result.summary
    assert sum(batch.rows for batch in result.batches) == 1200
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    Draft202012Validator(result_schema()).validate(data)
    assert result.page().html().count("<svg") >= 3
    assert result.to_frame("pandas")["rows"].sum() == 1200
    assert "Batches" in str(result) and "<table>" in result._repr_html_()


def test_the_level_is_divided_among_batches_and_classes(model):
    X, y = people(600, 1)
    with_classes, without = model.monitor(X, y, times="date"), model.monitor(X, times="date")
    assert {batch.drift.level for batch in with_classes.batches} == {0.01 / 8}
    assert {batch.certificate.level for batch in with_classes.batches} == {0.01 / 8}
    assert {batch.drift.level for batch in without.batches} == {0.01 / 4}
    assert without.batches[0].error is None


def test_a_dict_of_batches_and_arrays_of_times(model):
    X, y = people(300, 1)
    named = model.monitor({"first": X, "second": X.assign(sex="F")}, {"first": y, "second": y})
    assert [batch.drift.found for batch in named.batches] == [False, True]
    years = model.monitor(X, times=np.where(np.arange(300) < 100, 9, 10))
    assert [(batch.name, batch.rows) for batch in years.batches] == [("9", 100), ("10", 200)]
    by_date = model.monitor(X, times=X["date"].to_numpy(), period="year")
    assert [batch.name for batch in by_date.batches] == ["2024"]
    assert len(model.monitor(X).batches) == 1
    with pytest.raises(InputError, match="its keys name the batches"):
        model.monitor({"first": X}, times="date")
    with pytest.raises(InputError, match="one value for each of the 300 rows"):
        model.monitor(X, times=[1, 2])


def test_periods():
    moments = [datetime.datetime(2024, 12, 30, 23, 59), datetime.datetime(2025, 1, 5), None]
    column = detect_table(pd.DataFrame({"t": pd.Series(moments)})).columns[0]
    assert periods_of(column, "day") == ["2024-12-30", "2025-01-05", "(no time)"]
    assert periods_of(column, "week") == ["2024-12-30", "2024-12-30", "(no time)"]
    assert periods_of(column, "year") == ["2024", "2025", "(no time)"]
    with pytest.raises(InputError, match="one of day, week, month, year"):
        periods_of(column, "hour")


def test_too_many_batches_are_refused(model):
    X, _ = people(1100, 1)
    with pytest.raises(InputError, match="more than 1000 batches"):
        model.monitor(X, times=np.arange(1100))
