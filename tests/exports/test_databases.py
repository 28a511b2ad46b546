"""SQL run by database servers: the same class, rule and probabilities as the model, bit by bit."""

import math
import time
from decimal import Decimal

import pytest
from exports.databases import (
    ClickhouseEngine,
    PostgresEngine,
    postgres_program,
    postgres_server,
)
from exports.hard_rows import ODD_TEXTS
from exports.test_conformance import FILES, any_nodes_differ, differing, drawn_models, loaded
from exports.test_hostile_names import HOSTILE, hostile_model, hostile_table
from exports.test_learners import every_learner_differs

from rulewright.data import Field
from rulewright.errors import UnrenderableError
from rulewright.exports import Job, compare, model_answers
from rulewright.models import Model
from rulewright.render import MAX_NAME_LENGTHS
from rulewright.rules import (
    Ball,
    Category,
    HalfPlane,
    HalfSpace,
    Rule,
    RuleList,
    Threshold,
    literals_of,
)

pytestmark = pytest.mark.exports


@pytest.fixture(scope="module")
def postgres():
    """A connection to a server that is stopped afterwards."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    for name in ("initdb", "postgres"):
        if postgres_program(name) is None:
            pytest.skip(f"{name} is not installed: install PostgreSQL's server")
    with postgres_server() as address:
        connection = _connected(psycopg, address)
        yield connection
        connection.close()


def _connected(psycopg, address):
    for _ in range(300):
        try:
            return psycopg.connect(address, autocommit=True)
        except psycopg.OperationalError as error:
            last = error
            time.sleep(0.2)
    raise last


@pytest.fixture(scope="module", params=["postgres", "clickhouse"])
def engine(request):
    if request.param == "postgres":
        yield PostgresEngine(request.getfixturevalue("postgres"))
        return
    session = pytest.importorskip("chdb.session", reason="chdb is not installed").Session()
    yield ClickhouseEngine(session)
    session.close()


def test_a_query_answers_20000_hard_rows_as_its_model_does(engine):
    models = loaded(FILES, engine)
    assert len(models) >= len(FILES) * 2 // 3
    assert differing(engine, models, 20_000) == {}


def test_a_query_of_every_learner_and_family_answers_as_its_model_does(engine):
    assert every_learner_differs(engine) == {}


def test_a_query_of_any_nodes_answers_as_they_do(engine):
    models = drawn_models(300)
    if not engine.overflows:  # drawn weights and centres are of any size
        models = {name: model for name, model in models.items() if not computes(model)}
        assert len(models) >= 100
    assert any_nodes_differ(engine, models, 1000) == {}


def test_hostile_names_and_values_change_no_answer_in_a_database(engine):
    most = MAX_NAME_LENGTHS.get(engine.dialect, math.inf)
    model = hostile_model([text for text in HOSTILE if len(f"n {text}".encode()) <= most])
    assert len(model.columns) >= 2 * len(HOSTILE) - 2
    table = hostile_table(model)
    (found,) = engine.run([Job(model, table)])
    assert compare(engine.title, model_answers(model, table), found).differing == ()


def test_two_names_that_postgres_would_cut_to_one_are_refused(postgres):
    """The server takes both names for the same column."""
    long, other = "x" * 63 + "1", "x" * 63 + "2"
    postgres.execute(f'CREATE TEMP TABLE cut AS SELECT 5.0::float8 AS "{long}"')
    assert postgres.execute(f'SELECT "{other}" FROM cut').fetchall() == [(5.0,)]
    postgres.execute("DROP TABLE cut")
    for name in (long, other):
        with pytest.raises(UnrenderableError, match="names in postgres have at most 63"):
            model_of(Threshold(name, True, 1.0), Field(name, "numeric")).to_sql("postgres")


def computes(model):
    """Whether a model adds or multiplies values."""
    kinds = Ball | HalfSpace | HalfPlane
    return any(isinstance(node, kinds) for node in literals_of(model.body))


def model_of(condition, field):
    body = RuleList((Rule(condition, 1),), 0)
    return Model((field,), ("no", "yes"), body, ((1.0, 2.0), (3.0, 4.0)))


@pytest.mark.parametrize("kind", ["BIGINT", "NUMERIC", "REAL", "DOUBLE PRECISION"])
def test_whole_numbers_above_2_to_the_53_are_rounded_as_in_the_data(postgres, kind):
    numbers = [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3, None]
    model = model_of(Threshold("x", True, 2.0**53), Field("x", "numeric"))
    postgres.execute(f"CREATE TEMP TABLE wide (x {kind})")
    with postgres.cursor() as cursor:
        cursor.executemany("INSERT INTO wide VALUES (%s)", [(number,) for number in numbers])
        stored = cursor.execute("SELECT CAST(x AS DOUBLE PRECISION) FROM wide").fetchall()
        found = cursor.execute(model.to_sql("postgres", table="wide")).fetchall()
    postgres.execute("DROP TABLE wide")
    expected = ["no" if x is None else ("yes", "no")[x <= 2.0**53] for (x,) in stored]
    assert set(expected) == {"yes", "no"} or kind == "REAL"
    assert sorted(row[0] for row in found) == sorted(expected)


def test_texts_of_a_collation_without_case_are_compared_letter_by_letter(postgres):
    postgres.execute(
        "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
    )
    postgres.execute('CREATE TABLE "it\'s ""odd""" (x TEXT COLLATE loose, place INT)')
    texts = [*ODD_TEXTS, "\u00c9", "NORTH", "nUlL"]
    with postgres.cursor() as cursor:
        cursor.executemany(
            'INSERT INTO "it\'s ""odd""" VALUES (%s, %s)',
            [(text, place) for place, text in enumerate(texts)],
        )
        wanted = ODD_TEXTS[::2]
        model = model_of(Category("x", wanted), Field("x", "text", 2))
        query = model.to_sql("postgres", table='it\'s "odd"', keep="place")
        found = dict(row[:2] for row in cursor.execute(query).fetchall())
    postgres.execute('DROP TABLE "it\'s ""odd"""')
    assert found == {n: "yes" if text in wanted else "no" for n, text in enumerate(texts)}


def test_probabilities_are_doubles(postgres):
    model = model_of(Threshold("x", True, 0.1), Field("x", "numeric"))
    query = model.to_sql("postgres", table="one")
    (row,) = postgres.execute(
        f"WITH one AS (SELECT 1 AS x) SELECT * FROM ({query.strip()[:-1]}) AS q"
    )
    assert row[2] == model.probabilities[0][1]
    assert not isinstance(row[2], Decimal)


def test_a_sum_beyond_the_doubles_stops_the_query_in_postgres(postgres):
    """PostgreSQL has no infinite sums of finite numbers: it gives no answer, not a wrong one."""
    errors = pytest.importorskip("psycopg.errors")
    fields = (Field("x", "numeric"), Field("y", "numeric"))
    body = RuleList((Rule(HalfPlane(("x", "y"), (1.0, 1.0), 0.0, True), 1),), 0)
    model = Model(fields, ("no", "yes"), body, ((1.0, 2.0), (3.0, 4.0)))
    postgres.execute("CREATE TEMP TABLE huge AS SELECT 1.7e308::float8 AS x, 1.7e308::float8 AS y")
    with pytest.raises(errors.NumericValueOutOfRange, match="overflow"):
        postgres.execute(model.to_sql("postgres", table="huge"))
    postgres.execute("DROP TABLE huge")
