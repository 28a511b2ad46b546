"""Splits into training and test rows that all learners of an experiment share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

from rulewright.errors import InputError, RulewrightError
from rulewright.selection import folds_of

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Fold:
    """The training and the test rows of a split; ``repeat`` numbers the shuffles."""

    repeat: int
    number: int
    train: Rows
    test: Rows


def make_folds(
    y: Any,
    *,
    folds: int = 10,
    repeats: int = 1,
    seed: int = 0,
    stratified: bool = True,
    groups: Any = None,
    order: Rows | None = None,
) -> list[Fold]:
    """Cross-validation splits, shuffled anew for each repeat.

    They depend on the arguments only, not on a learner, so learners that get the same arguments
    are compared on the same rows.

    Parameters
    ----------
    y : array of labels
    folds : int, default=10
    repeats : int, default=1
        Number of shuffles; shuffle ``r`` has the seed ``seed + r``.
    seed : int, default=0
    stratified : bool, default=True
        Whether each fold has about the same share of each class. Classes with fewer rows than
        folds are not stratified.
    groups : array, optional
        Rows of one group stay together.
    order : array of row numbers, optional
        An order of the rows that the splits begin from. With one that depends on the content of
        the rows, such as that of ``content_key``, the splits do not depend on the given order.

    Examples
    --------
    >>> [fold.test.tolist() for fold in make_folds([0, 0, 0, 1, 1, 1], folds=3)]
    [[2, 4], [1, 5], [0, 3]]
    """
    codes = np.unique(np.asarray(y), return_inverse=True)[1].astype(np.int32)
    order = np.arange(codes.size) if order is None else np.asarray(order)
    metadata = None if groups is None else {"groups": np.asarray(groups)[order]}
    found = []
    for repeat in range(repeats):
        shuffled = KFold(folds, shuffle=True, random_state=seed + repeat)
        cv = folds if stratified or groups is not None else shuffled
        splits = folds_of(cv, codes[order], seed + repeat, np.arange(codes.size), metadata)
        for number, (train, test) in enumerate(splits):
            found.append(Fold(repeat, number, np.sort(order[train]), np.sort(order[test])))
    return found


def time_folds(times: Any, *, folds: int = 5) -> list[Fold]:
    """Splits in the order of time: each fold is tested by a model of all earlier rows.

    The rows are cut into ``folds + 1`` parts of about equal size. Rows of the same time are in the
    same part. The first part is only learnt from.

    Examples
    --------
    >>> [(f.train.tolist(), f.test.tolist()) for f in time_folds([3, 1, 2, 2, 4, 5], folds=2)]
    [([1], [0, 2, 3]), ([0, 1, 2, 3], [4, 5])]
    """
    values = np.asarray(times)
    instants, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    if instants.size < 2:
        raise InputError("Splits by time need at least two different times.")
    share = (np.cumsum(counts) - counts / 2) / values.size
    part = np.minimum((share * (folds + 1)).astype(int), folds)[place.ravel()]
    parts = np.unique(part)
    return [
        Fold(0, number, np.flatnonzero(part < later), np.flatnonzero(part == later))
        for number, later in enumerate(parts[1:])
    ]


def held_out_fold(train: int, test: int) -> Fold:
    """The split of a table whose last ``test`` rows come from a file of their own."""
    return Fold(0, 0, np.arange(train), np.arange(train, train + test))


class LeakError(RulewrightError):
    """A row was tested by a model that had learnt from it."""


@dataclass
class FitRecord:
    """The rows that each fit of a ``FitRecorder`` has seen, by their numbers."""

    fits: list[Sequence[int]] = field(default_factory=list)

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return FitRecord, ()  # what was recorded does not change the hash of an estimator


class FitRecorder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that records the rows it learns from, and refuses to be tested on them.

    The last column of the data must number the rows. Copies by ``clone`` share the record.

    Parameters
    ----------
    estimator : classifier
    record : FitRecord
    """

    def __init__(self, estimator: Any, record: FitRecord) -> None:
        self.estimator = estimator
        self.record = record

    def __sklearn_clone__(self) -> FitRecorder:
        return FitRecorder(clone(self.estimator), self.record)

    def fit(self, X: Any, y: Any) -> FitRecorder:
        """Record the rows and learn from them."""
        self.rows_ = row_numbers(X)
        self.record.fits.append(self.rows_)
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Predict rows; raise an error if the model has learnt from one of them."""
        both = sorted(set(self.rows_) & set(row_numbers(X)))
        if both:
            raise LeakError(f"The model was tested on row {both[0]}, which it has learnt from.")
        return self.estimator_.predict(X)


def row_numbers(X: Any) -> list[int]:
    """The last column of an array or dataframe as whole numbers."""
    width = X.shape[1]
    return [int(value) for value in np.asarray(_safe_indexing(X, width - 1, axis=1))]
