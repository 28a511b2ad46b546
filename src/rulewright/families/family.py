"""The interface of families."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Column, Field, Table
from rulewright.rules import Node, Predicate, encode

Weights = NDArray[np.int64]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

UNSTATED_DEFAULT = {"unstated_default": True}
"""Metadata of an option that descriptions of a family leave out where it has its default."""
MAX_CELLS = 2**24
"""Maximum number of rows times axes with "auto"."""


class Found(NamedTuple):
    """A predicate, the total weight of its firing side, and the positive part of it."""

    predicate: Predicate
    total: int
    gathered: int


@dataclass(frozen=True, eq=False)
class Training:
    """Training data of a family: examples, their classes, and the limit of candidates.

    ``rows`` are the numbers of the examples in the user's table. ``max_candidates`` limits the
    prototypes or pairs of prototypes to a random sample, drawn with ``seed``. None is no limit, and
    "auto" is each family's own for large data. ``directions`` are 1 or -1 for numeric columns along
    which the answer may only rise or only fall, from the first of two classes to the second.
    """

    table: Table
    y: NDArray[np.int32]
    rows: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    threads: int = 1
    max_candidates: int | str | None = None
    seed: int = 0
    places: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    """Position of each example among those that questions refer to."""
    directions: Mapping[str, int] = field(default_factory=dict)

    def undirected(self) -> Training:
        """The training data without the columns that have directions."""
        if not self.directions:
            return self
        return replace(self, table=self.table.without(list(self.directions)), directions={})

    def __post_init__(self) -> None:
        for name in ("rows", "places"):
            if getattr(self, name).size != self.table.rows:
                object.__setattr__(self, name, np.arange(self.table.rows))


def max_axes(training: Training) -> int:
    """Maximum number of axes, each with a number for every row, that a family may search."""
    if training.max_candidates == "auto":
        return max(MAX_CELLS // max(training.table.rows, 1), 1)
    return int(training.max_candidates) if training.max_candidates is not None else 2**62


def drawn(every: int, max_candidates: int, seed: int) -> NDArray[np.intp]:
    """Random sample without replacement of the numbers from 0, in increasing order."""
    if every <= max_candidates:
        return np.arange(every)
    return np.sort(np.random.default_rng(seed).choice(every, max_candidates, replace=False))


@dataclass(frozen=True, eq=False)
class Question:
    """A search for the heaviest predicate, given a signed weight for every example.

    A predicate fires on one of its sides, and predicts the class ``output`` there.

    Attributes
    ----------
    weight : array of int
        Weight gained by firing on each example.
    output : int
        The predicted class.
    side : bool
        Whether the predicate fires where it is true, or where it is false.
    open : mask or None
        Examples that may be a centre, a border or a member of a pair; None for all.
    implied : bool
        Whether the border must be implied by the compression set: the nearest example of another
        class on which the predicate does not fire.
    covered : mask or None
        With ``implied``, examples of the class that earlier rules already classify correctly.
    """

    weight: Weights
    output: int = 1
    side: bool = True
    open: Mask | None = None
    implied: bool = False
    covered: Mask | None = None

    def at(self, places: NDArray[np.intp]) -> Question:
        """The same question with the examples in another order."""
        return replace(
            self,
            weight=self.weight[places],
            open=None if self.open is None else self.open[places],
            covered=None if self.covered is None else self.covered[places],
        )


class Search(ABC):
    """A family prepared for any number of searches on one training set."""

    @abstractmethod
    def heaviest(self, question: Question) -> Found | None:
        """The predicate whose firing side has the largest total weight.

        The search is exact. Ties go to the larger positive weight, then to the first candidate in
        the family's documented order. None if the family has no candidate.
        """


class Site(NamedTuple):
    """The part of a predicate that a message encodes, besides its examples."""

    column: str | None
    option: tuple[Any, ...]


class Choices:
    """The options of a site, numbered from 0."""

    def __init__(self, options: Iterable[tuple[Any, ...]] = ()) -> None:
        self._options = tuple(options)
        self._numbers = {option: number for number, option in enumerate(self._options)}

    @property
    def count(self) -> int:
        """Number of options."""
        return len(self._options)

    def number(self, option: tuple[Any, ...]) -> int | None:
        """Number of an option; None if it is not among them."""
        return self._numbers.get(option)

    def option(self, number: int) -> tuple[Any, ...]:
        """Option of a number."""
        return self._options[number]


@dataclass(frozen=True)
class Family(ABC):
    """A kind of predicate; an instance fixes its options."""

    name: ClassVar[str]
    prototypes: ClassVar[int] = 0
    """Number of training examples that a predicate is built around: a ball's centre, a half-space's
    pair.
    """
    borders: ClassVar[int] = 0
    """Number of training examples that give the predicate's numbers."""
    role: ClassVar[str] = ""
    """Name of the prototypes in a certificate."""
    lone: ClassVar[bool] = True
    """Whether a predicate tests a single column; otherwise all numeric columns form one space."""
    border_implied: ClassVar[bool] = True
    """Whether the border can be implied by the compression set."""
    directed: ClassVar[bool] = False
    """Whether predicates respect the directions of columns; others do not test such columns."""

    @property
    def own_subject(self) -> bool:
        """Whether a message first says that a test of several columns is of this family.

        The families without it share their options, so one with very many would make all costly.
        """
        return False

    @property
    def anchored(self) -> bool:
        """Whether a predicate takes a number from a training example."""
        return self.prototypes + self.borders > 0

    @abstractmethod
    def prepare(self, training: Training) -> Search:
        """Prepare the searches on these examples."""

    @abstractmethod
    def options(self, column: Field) -> int:
        """Number of predicate forms on a column, ignoring cut values.

        A bound charges for the column, and then for one of these options. A spatial family returns
        whether the column belongs to its space.
        """

    def extra_options(self) -> int:
        """Number of predicate forms that belong to no column."""
        return 0

    def all_options(self, columns: Sequence[Field]) -> int:
        """Number of predicate forms on all columns and on none, ignoring cut values.

        For a spatial family it is one if its examples determine the predicate.
        """
        options = sum(map(self.options, columns))
        return (options if self.lone else min(options, 1)) + self.extra_options()

    @abstractmethod
    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        """Numbered predicate forms on a column.

        Without a column: forms that belong to none, or to the space of all. With ``strict``, forms
        that occur only with implied borders are included. Otherwise ``options`` is their number for
        a family of single columns.
        """

    @abstractmethod
    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        """Which of the options a predicate is; None if it is none of them."""

    @abstractmethod
    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        """Predicate of a site, rebuilt from its examples: the prototypes, then the borders.

        None if these examples do not define one.
        """

    def along(
        self, site: Site, examples: Examples, prototypes: Sequence[int], side: bool
    ) -> Floats:
        """Values of the examples such that the predicate fires above its border's value.

        Only families whose border can be implied need it.
        """
        raise NotImplementedError(
            f"The family {self.name!r} has no implied borders. Implement along(), or set "
            "border_implied = False"
        )

    def rows(self, predicate: Predicate, side: bool) -> tuple[int, ...]:
        """Training rows of a predicate: the prototypes, its own class first, then the borders."""
        return tuple(getattr(predicate, "anchored_on", ()))

    def fits(self, site: Site, labels: Sequence[int], output: int) -> bool:
        """Whether prototypes and borders of these classes make a predicate for a class."""
        return True

    def list_options(self) -> int:
        """Number of further options of a rule in a list, such as firing inside or outside."""
        return 1

    def list_outputs(self, classes: int) -> int:
        """Number of classes that a rule of a list may predict, given its examples."""
        return classes

    def notice(self, training: Training) -> str | None:
        """Message if not all candidates are tried, else None."""
        return None

    def scaling_rows(self, rows: int) -> NDArray[np.intp]:
        """Rows that were set aside beforehand to scale columns by."""
        return np.empty(0, np.intp)

    def measured(self, table: Table, scaling_rows: NDArray[np.intp]) -> Family:
        """The family with its scales measured on the rows set aside."""
        return self

    def heaviest(
        self,
        table: Table,
        weight: Weights,
        *,
        side: bool = True,
        y: NDArray[np.int32] | None = None,
    ) -> Found | None:
        """Prepare and search once; without labels, positive weights are the class."""
        codes = (weight > 0).astype(np.int32) if y is None else y
        question = Question(weight, side=side)
        return self.prepare(Training(table, codes)).heaviest(question)

    @property
    def named_functions(self) -> dict[str, Callable[..., Any]]:
        """The user's functions that the family calls, by name."""
        return {}

    def bound_to(self, functions: Mapping[str, Callable[..., Any]]) -> Family:
        """The family with the user's functions, which no file can store."""
        return self

    def to_json(self) -> str | dict[str, Any]:
        """Name of the family, and its options that are not the defaults."""
        said = {
            f.name: _said(getattr(self, f.name))
            for f in fields(self)
            if getattr(self, f.name) != f.default and f.metadata.get("serialized", True)
        }
        return {"name": self.name, **said} if said else self.name


