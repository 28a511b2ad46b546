"""Three half-space rules: Rulewright's search beside a plain scan of every pair, in one run.

The plain scan sorts the rows by their margin for every pair of a positive and a negative example.
It comes twice: in C++ (``plain_scan.cpp``, compiled here with the flags of the core) and in NumPy,
on every fiftieth pair, its seconds multiplied. All run on one thread, and count the CPU seconds of
three steps of a conjunction with p = 1.5; ours include the similarities. The scans are asked the
same three questions, and every answer must be as useful as ours. ``fit`` is the wall clock of a
whole ``SetCoveringMachine.fit`` on two threads, certificates and all.
"""

from __future__ import annotations

import ctypes
import math
import os
import subprocess
import time
from pathlib import Path

import numpy as np

from rulewright import SetCoveringMachine
from rulewright.kernels import PairIndex, similarity_rows

ROOT = Path(__file__).parent
LIBRARY = Path("build/bench/plain_scan.so")
FLAGS = ["-std=c++20", "-O3", "-ffp-contract=off", "-shared", "-fPIC"]
RULES = 3
EVERY = 50
REPEATS = 3
GAMMAS = (1, 30, 1000)


class Problem:
    """Similarities of all rows, which rows are positive, and what a step needs of them."""

    def __init__(
        self, X: np.ndarray, y: np.ndarray, kernel: str, gamma: float = 1.0, threads: int = 1
    ) -> None:
        columns = [np.ascontiguousarray(x) for x in X.T]
        rows = np.arange(y.size, dtype=np.int32)
        self.similarity = similarity_rows(columns, rows, kernel, gamma=gamma, threads=threads)
        self.rows, self.y, self.threads = rows, y, threads
        # A rule that holds on the side of its positive example rejects toward the negative.
        self.toward, self.away = rows[~y], rows[y]

    def margins(self, pair: int) -> np.ndarray:
        i, j = divmod(pair, self.away.size)
        return self.similarity[self.toward[i]] - self.similarity[self.away[j]]


def middle_gamma(X: np.ndarray) -> float:
    """Make the median similarity of two rows a half."""
    rng = np.random.default_rng(0)
    a, b = (X[rng.integers(0, len(X), 4000)] for _ in range(2))
    return math.log(2) / float(np.median(((a - b) ** 2).sum(axis=1)))


def ours(problem: Problem) -> list[tuple[int, np.ndarray]]:
    """Choose rules greedily, 2 for a negative that is rejected and -3 for a positive.

    Give the usefulness of every rule, and the weights that it was chosen by.
    """
    index = PairIndex(
        problem.similarity, problem.rows, problem.toward, problem.away, threads=problem.threads
    )
    weight = np.where(problem.y, -3, 2)
    steps = []
    for _ in range(RULES):
        found = index.heaviest(weight, problem.y)
        steps.append((found.total, weight))
        margins = problem.margins(found.ray)
        weight = np.where(margins > margins[found.border], 0, weight)
    return steps


def best_cut(margins: np.ndarray, weight: np.ndarray, border: np.ndarray) -> tuple[int, float]:
    order = np.argsort(-margins)
    sorted_margins = margins[order]
    above = np.append(0, np.cumsum(weight[order]))
    first = np.searchsorted(-sorted_margins, -margins[border])
    totals = above[first]
    at = int(totals.argmax())
    return int(totals[at]), float(margins[border][at])


def scan_in_cpp(problem: Problem, scan, weights: list[np.ndarray]) -> list[int]:
    """Give the usefulness of the best half-space for each of the weights."""

    def pointer(array, kind):
        return np.ascontiguousarray(array).ctypes.data_as(ctypes.POINTER(kind))

    totals = []
    for weight in weights:
        out = np.zeros(3, np.int64)
        scan(
            pointer(problem.similarity, ctypes.c_double),
            ctypes.c_int64(problem.y.size),
            pointer(problem.toward, ctypes.c_int32),
            ctypes.c_int64(problem.toward.size),
            pointer(problem.away, ctypes.c_int32),
            ctypes.c_int64(problem.away.size),
            pointer(weight, ctypes.c_int64),
            pointer(problem.y.view(np.uint8), ctypes.c_uint8),
            pointer(out, ctypes.c_int64),
        )
        totals.append(int(out[0]))
    return totals


def scan_in_numpy(problem: Problem, weights: list[np.ndarray]) -> None:
    """Scan some pairs for each of the weights."""
    for weight in weights:
        wanted = (weight != 0) | problem.y
        lines, w, border = problem.similarity[:, wanted], weight[wanted], problem.y[wanted]
        for pair in range(0, problem.toward.size * problem.away.size, EVERY):
            i, j = divmod(pair, problem.away.size)
            best_cut(lines[problem.toward[i]] - lines[problem.away[j]], w, border)


