"""The two codes as one: which examples and which message rebuild a model, and that they do.

Machines of single literals (conjunctions, disjunctions, lists) have a code of their own, in
``rebuilding`` and ``message``: it need not tell their order, nor borders that are implied. Every
other arrangement is told by its structure, in ``structure``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import SETTINGS, Message
from rulewright.data import CategoricalColumn, Field, NumericColumn, Table
from rulewright.data.columns import Column
from rulewright.errors import CertificateError
from rulewright.families import Examples, Family
from rulewright.models.canonical import canonical, spread
from rulewright.models.language import Language
from rulewright.models.message import message_of
from rulewright.models.rebuilding import Compressed, compress, rebuild, strange
from rulewright.models.structure import priced, rebuilt
from rulewright.rules import (
    Arrangement,
    Category,
    Conjunction,
    Disjunction,
    encode,
    literals_of,
)

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

    def compression(self, body: Arrangement, training: Table, y: Codes) -> Compression:
        """Name the examples and the message that rebuild a model, or say that there are none."""
        if self.combinations is not None:
            rows, message = priced(body, self.language(training))
            settled = ((SETTINGS, math.log(self.settings)),) if self.settings > 1 else ()
            return Compression({"anchors": rows}, (*settled, *message))
        said = compress(spread(body, self.families), y, self.families, implied=self.implied)
        message = message_of(
            said,
            y[np.array(said.places, np.intp)],
            training.fields,
            self.families,
            settings=self.settings,
            classes=self.classes,
        )
        return Compression({"anchors": said.places}, message, said)

    def check(self, body: Arrangement, compression: Compression, training: Examples) -> None:
        """Rebuild a model from what was told and the examples named, and compare."""
        said = compression.said
        if said is None:
            language = self.language(training.table)
            if rebuilt(body, language, training) != canonical(body, language):
                raise CertificateError(
                    "Rebuilding gives another model: a rule or the data was changed."
                )
            return
        body = spread(body, self.families)
        again = rebuild(said, training.take(np.array(said.places, np.intp)), self.families)
        for theirs, ours in zip(body.children, again.children, strict=True):
            if theirs != ours:
                raise strange(theirs, self.families)
        if again != body:
            raise CertificateError("Rebuilding gives another model: its answers were changed.")

    def share_message(self, one: Arrangement, other: Arrangement, columns: Sequence[Field]) -> bool:
        """Whether one message with the same examples tells both of two models of these columns."""
        try:
            return self._told_form(one, other, columns) == self._told_form(other, one, columns)
        except CertificateError:
            return False

    def _told_form(
        self, body: Arrangement, other: Arrangement, columns: Sequence[Field]
    ) -> tuple[object, ...]:
        if self.combinations is not None:
            language = self.language(_without_rows(columns, (body, other)))
            return type(body), encode(canonical(body, language))
        machine = spread(body, self.families)
        if isinstance(machine, Conjunction | Disjunction):  # the order of its parts is not told
            parts = sorted(repr(encode(part)) for part in machine.parts)
            return type(machine), parts, machine.then, machine.otherwise
        return type(machine), encode(machine)


def _without_rows(columns: Sequence[Field], bodies: Sequence[Arrangement]) -> Table:
    """Make a table of columns whose categories are known only where a model names them."""
    named: dict[str, set[str]] = {column.name: set() for column in columns}
    for body in bodies:
        for literal in literals_of(body):
            if isinstance(literal, Category):
                named[literal.column].update(literal.values)
    made: list[Column] = []
    for column in columns:
        known = sorted(named[column.name])
        # One stands for all others: how many a file claims decides nothing here.
        others = ["\0"] if column.categories > len(known) else []
        if column.is_numeric:
            made.append(NumericColumn(column.name, np.empty(0), column.kind))
        else:
            categories = (*known, *others)
            codes = np.empty(0, np.int32)
            made.append(CategoricalColumn(column.name, column.kind, codes, categories))
    return Table(made, 0)


@dataclass(frozen=True, eq=False)
class Compression:
    """The training rows that rebuild a model, by role, and the message; ``said`` if compressed."""

    roles: dict[str, tuple[int, ...]]
    message: Message
    said: Compressed | None = None

    @property
    def places(self) -> NDArray[np.intp]:
        """The rows of all roles, in increasing order."""
        return np.array(sorted(row for rows in self.roles.values() for row in rows), np.intp)
