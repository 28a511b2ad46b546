"""The classics' errors and sizes on the same folds, set by set, and pair by pair."""

from __future__ import annotations

import argparse
import csv
import json
import math
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import entrants
import numpy as np
import tasks
import weka
from tasks import Task

from rulewright.data import write_atomically

PAIRS = (
    ("RIPPER", "JRip"),
    ("RIPPER", "wittgenstein"),
    ("TreeRules", "PART"),
    ("TreeRules", "c50py"),
    ("SLIPPER", "RIPPER"),
    ("list", "JRip"),
    ("vote", "JRip"),
)
FIGURES = ("error", "rules", "literals", "seconds")
LINE = "{:>20} {:>8} {:>7} {:>7} {:>9} {:>9}"
HEAD = LINE.format("", "error %", "+-", "rules", "literals", "fit s")


@dataclass(frozen=True)
class Row:
    """What a learner did on a set.

    ``shuffles`` has the percentage of errors in each shuffle that is complete; ``error`` is their
    mean. Rules (the default among them), literals and CPU seconds of a fit are means over folds.
    """

    set: str
    learner: str
    error: float
    rules: float
    literals: float
    seconds: float
    shuffles: tuple[float, ...]


def row(learner: str, task: Task, folds: Sequence[weka.Fold]) -> Row | None:
    """Sum up the shuffles that are complete; None if not even one is."""
    each = len(task.folds) // task.shuffles
    full = len(folds) // each
    if full == 0:
        return None
    errors, size, _, seconds, literals = np.reshape(folds[: full * each], (full, each, 5)).T
    tested = np.reshape([len(fold) for fold in task.folds[: full * each]], (full, each)).T
    shares = 100 * errors.sum(axis=0) / tested.sum(axis=0)
    means = (float(part.mean()) for part in (shares, size, literals, seconds))
    return Row(task.name, learner, *means, tuple(shares.tolist()))


def compare(task: Task, options: argparse.Namespace, memory: entrants.Memory) -> list[Row]:
    """Print a set's table, a line for each learner as soon as it is known."""
    gaps = sum(int(column.missing.sum()) for column in task.table.columns)
    print(
        f"\n{task.name}: {task.table.rows:,} rows, {len(task.table.numeric)} numeric and "
        f"{len(task.table.categorical)} categorical columns, {gaps:,} missing cells, "
        f"{task.classes} classes\n{HEAD}",
        flush=True,
    )
    rows = []
    for learner in options.learners:
        found = attempt(learner, task, options.means, memory)
        if isinstance(found, Row):
            rows.append(found)
        print(shown(found) if isinstance(found, Row) else f"{learner:>20} {found}", flush=True)
    return rows


def attempt(learner: str, task: Task, means: entrants.Means, memory: entrants.Memory) -> Row | str:
    """Run a learner on a set, or say why there is no result."""
    reason = entrants.unfit(learner, task)
    if reason:
        return f"is left out: {reason}"
    try:
        folds = entrants.remembered(learner, task, means, memory)
    except subprocess.CalledProcessError as error:
        return f"failed: {entrants.failure(error)}"
    return row(learner, task, folds) or (
        f"did {len(folds)} of {len(task.folds)} folds in {means.limit:g} CPU seconds"
        if means.limit
        else "is left out: the file of peers has nothing"
    )


def shown(row: Row) -> str:
    spread = f"{standard_error(row.shuffles):.2f}" if len(row.shuffles) > 1 else "-"
    size = (f"{row.rules:.1f}", f"{row.literals:.1f}")
    return LINE.format(row.learner, f"{row.error:.2f}", spread, *size, f"{row.seconds:.4f}")


def standard_error(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def difference(mine: Row, theirs: Row) -> float:
    """Our error less theirs, over the shuffles that both completed."""
    both = min(len(mine.shuffles), len(theirs.shuffles))
    return float(np.mean(mine.shuffles[:both]) - np.mean(theirs.shuffles[:both]))


def differences(rows: Iterable[Row], pair: tuple[str, str], sets: Sequence[str]) -> list[float]:
    found = {(row.set, row.learner): row for row in rows}
    mine, theirs = pair
    return [
        difference(found[name, mine], found[name, theirs])
        for name in sets
        if (name, mine) in found and (name, theirs) in found
    ]


def verdict(rows: Sequence[Row], pair: tuple[str, str], sets: Sequence[str], what: str) -> None:
    """Print a pair's mean difference over sets, with its standard error and what it says."""
    values = differences(rows, pair, sets)
    if not values:
        return
    mean, error = float(np.mean(values)), standard_error(values)
    signs = np.sign(np.round(values, 9))
    counts = [int((signs == sign).sum()) for sign in (-1, 1, 0)]
    answer = "unknown" if math.isnan(error) else "yes" if mean <= error else "no"
    print(
        f"{pair[0]} less {pair[1]}, {what} ({len(values)}): {mean:+.2f} +- {error:.2f} points; "
        "wins {}, losses {}, ties {}. ".format(*counts)
        + f"Not worse beyond one standard error: {answer}"
    )


def means(rows: Sequence[Row], options: argparse.Namespace) -> None:
    """Print the means over the sets of the tables, of those learners that did any."""
    print(f"\nmeans over the {len(tasks.TABLES)} sets of the tables\n{HEAD}    sets")
    for learner in options.learners:
        found = [row for row in rows if row.learner == learner and row.set in tasks.TABLES]
        if found:
            parts = [np.mean([getattr(r, key) for r in found]) for key in FIGURES]
            print(f"{shown(Row('', learner, *parts, ()))} {len(found):>7}")


def write(rows: Sequence[Row], path: Path) -> None:
    """Write all rows, as CSV if the file is called so, otherwise as JSON."""
    with write_atomically(path) as temporary:
        if path.suffix == ".csv":
            with temporary.open("w", newline="", encoding="utf-8") as file:
                table = csv.DictWriter(file, [field.name for field in fields(Row)])
                table.writeheader()
                table.writerows(
                    {**asdict(row), "shuffles": " ".join(f"{e:.4f}" for e in row.shuffles)}
                    for row in rows
                )
        else:
            temporary.write_text(json.dumps([asdict(row) for row in rows], indent=1))


def main(options: argparse.Namespace) -> None:
    """Compare on all sets, then print pairs and means."""
    memory = entrants.Memory(options.peers)
    print(
        f"Shuffles: {options.shuffles}, of {options.folds} folds, the same for all. Errors in %, "
        "with the standard error of shuffles;\nrules (the default among them), literals and CPU "
        "seconds of a fit are averages."
    )
    rows: list[Row] = []
    for name in options.sets:
        rows += compare(tasks.task(name, options.folds, options.shuffles), options, memory)
        if options.out:
            write(rows, options.out)
    means(rows, options)
    print()
    for pair in PAIRS:
        verdict(rows, pair, tasks.SETS, "over sets")
        verdict(rows, pair, tasks.TABLES, "over sets of the tables")
