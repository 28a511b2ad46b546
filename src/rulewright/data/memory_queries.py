"""Queries of columns in memory. DuckDB, which takes long to import, is imported by the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rulewright.data.columns import Column

DatabaseName = Literal["duckdb", "sqlite"]


def query_columns(
    database: DatabaseName, columns: Sequence[Column], rows: int, key: str, query: str
) -> list[tuple[Any, ...]]:
    """Run a query of the table ``rows``, which holds some columns and the row number ``key``."""
    from rulewright.data.database_queries import run_query  # noqa: PLC0415

    return run_query(database, columns, rows, key, query)
