"""The column "bound" of the paper's table of half-spaces, beside bounds that hold.

M. Marchand, M. Shah, J. Shawe-Taylor and M. Sokolova (2003), The Set Covering Machine with
Data-Dependent Half-Spaces, Table 1: the bound on each training fold, times the rows of its test
fold, summed over ten folds. Theorem 1 as printed does not hold (``rulewright.bounds.printed`` says
why), and is not what the column has either: that counts every choice of k out of n in order.

Theorem 1 is for machines that classify the examples which rebuild them correctly, so all figures
but two are of those (``consistent=True``). The last two are of machines that need not: their
message must name the borders too.
"""

import math
import time
from dataclasses import astuple, dataclass
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from papers.crossing import FOLDS, SPLITS
from papers.preparing import prepare
from papers.test_set_covering import FEW, KINDS
from rulewright import SetCoveringMachine
from rulewright.bounds import compression_closed, log_choose, printed_scm_half_spaces

pytestmark = [pytest.mark.slow, pytest.mark.papers]

DELTA = 0.05
LINE = "{:<8} {:<8} {:>6} {:>5}" + " {:>7}" * 11 + " {:>7}"
TITLES = ["paper", "ordered", "printed", "typed", "closed", "tail", "misses", "alarms"]
TITLES += ["closed*", "tail*"]

NINE = (
    "nine examples rebuild this machine, and both forms pay for them alike: the tail form is 24 % "
    "below with three half-spaces, 28 % with two, 33 % with one"
)


@dataclass(frozen=True)
class Row:
    """A line of the paper's table, its bound, and how much tighter ours must be."""

    name: str
    kind: str
    p: float
    size: int
    published: int
    saving: float = 0.25
    splits: int = SPLITS
    differs: str = ""

    def machine(self, consistent):
        return SetCoveringMachine(
            kind=KINDS[self.kind],
            family="half_spaces",
            penalty=self.p,
            max_rules=self.size,
            consistent=consistent,
            delta=DELTA,
        )


# On Glass nine examples of 147 are most of what both forms pay for.
ROWS = [
    Row("BreastW", "c", 1.0, 1, 103),
    Row("Pima", "c", 1.5, 3, 607, splits=FEW),
    Row("Haberman", "d", 0.7, 1, 209),
    Row("Bupa", "c", 1.4, 1, 297),
    Row("Glass", "c", 1.05, 3, 113, saving=0.1),
    Row("Credit", "d", 1.2, 3, 513, splits=FEW, differs=NINE),
]


@dataclass(frozen=True)
class Bounds:
    """Bounds on the errors of ten folds together: sums over folds, means over splits."""

    ordered: float
    printed: float
    typed: float
    closed: float
    tail: float
    misses: float
    alarms: float


@cache
def bounds(row, consistent, folder):
    """Compute all bounds of a machine; once for all tests."""
    X, y = prepare(folder, row.name)
    machine = row.machine(consistent)
    splits = [one_split(row, machine, X, y, seed) for seed in range(row.splits)]
    return Bounds(*np.mean(splits, axis=0).tolist())


def one_split(row, machine, X, y, seed):
    folds = KFold(FOLDS, shuffle=True, random_state=seed)
    return sum(one_fold(row, machine, X, y, train, test) for train, test in folds.split(X))


def one_fold(row, machine, X, y, train, test):
    fitted = clone(machine).fit(X[train], y[train])
    certificate = fitted.certificate_
    positives = y[test].sum()
    return np.array(
        [
            printed(row, fitted, y[train], "ordered") * len(test),
            printed(row, fitted, y[train], "printed") * len(test),
            typed(fitted, y[train]) * len(test),
            certificate.closed_bound * len(test),
            certificate.bound * len(test),
            certificate.miss_rate_bound * positives,
            certificate.false_alarm_bound * (len(test) - positives),
        ]
    )


def subsets(fitted, y):
    """Count the paper's typed subsets and pairs; an a or a b is not counted as a c too."""
    triples = [half_space.anchored_on for half_space in fitted.model_.body.parts]
    ends = {example for *pair, _ in triples for example in pair}
    return {
        "a": sum(int(y[example] == 1) for example in ends),
        "b": sum(int(y[example] == 0) for example in ends),
        "c": len({border for *_, border in triples} - ends),
        "r": len({tuple(pair) for *pair, _ in triples}),
    }


def printed(row, fitted, y, counting):
    """Compute the paper's formula."""
    (m_n, m_p), (k_n, k_p) = fitted.certificate_.counts, fitted.certificate_.wrong
    return printed_scm_half_spaces(
        KINDS[row.kind],
        m_p,
        m_n,
        k_p=k_p,
        k_n=k_n,
        delta=DELTA,
        counting=counting,
        **subsets(fitted, y),
    )


def typed(fitted, y):
    """Compute the paper's formula as it would be valid: all its subsets drawn from all rows."""
    a, b, c, r = subsets(fitted, y).values()
    message = math.log(a * b) + log_choose(a * b, r)
    certificate = fitted.certificate_
    return compression_closed(certificate.m, [a, b, c], certificate.errors, message, DELTA)


def report(row, folder):
    """Print a line of the table."""
    start = time.process_time()
    held, free = (bounds(row, consistent, folder) for consistent in (True, False))
    line = [row.name, f"{row.kind} {row.p:g} {row.size}", row.splits, row.published]
    line += [f"{total:.1f}" for total in (*astuple(held), free.closed, free.tail)]
    line += [f"{1 - each.tail / each.closed:.1%}" for each in (held, free)]
    print(LINE.format(*line, f"{time.process_time() - start:.1f}"))


def case(row):
    marks = [pytest.mark.xfail(reason=row.differs, raises=AssertionError)] if row.differs else []
    return pytest.param(row, id=row.name, marks=marks)


@pytest.fixture(scope="module", autouse=True)
def heading():
    print("\n" + LINE.format("set", "T p s", "splits", *TITLES, "below", "below*", "CPU s"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_counting_in_order_gives_the_column_of_the_paper(row, data_folder):
    report(row, data_folder)
    ordered = bounds(row, True, data_folder).ordered
    assert ordered == pytest.approx(row.published, rel=0.03)


@pytest.mark.parametrize("consistent", [True, False], ids=["consistent", "free"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_certificate_is_well_below_the_paper_s_theorem_made_valid(row, consistent, data_folder):
    found = bounds(row, consistent, data_folder)
    assert found.tail <= (1 - row.saving) * found.typed


@pytest.mark.parametrize("consistent", [True, False], ids=["consistent", "free"])
@pytest.mark.parametrize("row", [case(row) for row in ROWS])
def test_the_tail_form_is_well_below_the_closed_form_of_the_same_code(row, consistent, data_folder):
    found = bounds(row, consistent, data_folder)
    assert found.tail <= (1 - row.saving) * found.closed
