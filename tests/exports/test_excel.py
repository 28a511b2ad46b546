"""Workbooks: what they hold and refuse, and the answers that LibreOffice computes with them."""

import io
import re
import sys
from dataclasses import replace

import pytest
from exports.hard_rows import hard_table
from exports.test_conformance import drawn_models
from exports.test_hostile_names import HOSTILE, hostile_model, hostile_table
from exports.test_learners import fitted_models
from golden import make

from rulewright import load_model
from rulewright.data import Field, NumericColumn, Table
from rulewright.errors import UnrenderableError
from rulewright.exports import ENGINES, Job, compare, model_answers
from rulewright.models import Model
from rulewright.rules import Interval, Rule, RuleList, Threshold

openpyxl = pytest.importorskip("openpyxl")
FOLDER = make.FOLDER / "0.1"
ROWS = 20_000
"""Number of hard rows of a workbook; LibreOffice computes equal ones once."""
REASONS = (
    "ball, half-space|times or durations|exponential|divides rows|of its user|"
    "precomputed|empty text"
)


def golden(name):
    return load_model(FOLDER / f"{name}.json", functions=make.FUNCTIONS)


def typed_table(model, rows):
    """Hard rows without the numbers above 1e308, which Excel does not take."""
    table = hard_table(model, rows, infinite=False)
    columns = [table.column(name) for name in table.names]
    return Table(
        [
            replace(column, values=column.values.clip(-9e307, 9e307))
            if isinstance(column, NumericColumn)
            else column
            for column in columns
        ],
        rows,
    )


def date_model():
    tests = (
        Threshold("seen", True, 18_687.5),
        Interval("seen", 10_957.0, 11_000.0, True),
        Threshold("seen", False, -20_000.0, if_missing=True),
    )
    body = RuleList(tuple(Rule(test, 1) for test in tests), 0)
    evidence = tuple((1.0, 2.0 + number) for number, _ in enumerate(body.outputs))
    return Model((Field("seen", "date"),), ("no", "yes"), body, evidence)


def opened(content):
    return openpyxl.load_workbook(io.BytesIO(content))


def test_a_workbook_has_the_rules_and_formulas_and_is_the_same_each_time():
    model = golden("RipperClassifier")
    content = model.export("excel", cases=2)
    assert content == model.export("excel", cases=2)
    book = opened(content)
    assert book.sheetnames == ["Cases", "Rules", "Values", "About", "Working"]
    head = [cell.value for cell in book["About"]["A"]]
    assert head[0].startswith("Rulewright model: list of")
    assert f"Certificate: {model.certificate.sentence}" in head
    assert "Check: rulewright export MODEL --to excel --check DATA" in head
    names = [cell.value for cell in book["Cases"][1]]
    assert names[:5] == ["age", "dose", "answer", "rule", "condition"]
    rules = list(book["Rules"].iter_rows(min_row=2, values_only=True))
    assert [row[1] for row in rules] == [model.label_of(output) for output in model.body.outputs]
    assert [row[3:] for row in rules] == [tuple(row) for row in model.probabilities.tolist()]
    assert [cell.data_type for cell in book["Cases"][3]][2:] == ["f"] * 5
    without = opened(model.export("excel", reasons=False))
    assert not any(row[2] for row in without["Rules"].iter_rows(min_row=2, values_only=True))


def test_names_and_values_in_a_workbook_are_no_formulas():
    texts = ("=1+1", "@x", "+1", "#N/A", "_x0041_", "a\rb", *HOSTILE)
    book = opened(hostile_model(texts).export("excel", cases=1))
    for sheet in ("Rules", "Values", "About"):
        assert all(cell.data_type in "sn" for row in book[sheet].iter_rows() for cell in row)
    assert all(cell.data_type == "s" for cell in book["Cases"][1])
    values = {cell.value for cell in book["Values"]["A"]}
    assert {"=1+1", "@x", "+1", "#N/A", "_x005F_x0041_", "a_x000D_b"} <= values
    formulas = [cell.value for row in book["Working"].iter_rows(min_row=2) for cell in row]
    assert not any("DROP" in text or "1+1" in text for text in formulas)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("node-ball_linf", "ball, half-space or weighted sum"),
        ("node-dates", "holds times or durations"),
        ("node-rule_vote", "has probabilities from an exponential"),
        ("node-fractional_tree", "divides rows with missing values"),
        ("node-function", "calls the function 'heavy_dose' of its user"),
    ],
)
def test_what_a_spreadsheet_cannot_do_exactly_is_refused(name, reason):
    with pytest.raises(UnrenderableError, match=reason):
        golden(name).export("excel")


