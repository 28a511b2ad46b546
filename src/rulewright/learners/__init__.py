"""Learners: how predicates are chosen and arranged.

A learner is two things: a search, a plain function that reads like its paper and knows nothing of
scikit-learn, and an estimator, which validates, codes labels once, searches, and decodes once.
May import: models, families, render and below.
To add one: write the search, subclass ``RuleClassifier`` with a ``_search``, and enter the class in
``LEARNERS``; the shared tests find it there.
"""

__all__ = [
    "CONVERSIONS",
    "LEARNERS",
    "DecisionListMachine",
    "RipperClassifier",
    "RuleListClassifier",
    "RuleVoteClassifier",
    "SetCoveringMachine",
    "SlipperClassifier",
    "TreeClassifier",
    "TreeRegressor",
    "TreeRulesClassifier",
    "from_sklearn",
]

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulewright.learners.conjunctive.rule_list import RuleListClassifier
    from rulewright.learners.conjunctive.rule_vote import RuleVoteClassifier
    from rulewright.learners.dlm.estimator import DecisionListMachine
    from rulewright.learners.ripper.estimator import RipperClassifier
    from rulewright.learners.scm.estimator import SetCoveringMachine
    from rulewright.learners.slipper.estimator import SlipperClassifier
    from rulewright.learners.tree.estimator import TreeClassifier
    from rulewright.learners.tree.from_sklearn import from_sklearn
    from rulewright.learners.tree.regressor import TreeRegressor
    from rulewright.learners.tree_rules.estimator import TreeRulesClassifier

# Estimators live behind names: importing scikit-learn takes longer than many a whole fit, and the
# command line does without it.
LEARNERS = {
    "SetCoveringMachine": "rulewright.learners.scm.estimator",
    "DecisionListMachine": "rulewright.learners.dlm.estimator",
    "RuleListClassifier": "rulewright.learners.conjunctive.rule_list",
    "RuleVoteClassifier": "rulewright.learners.conjunctive.rule_vote",
    "RipperClassifier": "rulewright.learners.ripper.estimator",
    "SlipperClassifier": "rulewright.learners.slipper.estimator",
    "TreeClassifier": "rulewright.learners.tree.estimator",
    "TreeRegressor": "rulewright.learners.tree.regressor",
    "TreeRulesClassifier": "rulewright.learners.tree_rules.estimator",
}
CONVERSIONS = {"from_sklearn": "rulewright.learners.tree.from_sklearn"}
"""Models of what others have learnt."""


def __getattr__(name: str) -> Any:
    places = LEARNERS | CONVERSIONS
    if name not in places:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(places[name]), name)
