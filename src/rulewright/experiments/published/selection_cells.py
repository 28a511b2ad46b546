"""Cells of the experiment that chooses set covering machines in several ways."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.experiments.cells import cell_function
from rulewright.experiments.folds import Fold
from rulewright.experiments.preparation import Numbers
from rulewright.experiments.published.machine_cells import prepared, split
from rulewright.learners import SetCoveringMachine
from rulewright.selection import BoundSearch


@cell_function
def selected_machine(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Errors on an outer fold of the machine that a way of choosing takes from the other folds.

    ``way`` is "cv" (cross-validation of the training rows), "bound" (the compression certificate),
    "split" (the split certificate), or "optimal", which chooses nothing: its errors are those at
    every penalty and size.
    """
    X, y = prepared(parameters["table"])
    fold = split(parameters["table"], parameters["repeat"])[parameters["fold"]]
    start = time.process_time()
    found = (_all_errors if parameters["way"] == "optimal" else _chosen)(parameters, X, y, fold)
    return {
        "rows": len(y),
        "tested": len(fold.test),
        "seconds": time.process_time() - start,
        **found,
    }


def _machine(parameters: Mapping[str, Any], **options: Any) -> SetCoveringMachine:
    return SetCoveringMachine(
        kind=parameters["kind"], family="half_spaces", max_rules=None, n_jobs=1, **options
    )


def _chosen(
    parameters: Mapping[str, Any], X: Numbers, y: NDArray[np.int64], fold: Fold
) -> dict[str, Any]:
    way = parameters["way"]
    form = "split" if way == "split" else "compression"
    search = BoundSearch(
        _machine(parameters, certificate=form),
        {"penalty": parameters["penalties"]},
        by="cv" if way == "cv" else "bound",
        cv=parameters["inner_folds"],
    ).fit(X[fold.train], y[fold.train])
    wrong = search.predict(X[fold.test]) != y[fold.test]
    return {
        "errors": int(wrong.sum()),
        "size": search.path_[-1].size,
        "bound": search.certificate_.bound,
    }


def _all_errors(
    parameters: Mapping[str, Any], X: Numbers, y: NDArray[np.int64], fold: Fold
) -> dict[str, Any]:
    tested, labels = X[fold.test], y[fold.test]
    errors = []
    for penalty in parameters["penalties"]:
        path = _machine(parameters, penalty=penalty).fit(X[fold.train], y[fold.train]).path_
        errors.append([int((entry.model.predict(tested) != labels).sum()) for entry in path])
    return {"errors": errors}
