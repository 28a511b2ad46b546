"""One cell of a comparison: a learner is fitted on a split and tested."""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from threadpoolctl import threadpool_limits

from rulewright.data import Table, content_key, detect_table
from rulewright.errors import RulewrightError
from rulewright.experiments.cells import Cell, cell_function
from rulewright.experiments.comparison.model_sizes import model_size
from rulewright.experiments.folds import Fold


@dataclass(frozen=True, eq=False)
class ComparisonTask:
    """What all cells of a comparison share.

    ``X`` holds the rows that the numbers of the folds refer to; the test rows of a file of its own
    are in ``X_test``, and their numbers follow those of ``X``.
    """

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    folds: Sequence[Fold]
    estimators: Mapping[str, Any]
    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None
    X_test: Any = None

    def rows(self, numbers: NDArray[np.intp]) -> Any:
        """Rows of the table, from either part."""
        if self.X_test is not None and numbers.size and numbers[0] >= row_count(self.X):
            return taken(self.X_test, numbers - row_count(self.X))
        return taken(self.X, numbers)

    @property
    def has_units(self) -> bool:
        """Whether rows form groups, or are in the order of time."""
        return self.groups is not None or self.times is not None

    def key(self) -> str:
        """Hash of the tables with their labels, in their order."""
        text = hashlib.sha256()
        start = 0
        for part in (self.X, self.X_test):
            if part is None:
                continue
            table = detect_table(part)
            codes = np.searchsorted(self.classes, self.y[start : start + table.rows])
            key, order = content_key("comparison", table, self.classes.tolist(), codes)
            text.update(key + order.astype("<i8").tobytes())
            start += table.rows
        text.update(joblib.hash([self.groups, self.times]).encode())
        return text.hexdigest()

    def cells(self) -> list[Cell]:
        """All learners on all splits, split by split."""
        hashes = {name: joblib.hash(one) for name, one in self.estimators.items()}
        return [
            Cell.of(
                measured,
                learner=name,
                estimator=hashes[name],
                rows=joblib.hash([fold.train, fold.test]),
                fold=number,
            )
            for number, fold in enumerate(self.folds)
            for name in self.estimators
        ]


def row_count(X: Any) -> int:
    """Number of rows of a table, dataframe or array."""
    return X.rows if isinstance(X, Table) else int(X.shape[0])


def taken(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a table, dataframe or array."""
    return X.take(rows) if isinstance(X, Table) else _safe_indexing(X, rows)


@cell_function
def measured(parameters: Mapping[str, Any], task: ComparisonTask) -> dict[str, Any]:
    """Fit a learner on the training rows of a split, and count its answers on the test rows.

    ``confusion`` has a row for each class, and a column for each answer and one for no answer.
    """
    fold = task.folds[parameters["fold"]]
    estimator = clone(task.estimators[parameters["learner"]])
    # One thread each, so that times can be compared and processes do not share cores.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        try:
            units = _units(estimator, task, fold)
            estimator.fit(task.rows(fold.train), task.y[fold.train], **units)
        except (RulewrightError, ValueError) as error:
            return {"refused": str(error).strip().splitlines()[0]}
        seconds = time.perf_counter() - start
        answers = np.asarray(estimator.predict(task.rows(fold.test)))
    truth = np.searchsorted(task.classes, task.y[fold.test])
    given = _codes(answers, task.classes)
    confusion = np.zeros((task.classes.size, task.classes.size + 1), dtype=int)
    np.add.at(confusion, (truth, given), 1)
    size = model_size(estimator)
    result = {
        "confusion": confusion.tolist(),
        "rules": size.rules,
        "literals": size.literals,
        "parts": size.parts,
        # A certificate for independent rows means nothing where rows depend on each other.
        "bound": _bound(estimator) if units or not task.has_units else None,
        "fit_seconds": seconds,
    }
    return result if len(task.folds) > 1 else result | {"answers": given.tolist()}


def _units(estimator: Any, task: ComparisonTask, fold: Fold) -> dict[str, Any]:
    """Groups or times of the training rows, for learners whose certificate needs them."""
    if getattr(estimator, "certificate", None) != "split":
        return {}
    given = {"groups": task.groups, "times": task.times}
    return {name: values[fold.train] for name, values in given.items() if values is not None}


def _codes(answers: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Places of the answers among the classes; the last place is no answer."""
    place = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([place.get(answer, classes.size) for answer in answers.tolist()], dtype=int)


def _bound(estimator: Any) -> float | None:
    certificate = getattr(estimator, "certificate_", None)
    bound = getattr(certificate, "bound", None)
    return None if bound is None else float(bound)
