"""Small generated tables: the rectangles of a tree, and a transformation that bends a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from rulewright.experiments.cells import cell_function
from rulewright.learners import TreeClassifier
from rulewright.rules import Split, Threshold, Tree

Floats = NDArray[np.float64]
CENTRES = ((1.0, 1.0), (3.0, 1.2), (2.0, 3.0), (3.4, 3.4))
CLASSES = (0, 1, 2, 0)
"""Class of each cluster."""


@cell_function
def tree_rectangles(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Points of three classes in two columns, and the rectangles into which a tree divides them."""
    rng = np.random.default_rng(parameters["seed"])
    each = parameters["rows"] // len(CENTRES)
    X = np.concatenate([rng.normal(centre, 0.45, (each, 2)) for centre in CENTRES])
    X, y = X.round(4), np.repeat(CLASSES, each)
    tree = TreeClassifier(max_leaf_nodes=parameters["leaves"], certificate=None).fit(X, y)
    return {
        "points": X.tolist(),
        "classes": y.tolist(),
        "boxes": _boxes(tree.model_.body),
        "errors": int((tree.predict(X) != y).sum()),
        "text": str(tree.model_),
    }


def _boxes(tree: Any) -> list[dict[str, Any]]:
    """Sides of the rectangle of each leaf of a tree of thresholds; None is an open side."""
    assert isinstance(tree, Tree)
    sides: dict[int, list[float | None]] = {0: [None] * 4}
    found = []
    for number, node in enumerate(tree.nodes):
        box = sides[number]
        if not isinstance(node, Split):
            found.append({"sides": box, "class": node.output})
            continue
        (test,) = node.tests
        assert isinstance(test, Threshold)
        place = 2 * int(test.columns[0].removeprefix("x"))
        for branch, above in zip(node.branches, (test.above, not test.above), strict=True):
            sides[branch] = [*box]
            sides[branch][place + (not above)] = float(test.cut)
    return found


@cell_function
def bent_line(parameters: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Two classes on either side of a line, before and after y -> y^4.

    For both tables: whether a line separates the classes (decided by linear programming), and how
    many answers of a tree change when it learns and answers after the transformation.
    """
    rng = np.random.default_rng(parameters["seed"])
    X = rng.uniform(0, 1, (parameters["rows"], 2))
    distance = X[:, 1] - (0.15 + 0.7 * X[:, 0])
    X = X[np.abs(distance) > parameters["margin"]]
    y = (X[:, 1] > 0.15 + 0.7 * X[:, 0]).astype(int)
    bent = np.column_stack([X[:, 0], X[:, 1] ** 4])
    new = rng.uniform(0, 1, (10_000, 2))
    answers = [
        TreeClassifier(certificate=None).fit(rows, y).predict(asked)
        for rows, asked in ((X, new), (bent, np.column_stack([new[:, 0], new[:, 1] ** 4])))
    ]
    return {
        "points": X.round(6).tolist(),
        "bent": bent.round(6).tolist(),
        "classes": y.tolist(),
        "separable": [is_separable(rows, y) for rows in (X, bent)],
        "changed": int((answers[0] != answers[1]).sum()),
        "asked": len(new),
    }


def is_separable(X: Floats, y: NDArray[Any]) -> bool:
    """Whether a hyperplane has the two classes on different sides: a feasible linear program."""
    signs = np.where(np.asarray(y) == np.max(y), 1.0, -1.0)
    rows = -signs[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(rows.shape[1]), rows, -np.ones(len(X)), bounds=(None, None))
    return bool(found.status == 0)
