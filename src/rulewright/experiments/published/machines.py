"""Machines of the papers on balls and half-spaces, cross-validated on the same folds.

The papers had one split into ten folds, which is not known: they state only "10-fold". Here split
``r`` is shuffled with seed ``r`` and not stratified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.experiments.cells import Cell, Result

MACHINE_ERRORS = "rulewright.experiments.published.machine_cells.machine_errors"
KINDS = {"c": "conjunction", "d": "disjunction"}
TYPES = {"c": "complex", "s": "simple"}


@dataclass(frozen=True)
class Svm:
    """A support vector machine with a kernel of radial basis functions."""

    gamma: float
    C: float

    def parameters(self) -> dict[str, Any]:
        """Parameters of its cells."""
        return {"machine": "svm", "gamma": self.gamma, "C": self.C}

    def __str__(self) -> str:
        return f"{self.gamma:g} {self.C:g}"


@dataclass(frozen=True)
class Scm:
    """A set covering machine: its kind (c or d), penalty and size."""

    family: str
    kind: str
    penalty: float
    size: int
    consistent: bool = False

    def parameters(self) -> dict[str, Any]:
        """Parameters of its cells."""
        return {
            "machine": "scm",
            "family": self.family,
            "kind": KINDS[self.kind],
            "penalty": json_number(self.penalty),
            **_limits(self),
        }

    def __str__(self) -> str:
        return f"{self.kind} {penalty_text(self.penalty)} {self.size}"


@dataclass(frozen=True)
class Dlm:
    """A decision list machine of balls: its types (c or s), its two penalties and its size."""

    types: str
    pp: float
    pn: float
    size: int
    consistent: bool = False

    def parameters(self) -> dict[str, Any]:
        """Parameters of its cells."""
        return {
            "machine": "dlm",
            "types": TYPES[self.types],
            "penalty": [json_number(self.pp), json_number(self.pn)],
            **_limits(self),
        }

    def exchanged(self) -> Dlm:
        """The same machine with the other class as the positive one."""
        return replace(self, pp=self.pn, pn=self.pp)

    def __str__(self) -> str:
        return f"{self.types} {penalty_text(self.pp)} {penalty_text(self.pn)} {self.size}"


Machine = Svm | Scm | Dlm


def _limits(machine: Scm | Dlm) -> dict[str, Any]:
    return {"max_rules": machine.size, "consistent": machine.consistent}


def json_number(penalty: float) -> float | str:
    """Infinity as text, which JSON does not have as a number."""
    return "inf" if np.isinf(penalty) else penalty


def penalty_text(penalty: float) -> str:
    """A penalty as the papers print it."""
    return "∞" if np.isinf(penalty) else f"{penalty:g}"


def cross_validation(table: str, machine: Machine, repeat: int) -> Cell:
    """Cell of a machine on the ten folds of a split."""
    known = {"table": table, "repeat": repeat, **machine.parameters()}
    return Cell(MACHINE_ERRORS, known)


@dataclass(frozen=True, eq=False)
class Repeats:
    """Results of one machine on one table, one entry for each split.

    Attributes
    ----------
    rows : int
        Rows of the table.
    totals : array of splits x sizes
        Errors over the folds of a split.
    size, examples : float
        Mean number of rules or support vectors, and of examples that rebuild the machine.
    """

    rows: int
    totals: NDArray[np.int64]
    size: float
    examples: float

    @classmethod
    def of(cls, results: Sequence[Result]) -> Repeats:
        """Join the splits of a machine."""
        values = [result.values for result in results]
        return cls(
            values[0]["rows"],
            np.array([np.sum(value["errors"], axis=0) for value in values]),
            float(np.mean([value["sizes"] for value in values])),
            float(np.mean([value["examples"] for value in values])),
        )

    @property
    def errors(self) -> NDArray[np.int64]:
        """Errors of the largest machine in each split."""
        return self.totals[:, -1]

    def __str__(self) -> str:
        return spread(self.errors)


def spread(totals: NDArray[Any]) -> str:
    """Mean, deviation and range of totals over splits, or the only total."""
    if len(totals) == 1:
        return f"{totals[0]:g}"
    low, high = totals.min(), totals.max()
    return f"{totals.mean():.1f} ± {totals.std(ddof=1):.1f} [{low:g}-{high:g}]"


class Outcomes:
    """Results of ``cross_validation`` cells by table and machine."""

    def __init__(self, results: Sequence[Result]) -> None:
        self._found: dict[str, dict[int, Result]] = {}
        for result in results:
            parameters = result.cell.parameters
            found = self._found.setdefault(self._key(parameters), {})
            found[parameters["repeat"]] = result

    @staticmethod
    def _key(parameters: Mapping[str, Any]) -> str:
        return repr(sorted((k, v) for k, v in parameters.items() if k != "repeat"))

    def repeats(self, table: str, machine: Machine, splits: int | None = None) -> Repeats:
        """The first splits of a machine on a table; all if ``splits`` is None."""
        found = self._found[self._key({"table": table, **machine.parameters()})]
        return Repeats.of([found[repeat] for repeat in sorted(found)[:splits]])


def splits_text(splits: int) -> str:
    """Which splits a number was computed from."""
    if splits == 1:
        return "of one split (seed 0)"
    return f"as mean ± deviation [minimum-maximum] of {splits} splits (seeds 0 to {splits - 1})"


def published_text(table: str, number: object) -> str:
    """A published number; in brackets on Votes, where the papers had other rows."""
    return f"({number})" if table == "Votes" else str(number)
