"""A model without rules answers every row alike, and every command works on it."""

import csv
import io
import json
import sqlite3

import duckdb
import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest

from rulewright import TreeRegressor, load_model, save_model
from rulewright.report import report_model

mpl.use("Agg")
ROWS = 40


def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": [f"p{row}" for row in range(ROWS)],
            "age": rng.normal(size=ROWS).round(2),
            "city": rng.choice(["Bern", "Chur"], ROWS),
            "class": ["yes", "yes"] + ["no"] * (ROWS - 2),
        }
    )


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "d.csv"
    frame().to_csv(path, index=False)
    return path


@pytest.fixture(params=["tree", "ripper", "tree-rules", "slipper", "regression"])
def model(request, rulewright, table, tmp_path):
    path = tmp_path / "model.json"
    if request.param == "regression":
        fitted = TreeRegressor().fit(frame()[["age", "city"]], np.ones(ROWS))
        save_model(fitted.model_, path)
        return path
    options = ("--target", "class", "--drop", "id", "--learner", request.param)
    done = rulewright("fit", table, *options, "--out", path, "--report", tmp_path / "report.html")
    assert done.code == 0, done.err
    assert not load_model(path).body.columns, "the model uses a column: the test needs another"
    return path


def tables_of_every_kind(tmp_path):
    """The same rows as a CSV, a Parquet, a DuckDB and an SQLite file."""
    rows = frame()
    rows.to_parquet(tmp_path / "d.parquet")
    with duckdb.connect(str(tmp_path / "d.duckdb")) as database:
        database.execute("CREATE TABLE d AS SELECT * FROM rows")
    with sqlite3.connect(tmp_path / "d.sqlite") as database:
        rows.to_sql("d", database, index=False)
    return [tmp_path / f"d.{ending}" for ending in ("csv", "parquet", "duckdb", "sqlite")]


@pytest.mark.cross_section(4)
@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize("names", [[], ["id", "city"]])
def test_every_output_has_the_cells_of_its_header(
    rulewright, model, table, tmp_path, command, names
):
    keep = [argument for name in names for argument in ("--keep", name)]
    expected = [[str(row), *frame().loc[row, names].tolist()] for row in range(ROWS)]
    answers = [str(answer) for answer in load_model(model).predict(frame()).tolist()]

    found = list(csv.reader(io.StringIO(rulewright(command, model, table, *keep).out)))
    assert found[0][: len(names) + 2] == ["row", *names, "prediction"]
    assert {len(row) for row in found} == {len(found[0])}
    assert [row[: len(names) + 1] for row in found[1:]] == expected
    assert [row[len(names) + 1] for row in found[1:]] == answers

    lines = rulewright(command, model, table, *keep, "--json").out.splitlines()
    assert [list(json.loads(line)) for line in lines] == [found[0]] * ROWS

    for name, read in (("p.csv", pd.read_csv), ("p.parquet", pd.read_parquet)):
        done = rulewright(command, model, table, *keep, "--out", tmp_path / name)
        assert done.code == 0, done.err
        written = read(tmp_path / name)
        assert list(written) == found[0]
        assert written["prediction"].astype(str).tolist() == answers
        assert written[["row", *names]].astype(str).to_numpy().tolist() == expected


def test_rows_of_every_kind_of_file_are_answered_alike(rulewright, tmp_path, table, model):
    texts = {rulewright("predict", model, data).out for data in tables_of_every_kind(tmp_path)}
    assert len(texts) == 1
    assert texts.pop().count("\n") == ROWS + 1


def test_it_is_shown_and_rounded(rulewright, model, table):
    shown = rulewright("show", model)
    assert shown.code == 0
    assert "always" in shown.out
    assert rulewright("show", model, "--json").json["columns"] == []
    rounded = rulewright("show", model, "--decimals", "2", "--data", table)
    assert f"0 of {ROWS} answers change" in rounded.out


def test_its_certificate_is_checked(rulewright, model, table):
    loaded = load_model(model)
    done = rulewright("certify", model, table, "--target", "class")
    assert (done.code == 0) == (loaded.certificate is not None), done.err


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_its_rules_and_reasons_are_listed(model, library):
    loaded = load_model(model)
    rules = loaded.get_rules(library)
    assert len(rules) == len(loaded.rules)
    assert rules["rule"].to_list()[-1] == "otherwise"
    X = frame() if library == "pandas" else pl.from_pandas(frame())
    explained = loaded.explain(X)
    assert len(explained) == ROWS
    assert all(why.endswith("always") for why in explained["why"].to_list())


def test_it_comes_back_from_its_file_and_is_drawn_and_reported(model, tmp_path):
    loaded = load_model(model)
    save_model(loaded, tmp_path / "again.json")
    assert load_model(tmp_path / "again.json") == loaded
    assert "always" in loaded._repr_html_()
    if type(loaded.body).__name__ == "Tree":
        assert loaded.plot() is not None
    if loaded.certificate is not None:
        X, y = frame()[["age", "city"]], frame()["class"]
        loaded.certificate.verify(loaded, X, y)
        report_model(loaded, X, y, tmp_path / "again.html")
        assert "always" in (tmp_path / "again.html").read_text(encoding="utf-8")
