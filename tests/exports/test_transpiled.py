"""SQL of databases that are not run here: transpiled to DuckDB, it answers as the model does."""

import pytest
import sqlglot
from exports.test_conformance import (
    FILES,
    SECTION,
    any_nodes_differ,
    differing,
    drawn_models,
    loaded,
)
from exports.test_databases import computes
from exports.test_learners import every_learner_differs
from sqlglot import exp

from rulewright.data import query_columns
from rulewright.exports import SqlEngine

DIALECTS = ("mysql", "snowflake", "bigquery", "tsql")
Kind = exp.DataType.Type
BYTES = (Kind.BINARY, Kind.VARBINARY)
DOUBLES = {"mysql": Kind.DOUBLE, "tsql": Kind.FLOAT}
"""Types of doubles in databases whose numbers are never NaN or infinite."""
SHORT = SECTION[::3]


class TranspiledEngine(SqlEngine):
    """DuckDB with queries of another dialect."""

    title = "duckdb"

    def __init__(self, dialect):
        self.dialect = dialect
        self.infinite = self.overflows = dialect not in DOUBLES

    def query(self, columns, rows, key, text):
        tree = sqlglot.parse_one(text, read=self.dialect)
        for cast in list(tree.find_all(exp.Cast)):
            self.say_in_duckdb(cast)
        return query_columns("duckdb", columns, rows, key, tree.sql(dialect="duckdb"))

    def say_in_duckdb(self, cast):
        """Name the type of a cast as DuckDB does where sqlglot names another."""
        kind = cast.to.this
        if kind in BYTES:
            cast.replace(exp.Anonymous(this="ENCODE", expressions=[cast.this]))
        elif kind == Kind.NVARCHAR:
            cast.set("to", exp.DataType.build("TEXT"))
        elif kind == DOUBLES.get(self.dialect):
            cast.set("to", exp.DataType.build("DOUBLE"))
            if isinstance(cast.this, exp.Column):
                nan = exp.cast(exp.Literal.string("NaN"), "DOUBLE")
                cast.replace(exp.Nullif(this=cast.copy(), expression=nan))


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_transpiled_query_answers_hard_rows_as_its_model_does(dialect):
    engine = TranspiledEngine(dialect)
    models = loaded([path for path in FILES if path.stem in SHORT], engine)
    assert len(models) >= len(SHORT) - 2
    assert differing(engine, models, 60) == {}


@pytest.mark.exports
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_transpiled_query_answers_20000_hard_rows_as_its_model_does(dialect):
    engine = TranspiledEngine(dialect)
    models = loaded(FILES, engine)
    assert len(models) >= len(FILES) * 2 // 3
    assert differing(engine, models, 20_000) == {}


@pytest.mark.exports
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_transpiled_query_of_every_learner_and_family_answers_as_its_model_does(dialect):
    assert every_learner_differs(TranspiledEngine(dialect)) == {}


@pytest.mark.exports
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_transpiled_query_of_any_nodes_answers_as_they_do(dialect):
    engine = TranspiledEngine(dialect)
    models = drawn_models(100)
    if not engine.overflows:
        models = {name: model for name, model in models.items() if not computes(model)}
    assert any_nodes_differ(engine, models, 1000) == {}
