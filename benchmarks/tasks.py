"""What the classics are compared on: real sets with their folds, and made tables."""

from __future__ import annotations

import hashlib
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import weka
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold

from rulewright.data import Table, detect_table

TABLES = (
    # K. Vorontsov and A. Ivahnenko (2011); "liver" is bupa, "heart" the Hungarian one
    "australian",
    "echocardiogram",
    "heart_hungarian",
    "hepatitis",
    "labor",
    "bupa",
    # the papers on set covering and decision list machines, which have bupa too
    "breastw",
    "votes",
    "pima",
    "haberman",
    "glass2",
    "credit",
)
"""The twelve sets of the papers' tables; Glass as in the one with 163 rows."""
MONKS = ("monks1", "monks2", "monks3")
OTHERS = ("glass", "german", "car", "tic_tac_toe", "mushroom", *MONKS, "adult")
SETS = (*TABLES, *OTHERS)
QUICK = ("labor", "bupa", "votes", "monks1")
NOISE = 0.1  # of the labels of made tables


@dataclass(frozen=True)
class Task:
    """A table and the rows to test on, the same number of folds in every shuffle.

    ``seeds`` has one for each fold, the same throughout a shuffle.
    """

    name: str
    table: Table
    labels: np.ndarray
    folds: tuple[tuple[int, ...], ...]
    seeds: tuple[int, ...]

    @property
    def shuffles(self) -> int:
        return len(set(self.seeds))

    @property
    def classes(self) -> int:
        return len(np.unique(self.labels))

    def of_shuffles(self, first: int, last: int) -> Task:
        """Keep the folds of the shuffles from the first up to, but not including, the last."""
        each = len(self.folds) // self.shuffles
        part = slice(first * each, last * each)
        return Task(self.name, self.table, self.labels, self.folds[part], self.seeds[part])

    def digest(self) -> str:
        """Tell this very table and these very folds from all others."""
        found = hashlib.sha256()
        for text in (*weka.arff(self.table, self.labels), weka.fold_lines(self.folds, self.seeds)):
            found.update(text.encode())
        return found.hexdigest()[:20]


def here(name: str) -> bool:
    """Tell whether the folder RULEWRIGHT_DATA has the files of a set."""
    folder = os.environ.get("RULEWRIGHT_DATA")
    files = [f"{name}_train", f"{name}_test"] if name in MONKS else [name]
    return bool(folder) and all(
        (Path(folder) / f"{file}.csv").exists() or (Path(folder) / f"{file}.csv.gz").exists()
        for file in files
    )


def task(name: str, folds: int, shuffles: int) -> Task:
    """Read a set and split it; the three of the monks have a part of their own to test on."""
    if name in MONKS:
        table, labels, tested = _monks(name)
        parts = [[tested]] * shuffles
    else:
        table, labels = weka.read(name)
        parts = [_stratified(labels, folds, seed) for seed in range(shuffles)]
    rows = tuple(tuple(fold.tolist()) for part in parts for fold in part)
    seeds = tuple(seed for seed, part in enumerate(parts, 1) for _ in part)
    return Task(name, table, labels, rows, seeds)


def _stratified(labels: np.ndarray, folds: int, seed: int) -> list[np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a kind of glass has only nine rows
        splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(labels, labels)
        return [tested for _, tested in splits]


def _monks(name: str) -> tuple[Table, np.ndarray, np.ndarray]:
    import pandas

    folder = Path(os.environ["RULEWRIGHT_DATA"])
    training, testing = (
        pandas.read_csv(folder / f"{name}_{part}.csv", dtype=str) for part in ("train", "test")
    )
    whole = pandas.concat([training, testing])
    tested = np.arange(len(training), len(whole))
    return detect_table(whole.drop(columns="class")), whole["class"].to_numpy(str), tested


def conjunctions(rows: int, columns: int) -> tuple[Table, np.ndarray]:
    """Make a table of numbers that hardly repeat, and two classes.

    The second class is where one of three conjunctions holds, which test eight of the columns. A
    tenth of all labels are turned round.
    """
    draw = np.random.default_rng(0)
    X = draw.standard_normal((rows, columns))
    a, b, c, d, e, f, g, h = X[:, :8].T
    truth = (a > 0.3) & (b < 0.5) & (c > -1)
    truth |= (d > 1) & (e < 0)
    truth |= (f < -0.8) & (g > 0) & (h < 1)
    return detect_table(X), (truth ^ (draw.random(rows) < NOISE)).astype(int).astype(str)


def clusters(rows: int, columns: int) -> tuple[Table, np.ndarray]:
    """Make a table of numbers in which each of two classes has four clusters, in ten columns.

    No few rules tell them apart. A tenth of all labels are redrawn.
    """
    X, y = make_classification(
        rows,
        columns,
        n_informative=10,
        n_redundant=0,
        n_clusters_per_class=4,
        flip_y=NOISE,
        random_state=0,
    )
    return detect_table(X), y.astype(str)


MADE = {"conjunctions": conjunctions, "clusters": clusters}


def held_out(
    table: Table, labels: np.ndarray, name: str, tested: int, max_training: int | None = None
) -> Task:
    """Let so many rows, drawn at random, be tested, and all others or so many of them train."""
    drawn = np.random.default_rng(0).permutation(table.rows)
    kept = np.sort(drawn if max_training is None else drawn[: tested + max_training])
    rows = np.searchsorted(kept, np.sort(drawn[:tested]))
    return Task(name, table.take(kept), labels[kept], (tuple(rows.tolist()),), (1,))
