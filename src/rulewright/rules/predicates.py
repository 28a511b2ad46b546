"""Predicates on columns and on the space that columns span."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rulewright.data import CategoricalColumn, CategoryOrder, Moment, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.rules.node import Literal, Mask
from rulewright.rules.registry import NOT_SERIALIZED, register_node
from rulewright.rules.spaces import (
    EUCLIDEAN,
    LINEAR,
    UNSCALED,
    Floats,
    Kernel,
    Metric,
    Scaling,
    require,
)

RowFunction = Callable[[Mapping[str, Any]], Any]


@register_node("threshold")
@dataclass(frozen=True, slots=True)
class Threshold(Literal):
    """``column > cut`` or ``column <= cut``; ``if_missing`` is its truth on absent values.

    With ``cut_above`` the cut itself counts as above: ``column >= cut`` or ``column < cut``.
    ``moment`` is the kind of the cut where it is a date, datetime or duration. A model sets it.
    """

    column: str
    above: bool
    cut: float
    if_missing: bool = False
    anchored_on: tuple[int, ...] = field(default=(), compare=False)
    cut_above: bool = False
    moment: Moment | None = field(default=None, compare=False, repr=False, metadata=NOT_SERIALIZED)

    def __post_init__(self) -> None:
        require(math.isfinite(self.cut), f"a threshold's cut must be finite, not {self.cut}")

    def holds(self, table: Table) -> Mask:
        x = table.numbers(self.column)
        if self.cut_above:
            truth = x >= self.cut if self.above else x < self.cut
        else:
            truth = x > self.cut if self.above else x <= self.cut
        return truth | np.isnan(x) if self.if_missing else truth  # NaN compares false

    def __invert__(self) -> Threshold:
        # Deep trees negate a great many of these, and `replace` takes twice as long.
        return Threshold(
            self.column,
            not self.above,
            self.cut,
            not self.if_missing,
            self.anchored_on,
            self.cut_above,
            self.moment,
        )


@register_node("interval")
@dataclass(frozen=True, slots=True)
class Interval(Literal):
    """``low <= column <= high``, or not ``inside`` it; an ``open`` end is not inside.

    ``moment`` is the kind of the ends where they are dates, datetimes or durations.
    """

    column: str
    low: float
    high: float
    inside: bool = True
    if_missing: bool = False
    anchored_on: tuple[int, ...] = field(default=(), compare=False)
    low_open: bool = False
    high_open: bool = False
    moment: Moment | None = field(default=None, compare=False, repr=False, metadata=NOT_SERIALIZED)

    def __post_init__(self) -> None:
        require(
            math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high,
            f"an interval's ends must be finite and in order, not {self.low} and {self.high}",
        )
        require(
            self.low < self.high or not (self.low_open or self.high_open),
            f"an interval from {self.low} to itself cannot have an open end",
        )

    def holds(self, table: Table) -> Mask:
        x = table.numbers(self.column)
        above = self.low < x if self.low_open else self.low <= x
        below = x < self.high if self.high_open else x <= self.high
        return np.where(np.isnan(x), self.if_missing, (above & below) == self.inside)

    @property
    def sides(self) -> tuple[Threshold, Threshold]:
        """The two thresholds that a known value inside it passes, each with half of the rows."""
        half, odd = divmod(len(self.anchored_on), 2)
        rows = () if odd else self.anchored_on
        return (
            Threshold(
                self.column, True, self.low, False, rows[:half], not self.low_open, self.moment
            ),
            Threshold(
                self.column, False, self.high, False, rows[half:], self.high_open, self.moment
            ),
        )

    def __invert__(self) -> Interval:
        return replace(self, inside=not self.inside, if_missing=not self.if_missing)


@register_node("category")
@dataclass(frozen=True, slots=True)
class Category(Literal):
    """The column's category is, or is not, ``among`` some values.

    A category that training never showed is simply another value: it is among no values. ``order``
    is that of the column's categories where they have one. A model sets it.
    """

    column: str
    values: tuple[str, ...]
    among: bool = True
    if_missing: bool = False
    order: CategoryOrder | None = field(
        default=None, compare=False, repr=False, metadata=NOT_SERIALIZED
    )

    def __post_init__(self) -> None:
        require(len(self.values) > 0, "a category predicate needs at least one value")
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


@register_node("missing")
@dataclass(frozen=True, slots=True)
class Missing(Literal):
    """The value of the column is missing, or is known."""

    column: str
    missing: bool = True

    def holds(self, table: Table) -> Mask:
        missing = table.missing(self.column)
        return missing if self.missing else ~missing

    def __invert__(self) -> Missing:
        return replace(self, missing=not self.missing)


@register_node("given")
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
            is_true = np.array([c == "True" for c in column.categories] + [False], np.bool_)
            truth = is_true[column.codes] == self.truth
        return np.where(column.missing, self.if_missing, truth)

    def __invert__(self) -> Given:
        return replace(self, truth=not self.truth, if_missing=not self.if_missing)


class Columns(Mapping[str, Any]):
    """A table as the input of a user's function: arrays by name, and the names that were read.

    Numbers are floats with NaN where missing, categories are texts with None where missing.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self.looked_at: dict[str, None] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._table.names:
            raise KeyError(name)
        self.looked_at[name] = None
        column = self._table.column(name)
        if isinstance(column, CategoricalColumn):
            return np.array([*column.categories, None], object)[column.codes]
        return column.values

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.names)

    def __len__(self) -> int:
        return len(self._table.names)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._table.rows


