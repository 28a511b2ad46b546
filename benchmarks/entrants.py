"""The learners that are compared, ours and the peers, all run in one way: on the folds of a task.

What is not here (a learner of ours that is not written yet, Java, a package) is said by
``absent``. A peer stops when its fits together have taken the CPU seconds it is allowed; the folds
that it did by then count.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import weka
from tasks import Task
from weka import Fold

import rulewright
from rulewright.data import NumericColumn, Table, write_atomically

OURS = {
    "RIPPER": "RipperClassifier",
    "SLIPPER": "SlipperClassifier",
    "TreeRules": "TreeRulesClassifier",
    "list": "RuleListClassifier",
    "vote": "RuleVoteClassifier",
}
WEKA = ("JRip", "PART")
PACKAGES = ("wittgenstein", "c50py")
DRIVER = Path(__file__).parent / "package_folds.py"
PEERS = (*WEKA, *PACKAGES)
LEARNERS = (*OURS, *PEERS)
USUAL = ("RIPPER", "SLIPPER", "TreeRules", *PEERS)


@dataclass(frozen=True)
class Means:
    """How peers are run: Weka's jar, the Python that has the packages, CPU seconds for a task."""

    jar: str
    python: str
    limit: float | None


def absent(name: str, means: Means) -> str | None:
    """Say what a learner lacks to be run at all, if anything.

    A peer that is allowed no time at all lacks nothing.
    """
    if name in OURS:
        found = hasattr(rulewright, OURS[name])
        return None if found else f"rulewright has no {OURS[name]} yet"
    if means.limit == 0:
        return None
    if name in WEKA:
        return weka.no_weka(means.jar)
    lookup = f"import sys; from importlib.util import find_spec; sys.exit(not find_spec({name!r}))"
    found = subprocess.run([means.python, "-c", lookup]).returncode == 0
    return None if found else f"{means.python} has no {name}"


def unfit(name: str, task: Task) -> str | None:
    """Say why a learner cannot be run on this task, if it cannot."""
    if name == "wittgenstein" and task.classes > 2:
        return f"it knows two classes, and there are {task.classes}"
    return None


def run(name: str, task: Task, means: Means) -> list[Fold]:
    """Train and test a learner on the folds of a task, or on as many as the limit allows."""
    if name in OURS:
        return our_folds(lambda seed: untrained(OURS[name], seed), task)
    if name in WEKA:
        return weka.folds(
            name, task.table, task.labels, task.folds, means.jar, means.limit, task.seeds
        )
    return driven(name, task, means)


def our_folds(make: Callable[[int], Any], task: Task) -> list[Fold]:
    """Train and test a learner of ours, made from a seed, on the folds of a task.

    The literals of a model are its single tests, of a tree those of its inner nodes.
    """
    found = []
    for fold, seed in zip(task.folds, task.seeds, strict=True):
        tested = np.zeros(task.table.rows, bool)
        tested[list(fold)] = True
        training, labels = task.table.take(~tested), task.labels[~tested]
        learner = make(seed)
        start = time.process_time()
        learner.fit(training, labels)
        seconds = time.process_time() - start
        wrong = learner.predict(task.table.take(tested)) != task.labels[tested]
        rules, literals = len(learner.model_.rules), learner.model_.body.literals
        found.append(Fold(int(wrong.sum()), rules, rules, seconds, literals))
    return found


def untrained(name: str, seed: int, **parameters: object) -> Any:
    """Make a learner of ours, with its defaults unless others are given, on one thread."""
    learner = getattr(rulewright, name)(**parameters)
    wanted = {"n_jobs": 1, "random_state": seed}
    known = learner.get_params()
    return learner.set_params(**{key: wanted[key] for key in wanted if key in known})


def driven(package: str, task: Task, means: Means) -> list[Fold]:
    """Run a package in its own Python: a driver reads the table and the folds from files."""
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        table, folds = Path(folder) / "table.npz", Path(folder) / "folds.txt"
        np.savez(table, **arrays(task.table), labels=task.labels)
        folds.write_text(weka.fold_lines(task.folds, task.seeds))
        allowed = [] if means.limit is None else [str(means.limit)]
        command = [means.python, str(DRIVER), package, str(table), str(folds), *allowed]
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env=os.environ | one_thread
        )
    return weka.read_folds(done.stdout)


def failure(error: subprocess.CalledProcessError) -> str:
    """Return the last line of what a process that failed wrote, or how it ended."""
    lines = (error.stderr or "").strip().splitlines()
    killed = error.returncode < 0
    return lines[-1].strip() if lines and not killed else f"it ended with {error.returncode}"


def arrays(table: Table) -> dict[str, np.ndarray]:
    """Give every column an array: numbers, or text with ``?`` where it is missing."""
    return {
        f"column {i}": column.values
        if isinstance(column, NumericColumn)
        else np.array(["?" if cell is None else str(cell) for cell in column.cells()])
        for i, column in enumerate(table.columns)
    }


class Memory:
    """What peers did, kept in a file by learner, set and shuffle, under a hash of table and folds.

    Without a path nothing is kept.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.known = self._read()

    def _read(self) -> dict[str, list[list[float]]]:
        kept = self.path is not None and self.path.exists()
        return json.loads(self.path.read_text()) if kept else {}

    def recall(self, name: str, task: Task) -> list[Fold]:
        """Give the folds of the first shuffles that are known without a gap."""
        found: list[Fold] = []
        for shuffle in range(task.shuffles):
            folds = self.known.get(self._key(name, task, shuffle))
            if folds is None:
                break
            found += [Fold(*fold) for fold in folds]
        return found

    def keep(self, name: str, task: Task, folds: list[Fold], first: int) -> None:
        """Write down the complete shuffles of these folds, which begin with shuffle ``first``."""
        if self.path is None:
            return
        self.known = self._read()  # another run may have written meanwhile
        each = len(task.folds) // task.shuffles
        for done in range(len(folds) // each):
            key = self._key(name, task, first + done)
            self.known[key] = [list(fold) for fold in folds[done * each : (done + 1) * each]]
        self._write()

    def _write(self) -> None:
        with write_atomically(self.path) as temporary:
            temporary.write_text(json.dumps(self.known, indent=0))

    def _key(self, name: str, task: Task, shuffle: int) -> str:
        return f"{name} {task.name} {task.of_shuffles(shuffle, shuffle + 1).digest()}"


def remembered(name: str, task: Task, means: Means, memory: Memory) -> list[Fold]:
    """Run a learner, a peer only on those shuffles that are not known from before.

    A peer that is allowed no time at all is not run.
    """
    if name in OURS:
        return run(name, task, means)
    known = memory.recall(name, task)
    first = len(known) * task.shuffles // len(task.folds)
    if first == task.shuffles or means.limit == 0:
        return known
    folds = run(name, task.of_shuffles(first, task.shuffles), means)
    memory.keep(name, task, folds, first)
    return known + folds
