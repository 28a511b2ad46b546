"""wittgenstein's RIPPER with its defaults, trained and tested again for each line of a file.

Usage: ``python wittgenstein_folds.py table.npz folds.txt [seconds]``, with the same lines in and
out as ``WekaFolds.java``. It needs only NumPy, pandas and wittgenstein. Rules are for the class
that is rarer in training. It has no missing values: text has ``?`` for them already, and numbers
get the median of the training rows.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from typing import NoReturn

import numpy as np
import pandas
from wittgenstein import RIPPER


def stop(*_: object) -> NoReturn:
    os._exit(0)  # the package catches all exceptions in places, SystemExit too


def read(path: str) -> tuple[pandas.DataFrame, np.ndarray]:
    with np.load(path) as arrays:
        columns = {name: arrays[name] for name in arrays if name != "labels"}
        return pandas.DataFrame(columns), arrays["labels"]


def filled(table: pandas.DataFrame, tested: np.ndarray) -> pandas.DataFrame:
    numbers = table.select_dtypes("number").columns
    return table.fillna(table.loc[~tested, numbers].median().fillna(0.0))


def fold(table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray, seed: int) -> str:
    """Fit and test; give errors, rules, rules again, CPU seconds and conditions."""
    training, known = table[~tested], labels[~tested]
    classes, counts = np.unique(known, return_counts=True)
    rare, other = classes[counts.argsort(kind="stable")]
    model = RIPPER(random_state=seed)
    start = time.process_time()
    model.fit(training, y=known, pos_class=rare)
    seconds = time.process_time() - start
    answers = np.where(model.predict(table[tested]), rare, other)
    rules = model.ruleset_.rules
    literals = sum(len(rule.conds) for rule in rules)
    errors = (answers != labels[tested]).sum()
    return f"{errors} {len(rules) + 1} {len(rules) + 1} {seconds:.6f} {literals}"


def main() -> None:
    warnings.simplefilter("ignore")
    table, labels = read(sys.argv[1])
    if len(sys.argv) > 3:
        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, float(sys.argv[3]))
    with open(sys.argv[2], encoding="utf-8") as lines:
        for line in lines:
            seed, *rows = map(int, line.split())
            tested = np.zeros(labels.size, bool)
            tested[rows] = True
            print(fold(filled(table, tested), labels, tested, seed), flush=True)


if __name__ == "__main__":
    main()
