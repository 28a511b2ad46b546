"""Criteria: quality of predicates and rules from counts of the examples they cover.

A criterion is a vectorised function of counts; higher is better. It cites its equation. An impurity
is a function of the class counts of a set; lower is purer. The gain of a split of a tree is the
decrease of impurity. Neither sees data, a model or a learner. May import: errors.
``Filters`` select acceptable rules, ``optimistic`` bounds the score of any specialisation of a
rule, ``one_sided`` negates the score of rules that are worse than chance.
To add a criterion, write the function of ``p, n, P, N`` and enter it in ``CRITERIA``; the shared
tests find it there, and check whether it is ``MONOTONE``.
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
    "conditional_entropy",
    "correlation",
    "entropy",
    "fisher",
    "foil_gain",
    "gain_ratio",
    "gini",
    "impurity_entropy",
    "impurity_error",
    "impurity_gini",
    "laplace",
    "linear_cost",
    "m_estimate",
    "mutual_information",
    "normalised_gain",
    "one_sided",
    "optimistic",
    "p_value",
    "precision",
    "ratio",
    "relative_accuracy",
    "smoothed_gain",
    "split_errors",
    "surprise",
    "table",
    "wracc",
]

from rulewright.criteria.comparison import ComparisonTable, table
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
from rulewright.criteria.gain_ratios import gain_ratio, normalised_gain
from rulewright.criteria.impurity import impurity_entropy, impurity_error, impurity_gini
from rulewright.criteria.information import (
    conditional_entropy,
    mutual_information,
    smoothed_gain,
    split_errors,
    surprise,
)
from rulewright.criteria.sides import MONOTONE, TWO_SIDED, one_sided, optimistic
