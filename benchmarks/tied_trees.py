"""Trees of depth two with equally few training errors: how many there are, and which errs least.

    RULEWRIGHT_DATA=folder python benchmarks/tied_trees.py
    RULEWRIGHT_DATA=folder python benchmarks/tied_trees.py --cuts 300 --missing median

All trees of depth two with the fewest training errors are listed, from tables of all pairs of
tests, in ten folds. Errors on the test rows are counted for the first of them, for the one of the
lowest Gini impurity, and as the mean over all. Only tables of two classes take part. ``--missing``
is where missing values go: to either side of a test; with the median of a number and apart from
all categories; or in the same way without tests for missing numbers, as in the encoded columns of
``small_models.py``. Cuts are in the middle between two values.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import tasks
from defaults import OTHERS
from numpy.typing import NDArray
from tasks import Task

from rulewright.data import NumericColumn
from rulewright.learners.base.binned_columns import binned_numbers

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
MISSING = ("either", "median", "encoded")
LINE = "{:<20} {:>6} {:>6} {:>9} {:>11} {:>8} {:>8} {:>8}"


class Side(NamedTuple):
    """For all pairs of a first test and another on one side of it: three figures."""

    errors: Floats
    wrong: Floats  # on test rows
    impurity: Floats


def column_tests(column: object, tested: Mask, cuts: int, missing: str) -> Iterator[Mask]:
    """Masks of the tests of a column, learnt from training rows."""
    gone, either = column.missing, missing == "either"
    some = gone[~tested].any()
    if isinstance(column, NumericColumn):
        known = column.values[~tested & ~gone]
        filled = known.size and not either and some
        values = np.where(gone, np.median(known), column.values) if filled else column.values
        training = values[~tested & ~np.isnan(values)]
        occurring = np.unique(training)
        bases = binned_numbers(training, np.ones(training.size), cuts).bases
        above = occurring[np.searchsorted(occurring, bases) + 1] if bases.size else bases
        tests = [values <= middle for middle in (bases + above) / 2]
    else:
        present = np.unique(column.codes[~tested & ~gone])
        binary = present.size <= 2 and (either or not some)  # the test of the one is the other's
        tests = [column.codes == code for code in (present[:1] if binary else present)]
    yield from tests
    if some and either:
        yield from (test | gone for test in tests)
    if some and not (missing == "encoded" and isinstance(column, NumericColumn)):
        yield gone


def four_parts(rows: Floats) -> tuple[Floats, ...]:
    """Rows where both of two tests hold, one of them, or none, for all pairs."""
    both, held = rows.T @ rows, rows.sum(axis=0)
    one, other = held[:, None] - both, held[None] - both
    return both, one, other, len(rows) - both - one - other


def sides_of(tests: Floats, y: NDArray[np.intp], tested: Mask) -> list[Side]:
    """Figures where the first test holds, and where it does not."""
    training, testing = (
        [four_parts(tests[rows & (y == label)]) for label in (0, 1)] for rows in (~tested, tested)
    )
    found = []
    for pair in ((0, 1), (2, 3)):
        errors = wrong = impurity = 0.0
        for part in pair:
            zero, one = training[0][part], training[1][part]
            errors = errors + np.minimum(zero, one)
            wrong = wrong + np.where(one > zero, testing[0][part], testing[1][part])
            impurity = impurity + 2 * zero * one / np.maximum(zero + one, 1)
        found.append(Side(errors, wrong, impurity))
    return found


def tied_trees(sides: list[Side], divides: Mask) -> tuple[float, int, list[tuple[float, ...]]]:
    """Fewest training errors, number of trees, and for each first test the figures of its trees.

    These are the test errors of the first tree, the impurity and test errors of the purest, and the
    mean test errors.
    """
    least = [side.errors.min(axis=1) for side in sides]
    total = np.where(divides, sum(least), np.inf)
    count, figures = 0, []
    for root in np.flatnonzero(total == total.min()):
        tied = [
            np.flatnonzero(s.errors[root] == m[root]) for s, m in zip(sides, least, strict=True)
        ]
        count += tied[0].size * tied[1].size
        pure = [t[s.impurity[root, t].argmin()] for s, t in zip(sides, tied, strict=True)]
        pairs = list(zip(sides, tied, pure, strict=True))
        figures.append(
            (
                sum(s.wrong[root, t[0]] for s, t, _ in pairs),
                sum(s.impurity[root, p] for s, _, p in pairs),
                sum(s.wrong[root, p] for s, _, p in pairs),
                sum(s.wrong[root, t].mean() for s, t, _ in pairs),
            )
        )
    return float(total.min()), count, figures


def compare(task: Task, cuts: int, missing: str) -> list[float]:
    """Tests, training errors, trees for each fold, and errors on test rows in three ways."""
    y = np.unique(task.labels, return_inverse=True)[1]
    sums = np.zeros(5)
    for fold in task.folds:
        tested = np.zeros(y.size, bool)
        tested[list(fold)] = True
        masks = [m for c in task.table.columns for m in column_tests(c, tested, cuts, missing)]
        tests = np.array(masks, np.float32).T
        held = tests[~tested].sum(axis=0)
        divides = (held > 0) & (held < (~tested).sum())
        errors, count, trees = tied_trees(sides_of(tests, y, tested), divides)
        purest = min(trees, key=lambda tree: tree[1])
        mean = float(np.mean([tree[3] for tree in trees]))
        sums += errors, count / len(task.folds), trees[0][0], purest[2], mean
    return [tests.shape[1], *sums]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", nargs="+", default=[*tasks.TABLES, *OTHERS])
    parser.add_argument("--cuts", type=int, default=32, help="cuts of a column at most")
    parser.add_argument("--missing", choices=MISSING, default=MISSING[0])
    options = parser.parse_args()
    heads = ("table", "rows", "tests", "training", "trees/fold", "first", "purest", "mean")
    print(LINE.format(*heads))
    for name in filter(tasks.here, options.tables):
        task = tasks.task(name, 10, 1)
        if task.classes > 2:
            continue
        tests, errors, count, *wrong = compare(task, options.cuts, options.missing)
        shown = [f"{100 * each / task.table.rows:.2f}" for each in wrong]
        facts = (task.table.rows, f"{tests:.0f}", f"{errors:.0f}", f"{count:.1f}")
        print(LINE.format(name, *facts, *shown), flush=True)


if __name__ == "__main__":
    main()