def evaluate_function(name: str, function: RowFunction | None, columns: Columns) -> Mask:
    """Evaluate a user's function on all rows, and check that it returns a Boolean for each."""
    if function is None:
        raise InputError(
            f"The model needs the function {name!r}, which a file cannot hold. Give it when "
            f"loading: load_model(path, functions={{{name!r}: ...}})."
        )
    try:
        answer = np.asarray(function(columns))
    except Exception as error:
        raise InputError(
            f"The function {name!r} failed: {type(error).__name__}: {error}"
        ) from error
    if answer.shape != (columns.rows,) or answer.dtype != np.bool_:
        raise InputError(
            f"The function {name!r} must return True or False for each of {columns.rows} rows; it "
            f"returned {answer.dtype} of shape {answer.shape}."
        )
    return answer


@register_node("function")
@dataclass(frozen=True, slots=True)
class Function(Literal):
    """A named Boolean function of the row from the user: true, or with ``truth=False`` false.

    Its argument has the columns by name, as arrays. It answers all rows at once.
    """

    name: str
    on: tuple[str, ...]
    truth: bool = True
    function: RowFunction | None = field(
        default=None, compare=False, repr=False, metadata=NOT_SERIALIZED
    )

    def holds(self, table: Table) -> Mask:
        answer = evaluate_function(self.name, self.function, Columns(table.select(self.on)))
        return answer if self.truth else ~answer

    def __invert__(self) -> Function:
        return replace(self, truth=not self.truth)


@register_node("ball")
@dataclass(frozen=True, slots=True)
class Ball(Literal):
    """``distance < radius`` (``strict``) or ``distance <= radius``, or not ``inside`` that ball.

    Marchand & Shawe-Taylor's data-dependent ball: the centre is a training example, and the radius
    its distance to another. ``anchored_on`` names the two.
    """

    on: tuple[str, ...]
    centre: tuple[float, ...]
    radius: float
    metric: Metric = EUCLIDEAN
    strict: bool = True
    inside: bool = True
    if_missing: bool = False
    scaling: Scaling = UNSCALED
    anchored_on: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        require(
            len(self.on) == len(self.centre) > 0 and len(set(self.on)) == len(self.on),
            "a ball's centre needs one coordinate for each of its columns",
        )
        require(self.scaling.fits(len(self.on)), "a ball's scaling needs all of its columns")
        require(
            self.metric.kind != "kernel"
            or self.metric.kernel.kind != "precomputed"
            or len(self.on) == 2,
            "a ball by a precomputed kernel needs two columns, k(x, centre) and k(x, x)",
        )
        require(all(map(math.isfinite, self.centre)), "a ball's centre must be finite")
        require(
            math.isfinite(self.radius)
            and (self.radius >= 0 or self.metric.kind in ("precomputed", "function")),
            "a ball's radius must be 0 or more",
        )

    def distance(self, table: Table) -> Floats:
        """Distance of every row to the centre; NaN where a coordinate is missing."""
        columns = self.scaling.of([table.numbers(name) for name in self.on])
        return self.metric.to(columns, self.scaling.of_point(self.centre))

    def holds(self, table: Table) -> Mask:
        d = self.distance(table)
        truth = (d < self.radius if self.strict else d <= self.radius) == self.inside
        return np.where(np.isnan(d), self.if_missing, truth)

    def __invert__(self) -> Ball:
        return replace(self, inside=not self.inside, if_missing=not self.if_missing)


