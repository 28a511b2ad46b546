"""Table 1 of the paper on decision list machines.

M. Sokolova, M. Marchand, N. Japkowicz and J. Shawe-Taylor (2003), The Decision List Machine,
Advances in Neural Information Processing Systems 15.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rulewright.experiments.cells import Cell, Result
from rulewright.experiments.experiment import Experiment
from rulewright.experiments.pages import Paragraph, ResultPage, ResultTable
from rulewright.experiments.published.machines import (
    Dlm,
    Machine,
    Outcomes,
    Repeats,
    Scm,
    Svm,
    cross_validation,
    penalty_text,
    published_text,
    splits_text,
    spread,
)

inf = float("inf")

SPLITS, GRID_SPLITS = 10, 2


@dataclass(frozen=True)
class DlmRow:
    """A row of the table: machines with their parameters, and what was published of them.

    ``svm`` and ``scm`` have errors last. ``readings`` are the parameters that the row of the
    decision list machine may have.
    """

    table: str
    svm: Svm
    published_svm: tuple[int, int]
    scm: Scm
    published_scm: int
    readings: dict[str, Dlm]
    published_dlm: int


def balls(kind: str, penalty: float, size: int) -> Scm:
    """A set covering machine of balls."""
    return Scm("balls", kind, penalty, size)


# Our copy of the table has "0.1 0.3 1 1.5 1.5 6 / 2 2 3 2 7 4" where four sets should have pp, pn
# and s each: set by set ("rows"), or four pairs of penalties and then four sizes ("pairs").
ROWS = (
    DlmRow(
        "BreastW",
        Svm(0.005, 2),
        (58, 19),
        balls("c", 1.8, 2),
        15,
        {"sure": Dlm("c", 2.1, 1.0, 2)},
        14,
    ),
    DlmRow(
        "Votes",
        Svm(0.05, 15),
        (18, 3),
        balls("d", 0.9, 1),
        6,
        {"rows": Dlm("s", 0.1, 0.3, 1), "pairs": Dlm("s", 0.1, 0.3, 3)},
        3,
    ),
    DlmRow(
        "Pima",
        Svm(0.002, 1),
        (526, 203),
        balls("c", 1.1, 3),
        189,
        {"rows": Dlm("c", 1.5, 1.5, 6), "pairs": Dlm("c", 1.0, 1.5, 2)},
        189,
    ),
    DlmRow(
        "Haberman",
        Svm(0.01, 0.6),
        (146, 71),
        balls("c", 1.4, 1),
        71,
        {"rows": Dlm("s", 2.0, 2.0, 3), "pairs": Dlm("s", 1.5, 6.0, 7)},
        65,
    ),
    DlmRow(
        "Bupa",
        Svm(0.002, 0.2),
        (266, 107),
        balls("d", 2.8, 9),
        106,
        {"rows": Dlm("c", 2.0, 7.0, 4), "pairs": Dlm("c", 2.0, 2.0, 4)},
        108,
    ),
    DlmRow(
        "Glass, all",
        Svm(0.8, 2),
        (125, 34),
        balls("d", inf, 2),
        36,
        {"sure": Dlm("c", 4.8, inf, 12)},
        28,
    ),
    DlmRow(
        "Credit",
        Svm(0.0006, 32),
        (423, 190),
        balls("d", 1.2, 4),
        194,
        {"sure": Dlm("c", 1.0, inf, 11)},
        197,
    ),
)

LARGEST = 12


@dataclass(frozen=True)
class Grid:
    """Parameters among which the best ones are chosen by the errors that are reported."""

    svm: list[Machine]
    scm: list[Machine]
    dlm: list[Machine]

    @property
    def families(self) -> dict[str, list[Machine]]:
        """The machines by their names in the table."""
        return {"SVM": self.svm, "SCM": self.scm, "DLM": self.dlm}


def grid(quick: bool) -> Grid:
    """The grid; a small one if ``quick``."""
    gammas = (0.0005, 0.005, 0.05) if quick else (0.0006, 0.002, 0.005, 0.01, 0.05, 0.8)
    softness = (1.0, 10.0) if quick else (0.2, 0.6, 1.0, 2.0, 15.0, 32.0)
    single = (1.0, 2.0) if quick else (0.7, 0.85, 1.0, 1.1, 1.2, 1.4, 1.8, 2.8, 5.0, inf)
    pairs = (1.0, 2.0) if quick else (1.0, 1.5, 2.0, 4.0, inf)
    return Grid(
        [Svm(gamma, C) for gamma, C in itertools.product(gammas, softness)],
        [balls(kind, penalty, LARGEST) for kind, penalty in itertools.product("cd", single)],
        [Dlm(types, pp, pn, LARGEST) for types, pp, pn in itertools.product("cs", pairs, pairs)],
    )


def best_of(outcomes: Outcomes, table: str, machines: Sequence[Machine]) -> tuple[str, str]:
    """Minimum over machines and sizes in each split, and the best point by the mean."""
    found = {machine: outcomes.repeats(table, machine, GRID_SPLITS) for machine in machines}
    minima = np.min([repeats.totals.min(axis=1) for repeats in found.values()], axis=0)
    best = min(found, key=lambda machine: float(found[machine].totals.mean(axis=0).min()))
    size = int(found[best].totals.mean(axis=0).argmin()) + 1
    return spread(minima), _at(best, size)


def _at(machine: Machine, size: int) -> str:
    """Parameters of a machine at another size."""
    match machine:
        case Svm():
            return str(machine)
        case Scm(_, kind, penalty):
            return f"{kind} {penalty_text(penalty)} {size}"
        case Dlm(types, pp, pn):
            return f"{types} {penalty_text(pp)} {penalty_text(pn)} {size}"


class DlmTable1(Experiment):
    """Support vector machines, set covering machines and decision list machines of balls."""

    name: ClassVar[str] = "dlm-table1"
    title: ClassVar[str] = "Support vectors, set covering and decision list machines (2003)"

    def cells(self, quick: bool) -> list[Cell]:
        """All machines on the same splits."""
        cells = [
            cross_validation(row.table, machine, repeat)
            for row in ROWS
            for machine in self._machines(row)
            for repeat in range(1 if quick else SPLITS)
        ]
        cells += [
            cross_validation(row.table, machine, repeat)
            for row in ROWS
            for machines in grid(quick).families.values()
            for machine in machines
            for repeat in range(1 if quick else GRID_SPLITS)
        ]
        return cells

    @staticmethod
    def _machines(row: DlmRow) -> list[Machine]:
        lists = list(row.readings.values())
        changed = [Dlm(d.types, d.pp, d.pn, d.size, consistent=True) for d in lists]
        exchanged = [machine.exchanged() for machine in lists]
        machines: list[Machine] = [row.svm, row.scm, *lists, *changed, *exchanged]
        return list(dict.fromkeys(machines))

    def page(self, results: Sequence[Result], quick: bool) -> ResultPage:
        """Errors, sizes, readings of the published parameters, and the best of a grid."""
        outcomes = Outcomes(results)
        return ResultPage(
            "The Decision List Machine (2003), Table 1",
            [
                Paragraph(INTRODUCTION.format(splits=splits_text(1 if quick else SPLITS))),
                _errors(outcomes),
                _sizes(outcomes),
                _readings(outcomes),
                _best(outcomes, quick),
            ],
        )


INTRODUCTION = (
    "Errors are totals over ten folds, {splits}. All machines have the same folds. Rows with "
    "missing values and contradictory rows are removed, and nothing is scaled. Published numbers "
    "are minima over a grid on one split, which is not known, so they should be somewhat lower "
    "than ours at the same parameters. The paper has 52 rows of Votes, which cannot be "
    "reconstructed: the table here has the 232 complete rows."
)


def _per_row(
    columns: Sequence[str],
    cells: Callable[[DlmRow], list[str | int | float | None]],
    title: str,
    note: str,
) -> ResultTable:
    return ResultTable(title, columns, [cells(row) for row in ROWS], note)


def _errors(at: Outcomes) -> ResultTable:
    def cells(row: DlmRow) -> list[str | int | float | None]:
        reading = _closest(at, row)
        machines = ((row.svm, row.published_svm[1]), (row.scm, row.published_scm))
        found: list[str | int | float | None] = [row.table, at.repeats(row.table, row.svm).rows]
        for machine, errors in (*machines, (row.readings[reading], row.published_dlm)):
            found += [
                str(machine),
                published_text(row.table, errors),
                str(at.repeats(row.table, machine)),
            ]
        return found

    columns = ["set", "rows", "SVM gamma C", "SVM paper", "SVM", "SCM T p s", "SCM paper", "SCM"]
    return _per_row(
        [*columns, "DLM T pp pn s", "DLM paper", "DLM"],
        cells,
        "Errors at the parameters of the paper",
        "SVM: support vector machine (RBF). SCM: set covering machine of balls, c conjunction, d "
        "disjunction. DLM: decision list machine of balls, c complex, s simple. The paper "
        "does not print gamma and C; they are those of the paper on half-spaces, which reports the "
        "same errors. For Glass, all 214 rows, those for 163 rows are used; the numbers of support "
        "vectors agree. "
        "Where the parameters of the list can be read in two ways, the better one is shown. "
        "Errors on Votes in brackets are those of 52 rows.",
    )


def _closest(at: Outcomes, row: DlmRow) -> str:
    """The reading of the parameters with fewer errors."""
    return min(row.readings, key=lambda r: at.repeats(row.table, row.readings[r]).errors.mean())


def _sizes(at: Outcomes) -> ResultTable:
    def cells(row: DlmRow) -> list[str | int | float | None]:
        vectors, machine = at.repeats(row.table, row.svm), at.repeats(row.table, row.scm)
        reading = row.readings[_closest(at, row)]
        found: Repeats = at.repeats(row.table, reading)
        return [
            row.table,
            row.published_svm[0],
            vectors.size,
            machine.size,
            machine.examples,
            found.size,
            found.examples,
            vectors.size / machine.examples,
            vectors.size / found.examples,
        ]

    return _per_row(
        [
            "set",
            "SVM, paper",
            "SVM",
            "SCM balls",
            "SCM examples",
            "DLM balls",
            "DLM examples",
            "SVM / SCM",
            "SVM / DLM",
        ],
        cells,
        "Sizes and sparsity",
        "Mean number of support vectors, of balls, and of training examples that define the balls "
        "(centres and borders). The last columns divide support vectors by examples.",
    )


def _readings(at: Outcomes) -> ResultTable:
    rows: list[list[str | int | float | None]] = []
    for row in ROWS:
        for how, machine in row.readings.items():
            ours = at.repeats(row.table, machine)
            consistent = Dlm(machine.types, machine.pp, machine.pn, machine.size, consistent=True)
            change = at.repeats(row.table, consistent).errors - ours.errors
            exchanged = at.repeats(row.table, machine.exchanged())
            published = published_text(row.table, row.published_dlm)
            rows.append([row.table, how, str(machine), published, str(ours), str(exchanged)])
            rows[-1].append(f"{change.mean():+.1f}")
    return ResultTable(
        "Decision list machines: the readings of the published parameters",
        ["set", "reading", "T pp pn s", "paper", "ours", "classes exchanged", "consistent"],
        rows,
        "Our copy of the paper's table has lost its columns. Three sets are sure; four can be read "
        "set by set (rows), or as all penalties and then all sizes (pairs). Classes exchanged: the "
        "other class is the positive one. Consistent: change of the mean if every list must "
        "classify the examples that define it correctly.",
    )


def _best(outcomes: Outcomes, quick: bool) -> ResultTable:
    def cells(row: DlmRow) -> list[str | int | float | None]:
        published = (row.published_svm[1], row.published_scm, row.published_dlm)
        found: list[str | int | float | None] = [row.table]
        for errors, machines in zip(published, grid(quick).families.values(), strict=True):
            ours, best = best_of(outcomes, row.table, machines)
            found += [published_text(row.table, errors), ours, best]
        return found

    columns = ["SVM paper", "SVM", "best gamma C", "SCM paper", "SCM", "best T p s"]
    sizes = ", ".join(f"{len(m)} {name}" for name, m in grid(quick).families.items())
    return _per_row(
        ["set", *columns, "DLM paper", "DLM", "best T pp pn s"],
        cells,
        "The best of a grid, chosen by the errors that are reported, as in the paper",
        f"Minimum in each split over the grid ({sizes}; all sizes up to {LARGEST} of the machines "
        f"of balls), {splits_text(1 if quick else GRID_SPLITS)}; the best point is that with the "
        "lowest mean. These errors are too low for new data, because they choose and test with "
        "the same rows.",
    )