@dataclass(frozen=True, eq=False)
class Examples:
    """Examples of a compression set: their values, classes and names.

    ``rows`` are the training rows by which a predicate names its examples; ``numbers`` are their
    numbers in the user's table, which order precomputed columns.
    """

    table: Table
    y: NDArray[np.int32]
    rows: NDArray[np.intp]
    numbers: NDArray[np.intp]

    def take(self, places: NDArray[np.intp]) -> Examples:
        """Return some of the examples."""
        return Examples(
            self.table.take(places), self.y[places], self.rows[places], self.numbers[places]
        )

    @classmethod
    def of(cls, training: Training) -> Examples:
        """All of the training examples."""
        return cls(training.table, training.y, training.places, training.rows)


def total_and_gathered(weight: Weights) -> tuple[int, int]:
    """Sum of the weights, and of the positive ones among them.

    Examples
    --------
    >>> total_and_gathered(np.array([3, -1, 2]))
    (4, 5)
    """
    return int(weight.sum()), int(np.maximum(weight, 0).sum())


def first_heaviest(total: Weights, gathered: Weights) -> int:
    """Position of the largest total; ties go to the larger positive weight, then to the first."""
    ties = np.flatnonzero(total == total.max())
    return int(ties[np.argmax(gathered[ties])])


def _said(value: Any) -> Any:
    if isinstance(value, Node):
        return encode(value)
    return list(value) if isinstance(value, tuple) else value
