"""The constant answer: no learner keeps a model that loses more on the training rows.

A constant is one more candidate of every search, as the rule without terms is. It has the shortest
message of all, so its certificate holds like those of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry
from rulewright.models import Model

Floats = NDArray[np.float64]
Costs = Sequence[Fraction] | Floats | None
"""Cost of misjudging each class, or of answering each class (rows) with each class (columns)."""

ROUNDING = 1e-9


def cost_matrix(costs: Costs, classes: int) -> Floats:
    """Cost of answering an example of each class (rows) with each class (columns).

    Examples
    --------
    >>> cost_matrix([Fraction(5), Fraction(1)], 2).tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    """
    if isinstance(costs, np.ndarray) and costs.ndim == 2:
        return costs
    by_class = np.ones(classes) if costs is None else np.array([float(cost) for cost in costs])
    matrix: Floats = by_class[:, np.newaxis] * (1 - np.eye(classes))
    return matrix


def loses_more(model: Model, costs: Costs = None) -> bool:
    """Whether a model loses more on its training rows than the best constant answer would.

    The model answers every row.
    """
    evidence = np.array(model.evidence)
    matrix = cost_matrix(costs, evidence.shape[1])
    lost = float((evidence * matrix[:, list(model.body.outputs)].T).sum())
    min_cost = float((evidence.sum(axis=0) @ matrix).min())
    return lost > min_cost * (1 + ROUNDING)


def admissible(path: Sequence[PathEntry], costs: Costs = None) -> list[int]:
    """Places on a path of the models that lose no more than the best constant answer."""
    return [place for place, entry in enumerate(path) if not loses_more(entry.model, costs)]
