"""Tables of the card: real ones in changed forms, and generated ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table, detect_table
from rulewright.datasets import load

Floats = NDArray[np.float64]
FORMS = ("plain", "missing", "cause", "outliers", "monotone", "irrelevant", "rotated")
MISSING, SPOILT, FACTOR, NOISE = 0.2, 0.05, 1000.0, 10
GENERATED, GENERATED_ROWS = "generated", 600
"""A generated table, whose border is parallel to its axes."""
BAYES = 0.05
"""Share of wrong labels in the generated table of mixed columns: no classifier errs less often."""


def numeric_table(name: str) -> tuple[Floats, NDArray[Any]]:
    """Rows of a data set whose columns are all numeric, and their labels."""
    if name == GENERATED:
        return growing_table(GENERATED_ROWS)
    dataset = load(name)
    return np.column_stack([column.values for column in dataset.table.numeric]), dataset.y


def changed(form: str, X: Floats, test: Floats, seed: int) -> tuple[Floats, Floats]:
    """Training and test rows in a changed form; scales are those of the training rows.

    ``missing``: a fifth of all cells is missing at random. ``cause``: the largest fifth of the
    values of each column is missing. ``outliers``: a twentieth of the training cells is moved by
    1,000 deviations. ``monotone``: each column is replaced by an increasing function of it.
    ``irrelevant``: ten times as many columns of random numbers are added. ``rotated``: the columns
    are standardised and rotated at random.
    """
    rng = np.random.default_rng([seed, FORMS.index(form)])
    mean, deviation = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    standard = [(part - mean) / deviation for part in (X, test)]
    match form:
        case "missing":
            X, test = (np.where(rng.random(p.shape) < MISSING, np.nan, p) for p in (X, test))
        case "cause":
            limit = np.nanquantile(X, 1 - MISSING, axis=0)
            X, test = (np.where(part > limit, np.nan, part) for part in (X, test))
        case "outliers":
            cells = rng.random(X.shape) < SPOILT
            moved = X + FACTOR * deviation * rng.choice([-1.0, 1.0], X.shape)
            X = np.where(cells, moved, X)
        case "monotone":
            X, test = (_bent(part) for part in standard)
        case "irrelevant":
            parts = [rng.normal(size=(len(p), NOISE * p.shape[1])) for p in (X, test)]
            X, test = np.hstack([X, parts[0]]), np.hstack([test, parts[1]])
        case "rotated":
            turn = np.linalg.qr(rng.normal(size=(X.shape[1],) * 2))[0]
            X, test = (np.nan_to_num(part) @ turn for part in standard)
    return X, test


def _bent(X: Floats) -> Floats:
    """The cube of the odd columns; the fourth power of the positive values of the even ones.

    Products only: equal values must stay equal, and the last bit of a power may depend on its place
    in the array.
    """
    square = X * X
    bent = np.where(X > 0, square * square, X)
    bent[:, 1::2] = (square * X)[:, 1::2]
    return bent


def mixed_table(rows: int, seed: int) -> tuple[Table, NDArray[np.str_]]:
    """Two numbers, an ordered column of three sizes, a place among eight, and a yes or no.

    "bad" where the place is one of three and the age above 40, or the size is large and the income
    below 30; a twentieth of the labels is exchanged.
    """
    rng = np.random.default_rng(seed)
    age, income = rng.uniform(18, 80, rows), rng.gamma(4, 10, rows)
    size = rng.choice(["small", "medium", "large"], rows)
    place = rng.choice([f"place {letter}" for letter in "abcdefgh"], rows)
    member = rng.choice(["yes", "no"], rows)
    bad = np.isin(place, ["place b", "place e", "place g"]) & (age > 40)
    bad |= (size == "large") & (income < 30)
    bad ^= rng.random(rows) < BAYES
    cells = np.empty((rows, 5), dtype=object)
    for place_number, column in enumerate((age, income, size, place, member)):
        cells[:, place_number] = column
    table = detect_table(cells).renamed(["age", "income", "size", "place", "member"])
    return table, np.where(bad, "bad", "good")


def growing_table(rows: int, columns: int = 10) -> tuple[Floats, NDArray[np.int64]]:
    """Random numbers; the class is a conjunction of two tests or a third, a tenth of it wrong."""
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, columns))
    y = ((X[:, 0] > 0) & (X[:, 1] > -0.5)) | (X[:, 2] > 1)
    return X, (y ^ (rng.random(rows) < 0.1)).astype(np.int64)
