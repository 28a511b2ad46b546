"""rulewright export: the file, the check, and what is refused."""

import json

import pytest
from golden import make

from rulewright import load_model
from rulewright.render import file_content

MODEL = make.FOLDER / "0.1" / "node-rule_list.json"
DATA = make.FOLDER / "patients.csv"


def test_an_export_goes_to_the_screen_or_to_a_file(rulewright, tmp_path):
    shown = rulewright("export", MODEL, "--to", "python")
    assert shown.code == 0
    assert shown.out.startswith("# Rulewright model: list of 3 rules on 3 columns.\n")
    path = tmp_path / "model.py"
    for _ in range(2):  # a second time, over its own file
        written = rulewright("export", MODEL, "--to", "python", "--out", path)
        assert written.out == f"export: {path}\n"
    assert path.read_text(encoding="utf-8") == shown.out


def test_another_file_is_not_overwritten(rulewright, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    refused = rulewright("export", MODEL, "--to", "python", "--out", path)
    assert refused.code == 1
    assert "it is not an earlier export" in refused.err
    assert rulewright("export", MODEL, "--to", "python", "--out", path, "--overwrite").code == 0


def test_a_check_states_how_many_rows_agree(rulewright):
    checked = rulewright("export", MODEL, "--to", "python", "--check", DATA)
    assert (checked.code, checked.err) == (0, "")
    assert checked.out == "150 of 150 rows have the same answer in python -I -S\n"
    said = rulewright("export", MODEL, "--to", "python", "--check", DATA, "--json").json
    assert said == {
        "form": "python",
        "engine": "python -I -S",
        "rows": 150,
        "agree": 150,
        "differing": [],
    }


def test_a_check_that_fails_exits_with_3(rulewright, monkeypatch):
    from rulewright.render import RENDERERS

    right = RENDERERS["python"]

    def wrong(model, *, reasons=True):
        return right(model).replace("60.0", "20.0")

    monkeypatch.setitem(RENDERERS, "python", wrong)
    checked = rulewright("export", MODEL, "--to", "python", "--check", DATA)
    assert checked.code == 3
    assert "of 150 rows have the same answer in python -I -S; the first that differs is" in (
        checked.out
    )


def test_options_of_a_form(rulewright):
    named = rulewright("export", MODEL, "--to", "c", "--set", "prefix=risk", "--set", "part=header")
    assert "void risk_predict(const risk_row *row, risk_result *result);" in named.out
    assert "reasons" not in rulewright("export", MODEL, "--to", "c", "--no-reasons").out
    kept = ["--set", "keep=id", "--set", "keep=name", "--set", "probabilities=true"]
    text = rulewright("export", MODEL, "--to", "sql", *kept).out
    assert text == load_model(MODEL).to_sql(keep=["id", "name"], probabilities=True)


@pytest.mark.parametrize(
    ("form", "name"), [("onnx", "node-rule_list"), ("sklearn", "from_sklearn")]
)
def test_a_form_that_is_no_text_is_written_to_a_file_only(rulewright, tmp_path, form, name):
    if form == "onnx":
        pytest.importorskip("onnxruntime")
    model = make.FOLDER / "0.1" / f"{name}.json"
    refused = rulewright("export", model, "--to", form)
    assert refused.code == 1
    assert "Add --out FILE" in refused.err
    path = tmp_path / "model.bin"
    checked = rulewright("export", model, "--to", form, "--out", path, "--check", DATA)
    assert "150 of 150 rows have the same answer" in checked.out
    again = rulewright("export", model, "--to", form, "--out", path)  # over its own file
    assert again.out == f"export: {path}\n"
    assert path.read_bytes() == file_content(load_model(model).export(form))
    path.write_bytes(file_content({"mine": 1}))
    assert rulewright("export", model, "--to", form, "--out", path).code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "cobol"], "There is no form 'cobol'. Known are: text, html, python"),
        (["--to", "c", "--set", "x=1"], "has the options prefix, part. Write --set NAME=VALUE."),
        (["--to", "python", "--set", "x"], "has the options (none)"),
        (["--to", "python", "--set", "reasons=false"], "has the options (none)"),
        (["--to", "sql", "--set", "probabilities=1"], "write true or false"),
        (["--to", "excel", "--set", "cases=many"], "write a whole number"),
        (["--to", "c", "--set", "prefix=a", "--set", "prefix=b"], "prefix has a value already"),
        (["--to", "text", "--no-reasons"], "always has its reasons"),
        (["--to", "html", "--check", DATA], "The form 'html' cannot be checked by running it"),
    ],
)
def test_what_is_refused(rulewright, arguments, message):
    refused = rulewright("export", MODEL, *arguments)
    assert refused.code == 1
    assert message in refused.err


def test_json_is_the_model_file(rulewright, tmp_path):
    path = tmp_path / "again.json"
    assert rulewright("export", MODEL, "--to", "json", "--out", path).code == 0
    again, first = (json.loads(p.read_text(encoding="utf-8")) for p in (path, MODEL))
    assert again.pop("made_by").startswith("rulewright ")
    assert again == {name: member for name, member in first.items() if name != "made_by"}
    assert rulewright("export", MODEL, "--to", "json", "--out", path).code == 0  # its own file
    assert rulewright("show", path).out == rulewright("show", MODEL).out
