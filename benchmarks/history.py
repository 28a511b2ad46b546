"""Compares the CPU time of a few tasks with that of earlier versions, kept in ``history.jsonl``.

``python benchmarks/history.py`` prints the ratios, and fails if a task takes more than 1.5 times
as long as before. ``--record`` adds a line to the file. Times are the best of three, in seconds of
CPU, of all threads together.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HISTORY = Path(__file__).with_name("history.jsonl")
SLOWER = 1.5


def tables() -> tuple[Any, Any]:
    """A table of 20,000 rows in 10 columns, one of them text, and its classes."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(20_000, 9)).round(3)).add_prefix("x")
    X["city"] = rng.choice(["Bern", "Chur", "Thun"], len(X))
    good = (X["x0"] > 0.3) & (X["city"] != "Chur") | (X["x1"] + X["x2"] > 1.5)
    return X, np.where(good ^ (rng.random(len(X)) < 0.05), "yes", "no")


def tasks(folder: Path) -> dict[str, Callable[[], object]]:
    """Tasks by name."""
    from rulewright import (
        RipperClassifier,
        ScorecardClassifier,
        SetCoveringMachine,
        TreeClassifier,
    )
    from rulewright.data import open_data

    X, y = tables()
    numbers = X.drop(columns="city")
    X.assign(y=y).to_csv(folder / "table.csv", index=False)
    fitted = RipperClassifier().fit(X, y).model_
    return {
        "read a CSV file": lambda: open_data(folder / "table.csv").read(),
        "fit a set covering machine": lambda: SetCoveringMachine(max_rules=5).fit(numbers, y),
        "fit a tree": lambda: TreeClassifier().fit(X, y),
        "fit RIPPER": lambda: RipperClassifier().fit(X, y),
        "fit a scorecard": lambda: ScorecardClassifier().fit(X, y),
        "predict by a list, 50 times": lambda: [fitted.predict(X) for _ in range(50)],
    }


def seconds(task: Callable[[], object], runs: int = 3) -> float:
    """Best CPU time of several runs."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return min(times)


def machine() -> str:
    """Name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def measured() -> dict[str, Any]:
    """One line of the history."""
    import numpy as np

    import rulewright

    with tempfile.TemporaryDirectory() as folder:
        times = {name: round(seconds(task), 4) for name, task in tasks(Path(folder)).items()}
    return {
        "date": time.strftime("%Y-%m-%d"),
        "version": rulewright.__version__,
        "machine": machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "seconds": times,
    }


def earlier(now: dict[str, Any], lines: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the last line of the same machine, or the last of all."""
    same = [line for line in lines if line["machine"] == now["machine"]]
    return (same or lines or [None])[-1]


def slower(now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """Tasks that take more than ``SLOWER`` times as long."""
    known = before["seconds"]
    return [name for name, took in now["seconds"].items() if took > SLOWER * known.get(name, took)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="add the times to the history")
    record = parser.parse_args().record
    lines = [json.loads(line) for line in HISTORY.read_text(encoding="utf-8").splitlines()]
    now = measured()
    before = earlier(now, lines)
    if before is not None:
        print(f"compared with {before['version']} of {before['date']}, {before['machine']}")
    for name, took in now["seconds"].items():
        known = before["seconds"].get(name) if before else None
        ratio = f"{took / known:>8.2f} x" if known else " " * 8 + "new"
        print(f"{name:<32} {took:>8.3f} s {ratio}")
    if record:
        with HISTORY.open("a", encoding="utf-8") as file:
            file.write(json.dumps(now) + "\n")
    if before is not None and (found := slower(now, before)):
        if before["machine"] != now["machine"]:
            print(f"Slower, on another machine: {', '.join(found)}.")
        else:
            sys.exit(f"More than {SLOWER} times slower: {', '.join(found)}.")


if __name__ == "__main__":
    main()
