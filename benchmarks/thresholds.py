"""Ten threshold rules on large tables: Rulewright beside pyscm, in one run.

pyscm-ml is the other implementation of the set covering machine on thresholds. It needs NumPy 1,
so it gets an environment of its own, made on the first run under build/. Each program fits in a
process of its own, one after the other, on the same file; what is compared is the CPU time of
``fit``, the memory that ``fit`` adds at its peak, and the usefulness of every rule chosen, counted
again here.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

PEER = Path("build/bench/pyscm")
RULES = 10
REPEATS = 3

PROGRAM = """
import json, sys, time
import numpy as np
{imports}
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
machine = {machine}

def resident(what):  # of this process; getrusage's peak would begin with its parent's
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(what))

before = resident("VmRSS")
start = time.process_time()
machine.fit(X, y)
seconds = time.process_time() - start
peak = resident("VmHWM")
rules = {rules}
print(json.dumps({{"seconds": seconds, "memory": peak - before, "rules": rules}}))
"""
OURS = PROGRAM.format(
    imports="from rulewright import SetCoveringMachine",
    machine='SetCoveringMachine(penalty=1.0, max_rules=int(sys.argv[3]), family="thresholds")',
    rules="[(int(p.column[1:]), p.above, p.cut) for p in machine.model_.body.parts]",
)
THEIRS = PROGRAM.format(
    imports="from pyscm import SetCoveringMachineClassifier as Machine",
    machine='Machine(p=1.0, max_rules=int(sys.argv[3]), model_type="conjunction")',
    rules="[(int(r.feature_idx), r.kind == 'greater', float(r.threshold)) "
    "for r in machine.model_.rules]",
)


def peer_python() -> Path:
    """Make pyscm's environment, once."""
    python = PEER / "bin" / "python"
    if not (PEER / ".ready").exists():
        print("installing pyscm-ml and NumPy 1 in an environment of their own ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", PEER], check=True)
        install = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        subprocess.run(
            [*install, "numpy<2", "scikit-learn", "six", "setuptools", "wheel"], check=True
        )
        subprocess.run([*install, "--no-build-isolation", "pyscm-ml"], check=True)
        (PEER / ".ready").touch()
    return python


def table(rows: int, columns: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    if kind == "rounded":
        X = np.round(X, 2)  # many ties
    score = X[:, 0] + 0.7 * X[:, 1] * (X[:, 2] > 0) + 0.5 * rng.normal(size=rows)
    y = score > 0.3
    if kind == "noise":
        y = rng.random(rows) < 0.4
    return X, y.astype(np.int64)


def run(python: Path | str, program: str, *arguments: object) -> dict:
    """Fit a few times; keep the fastest, and the largest memory."""
    command = [str(python), "-c", program, *map(str, arguments)]
    results = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(REPEATS)
    ]
    best = min(results, key=lambda r: r["seconds"])
    return {**best, "memory": max(r["memory"] for r in results)}


def usefulness(rules: list, X: np.ndarray, y: np.ndarray) -> list[int]:
    """Count |Q| - |R| of each rule of a conjunction, on what the rules before it left."""
    left = np.ones(len(y), bool)
    values = []
    for column, above, cut in rules:
        x = X[:, column]
        rejected = left & ~(x > cut if above else x <= cut)
        values.append(int((rejected & (y == 0)).sum()) - int((rejected & (y == 1)).sum()))
        left &= ~rejected
    return values


def main() -> None:
    python = peer_python()
    print(f"\n{RULES} threshold rules, p = 1, conjunction; CPU seconds of fit, best of {REPEATS}\n")
    head = ("table", "ours", "pyscm", "ratio", "memory, ours", "pyscm", "usefulness")
    print("{:>26} {:>9} {:>9} {:>7} {:>13} {:>8}  {}".format(*head))
    for rows, kind in [
        (100_000, "normal"),
        (100_000, "rounded"),
        (100_000, "noise"),
        (1_000_000, "normal"),
        (1_000_000, "rounded"),
    ]:
        X, y = table(rows, 20, kind)
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / "X.npy", Path(folder) / "y.npy"]
            np.save(paths[0], X)
            np.save(paths[1], y)
            ours = run(sys.executable, OURS, *paths, RULES)
            theirs = run(python, THEIRS, *paths, RULES)
        mine, other = usefulness(ours["rules"], X, y), usefulness(theirs["rules"], X, y)
        print(
            f"{f'{rows:,} x 20, {kind}':>26} {ours['seconds']:>8.3f}s {theirs['seconds']:>8.3f}s "
            f"{theirs['seconds'] / ours['seconds']:>6.1f}x "
            f"{1 + ours['memory'] / X.nbytes:>12.2f}x {1 + theirs['memory'] / X.nbytes:>7.2f}x  "
            f"{'equal' if mine == other else f'ours {sum(mine)}, theirs {sum(other)}'}",
            flush=True,
        )
    print("\nratio: pyscm's seconds over ours. memory: peak of fit, in sizes of the matrix.")
    print(
        "usefulness: of every rule, in order; where ties are broken differently the sums are shown."
    )


if __name__ == "__main__":
    main()
