"""The off-the-shelf card: nine criteria of S. A. Macskassy's lecture 6, measured for every learner.

The criteria are those of T. Hastie, R. Tibshirani and J. Friedman (2001), The Elements of
Statistical Learning, table 10.1.
"""

__all__ = [
    "BAYES",
    "FORMS",
    "LEARNERS",
    "LECTURE",
    "VERDICTS",
    "Measured",
    "changed",
    "changed_table",
    "made",
    "missing_cells",
    "mixed_table",
    "mixed_types",
    "model_size",
    "verdict",
]

from importlib import import_module
from typing import Any

# Imported when first asked for: some need scikit-learn.
LATER = {
    "BAYES": "tables",
    "FORMS": "tables",
    "LEARNERS": "card",
    "LECTURE": "verdicts",
    "VERDICTS": "verdicts",
    "Measured": "verdicts",
    "changed": "tables",
    "changed_table": "measuring",
    "made": "measuring",
    "missing_cells": "measuring",
    "mixed_table": "tables",
    "mixed_types": "measuring",
    "model_size": "measuring",
    "verdict": "verdicts",
}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
