"""Cautions about a model whose rows stay in an engine, from counts."""

from __future__ import annotations

from rulewright.certificates.counted_order import OrderedCounts
from rulewright.certificates.model_cautions import unseen_category_caution
from rulewright.data import LazyTable
from rulewright.models import Model

NO_ORDER = (
    "Whether classes or errors change along the rows was not examined, since rows in an engine "
    "have no order: name a column of their order, such as a date, as order_by. Repeated rows were "
    "not examined either, which needs the rows in memory."
)
ORDER_OF_ROWS = (
    "order_by is for a lazy frame, whose rows have no order. Rows in memory are examined in their "
    "own order: sort them by the column, and leave order_by out."
)
NOT_REPEATED = "Repeated rows were not examined, which needs the rows in memory."


def not_examined(order_by: str | None) -> str:
    """Return what counts cannot tell of the rows, or what a column of their order is needed for."""
    return NO_ORDER if order_by is None else NOT_REPEATED


def counted_category_cautions(model: Model, table: LazyTable) -> list[str]:
    """Return cautions about columns whose categories training can hardly have shown all."""
    found = []
    for name in model.body.columns:
        counts = table.category_counts.get(name)
        if counts is not None:
            unseen = sum(rows == 1 for rows in counts.values()) / table.rows  # Good and Turing
            found.append(unseen_category_caution(name, len(counts), table.rows, unseen))
    return [caution for caution in found if caution]


def counted_order_cautions(model: Model, table: LazyTable, order_by: str | None) -> list[str]:
    """Return cautions about classes or errors that change along a column, if one is named.

    It is a column of the frame, which may be left out of the table.
    """
    if order_by is None:
        return []
    with table.of_columns([order_by, *model.body.columns]) as ordered:
        return OrderedCounts.of(ordered, model, order_by).cautions(tuple(model.classes))
