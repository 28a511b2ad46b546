"""Every export answers as the model does: the same class, rule and probabilities, bit by bit."""

import re

import pytest
from exports.hard_rows import hard_table
from golden import make
from hypothesis import Phase, given, settings
from strategies.nodes import ARRANGEMENTS

from rulewright import load_model
from rulewright.data import Field, NumericColumn, Table
from rulewright.errors import UnrenderableError
from rulewright.exports import ENGINES, SQL_ENGINES, Job, compare, model_answers
from rulewright.models import Model

FILES = sorted(make.FOLDER.glob("*/*.json"))
SECTION = (
    *("DecisionListMachine", "RipperClassifier-three", "RuleListClassifier-syndromes"),
    *("ScorecardClassifier", "ScorecardClassifier-pairs", "ScorecardClassifier-three"),
    *("RuleVoteClassifier-three", "TreeClassifier-half_planes_of_three", "SlipperClassifier"),
    *(
        "TreeClassifier-c45",
        "TreeClassifier-ranges",
        "TreeRegressor",
        "SetCoveringMachine-kernel_balls",
    ),
    *("node-ball_filled", "node-ball_kernel", "node-ball_linf", "node-code", "node-dates"),
    *(
        "node-fractional_tree",
        "node-given",
        "node-half_space_polynomial",
        "node-not",
        "node-outside",
    ),
    *("node-abstaining_list", "node-abstaining_vote", "node-rule_vote", "node-threshold_at_cut"),
)
"""Models of the short suite: every arrangement, and every form of a condition."""

REASONS = (
    "of its user|has a precomputed|RBF kernel|"
    "(sqlite|clickhouse|spark|mysql|snowflake|bigquery|tsql|pmml) has no exact type"
)
"""Reasons for which an export may be refused."""

FIELDS = (
    Field("a", "numeric"),
    Field("b", "numeric"),
    Field("colour", "text", 3),
    Field("flag", "boolean", 2),
)


DRAWN = {"java": 300, "pmml": 300, "duckdb": 300, "sqlite": 300, "spark": 60}
"""Number of drawn models where engines or their queries take long to start; elsewhere 1,000."""

ALL = {n: e for n, e in {**ENGINES, **SQL_ENGINES}.items() if n not in ("excel", "sklearn")}
"""Engines of all kinds of models; those of some kinds have tests of their own."""


@pytest.fixture(params=[name for name in ALL if name != "sql"], scope="module")
def engine(request):
    engine = ALL[request.param]
    if engine.absent():
        pytest.skip(f"{engine.absent()[0]} is not installed")
    return engine


def exportable(model, engine):
    options = {"dialect": engine.dialect} if engine.form == "sql" else {}
    try:
        return bool(model.export(engine.form, **options))
    except UnrenderableError as error:
        assert re.search(REASONS, str(error)), error
        return False


def loaded(paths, engine):
    models = {path.stem: load_model(path, functions=make.FUNCTIONS) for path in paths}
    return {name: model for name, model in models.items() if exportable(model, engine)}


def differing(engine, models, rows):
    """Models whose export answers some rows otherwise, with these rows."""
    only = {"infinite": engine.infinite, "overflows": engine.overflows}
    engine.seconds = 7200  # the machine may be busy
    jobs = [Job(model, hard_table(model, rows, **only)) for model in models.values()]
    found = zip(models, jobs, engine.run(jobs), strict=True)
    compared = {
        name: compare(engine.title, model_answers(job.model, job.table), answers)
        for name, job, answers in found
    }
    return {name: str(agreement) for name, agreement in compared.items() if agreement.differing}


@pytest.mark.slow
def test_an_export_answers_hard_rows_as_its_model_does(engine):
    models = loaded([path for path in FILES if path.stem in SECTION], engine)
    assert len(models) >= len(SECTION) - 3
    assert differing(engine, models, 300) == {}


@pytest.mark.exports
def test_every_export_answers_20000_hard_rows_as_its_model_does(engine):
    models = loaded(FILES, engine)
    assert len(models) >= len(FILES) * 2 // 3
    assert differing(engine, models, 20_000) == {}


def drawn_model(body):
    evidence = tuple((1.5 + number, 4.0, 2.0 * number) for number, _ in enumerate(body.outputs))
    return Model(FIELDS, ("no", "perhaps", "yes"), body, evidence)


def drawn_models(count):
    """Models of drawn nodes. They are drawn one by one, and run in one program."""
    bodies = []

    @settings(max_examples=count, phases=[Phase.generate], database=None)
    @given(ARRANGEMENTS)
    def draw(body):
        bodies.append(body)

    draw()
    return {str(number): drawn_model(body) for number, body in enumerate(bodies)}


def any_nodes_differ(engine, models, rows):
    there = {name: model for name, model in models.items() if exportable(model, engine)}
    assert len(there) > len(models) / 2
    return differing(engine, there, rows)


@pytest.mark.slow
def test_an_export_of_any_nodes_answers_as_they_do(engine):
    count = 20 if engine.form in ("java", "sql", "pmml") else 60
    assert any_nodes_differ(engine, drawn_models(count), 60) == {}


@pytest.mark.exports
def test_an_export_of_very_many_nodes_answers_as_they_do(engine):
    count = DRAWN.get(engine.dialect if engine.form == "sql" else engine.form, 1000)
    models = list(drawn_models(count).items())
    for first in range(0, count, 100):
        assert any_nodes_differ(engine, dict(models[first : first + 100]), 1000) == {}


def test_a_wrong_export_is_found():
    """The comparison notices one wrong answer."""
    model = load_model(make.FOLDER / "0.1" / "node-threshold.json")
    table = Table([NumericColumn("age", hard_table(model, 50).numbers("age"))], 50)
    expected = model_answers(model, table)
    wrong = [*expected[:7], expected[7]._replace(rule=9), *expected[8:]]
    found = compare("an engine", expected, wrong)
    assert (found.agree, found.rows, found.differing) == (49, 50, (7,))
    assert str(found) == (
        "49 of 50 rows have the same answer in an engine; the first that differs is row 7"
    )
