"""Tables and figures of the papers, computed again and shown beside the published numbers.

A module with the name of an experiment has its published numbers, its cells and its page. Modules
of cells import scikit-learn, and are imported when a cell runs.
"""

__all__ = [
    "C50_PACKAGE",
    "STAND_IN",
    "Dlm",
    "DlmTable1",
    "RulePoint",
    "ScFigures",
    "ScTable",
    "Scm",
    "ScmTable1",
    "ScmTable2",
    "Svm",
    "cross_validation",
    "half_space_bounds",
    "learners",
    "optimal_errors",
    "rule_errors",
    "rule_points",
    "selected_machine",
    "two_best",
    "typed_subsets",
]

from typing import TYPE_CHECKING, Any

from rulewright.experiments.published.dlm_table1 import DlmTable1
from rulewright.experiments.published.machines import Dlm, Scm, Svm, cross_validation
from rulewright.experiments.published.rule_learners import C50_PACKAGE, STAND_IN, learners
from rulewright.experiments.published.sc_figures import ScFigures
from rulewright.experiments.published.sc_table import ScTable, two_best
from rulewright.experiments.published.scm_table1 import ScmTable1
from rulewright.experiments.published.scm_table2 import ScmTable2, optimal_errors

if TYPE_CHECKING:
    from rulewright.experiments.published.bound_cells import half_space_bounds, typed_subsets
    from rulewright.experiments.published.point_cells import RulePoint, rule_points
    from rulewright.experiments.published.rule_cells import rule_errors
    from rulewright.experiments.published.selection_cells import selected_machine

# What needs scikit-learn is imported when it is first asked for.
LATER = {
    "RulePoint": "point_cells",
    "half_space_bounds": "bound_cells",
    "rule_errors": "rule_cells",
    "rule_points": "point_cells",
    "selected_machine": "selection_cells",
    "typed_subsets": "bound_cells",
}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
