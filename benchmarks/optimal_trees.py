"""Optimal trees beside STreeD, in one run: CPU seconds and training errors on the same tests.

Real tables from the folder RULEWRIGHT_DATA. Both choose from the same tests: STreeD gets them as
binary columns, which are prepared beforehand, and Rulewright as codes of values. Rulewright finds
the best tree for every number of leaves up to the largest, STreeD for the largest. STreeD is left
out where pystreed is not installed.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.datasets import load
from rulewright.kernels import HOLDS_ON_MISSING, CodedCells, CodedTest, SearchLimits
from rulewright.learners.base.binned_columns import (
    BinnedColumn,
    binned_categories,
    binned_numbers,
    coded_cells,
)

SETS = ("pima", "breastw", "wdbc", "german", "votes", "mushroom", "taiwan_credit")
LINE = "{:>14} {:>7} {:>6} {:>6} {:>6} {:>10} {:>10} {:>7} {:>9} {:>9}"


def binned(table: Any, max_cuts: int) -> list[BinnedColumn]:
    """Columns of a table as codes, all rows of weight 1."""
    weight = np.ones(table.rows)
    return [
        binned_categories(column.codes, len(column.categories), weight, max_cuts)
        if hasattr(column, "categories")
        else binned_numbers(column.values, weight, max_cuts)
        for column in table.columns
    ]


def mask(test: CodedTest, column: BinnedColumn) -> NDArray[np.bool_]:
    """Rows on which a test holds."""
    codes = column.codes
    if test.kind == HOLDS_ON_MISSING:
        return codes < 0
    there = (codes >= 0) & (codes <= test.base) if column.ordered else codes == test.base
    return there | ((codes < 0) & (test.kind > 0))


def timed(work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """CPU seconds of the fastest of some runs, and its result."""
    times, result = [], None
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result


def ours(
    columns: list[BinnedColumn], y: NDArray[np.int32], classes: int, options: argparse.Namespace
) -> tuple[float, int, bool, CodedCells]:
    """Seconds, errors, and whether the search was complete."""
    weight = np.ones(y.size, np.int64)
    limits = SearchLimits(seconds=options.limit)

    def work() -> tuple[CodedCells, Any]:
        cells = coded_cells(columns, y, weight, classes)
        return cells, cells.optimal_trees(options.depth, 2**options.depth, limits)

    seconds, (cells, found) = timed(work, options.repeats)
    return seconds, int(found.losses[-1]), not found.stopped, cells


def streed(bits: NDArray[np.int32], y: NDArray[np.int32], options: argparse.Namespace) -> Any:
    """Seconds and errors of STreeD; None where it is not installed."""
    try:
        from pystreed import STreeDClassifier
    except ImportError:
        return None

    def work() -> Any:
        tree = STreeDClassifier(max_depth=options.depth, time_limit=options.limit)
        return tree.fit(bits, y)

    seconds, tree = timed(work, options.repeats)
    return seconds, round((1 - tree.score(bits, y)) * y.size)


def compare(name: str, options: argparse.Namespace) -> None:
    data = load(name)
    labels, y = np.unique(np.asarray(data.y).astype(str), return_inverse=True)
    y = y.astype(np.int32)
    columns = binned(data.table, options.cuts)
    seconds, errors, complete, cells = ours(columns, y, labels.size, options)
    bits = np.stack([mask(test, columns[test.column]) for test in cells.tests], axis=1)
    other = streed(bits.astype(np.int32), y, options)
    shown = f"{seconds:.2f}" if complete else f"> {seconds:.0f}"
    facts = [name, f"{y.size:,}", len(columns), len(cells.tests), options.depth, shown]
    if other is None:
        print(LINE.format(*facts, "-", "-", errors, "-"), flush=True)
        return
    slow, found = other
    late = slow >= options.limit
    shown = f"> {slow:.0f}" if late else f"{slow:.2f}"
    ratio = f"{'>' if late else ''}{slow / seconds:.1f}"
    print(LINE.format(*facts, shown, ratio, errors, found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--cuts", type=int, default=10, help="cuts of a column at most")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each, the fastest counts")
    parser.add_argument("--limit", type=float, default=120, help="seconds that each may take")
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    options = parser.parse_args()
    if not os.environ.get("RULEWRIGHT_DATA"):
        print("The tables are left out: RULEWRIGHT_DATA names no folder.")
        return
    head = ("table", "rows", "cols", "tests", "depth", "ours, s", "STreeD, s", "ratio")
    print(LINE.format(*head, "errors", "STreeD's"))
    for name in options.sets:
        compare(name, options)


if __name__ == "__main__":
    main()
