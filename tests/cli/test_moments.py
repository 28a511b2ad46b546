"""A CSV file with a column of dates, from fit to certify."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def dated(tmp_path):
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 800, 200).astype("m8[D]")
    days[:2] = np.array(["2021-03-01", "2021-03-02"], "M8[D]")
    frame = pd.DataFrame({"opened": days.astype(str), "size": rng.normal(size=200).round(2)})
    frame["class"] = np.where(days > np.datetime64("2021-03-01"), "late", "early")
    frame.loc[5, "opened"] = None
    path = tmp_path / "cases.csv"
    frame.to_csv(path, index=False)
    return path


def test_dates_from_fit_to_certify(rulewright, dated, tmp_path):
    model = tmp_path / "model.json"
    done = rulewright("fit", dated, "--target", "class", "--learner", "scm", "--out", model)
    assert done.code == 0, done.err
    assert "2021-03-01" in done.out
    assert "2021-03-01" in rulewright("show", model).out
    explained = rulewright("explain", model, dated)
    assert "opened = 2021-03-02 (> 2021-03-01)" in explained.out
    assert rulewright("certify", model, dated).code == 0

    parquet = tmp_path / "cases.parquet"
    frame = pd.read_csv(dated, parse_dates=["opened"])
    frame.to_parquet(parquet)
    answers = [rulewright("predict", model, data).out for data in (dated, parquet)]
    assert answers[0] == answers[1]
    assert "late" in answers[0]

    strange = tmp_path / "strange.csv"
    strange.write_text("opened,size\n2021-03-01,1\n01.03.2021,2\n")
    done = rulewright("predict", model, strange)
    assert done.code != 0
    assert "Column 'opened', row 1: '01.03.2021'" in done.err
