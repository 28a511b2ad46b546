"""Learners on a frame with a column of dates: what they print, predict and certify."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rulewright import (
    RipperClassifier,
    RuleListClassifier,
    SetCoveringMachine,
    TreeClassifier,
    load_model,
)
from rulewright.models import save_model

LEARNERS = [TreeClassifier, RuleListClassifier, SetCoveringMachine, RipperClassifier]


def cases(rows=200):
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 800, rows).astype("m8[D]")
    days[:3] = np.array(["2021-03-01", "2021-03-02", "2021-02-28"], "M8[D]")
    size = rng.normal(size=rows).round(2)
    late = days > np.datetime64("2021-03-01")
    return pl.DataFrame({"opened": days, "size": size}), np.where(late, "late", "early")


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_model_prints_the_date_and_its_certificate_holds(learner, tmp_path):
    X, y = cases()
    fitted = learner().fit(X, y)
    model = fitted.model_
    assert "opened > 2021-03-01" in str(model) or "opened <= 2021-03-01" in str(model)
    assert model.certificate.verify(model, X, y)
    reasons = " ".join(model.explain(X[:2])["why"].to_list())
    assert "opened = 2021-03-01 (<= 2021-03-01)" in reasons or (
        "opened = 2021-03-02 (> 2021-03-01)" in reasons
    )
    save_model(model, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert str(again) == str(model)
    assert again.columns == model.columns
    expected = fitted.predict(X).tolist()
    days = X["opened"].to_list()
    for other in (
        X.to_pandas(),
        pd.DataFrame({"opened": days, "size": X["size"]}),
        pd.DataFrame({"opened": [str(day) for day in days], "size": X["size"]}),
        pa.table({"opened": days, "size": X["size"].to_list()}),
    ):
        assert again.predict(other).tolist() == expected


def test_a_halfway_date_is_written_with_its_hour():
    X, y = cases()
    model = SetCoveringMachine(family="midpoints").fit(X, y).model_
    assert "opened > 2021-03-01 12:0" in str(model)


def test_spaces_leave_dates_out():
    X, y = cases()
    with_size = X.with_columns(near=pl.Series(np.where(y == "late", 3.0, 0.0)) + X["size"] / 9)
    for family in ("balls", "half_spaces", "half_planes"):
        model = SetCoveringMachine(family=family).fit(with_size, y).model_
        assert "opened" not in model.body.columns
        assert model.certificate.verify(model, with_size, y)
