"""Cells of the card: one learner on one form of a table, at its defaults."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from rulewright import learners
from rulewright.data import Table
from rulewright.datasets import load
from rulewright.experiments.baselines import BASELINES, baseline
from rulewright.experiments.card.tables import (
    changed,
    growing_table,
    mixed_table,
    numeric_table,
)
from rulewright.experiments.cells import cell_function
from rulewright.experiments.folds import make_folds
from rulewright.learners import SETTINGS

SEED = 0


def made(name: str) -> Any:
    """A learner or a baseline at its defaults; baselines with the preparation that they need."""
    if name not in SETTINGS:
        return baseline(name, seed=SEED, tuned=False)
    for title in learners.ESTIMATORS:
        estimator = getattr(learners, title)
        if estimator.settings_class is SETTINGS[name]:
            return estimator(certificate=None)
    raise AssertionError(f"{name} has no estimator")


@cell_function
def changed_table(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Accuracy on a form of a table over its folds, all answers, and the size of the model."""
    X, y = numeric_table(parameters["table"])
    right, answers, sizes = 0, np.zeros(len(y), int), []
    for fold in make_folds(y, folds=parameters["folds"], seed=SEED):
        train, test = changed(parameters["form"], X[fold.train], X[fold.test], fold.number)
        model = _fitted(made(parameters["learner"]), train, y[fold.train])
        given = model.predict(test)
        right += int((given == y[fold.test]).sum())
        answers[fold.test] = np.searchsorted(np.unique(y), given)
        sizes.append(model_size(model))
    return {
        "accuracy": right / len(y),
        "answers": "".join(map(str, answers)),
        "size": _mean_size(sizes),
    }


@cell_function
def real_table(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Accuracy on a table of any columns over its folds."""
    dataset = load(parameters["table"])
    right = 0
    for fold in make_folds(dataset.y, folds=parameters["folds"], seed=SEED):
        model = made(parameters["learner"])
        _fitted(model, dataset.table.take(fold.train), dataset.y[fold.train])
        given = model.predict(dataset.table.take(fold.test))
        right += int((given == dataset.y[fold.test]).sum())
    return {"accuracy": right / dataset.y.size}


@cell_function
def mixed_types(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Error on a generated table of mixed columns, and whether it is taken as it is."""
    train, y = mixed_table(parameters["rows"], seed=1)
    test, y_test = mixed_table(10_000, seed=2)
    given = _fitted(made(parameters["learner"]), train, y).predict(test)
    return {
        "error": float((given != y_test).mean()),
        "taken": is_taken(parameters["learner"], _cells(train), y),
    }


@cell_function
def missing_cells(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Whether a learner takes a table with missing cells as it is."""
    X, y = growing_table(200)
    return {"taken": is_taken(parameters["learner"], np.where(X > 1.5, np.nan, X), y)}


@cell_function
def growth(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """CPU seconds of a fit, after a small one: the first fit of a process imports and compiles."""
    X, y = growing_table(parameters["rows"])
    model = made(parameters["learner"])
    _fitted(made(parameters["learner"]), X[:100], y[:100])
    start = time.process_time()
    _fitted(model, X, y)
    return {"seconds": time.process_time() - start}


def is_taken(name: str, X: Any, y: Any) -> bool:
    """Whether the learner accepts a table without preparation; found out by trying."""
    learner = made(name) if name in SETTINGS else BASELINES[name].make(SEED)
    try:
        _fitted(learner, X, y)
    except (ValueError, TypeError):
        return False
    return True


def model_size(model: Any) -> dict[str, int] | None:
    """Rules, literals and columns of a model: weights of linear ones, leaves and splits of trees.

    None for a classifier that is not made of rules, weights or trees.
    """
    if hasattr(model, "model_"):
        body = model.model_.body
        return {
            "rules": len(model.model_.rules),
            "literals": body.literals,
            "columns": len(body.columns),
        }
    last = model[-1]
    if hasattr(last, "coef_"):
        used = int((np.abs(last.coef_) > 0).any(axis=0).sum())
        return {"rules": len(last.coef_), "literals": int((last.coef_ != 0).sum()), "columns": used}
    trees: list[Any] = [last] if hasattr(last, "tree_") else [*getattr(last, "estimators_", ())]
    if not trees or not hasattr(trees[0], "tree_"):
        return None
    leaves = sum(int(tree.get_n_leaves()) for tree in trees)
    columns = {int(f) for tree in trees for f in tree.tree_.feature if f >= 0}
    return {"rules": leaves, "literals": leaves - len(trees), "columns": len(columns)}


def _mean_size(sizes: list[dict[str, int] | None]) -> dict[str, float] | None:
    known = [size for size in sizes if size is not None]
    if not known:
        return None
    return {key: float(np.mean([size[key] for size in known])) for key in known[0]}


def _fitted(model: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no finite optimum, columns that are constant, and so on
        return model.fit(X, y)


def _cells(table: Table) -> Any:
    """The table as an array of numbers and texts."""
    cells = np.empty((table.rows, len(table.columns)), dtype=object)
    for place, name in enumerate(table.names):
        if table.column(name).field.is_numeric:
            cells[:, place] = table.numbers(name)
        else:
            column = table.categories(name)
            cells[:, place] = np.array([*map(str, column.categories), None], object)[column.codes]
    return cells
