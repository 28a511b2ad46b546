"""The papers' data sets, prepared as the papers describe.

Papers on machines of balls and half-spaces: rows with missing values are removed, then all rows
whose values occur with both labels; nothing is scaled. They do not say how categories became
numbers: here by the alphabetical order of their names, or by an order that is given. The paper on
conjunctive rules keeps missing values and categories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import NumericColumn, Table, detect_table, text_of
from rulewright.datasets import load
from rulewright.errors import InputError, preview

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
T = TypeVar("T")

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
"""Categories of Credit in the order of the description of the data set (crx.names)."""


@dataclass(frozen=True)
class MachineTable:
    """A data set of two classes for machines: its name, its classes, the orders of categories.

    Attributes
    ----------
    dataset : str
        Name for ``rulewright.datasets.load``.
    positive : tuple of str
        Classes that are positive.
    among : tuple of str
        Classes that are kept; all if it is empty.
    orders : dict of str to str
        Categories of a column in the order of their numbers.
    """

    dataset: str
    positive: tuple[str, ...]
    among: tuple[str, ...] = ()
    orders: Mapping[str, str] = field(default_factory=dict)


MACHINE_TABLES = {
    "BreastW": MachineTable("breastw", ("malignant",)),
    "Votes": MachineTable("votes", ("democrat",)),
    "Pima": MachineTable("pima", ("1",)),
    "Haberman": MachineTable("haberman", ("1",)),
    "Bupa": MachineTable("bupa", ("1",)),
    "Glass": MachineTable("glass", ("1", "3"), among=("1", "2", "3")),
    "Glass, all": MachineTable("glass", ("1", "3")),
    "Credit": MachineTable("credit", ("+",)),
    "Credit, listed": MachineTable("credit", ("+",), orders=LISTED),
}
"""Tables of the papers on set covering and decision list machines, by the papers' names.

Glass has the 163 rows of the paper on half-spaces, "Glass, all" the 214 of the other.
"""


@dataclass(frozen=True)
class RuleTable:
    """A data set for rules: its name, its columns of category codes, the columns left out.

    ``first`` is the number of rows that are kept, from the first; all if it is None.
    """

    dataset: str
    codes: str = ""
    absent: str = ""
    first: int | None = None


RULE_TABLES = {
    "australian": RuleTable("australian", "A1 A4 A5 A6 A8 A9 A11 A12"),
    "echo": RuleTable("echocardiogram", "still_alive pericardial_effusion", "group"),
    "heart": RuleTable("heart_hungarian", "sex cp fbs restecg exang slope thal"),
    "hepatitis": RuleTable(
        "hepatitis",
        "sex steroid antivirals fatigue malaise anorexia liver_big liver_firm spleen_palpable "
        "spiders ascites varices histology",
    ),
    "labor": RuleTable("labor"),
    "labor, 40 rows": RuleTable("labor", first=40),
    "liver": RuleTable("bupa"),
}
"""Tables of the paper on conjunctive rules, by its names.

Echo keeps the columns that define its class: errors of 3 to 7 % indicate that the paper did too.
"Labor, 40 rows" are the training rows of the UCI repository, if the file has them first.
"""


def machine_table(name: str) -> tuple[Numbers, NDArray[np.int64]]:
    """Rows of one of ``MACHINE_TABLES`` as numbers, and 1 for the positive class, 0 for the other.

    The data set is found as ``rulewright.datasets.load`` describes.
    """
    source = _named(MACHINE_TABLES, name)
    data = load(source.dataset)
    labels = np.array([text_of(label) for label in data.y.tolist()])
    _check_classes(source, labels)
    kept = complete_rows(data.table)
    if source.among:
        kept &= np.isin(labels, source.among)
    X = number_codes(data.table.take(kept), source.orders)
    y = np.isin(labels[kept], source.positive).astype(np.int64)
    consistent = ~contradictory_rows(X, y)
    return X[consistent], y[consistent]


def rule_table(name: str) -> tuple[Table, NDArray[np.str_]]:
    """Return one of ``RULE_TABLES`` with its missing values and its categories, and its labels."""
    source = _named(RULE_TABLES, name)
    data = load(source.dataset)
    rows = np.arange(data.table.rows)[: source.first]
    table = data.table.without(source.absent.split()).take(rows)
    labels = np.array([text_of(label) for label in data.y.tolist()])[rows]
    return with_categories(table, source.codes.split()), labels


def complete_rows(table: Table) -> Mask:
    """Rows without a missing value."""
    missing = [column.missing for column in table.columns]
    return ~np.any(missing, axis=0) if missing else np.ones(table.rows, np.bool_)


def contradictory_rows(X: Numbers, y: NDArray[np.int64]) -> Mask:
    """Rows whose values occur with both labels, 0 and 1.

    Examples
    --------
    >>> contradictory_rows(np.array([[1.0], [1.0], [2.0]]), np.array([0, 1, 1])).tolist()
    [True, True, False]
    """
    _, vector = np.unique(X, axis=0, return_inverse=True)
    vector = vector.ravel()  # NumPy 2.0 gave it two axes
    share = np.bincount(vector, y) / np.bincount(vector)
    return np.asarray(((share > 0) & (share < 1))[vector])


def number_codes(table: Table, orders: Mapping[str, str] | None = None) -> Numbers:
    """All columns as numbers; categories are numbered from 0 in alphabetical or a given order."""
    orders = orders or {}
    columns = []
    for column in table.observed().columns:
        if isinstance(column, NumericColumn):
            columns.append(column.values)
            continue
        order = orders.get(column.name, "").split() or sorted(column.categories)
        numbers = [order.index(category) for category in column.categories]
        columns.append(np.array(numbers, np.float64)[column.codes])
    return np.column_stack(columns)


def with_categories(table: Table, names: list[str]) -> Table:
    """Return the table with the named columns as categories."""
    positions = [table.names.index(name) for name in names]
    cells = np.empty((table.rows, len(table.columns)), object)
    for place, column in enumerate(table.columns):
        cells[:, place] = column.cells()
    return detect_table(cells, positions).renamed(table.names)


def _named(tables: Mapping[str, T], name: str) -> T:
    if name not in tables:
        raise InputError(f"There is no table {name!r}. Tables: {preview(tables, max_values=20)}.")
    return tables[name]


def _check_classes(source: MachineTable, labels: NDArray[np.str_]) -> None:
    expected = {*source.positive, *source.among}
    if not expected <= set(labels.tolist()):
        raise InputError(
            f"The data set {source.dataset} must have the classes {preview(sorted(expected))}, "
            f"found {preview(np.unique(labels).tolist())}. Name a folder with its file "
            f"{source.dataset}.csv in RULEWRIGHT_DATA."
        )
