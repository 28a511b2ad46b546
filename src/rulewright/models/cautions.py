"""What a reader of a certificate should be told besides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Table
from rulewright.models.exchangeability import order_cautions
from rulewright.models.model import Model

DOUBTFUL = 0.02
"""Where more new cases than this show an unseen category, not all can have been known."""


def cautions(model: Model, training: Table, y: NDArray[np.int32]) -> tuple[str, ...]:
    """Say what speaks against relying on a certificate of this model from these rows.

    That the model rests on categories which training can hardly have shown all of, and that the
    rows look ordered in time or by class.
    """
    wrong = model.body.classify(training) != y
    ordered = order_cautions(training, y, wrong, model.classes)
    return (*category_cautions(model, training), *ordered)


def category_cautions(model: Model, training: Table) -> list[str]:
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
