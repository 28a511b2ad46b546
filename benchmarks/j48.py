"""TreeClassifier(preset="c4.5") beside Weka's J48, on the same folds of twelve real sets.

Both are descendants of C4.5 with its defaults (confidence 0.25, two examples a branch). Three
shuffles of stratified ten folds; a set's error is the share of rows misjudged, over all shuffles.
The sets come from the folder RULEWRIGHT_DATA. What J48 does is kept in a file, under a hash of the
very table and folds, so that it runs once; delete the file to run it again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import weka
from sklearn.model_selection import StratifiedKFold

from rulewright.data import Table

SETS = (
    "credit german_readable heart_cleveland heart_hungarian hepatitis labor votes "
    "titanic_passengers car breastw pima glass"
).split()
CACHE = Path("build/bench/j48.json")
SHUFFLES = (0, 1, 2)
FOLDS = 10


def folds_of(labels: np.ndarray) -> list[list[int]]:
    """Give the rows to test on, fold after fold, shuffle after shuffle."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a kind of glass has only nine rows
        return [
            tested.tolist()
            for seed in SHUFFLES
            for _, tested in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(
                labels, labels
            )
        ]


def peer(
    table: Table, labels: np.ndarray, folds: Sequence[Sequence[int]], jar: str, cache: Path
) -> list[weka.Fold]:
    """Run J48, or remember what it did."""
    text = "".join(weka.arff(table, labels)) + json.dumps(folds)
    key = hashlib.sha256(text.encode()).hexdigest()
    kept = json.loads(cache.read_text()) if cache.exists() else {}
    if key not in kept:
        kept[key] = weka.folds("J48", table, labels, folds, jar)
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(json.dumps(kept))
    return [weka.Fold(*fold) for fold in kept[key]]


def ours(table: Table, labels: np.ndarray, folds: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Count errors and leaves of our trees, fold by fold."""
    from rulewright import TreeClassifier
    from rulewright.rules import Leaf

    found = []
    for fold in folds:
        tested = np.zeros(labels.size, bool)
        tested[fold] = True
        tree = TreeClassifier(preset="c4.5", missing_tests=False, n_jobs=1)
        tree.fit(table.take(~tested), labels[~tested])
        errors = int((tree.predict(table.take(tested)) != labels[tested]).sum())
        nodes = tree.model_.body.nodes
        found.append((errors, sum(isinstance(node, Leaf) for node in nodes)))
    return found


def shuffle_errors(errors: Sequence[int], rows: int) -> np.ndarray:
    """Share of rows misjudged in each shuffle."""
    return np.reshape(errors, (len(SHUFFLES), FOLDS)).sum(axis=1) / rows


def compare(name: str, options: argparse.Namespace) -> tuple[np.ndarray, np.ndarray] | None:
    """Print a line for a set; return our and J48's errors in each shuffle."""
    table, labels = weka.read(name)
    folds = folds_of(labels)
    theirs = peer(table, labels, folds, options.j48, options.cache)
    error = shuffle_errors([fold.errors for fold in theirs], labels.size)
    leaves = np.mean([fold.size for fold in theirs])
    reached = np.mean([fold.reached for fold in theirs])
    gaps = sum(int(column.missing.sum()) for column in table.columns)
    kinds = f"{len(table.numeric)}/{len(table.categorical)}"
    line = f"{name:>20} {labels.size:>5} {kinds:>6} {gaps:>5}"
    if options.peer_only:
        print(f"{line} {100 * error.mean():>7.2f} {leaves:>7.1f} {reached:>8.1f}", flush=True)
        return None
    found = ours(table, labels, folds)
    mine = shuffle_errors([errors for errors, _ in found], labels.size)
    print(
        f"{line} {100 * error.mean():>7.2f} {leaves:>7.1f} {reached:>8.1f} "
        f"{100 * mine.mean():>7.2f} {np.mean([n for _, n in found]):>7.1f} "
        f"{100 * (mine - error).mean():>+7.2f}",
        flush=True,
    )
    return mine, error


def summary(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
    """Print the mean difference with its standard error, over sets and over all shuffles.

    Shuffles of a set are not independent: the second standard error is on the small side.
    """
    by_shuffle = [100 * (mine - error) for mine, error in pairs]
    by_set = [difference.mean() for difference in by_shuffle]
    for what, values in (("sets", by_set), ("shuffles", np.concatenate(by_shuffle))):
        count = len(values)
        spread = np.std(values, ddof=1) / math.sqrt(count) if count > 1 else math.nan
        print(
            f"ours less J48, over {count:>2} {what}: {np.mean(values):+.2f} +- {spread:.2f} points"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS, help="names of sets")
    parser.add_argument("--j48", default=weka.JAR, metavar="JAR", help="Weka's jar")
    parser.add_argument(
        "--cache", type=Path, default=CACHE, metavar="JSON", help="keeps J48's part"
    )
    parser.add_argument("--peer-only", action="store_true", help="run J48 alone")
    options = parser.parse_args()
    lack = weka.lacking(options.j48)
    if lack:
        print(f"The comparison with J48 is left out: {lack}.")
        return
    print(f"\n{len(SHUFFLES)} shuffles of {FOLDS} folds; error in %, leaves on average\n")
    head = ("set", "rows", "n/c", "gaps", "J48", "leaves", "reached", "ours", "leaves", "less")
    form = "{:>20} {:>5} {:>6} {:>5} {:>7} {:>7} {:>8}"
    form += "" if options.peer_only else " {:>7} {:>7} {:>7}"
    print(form.format(*head))
    pairs = [pair for name in options.sets if (pair := compare(name, options))]
    print("\nn/c: numeric and categorical columns. gaps: missing cells. less: ours less J48.")
    print(
        "reached: leaves that training examples reach; J48 makes one for every category declared."
    )
    if pairs:
        summary(pairs)


if __name__ == "__main__":
    main()
