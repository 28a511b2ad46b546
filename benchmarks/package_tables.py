"""Tables as packages need them; learnt on the training rows where anything is learnt."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas

BINS = 10


class Parts(NamedTuple):
    """Training rows, test rows, and the classes of the training rows as numbers."""

    X: np.ndarray
    T: np.ndarray
    y: np.ndarray
    classes: np.ndarray


def timed(fit: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    start = time.process_time()
    fit()
    return time.process_time() - start


def filled(table: pandas.DataFrame, tested: np.ndarray) -> pandas.DataFrame:
    """Numbers without gaps: missing ones are the median of the training rows."""
    numbers = table.select_dtypes("number").columns
    return table.fillna(table.loc[~tested, numbers].median().fillna(0.0))


def with_gaps(table: pandas.DataFrame) -> pandas.DataFrame:
    """Text as categories, missing where it is ``?``."""
    texts = table.select_dtypes(exclude="number").columns
    return table.assign(
        **{name: table[name].astype(object).replace("?", None).astype("category") for name in texts}
    )


def encoded(table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray) -> Parts:
    """Numbers only: medians for missing numbers, a 0/1 column for each category.

    A missing category is a category of its own. Two categories share one column. Categories that
    do not occur in training rows are zeros.
    """
    from sklearn.preprocessing import OneHotEncoder

    table = filled(table, tested)
    numbers = table.select_dtypes("number")
    texts = table.drop(columns=numbers.columns)
    matrix = numbers.to_numpy(float)
    if len(texts.columns):
        encoder = OneHotEncoder(drop="if_binary", handle_unknown="ignore", sparse_output=False)
        encoder.fit(texts[~tested])
        matrix = np.hstack([matrix, encoder.transform(texts)])
    classes, y = np.unique(labels[~tested], return_inverse=True)
    return Parts(matrix[~tested], matrix[tested], y, classes)


def binned(parts: Parts) -> Parts:
    """0/1 columns ``x <= cut``: all cuts of a column with few values, otherwise its deciles."""
    known, unknown = [], []
    for column, test in zip(parts.X.T, parts.T.T, strict=True):
        values = np.unique(column)
        if values.size > BINS:
            cuts = np.unique(np.quantile(column, np.arange(1, BINS) / BINS, method="lower"))
        else:
            cuts = values[:-1]
        known += [column <= cut for cut in cuts]
        unknown += [test <= cut for cut in cuts]
    return parts._replace(X=np.array(known, float).T, T=np.array(unknown, float).T)


def scaled(parts: Parts) -> Parts:
    """Columns of mean 0 and standard deviation 1."""
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(parts.X)
    return parts._replace(X=scaler.transform(parts.X), T=scaler.transform(parts.T))
