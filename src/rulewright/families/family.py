"""What every family can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Field, Table
from rulewright.data.columns import Column
from rulewright.rules import Node, Predicate, encode

Weights = NDArray[np.int64]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

MAX_CELLS = 2**24
"""With "auto", rows times axes are at most so many."""


class Found(NamedTuple):
    """A predicate, the weight that one of its sides gathers, and the positive part of that."""

    predicate: Predicate
    total: int
    gathered: int


@dataclass(frozen=True, eq=False)
class Training:
    """What a family makes predicates from: examples, their classes, and how much may be tried.

    ``rows`` are the numbers of the examples in the table that the user gave. ``most`` limits the
    prototypes or pairs of prototypes to a random choice, drawn with ``seed``; None is no limit, and
    "auto" is each family's own for large data.
    """

    table: Table
    y: NDArray[np.int32]
    rows: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    threads: int = 1
    most: int | str | None = None
    seed: int = 0
    places: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    """Where each example stands among those that questions are asked about."""

    def __post_init__(self) -> None:
        for name in ("rows", "places"):
            if getattr(self, name).size != self.table.rows:
                object.__setattr__(self, name, np.arange(self.table.rows))


def most_axes(training: Training) -> int:
    """Say along how many axes, each with a number for every row, a family may search."""
    if training.most == "auto":
        return max(MAX_CELLS // max(training.table.rows, 1), 1)
    return int(training.most) if training.most is not None else 2**62


def drawn(every: int, most: int, seed: int) -> NDArray[np.intp]:
    """Draw at most so many of the numbers from 0, in increasing order."""
    if every <= most:
        return np.arange(every)
    return np.sort(np.random.default_rng(seed).choice(every, most, replace=False))


@dataclass(frozen=True, eq=False)
class Question:
    """A signed weight for every example: which predicate gathers the most.

    A predicate fires on one of its sides, and speaks for the class ``output`` there.

    Attributes
    ----------
    weight : array of int
        What firing on each example gathers.
    output : int
        The class that it speaks for.
    side : bool
        Whether it fires where it is true, or where it is false.
    open : mask or None
        The examples that may serve as centre, border or member of a pair; None for all.
    implied : bool
        Whether the border must follow from the examples that rebuild the model: the nearest of
        another class on which it does not fire.
    covered : mask or None
        With ``implied``, examples of the class that earlier rules already answer rightly.
    """

    weight: Weights
    output: int = 1
    side: bool = True
    open: Mask | None = None
    implied: bool = False
    covered: Mask | None = None

    def at(self, places: NDArray[np.intp]) -> Question:
        """Ask the same of the examples in another order."""
        return replace(
            self,
            weight=self.weight[places],
            open=None if self.open is None else self.open[places],
            covered=None if self.covered is None else self.covered[places],
        )


class Search(ABC):
    """A family prepared for one training set, to be asked any number of times."""

    @abstractmethod
    def heaviest(self, question: Question) -> Found | None:
        """Find the predicate whose firing side gathers the most weight.

        Exact. Ties go to the larger gathered weight, then to the first candidate in the family's
        documented order. None where the family has no candidate.
        """


class Site(NamedTuple):
    """What a message must say of a predicate, its examples aside."""

    column: str | None
    option: tuple[Any, ...]


class Choices:
    """What the option of a site can be, numbered from 0."""

    def __init__(self, options: Iterable[tuple[Any, ...]] = ()) -> None:
        self._options = tuple(options)
        self._numbers = {option: number for number, option in enumerate(self._options)}

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._options)

    def number(self, option: tuple[Any, ...]) -> int | None:
        """Give the number of an option; None where it is none of them."""
        return self._numbers.get(option)

    def option(self, number: int) -> tuple[Any, ...]:
        """Give the option of a number."""
        return self._options[number]


@dataclass(frozen=True)
class Family(ABC):
    """A kind of predicate; an instance is a choice of its options."""

    name: ClassVar[str]
    prototypes: ClassVar[int] = 0
    """Training examples that a predicate is built around: a ball's centre, a half-space's pair."""
    borders: ClassVar[int] = 0
    """Training examples that its numbers are taken from."""
    role: ClassVar[str] = ""
    """What the prototypes are called in a certificate."""
    lone: ClassVar[bool] = True
    """Whether a single column is enough: if not, all numeric columns together are one space."""
    border_implied: ClassVar[bool] = True
    """Whether its border can follow from the examples that rebuild the model."""

    @property
    def anchored(self) -> bool:
        """Whether a predicate takes a number from a training example."""
        return self.prototypes + self.borders > 0

    @abstractmethod
    def prepare(self, training: Training) -> Search:
        """Do once what every search on these examples needs."""

    @abstractmethod
    def options(self, column: Field) -> int:
        """Count what a predicate on this column can be, its numbers aside.

        A bound charges for the column, and then for one of so many options. Families of a space
        answer whether the column can take part in it.
        """

    def extra_options(self) -> int:
        """Count what a predicate can be that belongs to no column."""
        return 0

    def all_options(self, columns: Sequence[Field]) -> int:
        """Count what a predicate on any of these columns, or on none, can be, its numbers aside.

        Of a space: one, where its examples tell all that there is to tell.
        """
        options = sum(map(self.options, columns))
        return (options if self.lone else min(options, 1)) + self.extra_options()

    @abstractmethod
    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        """List by number what a predicate on a column can be in any arrangement.

        Without a column: what belongs to none, or to the space of all. With ``strict``, also what
        occurs only where borders are implied. Of a lone family, otherwise, ``options`` counts them.
        """

    @abstractmethod
    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        """Say which of the options this is; None where it is none of them."""

    @abstractmethod
    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        """Rebuild the predicate of a site from examples: the prototypes, then the borders.

        None where these examples cannot give one.
        """

    def along(
        self, site: Site, examples: Examples, prototypes: Sequence[int], side: bool
    ) -> Floats:
        """Give every example a value such that the predicate fires above its border's value.

        Asked only of families whose border can be implied.
        """
        raise NotImplementedError(
            f"The family {self.name!r} cannot find a border that is not named. A family needs "
            "along() where its border can be implied, and must set border_implied = False where not"
        )

    def rows(self, predicate: Predicate, side: bool) -> tuple[int, ...]:
        """Name the training rows it is built from: the prototypes, its own class first; borders."""
        return tuple(getattr(predicate, "anchored_on", ()))

    def fits(self, site: Site, labels: Sequence[int], output: int) -> bool:
        """Whether examples of these classes, prototypes and borders, make it speak for a class."""
        return True

    def list_options(self) -> int:
        """Count what a rule of a list can be besides: firing inside or outside, say."""
        return 1

    def list_outputs(self, classes: int) -> int:
        """Count the classes that a rule of a list may answer with, once its examples are known."""
        return classes

    def notice(self, training: Training) -> str | None:
        """Say so where not all candidates are tried."""
        return None

    def aside(self, rows: int) -> NDArray[np.intp]:
        """Name the rows that were set aside beforehand, to measure columns by."""
        return np.empty(0, np.intp)

    def measured(self, table: Table, aside: NDArray[np.intp]) -> Family:
        """Return the family with what it measures on the rows set aside."""
        return self

    def heaviest(
        self,
        table: Table,
        weight: Weights,
        *,
        side: bool = True,
        y: NDArray[np.int32] | None = None,
    ) -> Found | None:
        """Prepare and search once; without labels, what has positive weight is the class."""
        codes = (weight > 0).astype(np.int32) if y is None else y
        question = Question(weight, side=side)
        return self.prepare(Training(table, codes)).heaviest(question)

    @property
    def named_functions(self) -> dict[str, Callable[..., Any]]:
        """The user's functions that it asks, by name."""
        return {}

    def bound_to(self, functions: Mapping[str, Callable[..., Any]]) -> Family:
        """Give it the user's functions that no file can hold."""
        return self

    def to_json(self) -> str | dict[str, Any]:
        """Write its name, and its options where they are not the usual ones."""
        said = {
            f.name: _said(getattr(self, f.name))
            for f in fields(self)
            if getattr(self, f.name) != f.default and f.metadata.get("coded", True)
        }
        return {"name": self.name, **said} if said else self.name


