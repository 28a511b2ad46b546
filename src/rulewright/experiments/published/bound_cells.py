"""Cells of the bounds on set covering machines of half-spaces, the paper's and ours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import compression_closed, log_choose, printed_scm_half_spaces
from rulewright.experiments.cells import cell_function
from rulewright.experiments.folds import Fold
from rulewright.experiments.preparation import Numbers
from rulewright.experiments.published.machine_cells import estimator, prepared, split

DELTA = 0.05
FORMS = ("ordered", "printed", "made valid", "closed", "compression", "split")


@cell_function
def half_space_bounds(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Bounds on the error of the machines of a split, each times the rows of its test fold.

    The totals over the folds: of every form, of the errors of the machines, and of the errors of
    those with a split certificate, which chooses among machines of half of the rows. The machines
    must be consistent, because the printed theorem is about those.
    """
    X, y = prepared(parameters["table"])
    folds = split(parameters["table"], parameters["repeat"])
    found = np.sum([_fold(parameters, X, y, fold) for fold in folds], axis=0).tolist()
    names = (*FORMS, "misses", "alarms", "errors", "split errors")
    return {"rows": len(y), **dict(zip(names, found, strict=True))}


def _fold(
    parameters: Mapping[str, Any], X: Numbers, y: NDArray[np.int64], fold: Fold
) -> NDArray[np.float64]:
    rows, labels = X[fold.train], y[fold.train]
    fitted = estimator(parameters).fit(rows, labels)
    halves = estimator(parameters).set_params(certificate="split").fit(rows, labels)
    certificate, size = fitted.certificate_, len(fold.test)
    positives = int(y[fold.test].sum())
    bounds = [
        printed(parameters["kind"], fitted, labels, "ordered"),
        printed(parameters["kind"], fitted, labels, "printed"),
        made_valid(fitted, labels),
        certificate.closed_bound,
        certificate.bound,
        halves.certificate_.bound,
    ]
    wrong = [(machine.predict(X[fold.test]) != y[fold.test]).sum() for machine in (fitted, halves)]
    return np.array(
        [
            *(bound * size for bound in bounds),
            certificate.miss_rate_bound * positives,
            certificate.false_alarm_bound * (size - positives),
            *wrong,
        ]
    )


def typed_subsets(triples: Sequence[Sequence[int]], y: NDArray[np.int64]) -> dict[str, int]:
    """Count the paper's typed subsets and pairs; an a or a b is not counted as a c too."""
    ends = {example for *pair, _ in triples for example in pair}
    return {
        "a": sum(int(y[example] == 1) for example in ends),
        "b": sum(int(y[example] == 0) for example in ends),
        "c": len({border for *_, border in triples} - ends),
        "r": len({tuple(pair) for *pair, _ in triples}),
    }


def _triples(fitted: Any) -> list[Sequence[int]]:
    return [half_space.anchored_on for half_space in fitted.model_.body.parts]


def printed(kind: str, fitted: Any, y: NDArray[np.int64], counting: str) -> float:
    """The formula of the paper, which is not a valid bound."""
    (m_n, m_p), (k_n, k_p) = fitted.certificate_.counts, fitted.certificate_.wrong
    counts = {"k_p": k_p, "k_n": k_n, **typed_subsets(_triples(fitted), y)}
    return printed_scm_half_spaces(kind, m_p, m_n, delta=DELTA, counting=counting, **counts)


def made_valid(fitted: Any, y: NDArray[np.int64]) -> float:
    """The formula of the paper with all its subsets, the errors too, drawn from all rows."""
    a, b, c, r = typed_subsets(_triples(fitted), y).values()
    message = math.log(a * b) + log_choose(a * b, r)
    certificate = fitted.certificate_
    return compression_closed(certificate.m, [a, b, c], certificate.errors, message, DELTA)
