"""Pools of scikit-learn estimators: fitted on the design rows, checked on the others."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_array, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight, column_or_1d, has_fit_parameter

from rulewright.bounds import Message, split_bound
from rulewright.certificates import (
    LOSS_WEIGHT,
    RowSplitter,
    make_splitter,
    prior_shares,
    split_message,
)
from rulewright.data import Table, detect_table, is_frame, refuse_lazy
from rulewright.errors import InputError
from rulewright.learners import check_classes, code_labels
from rulewright.models import kept_rows
from rulewright.selection.estimator_recipe import parameter_json

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Codes = NDArray[np.int32]

MIN_ROWS = 4
"""Fewer rows cannot be divided into design rows and check rows of use."""
NO_CLASS = -1
"""Code of an answer that is none of the classes. It counts as misclassified."""


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """The rows of positive weight, as the user gave them.

    Attributes
    ----------
    X : array, sparse matrix, dataframe, or sequence of texts
    table : Table
        The same rows as a table, for the key of the splits and for cautions.
    labels, codes, classes : arrays
        Label and class number of each row; all classes.
    weight : array or None
        Weights as given.
    """

    X: Any
    table: Table
    labels: NDArray[Any]
    codes: Codes
    classes: NDArray[Any]
    weight: Floats | None

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any, name: str) -> LabelledRows:
        """Return the rows that a user gave; ``name`` is the estimator's, for errors."""
        refuse_lazy(X)
        labels = column_or_1d(y, warn=True)
        classes, codes = code_labels(labels)
        check_classification_targets(labels)
        X, labels = indexable(X, labels)
        rows = cls(X, table_of(X), labels, codes, classes, _read_weight(sample_weight, X))
        kept = kept_rows(rows.weight, labels.size)
        if kept.size < labels.size:
            rows = rows.take(kept)
            classes, codes = code_labels(rows.labels)
            rows = replace(rows, classes=classes, codes=codes)
        check_classes(rows.classes, rows.codes, name, None, "")
        if rows.codes.size < MIN_ROWS:
            raise InputError(
                f"{name} needs at least {MIN_ROWS} rows, got {rows.codes.size}: some to learn from "
                "and others to check."
            )
        return rows

    def take(self, rows: Rows) -> LabelledRows:
        """Return some of the rows, in the order given."""
        return LabelledRows(
            _safe_indexing(self.X, rows),
            self.table.take(rows),
            self.labels[rows],
            self.codes[rows],
            self.classes,
            None if self.weight is None else self.weight[rows],
        )

    def splitter(self, recipe: Any, seed: int | None, check_share: float | None) -> RowSplitter:
        """Return the splits of the rows."""
        weight = np.ones(self.codes.size) if self.weight is None else self.weight
        return make_splitter(
            self.table,
            self.codes,
            weight,
            tuple(self.classes.tolist()),
            recipe=recipe,
            seed=seed,
            check_share=check_share,
        )


