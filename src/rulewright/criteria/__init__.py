"""Criteria: how good a predicate is, from what it covers.

A criterion is a function of counts, vectorised, higher is better; it cites its equation. An
impurity is a function of the class counts of a set, lower is purer: what a split of a tree takes
away of it is the split's worth. Neither sees data, a model or a learner. May import: errors.
To add a criterion: write the function of ``p, n, P, N`` and enter it in ``CRITERIA``; the shared
tests find it there.
"""

__all__ = [
    "CRITERIA",
    "accuracy",
    "boosting",
    "boosting_normalised",
    "correlation",
    "entropy",
    "fisher",
    "foil_gain",
    "gini",
    "impurity_entropy",
    "impurity_error",
    "impurity_gini",
    "laplace",
    "linear_cost",
    "m_estimate",
    "precision",
    "ratio",
    "relative_accuracy",
    "wracc",
]

from rulewright.criteria.coverage import (
    CRITERIA,
    accuracy,
    boosting,
    boosting_normalised,
    correlation,
    entropy,
    fisher,
    foil_gain,
    gini,
    laplace,
    linear_cost,
    m_estimate,
    precision,
    ratio,
    relative_accuracy,
    wracc,
)
from rulewright.criteria.impurity import impurity_entropy, impurity_error, impurity_gini
