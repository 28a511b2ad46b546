"""The space that the numeric columns span: where balls and half-spaces live."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Field, Table
from rulewright.errors import InputError, preview
from rulewright.families.family import (
    Examples,
    Family,
    Floats,
    Found,
    Mask,
    Question,
    Search,
    Site,
    Training,
)
from rulewright.kernels import BallIndex, PairIndex
from rulewright.rules import Scaling
from rulewright.rules.spaces import NOT_CODED, UNSCALED

LARGE = 2000
MAX_BYTES = 2**32
"""What is compared may take so much memory; more must be asked for in smaller pieces."""
SCALES = ("none", "standard", "rank")
AnySpatial = TypeVar("AnySpatial", bound="Spatial")


@dataclass(frozen=True, kw_only=True)
class Spatial(Family):
    """What families of a space share: which columns they use, and on which scale.

    With ``scale="standard"`` a column is measured in its standard deviations, with "rank" by the
    share of rows below. Both are measured on every tenth row, which is set aside for that (in
    canonical order, which depends on nothing but what the rows hold, and is shuffled): such a
    row never counts as a case that the model was tested on, so the certificate stays true.
    """

    lone: ClassVar[bool] = False
    usual_most: ClassVar[int]
    """From LARGE rows on, so many centres or pairs are tried unless said otherwise."""

    scale: str = "none"
    scaling: Scaling = field(default=UNSCALED, repr=False, metadata=NOT_CODED)

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise InputError(f"scale must be one of {', '.join(SCALES)}; found {self.scale!r}.")

    @property
    @abstractmethod
    def precomputed(self) -> bool:
        """Whether the columns hold what is known of pairs of rows."""

    @property
    @abstractmethod
    def bears_missing(self) -> bool:
        """Whether a function of the user's is asked, which may handle missing values."""

    def options(self, column: Field) -> int:
        return 1 if column.is_quantity else 0

    def aside(self, rows: int) -> NDArray[np.intp]:
        return np.empty(0, np.intp) if self.scale == "none" else np.arange(0, rows, 10)

    def measured(self: AnySpatial, table: Table, aside: NDArray[np.intp]) -> AnySpatial:
        if self.scale == "none":
            return self
        columns = [_present(column.values[aside]) for column in table.quantities]
        if self.scale == "rank":
            knots = tuple(tuple(np.sort(x).tolist()) for x in columns)
            return replace(self, scaling=Scaling("rank", knots=knots))
        with np.errstate(all="ignore"):
            shift = [float(x.mean()) if np.isfinite(x.mean()) else 0.0 for x in columns]
            unit = [_usable(float(x.std())) for x in columns]
        return replace(self, scaling=Scaling("standard", shift=tuple(shift), unit=tuple(unit)))

    def limit(self, training: Training) -> int | None:
        """Return the most centres or pairs to try; None for all."""
        if training.most == "auto":
            return self.usual_most if training.table.rows >= LARGE else None
        return None if training.most is None else int(training.most)

    @abstractmethod
    def candidates(self, training: Training, output: int) -> int:
        """Count the centres or pairs there are for a class."""

    @abstractmethod
    def prototype_choices(self, own: int, others: int) -> int:
        """Count the centres or pairs among so many examples of a rule's class and of others."""

    def makes(self, counts: Sequence[int], output: int | None, *, named: bool) -> int:
        """Count the rules that so many examples of each class make.

        For one class, or for any (None); with their borders, of other classes, named or not.
        """
        made = 0
        for own in counts if output is None else [counts[output]]:
            others = sum(counts) - own
            made += self.prototype_choices(own, others) * (others if named else 1)
        return made

    def fewest(self, counts: Sequence[int], output: int | None) -> int:
        """Count the fewest rules that use so many examples of each class."""
        return -(-sum(counts) // (self.prototypes + self.borders))

    def notice(self, training: Training) -> str | None:
        limit = self.limit(training)
        there = max(self.candidates(training, output) for output in np.unique(training.y))
        if limit is None or there <= limit:
            return None
        return (
            f"Family {self.name!r} has {there} {self.role} to choose from in {training.table.rows} "
            f"rows; at most {limit} of them, drawn at random, are tried, each tallied on all rows. "
            "max_candidates sets another number, or None for all."
        )

    def check_precomputed(self, training: Training) -> None:
        """Check that there is a column for every example."""
        table, more = training.table, self.more_columns
        columns = len(table.quantities) - more
        short = training.rows.size > 0 and int(training.rows.max()) >= columns
        if short or len(table.quantities) < len(table.columns):
            extra = " and then one for k(x, x)" if more else ""
            raise InputError(
                f"Precomputed columns for {self.name!r} must be numeric, one for each training row "
                f"in their order{extra}; found {len(table.columns)} columns."
            )

    @property
    def more_columns(self) -> int:
        """Count the columns that a precomputed table needs besides one for each row."""
        return 0

    def space(self, table: Table) -> list[Floats]:
        """Return the columns of the space, on its scale."""
        return self.scaling.of([np.ascontiguousarray(c.values) for c in table.quantities])

    def names(self, table: Table) -> tuple[str, ...]:
        """Return the names of the columns of the space."""
        return tuple(column.name for column in table.quantities)


def _present(values: Floats) -> Floats:
    present = values[~np.isnan(values)]
    return present if present.size else np.zeros(1)


def _usable(deviation: float) -> float:
    return deviation if np.isfinite(deviation) and deviation > 0 else 1.0


def refuse_missing(table: Table, name: str) -> None:
    """Say which columns of a space have missing values, and what can be done."""
    missing = {c.name: int(c.missing.sum()) for c in table.quantities if c.missing.any()}
    if missing:
        listed = preview([f"{column} ({count})" for column, count in missing.items()])
        raise InputError(
            f"Input X contains NaN: family {name!r} compares rows by all numeric columns, and "
            f"these have missing values: {listed}. Fill them in (sklearn.impute.SimpleImputer), "
            "leave the columns or the rows out, or use a function as metric that handles missing "
            "values."
        )


def check_room(prototypes: int, rows: int, name: str) -> None:
    """Refuse to compare more examples at once than memory may hold."""
    needed = 8 * prototypes * rows
    if needed > MAX_BYTES:
        raise InputError(
            f"Family {name!r} would hold {needed / 2**30:.1f} GB to compare {prototypes} examples "
            f"with {rows} rows. Set max_candidates (or leave it at 'auto') to try fewer."
        )


def complete(space: Sequence[Floats], rows: int) -> Mask:
    """Say which rows have all their coordinates: only those can be prototypes."""
    there = np.ones(rows, np.bool_)
    for values in space:
        there &= ~np.isnan(values)
    return there


def refuse_unknown(
    values: Floats, prototypes: NDArray[np.int32], training: Training, name: str
) -> None:
    """Say for which rows a function gives no number; a line of values a prototype."""
    lines, rows = np.nonzero(np.isnan(values))
    if rows.size:
        first, second = training.rows[[prototypes[lines[0]], rows[0]]]
        raise InputError(
            f"Family {name!r} needs a number wherever it compares two training rows, and there is "
            f"none (NaN) for rows {first} and {second}. The function that compares them must "
            "answer for missing values too; else fill them in, or leave the rows or columns out."
        )


def in_order(training: Training) -> Training:
    """Put the examples in the order of their coordinates, the first column first.

    Ties between candidates then do not depend on the order in which the rows happen to stand.
    """
    columns = [column.values for column in reversed(training.table.quantities)]
    order = np.lexsort(columns) if columns else np.arange(training.table.rows)
    return replace(
        training,
        table=training.table.take(order),
        y=training.y[order],
        rows=training.rows[order],
        places=order,
    )


def chosen_prototypes(rows: NDArray[np.intp], most: int, seed: int, part: int) -> NDArray[np.int32]:
    """Draw at most so many rows at random, in increasing order."""
    if rows.size > most:
        random = np.random.default_rng([seed, part])
        rows = np.sort(random.choice(rows, most, replace=False))
    return rows.astype(np.int32)


def point(table: Table, names: tuple[str, ...], row: int) -> tuple[float, ...]:
    """Return one row's coordinates."""
    return tuple(float(table.numbers(name)[row]) for name in names)


Rays = tuple[NDArray[Any], NDArray[Any]]
"""What an index numbers its rays by: centres and whether they fire inside, or both of a pair."""


class SpatialSearch(Search):
    """One index a class, made when first asked for: the prototypes differ."""

    def __init__(self, family: Spatial, training: Training) -> None:
        if family.precomputed:
            family.check_precomputed(training)
        elif not family.bears_missing:
            refuse_missing(training.table, family.name)
        self.family = family
        self.training = in_order(training)
        self.examples = Examples.of(self.training)
        self.space = family.space(self.training.table)
        self._indexes: dict[int, tuple[BallIndex | PairIndex, Rays]] = {}

    @abstractmethod
    def make(self, output: int) -> tuple[BallIndex | PairIndex, Rays]:
        """Make the index of the candidates that speak for a class."""

    @abstractmethod
    def told(self, rays: Rays, ray: int, side: bool) -> tuple[Site, tuple[int, ...]]:
        """Say what a candidate is, and name its prototypes."""

    def heaviest(self, question: Question) -> Found | None:
        if question.output not in self._indexes:
            self._indexes[question.output] = self.make(question.output)
        index, rays = self._indexes[question.output]
        question = question.at(self.training.places)
        border = self.training.y != question.output
        if question.open is not None:
            border &= question.open
        best = index.heaviest(
            question.weight,
            border,
            open=question.open,
            apart=question.implied,
            excused=question.covered,
        )
        if best is None:
            return None
        site, prototypes = self.told(rays, best.ray, question.side)
        predicate = self.family.build(site, self.examples, (*prototypes, best.border))
        return None if predicate is None else Found(predicate, best.total, best.gathered)
