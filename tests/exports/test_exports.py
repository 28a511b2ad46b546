"""What exports say, refuse, and do outside of the comparison with their model."""

import csv
import io
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest
from golden import make

from rulewright import load_model
from rulewright.errors import InputError, UnrenderableError
from rulewright.exports import ENGINES, check_export
from rulewright.render import RENDERERS

LANGUAGES = ("python", "javascript", "c", "java")
FOLDER = make.FOLDER / "0.1"


def golden(name):
    return load_model(FOLDER / f"{name}.json", functions=make.FUNCTIONS)


def as_module(model):
    names = {"__name__": "model"}
    exec(compile(model.export("python"), "model.py", "exec"), names)
    return names


@pytest.mark.parametrize("form", (*LANGUAGES, "sql"))
def test_an_export_starts_with_the_model_its_certificate_and_how_to_check_it(form):
    model = golden("RipperClassifier")
    text = model.export(form)
    assert text == model.export(form)
    head = text.partition("WITH" if form == "sql" else "\n\n")[0]
    assert "Rulewright model: list of" in head
    assert 'Target: "outcome".' in head
    assert 'Classes: "ill", "well".' in head
    assert f"Certificate: {model.certificate.sentence}" in head
    assert f"Check: rulewright export MODEL --to {form} --check DATA" in head


def test_a_model_that_was_chosen_by_costs_states_its_cost_and_is_not_compared_with_a_guess():
    model = golden("SetCoveringMachine-costs")
    assert "no better than the toss of a coin" in model.export("python")
    head = replace(model, class_costs=(3.0, 1.0)).export("python").partition("\n\n")[0]
    assert "Certificate: A new case costs at most " in head
    assert "Cost of a misclassified case: ill 3, well 1. Wrong on 44 of 117 training" in head
    assert "coin" not in head


@pytest.mark.parametrize("form", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("node-function", "calls the function 'heavy_dose' of its user"),
        ("node-ball_function", "by the function 'largest_gap' of its user"),
        ("node-half_space_function", "by the function 'product' of its user"),
        ("node-ball_precomputed", "has a precomputed metric"),
        ("node-half_space_precomputed", "has a precomputed kernel"),
    ],
)
def test_what_cannot_be_exported_is_refused_by_name(form, name, reason):
    with pytest.raises(UnrenderableError, match=reason):
        golden(name).export(form)


@pytest.mark.parametrize("form", ["javascript", "java"])
def test_an_exponential_that_a_language_does_not_have_is_refused(form):
    with pytest.raises(UnrenderableError, match="RBF kernel. Its exponential has no exact equal"):
        golden("node-half_space_rbf").export(form)


def test_a_form_without_an_engine_cannot_be_checked():
    model = golden("node-threshold")
    with pytest.raises(InputError, match="The form 'text' cannot be checked by running it"):
        check_export(model, model.table(make.inputs()), "text")


def test_an_engine_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(ENGINES["javascript"], "programs", ("no-such-command",), raising=False)
    model = golden("node-threshold")
    with pytest.raises(InputError, match="needs the command no-such-command"):
        check_export(model, model.table(make.inputs()), "javascript")


def test_an_export_that_fails_says_why(monkeypatch):
    monkeypatch.setitem(RENDERERS, "python", lambda model: "raise SystemExit('broken')")
    model = golden("node-threshold")
    with pytest.raises(InputError, match="The export failed in python -I -S: broken"):
        check_export(model, model.table(make.inputs()), "python")


def test_an_export_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setitem(RENDERERS, "python", lambda model: "while True: pass")
    monkeypatch.setattr(ENGINES["python"], "seconds", 0.1, raising=False)
    model = golden("node-threshold")
    with pytest.raises(InputError, match="The export took over 0.1 seconds in python -I -S"):
        check_export(model, model.table(make.inputs()), "python")


def test_a_row_is_a_dict_in_python():
    predict = as_module(golden("node-rule_list"))["predict"]
    found = predict({"age": 61, "dose": None, "ward": "north", "more": object()})
    assert found["class"] == "ill"
    assert found["rule"] == 1
    assert found["reason"] == "age > 60 or missing"
    assert found["probability"] == found["probabilities"][0]
    with pytest.raises(KeyError, match="The row has no column 'dose'"):
        predict({"age": 61, "ward": "north"})
    with pytest.raises(ValueError, match="Column 'age' must hold numbers, not '61'"):
        predict({"age": "61", "dose": 1, "ward": "north"})
    with pytest.raises(ValueError, match="9007199254740993 has no exact floating-point number"):
        predict({"age": 2**53 + 1, "dose": 1, "ward": "north"})


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan")])
def test_missing_values_have_several_forms_in_python(missing):
    predict = as_module(golden("node-rule_list"))["predict"]
    assert predict({"age": missing, "dose": 1.0, "ward": missing})["rule"] == 1


def test_numbers_and_codes_have_several_types_in_python():
    predict = as_module(golden("node-code"))["predict"]
    for one in (1, 1.0, np.int8(1), np.float32(1), Decimal("1"), Decimal("1.0"), "1", "1.0", "01"):
        assert predict({"stage": one})["rule"] == 1, repr(one)
    for other in (2, 1.5, "x", Decimal("1.25"), True):
        assert predict({"stage": other})["rule"] == 2, repr(other)
    flag = as_module(golden("node-given"))["predict"]
    for no in (False, np.bool_(False), 0, "false", "False", "FALSE"):
        assert flag({"smoker": no})["rule"] == 1, repr(no)
    for yes in (True, 1, "true", None):
        assert flag({"smoker": yes})["rule"] == 2, repr(yes)


