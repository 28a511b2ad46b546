"""Cells of the experiments with conjunctive rules: learners, cross-validated on the same folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import NumericColumn, Table, frame
from rulewright.experiments.baselines import baseline
from rulewright.experiments.cells import cell_function
from rulewright.experiments.folds import Fold, make_folds
from rulewright.experiments.preparation import rule_table
from rulewright.experiments.published.rule_learners import C50_PACKAGE, STAND_IN
from rulewright.learners import (
    RipperClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    SlipperClassifier,
    TreeClassifier,
    TreeRulesClassifier,
)

FOLDS = 10
CRITERION = "boosting_normalised"
PUBLISHED = {"missing_tests": False}
"""As published, these learners do not test whether a value is missing."""

LEARNERS: dict[str, Callable[[int], Any]] = {
    "RIPPER-opt": lambda seed: RipperClassifier(k=0, **PUBLISHED, random_state=seed),
    "RIPPER+opt": lambda seed: RipperClassifier(k=2, **PUBLISHED, random_state=seed),
    "C4.5(Tree)": lambda seed: TreeClassifier(preset="c4.5", **PUBLISHED, random_state=seed),
    "C4.5(Rules)": lambda seed: TreeRulesClassifier(**PUBLISHED, random_state=seed),
    C50_PACKAGE: lambda seed: import_module("c50py").C5RulesClassifier(),
    STAND_IN: lambda seed: TreeRulesClassifier(n_rounds=10, **PUBLISHED, random_state=seed),
    "SLIPPER": lambda seed: SlipperClassifier(**PUBLISHED, random_state=seed),
    "LR": lambda seed: baseline("logistic", seed=seed, tuned=False),
    "WV": lambda seed: RuleVoteClassifier(CRITERION, beam_width=1),
    "DL": lambda seed: RuleListClassifier(CRITERION, beam_width=1),
    "WV+CS": lambda seed: RuleVoteClassifier(CRITERION, correction="sc", beam_width=1),
    "DL+CS": lambda seed: RuleListClassifier(CRITERION, correction="sc", beam_width=1),
}
"""The learners of the paper by its names, from a seed."""

prepared = cache(rule_table)


def split(name: str, repeat: int, folds: int = FOLDS) -> list[Fold]:
    """The folds of a table in one repetition, the same for all learners."""
    _, labels = prepared(name)
    return make_folds(labels, folds=folds, seed=repeat)


@cell_function
def rule_errors(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Errors, rules and literals of a learner over the ten folds of a split."""
    name, learner = parameters["table"], parameters["learner"]
    found = [
        _fold(learner, name, fold, parameters["repeat"])
        for fold in split(name, parameters["repeat"])
    ]
    errors, rules, literals = zip(*found, strict=True)
    return {
        "rows": prepared(name)[0].rows,
        "errors": sum(errors),
        "rules": _mean(rules),
        "literals": _mean(literals),
    }


def _mean(sizes: tuple[int | None, ...]) -> float | None:
    known = [size for size in sizes if size is not None]
    return float(np.mean(known)) if known else None


def _fold(learner: str, name: str, fold: Fold, seed: int) -> tuple[int, int | None, int | None]:
    table, labels = prepared(name)
    rows = _pandas(table) if learner == C50_PACKAGE else table
    take = _rows_of_frame if learner == C50_PACKAGE else Table.take
    fitted = fit(learner, seed, take(rows, fold.train), labels[fold.train])
    wrong = int((fitted.predict(take(rows, fold.test)) != labels[fold.test]).sum())
    return wrong, *_size(fitted)


def fit(learner: str, seed: int, rows: Any, labels: NDArray[np.str_]) -> Any:
    """A fitted learner; cautions about its certificate do not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return LEARNERS[learner](seed).fit(rows, labels)


def _size(fitted: Any) -> tuple[int | None, int | None]:
    """Rules without the default, and their literals; None where there are no rules."""
    if hasattr(fitted, "model_"):
        return len(fitted.model_.rules) - 1, fitted.model_.body.literals
    if hasattr(fitted, "rules_"):
        return len(fitted.rules_), sum(len(rule.conditions) for rule in fitted.rules_)
    return None, None


def _pandas(table: Table) -> Any:
    """The table as a dataframe of pandas, which c50py needs; text as categories."""
    whole = frame(
        {
            column.name: column.values if isinstance(column, NumericColumn) else column.cells()
            for column in table.columns
        },
        "pandas",
    )
    return whole.astype({column.name: "category" for column in table.categorical})


def _rows_of_frame(whole: Any, rows: NDArray[np.intp]) -> Any:
    return whole.iloc[rows]
