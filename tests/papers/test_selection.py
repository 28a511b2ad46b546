"""Choosing penalty and size by bound and by cross-validation, beside the paper's Table 2.

M. Marchand, M. Shah, J. Shawe-Taylor and M. Sokolova (2003), The Set Covering Machine with
Data-Dependent Half-Spaces, section 5: fifteen penalties, all sizes. By bound means by our
certificate, not by the paper's formula, which does not hold. By cross-validation means ten folds
of the training rows. Both ways are tested by an outer cross-validation, on the same folds.
"""

import time
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold

from papers.crossing import FOLDS
from papers.preparing import prepare
from papers.test_set_covering import KINDS
from rulewright import BoundSearch, SetCoveringMachine
from rulewright.selection import nested_cross_validation

pytestmark = [pytest.mark.slow, pytest.mark.papers]

PENALTIES = [0.5, 0.7, 0.8, 0.9, 1.0, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2.0, 3.0, 5.0]
"""Fifteen values; among them the best one of every set, as Table 1 has it."""

WAYS = ("cv", "bound")
LINE = "{:<8} {} {:>5} | {:<16} | {:<16} | {:<16} {:>7} | {:<16} {:>7} | {:>6} {:>6}"


@dataclass(frozen=True)
class Row:
    """A line of the paper's table: for each way the mean size, the errors, their deviation."""

    name: str
    kind: str
    by_cv: tuple[float, int, float]
    by_bound: tuple[float, int, float]
    folds: int = FOLDS
    splits: int = 1

    def machine(self):
        return SetCoveringMachine(
            kind=KINDS[self.kind], family="half_spaces", max_rules=None, n_jobs=1
        )


FEW = 3
"""Outer folds of two sets on which ten would take most of an hour by cross-validation."""
SEVERAL = 5
"""Splits of the smallest set, where one says little: by cross-validation 35 to 43 errors."""

ROWS = [
    Row("Glass", "c", (2.6, 50, 7.9), (2.5, 49, 7.3), splits=SEVERAL),
    Row("Haberman", "d", (1.7, 73, 5.0), (3.8, 74, 3.8)),
    Row("Bupa", "c", (2.3, 118, 6.0), (2.5, 115, 8.2)),
    Row("BreastW", "c", (1.2, 23, 4.7), (1.8, 25, 4.4)),
    Row("Pima", "c", (4.3, 191, 9.2), (3.8, 181, 11), folds=FEW),
    Row("Credit", "d", (3, 157, 17), (3.5, 162, 17), folds=FEW),
]


@dataclass(frozen=True)
class Way:
    """What came of a way of choosing on each split, and the seconds of CPU that it took."""

    results: list
    seconds: float

    @property
    def errors(self):
        return np.mean([result.total for result in self.results])

    @property
    def deviation(self):
        return np.mean([result.deviation for result in self.results])

    def __str__(self):
        sizes = np.mean([result.sizes for result in self.results])
        return in_words(sizes, self.errors, self.deviation)


def in_words(size, errors, deviation):
    return f"{size:.1f}: {errors:g} ± {deviation:.1f}"


@cache
def chosen(row, by, folder):
    """Choose anew in every outer fold; once for all tests."""
    X, y = prepare(folder, row.name)
    search = BoundSearch(row.machine(), {"penalty": PENALTIES}, by=by)
    start = time.process_time()
    results = [
        nested_cross_validation(search, X, y, KFold(row.folds, shuffle=True, random_state=seed))
        for seed in range(row.splits)
    ]
    return Way(results, time.process_time() - start)


def paired_deviation(one, other):
    """Give the deviation of the difference of two totals, from how it varies over the folds."""
    tested = np.array(one.tested)
    rates = (np.array(one.errors) - np.array(other.errors)) / tested
    return rates.std(ddof=1) / np.sqrt(rates.size) * tested.sum()


def reported(row, folder):
    """Print a line of the table, and give both ways."""
    by_cv, by_bound = (chosen(row, by, folder) for by in WAYS)
    line = [row.name, row.kind, row.folds, in_words(*row.by_cv), in_words(*row.by_bound)]
    for way in (by_cv, by_bound):
        line += [way, f"{way.seconds:.1f}"]
    pairs = zip(by_bound.results, by_cv.results, strict=True)
    line.append(f"{np.mean([paired_deviation(*pair) for pair in pairs]):.1f}")
    print(LINE.format(*map(str, line), f"{by_cv.seconds / by_bound.seconds:.1f}"))
    return by_cv, by_bound


@pytest.fixture(scope="module", autouse=True)
def heading():
    titles = ["set", "T", "folds", "paper: by cv", "paper: by bound", "ours: by cv", "CPU s"]
    print("\n" + LINE.format(*titles, "ours: by bound", "CPU s", "paired", "times"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_choosing_by_bound_errs_no_more_than_by_cross_validation(row, data_folder):
    """It makes at most as many errors more as the larger of the deviations that the paper states.

    That is how the paper's table is read. Ours are printed, and that of the paired differences: it
    says better whether two ways differ at all, since what makes a fold hard for both cancels. It is
    not asked for: of two equally good ways a third of all comparisons is beyond it, and where both
    choose the same machine nearly always it is nearly 0. That the bound chooses better is no fault:
    only errors more are counted. Of several splits the means are compared.
    """
    by_cv, by_bound = reported(row, data_folder)
    assert by_bound.errors - by_cv.errors <= max(row.by_cv[2], row.by_bound[2])


def test_choosing_by_bound_takes_a_tenth_of_the_time_or_less(data_folder):
    """CPU seconds of one thread, all sets together; both ways ran one after the other."""
    by_cv, by_bound = (sum(chosen(row, by, data_folder).seconds for row in ROWS) for by in WAYS)
    print(f"all sets: {by_cv:.0f} s by cv, {by_bound:.0f} s by bound, {by_cv / by_bound:.1f} times")
    assert by_bound <= by_cv / 10


def test_choosing_by_bound_takes_far_less_than_a_grid_search_of_all_sizes(data_folder):
    """A search that does not know that one run gives all sizes fits each of them anew."""
    X, y = prepare(data_folder, "Glass")
    machine = SetCoveringMachine(family="half_spaces", n_jobs=1)
    start = time.process_time()
    BoundSearch(machine, {"penalty": PENALTIES}).fit(X, y)
    middle = time.process_time()
    GridSearchCV(machine, {"penalty": PENALTIES, "max_rules": range(1, 11)}, cv=FOLDS).fit(X, y)
    by_bound, by_grid = middle - start, time.process_time() - middle
    print(f"Glass: GridSearchCV {by_grid:.1f} s, {by_grid / by_bound:.0f} times as long")
    assert by_bound <= by_grid / 10
