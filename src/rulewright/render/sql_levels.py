"""Queries in levels: each is a query of the one before it, with more columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sqlglot import exp

from rulewright.render.sql_dialects import Sql

MATERIALIZED = ("sqlite", "postgres")
"""Dialects in which a level can be computed before the next one."""


class ColumnLevels(Protocol):
    """Something to which columns are added that are computed from its own."""

    def has(self, name: str) -> bool:
        """Whether there is a column of this name."""

    def column(self, name: str) -> Sql:
        """Return a column."""

    def add(self, columns: Mapping[str, Sql]) -> None:
        """Add columns that are computed from those that are there."""


class Levels:
    """A query to which columns are added that are computed from its own.

    Each level is a common table expression. Columns have short names of their own, so that no name
    of the table can be mistaken for one.
    """

    def __init__(self, dialect: str, source: Sql, columns: Mapping[str, Sql]) -> None:
        self._dialect = dialect
        known = dict(columns) or {"nothing": exp.Literal.number(1)}
        self._names = list(known)
        self._queries = [exp.select(*_named(known), copy=False).from_(source)]

    def has(self, name: str) -> bool:
        """Whether there is a column of this name."""
        return name in self._names

    def column(self, name: str) -> Sql:
        """Return a column."""
        return exp.column(name, quoted=True)

    def add(self, columns: Mapping[str, Sql]) -> None:
        """Add columns that are computed from those that are there."""
        if columns:
            kept = [self.column(name) for name in self._names]
            self._queries.append(self._select([*kept, *_named(columns)]))
            self._names += columns

    def final(self, expressions: Sequence[Sql]) -> Sql:
        """Return the query of some expressions."""
        query = self._select(expressions)
        # These engines would otherwise put every expression in the place of its column, and
        # expressions of many levels grow beyond measure.
        many = len(self._queries) > 3
        materialized = True if many and self._dialect in MATERIALIZED else None
        for number, level in enumerate(self._queries):
            name = f"level{number + 1}"
            query = query.with_(name, as_=level, materialized=materialized, copy=False)
        if many and self._dialect == "clickhouse":
            query.set("settings", [_eager()])
        return query

    def _select(self, expressions: Sequence[Sql]) -> Sql:
        """Return a query of the last level."""
        return exp.select(*expressions, copy=False).from_(f"level{len(self._queries)}")


def _named(columns: Mapping[str, Sql]) -> list[Sql]:
    return [exp.alias_(expression, name, quoted=True) for name, expression in columns.items()]


def _eager() -> Sql:
    """Return the setting that lets ClickHouse compute every branch of a CASE.

    By default it delays branches, and computes what several of them share once for each of them:
    the time of a vote is then exponential in its levels.
    """
    setting = exp.column("short_circuit_function_evaluation")
    return exp.EQ(this=setting, expression=exp.Literal.string("disable"))
