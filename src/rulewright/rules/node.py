"""Base classes of nodes and predicates."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table

Mask = NDArray[np.bool_]


class Node:
    """A frozen part of a model; its properties follow from its children."""

    __slots__ = ()

    @property
    def children(self) -> Sequence[Node]:
        """The nodes that it consists of."""
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of its columns, each once, in the order of their first use."""
        return tuple(dict.fromkeys(name for child in self.children for name in child.columns))

    @property
    def literals(self) -> int:
        """Number of single tests in it."""
        return sum(child.literals for child in self.children)

    @property
    def anchors(self) -> tuple[int, ...]:
        """Training rows that supplied its numbers, each once, in increasing order."""
        return tuple(sorted({row for child in self.children for row in child.anchors}))


@cache
def field_names(kind: type[Node]) -> tuple[str, ...]:
    """Names of the fields of a node of this class."""
    return tuple(f.name for f in dataclasses.fields(kind))  # type: ignore[arg-type]


class Predicate(Node, ABC):
    """True or false on every row."""

    __slots__ = ()

    @abstractmethod
    def holds(self, table: Table) -> Mask:
        """Return the truth of the predicate on each row."""

    @abstractmethod
    def __invert__(self) -> Predicate:
        """Return the exact negation, missing values included."""


class Literal(Predicate):
    """A single test, on one column or on the space of several (``on``)."""

    __slots__ = ()

    @property
    def columns(self) -> tuple[str, ...]:
        on = getattr(self, "on", None)
        return (self.column,) if on is None else on  # type: ignore[attr-defined]

    @property
    def literals(self) -> int:
        return 1

    @property
    def anchors(self) -> tuple[int, ...]:
        return tuple(sorted(set(getattr(self, "anchored_on", ()))))
