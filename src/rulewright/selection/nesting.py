"""Nested cross-validation: cross-validation around a search."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, column_or_1d

from rulewright.learners import read_seed
from rulewright.selection.testing import folds_of


@dataclass(frozen=True)
class Nested:
    """Results of the folds.

    Attributes
    ----------
    errors : tuple of int
        Misjudged rows of each fold.
    tested : tuple of int
        Rows of each fold.
    sizes : tuple of int
        Rules of the machine that was chosen on the rest.
    bounds : tuple of float
        Its certified error.
    seconds : float
        Time of fitting, over all folds.
    """

    errors: tuple[int, ...]
    tested: tuple[int, ...]
    sizes: tuple[int, ...]
    bounds: tuple[float, ...]
    seconds: float

    @property
    def total(self) -> int:
        """Number of errors over all folds."""
        return sum(self.errors)

    @property
    def deviation(self) -> float:
        """Standard deviation of ``total``, from the differences between folds.

        The deviation of the error rates over the folds, divided by the square root of their number,
        times the number of rows: Marchand, Shah, Shawe-Taylor & Sokolova (2003), section 5.
        """
        rates = np.array(self.errors) / np.array(self.tested)
        return float(rates.std(ddof=1) / np.sqrt(rates.size) * sum(self.tested))

    def __str__(self) -> str:
        return (
            f"{self.total} errors (deviation {self.deviation:.1f}) on {sum(self.tested)} rows, "
            f"{np.mean(self.sizes):.1f} rules, {self.seconds:.1f} s"
        )


def nested_cross_validation(
    search: Any, X: Any, y: Any, cv: Any = 10, random_state: Any = None
) -> Nested:
    """Cross-validate a search: for each fold all its choices are made again on the other folds.

    Parameters
    ----------
    search : BoundSearch, or any classifier of this library
    X, y : the data
    cv : int or splitter, default 10
        A number means shuffled, stratified folds.
    random_state : int, generator or None
        Seed of the folds; None is 0.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rulewright import BoundSearch, SetCoveringMachine
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = BoundSearch(SetCoveringMachine(), {"penalty": [1, 2, 5]})
    >>> result = nested_cross_validation(search, X, y, cv=5)
    >>> result.total, result.sizes
    (41, (2, 2, 2, 1, 2))
    """
    labels = column_or_1d(y)
    codes = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    rows = []
    seconds = 0.0
    for train, test in folds_of(cv, codes, read_seed(random_state), np.arange(codes.size)):
        start = time.perf_counter()
        fitted = clone(search).fit(_safe_indexing(X, train), labels[train])
        seconds += time.perf_counter() - start
        wrong = fitted.predict(_safe_indexing(X, test)) != labels[test]
        last = fitted.path_[-1]
        rows.append((int(wrong.sum()), len(test), last.size, fitted.certificate_.bound))
    errors, tested, sizes, bounds = zip(*rows, strict=True)
    return Nested(errors, tested, sizes, bounds, seconds)
