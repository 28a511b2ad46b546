"""The two codes as one: which examples and which message rebuild a model, and that they do.

Machines of single literals (conjunctions, disjunctions, lists) have a code of their own, in
``rebuilding`` and ``message``: it need not tell their order, nor borders that are implied. Every
other arrangement is told by its structure, in ``structure``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import SETTINGS, Message
from rulewright.data import Table
from rulewright.errors import CertificateError
from rulewright.families import Examples, Family
from rulewright.models.canonical import canonical
from rulewright.models.language import Language
from rulewright.models.message import message_of
from rulewright.models.rebuilding import Compressed, compress, rebuild, strange
from rulewright.models.structure import priced, rebuilt
from rulewright.rules import Arrangement

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Code:
    """How models are told: what is settled before looking at the training examples.

    ``combinations`` are what conditions may be made of (``Language``); None for machines of single
    literals, where borders may be ``implied``.
    """

    families: tuple[Family, ...]
    classes: int
    settings: int = 1
    implied: bool = False
    combinations: tuple[str, ...] | None = None

    def language(self, training: Table) -> Language:
        """Say what the structure of a model is told in."""
        return Language(training, self.families, self.classes, self.combinations or ())

    def tell(self, body: Arrangement, training: Table, y: Codes) -> Telling:
        """Name the examples and the message that rebuild a model, or say that there are none."""
        if self.combinations is not None:
            rows, message = priced(body, self.language(training))
            settled = ((SETTINGS, math.log(self.settings)),) if self.settings > 1 else ()
            return Telling({"anchors": rows}, (*settled, *message))
        said = compress(body, y, self.families, implied=self.implied)
        message = message_of(
            said,
            y[np.array(said.places, np.intp)],
            training.fields,
            self.families,
            settings=self.settings,
            classes=self.classes,
        )
        return Telling({"anchors": said.places}, message, said)

    def check(self, body: Arrangement, telling: Telling, training: Examples) -> None:
        """Rebuild a model from what was told and the examples named, and compare."""
        said = telling.said
        if said is None:
            language = self.language(training.table)
            if rebuilt(body, language, training) != canonical(body, language):
                raise CertificateError(
                    "Rebuilding gives another model: a rule or the data was changed."
                )
            return
        again = rebuild(said, training.take(np.array(said.places, np.intp)), self.families)
        for theirs, ours in zip(body.children, again.children, strict=True):
            if theirs != ours:
                raise strange(theirs, self.families)
        if again != body:
            raise CertificateError("Rebuilding gives another model: its answers were changed.")


@dataclass(frozen=True, eq=False)
class Telling:
    """The training rows that rebuild a model, by role, and the message; ``said`` if compressed."""

    roles: dict[str, tuple[int, ...]]
    message: Message
    said: Compressed | None = None

    @property
    def places(self) -> NDArray[np.intp]:
        """The rows of all roles, in increasing order."""
        return np.array(sorted(row for rows in self.roles.values() for row in rows), np.intp)
