"""Tuned trees of STreeD and ours on the very same tests: the trees compared, and their sizes.

    RULEWRIGHT_DATA=folder python benchmarks/streed_sizes.py
    RULEWRIGHT_DATA=folder python benchmarks/streed_sizes.py --tables labor bupa --shuffles 4

The cuts that STreeD made in its encoded columns are the cuts of ours. Errors are those on the test
rows of ten folds: of STreeD with the depth and size that its five inner folds chose, of the tree of
ours of that depth and size, and of the one whose depth and size five inner folds of ours chose.
``unequal`` counts folds where the trees of that depth and size differ in their training errors.
Both take the smallest of sizes that are equally good, and draw their inner folds in ways of their
own. It needs pystreed, of the extra ``bench``.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, NamedTuple

import entrants
import numpy as np
import package_peers
import pandas
import tasks
from package_tables import encoded
from small_entrants import TunedSize
from tasks import Task

from rulewright import TreeClassifier
from rulewright.data import Table, detect_table

DEPTH, NODES = 3, 7
LINE = "{:<18}" + " {:>9}" * 6


class Figures(NamedTuple):
    """Errors on test rows, folds with unequal training errors, and literals."""

    theirs: int
    same_size: int
    ours: int
    unequal: bool
    their_literals: int
    our_literals: int


def coded(binarizer: Any, X: np.ndarray) -> np.ndarray:
    """Columns as the numbers of STreeD's cuts that are below their values."""
    binary = [X[:, place] for place in binarizer.binary_columns]
    cuts = binarizer.continuous_binarizer.thresholds_ if binarizer.continuous_columns else ()
    pairs = zip(binarizer.continuous_columns, cuts, strict=True)
    return np.column_stack([*binary, *(np.searchsorted(c, X[:, place]) for place, c in pairs)])


def tree(depth: int) -> TreeClassifier:
    """Return an untrained optimal tree with all cuts of the codes."""
    options = {"max_cuts": 1000, "certificate": None}
    return TreeClassifier(search="optimal", max_depth=depth, **options)


def of_size(table: Table, labels: np.ndarray, depth: int, literals: int) -> Any:
    """Return the best tree of ours of at most this depth and size."""
    path = tree(max(depth, 1)).fit(table, labels).path_
    few = [entry.model for entry in path if entry.model.body.literals <= literals]
    return max(few, key=lambda model: model.body.literals)


def wrong(answers: Any, labels: np.ndarray) -> int:
    return int((np.asarray(answers) != labels).sum())


def figures(task: Task, frame: pandas.DataFrame, fold: tuple[int, ...], seed: int) -> Figures:
    """Learn from all rows but those of a fold, and test on these."""
    tested = np.zeros(task.table.rows, bool)
    tested[list(fold)] = True
    parts = encoded(frame, task.labels, tested)
    y, z = parts.y, np.searchsorted(parts.classes, task.labels[tested])
    theirs = package_peers.streed(seed, DEPTH, NODES, tuned=True).fit(parts.X, y)
    nodes = theirs.get_n_leaves() - 1
    codes = coded(theirs.binarizer_, np.vstack([parts.X, parts.T]))
    table = detect_table(pandas.DataFrame(codes.astype(float)).add_prefix("x"))
    training, testing = table.take(np.arange(len(y))), table.take(np.arange(len(y), table.rows))
    same = of_size(training, y, theirs.get_depth(), nodes)
    ours = TunedSize([partial(tree, depth) for depth in (2, DEPTH)], seed).fit(training, y)
    return Figures(
        wrong(theirs.predict(parts.T), z),
        wrong(same.predict(testing), z),
        wrong(ours.predict(testing), z),
        wrong(theirs.predict(parts.X), y) != wrong(same.predict(training), y),
        nodes,
        ours.model_.body.literals,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", nargs="+", default=list(tasks.TABLES))
    parser.add_argument("--shuffles", type=int, default=1, help="divisions into ten folds")
    options = parser.parse_args()
    print(LINE.format("", "STreeD", "same size", "ours", "unequal", "STreeD", "ours"))
    heads = ("error %", "error %", "error %", "folds", "literals", "literals")
    print(LINE.format("table", *heads))
    for name in filter(tasks.here, options.tables):
        task = tasks.task(name, 10, options.shuffles)
        frame = pandas.DataFrame(entrants.arrays(task.table))
        pairs = zip(task.folds, task.seeds, strict=True)
        found = np.array([figures(task, frame, fold, seed) for fold, seed in pairs], float)
        errors = 100 * found[:, :3].sum(axis=0) / (options.shuffles * task.table.rows)
        cells = [f"{error:.2f}" for error in errors]
        sizes = [f"{size:.1f}" for size in found[:, 4:].mean(axis=0)]
        print(LINE.format(name, *cells, f"{found[:, 3].sum():.0f}", *sizes), flush=True)


if __name__ == "__main__":
    main()