def test_dates_are_days_of_a_spreadsheet():
    book = opened(date_model().export("excel", cases=1))
    assert book["Cases"]["A2"].number_format == "yyyy-mm-dd"
    values = [cell.value for cell in book["Values"]["A"]]
    assert values == [5_569.0, 36_526.0, 36_569.0, 44_256.5]


def test_a_category_without_letters_is_refused():
    with pytest.raises(UnrenderableError, match="tests for the empty text"):
        hostile_model(("",), ("no", "yes")).export("excel")


def test_a_workbook_is_written_to_a_file_only(tmp_path, monkeypatch, capsys):
    from rulewright.cli import run

    def code(*arguments):
        path = str(FOLDER / "RipperClassifier.json")
        words = ["rulewright", "export", path, "--to", "excel", *arguments]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as found:
            run()
        return found.value.code

    assert code() not in (0, None)
    assert "Add --out FILE" in " ".join(capsys.readouterr().err.split())
    target = tmp_path / "model.xlsx"
    assert code("--out", str(target)) in (0, None)
    assert code("--out", str(target)) in (0, None)  # an earlier export may be replaced
    assert target.read_bytes() == golden("RipperClassifier").export("excel")
    openpyxl.Workbook().save(target)
    assert code("--out", str(target)) not in (0, None)


def computed_otherwise(jobs):
    """Models whose workbook has other answers in LibreOffice, some workbooks at a time."""
    engine = ENGINES["excel"]
    if engine.absent():
        pytest.skip("soffice is not installed: it is in the Debian package libreoffice-calc")
    engine.seconds = 7200  # the machine may be busy
    names, found = list(jobs), {}
    for first in range(0, len(names), 5):
        some = names[first : first + 5]
        found |= zip(some, engine.run([jobs[name] for name in some]), strict=True)
    compared = {
        name: compare(engine.title, model_answers(job.model, job.table), found[name])
        for name, job in jobs.items()
    }
    return {name: str(each) for name, each in compared.items() if each.differing}


def workbook_jobs(models, rows):
    """Jobs of the models that have a workbook."""
    jobs = {}
    for name, model in models.items():
        try:
            model.export("excel", cases=1)
        except UnrenderableError as error:
            assert re.search(REASONS, str(error)), error
            continue
        jobs[name] = Job(model, typed_table(model, rows))
    return jobs


@pytest.mark.exports
def test_libreoffice_answers_hard_rows_as_the_model_does():
    paths = sorted(make.FOLDER.glob("*/*.json"))
    models = {path.stem: load_model(path, functions=make.FUNCTIONS) for path in paths}
    jobs = workbook_jobs({**models, "dates": date_model()}, ROWS)
    assert len(jobs) >= 20
    model = hostile_model((*HOSTILE, "=cmd|' /C calc'!A0", "@SUM(1+1)", "+1", "-1"))
    jobs["hostile names"] = Job(model, hostile_table(model))
    assert computed_otherwise(jobs) == {}


@pytest.mark.exports
def test_libreoffice_answers_for_every_learner_and_family_as_the_model_does():
    jobs = workbook_jobs(fitted_models(), ROWS)
    assert {name.split("-")[0] for name in jobs} >= {
        *("SetCoveringMachine", "DecisionListMachine", "RuleListClassifier", "RipperClassifier"),
        *("TreeClassifier", "TreeRegressor"),
    }
    assert computed_otherwise(jobs) == {}


@pytest.mark.exports
def test_libreoffice_answers_for_any_nodes_as_they_do():
    jobs = workbook_jobs(drawn_models(300), 100)
    assert len(jobs) >= 60
    assert computed_otherwise(jobs) == {}
