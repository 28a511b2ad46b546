"""A package's rule learner with its defaults, trained and tested again for each line of a file.

Usage: ``python package_folds.py wittgenstein table.npz folds.txt [seconds]``, with the same lines
in and out as ``WekaFolds.java``; the seconds are CPU time of all that is done. It needs only NumPy,
pandas and the package, so that it runs in an environment of its own.

wittgenstein's RIPPER gets rules for the class that is rarer in training. It has no missing values:
``?`` is a category, and numbers get the median of the training rows. c50py's rulesets follow C5.0
but are not C5.0's: its trees are binary.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import pandas


def stop(*_: object) -> NoReturn:
    os._exit(0)  # wittgenstein catches all exceptions in places, SystemExit too


def read(path: str) -> tuple[pandas.DataFrame, np.ndarray]:
    with np.load(path) as arrays:
        columns = {name: arrays[name] for name in arrays if name != "labels"}
        return pandas.DataFrame(columns), arrays["labels"]


def filled(table: pandas.DataFrame, tested: np.ndarray) -> pandas.DataFrame:
    numbers = table.select_dtypes("number").columns
    return table.fillna(table.loc[~tested, numbers].median().fillna(0.0))


def with_gaps(table: pandas.DataFrame) -> pandas.DataFrame:
    texts = table.select_dtypes(exclude="number").columns
    return table.assign(
        **{name: table[name].astype(object).replace("?", None).astype("category") for name in texts}
    )


def timed(fit: Callable[[], object]) -> float:
    start = time.process_time()
    fit()
    return time.process_time() - start


def wittgenstein(
    table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray, seed: int
) -> tuple[np.ndarray, int, float, int]:
    """Give answers, rules with the default, CPU seconds, and conditions."""
    from wittgenstein import RIPPER

    table, known = filled(table, tested), labels[~tested]
    classes, counts = np.unique(known, return_counts=True)
    rare, other = classes[counts.argsort(kind="stable")]
    model = RIPPER(random_state=seed)
    seconds = timed(lambda: model.fit(table[~tested], y=known, pos_class=rare))
    answers = np.where(model.predict(table[tested]), rare, other)
    rules = model.ruleset_.rules
    return answers, len(rules) + 1, seconds, sum(len(rule.conds) for rule in rules)


def c50py(
    table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray, seed: int
) -> tuple[np.ndarray, int, float, int]:
    """Give answers, rules with the default, CPU seconds, and conditions."""
    from c50py import C5RulesClassifier

    table, model = with_gaps(table), C5RulesClassifier()
    seconds = timed(lambda: model.fit(table[~tested], labels[~tested]))
    literals = sum(len(rule.conditions) for rule in model.rules_)
    return model.predict(table[tested]), len(model.rules_) + 1, seconds, literals


LEARNERS: dict[str, Callable[..., Any]] = {"wittgenstein": wittgenstein, "c50py": c50py}


def main(package: str, data: str, folds: str, limit: str | None = None) -> None:
    warnings.simplefilter("ignore")
    table, labels = read(data)
    if limit:
        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, float(limit))
    with open(folds, encoding="utf-8") as lines:
        for line in lines:
            seed, *rows = map(int, line.split())
            tested = np.zeros(labels.size, bool)
            tested[rows] = True
            answers, rules, seconds, literals = LEARNERS[package](table, labels, tested, seed)
            errors = (answers != labels[tested]).sum()
            print(f"{errors} {rules} {rules} {seconds:.6f} {literals}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
