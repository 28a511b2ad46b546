"""Sizes of fitted classifiers: rules and tests where there are any, else other parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier


@dataclass(frozen=True)
class ModelSize:
    """Size of a fitted model.

    Attributes
    ----------
    rules, literals : int or None
        Rules and tests of a model that can be read; None for others.
    parts : int or None
        Tests, weights, support vectors or stored rows: what a person would have to read.
    """

    rules: int | None = None
    literals: int | None = None
    parts: int | None = None


def model_size(estimator: Any) -> ModelSize:
    """Size of a fitted estimator of this library or of scikit-learn."""
    inner = _innermost(estimator)
    if hasattr(inner, "model_") and hasattr(inner.model_, "body"):
        literals = inner.model_.body.literals
        return ModelSize(_rules(inner), literals, literals)
    if hasattr(inner, "tree_"):
        tests = int(inner.tree_.node_count - inner.tree_.n_leaves)
        return ModelSize(int(inner.tree_.n_leaves), tests, tests)
    if isinstance(inner, DummyClassifier):
        return ModelSize(0, 0, 0)
    return ModelSize(parts=_parts(inner))


def _innermost(estimator: Any) -> Any:
    """The classifier inside pipelines and searches."""
    while True:
        if hasattr(estimator, "best_estimator_") and not hasattr(estimator, "model_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator


def _rules(estimator: Any) -> int:
    """Number of rules, leaves or lines of the chosen model."""
    for entry in estimator.path_:
        if entry.model is estimator.model_ or entry.model == estimator.model_:
            return int(entry.size)
    return len(estimator.model_.rules)


def _parts(estimator: Any) -> int | None:
    if hasattr(estimator, "support_vectors_"):
        return len(estimator.support_vectors_)
    if hasattr(estimator, "coef_"):
        return int(np.count_nonzero(estimator.coef_))
    if hasattr(estimator, "coefs_"):
        return int(sum(weights.size for weights in estimator.coefs_))
    if hasattr(estimator, "feature_log_prob_"):
        return int(estimator.feature_log_prob_.size)
    if hasattr(estimator, "n_samples_fit_"):
        return int(estimator.n_samples_fit_)
    if hasattr(estimator, "_predictors"):
        trees = [tree for group in estimator._predictors for tree in group]
        return int(sum((~tree.nodes["is_leaf"].astype(bool)).sum() for tree in trees))
    members = getattr(estimator, "estimators_", None)
    if members is not None:
        sizes = [model_size(member).parts for member in np.ravel(np.array(members, dtype=object))]
        return None if None in sizes else sum(size for size in sizes if size is not None)
    return None
