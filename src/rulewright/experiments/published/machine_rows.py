"""Rows of the published tables of machines, and the columns that the tables have in common."""

from __future__ import annotations

from dataclasses import dataclass

from rulewright.experiments.pages import CellValue
from rulewright.experiments.published.machines import (
    Machine,
    Outcomes,
    Repeats,
    Scm,
    Svm,
    published_text,
)

INTRODUCTION = (
    "Errors are totals over ten folds, {splits}. All machines have the same folds. Rows with "
    "missing values and contradictory rows are removed, and nothing is scaled. Published numbers "
    "are minima over a grid on one split, which is not known, so they should be somewhat lower "
    "than ours at the same parameters. The paper has 52 rows of Votes, which cannot be "
    "reconstructed: the table here has the 232 complete rows, and published numbers of Votes are "
    "in brackets."
)


@dataclass(frozen=True)
class MachineRow:
    """A row of a published table: a data set, machines, and what was published of them.

    Attributes
    ----------
    table : str
    vectors : int
        Published number of support vectors.
    machines : tuple of Machine
        The support vector machine first.
    errors : tuple of int
        Published errors of the machines.
    """

    table: str
    vectors: int
    machines: tuple[Machine, ...]
    errors: tuple[int, ...]

    def repeats(self, at: Outcomes) -> list[Repeats]:
        """Results of the machines."""
        return [at.repeats(self.table, machine) for machine in self.machines]

    def error_cells(self, at: Outcomes) -> list[CellValue]:
        """Data set and rows; parameters, published errors and errors of each machine."""
        found: list[CellValue] = [self.table, self.repeats(at)[0].rows]
        for machine, errors, ours in zip(self.machines, self.errors, self.repeats(at), strict=True):
            found += [str(machine), published_text(self.table, errors), str(ours)]
        return found

    def size_cells(self, at: Outcomes) -> list[CellValue]:
        """Data set; support vectors, published and ours; rules and examples of other machines.

        At the end, the support vectors divided by the examples of each of the other machines.
        """
        svm, *others = self.repeats(at)
        found: list[CellValue] = [self.table, published_text(self.table, self.vectors), svm.size]
        for other in others:
            found += [other.size, other.examples]
        return [*found, *(svm.size / other.examples for other in others)]


def machine_row(
    table: str,
    svm: tuple[float, float, int],
    balls: tuple[str, float, int],
    errors: tuple[int, ...],
    *others: Machine,
) -> MachineRow:
    """A row from gamma, C and support vectors, and kind, penalty and size of the balls."""
    gamma, softness, vectors = svm
    machines = (Svm(gamma, softness), Scm("balls", *balls), *others)
    return MachineRow(table, vectors, machines, errors)
