"""The form ``sql``: its options, and the text of an expression, a query or a view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast, get_args

from rulewright.errors import InputError
from rulewright.render.code_writing import comment_text
from rulewright.render.export_programs import ExportedModel, check_line, program_of

Shape = Literal["select", "view", "table", "expression", "function"]
What = Literal["prediction", "rule", "probability", "reason"]
RESULTS: tuple[str, ...] = get_args(What)
DIALECTS = (
    *("duckdb", "sqlite", "postgres", "mysql", "spark"),
    *("snowflake", "bigquery", "tsql", "clickhouse"),
)
OTHER_NAMES = {"databricks": "spark"}
"""Databases that read the SQL of another dialect."""
MAX_NAME_LENGTHS = {"postgres": 63, "mysql": 64, "tsql": 128, "snowflake": 255, "bigquery": 300}
"""Maximum length of a name: in bytes in PostgreSQL, which cuts longer ones, or in letters."""


def sql_export(
    model: ExportedModel,
    *,
    dialect: str = "duckdb",
    shape: str = "select",
    table: str = "data",
    schema: str = "",
    view: str = "predictions",
    what: str = "prediction",
    keep: str | Sequence[str] = "",
    probabilities: bool = False,
    reasons: bool = True,
) -> str:
    """Write a model as SQL.

    Parameters
    ----------
    model : ExportedModel
    dialect : str, default="duckdb"
        duckdb, sqlite, postgres, mysql, spark (or databricks), snowflake, bigquery, tsql or
        clickhouse.
    shape : {"select", "view", "table", "expression", "function"}, default="select"
        A query of a table, the statement that creates a view or a table of this query, an
        expression of the table's columns, or the statement that creates a function of them.
    table, schema : str
        Name of the table, and of its schema if one is needed. A name is taken as it is.
    view : str, default="predictions"
        Name of the view, table or function that is created.
    what : {"prediction", "rule", "probability", "reason"}, default="prediction"
        What an expression or a function gives.
    keep : str or sequence of str
        Columns of the table that the query or view has too.
    probabilities : bool, default=False
        Whether there is a column for the probability of each class: probability_1, and so on.
    reasons : bool, default=True
        Whether there is a column for the condition of the rule that answers.
    """
    dialect = OTHER_NAMES.get(dialect, dialect)
    _check_choice("dialect", dialect, DIALECTS)
    _check_choice("shape", shape, get_args(Shape))
    _check_choice("what", what, RESULTS)
    # sqlglot takes a fifth of a second to import, and few programs need it.
    from rulewright.render.sql_export import SqlExport  # noqa: PLC0415

    program = program_of(model, reasons=reasons or what == "reason")
    writer = SqlExport(program, dialect)
    if shape == "expression":
        text = writer.expression_text(cast(What, what))
    elif shape == "function":
        text = writer.function_text(view, cast(What, what))
    else:
        kept = [keep] if isinstance(keep, str) and keep else list(keep)
        created = None if shape == "select" else (shape.upper(), view)
        text = writer.query_text(table, schema, kept, probabilities, created)
    head = [*program.head, check_line("sql"), f"Dialect: {dialect}."]
    special = "$" if dialect == "spark" else ""  # Spark replaces variables in comments too
    comment = "".join(f"-- {comment_text(line, special)}\n" for line in head)
    return f"{comment}{text}\n"


def _check_choice(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InputError(f"{name} must be one of {', '.join(known)}; got {value!r}.")
