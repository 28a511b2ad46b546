"""What a reader of a certificate should be told besides."""

from __future__ import annotations

from rulewright.data import CategoricalColumn, Table
from rulewright.models.model import Model

DOUBTFUL = 0.02
"""Where more new cases than this show an unseen category, not all can have been known."""


def cautions(model: Model, training: Table) -> list[str]:
    """Say where the model rests on categories that training can hardly have shown all of.

    A certificate counts the categories of a column as known beforehand. The more of them are seen
    once only, the more there must be that were not seen.
    """
    said = []
    for name in model.body.columns:
        column = training.column(name)
        if not isinstance(column, CategoricalColumn) or column.unseen_share() <= DOUBTFUL:
            continue
        said.append(
            f"Column {name!r} has {len(column.categories)} categories in {training.rows} rows, so "
            f"about {100 * column.unseen_share():.0f} % of new cases will show one that training "
            "did not. The certificate counts all categories as known beforehand: do not rely on it "
            "here, but leave the column out or merge its rare categories."
        )
    return said
