"""Errors of rule lists and trees that differ in their criterion only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rulewright.datasets import load
from rulewright.experiments.cells import cell_function
from rulewright.experiments.folds import make_folds
from rulewright.learners import RuleListClassifier, TreeClassifier

SEED = 0


@cell_function
def criterion_errors(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Share of wrong answers and number of literals over the folds of a table."""
    dataset = load(parameters["table"])
    folds = make_folds(dataset.y, folds=parameters["folds"], seed=SEED)
    wrong, literals = 0, []
    for fold in folds:
        estimator = _estimator(parameters["learner"], parameters["criterion"])
        estimator.fit(dataset.table.take(fold.train), dataset.y[fold.train])
        answers = estimator.predict(dataset.table.take(fold.test))
        wrong += int((answers != dataset.y[fold.test]).sum())
        literals.append(estimator.model_.body.literals)
    return {"error": wrong / dataset.y.size, "literals": float(np.mean(literals))}


def _estimator(learner: str, criterion: str) -> Any:
    if learner == "rule-list":
        return RuleListClassifier(criterion=criterion, certificate=None)
    return TreeClassifier(criterion=criterion, pruning="pessimistic", certificate=None)