def table_of(X: Any) -> Table:
    """Return the rows as a table; a sequence of texts has one column.

    Examples
    --------
    >>> table_of(["free money", "see you at ten"]).names
    ['x0']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about columns as rules would use them
        if not is_frame(X) and _dimensions(X) == 1:
            texts = np.array(list(X), object)
            if texts.size and all(isinstance(text, str) for text in texts):
                return detect_table(texts.reshape(-1, 1))
        try:
            return detect_table(X)
        except InputError:
            if getattr(getattr(X, "dtype", None), "kind", "") == "O":
                with suppress(ValueError):  # but not scikit-learn's TypeError about such cells
                    check_array(X, dtype=np.float64, ensure_all_finite=False)
            raise


def _dimensions(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return len(shape) if shape is not None else np.ndim(X)


def _read_weight(sample_weight: Any, X: Any) -> Floats | None:
    if sample_weight is None:
        return None
    weight: Floats = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    return weight


# Fitting.


def weight_argument(estimator: Any) -> str:
    """Return the argument of ``fit`` that takes the weights; of a pipeline, that of its last step.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> weight_argument(make_pipeline("passthrough", LogisticRegression()))
    'logisticregression__sample_weight'
    """
    name, last = "", estimator
    while hasattr(last, "steps"):
        step, last = last.steps[-1]
        name += f"{step}__"
    if not has_fit_parameter(last, "sample_weight"):
        raise InputError(
            f"{type(last).__name__} takes no sample_weight. Fit without weights, or use another "
            "estimator."
        )
    return f"{name}sample_weight"


def fit_estimator(candidate: Any, design: LabelledRows) -> Any:
    """Return the candidate fitted on the design rows, in their order."""
    weights = {} if design.weight is None else {weight_argument(candidate): design.weight}
    return clone(candidate).fit(design.X, design.labels, **weights)


def answers_of(estimator: Any, rows: LabelledRows) -> Codes:
    """Return the class number that a fitted estimator predicts for each row."""
    labels = np.asarray(estimator.predict(rows.X)).reshape(rows.codes.size)
    places = np.minimum(np.searchsorted(rows.classes, labels), rows.classes.size - 1)
    found: Codes = np.where(rows.classes[places] == labels, places, NO_CLASS).astype(np.int32)
    return found


def _fitted_answers(candidate: Any, rows: LabelledRows, design: Rows) -> Codes:
    return answers_of(fit_estimator(candidate, rows.take(design)), rows)


# Pools.


@dataclass(frozen=True, eq=False)
class EstimatorPool:
    """The candidates of a split in the order of their errors on the design rows.

    Attributes
    ----------
    number : int
        Number of the split, from 1.
    design, check : arrays of int
        Places of the design rows and of the check rows in the sorted rows.
    members : array of int
        Number of each candidate in the grid, from 0.
    answers : array of shape (members, rows)
        Class numbers that each predicts.
    errors : array of int
        Errors of each on the design rows.
    log_prior : array
        Logarithm of the prior probability of each.
    digest : str
        SHA-256 of the parameters, answers and errors of all.
    """

    number: int
    design: Rows
    check: Rows
    members: Rows
    answers: Codes
    errors: Rows
    log_prior: Floats
    digest: str

    @property
    def size(self) -> int:
        """Number of candidates."""
        return int(self.members.size)

    def message(self, place: int, n_splits: int) -> Message:
        """Return the message of the candidate at a place, from 1."""
        log_prior = float(self.log_prior[place - 1])
        return split_message(self.number, n_splits, place, self.size, log_prior)

    def bound(self, place: int, codes: Codes, n_splits: int, delta: float) -> float:
        """Return the bound on the error of the candidate at a place, from 1."""
        wrong = self.answers[place - 1, self.check] != codes[self.check]
        nats = math.fsum(part for _, part in self.message(place, n_splits))
        return split_bound(int(wrong.sum()), self.check.size, -nats, 0.0, delta)


@dataclass(frozen=True, eq=False)
class SortedRows:
    """The rows in the order of the draws, which is that in which estimators see them.

    With a key of the content it does not depend on the order in which the rows were given.
    """

    rows: LabelledRows
    splitter: RowSplitter

    @classmethod
    def of(cls, rows: LabelledRows, splitter: RowSplitter) -> SortedRows:
        """Return the rows sorted as the splitter numbers them."""
        return cls(rows.take(np.argsort(splitter.unit_of)), splitter)

    def as_given(self, values: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return values of the sorted rows in the order in which the rows were given."""
        return values[self.splitter.unit_of]

    def split(self, number: int) -> tuple[Rows, Rows]:
        """Return the places of the design rows and of the check rows in a split, from 1."""
        split, places = self.splitter.split(number), self.splitter.unit_of
        return np.sort(places[split.design]), np.sort(places[split.check])


def make_pools(
    candidates: Sequence[Any], sorted_rows: SortedRows, numbers: Sequence[int], n_jobs: int | None
) -> list[EstimatorPool]:
    """Return the pools of the splits of some numbers; none where a class has no design row."""
    rows = sorted_rows.rows
    splits = {number: sorted_rows.split(number) for number in numbers}
    usable = [n for n, (design, _) in splits.items() if _has_all_classes(rows, design)]
    answers = Parallel(n_jobs=n_jobs)(
        delayed(_fitted_answers)(candidate, rows, splits[number][0])
        for number in usable
        for candidate in candidates
    )
    found = np.array(answers, np.int32).reshape(len(usable), len(candidates), rows.codes.size)
    return [
        _scored(number, candidates, found[i], rows, *splits[number])
        for i, number in enumerate(usable)
    ]


def _has_all_classes(rows: LabelledRows, design: Rows) -> bool:
    return np.unique(rows.codes[design]).size == rows.classes.size


def _scored(
    number: int,
    candidates: Sequence[Any],
    answers: Codes,
    rows: LabelledRows,
    design: Rows,
    check: Rows,
) -> EstimatorPool:
    """The pool of a split: prior and order depend on the errors on the design rows only."""
    errors = (answers[:, design] != rows.codes[design]).sum(axis=1)
    shares = prior_shares(LOSS_WEIGHT * errors)
    members = np.argsort(errors, kind="stable")
    key = sha256()
    for member in members:
        name = identity_of(candidates[member], answers[member])
        key.update(f"{name} {errors[member]}\n".encode())
    return EstimatorPool(
        number,
        design,
        check,
        members,
        answers[members],
        errors[members],
        np.minimum(np.log(shares[members]), 0.0),
        key.hexdigest(),
    )


def identity_of(estimator: Any, answers: Codes) -> str:
    """Return a hash of an estimator's parameters and of its answers on all rows."""
    parameters = json.dumps(parameter_json(estimator), sort_keys=True, separators=(",", ":"))
    return sha256(parameters.encode() + b"\n" + answers.astype("<i4").tobytes()).hexdigest()
