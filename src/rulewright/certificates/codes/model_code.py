"""The code of models: the compression set and the message of any model, and the check of both.

Machines of single literals (conjunctions, disjunctions, lists) have a code of their own
(``machine_code`` and ``machine_message``), which leaves out their order and implied borders. Every
other arrangement is encoded by its structure (``structure_code``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import SETTINGS, Message
from rulewright.certificates.codes.canonical_model import canonical_model, split_intervals
from rulewright.certificates.codes.codebook import Codebook
from rulewright.certificates.codes.machine_code import (
    CompressedMachine,
    compress_machine,
    rebuild_machine,
    unknown_rule,
)
from rulewright.certificates.codes.machine_message import machine_message
from rulewright.certificates.codes.structure_code import rebuilt_structure, structure_message
from rulewright.data import CategoricalColumn, Column, Field, NumericColumn, Table
from rulewright.errors import CertificateError
from rulewright.families import Examples, Family
from rulewright.rules import (
    Arrangement,
    Category,
    Conjunction,
    Disjunction,
    encode,
    literals_of,
)

ClassNumbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Compression:
    """The compression set of a model by role, and its message; ``machine`` if it is one."""

    roles: dict[str, tuple[int, ...]]
    message: Message
    machine: CompressedMachine | None = None

    @property
    def places(self) -> NDArray[np.intp]:
        """The rows of all roles, in increasing order."""
        return np.array(sorted(row for rows in self.roles.values() for row in rows), np.intp)


@dataclass(frozen=True, eq=False)
class Code:
    """Code of models: what is fixed before looking at the training examples.

    ``combinations`` are the allowed combinations of literals (``Codebook``). None is for machines
    of single literals, whose borders may be ``implied``.
    """

    families: tuple[Family, ...]
    classes: int
    settings: int = 1
    implied: bool = False
    combinations: tuple[str, ...] | None = None

    def codebook(self, training: Table) -> Codebook:
        """Return what is known before the message, for models encoded by their structure."""
        return Codebook(training, self.families, self.classes, self.combinations or ())

    def compression(self, body: Arrangement, training: Table, y: ClassNumbers) -> Compression:
        """Return the compression set and the message of a model.

        Raises
        ------
        CertificateError
            If the code has no message for the model.
        """
        if self.combinations is not None:
            rows, message = structure_message(body, self.codebook(training))
            settings = ((SETTINGS, math.log(self.settings)),) if self.settings > 1 else ()
            return Compression({"anchors": rows}, (*settings, *message))
        whole = split_intervals(body, self.families)
        machine = compress_machine(whole, y, self.families, implied=self.implied)
        message = machine_message(
            machine,
            y[np.array(machine.places, np.intp)],
            training.fields,
            self.families,
            settings=self.settings,
            classes=self.classes,
        )
        return Compression({"anchors": machine.places}, message, machine)

    def check(self, body: Arrangement, compression: Compression, training: Examples) -> None:
        """Rebuild a model from its compression set and message, and compare.

        Raises
        ------
        CertificateError
            If the rebuilt model differs.
        """
        if compression.machine is None:
            codebook = self.codebook(training.table)
            if rebuilt_structure(body, codebook, training) != canonical_model(body, codebook):
                raise CertificateError("The rebuilt model differs: a rule or the data was changed.")
            return
        body = split_intervals(body, self.families)
        examples = training.take(np.array(compression.machine.places, np.intp))
        rebuilt = rebuild_machine(compression.machine, examples, self.families)
        for theirs, ours in zip(body.children, rebuilt.children, strict=True):
            if theirs != ours:
                raise unknown_rule(theirs, self.families)
        if rebuilt != body:
            raise CertificateError("The rebuilt model differs: its answers were changed.")

    def share_message(self, one: Arrangement, other: Arrangement, columns: Sequence[Field]) -> bool:
        """Whether two models of these columns have the same compression set and message."""
        try:
            return self._encoded(one, other, columns) == self._encoded(other, one, columns)
        except CertificateError:
            return False

    def _encoded(
        self, body: Arrangement, other: Arrangement, columns: Sequence[Field]
    ) -> tuple[object, ...]:
        """Return what the message describes of a model."""
        if self.combinations is not None:
            codebook = self.codebook(_table_without_rows(columns, (body, other)))
            return type(body), encode(canonical_model(body, codebook))
        machine = split_intervals(body, self.families)
        if isinstance(machine, Conjunction | Disjunction):  # the order is not in the message
            parts = sorted(repr(encode(part)) for part in machine.parts)
            return type(machine), parts, machine.then, machine.otherwise
        return type(machine), encode(machine)


def _table_without_rows(columns: Sequence[Field], bodies: Sequence[Arrangement]) -> Table:
    """Return an empty table of columns with the categories that the models name."""
    named: dict[str, set[str]] = {column.name: set() for column in columns}
    for body in bodies:
        for literal in literals_of(body):
            if isinstance(literal, Category):
                named[literal.column].update(literal.values)
    made: list[Column] = []
    for column in columns:
        known = sorted(named[column.name])
        # One stands for all others: the number that a file claims makes no difference here.
        others = ["\0"] if column.categories > len(known) else []
        if column.is_numeric:
            made.append(NumericColumn(column.name, np.empty(0), column.kind))
        else:
            categories = column.order.labels if column.order else (*known, *others)
            codes, ordered = np.empty(0, np.int32), column.order is not None
            made.append(CategoricalColumn(column.name, column.kind, codes, categories, ordered))
    return Table(made, 0)
