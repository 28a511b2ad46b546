"""Rulewright: classifiers that people can read, each with a certificate of its error.

>>> from rulewright import SetCoveringMachine
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulewright.certificates import load_front, load_model, save_model
    from rulewright.experiments import compare
    from rulewright.learners import (
        DecisionListMachine,
        RipperClassifier,
        RuleListClassifier,
        RuleVoteClassifier,
        ScorecardClassifier,
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
    "ScorecardClassifier",
    "SetCoveringMachine",
    "SlipperClassifier",
    "TreeClassifier",
    "TreeRegressor",
    "TreeRulesClassifier",
    "__version__",
    "certify",
    "compare",
    "from_sklearn",
    "load_front",
    "load_model",
    "save_model",
]


def __getattr__(name: str) -> Any:
    # Names are imported on first use: NumPy, DuckDB and scikit-learn take most of a start.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    packages = {
        "AutoClassifier": "rulewright.selection",
        "BoundSearch": "rulewright.selection",
        "load_front": "rulewright.certificates",
        "load_model": "rulewright.certificates",
        "save_model": "rulewright.certificates",
        "CertifiedClassifier": "rulewright.selection",
        "certify": "rulewright.selection",
        "compare": "rulewright.experiments",
    }
    return getattr(import_module(packages.get(name, "rulewright.learners")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
