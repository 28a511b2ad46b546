"""The space of the numeric columns, for balls and half-spaces."""

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
    UNSTATED_DEFAULT,
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
from rulewright.rules import NOT_SERIALIZED, UNSCALED, Scaling

MIN_LARGE_ROWS = 2000
MAX_BYTES = 2**32
"""Maximum memory of a comparison; larger ones must be done in smaller pieces."""
SCALES = ("none", "standard", "rank")
FILLINGS = ("none", "mean", "median", "most_frequent")
AnySpatial = TypeVar("AnySpatial", bound="Spatial")


@dataclass(frozen=True, kw_only=True)
class Spatial(Family):
    """Base class of families of a space: the columns they use, their scale, and missing values.

    With ``scale="standard"`` a column is measured in standard deviations, with "rank" by the share
    of rows below. With ``impute``, a missing value counts as the mean, the median or the most
    frequent value of its column, the smallest of several. All of these are measured on every tenth
    row in canonical order, which is shuffled and depends only on the content of the rows. These
    rows are set aside: they never count as cases that the model was tested on, so the certificate
    stays valid.
    """

    lone: ClassVar[bool] = False
    default_max_candidates: ClassVar[int]
    """Default maximum number of centres or pairs, from LARGE rows on."""

    scale: str = "none"
    impute: str = field(default="none", metadata=UNSTATED_DEFAULT)
    scaling: Scaling = field(default=UNSCALED, repr=False, metadata=NOT_SERIALIZED)

    def __post_init__(self) -> None:
        for name, known in (("scale", SCALES), ("impute", FILLINGS)):
            value = getattr(self, name)
            if value not in known:
                raise InputError(f"{name} must be one of {', '.join(known)}, got {value!r}.")

    @property
    @abstractmethod
    def precomputed(self) -> bool:
        """Whether the columns hold precomputed values of pairs of rows."""

    @property
    @abstractmethod
    def by_function(self) -> bool:
        """Whether rows are compared by a user's function, which may handle missing values."""

    @property
    def handles_missing(self) -> bool:
        """Whether missing values are filled, or left to a user's function."""
        return self.impute != "none" or self.by_function

    @property
    def measures_columns(self) -> bool:
        """Whether rows are set aside to scale columns, or to fill missing values."""
        return self.scale != "none" or self.impute != "none"

    def refuse_measures(self, precomputed: str) -> None:
        """Refuse a scale, or values for missing ones, where comparisons are precomputed."""
        if self.precomputed and self.scale != "none":
            raise InputError(f"{precomputed} cannot be scaled. Use scale='none'.")
        if self.precomputed and self.impute != "none":
            raise InputError(f"{precomputed} cannot be imputed. Use impute='none'.")

    def options(self, column: Field) -> int:
        return 1 if column.is_quantity else 0

    def scaling_rows(self, rows: int) -> NDArray[np.intp]:
        return np.arange(0, rows, 10) if self.measures_columns else np.empty(0, np.intp)

    def measured(self: AnySpatial, table: Table, scaling_rows: NDArray[np.intp]) -> AnySpatial:
        if not self.measures_columns:
            return self
        columns = [_present(column.values[scaling_rows]) for column in table.quantities]
        fill = () if self.impute == "none" else tuple(_filling(x, self.impute) for x in columns)
        scaling = replace(_scaling(columns, self.scale), fill=fill)
        return replace(self, scaling=scaling)

    def limit(self, training: Training) -> int | None:
        """Maximum number of centres or pairs to try; None for all."""
        if training.max_candidates == "auto":
            return self.default_max_candidates if training.table.rows >= MIN_LARGE_ROWS else None
        return None if training.max_candidates is None else int(training.max_candidates)

    @abstractmethod
    def candidates(self, training: Training, output: int) -> int:
        """Number of centres or pairs for a class."""

    @abstractmethod
    def prototype_choices(self, own: int, others: int) -> int:
        """Number of centres or pairs among examples of a rule's class and of others."""

    def makes(self, counts: Sequence[int], output: int | None, *, named: bool) -> int:
        """Number of rules that can be made of the given numbers of examples of each class.

        For one class, or for any (None); with borders of other classes, which are explicit or
        implied.
        """
        made = 0
        for own in counts if output is None else [counts[output]]:
            others = sum(counts) - own
            made += self.prototype_choices(own, others) * (others if named else 1)
        return made

    def min_rules(self, counts: Sequence[int], output: int | None) -> int:
        """Minimum number of rules that use the given numbers of examples of each class."""
        return -(-sum(counts) // (self.prototypes + self.borders))

    def notice(self, training: Training) -> str | None:
        limit = self.limit(training)
        there = max(self.candidates(training, output) for output in np.unique(training.y))
        if limit is None or there <= limit:
            return None
        return (
            f"Family {self.name!r} has {there} {self.role} in {training.table.rows} rows. Only "
            f"{limit} of them, drawn at random, are tried on all rows. Set max_candidates to "
            "another number, or to None for all."
        )

    def check_precomputed(self, training: Training) -> None:
        """Check that there is a column for every example."""
        table, more = training.table, self.more_columns
        columns = len(table.quantities) - more
        short = training.rows.size > 0 and int(training.rows.max()) >= columns
        if short or len(table.quantities) < len(table.columns):
            extra = " and then one for k(x, x)" if more else ""
            raise InputError(
                f"Precomputed columns for {self.name!r} must be numeric, one per training row in "
                f"order{extra}, got {len(table.columns)} columns."
            )

    @property
    def more_columns(self) -> int:
        """Number of columns of a precomputed table besides one per row."""
        return 0

    def space(self, table: Table) -> list[Floats]:
        """Columns of the space, on its scale."""
        return self.scaling.of([np.ascontiguousarray(c.values) for c in table.quantities])

    def names(self, table: Table) -> tuple[str, ...]:
        """Names of the columns of the space."""
        return tuple(column.name for column in table.quantities)


def _scaling(columns: Sequence[Floats], scale: str) -> Scaling:
    """Scaling by the values of some rows."""
    if scale == "none":
        return UNSCALED
    if scale == "rank":
        return Scaling("rank", knots=tuple(tuple(np.sort(x).tolist()) for x in columns))
    with np.errstate(all="ignore"):
        shift = [float(x.mean()) if np.isfinite(x.mean()) else 0.0 for x in columns]
        unit = [_usable(float(x.std())) for x in columns]
    return Scaling("standard", shift=tuple(shift), unit=tuple(unit))


def _filling(values: Floats, way: str) -> float:
    """Number for missing values by the finite ones; 0 where there is none."""
    finite = np.sort(values[np.isfinite(values)])
    if not finite.size:
        return 0.0
    if way == "most_frequent":
        known, counts = np.unique(finite, return_counts=True)
        return float(known[np.argmax(counts)])
    with np.errstate(over="ignore"):
        found = float(finite.mean() if way == "mean" else np.median(finite))
    return found if np.isfinite(found) else 0.0


def _present(values: Floats) -> Floats:
    present = values[~np.isnan(values)]
    return present if present.size else np.zeros(1)


def _usable(deviation: float) -> float:
    return deviation if np.isfinite(deviation) and deviation > 0 else 1.0


def refuse_missing(table: Table, name: str) -> None:
    """Refuse missing values in the columns of a space."""
    missing = {c.name: int(c.missing.sum()) for c in table.quantities if c.missing.any()}
    if missing:
        listed = preview([f"{column} ({count})" for column, count in missing.items()])
        raise InputError(
            f"Input X contains NaN. The family {name!r} compares rows by all numeric columns, and "
            f"these have missing values: {listed}. Set impute='mean' (--impute mean), 'median' or "
            "'most_frequent', leave the columns or the rows out, or use a metric function that "
            "handles missing values."
        )


def check_room(prototypes: int, rows: int, name: str) -> None:
    """Refuse a comparison that needs more memory than the maximum."""
    needed = 8 * prototypes * rows
    if needed > MAX_BYTES:
        raise InputError(
            f"Family {name!r} needs {needed / 2**30:.1f} GB to compare {prototypes} examples "
            f"with {rows} rows. Set max_candidates to a smaller number, or to 'auto'."
        )


def complete(space: Sequence[Floats], rows: int) -> Mask:
    """Which rows have all their coordinates: only these can be prototypes."""
    there = np.ones(rows, np.bool_)
    for values in space:
        there &= ~np.isnan(values)
    return there


def refuse_unknown(
    values: Floats, prototypes: NDArray[np.int32], training: Training, name: str
) -> None:
    """Refuse comparisons without a number; ``values`` has one row per prototype."""
    lines, rows = np.nonzero(np.isnan(values))
    if rows.size:
        first, second = training.rows[[prototypes[lines[0]], rows[0]]]
        raise InputError(
            f"Family {name!r} needs a number for every two training rows, but rows {first} and "
            f"{second} give NaN. Use a function that handles missing values, impute them, or leave "
            "the rows or columns out."
        )


def in_order(training: Training) -> Training:
    """Training examples sorted by their coordinates, the first column first.

    Ties between candidates then do not depend on the order of the rows.
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


def chosen_prototypes(
    rows: NDArray[np.intp], max_candidates: int, seed: int, part: int
) -> NDArray[np.int32]:
    """Random sample of the rows, in increasing order."""
    if rows.size > max_candidates:
        random = np.random.default_rng([seed, part])
        rows = np.sort(random.choice(rows, max_candidates, replace=False))
    return rows.astype(np.int32)


def point(
    table: Table, names: tuple[str, ...], row: int, scaling: Scaling = UNSCALED
) -> tuple[float, ...]:
    """Coordinates of one row, with the numbers of a scaling for missing ones."""
    coordinates = [table.numbers(name)[row : row + 1] for name in names]
    return tuple(float(x[0]) for x in scaling.filled(coordinates))


Rays = tuple[NDArray[Any], NDArray[Any]]
"""Rays of an index: centres and whether they fire inside, or both members of a pair."""


class SpatialSearch(Search):
    """One index per class, made on first use: the prototypes differ."""

    def __init__(self, family: Spatial, training: Training) -> None:
        if family.precomputed:
            family.check_precomputed(training)
        elif not family.handles_missing:
            refuse_missing(training.table, family.name)
        self.family = family
        self.training = in_order(training)
        self.examples = Examples.of(self.training)
        self.space = family.space(self.training.table)
        self._indexes: dict[int, tuple[BallIndex | PairIndex, Rays]] = {}

    @abstractmethod
    def make(self, output: int) -> tuple[BallIndex | PairIndex, Rays]:
        """Index of the candidates that predict a class."""

    @abstractmethod
    def described(self, rays: Rays, ray: int, side: bool) -> tuple[Site, tuple[int, ...]]:
        """Form of a candidate, and its prototypes."""

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
        site, prototypes = self.described(rays, best.ray, question.side)
        predicate = self.family.build(site, self.examples, (*prototypes, best.border))
        return None if predicate is None else Found(predicate, best.total, best.gathered)