@dataclass(frozen=True, eq=False)
class Examples:
    """The examples that rebuild a model: their values and classes, and what they are called.

    ``rows`` are the training rows by which a predicate names its examples; ``numbers`` their
    numbers in the table that the user gave, by which precomputed columns are ordered.
    """

    table: Table
    y: NDArray[np.int32]
    rows: NDArray[np.intp]
    numbers: NDArray[np.intp]

    def take(self, places: NDArray[np.intp]) -> Examples:
        """Take some of them."""
        return Examples(
            self.table.take(places), self.y[places], self.rows[places], self.numbers[places]
        )

    @classmethod
    def of(cls, training: Training) -> Examples:
        """Take all of the training examples."""
        return cls(training.table, training.y, training.places, training.rows)


def total_and_gathered(weight: Weights) -> tuple[int, int]:
    """Sum weights, and the positive ones among them.

    Examples
    --------
    >>> total_and_gathered(np.array([3, -1, 2]))
    (4, 5)
    """
    return int(weight.sum()), int(np.maximum(weight, 0).sum())


def first_heaviest(total: Weights, gathered: Weights) -> int:
    """Give the place of the largest total; ties go to the larger gathered, then to the first."""
    ties = np.flatnonzero(total == total.max())
    return int(ties[np.argmax(gathered[ties])])


def _said(value: Any) -> Any:
    if isinstance(value, Node):
        return encode(value)
    return list(value) if isinstance(value, tuple) else value
