"""Path of a greedy search: one model of each size, with its certificate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.certificate import Certificate
from rulewright.certificates.forms import HoldoutCertificate
from rulewright.models import Model
from rulewright.rules import reanchored


@dataclass(frozen=True, slots=True)
class PathEntry:
    """The model after ``size`` steps.

    Attributes
    ----------
    size : int
        Rules chosen so far; leaves of a tree.
    model : Model
    errors : int
        Training examples that it misclassifies, in the compression set too.
    certificate : Certificate
        None of a model that was learnt from counts.
    usefulness : float
        Score of the last rule: the weight it covers less p times the weight it loses. For a tree,
        the number of errors less than the next smaller one.
    """

    size: int
    model: Model
    errors: int
    certificate: Certificate
    usefulness: float

    def saving(self, errors: int) -> PathEntry:
        """Return the entry with the number of errors less than the entry before it."""
        return replace(self, usefulness=float(errors))

    def cautioned(self, cautions: tuple[str, ...]) -> PathEntry:
        """Return the entry with these cautions."""
        return self.certified(replace(self.certificate, cautions=cautions))

    def certified(self, certificate: Certificate) -> PathEntry:
        """Return the entry with another certificate."""
        model = replace(self.model, certificate=certificate)
        return replace(self, model=model, certificate=certificate)

    def restored(self, rows: NDArray[np.intp], names: Sequence[str] | None) -> PathEntry:
        """Return the entry with the rows and columns of the user's table, not the canonical ones.

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
        """Return the entry with training rows by their numbers in the table they are from."""
        if (rows == np.arange(rows.size)).all():
            return self
        certificate = self.certificate.renumbered(rows)
        body = reanchored(self.model.body, rows)
        model = replace(self.model, body=body, certificate=certificate)
        return replace(self, model=model, certificate=certificate)


def certified_front(
    entries: Sequence[PathEntry], worth: Callable[[PathEntry], float] | None = None
) -> list[PathEntry]:
    """Return the entries that have a better certificate than all smaller ones.

    ``worth`` is the bound by default, or the certified cost; smaller is better. There is no front
    of hold-out certificates: their bounds do not hold all at once.
    """
    if any(isinstance(entry.certificate, HoldoutCertificate) for entry in entries):
        return []
    best, found = math.inf, []
    values = [(entry, worth(entry) if worth else entry.certificate.bound) for entry in entries]
    for entry, value in sorted(values, key=lambda one: (one[0].size, one[1])):
        if value < best:
            best = value
            found.append(entry)
    return found
