"""A first look at a table, and files of other forms: Excel, standard input and output."""

import io
import sys

import numpy as np
import pandas as pd
import pytest

ROWS = 400
RNG = np.random.default_rng(1)


@pytest.fixture(scope="module")
def frame():
    day = pd.date_range("2020-01-01", periods=ROWS)
    age = RNG.integers(18, 80, ROWS)
    label = np.where(age > 40, "g", "b")
    rare = np.where(np.arange(ROWS) < 3, "odd", label)
    return pd.DataFrame(
        {
            "customer": [f"C{n:05d}" for n in range(ROWS)],
            "booked": [f"{d.day}.{d.month}.2020" for d in day[:50]] * 8,
            "opened": day.strftime("%Y-%m-%d"),
            "age": age,
            "status": np.where(label == "g", "ok", "default"),
            "fixed": "same",
            "class": rare,
        }
    )


@pytest.fixture
def path(frame, tmp_path):
    file = tmp_path / "a.csv"
    frame.to_csv(file, index=False)
    return file


def test_a_first_look_names_what_is_suspicious(rulewright, path):
    done = rulewright("data", path, "--target", "class")
    assert done.code == 0, done.err
    lines = {line.split()[0]: line for line in done.out.splitlines() if line}
    assert "left out as a key" in lines["customer"]
    assert "dates" in lines["opened"] and "2020-01-01 .. " in lines["opened"]
    assert "one value in all rows" in lines["fixed"]
    assert lines["class"].startswith("class class: b ")
    for words in (
        "Column 'customer' is left out",
        "Column 'booked' looks like dates, but is read as text",
        "Column 'status' gives the class of 397 of 400 rows",
        "Class 'odd' has 3 of 400 rows",
    ):
        assert f"Caution: {words}" in done.err


def test_the_same_as_json(rulewright, path):
    said = rulewright("data", path, "--target", "class", "--json").json
    assert said["rows"] == ROWS and said["classes"]["odd"] == 3
    columns = {column["name"]: column for column in said["columns"]}
    assert columns["customer"]["left_out"].startswith("400 of its 400 values")
    assert columns["age"]["low"] == 18 and columns["age"]["missing"] == 0
    assert columns["status"]["categories"][0]["value"] in ("ok", "default")
    assert len(said["cautions"]) == 4


def test_fit_warns_of_the_same(rulewright, path):
    options = ("--target", "class", "--learner", "tree")
    done = rulewright("fit", path, *options)
    looked = rulewright("data", path, "--target", "class")
    assert set(looked.err.splitlines()) <= set(done.err.splitlines())


def test_few_rows_are_named(rulewright, frame, tmp_path):
    few = tmp_path / "few.csv"
    frame.tail(60).to_csv(few, index=False)
    assert "There are only 60 rows." in rulewright("data", few).err


def test_similar_names_are_suggested(rulewright, path):
    assert "Did you mean 'class'?" in rulewright("data", path, "--target", "clas").err
    assert "Did you mean 'class'?" in rulewright("fit", path, "--target", "Class").err
    options = ("--target", "class", "--learner", "tree", "--forbid", "agee")
    assert "Did you mean 'age'?" in rulewright("fit", path, *options).err
    assert "Did you mean 'tree'?" in rulewright("fit", path, "-t", "class", "--learner", "tre").err


def test_the_parser_of_options_speaks_plainly(rulewright, path):
    done = rulewright("fit", path, "-t", "class", "--learner", "tree", "--max-depth", "deep")
    assert done.code == 2
    assert "it must be a whole number" in done.err
    assert "Input should" not in done.err and "Value error" not in done.err