def cpu_seconds(work, repeats: int = REPEATS, clock=time.process_time):
    best, result = math.inf, None
    for _ in range(repeats):
        start = clock()
        result = work()
        best = min(best, clock() - start)
    return best, result


def plain_scan():
    LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, *FLAGS, ROOT / "plain_scan.cpp", "-o", LIBRARY], check=True)
    return ctypes.CDLL(str(LIBRARY.resolve())).plain_scan


def real_tables() -> list[tuple[str, np.ndarray, np.ndarray]]:
    if not os.environ.get("RULEWRIGHT_DATA"):
        print("Pima and BreastW are left out: RULEWRIGHT_DATA names no folder with them.")
        return []
    from rulewright.datasets import load

    tables = []
    for name, positive in (("pima", "1"), ("breastw", "malignant")):
        data = load(name)
        X = np.column_stack([column.values for column in data.table.numeric])
        complete = ~np.isnan(X).any(axis=1)
        y = np.array([str(label) == positive for label in data.y])
        tables.append((name, X[complete], y[complete]))
        scaled = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
        tables.append((f"{name}, scaled", scaled[complete], y[complete]))
    return tables


def made_table(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 10))
    score = X[:, 0] + 0.7 * X[:, 1] * (X[:, 2] > 0) + 0.5 * rng.normal(size=rows)
    return X, score > 0.3


def compare(name: str, X: np.ndarray, y: np.ndarray, kernel: str, scan, gamma: float = 1.0) -> None:
    seconds, steps = cpu_seconds(lambda: ours(Problem(X, y, kernel, gamma)))
    mine, weights = [total for total, _ in steps], [weight for _, weight in steps]
    again = [total for total, _ in ours(Problem(X, y, kernel, gamma, 2))]
    machine = SetCoveringMachine(
        family="half_spaces", kernel=kernel, gamma=gamma, penalty=1.5, max_rules=RULES, n_jobs=2
    )
    wall, _ = cpu_seconds(lambda: machine.fit(X, y), clock=time.perf_counter)
    fitted = [round(2 * entry.usefulness) for entry in machine.path_]
    problem = Problem(X, y, kernel, gamma)
    in_cpp, theirs = cpu_seconds(lambda: scan_in_cpp(problem, scan, weights), repeats=1)
    in_numpy, _ = cpu_seconds(lambda: scan_in_numpy(problem, weights), repeats=1)
    in_numpy *= EVERY
    same = mine == theirs == again and fitted[0] == mine[0]
    label = f"{name}, rbf {gamma:.1g}" if kernel == "rbf" else f"{name}, {kernel}"
    equal = "equal" if same else f"ours {mine}, {again}, {fitted}, theirs {theirs}"
    print(
        f"{label:>28} {f'{y.size} x {X.shape[1]}':>9} {seconds:>8.3f}s {wall:>8.3f}s "
        f"{in_cpp:>8.1f}s {in_cpp / seconds:>5.0f}x {in_numpy:>8.1f}s {in_numpy / seconds:>5.0f}x"
        f"  {equal}",
        flush=True,
    )


def growth(kernel: str) -> None:
    before = None
    for rows in (250, 500, 1000, 2000):
        X, y = made_table(rows)
        gamma = middle_gamma(X)
        seconds, _ = cpu_seconds(lambda X=X, y=y, g=gamma: ours(Problem(X, y, kernel, g)))
        pairs = int(y.sum()) * int((~y).sum())
        power = "" if before is None else f"{math.log2(seconds / before):>6.2f}"
        print(f"{kernel:>10} {rows:>6} {pairs:>10,} {seconds:>8.3f}s {power:>7}", flush=True)
        before = seconds


def main() -> None:
    scan = plain_scan()
    print(f"\n{RULES} half-space rules, p = 1.5, conjunction; CPU seconds, best of {REPEATS}")
    print("rbf, gamma: the first makes the median similarity a half, the others are larger\n")
    head = ("table", "rows", "ours", "fit", "C++ scan", "ratio", "NumPy", "ratio")
    print("{:>28} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9} {:>6}  usefulness".format(*head))
    for name, X, y in [*real_tables(), ("made", *made_table(700))]:
        compare(name, X, y, "linear", scan)
        for times in GAMMAS:
            compare(name, X, y, "rbf", scan, times * middle_gamma(X))
    print(
        "\nratio: the scan's seconds over ours, one thread each. NumPy: from every fiftieth pair."
    )
    print("\nGrowth on made tables of 10 columns; power: of the number of rows (a scan has 3)\n")
    print("{:>10} {:>6} {:>10} {:>9} {:>7}".format("kernel", "rows", "pairs", "ours", "power"))
    for kernel in ("linear", "rbf"):
        growth(kernel)


if __name__ == "__main__":
    main()
