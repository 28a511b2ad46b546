"""What all nodes, and all predicates, can do."""

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
    """A frozen piece of a model; what it is made of, it knows from its children."""

    __slots__ = ()

    @property
    def children(self) -> Sequence[Node]:
        """The nodes it is made of."""
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns it looks at, each once, in the order of their first use."""
        return tuple(dict.fromkeys(name for child in self.children for name in child.columns))

    @property
    def literals(self) -> int:
        """Its size: how many single tests it is made of."""
        return sum(child.literals for child in self.children)

    @property
    def anchors(self) -> tuple[int, ...]:
        """Training rows that its numbers were taken from, each once, in increasing order."""
        return tuple(sorted({row for child in self.children for row in child.anchors}))


@cache
def members_of(kind: type[Node]) -> tuple[str, ...]:
    """Name the members of a node of this class."""
    return tuple(f.name for f in dataclasses.fields(kind))  # type: ignore[arg-type]


class Predicate(Node, ABC):
    """True or false on every row."""

    __slots__ = ()

    @abstractmethod
    def holds(self, table: Table) -> Mask:
        """Say on which rows it is true."""

    @abstractmethod
    def __invert__(self) -> Predicate:
        """Return the predicate that is true exactly where this one is not."""


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
