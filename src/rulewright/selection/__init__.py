"""Selection: choosing among fitted models.

By certificate: a compression bound holds for all classifiers at once, so penalties and sizes may be
chosen by it at no cost, and what the reconstruction depends on is paid for in the message. For a
split certificate the candidates of all settings are one pool, whose prior pays for the choice. By
cross-validation and by rows held out, for comparison. Here are also the automatic choice among all
learners, and certificates for any scikit-learn classifier. May import: learners and below.
"""

__all__ = [
    "LEARNERS",
    "PENALTIES",
    "AutoClassifier",
    "AutoSettings",
    "BoundSearch",
    "CertifiedClassifier",
    "EstimatorCertificate",
    "GreedyRun",
    "GridSettings",
    "MachineGrid",
    "Tried",
    "best_by_certificate",
    "certify",
    "choices",
    "cost_sentence",
    "error_sentence",
    "folds_of",
    "front_figure",
    "make_runs",
    "model_costs",
    "nested_cross_validation",
    "run_recipe",
    "run_recipe_lazily",
    "run_regression_recipe",
    "standard_runs",
]

from typing import TYPE_CHECKING, Any

from rulewright.selection.auto import AutoSettings
from rulewright.selection.certified_costs import (
    cost_sentence,
    error_sentence,
    model_costs,
)
from rulewright.selection.choosing import GreedyRun, Tried, best_by_certificate, choices, make_runs
from rulewright.selection.front_plot import front_figure
from rulewright.selection.grid_settings import GridSettings
from rulewright.selection.machine_grid import MachineGrid
from rulewright.selection.recipes import (
    LEARNERS,
    run_recipe,
    run_recipe_lazily,
    run_regression_recipe,
)
from rulewright.selection.standard import PENALTIES, standard_runs

if TYPE_CHECKING:
    from rulewright.selection.auto_estimator import AutoClassifier
    from rulewright.selection.bound_search import BoundSearch
    from rulewright.selection.certified import CertifiedClassifier, certify
    from rulewright.selection.estimator_certificate import EstimatorCertificate
    from rulewright.selection.nesting import nested_cross_validation
    from rulewright.selection.testing import folds_of

# What needs scikit-learn is imported when it is first asked for.
LATER = {
    "AutoClassifier": "rulewright.selection.auto_estimator",
    "BoundSearch": "rulewright.selection.bound_search",
    "CertifiedClassifier": "rulewright.selection.certified",
    "EstimatorCertificate": "rulewright.selection.estimator_certificate",
    "certify": "rulewright.selection.certified",
    "folds_of": "rulewright.selection.testing",
    "nested_cross_validation": "rulewright.selection.nesting",
}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(LATER[name]), name)
