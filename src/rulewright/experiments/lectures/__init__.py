"""Worked examples, tables and claims of two lectures, computed again or measured.

S. A. Macskassy (2008), Machine Learning (CS 567), lecture 6, is on classifiers off the shelf and
trees. A. Filchenkov (2018), Machine Learning, lecture 10, is on rules, criteria, trees and forests.
"""

__all__ = [
    "ENSEMBLES",
    "NAMES",
    "GaussianClasses",
    "best_error",
    "contours",
    "criterion_errors",
    "criterion_tests",
    "ensemble_errors",
    "fitted_unit",
    "is_separable",
    "learning_curve",
    "linear_error",
    "rows_saved",
    "tree_rectangles",
    "two_classes",
]

from importlib import import_module
from typing import Any

# Imported when first asked for: some need scikit-learn.
LATER = {
    "ENSEMBLES": "ensemble_cells",
    "NAMES": "linear_units",
    "GaussianClasses": "gaussian_classes",
    "best_error": "linear_cells",
    "contours": "criteria",
    "criterion_tests": "criteria",
    "criterion_errors": "criteria_cells",
    "ensemble_errors": "ensemble_cells",
    "fitted_unit": "linear_cells",
    "is_separable": "tree_cells",
    "learning_curve": "linear_cells",
    "linear_error": "linear_cells",
    "rows_saved": "linear_units",
    "tree_rectangles": "tree_cells",
    "two_classes": "linear_cells",
}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
