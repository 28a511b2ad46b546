"""Functions in a database: statements that create one of an expression of SQL."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from rulewright.data import Field
from rulewright.errors import UnrenderableError
from rulewright.render.programs import ModelProgram
from rulewright.render.sql_dialects import Sql, SqlDialect
from rulewright.render.sql_form import What

QUOTED_BODY = ("postgres", "snowflake")
"""Dialects in which the body of a function is a text."""

TYPED = (*QUOTED_BODY, "spark", "bigquery")

MOMENT_TYPES = {
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "instant": "TIMESTAMPTZ",
    "duration": "INTERVAL",
}


def function_statement(
    program: ModelProgram, dialect: SqlDialect, name: str, what: What, body: Sql
) -> Sql:
    """Return the statement that creates a function of the columns of a program.

    Parameters
    ----------
    program : ModelProgram
    dialect : SqlDialect
    name : str
        Name of the function.
    what : {"prediction", "rule", "probability", "reason"}
        What it gives.
    body : expression of sqlglot
        The same as an expression of the columns.
    """
    arguments = [dialect.identifier(field.name) for field in program.inputs]
    named = exp.Table(this=dialect.identifier(name))
    if dialect.name == "clickhouse":
        function = exp.Lambda(this=body, expressions=arguments)
        return exp.Create(this=named, kind="FUNCTION", expression=function)
    if dialect.name == "duckdb":
        signature = exp.UserDefinedFunction(this=named, expressions=arguments, wrapped=True)
        return exp.Create(this=signature, kind="MACRO", expression=body)
    if dialect.name not in TYPED:
        raise UnrenderableError(
            f"{dialect.name} has no function of one expression that is written here. Use "
            "shape='view', or put shape='expression' into a query of yours."
        )
    typed = [
        exp.ColumnDef(this=argument, kind=exp.DataType.build(_argument_type(field)))
        for argument, field in zip(arguments, program.inputs, strict=True)
    ]
    signature = exp.UserDefinedFunction(this=named, expressions=typed, wrapped=True)
    result = exp.DataType.build(_result_type(program, what))
    return exp.Create(
        this=signature,
        kind="FUNCTION",
        expression=_body(dialect, body),
        properties=exp.Properties(expressions=_properties(dialect, result)),
    )


def _body(dialect: SqlDialect, body: Sql) -> Sql:
    if dialect.name == "spark":
        return exp.Return(this=body)
    if dialect.name == "bigquery":
        return exp.Paren(this=body)
    query = exp.select(body, copy=False) if dialect.name == "postgres" else body
    return exp.Literal.string(query.sql(dialect=dialect.name))


def _properties(dialect: SqlDialect, result: Any) -> list[Any]:
    properties: list[Any] = [exp.ReturnsProperty(this=result, is_table=False)]
    if dialect.name == "postgres":
        properties += [
            exp.LanguageProperty(this=exp.Var(this="SQL")),
            exp.StabilityProperty(this=exp.Literal.string("IMMUTABLE")),
        ]
    return properties


def _argument_type(field: Field) -> str:
    if field.moment is not None:
        return MOMENT_TYPES[field.moment]
    if field.is_numeric:
        return "DOUBLE"
    return "BOOLEAN" if field.kind == "boolean" else "TEXT"


def _result_type(program: ModelProgram, what: What) -> str:
    if what in ("rule", "probability"):
        return "BIGINT" if what == "rule" else "DOUBLE"
    labels = () if what == "reason" else tuple(program.labels[o] for o in program.outputs)
    for kind, name in ((bool, "BOOLEAN"), (int, "BIGINT"), (int | float, "DOUBLE")):
        if labels and all(isinstance(label, kind) for label in labels):
            return name
    return "TEXT"
