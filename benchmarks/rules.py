"""Rule lists and rule votes beside Weka's JRip, in one run: CPU seconds and held-out error.

Adult and Taiwan's credit cards from the folder RULEWRIGHT_DATA, and made tables of 20 numeric
columns, two classes, a tenth of the labels redrawn. Two thirds of the rows train, the others test,
the same for all. JRip's seconds are those of its building thread alone, without reading, compiling
and collecting garbage; ours are all of ``fit``, the certificates of all sizes included. Weka is
left out where it is not installed, and real tables where there are none.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
import weka
from sklearn.datasets import make_classification

from rulewright import RuleListClassifier, RuleVoteClassifier
from rulewright.data import Table, detect_table

LARGE = 100_000  # from so many rows on, one fit each
LINE = "{:>14} {:>7} {:>24} {:>8} {:>8} {:>8} {:>6} {:>8}"
LEARNERS = {
    "list": RuleListClassifier(),
    "list, entropy, width 1": RuleListClassifier("entropy", beam_width=1),
    "list, entropy, width 5": RuleListClassifier("entropy", beam_width=5),
    "list, fisher, width 1": RuleListClassifier("fisher", beam_width=1),
    "list, fisher, width 5": RuleListClassifier("fisher", beam_width=5),
    "vote of 20": RuleVoteClassifier(max_rules=20),
}
"""The first is the default, which may be one of those that follow."""


def made(rows: int) -> tuple[Table, np.ndarray]:
    X, y = make_classification(
        rows,
        20,
        n_informative=10,
        n_redundant=0,
        n_clusters_per_class=4,
        flip_y=0.1,
        random_state=0,
    )
    return detect_table(X), y.astype(str)


def held_out(rows: int) -> np.ndarray:
    """Choose a third of the rows to test on."""
    return np.random.default_rng(0).permutation(rows) < rows // 3


def ours(table: Table, labels: np.ndarray, tested: np.ndarray, name: str, most: int) -> list[str]:
    """Fit a few times on one thread and keep the fastest."""
    training, known = table.take(~tested), labels[~tested]
    learner = LEARNERS[name].set_params(n_jobs=1)
    times = []
    for _ in range(most):
        cpu, wall = time.process_time(), time.perf_counter()
        learner.fit(training, known)
        times.append((time.process_time() - cpu, time.perf_counter() - wall))
    error = (learner.predict(table.take(tested)) != labels[tested]).mean()
    cpu, wall = min(times)
    bound = learner.certificate_.bound
    size = len(learner.model_.rules)
    return [f"{cpu:.2f}", f"{wall:.2f}", f"{error:.2%}", f"{size}", f"{bound:.2%}"]


def jrip(
    table: Table, labels: np.ndarray, tested: np.ndarray, options: argparse.Namespace
) -> list[str]:
    fold = np.flatnonzero(tested).tolist()
    done = weka.folds("JRip", table, labels, [fold], options.weka, options.limit)
    if not done:
        return [f"> {options.limit:g}", *["-"] * 4]
    (found,) = done
    error = found.errors / tested.sum()
    return [f"{found.seconds:.2f}", "-", f"{error:.2%}", f"{found.size}", "-"]


def compare(name: str, table: Table, labels: np.ndarray, options: argparse.Namespace) -> None:
    tested = held_out(table.rows)
    start = [name, f"{table.rows:,}"]
    classes, counts = np.unique(labels[~tested], return_counts=True)
    error = (labels[tested] != classes[counts.argmax()]).mean()
    print(LINE.format(*start, "majority", "-", "-", f"{error:.2%}", "1", "-"), flush=True)
    repeats = 1 if table.rows >= LARGE else options.repeats
    for learner in LEARNERS:
        found = ours(table, labels, tested, learner, repeats)
        print(LINE.format(*start, learner, *found), flush=True)
    if weka.no_weka(options.weka) is None and table.rows <= options.most:
        found = jrip(table, labels, tested, options)
        print(LINE.format(*start, "JRip", *found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="fits of each, the fastest counts")
    parser.add_argument("--weka", default=weka.JAR, metavar="JAR", help="Weka's jar")
    parser.add_argument("--limit", type=float, default=300, help="CPU seconds that JRip may take")
    parser.add_argument("--most", type=int, default=60_000, help="rows that JRip is given at most")
    options = parser.parse_args()
    lack = weka.no_weka(options.weka)
    if lack:
        print(f"The comparison with JRip is left out: {lack}.")
    head = ("table", "rows", "learner", "CPU s", "wall s", "error", "rules", "bound")
    print(f"\nTwo thirds train; one thread, the fastest of {options.repeats} (of 1 when large)\n")
    print(LINE.format(*head))
    if os.environ.get("RULEWRIGHT_DATA"):
        for name in ("adult", "taiwan_credit"):
            compare(name, *weka.read(name), options)
    else:
        print("Adult and Taiwan's cards are left out: RULEWRIGHT_DATA names no folder.")
    for rows in (10_000, 100_000):
        compare("made", *made(rows), options)
    print("\nerror: on the rows held out. bound: what the certificate promises of new cases.")


if __name__ == "__main__":
    main()