def test_dates_have_several_types_in_python():
    model = golden("node-dates")
    predict = as_module(model)["predict"]
    rows = make.inputs()
    known = {"seen": datetime(2021, 1, 1, 12), "sent": datetime(2021, 1, 1, tzinfo=UTC)}
    row = {"admitted": date(2022, 1, 1), **known, "stay": timedelta(hours=3)}
    texts = {
        "admitted": "2022-01-01",
        "seen": "2021-01-01 12:00",
        "sent": "2021-01-01T02:00:00+02:00",
        "stay": "03:00:00",
    }
    assert predict(row) == predict(texts)
    expected = model.body.answer(model.table(rows)).tolist()
    found = [predict(row)["rule"] - 1 for row in rows.iter_rows(named=True)]
    assert found == expected
    with pytest.raises(ValueError, match="Column 'admitted' must hold dates without a time of day"):
        predict({**row, "admitted": datetime(2022, 1, 1, 1)})
    with pytest.raises(ValueError, match="Column 'stay' must hold a duration, not 3"):
        predict({**row, "stay": 3})


def run_filter(model, tmp_path, text, *arguments):
    (tmp_path / "model.py").write_text(model.export("python"), encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-I", "-S", "model.py", *arguments],
        cwd=tmp_path,
        input=text,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RipperClassifier", "TreeRegressor", "node-dates", "node-given"])
def test_the_python_export_is_a_filter_that_answers_as_predict_does(name, tmp_path, monkeypatch):
    from rulewright.cli import run

    data = (make.FOLDER / "patients.csv").read_text(encoding="utf-8")
    model = golden(name)
    if name == "node-dates":  # stay is in hours there
        data = data.replace("stay", "hours", 1).replace("\n", ",stay\n", 1)
        head, *rows = data.splitlines()
        data = "\n".join([head, *(f"{row},{i % 200} days 04:00" for i, row in enumerate(rows))])
    (tmp_path / "data.csv").write_text(data, encoding="utf-8")
    found = run_filter(model, tmp_path, data)
    assert found.stderr == ""
    arguments = [
        "predict",
        FOLDER / f"{name}.json",
        tmp_path / "data.csv",
        "-o",
        tmp_path / "out.csv",
    ]
    monkeypatch.setattr(sys, "argv", ["rulewright", *map(str, arguments)])
    with pytest.raises(SystemExit):
        run()
    expected = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    answers = list(csv.DictReader(io.StringIO(found.stdout)))
    assert [{k: row[k] for k in expected[0]} for row in answers] == expected
    assert run_filter(model, tmp_path, "", "data.csv").stdout == found.stdout


def test_the_filter_reads_csv_as_the_library_does(tmp_path):
    model = golden("node-rule_list")
    text = '\ufeffward;more;"age";dose\n  north ;x; 70 ;1\n"a;b";"two\nlines";;?\nsouth;;NA;5e0\n'
    found = run_filter(model, tmp_path, text)
    assert found.stderr == ""
    assert [line.split(",")[3] for line in found.stdout.splitlines()[1:]] == ["1", "1", "1"]
    wrong = run_filter(model, tmp_path, "age,dose,ward\n1_0,2,x\n")
    assert (wrong.returncode, wrong.stderr) == (1, "Error: column 'age': '1_0' is not a number\n")
    short = run_filter(model, tmp_path, "age,dose,ward\n1,2\n")
    assert short.stderr == "Error: row 0 has 2 cells, the header 3\n"
    absent = run_filter(model, tmp_path, "age,ward\n")
    assert absent.stderr == "Error: the header has no column 'dose'\n"
    assert "usage: python model.py" in run_filter(model, tmp_path, "", "--help").stdout


@pytest.mark.slow
def test_the_c_export_is_clean_under_sanitizers(monkeypatch):
    engine = ENGINES["c"]
    if engine.absent():
        pytest.skip("gcc is not installed")
    flags = (*engine.flags, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    monkeypatch.setattr(type(engine), "flags", flags)
    for name in ("node-fractional_tree", "SlipperClassifier"):
        model = golden(name)
        found = check_export(model, model.table(make.inputs()), "c")
        assert found.agree == found.rows == 150


def test_the_c_header_declares_what_the_source_defines(tmp_path):
    if ENGINES["c"].absent():
        pytest.skip("gcc is not installed")
    model = golden("RuleVoteClassifier-three")
    (tmp_path / "risk.h").write_text(model.export("c", prefix="risk", part="header"), "utf-8")
    main = "int main(void) { risk_row row; return !sizeof row; }\n"
    source = '#include "risk.h"\n' * 2 + main
    (tmp_path / "main.c").write_text(source, "utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run(["gcc", *flags, "main.c"], cwd=tmp_path, check=True)
    source, header = model.export("c", prefix="risk"), (tmp_path / "risk.h").read_text("utf-8")
    declared = header[header.index("typedef") : header.index("#ifdef __cplusplus\n}")].strip()
    assert declared in source


def test_a_model_without_reasons_is_shorter():
    model = golden("RipperClassifier")
    for form in LANGUAGES:
        short = model.export(form, reasons=False)
        assert len(short) < len(model.export(form))
