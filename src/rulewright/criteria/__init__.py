"""Criteria: how good a predicate is, from what it covers.

A criterion is a function of counts, vectorised, higher is better; it cites its equation. An
impurity is a function of the class counts of a set, lower is purer: what a split of a tree takes
away of it is the split's worth. Neither sees data, a model or a learner. May import: errors.
Filters say which rules are worth having at all, ``optimistic`` what a score can become when a rule
is narrowed, ``one_sided`` on which side of chance it lies.
To add a criterion: write the function of ``p, n, P, N`` and enter it in ``CRITERIA``; the shared
tests find it there, and say whether it is ``MONOTONE``.
"""

__all__ = [
    "CRITERIA",
    "MONOTONE",
    "TWO_SIDED",
    "ComparisonTable",
    "Filters",
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
    "one_sided",
    "optimistic",
    "p_value",
    "precision",
    "ratio",
    "relative_accuracy",
    "table",
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
from rulewright.criteria.filters import Filters, p_value
from rulewright.criteria.impurity import impurity_entropy, impurity_error, impurity_gini
from rulewright.criteria.sides import MONOTONE, TWO_SIDED, one_sided, optimistic
from rulewright.criteria.tables import ComparisonTable, table
