"""Rulewright: classifiers that people can read, each with a certificate of its error.

>>> from rulewright import SetCoveringMachine
"""

from typing import TYPE_CHECKING, Any

from rulewright.certificates import load_model, save_model
from rulewright.learners import CONVERSIONS, ESTIMATORS

if TYPE_CHECKING:
    from rulewright.learners import (
        DecisionListMachine,
        RipperClassifier,
        RuleListClassifier,
        RuleVoteClassifier,
        SetCoveringMachine,
        SlipperClassifier,
        TreeClassifier,
        TreeRegressor,
        TreeRulesClassifier,
        from_sklearn,
    )
    from rulewright.selection import AutoClassifier, BoundSearch, CertifiedClassifier, certify

__version__ = "0.1.0"
__all__ = [
    "AutoClassifier",
    "BoundSearch",
    "CertifiedClassifier",
    "DecisionListMachine",
    "RipperClassifier",
    "RuleListClassifier",
    "RuleVoteClassifier",
    "SetCoveringMachine",
    "SlipperClassifier",
    "TreeClassifier",
    "TreeRegressor",
    "TreeRulesClassifier",
    "__version__",
    "certify",
    "from_sklearn",
    "load_model",
    "save_model",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module  # noqa: PLC0415

    places = {
        "AutoClassifier": "rulewright.selection",
        "BoundSearch": "rulewright.selection",
        "CertifiedClassifier": "rulewright.selection",
        "certify": "rulewright.selection",
        **dict.fromkeys([*ESTIMATORS, *CONVERSIONS], "rulewright.learners"),
    }
    if name not in places:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(places[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
