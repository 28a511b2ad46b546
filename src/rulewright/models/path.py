"""The path: one model a size, all from one run of a greedy search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulewright.models.certificate import Certificate
from rulewright.models.model import Model
from rulewright.rules import reanchored


@dataclass(frozen=True, slots=True)
class PathEntry:
    """The machine after ``size`` steps.

    Attributes
    ----------
    size : int
        Rules chosen so far; leaves of a tree.
    model : Model
    errors : int
        Training examples it misjudges, those that rebuild it included.
    certificate : Certificate
    usefulness : float
        What the last rule was chosen for: the weight it covers less p times the weight it loses. Of
        a tree, the errors that it saves against the next smaller one.
    """

    size: int
    model: Model
    errors: int
    certificate: Certificate
    usefulness: float

    def saving(self, errors: int) -> PathEntry:
        """Say how many errors it saves against the entry before it."""
        return replace(self, usefulness=float(errors))

    def cautioned(self, cautions: tuple[str, ...]) -> PathEntry:
        """Tell the reader of the certificate something besides."""
        certificate = replace(self.certificate, cautions=cautions)
        model = replace(self.model, certificate=certificate)
        return replace(self, model=model, certificate=certificate)

    def restored(self, rows: NDArray[np.intp], names: Sequence[str] | None) -> PathEntry:
        """Put what was found in canonical order in the order of the user's table again.

        ``rows`` are the numbers of the training rows there, ``names`` its columns; None where the
        search kept the user's order.
        """
        entry = self.renumbered(rows)
        if names is None:
            return entry
        known = {column.name: column for column in entry.model.columns}
        certificate = replace(entry.certificate, canonical=True)
        columns = tuple(known[name] for name in names)
        model = replace(entry.model, columns=columns, certificate=certificate)
        return replace(entry, model=model, certificate=certificate)

    def renumbered(self, rows: NDArray[np.intp]) -> PathEntry:
        """Name the training rows by their numbers in the table they were taken from."""
        if (rows == np.arange(rows.size)).all():
            return self
        roles = {
            name: tuple(sorted(int(rows[row]) for row in part))
            for name, part in self.certificate.roles.items()
        }
        certificate = replace(self.certificate, roles=roles)
        body = reanchored(self.model.body, rows)
        model = replace(self.model, body=body, certificate=certificate)
        return replace(self, model=model, certificate=certificate)
