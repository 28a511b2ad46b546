"""Examples that tests and rules cover, and their weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.kernels import packed
from rulewright.rules import AllOf, Predicate, Rule

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]
Words = NDArray[np.uint64]

MAX_KEPT = 2**28
"""Maximum number of bytes of the cache of bits; beyond, it is emptied."""


@dataclass(frozen=True, eq=False)
class WeightedExamples:
    """Examples on which rules are counted: the table, class numbers and weights."""

    table: Table
    y: NDArray[np.int32]
    classes: int
    worth: Floats
    _known: dict[Predicate, Words] = field(default_factory=dict)

    @cached_property
    def own(self) -> Words:
        """Bit masks of the examples of each class."""
        return np.array([packed(self.y == c) for c in range(self.classes)])

    @cached_property
    def weight(self) -> Floats | None:
        """Weight of each example; None if all are one."""
        return None if (self.worth == 1).all() else self.worth

    @cached_property
    def by_class(self) -> Floats:
        """Total weight of the examples of each class."""
        return sums_by_class(self.y, self.worth, self.classes)

    def weighed(self, worth: Floats) -> WeightedExamples:
        """Same examples with other weights."""
        return WeightedExamples(self.table, self.y, self.classes, worth, self._known)

    def bits(self, tests: Iterable[Predicate]) -> Words:
        """Bit masks of the examples on which some tests hold, one row for each test."""
        if len(self._known) * self.table.rows > 8 * MAX_KEPT:
            self._known.clear()
        lines = []
        for test in tests:
            if test not in self._known:
                self._known[test] = packed(test.holds(self.table))
            lines.append(self._known[test])
        return np.array(lines, np.uint64).reshape(len(lines), -(-self.table.rows // 64))

    def covered(self, tests: Sequence[Predicate]) -> Rows:
        """Examples on which all of some tests hold."""
        bits = np.bitwise_and.reduce(self.bits(tests), axis=0)
        spread = np.unpackbits(bits.astype("<u8").view(np.uint8), bitorder="little")
        return np.flatnonzero(spread[: self.table.rows].view(np.bool_)).astype(np.int32)


def sums_by_class(y: NDArray[np.int32], worth: Floats, classes: int) -> Floats:
    """Sums of the weights of examples, by class."""
    return np.bincount(y, worth, classes).astype(np.float64)  # integers without examples


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule that may be chosen, and the examples that it covers.

    ``expected`` is its expected error rate; ``right`` and ``wrong`` are the weights that it covers
    of its class and of the others.
    """

    terms: tuple[Predicate, ...]
    output: int
    rows: Rows
    right: float
    wrong: float
    expected: float

    @property
    def rule(self) -> Rule:
        """The rule itself."""
        condition = self.terms[0] if len(self.terms) == 1 else AllOf(self.terms)
        return Rule(condition, self.output)
