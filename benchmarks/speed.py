"""CPU seconds of fit of the classics, on one core, ours in a process of its own for each fit.

    python benchmarks/speed.py RIPPER clusters-10000

is what such a process runs: it prints the same line as the peers' drivers.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import entrants
import numpy as np
import tasks
import weka
from tasks import Task
from weka import Fold

from rulewright.data import write_atomically

LONG = 10.0  # a fit of so many seconds is not repeated
MAX_TESTED = 50_000
RIVALS = {
    "RIPPER": ("JRip", "wittgenstein"),
    "SLIPPER": ("JRip", "wittgenstein"),
    "TreeRules": ("PART", "c50py"),
    "list": ("JRip",),
    "vote": ("JRip",),
}
LINE = "{:>20} {:>13} {:>10} {:>9} {:>7} {:>9}  {}"


def made(kind: str, rows: int, columns: int = 20) -> Task:
    """Make so many rows to train on, and at the most half as many to test on."""
    tested = min(rows // 2, MAX_TESTED)
    table, labels = tasks.MADE[kind](rows + tested, columns)
    return tasks.held_out(table, labels, f"{kind}-{rows}", tested)


def real(name: str) -> Task:
    """Read a set of which a third is tested; of Covertype, the second class and the rest."""
    table, labels = weka.read(name)
    if name == "covertype":
        labels = np.where(labels == "2", "2", "rest")
    return tasks.held_out(table, labels, name, table.rows // 3)


SIZES = (1_000, 10_000, 100_000, 1_000_000)
TABLES: dict[str, Callable[[], Task]] = {
    **{f"{kind}-{rows}": partial(made, kind, rows) for kind in tasks.MADE for rows in SIZES},
    "wide": partial(made, "conjunctions", 2_900, 970),
    "adult": partial(real, "adult"),
    "covertype": partial(real, "covertype"),
}
REAL = ("adult", "covertype")
QUICK = ("conjunctions-1000", "conjunctions-10000", "clusters-1000")


def fits(learner: str, name: str, task: Task, options: argparse.Namespace) -> list[Fold]:
    """Fit once, and again if that was quick; nothing is given by a peer that had to be stopped."""
    first = once(learner, name, task, options, 1)
    if not first or first[0].seconds > LONG or options.repeats < 2:
        return first
    return first + once(learner, name, task, options, options.repeats - 1)


def once(
    learner: str, name: str, task: Task, options: argparse.Namespace, times: int
) -> list[Fold]:
    """Fit so many times: a peer in one process, which is to its advantage, ours in many."""
    if learner in entrants.PEERS:
        repeated = Task(task.name, task.table, task.labels, task.folds * times, (1,) * times)
        return entrants.run(learner, repeated, options.means)
    command = [sys.executable, __file__, learner, name]
    texts = [
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        for _ in range(times)
    ]
    return weka.read_folds("".join(texts))


def measure(learner: str, name: str, task: Task, options: argparse.Namespace) -> dict:
    """Give the fastest fit of a learner as a row; its seconds are None if it was stopped."""
    row = {"table": name, "learner": learner, "limit": options.limit, "seconds": None}
    try:
        found = fits(learner, name, task, options)
    except subprocess.CalledProcessError as error:
        return {**row, "failed": str(error)}
    if not found:
        return row
    best = min(found, key=lambda fold: fold.seconds)
    error = 100 * best.errors / len(task.folds[0])
    return {
        **row,
        "seconds": best.seconds,
        "error": error,
        "rules": best.size,
        "literals": best.literals,
    }


def ratio(row: dict, mine: dict) -> str:
    """Say how many times our seconds a peer takes, at least if it was stopped."""
    taken = row["limit"] if row["seconds"] is None else row["seconds"]
    least = "at least " if row["seconds"] is None else ""
    return f"{least}{taken / mine['seconds']:.1f} times {mine['learner']}"


def shown(row: dict, rows: Sequence[dict]) -> str:
    """Lay a row out, with the ratios to those of ours that it is a rival of."""
    start = (row["table"], row["learner"])
    if "failed" in row:
        return LINE.format(*start, *"----", row["failed"])
    fitted = [mine for mine in rows if row["learner"] in RIVALS.get(mine["learner"], ())]
    ratios = ", ".join(ratio(row, mine) for mine in fitted if mine["seconds"])
    if row["seconds"] is None:
        return LINE.format(*start, f"> {row['limit']:g}", *"---", ratios)
    size = (f"{row['error']:.2f}", row["rules"], row["literals"])
    return LINE.format(*start, f"{row['seconds']:.3f}", *size, ratios)


def compare(name: str, options: argparse.Namespace) -> list[dict]:
    """Print a table's lines, ours first."""
    task, rows = TABLES[name](), []
    for learner in sorted(options.learners, key=entrants.LEARNERS.index):
        reason = entrants.unfit(learner, task)
        if reason is None:
            rows.append(measure(learner, name, task, options))
            print(shown(rows[-1], rows[:-1]), flush=True)
    return rows


def write(rows: Sequence[dict], path: Path) -> None:
    """Write all rows, as CSV if the file is called so, otherwise as JSON."""
    names = ["table", "learner", "seconds", "limit", "error", "rules", "literals", "failed"]
    with write_atomically(path) as temporary:
        if path.suffix == ".csv":
            with temporary.open("w", newline="", encoding="utf-8") as file:
                table = csv.DictWriter(file, names)
                table.writeheader()
                table.writerows(rows)
        else:
            temporary.write_text(json.dumps(rows, indent=1))


def main(options: argparse.Namespace) -> None:
    """Time all learners on all tables."""
    print(
        f"CPU seconds of fit, the fastest of {options.repeats} (of 1 where it took over {LONG:g}); "
        f"peers are stopped after {options.limit:g}.\nerror: in % of rows held out.\n"
    )
    print(LINE.format("table", "learner", "fit s", "error", "rules", "literals", "ratio"))
    rows: list[dict] = []
    for name in options.sets:
        rows += compare(name, options)
        if options.out:
            write(rows, options.out)


if __name__ == "__main__":
    learner, name = sys.argv[1:]
    (fold,) = entrants.run(learner, TABLES[name](), entrants.Means("", "", None))
    print(*fold)
