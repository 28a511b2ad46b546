"""Results of a grid search, one row for each model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rulewright.certificates import HoldoutCertificate, PathEntry
from rulewright.learners import Path, certified_cost
from rulewright.selection.choosing import Choice, Tried, choices
from rulewright.selection.front_plot import training_cost
from rulewright.selection.testing import Losses


@dataclass(frozen=True, eq=False)
class Results:
    """All models that were tried, the one that was chosen, and their test losses.

    ``rows`` is the number of rows that were searched. ``crossed`` and ``held`` are the losses of
    each run in cross-validation and on rows held out.
    """

    points: Sequence[dict[str, Any]]
    rows: int
    tried: Sequence[Tried]
    chosen: Choice
    crossed: Sequence[Losses] | None = None
    held: Sequence[Losses] | None = None
    held_certificate: HoldoutCertificate | None = None

    @property
    def path(self) -> Path:
        """The models of the chosen run, up to the chosen one."""
        entries = self.chosen.tried.path[: self.chosen.place + 1]
        return replace(self.chosen.tried.found, entries=entries, chosen=len(entries) - 1)

    @property
    def best_params(self) -> dict[str, Any]:
        """The chosen point of the grid, with what else the choice settles: size and kind."""
        return {**self.points[self.chosen.tried.run.point], **self.chosen.parameters}

    def columns(self) -> dict[str, list[Any]]:
        """Results by column, as in ``cv_results_`` of scikit-learn."""
        every = choices(self.tried)
        names = sorted({name for point in self.points for name in point})
        points = [self.points[choice.tried.run.point] for choice in every]
        columns: dict[str, list[Any]] = {
            f"param_{name}": _plain([point.get(name) for point in points]) for name in names
        }
        entries = [choice.entry for choice in every]
        certificates = [entry.certificate for entry in entries]
        columns |= {
            "arrangement": [choice.tried.run.arrangement for choice in every],
            "size": [entry.size for entry in entries],
            "train_error": [self._training_error(entry) for entry in entries],
            "bound": [c.bound for c in certificates],
            "worth": [choice.worth for choice in every],
            "examples": [len(c.examples) for c in certificates],
            "message_bits": [c.message_nats / math.log(2) for c in certificates],
            "run_seconds": [choice.tried.seconds for choice in every],
        }
        for name, found in (("cv", self.crossed), ("holdout", self.held)):
            if found is not None:
                columns[f"{name}_loss"] = [x for losses in found for x in losses.mean.tolist()]
        if self.crossed is not None:
            columns["cv_deviation"] = [x for run in self.crossed for x in run.deviation.tolist()]
        columns["chosen"] = [
            choice.tried is self.chosen.tried and choice.place == self.chosen.place
            for choice in every
        ]
        return columns

    def curves(self) -> dict[str, Any]:
        """Data of the path plot: all sizes of the chosen run."""
        run, number = self.chosen.tried, list(self.tried).index(self.chosen.tried)
        tested = self.crossed or self.held
        costs, held = run.run.costs, self.held_certificate
        return {
            "sizes": [entry.size for entry in run.path],
            "errors": [
                self._training_error(entry)
                if costs is None
                else training_cost(entry.model, [float(cost) for cost in costs])
                for entry in run.path
            ],
            "bounds": [certified_cost(entry.certificate, costs) for entry in run.path],
            "tested": None if tested is None else tested[number].mean.tolist(),
            "test": "cross-validated" if self.crossed else "on the rows held out",
            "chosen": self.chosen.entry.size,
            "held": None if held is None else certified_cost(held, costs),
            "delta": self.chosen.entry.certificate.delta,
            "costs": costs is not None,
        }

    def _training_error(self, entry: PathEntry) -> float:
        """Share of the rows that the run learnt from which are misclassified."""
        certificate = entry.certificate
        held = certificate.m if certificate.form == "holdout" else 0
        return entry.errors / (self.rows - held)


def _plain(values: Sequence[Any]) -> list[Any]:
    """Values of one type, as dataframes need them: numbers or texts stay, others become text."""
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1 and kinds <= {int, float, str, bool}:
        return values
    convert = float if kinds == {int, float} else str
    return [None if value is None else convert(value) for value in values]
