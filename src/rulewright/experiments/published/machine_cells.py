"""Cells of the experiments with machines of balls and half-spaces."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from rulewright.experiments.cells import cell_function
from rulewright.experiments.folds import Fold, make_folds
from rulewright.experiments.preparation import Numbers, machine_table
from rulewright.learners import DecisionListMachine, SetCoveringMachine

FOLDS = 10

prepared = cache(machine_table)


def split(name: str, repeat: int) -> list[Fold]:
    """The ten folds of a table in one repetition, the same for all machines."""
    _, y = prepared(name)
    return make_folds(y, folds=FOLDS, seed=repeat, stratified=False)


def estimator(parameters: Mapping[str, Any]) -> Any:
    """The estimator that the parameters of a cell describe."""
    match parameters["machine"]:
        case "svm":
            return SVC(gamma=parameters["gamma"], C=parameters["C"])
        case "scm":
            return SetCoveringMachine(
                kind=parameters["kind"],
                family=parameters["family"],
                penalty=float(parameters["penalty"]),
                **_common(parameters),
            )
        case _:
            pp, pn = map(float, parameters["penalty"])
            return DecisionListMachine(
                family="balls", types=parameters["types"], penalty=(pp, pn), **_common(parameters)
            )


def _common(parameters: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {name: parameters[name] for name in ("max_rules", "consistent")}
    return {**chosen, "n_jobs": 1}


@cell_function
def machine_errors(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Errors and sizes of a machine in every fold of a split.

    ``errors`` has a list for each fold, of the errors at each size up to the largest: one greedy
    run gives all sizes, and where it ends early, its last machine stands for larger ones.
    ``sizes`` are the rules of the largest machine, or the support vectors; ``examples`` are the
    training examples that rebuild it.
    """
    X, y = prepared(parameters["table"])
    found = [
        _fold(parameters, X, y, fold) for fold in split(parameters["table"], parameters["repeat"])
    ]
    errors, sizes, examples = zip(*found, strict=True)
    return {"rows": len(y), "errors": errors, "sizes": sizes, "examples": examples}


def _fold(
    parameters: Mapping[str, Any], X: Numbers, y: NDArray[np.int64], fold: Fold
) -> tuple[list[int], int, int]:
    fitted = estimator(parameters).fit(X[fold.train], y[fold.train])
    tested, labels = X[fold.test], y[fold.test]
    if parameters["machine"] == "svm":
        vectors = int(fitted.n_support_.sum())
        return [int((fitted.predict(tested) != labels).sum())], vectors, vectors
    path = fitted.path_
    wrong = [int((entry.model.predict(tested) != labels).sum()) for entry in path]
    wrong += wrong[-1:] * (parameters["max_rules"] - len(wrong))
    return wrong, path[-1].size, len(path[-1].certificate.examples)
