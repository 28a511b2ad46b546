"""A package's rule learner with its defaults, trained and tested again for each line of a file.

Usage: ``python package_folds.py wittgenstein table.npz folds.txt [seconds]``, with the same lines
in and out as ``WekaFolds.java``; the seconds are CPU time of all that is done. It needs only NumPy,
pandas and the package, and scikit-learn for those of ``package_peers.py``, so that it runs in an
environment of its own.

wittgenstein's RIPPER gets rules for the class that is rarer in training. It has no missing values:
``?`` is a category, and numbers get the median of the training rows. c50py's rulesets follow C5.0
but are not C5.0's: its trees are binary.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from typing import NoReturn, TextIO

import numpy as np
import pandas
from package_peers import PEERS, Result
from package_tables import filled, timed, with_gaps


def stop(*_: object) -> NoReturn:
    os._exit(0)  # wittgenstein catches all exceptions in places, SystemExit too


def read(path: str) -> tuple[pandas.DataFrame, np.ndarray]:
    with np.load(path) as arrays:
        columns = {name: arrays[name] for name in arrays if name != "labels"}
        return pandas.DataFrame(columns), arrays["labels"]


def wittgenstein(
    table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray, seed: int
) -> Result:
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


def c50py(table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray, seed: int) -> Result:
    """Give answers, rules with the default, CPU seconds, and conditions."""
    from c50py import C5RulesClassifier

    table, model = with_gaps(table), C5RulesClassifier()
    seconds = timed(lambda: model.fit(table[~tested], labels[~tested]))
    literals = sum(len(rule.conditions) for rule in model.rules_)
    return model.predict(table[tested]), len(model.rules_) + 1, seconds, literals


LEARNERS: dict[str, Callable[..., Result]] = {
    "wittgenstein": wittgenstein,
    "c50py": c50py,
    **{name: peer.learn for name, peer in PEERS.items()},
}


def only_results() -> TextIO:
    """Send all that packages print, from native code too, to the standard error instead."""
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return results


def main(package: str, data: str, folds: str, limit: str | None = None) -> None:
    warnings.simplefilter("ignore")
    results = only_results()
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
            print(f"{errors} {rules} {rules} {seconds:.6f} {literals}", file=results, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
