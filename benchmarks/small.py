"""What a user waits for on small data: imports, a fit, the whole command line."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def seconds(command: list[str], folder: str) -> float:
    """Best of five runs of a command, wall clock."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def fit_seconds() -> float:
    from sklearn.datasets import load_breast_cancer

    from rulewright import SetCoveringMachine

    X, y = load_breast_cancer(return_X_y=True)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        SetCoveringMachine(max_rules=5).fit(X, y)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    os.environ["RULEWRIGHT_DATA"] = ""
    program = str(Path(sys.executable).parent / "rulewright")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [program, "data", "wdbc", "--out", "wdbc.csv"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        fit = [program, "fit", "wdbc.csv", "--target", "class", "--out", "m.json"]
        lines = [
            ("import sklearn.base", seconds([sys.executable, "-c", "import sklearn.base"], folder)),
            ("import rulewright", seconds([sys.executable, "-c", "import rulewright"], folder)),
            ("SetCoveringMachine.fit, 569 x 30, 5 rules", fit_seconds()),
            ("rulewright fit wdbc.csv", seconds(fit, folder)),
            ("rulewright fit ... --report r.html", seconds([*fit, "--report", "r.html"], folder)),
            ("rulewright show m.json", seconds([program, "show", "m.json"], folder)),
        ]
    for what, took in lines:
        print(f"{what:<45} {1000 * took:>8.1f} ms")


if __name__ == "__main__":
    main()