@register_node("half_space")
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
    kernel: Kernel = LINEAR
    if_missing: bool = False
    scaling: Scaling = UNSCALED
    anchored_on: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        require(
            len(self.on) == len(self.toward) == len(self.away) > 0
            and len(set(self.on)) == len(self.on),
            "a half-space's examples need one coordinate for each of its columns",
        )
        require(self.scaling.fits(len(self.on)), "a half-space's scaling needs all of its columns")
        require(
            self.kernel.kind != "precomputed" or len(self.on) == 2,
            "a half-space by a precomputed kernel needs two columns, k(toward, x) and k(away, x)",
        )
        numbers = (*self.toward, *self.away, self.cut)
        require(all(map(math.isfinite, numbers)), "a half-space's numbers must be finite")

    def margin(self, table: Table) -> Floats:
        """Return ``k(toward, x) - k(away, x)`` for every row; NaN where a coordinate is missing."""
        columns = self.scaling.of([table.numbers(name) for name in self.on])
        with np.errstate(invalid="ignore", over="ignore"):
            if self.kernel.kind == "precomputed":
                return columns[0] - columns[1]
            near, far = (
                self.kernel.to(columns, self.scaling.of_point(point))
                for point in (self.toward, self.away)
            )
            return near - far

    def holds(self, table: Table) -> Mask:
        margin = self.margin(table)
        truth = (margin > self.cut if self.strict else margin >= self.cut) == self.beyond
        return np.where(np.isnan(margin), self.if_missing, truth)

    def __invert__(self) -> HalfSpace:
        return replace(self, beyond=not self.beyond, if_missing=not self.if_missing)


@register_node("half_plane")
@dataclass(frozen=True, slots=True)
class HalfPlane(Literal):
    """A weighted sum of a few columns against a number: ``sum > cut`` or ``sum <= cut``.

    A row where one of the columns is missing has no sum. ``anchored_on`` names the training
    example whose sum the cut is.
    """

    on: tuple[str, ...]
    weights: tuple[float, ...]
    cut: float
    above: bool
    if_missing: bool = False
    anchored_on: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        require(
            len(self.on) == len(self.weights) > 0 and len(set(self.on)) == len(self.on),
            "a half-plane needs one weight for each of its columns",
        )
        require(
            all(math.isfinite(weight) and weight != 0 for weight in self.weights),
            f"a half-plane's weights must be finite and not 0, not {self.weights}",
        )
        require(math.isfinite(self.cut), f"a half-plane's cut must be finite, not {self.cut}")

    def sums(self, table: Table) -> Floats:
        """Add up the weighted columns of every row, in their order; NaN where one is missing."""
        with np.errstate(over="ignore", invalid="ignore"):
            terms = (w * table.numbers(name) for w, name in zip(self.weights, self.on, strict=True))
            total: Floats = next(terms)
            for term in terms:
                total = total + term
        return total

    def holds(self, table: Table) -> Mask:
        sums = self.sums(table)
        truth = sums > self.cut if self.above else sums <= self.cut
        return truth | np.isnan(sums) if self.if_missing else truth  # NaN compares false

    def __invert__(self) -> HalfPlane:
        return replace(self, above=not self.above, if_missing=not self.if_missing)
