"""Decision trees on large tables: Rulewright beside scikit-learn's tree and Weka's J48, in one run.

Against scikit-learn: both grow until leaves are pure, on made tables of 20 numeric columns, two
classes, a tenth of the labels redrawn (scikit-learn works on float32, we on float64). C5.0 itself
is in neither PyPI nor Debian. Where it was measured beside scikit-learn on tables of these sizes,
it took 0.65 (100,000 rows: 3.1 s to 4.8 s) and 0.66 (1,000,000 rows: 54 s to 82 s) of the CPU time,
so a ratio above 1.55 below is what it takes to be faster than C5.0 was there.

Against J48: both as C4.5 prunes, on Adult and Covertype from the folder RULEWRIGHT_DATA, categories
as categories. Each program fits in a process of its own, one after the other; what is compared is
the CPU time of ``fit`` (of J48: of its building thread alone, without reading, compiling and
collecting garbage).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import weka
from sklearn.datasets import make_classification

REPEATS = 3
LARGE = 500_000  # from so many rows on, one fit each

PROGRAM = """
import json, sys, time
import numpy as np
{imports}
{data}
tree = {tree}
start = time.process_time()
tree.fit(X, y)
seconds = time.process_time() - start
errors = int((tree.predict(X) != y).sum())
print(json.dumps({{"seconds": seconds, "errors": errors, "leaves": {leaves}}}))
"""
LEAVES = "sum(isinstance(node, Leaf) for node in tree.model_.body.nodes)"
OURS = """
from rulewright import TreeClassifier
from rulewright.rules import Leaf
"""
MADE = "X, y = np.load(sys.argv[1]), np.load(sys.argv[2])"
GROWN = PROGRAM.format(
    imports=OURS,
    data=MADE,
    tree='TreeClassifier(preset="cart", pruning="none", n_jobs=1)',
    leaves=LEAVES,
)
SCIKIT_LEARN = PROGRAM.format(
    imports="from sklearn.tree import DecisionTreeClassifier",
    data=MADE,
    tree="DecisionTreeClassifier(random_state=0)",
    leaves="int(tree.get_n_leaves())",
)
PRUNED = PROGRAM.format(
    imports=OURS + "import weka",
    data="X, y = weka.read(sys.argv[1])",
    tree='TreeClassifier(preset="c4.5", n_jobs=1)',
    leaves=LEAVES,
)


def made(rows: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        rows,
        20,
        n_informative=10,
        n_redundant=0,
        n_clusters_per_class=4,
        flip_y=0.1,
        random_state=0,
    )


def run(program: str, *arguments: object, repeats: int) -> dict:
    """Fit a few times, each in a process of its own; keep the fastest."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    results = [
        json.loads(
            subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout
        )
        for _ in range(repeats)
    ]
    return min(results, key=lambda result: result["seconds"])


def show(name: str, rows: int, theirs: dict | None, mine: dict | None) -> None:
    cells = [f"{name:>10} {rows:>9,}"]
    for found in (theirs, mine):
        if found is None:
            cells.append(f"{'-':>9} {'-':>9} {'-':>8}")
        else:
            share = found["errors"] / rows
            cells.append(f"{found['seconds']:>8.2f}s {share:>8.2%} {found['leaves']:>8,}")
    if theirs and mine:
        cells.append(f"{theirs['seconds'] / mine['seconds']:>6.2f}x")
    print(" ".join(cells), flush=True)


def head(peer: str) -> None:
    names = ("table", "rows", peer, "error", "leaves", "ours", "error", "leaves", "ratio")
    print("\n{:>10} {:>9} {:>9} {:>8} {:>8} {:>9} {:>8} {:>8} {:>7}".format(*names))


def against_scikit_learn(sizes: list[int], peer_only: bool) -> None:
    head("sklearn")
    for rows in sizes:
        repeats = 1 if rows >= LARGE else REPEATS
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / "X.npy", Path(folder) / "y.npy"]
            for path, array in zip(paths, made(rows), strict=True):
                np.save(path, array)
            theirs = run(SCIKIT_LEARN, *paths, repeats=repeats)
            mine = None if peer_only else run(GROWN, *paths, repeats=repeats)
        show("made", rows, theirs, mine)


def against_j48(names: list[str], options: argparse.Namespace) -> None:
    lack = weka.lacking(options.j48)
    if lack:
        print(f"\nThe comparison with J48 is left out: {lack}.")
        return
    head("J48")
    for name in names:
        table, labels = weka.read(name)
        repeats = 1 if table.rows >= LARGE else REPEATS
        theirs = None
        # All in one Java machine, so that the later ones run code that is compiled already.
        folds = weka.folds("J48", table, labels, [()] * repeats, options.j48, options.limit)
        if folds:
            best = min(folds, key=lambda fold: fold.seconds)
            theirs = {"seconds": best.seconds, "errors": best.errors, "leaves": best.size}
        else:
            print(f"J48 did not finish {name} in {options.limit} CPU seconds.")
        mine = None if options.peer_only else run(PRUNED, name, repeats=repeats)
        show(name, table.rows, theirs, mine)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="1,000,000 rows and Covertype, too")
    parser.add_argument("--only", choices=("sklearn", "j48"), help="run one comparison")
    parser.add_argument("--j48", default=weka.JAR, metavar="JAR", help="Weka's jar")
    parser.add_argument("--limit", type=float, default=1200, help="CPU seconds of J48")
    parser.add_argument("--peer-only", action="store_true", help="run the peers alone")
    options = parser.parse_args()
    print(f"\nOne tree; CPU seconds of fit on one core, best of {REPEATS} (of 1 when large)")
    if options.only != "j48":
        sizes = [100_000, 1_000_000] if options.large else [100_000]
        against_scikit_learn(sizes, options.peer_only)
    if options.only != "sklearn":
        against_j48(["adult", "covertype"] if options.large else ["adult"], options)
    print("\nerror: on the training examples. ratio: the peer's seconds over ours.")


if __name__ == "__main__":
    main()
