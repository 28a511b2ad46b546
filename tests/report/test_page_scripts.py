"""The scripts of the page, run by node: they answer as the model does, also after edits."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from exports.hard_rows import hard_table
from golden import make
from hypothesis import Phase, given, settings
from report.test_any_model import CONTENT
from strategies.nodes import ARRANGEMENTS

from rulewright import load_model
from rulewright.data import CategoricalColumn, Field, NumericColumn, Table
from rulewright.models import Model, RegressionModel
from rulewright.report import SCRIPTS, data_text, page, script_facts
from rulewright.rules import AllOf, Rule, RuleList, Threshold

NODE = shutil.which("node")
FILES = sorted(make.FOLDER.glob("*/*.json"))
SECTION = (
    *("DecisionListMachine", "RuleListClassifier-abstaining", "RuleListClassifier-syndromes"),
    *("SetCoveringMachine", "SetCoveringMachine-disjunction", "ScorecardClassifier"),
    *("ScorecardClassifier-three", "RuleVoteClassifier-three", "TreeClassifier", "node-outside"),
    *("TreeClassifier-c45", "TreeClassifier-ranges", "node-dates", "node-not", "node-ball_linf"),
    *("node-fractional_tree", "node-abstaining_vote", "node-threshold_at_cut", "node-function"),
)
"""Models of the short suite: every arrangement, and every form of a condition."""

HOSTILE = (
    "__proto__",
    "constructor",
    "</script><script>alert(1)</script>",
    "a'b\"c`${1}",
    "\u202eleft",
    "&lt;b&gt;&#39;",
)


def cells_of(column):
    if isinstance(column, CategoricalColumn) or column.field.moment is not None:
        return column.cells()
    return [None if number != number else number for number in column.values.tolist()]


def job_of(model, table, y, edits):
    """What the driver needs of a model and its rows; rows with infinite numbers are not typed."""
    found = script_facts(model, table, y, None, None, 0)
    finite = np.all([~np.isinf(c.values) for c in table.columns if hasattr(c, "values")], axis=0)
    named = [(column.name, cells_of(column)) for column in table.columns]
    typed = np.flatnonzero(np.broadcast_to(finite, table.rows)).tolist()
    rows = [[(name, cells[row]) for name, cells in named] for row in typed]
    data = json.loads(data_text(found["page_data"]))
    return {
        "script": found["page_script"],
        "data": data,
        "rows": rows or None,
        "edits": edits,
    }, typed


def run(jobs, folder):
    """Return what the scripts compute for some jobs, in one program."""
    if NODE is None:
        pytest.skip("node is not installed")
    path = folder / "jobs.json"
    path.write_text(json.dumps(jobs), encoding="utf-8")
    driver = Path(__file__).with_name("page_driver.mjs")
    done = subprocess.run(
        [NODE, str(driver), str(SCRIPTS), str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def check(models, folder, rows=60, edits=2):
    """Compare the page with the library: learnt models, typed cases, and edited models."""
    tables = {name: hard_table(model, rows) for name, model in models.items()}
    rng = np.random.default_rng(0)
    labels = {name: rng.integers(0, len(m.classes), rows, np.int32) for name, m in models.items()}
    jobs = [job_of(model, tables[name], labels[name], edits) for name, model in models.items()]
    found = run([job for job, _ in jobs], folder)
    for (name, model), result, (_, typed) in zip(models.items(), found, jobs, strict=True):
        table, y = tables[name], labels[name]
        answers = model.body.answer(table)
        assert result["learnt"] == answers.tolist(), name
        assert result["confusion"] == confusion(model, table, y), name
        if result["typed"] is not None:
            assert result["typed"] == answers[typed].tolist(), name
        for edited in result["edited"]:
            other = read_back(edited["file"], folder, model)
            assert other.certificate is None
            assert edited["answers"] == other.body.classify(table).tolist(), (name, edited["file"])
            assert edited["confusion"] == confusion(other, table, y), name
            wrong = other.body.classify(table) != y
            assert edited["errors"] == int(wrong.sum()), name
            counts = np.zeros((len(other.body.outputs), len(model.classes)))
            np.add.at(counts, (other.body.answer(table), y), 1)
            assert np.array_equal(counts, other.evidence), name
            if edited["rules"] is not None:
                listed = model.edited(edited["rules"])
                assert edited["answers"] == listed.body.classify(table).tolist(), edited["rules"]
    return found


def read_back(text, folder, model):
    path = folder / "edited.json"
    path.write_text(text, encoding="utf-8")
    return load_model(path, functions=make.FUNCTIONS)


def confusion(model, table, y):
    counts = np.zeros((len(model.classes), len(model.classes) + 1), int)
    np.add.at(counts, (y, model.body.classify(table)), 1)
    return counts.tolist()


def golden_models(paths):
    models = {path.stem: load_model(path, functions=make.FUNCTIONS) for path in paths}
    return {
        name: model
        for name, model in models.items()
        if not isinstance(model, RegressionModel) and "precomputed" not in name
    }


@pytest.mark.slow
def test_the_page_answers_and_edits_as_the_library_does(tmp_path):
    models = golden_models([path for path in FILES if path.stem in SECTION])
    assert len(models) == len(SECTION)
    check(models, tmp_path)


FIELDS = (
    Field("a", "numeric"),
    Field("b", "numeric"),
    Field("colour", "text", 3),
    Field("flag", "boolean", 2),
)


def drawn_models(count):
    """Models of drawn nodes. They are drawn one by one, and run in one program."""
    models = {}

    @settings(max_examples=count, phases=[Phase.generate], database=None)
    @given(ARRANGEMENTS)
    def draw(body):
        evidence = ((1.0, 2.0, 3.0),) * len(body.outputs)
        if "precomputed" not in repr(body):
            models[str(len(models))] = Model(FIELDS, ("no", "perhaps", "yes"), body, evidence)

    draw()
    return models


@pytest.mark.slow
def test_the_page_answers_and_edits_any_nodes_as_the_library_does(tmp_path):
    check(drawn_models(20), tmp_path, rows=30, edits=2)


def numbers_model(names, classes=("no", "yes")):
    """A list of rules on numeric columns, one rule for each."""
    rules = tuple(
        Rule(Threshold(name, number % 2 == 0, float(number)), number % 2)
        for number, name in enumerate(names)
    )
    body = RuleList(rules, 0)
    fields = tuple(Field(name, "numeric") for name in names)
    return Model(fields, classes, body, ((1.0, 1.0),) * len(body.outputs), target="y")


def test_names_are_data(tmp_path):
    model = numbers_model(HOSTILE, classes=("__proto__", "</script>"))
    (result,) = check({"hostile": model}, tmp_path, rows=20, edits=3)
    assert {name for name, _ in result["changes"]} <= set(HOSTILE)
    found = script_facts(model, hard_table(model, 20), np.zeros(20, np.int32), None, None, 20)
    for text in (data_text(found["page_data"]), found["page_script"]):
        assert "</script" not in text.lower() and "<!--" not in text


def test_many_rows_are_counted_in_cells_and_too_many_cells_are_left_out(tmp_path):
    rng = np.random.default_rng(0)
    rows = 120_000
    model = numbers_model(["a", "b", "c"])
    columns = [NumericColumn(name, rng.integers(-5, 9, rows).astype(float)) for name in "abc"]
    table, y = Table(columns, rows), rng.integers(0, 2, rows).astype(np.int32)
    job, _ = job_of(model, table.take(np.arange(10)), y[:10], 0)
    data = json.loads(data_text(script_facts(model, table, y, None, None, 0)["page_data"]))
    assert data["rows"]["counts"] is not None and not data["left_out"]
    assert len(json.dumps(data)) < 200_000
    (result,) = run([job | {"data": data, "rows": None}], tmp_path)
    assert result["confusion"] == confusion(model, table, y)
    names = [f"x{i}" for i in range(30)]
    wide = Table([NumericColumn(name, rng.normal(0, 9, 60_000)) for name in names], 60_000)
    many = script_facts(numbers_model(names), wide, y[:60_000], None, None, 0)
    assert many["page_data"]["left_out"] and len(data_text(many["page_data"])) < 100_000


def test_switching_a_rule_off_is_what_the_library_does(tmp_path):
    """The page and ``edited(drop=...)`` leave out the same rule."""
    model = load_model(make.FOLDER / "0.1" / "RuleListClassifier.json")
    table = hard_table(model, 200)
    y = np.zeros(200, np.int32)
    job, _ = job_of(model, table, y, 0)
    found = run([job | {"rows": None, "off": number} for number in (0, 2)], tmp_path)
    for number, result in zip((0, 2), found, strict=True):
        expected = model.edited(drop=[number + 1]).body.classify(table)
        assert result["switched"] == expected.tolist()


def test_the_page_names_what_would_change_the_answer(tmp_path):
    """Every change that the page names changes the answer, and no nearer value does."""
    model = numbers_model(["a"])
    table = Table([NumericColumn("a", np.array([-3.0, 0.0, 4.0]))], 3)
    job, _ = job_of(model, table, np.zeros(3, np.int32), 0)
    (result,) = run([job], tmp_path)
    assert result["changes"] == []  # all answers of one rule for class 0 are the default's
    model = replace(model, body=RuleList((Rule(Threshold("a", True, 1.0), 1),), 0))
    job, _ = job_of(model, table, np.zeros(3, np.int32), 0)
    (result,) = run([job], tmp_path)
    assert result["changes"] == [["a", "yes"]]


def test_a_page_of_20_rules_is_small():
    rng = np.random.default_rng(0)
    names = [f"column {number}" for number in range(12)]
    tests = [Threshold(names[i % 12], i % 3 > 0, rng.normal()) for i in range(60)]
    rules = [Rule(AllOf(tuple(tests[3 * i : 3 * i + 3])), i % 2) for i in range(20)]
    fields = tuple(Field(name, "numeric") for name in names)
    model = Model(fields, ("no", "yes"), RuleList(tuple(rules), 0), ((1.0, 1.0),) * 21)
    table = Table([NumericColumn(name, rng.normal(size=20_000)) for name in names], 20_000)
    found = script_facts(model, table, np.zeros(20_000, np.int32), None, None, 0)
    assert len(data_text(found["page_data"])) + len(found["page_script"]) < 700_000


def test_all_modules_are_joined_into_one_that_node_can_read(tmp_path):
    text = page(CONTENT)
    program = text.partition('<script type="module">')[2].partition("</script>")[0]
    for script in SCRIPTS.iterdir():
        assert script.read_text(encoding="utf-8").splitlines()[0] in program, script.name
    assert not re.search(r"(?m)^(import|export) ", program)
    if NODE is None:
        pytest.skip("node is not installed")
    path = tmp_path / "page.mjs"
    path.write_text(program, encoding="utf-8")
    subprocess.run([NODE, "--check", str(path)], check=True)
