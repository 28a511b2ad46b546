"""decision_function for the estimators whose models vote."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rulewright.data import Table
from rulewright.models import Model
from rulewright.rules import RuleVote

MARGIN = 1e-9


class VotingMixin:
    """Adds ``decision_function`` to an estimator whose model is a vote."""

    model_: Model

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the votes of each row for each class; for two classes, the second less the first.

        ``predict`` answers with the class of the largest value, and for two classes with the second
        where the value is above 0. A class that no rule votes for counts as 0. Where no rule votes
        at all, values are half the logarithms of the probabilities, which votes estimate.

        Returns
        -------
        array of shape (rows,) for two classes, otherwise (rows, classes)
        """
        check_is_fitted(self)
        values = class_votes(self.model_, self._new_table(X))  # type: ignore[attr-defined]
        return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values


def class_votes(model: Model, table: Table) -> NDArray[np.float64]:
    """Votes for each class (columns) on each row, all finite; the largest is the answer's."""
    assert isinstance(model.body, RuleVote)
    votes = model.body.votes(table, len(model.classes))
    silent = np.isneginf(votes)
    values = np.where(silent, 0.0, votes)
    unheard = silent.all(axis=1)
    values[unheard] = np.log(model.probabilities[-1]) / 2
    # A class without votes never wins, even against votes below 0.
    rows = np.flatnonzero(~unheard & (values.argmax(axis=1) != votes.argmax(axis=1)))
    values[rows, votes[rows].argmax(axis=1)] = values[rows].max(axis=1) + MARGIN
    return values
