"""Queries of columns in memory, by the name of the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rulewright.data.columns import Column

DatabaseName = Literal["duckdb", "sqlite"]


def query_columns(
    database: DatabaseName, columns: Sequence[Column], rows: int, key: str, query: str
) -> list[tuple[Any, ...]]:
    """Run a query of the table ``rows``, which holds some columns and the row number ``key``.

    Only here are the databases imported, which takes long.
    """
    from rulewright.data.database_queries import query_duckdb_or_sqlite  # noqa: PLC0415

    return query_duckdb_or_sqlite(database, columns, rows, key, query)
