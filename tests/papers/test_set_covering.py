"""Set covering machines with balls and with half-spaces, at the parameters of the paper.

M. Marchand, M. Shah, J. Shawe-Taylor and M. Sokolova (2003), The Set Covering Machine with
Data-Dependent Half-Spaces, Table 1. The published errors are the least over a grid and over one
split that nobody knows, so they are printed but not asked for. Asked for is the range of another
implementation over ten splits, its mean in front: ours must have its mean in there.
"""

import time
from dataclasses import dataclass

import numpy as np
import pytest

from papers.crossing import SPLITS, errors, in_words
from papers.preparing import prepare
from rulewright import SetCoveringMachine

pytestmark = [pytest.mark.slow, pytest.mark.papers]

KINDS = {"c": "conjunction", "d": "disjunction"}
LINE = "{:<15} {:>4} {:<11} {:<10} {:>5} {:>16} {:>16} {:>6} {:>16} {:>7}"
FEW = 3
"""Splits where a fit takes seconds and the result is only reported."""

CODES = (
    "the range is not that of categories coded in alphabetical order: coded in the order in which "
    "the set's description lists them, our mean is in it, with balls as with half-spaces"
)


@dataclass(frozen=True)
class Row:
    """A cell of the paper's table: a set, a machine, what was published, what others get."""

    name: str
    family: str
    kind: str
    p: float
    size: int
    published: int | None = None
    others: tuple[float, int, int] | None = None
    splits: int = SPLITS
    consistent: int = SPLITS
    differs: str = ""

    def __str__(self):
        return f"{self.name}-{self.family}-{self.kind}-{self.p:g}-{self.size}"

    def machine(self, **options):
        return SetCoveringMachine(
            kind=KINDS[self.kind],
            family=self.family,
            penalty=self.p,
            max_rules=self.size,
            **options,
        )


ROWS = [
    Row("BreastW", "balls", "c", 1.8, 2, 15, (17.9, 15, 20)),
    Row("Pima", "balls", "c", 1.1, 3, 189, (189.8, 182, 196)),
    Row("Haberman", "balls", "c", 1.4, 1, 71, (73.8, 70, 79)),
    Row("Bupa", "balls", "d", 2.8, 9, 107, (114.4, 103, 124)),
    Row("Glass", "balls", "c", 0.85, 4, 33, (30.9, 26, 35)),
    Row("Credit", "balls", "d", 1.2, 4, 194, (196.8, 184, 201), differs=CODES),
    Row("Credit, listed", "balls", "d", 1.2, 4, 194, (196.8, 184, 201)),
    Row("BreastW", "half_spaces", "c", 1.0, 1, 18, (18.4, 15, 21)),
    Row("Pima", "half_spaces", "c", 1.5, 3, 175, (180.1, 168, 190), consistent=FEW),
    Row("Haberman", "half_spaces", "d", 0.7, 1, 68, (69.3, 66, 74)),
    Row("Bupa", "half_spaces", "c", 1.4, 1, 103, (101.7, 95, 110)),
    Row("Glass", "half_spaces", "c", 1.05, 3, 39, (35.4, 31, 42)),
    Row("Credit", "half_spaces", "d", 1.2, 3, 148, (146.3, 141, 157), consistent=FEW),
    Row("Credit, listed", "half_spaces", "d", 1.2, 3, 148, (146.3, 141, 157), FEW, 0),
]

# The paper has 52 rows of Votes, and does not say which party is positive: both are tried.
VOTES = [
    Row("Votes", "balls", "d", 0.9, 1),
    Row("Votes", "balls", "c", 0.9, 1),
    Row("Votes", "half_spaces", "c", 0.8, 1),
    Row("Votes", "half_spaces", "d", 0.8, 1),
]


def case(row):
    marks = [pytest.mark.xfail(reason=row.differs, raises=AssertionError)] if row.differs else []
    return pytest.param(row, id=str(row), marks=marks)


@pytest.fixture(scope="module", autouse=True)
def heading():
    titles = ["set", "rows", "family", "T p s", "paper", "others", "ours", "splits"]
    print("\n" + LINE.format(*titles, "consistent", "CPU s"))


def reported(row, folder):
    """Print a line of the table, and give the errors of each split."""
    X, y = prepare(folder, row.name)
    start = time.process_time()
    ours = errors(row.machine(), X, y, row.splits)
    line = [row.name, len(y), row.family, f"{row.kind} {row.p:g} {row.size}"]
    line += [row.published or "-", _range(row.others), in_words(ours), row.splits]
    line.append(_change(row, X, y, ours))
    print(LINE.format(*line, f"{time.process_time() - start:.1f}"))
    return ours


def _range(others):
    return "{} [{}-{}]".format(*others) if others else "-"


def _change(row, X, y, ours):
    """Say how much the mean changes where a machine must classify what rebuilds it."""
    if not row.consistent:
        return "-"
    consistent = errors(row.machine(consistent=True), X, y, row.consistent)
    return f"{np.mean(consistent - ours[: row.consistent]):+.1f} on {row.consistent}"


@pytest.mark.parametrize("row", [case(row) for row in ROWS])
def test_the_mean_of_the_errors_is_in_the_range_of_others(row, data_folder):
    _, least, most = row.others
    assert least <= np.mean(reported(row, data_folder)) <= most


@pytest.mark.parametrize("row", [case(row) for row in VOTES])
def test_votes_are_judged_better_than_by_the_majority(row, data_folder):
    _, y = prepare(data_folder, row.name)
    assert np.mean(reported(row, data_folder)) < min(y.sum(), len(y) - y.sum())
