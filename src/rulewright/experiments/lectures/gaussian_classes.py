"""Linear discriminant analysis of rows with missing values, by the EM algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class GaussianClasses:
    """Gaussian classes with one covariance, fitted to the known cells of each row.

    The EM algorithm of A. P. Dempster, N. M. Laird and D. B. Rubin (1977): missing cells are
    replaced by their expectation given the known ones, and the covariance gets the covariance that
    this leaves out. A new row is classified by the density of its known cells.

    Examples
    --------
    >>> X = np.array([[0.0, 0.2], [0.3, np.nan], [np.nan, 2.1], [1.9, 2.4]])
    >>> GaussianClasses().fit(X, np.array([0, 0, 1, 1])).predict([[0.1, np.nan], [np.nan, 2.0]])
    array([0, 1])
    """

    def __init__(self, rounds: int = 30) -> None:
        self.rounds = rounds

    def fit(self, X: Any, y: Any) -> GaussianClasses:
        """Fit means, covariance and shares of the classes."""
        X, y = np.asarray(X, np.float64), np.asarray(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.shares_ = np.bincount(codes) / len(codes)
        start = np.nan_to_num(np.nanmean(X, axis=0))
        self.means_ = np.array([start for _ in self.classes_])
        self.covariance_ = np.diag(np.nan_to_num(np.nanvar(X, axis=0)) + 1e-9)
        for _ in range(self.rounds):
            self._step(X, codes)
        return self

    def _step(self, X: Floats, codes: NDArray[np.intp]) -> None:
        filled, left = np.array(X), np.zeros(self.covariance_.shape)
        for known, rows in _patterns(X):
            hidden = ~known
            if hidden.any():
                means = self.means_[codes[rows]]
                inner = self.covariance_[np.ix_(known, known)]
                across = self.covariance_[np.ix_(hidden, known)]
                slopes = across @ np.linalg.pinv(inner)
                expected = means[:, hidden] + (X[np.ix_(rows, known)] - means[:, known]) @ slopes.T
                filled[np.ix_(rows, hidden)] = expected
                rest = self.covariance_[np.ix_(hidden, hidden)] - slopes @ across.T
                left[np.ix_(hidden, hidden)] += rows.size * rest
        self.means_ = np.array([filled[codes == k].mean(axis=0) for k in range(len(self.classes_))])
        centred = filled - self.means_[codes]
        self.covariance_ = (centred.T @ centred + left) / len(X) + 1e-9 * np.eye(X.shape[1])

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row, given its known cells."""
        X = np.asarray(X, np.float64)
        scores = np.tile(np.log(self.shares_), (len(X), 1))
        for known, rows in _patterns(X):
            inverse = np.linalg.pinv(self.covariance_[np.ix_(known, known)])
            for k, mean in enumerate(self.means_[:, known]):
                away = X[np.ix_(rows, known)] - mean
                scores[rows, k] -= 0.5 * np.einsum("ij,jk,ik->i", away, inverse, away)
        found: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return found


def _patterns(X: Floats) -> list[tuple[NDArray[np.bool_], NDArray[np.intp]]]:
    """The known columns of each pattern of missing cells, with its rows."""
    known = ~np.isnan(X)
    patterns, of = np.unique(known, axis=0, return_inverse=True)
    return [(pattern, np.flatnonzero(of.ravel() == k)) for k, pattern in enumerate(patterns)]
