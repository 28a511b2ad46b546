"""Random model files, rules and CSV files are read or refused with a clear error.

``make test`` tries a few of each. ``make fuzz`` tries thousands, with other seeds every time.
"""

import csv
import json
from datetime import timedelta

import pytest
from golden import make
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies.effort import QUARTER
from strategies.hostile import tampered
from strategies.mixed import tables
from strategies.written import COLUMNS

from rulewright import load_model
from rulewright.data import open_data
from rulewright.errors import RulewrightError
from rulewright.models import Model
from rulewright.render import predicate_text
from rulewright.rules import parse_condition, parse_rules_file

# A hang is a fault too; a slow machine is not.
PATIENT = settings(
    QUARTER,
    deadline=timedelta(seconds=60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MODELS = sorted(make.FOLDER.glob("*/*.json"))
INPUTS = make.inputs()


def edited(whole, part):
    """Lists in which a few elements were left out, repeated, or put in from elsewhere."""
    change = st.tuples(st.integers(0, 2**16), st.integers(0, 2), part)
    return st.tuples(whole, st.lists(change, max_size=6)).map(lambda case: _changed(*case))


def _changed(whole, changes):
    whole = list(whole)
    for place, kind, part in changes:
        at = place % (len(whole) + 1)
        removed = whole[at : at + 1 + place % 7]
        if kind == 0:
            del whole[at : at + len(removed)]
        else:
            whole[at:at] = [part] if kind == 1 else removed
    return whole


def use(model):
    """Everything that a loaded model is asked for: its text, its answers, their reasons."""
    assert str(model)
    columns = [column.name for column in model.columns]
    known = set(columns) <= set(INPUTS.columns)
    rows = INPUTS[columns].head(5) if known else [dict.fromkeys(columns, 0)]
    assert len(model.predict(rows)) == len(rows)
    if isinstance(model, Model):
        assert model.predict_proba(rows).shape == (len(rows), len(model.classes))


def loads_or_is_refused(path):
    try:
        use(load_model(path, functions=make.FUNCTIONS))
    except RulewrightError as error:
        assert str(error)


@PATIENT
@given(st.data())
def test_a_model_file_with_changed_values_is_read_or_refused(tmp_path, data):
    content = json.loads(data.draw(st.sampled_from(MODELS)).read_text(encoding="utf-8"))
    for _ in range(data.draw(st.integers(1, 3))):
        content = data.draw(tampered(content))
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    loads_or_is_refused(path)


@PATIENT
@given(st.data())
def test_a_model_file_with_changed_bytes_is_read_or_refused(tmp_path, data):
    content = data.draw(st.sampled_from(MODELS)).read_bytes()
    path = tmp_path / "model.json"
    path.write_bytes(bytes(data.draw(edited(st.just(content), st.integers(0, 255)))))
    loads_or_is_refused(path)


WORDS = st.sampled_from(
    [
        *("a", "b", "colour", "flag", "sepal length (cm)", "`a`", "grade", "red", "'red'", "zz"),
        *("and", "or", "not", "(", ")", "at least 2 of", ",", "in", "between", "is missing"),
        *("=", "!=", "<", "<=", ">", ">=", "1", "-2.5", "1e400", "nan", "or missing", "always"),
        *("->", "yes", "no", "otherwise", "otherwise -> no answer", "\n", "\n  ", "# note\n"),
    ]
)
LINES = st.sampled_from(
    [
        "a > 1 and b <= 2 -> yes\n",
        "at least 2 of (a > 1, flag, colour = red) -> no\n",
        "0 < a <= 3 or missing -> yes\n",
        "not (colour in {red, blue}) -> no\n",
        "otherwise -> yes\n",
    ]
)
TEXTS = st.one_of(
    edited(st.lists(WORDS | LINES, max_size=12), WORDS | st.text(max_size=3)).map(" ".join),
    edited(st.lists(LINES, max_size=5).map("".join), st.characters()).map("".join),
)


@PATIENT
@given(TEXTS, tables())
def test_rules_in_any_words_are_read_or_refused(text, table):
    try:
        condition = parse_condition(text, COLUMNS)
        assert parse_condition(predicate_text(condition), COLUMNS) is not None
    except RulewrightError as error:
        assert str(error)
    try:
        parse_rules_file(text, COLUMNS, ["no", "yes"])
    except RulewrightError as error:
        assert str(error)


CELLS = st.sampled_from(
    [
        "",
        "1",
        "-2.5",
        "1e999",
        "x",
        "NA",
        '"a,b"',
        '"two\nlines"',
        '"',
        "2021-03-01",
        "true",
        "ü",
        "=1+1",
    ]
)
ROWS = st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=8)
FILES = st.tuples(
    ROWS,
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\ufeff"]),
).map(lambda case: case[3] + case[2].join(case[1].join(row) for row in case[0]))


def is_read_or_refused(path):
    """Read a file whole; return its columns, or None if it was refused."""
    try:
        with open_data(path) as file:
            return file.read()
    except RulewrightError as error:
        assert str(error)
        return None


@PATIENT
@given(edited(FILES.map(str.encode), st.integers(0, 255)).map(bytes))
def test_a_csv_file_of_any_bytes_is_read_or_refused(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    is_read_or_refused(path)


@PATIENT
@given(
    st.lists(st.text("ab ,;'\"\n1-", min_size=1, max_size=5), min_size=2, max_size=12).filter(
        lambda cells: all(cell.strip() for cell in cells)
    )
)
def test_no_row_of_a_csv_file_is_lost(tmp_path, cells):
    path = tmp_path / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([["first", "second"], *([cell, "x"] for cell in cells)])
    table = is_read_or_refused(path)
    assert table is None or len(table) == len(cells)


def test_the_golden_files_are_there():
    assert len(MODELS) > 50


@pytest.mark.parametrize("path", MODELS[::25], ids=lambda path: path.stem)
def test_an_unchanged_model_file_is_read(path):
    use(load_model(path, functions=make.FUNCTIONS))
