"""Experiments: tables and figures that are computed cell by cell, and can be interrupted.

An experiment is a list of cells, each a call of a registered function with JSON parameters, and a
page that is made from their results. ``run_cells`` keeps every finished cell in a ``ResultStore``,
so a run that was killed goes on where it was. May import: selection, learners and below.
To add one: a module with a subclass of ``Experiment``, and a line in ``registry.py``;
``rulewright reproduce`` finds it there.
"""

__all__ = [
    "BASELINES",
    "CELL_FUNCTIONS",
    "EXPERIMENTS",
    "MACHINE_TABLES",
    "MARKDOWN_MARK",
    "RULE_TABLES",
    "Baseline",
    "Cell",
    "CellProgress",
    "Comparison",
    "Experiment",
    "Figure",
    "FitRecord",
    "FitRecorder",
    "Fold",
    "LeakError",
    "Listing",
    "MachineTable",
    "OffTheShelf",
    "Paragraph",
    "Result",
    "ResultColumn",
    "ResultPage",
    "ResultTable",
    "RuleTable",
    "TableEncoder",
    "baseline",
    "cell_function",
    "code_key",
    "compare",
    "complete_rows",
    "contradictory_rows",
    "corrected_test",
    "files_key",
    "held_out_fold",
    "holm",
    "known_names",
    "machine_table",
    "make_folds",
    "number_codes",
    "rule_table",
    "run_cells",
    "time_folds",
]

from typing import TYPE_CHECKING, Any

from rulewright.experiments.card.card import OffTheShelf
from rulewright.experiments.cells import (
    CELL_FUNCTIONS,
    Cell,
    Result,
    cell_function,
    code_key,
    files_key,
)
from rulewright.experiments.experiment import Experiment
from rulewright.experiments.pages import (
    MARKDOWN_MARK,
    Figure,
    Listing,
    Paragraph,
    ResultColumn,
    ResultPage,
    ResultTable,
)
from rulewright.experiments.preparation import (
    MACHINE_TABLES,
    RULE_TABLES,
    MachineTable,
    RuleTable,
    complete_rows,
    contradictory_rows,
    machine_table,
    number_codes,
    rule_table,
)
from rulewright.experiments.registry import EXPERIMENTS
from rulewright.experiments.runner import CellProgress, run_cells

if TYPE_CHECKING:
    from rulewright.experiments.baselines import BASELINES, Baseline, baseline
    from rulewright.experiments.comparison.comparison import Comparison, compare
    from rulewright.experiments.comparison.entrants import known_names
    from rulewright.experiments.comparison.paired_tests import corrected_test, holm
    from rulewright.experiments.folds import (
        FitRecord,
        FitRecorder,
        Fold,
        LeakError,
        held_out_fold,
        make_folds,
        time_folds,
    )
    from rulewright.experiments.table_encoder import TableEncoder

# What needs scikit-learn is imported when it is first asked for.
LATER = {
    "BASELINES": "baselines",
    "Baseline": "baselines",
    "baseline": "baselines",
    "Comparison": "comparison.comparison",
    "compare": "comparison.comparison",
    "corrected_test": "comparison.paired_tests",
    "holm": "comparison.paired_tests",
    "known_names": "comparison.entrants",
    "FitRecord": "folds",
    "FitRecorder": "folds",
    "Fold": "folds",
    "LeakError": "folds",
    "held_out_fold": "folds",
    "make_folds": "folds",
    "time_folds": "folds",
    "TableEncoder": "table_encoder",
}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(f"rulewright.experiments.{LATER[name]}"), name)
