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
    from rulewright.learners.conversion import from_sklearn
    from rulewright.learners.dlm import DecisionListMachine
    from rulewright.learners.ripper.classifier import RipperClassifier
    from rulewright.learners.rule_list import RuleListClassifier
    from rulewright.learners.rule_vote import RuleVoteClassifier
    from rulewright.learners.scm import SetCoveringMachine
    from rulewright.learners.slipper.classifier import SlipperClassifier
    from rulewright.learners.tree.classifier import TreeClassifier
    from rulewright.learners.tree.regressor import TreeRegressor
    from rulewright.learners.tree_rules.classifier import TreeRulesClassifier

# Estimators live behind names: importing scikit-learn takes longer than many a whole fit, and the
# command line does without it.
LEARNERS = {
    "SetCoveringMachine": "rulewright.learners.scm",
    "DecisionListMachine": "rulewright.learners.dlm",
    "RuleListClassifier": "rulewright.learners.rule_list",
    "RuleVoteClassifier": "rulewright.learners.rule_vote",
    "RipperClassifier": "rulewright.learners.ripper.classifier",
    "SlipperClassifier": "rulewright.learners.slipper.classifier",
    "TreeClassifier": "rulewright.learners.tree.classifier",
    "TreeRegressor": "rulewright.learners.tree.regressor",
    "TreeRulesClassifier": "rulewright.learners.tree_rules.classifier",
}
CONVERSIONS = {"from_sklearn": "rulewright.learners.conversion"}
"""Models of what others have learnt."""


def __getattr__(name: str) -> Any:
    places = LEARNERS | CONVERSIONS
    if name not in places:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(places[name]), name)
