"""What every family can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Field, Table
from rulewright.rules import Predicate

Weights = NDArray[np.int64]


class Found(NamedTuple):
    """A predicate, the weight that one of its sides gathers, and the positive part of that."""

    predicate: Predicate
    total: int
    gathered: int


class Search(ABC):
    """A family prepared for one table, to be asked any number of times."""

    @abstractmethod
    def heaviest(self, weight: Weights, *, side: bool = True) -> Found | None:
        """Find the predicate whose true side (or false side) gathers the most weight.

        Exact. Ties go to the larger gathered weight, then to the first candidate in the family's
        documented order. None where the family has no candidate for this table.
        """


class Family(ABC):
    """A kind of predicate; an instance is a choice of its options."""

    name: ClassVar[str]
    anchored: ClassVar[bool]
    """Whether a predicate takes its number from a training example."""

    @abstractmethod
    def prepare(self, table: Table, threads: int = 1) -> Search:
        """Do once what every search on this table needs."""

    @abstractmethod
    def options(self, field: Field) -> int:
        """Count what a predicate on this column can be, its number aside.

        A bound charges for the column, and then for one of so many options.
        """

    @abstractmethod
    def makes(self, predicate: Predicate, table: Table) -> bool:
        """Whether this is one of the options, with its number from the row it is anchored on.

        This is what a certificate's check trusts: a predicate that says more than one of the
        options and an anchor can say must be refused.
        """

    def heaviest(self, table: Table, weight: Weights, *, side: bool = True) -> Found | None:
        """Prepare and search once."""
        return self.prepare(table).heaviest(weight, side=side)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *sorted(vars(self).items())))

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({options})"
