"""Figure of the certified front: the bound of each size of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rulewright.certificates import PathEntry
from rulewright.learners import certified_cost
from rulewright.models import Model
from rulewright.render import path_figure
from rulewright.rules import ABSTAIN


def training_cost(model: Model, costs: Sequence[float]) -> float:
    """Return the average cost of a training example, by weight."""
    evidence = np.array(model.evidence)
    price = np.tile(costs, (len(evidence), 1))
    outputs = np.array(model.body.outputs)
    answered = np.flatnonzero(outputs != ABSTAIN)  # an abstention is an error, whatever the class
    price[answered, outputs[answered]] = 0.0
    return float((evidence * price).sum() / evidence.sum())


def front_figure(
    front: Sequence[PathEntry], costs: Sequence[float] | None = None, ax: Any = None
) -> Any:
    """Plot the certified and the training error, or cost, of each size.

    Parameters
    ----------
    front : sequence of PathEntry
    costs : sequence of float, optional
        Cost of misclassifying a case of each class.
    ax : matplotlib's Axes, optional

    Returns
    -------
    matplotlib's Axes
    """
    prices = [1.0] * len(front[0].model.classes) if costs is None else costs
    return path_figure(
        [entry.size for entry in front],
        [training_cost(entry.model, prices) for entry in front],
        [certified_cost(entry.certificate, costs) for entry in front],
        delta=front[0].certificate.delta,
        costs=costs is not None,
        ax=ax,
    )