def test_workbooks_are_read_and_written(rulewright, frame, path, tmp_path):
    book, model, answers = tmp_path / "a.xlsx", tmp_path / "m.json", tmp_path / "p.xlsx"
    with pd.ExcelWriter(book) as writer:
        frame.assign(opened=pd.to_datetime(frame["opened"])).to_excel(
            writer, sheet_name="one", index=False
        )
        frame.head(3).to_excel(writer, sheet_name="two", index=False)
    assert "has the tables 'one', 'two'" in rulewright("data", book).err
    same = rulewright("data", path, "--json").json
    assert rulewright("data", book, "--table", "one", "--json").json == same
    fit = ("fit", path, "-t", "class", "--learner", "tree", "--drop", "status")
    assert rulewright(*fit, "--out", model).code == 0
    done = rulewright("predict", model, book, "--table", "one", "--out", answers)
    assert done.code == 0, done.err
    written = pd.read_excel(answers)
    expected = pd.read_csv(io.StringIO(rulewright("predict", model, path).out))
    assert written["prediction"].tolist() == expected["prediction"].tolist()
    assert written["row"].tolist() == list(range(ROWS))
    assert rulewright("predict", model, book, "--table", "one", "--out", answers).code == 1


def test_no_cell_of_a_written_workbook_is_a_formula(rulewright, tmp_path):
    from openpyxl import load_workbook

    labels = ["=1+1", "x\x1by"] * 50
    frame = pd.DataFrame({"a": range(100), "y": labels, "code": ["007"] * 100})
    path, model, out = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "p.xlsx"
    frame.to_csv(path, index=False)
    assert rulewright("fit", path, "-t", "y", "--learner", "tree", "-o", model).code == 0
    assert rulewright("predict", model, path, "--keep", "y", "--keep", "code", "-o", out).code == 0
    sheet = load_workbook(out).active
    kinds = {cell.data_type for row in sheet.iter_rows() for cell in row}
    assert kinds <= {"s", "n", "inlineStr"}
    assert {row[2].value for row in sheet.iter_rows(min_row=2)} == {"007"}


def test_what_is_no_workbook_is_refused(rulewright, tmp_path):
    old, broken = tmp_path / "old.xls", tmp_path / "broken.xlsx"
    old.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    broken.write_bytes(b"PK\x03\x04" + bytes(600))
    assert "Save it as CSV or as .xlsx" in rulewright("data", old).err
    assert "not an Excel workbook that can be read" in rulewright("data", broken).err


def test_standard_input_and_output(rulewright, path, tmp_path, monkeypatch):
    def given(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    text = path.read_text(encoding="utf-8")
    given(text)
    assert rulewright("data", "-", "--json").json == rulewright("data", path, "--json").json
    model = tmp_path / "m.json"
    given(text)
    assert rulewright("fit", "-", "-t", "class", "--learner", "tree", "-o", model).code == 0
    expected = rulewright("predict", model, path).out
    given(text)
    assert rulewright("predict", model, "-").out == expected
    given(model.read_text(encoding="utf-8"))
    assert rulewright("predict", "-", path).out == expected


def test_a_prediction_that_fails_prints_no_header(rulewright, path, tmp_path):
    model = tmp_path / "m.json"
    fit = ("fit", path, "-t", "class", "--learner", "tree", "--keep", "age", "-o", model)
    assert rulewright(*fit).code == 0
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("age\nold\n", encoding="utf-8")
    done = rulewright("predict", model, wrong)
    assert done.code == 1 and done.out == ""


def test_a_long_model_is_shortened_on_the_screen(rulewright, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(600), "b": rng.random(600), "y": rng.integers(0, 2, 600)})
    path, model = tmp_path / "t.csv", tmp_path / "m.json"
    frame.to_csv(path, index=False)
    fit = ("fit", path, "-t", "y", "--learner", "tree", "--pruning", "none", "-o", model)
    short = rulewright(*fit)
    assert short.code == 0, short.err
    assert "more lines (--all prints them)" in short.out
    assert "more lines" in rulewright("show", model).out
    whole = rulewright("show", model, "--all").out
    assert "more lines" not in whole and len(whole.splitlines()) > 150
    named = rulewright("certify", model, path).out.splitlines()[0]
    assert " more of t.csv" in named and len(named) < 300
