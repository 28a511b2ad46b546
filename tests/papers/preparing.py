"""The papers' data sets, prepared as they say.

Rows with missing values are removed, all rows of a contradictory vector are removed, nothing is
scaled. Categories are coded as integers in alphabetical order: the papers do not say how.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas

LISTED = {
    "A1": "b a",
    "A4": "u y l t",
    "A5": "g p gg",
    "A6": "c d cc i j k m r q w x e aa ff",
    "A7": "v h bb j n z dd ff o",
    "A9": "t f",
    "A10": "t f",
    "A12": "t f",
    "A13": "g p s",
}
"""Categories of Credit in the order in which the set's own description (crx.names) lists them."""


@dataclass(frozen=True)
class Source:
    """A file, its positive classes, the classes it is confined to, orders of categories."""

    file: str
    positive: tuple[str, ...]
    among: tuple[str, ...] = ()
    orders: dict[str, str] = field(default_factory=dict)


SETS = {
    "BreastW": Source("breastw", ("malignant",)),
    "Votes": Source("votes", ("democrat",)),
    "Pima": Source("pima", ("1",)),
    "Haberman": Source("haberman", ("1",)),
    "Bupa": Source("bupa", ("1",)),
    "Glass": Source("glass", ("1", "3"), among=("1", "2", "3")),
    "Glass, all": Source("glass", ("1", "3")),
    "Credit": Source("credit", ("+",)),
    "Credit, listed": Source("credit", ("+",), orders=LISTED),
}


def prepare(folder, name):
    """Give the rows of a set as numbers, and 1 for its positive class, 0 for the other."""
    source = SETS[name]
    path = folder / f"{source.file}.csv"
    frame = pandas.read_csv(path, dtype=str, keep_default_na=False, na_values=[""]).dropna()
    if source.among:
        frame = frame[frame["class"].isin(source.among)]
    y = frame["class"].isin(source.positive).to_numpy().astype(int)
    columns = frame.drop(columns="class")
    X = np.column_stack([_numbers(columns[c], source.orders.get(c)) for c in columns])
    consistent = ~_contradictory(X, y)
    return X[consistent], y[consistent]


def _numbers(column, order):
    try:
        return column.astype(float).to_numpy()
    except ValueError:
        categories = order.split() if order else sorted(column.unique())
        return column.map(categories.index).to_numpy(float)


def _contradictory(X, y):
    """Whether the same vector stands there with both labels."""
    _, vector = np.unique(X, axis=0, return_inverse=True)
    vector = vector.ravel()  # NumPy 2.0 gave it two axes
    share = np.bincount(vector, y) / np.bincount(vector)
    return ((share > 0) & (share < 1))[vector]
