"""Corrections of a rule's counts: how long they take, and how they grow with the layers.

Needs RULEWRIGHT_DATA. For every set and number of columns: medians over columns and directions that
were drawn at random.
"""

from __future__ import annotations

import os
import sys
import time
from statistics import median

import numpy as np

from rulewright.bounds import sc_corrections
from rulewright.datasets import load

SETS = ("bupa", "pima", "heart_hungarian")
LAYERS = (0, 2, 5, 8, None)
DRAWS = 12


def numeric(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a set, and which rows are of its rarer class."""
    data = load(name)
    X = np.column_stack([column.values for column in data.table.numeric])
    labels, numbers = np.unique(np.asarray(data.y).astype(str), return_inverse=True)
    return X, numbers == np.bincount(numbers, minlength=labels.size).argmin()


def draw(X: np.ndarray, columns: int, rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    chosen = rng.choice(X.shape[1], columns, replace=False)
    return X[:, chosen], rng.choice(["<=", ">="], columns).tolist()


def measure(X: np.ndarray, target: np.ndarray, columns: int, layers: int | None) -> str:
    rng = np.random.default_rng(5)
    budget = {} if layers is not None else {"budget": 200_000}
    runs, times = [], []
    for _ in range(DRAWS):
        table, signs = draw(X, columns, rng)
        start = time.process_time()
        runs.append(sc_corrections(table, target, signs, layers=layers, **budget))
        times.append(time.process_time() - start)
    half = target.size // 2
    return (
        f"{'all' if layers is None else layers:>6} {median(f.rules for f in runs):>7.0f} "
        f"{1000 * median(times):>8.2f} {half * median(f.eps_n for f in runs):>8.1f} "
        f"{half * median(f.eps_p for f in runs):>8.1f} {sum(f.complete for f in runs)} of {DRAWS}"
    )


def main() -> None:
    if not os.environ.get("RULEWRIGHT_DATA"):
        sys.exit("RULEWRIGHT_DATA must name the folder with the data sets")
    print("set              rows columns layers   rules   CPU ms  l eps_n  l eps_p complete")
    for name in SETS:
        X, target = numeric(name)
        for columns in (1, 2, 3, 5):
            for layers in LAYERS:
                line = measure(X, target, columns, layers)
                print(f"{name:<16} {target.size:>4} {columns:>7} {line}")


if __name__ == "__main__":
    main()
