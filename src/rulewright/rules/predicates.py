"""Predicates on columns and on the space that columns span."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from rulewright.data import NumericColumn, Table
from rulewright.kernels import METRICS, SIMILARITIES, distances, similarities
from rulewright.rules.node import Literal, Mask


def _need(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


@dataclass(frozen=True, slots=True)
class Threshold(Literal):
    """``column > cut`` or ``column <= cut``; ``if_missing`` is its truth on absent values."""

    column: str
    above: bool
    cut: float
    if_missing: bool = False
    anchored_on: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        _need(math.isfinite(self.cut), f"a threshold's cut must be finite, not {self.cut}")

    def holds(self, table: Table) -> Mask:
        x = table.numbers(self.column)
        truth = x > self.cut if self.above else x <= self.cut  # NaN compares false
        return truth | np.isnan(x) if self.if_missing else truth

    def __invert__(self) -> Threshold:
        return replace(self, above=not self.above, if_missing=not self.if_missing)


@dataclass(frozen=True, slots=True)
class Interval(Literal):
    """``low <= column <= high``, or not ``inside`` it."""

    column: str
    low: float
    high: float
    inside: bool = True
    if_missing: bool = False
    anchored_on: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        _need(
            math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high,
            f"an interval's ends must be finite and in order, not {self.low} and {self.high}",
        )

    def holds(self, table: Table) -> Mask:
        x = table.numbers(self.column)
        truth = ((self.low <= x) & (x <= self.high)) == self.inside
        return np.where(np.isnan(x), self.if_missing, truth)

    def __invert__(self) -> Interval:
        return replace(self, inside=not self.inside, if_missing=not self.if_missing)


@dataclass(frozen=True, slots=True)
class Category(Literal):
    """The column's category is, or is not, ``among`` some values.

    A category that training never showed is simply another value: it is among no values.
    """

    column: str
    values: tuple[str, ...]
    among: bool = True
    if_missing: bool = False

    def __post_init__(self) -> None:
        _need(len(self.values) > 0, "a category predicate needs at least one value")
        object.__setattr__(self, "values", tuple(sorted(set(self.values))))

    def holds(self, table: Table) -> Mask:
        column = table.categories(self.column)
        wanted = set(self.values)
        truth = np.array([(c in wanted) == self.among for c in column.categories], np.bool_)
        # A missing value has code -1: it finds its truth at the end.
        found: Mask = np.append(truth, np.bool_(self.if_missing))[column.codes]
        return found

    def __invert__(self) -> Category:
        return replace(self, among=not self.among, if_missing=not self.if_missing)


@dataclass(frozen=True, slots=True)
class Missing(Literal):
    """The column's value is missing, or is there."""

    column: str
    missing: bool = True

    def holds(self, table: Table) -> Mask:
        missing = table.missing(self.column)
        return missing if self.missing else ~missing

    def __invert__(self) -> Missing:
        return replace(self, missing=not self.missing)


@dataclass(frozen=True, slots=True)
class Given(Literal):
    """A Boolean column that the user supplied: true, or with ``truth=False`` false."""

    column: str
    truth: bool = True
    if_missing: bool = False

    def holds(self, table: Table) -> Mask:
        column = table.column(self.column)
        if isinstance(column, NumericColumn):
            truth = (column.values == 1) == self.truth
        else:
            says = np.array([c == "True" for c in column.categories] + [False], np.bool_)
            truth = says[column.codes] == self.truth
        return np.where(column.missing, self.if_missing, truth)

    def __invert__(self) -> Given:
        return replace(self, truth=not self.truth, if_missing=not self.if_missing)


@dataclass(frozen=True, slots=True)
class Ball(Literal):
    """``distance < radius`` (``strict``) or ``distance <= radius``, or not ``inside`` that ball.

    Marchand & Shawe-Taylor's data-dependent ball: the centre is a training example, and the radius
    its distance to another. ``anchored_on`` names the two.
    """

    on: tuple[str, ...]
    centre: tuple[float, ...]
    radius: float
    metric: OneOf["l1", "l2", "linf"] = "l2"
    strict: bool = True
    inside: bool = True
    if_missing: bool = False
    anchored_on: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        _need(self.metric in METRICS, f"no metric {self.metric!r}; there is {', '.join(METRICS)}")
        _need(
            len(self.on) == len(self.centre) > 0 and len(set(self.on)) == len(self.on),
            "a ball's centre needs one coordinate for each of its columns",
        )
        _need(all(map(math.isfinite, self.centre)), "a ball's centre must be finite")
        _need(math.isfinite(self.radius) and self.radius >= 0, "a ball's radius must be 0 or more")

    def distance(self, table: Table) -> NDArray[np.float64]:
        """Distance of every row to the centre; NaN where a coordinate is missing."""
        return distances([table.numbers(name) for name in self.on], self.centre, self.metric)

    def holds(self, table: Table) -> Mask:
        d = self.distance(table)
        truth = (d < self.radius if self.strict else d <= self.radius) == self.inside
        return np.where(np.isnan(d), self.if_missing, truth)

    def __invert__(self) -> Ball:
        return replace(self, inside=not self.inside, if_missing=not self.if_missing)


@dataclass(frozen=True, slots=True)
class HalfSpace(Literal):
    """``k(toward, x) - k(away, x) >= cut`` (``>`` when ``strict``), or not ``beyond`` it.

    The half-space of three training examples a, b, c (Marchand, Shah, Shawe-Taylor & Sokolova 2003,
    section 3): toward a, away from b, and c on its border. ``anchored_on`` names the three.
    """

    on: tuple[str, ...]
    toward: tuple[float, ...]
    away: tuple[float, ...]
    cut: float
    strict: bool = False
    beyond: bool = True
    kernel: OneOf["linear", "rbf", "polynomial"] = "linear"
    gamma: float = 1.0
    offset: float = 0.0
    degree: int = 1
    if_missing: bool = False
    anchored_on: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        known = ", ".join(SIMILARITIES)
        _need(self.kernel in SIMILARITIES, f"no kernel {self.kernel!r}; there is {known}")
        _need(
            len(self.on) == len(self.toward) == len(self.away) > 0
            and len(set(self.on)) == len(self.on),
            "a half-space's examples need one coordinate for each of its columns",
        )
        numbers = (*self.toward, *self.away, self.cut, self.gamma, self.offset)
        _need(all(map(math.isfinite, numbers)), "a half-space's numbers must be finite")
        _need(0 <= self.degree <= 64, "a polynomial kernel's degree must be 0 to 64")

    def margin(self, table: Table) -> NDArray[np.float64]:
        """Return ``k(toward, x) - k(away, x)`` for every row; NaN where a coordinate is missing."""
        columns = [table.numbers(name) for name in self.on]
        shape = {"gamma": self.gamma, "offset": self.offset}
        with np.errstate(invalid="ignore", over="ignore"):
            near, far = (
                similarities(columns, point, self.kernel, degree=self.degree, **shape)
                for point in (self.toward, self.away)
            )
            return near - far

    def holds(self, table: Table) -> Mask:
        margin = self.margin(table)
        truth = (margin > self.cut if self.strict else margin >= self.cut) == self.beyond
        return np.where(np.isnan(margin), self.if_missing, truth)

    def __invert__(self) -> HalfSpace:
        return replace(self, beyond=not self.beyond, if_missing=not self.if_missing)
