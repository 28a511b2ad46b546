"""Metrics, kernels and scalings, which are parts of the nodes that use them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError
from rulewright.kernels import distances, kernel_distances, similarities
from rulewright.rules.node import Node
from rulewright.rules.registry import NOT_SERIALIZED, OMITTED_DEFAULT, register_node

Floats = NDArray[np.float64]
Compare = Callable[[Floats, Floats], float]

KERNELS = ("linear", "rbf", "polynomial", "precomputed", "function")
METRICS = ("l1", "l2", "linf", "kernel", "precomputed", "function")


def require(condition: bool, message: str) -> None:
    """Raise an error unless the condition of a valid node is met."""
    if not condition:
        raise ValueError(message)


@register_node("kernel")
@dataclass(frozen=True, slots=True)
class Kernel(Node):
    """A similarity of two points: an inner product in some space.

    ``linear`` is ``x.p``, ``rbf`` is ``exp(-gamma |x - p|^2)``, ``polynomial`` is
    ``(gamma x.p + offset) ** degree``. ``precomputed`` reads it from a column that holds the
    similarity to one training example. ``function`` is the user's own, known by ``name``.
    """

    kind: OneOf["linear", "rbf", "polynomial", "precomputed", "function"] = "linear"
    gamma: float = 1.0
    offset: float = 0.0
    degree: int = 1
    name: str = ""
    function: Compare | None = field(
        default=None, compare=False, repr=False, metadata=NOT_SERIALIZED
    )

    def __post_init__(self) -> None:
        require(
            self.kind in KERNELS, f"kernel must be one of {', '.join(KERNELS)}, not {self.kind!r}"
        )
        require(
            math.isfinite(self.gamma) and math.isfinite(self.offset),
            "a kernel's numbers must be finite",
        )
        require(0 <= self.degree <= 64, "a polynomial kernel's degree must be 0 to 64")

    def to(self, columns: Sequence[Floats], point: Sequence[float]) -> Floats:
        """Similarity of every row to a point; NaN where a coordinate is missing."""
        if self.kind == "function":
            return _each(self.function, self.name, columns, point)
        if self.kind == "precomputed":
            raise ValueError("a precomputed similarity is read from its column")
        return similarities(columns, point, self.kind, **self.shape)

    @property
    def shape(self) -> dict[str, Any]:
        """Parameters of the kernel, by the names of the core."""
        return {"gamma": self.gamma, "offset": self.offset, "degree": self.degree}


LINEAR = Kernel()


@register_node("metric")
@dataclass(frozen=True, slots=True)
class Metric(Node):
    """A distance of two points.

    ``kernel`` is the distance in the kernel's space, ``sqrt(k(x,x) - 2 k(x,p) + k(p,p))``.
    ``precomputed`` reads it from a column that holds the distance to one training example.
    """

    kind: OneOf["l1", "l2", "linf", "kernel", "precomputed", "function"] = "l2"
    kernel: Kernel = LINEAR
    name: str = ""
    function: Compare | None = field(
        default=None, compare=False, repr=False, metadata=NOT_SERIALIZED
    )

    def __post_init__(self) -> None:
        require(
            self.kind in METRICS, f"metric must be one of {', '.join(METRICS)}, not {self.kind!r}"
        )

    def to(self, columns: Sequence[Floats], point: Sequence[float]) -> Floats:
        """Distance of every row to a point; NaN where a coordinate is missing."""
        match self.kind:
            case "function":
                return _each(self.function, self.name, columns, point)
            case "precomputed":
                return np.array(columns[0])
            case "kernel":
                return self._in_kernel_space(columns, point)
            case _:
                return distances(columns, point, self.kind)

    def _in_kernel_space(self, columns: Sequence[Floats], point: Sequence[float]) -> Floats:
        kernel = self.kernel
        if kernel.kind == "precomputed":  # k(x, centre), k(x, x)
            to_point, to_self, of_point = columns[0], columns[1], point[1]
        elif kernel.kind == "function":
            to_point = kernel.to(columns, point)
            to_self = _with_themselves(kernel, columns)
            of_point = float(_with_themselves(kernel, [np.array([x]) for x in point])[0])
        else:
            return kernel_distances(columns, point, kernel.kind, **kernel.shape)
        with np.errstate(invalid="ignore", over="ignore"):
            distance: Floats = np.sqrt(np.maximum((to_self - 2 * to_point) + of_point, 0.0))
        return distance


EUCLIDEAN = Metric()


@register_node("scaling")
@dataclass(frozen=True, slots=True)
class Scaling(Node):
    """Transformation of columns before points are compared.

    ``standard`` is ``(x - shift) / unit``. ``rank`` is the share of ``knots`` below x, plus half of
    the share equal to x. There is one number, or one tuple of knots, for each column. Missing
    values first become the numbers in ``fill``, one for each column, or stay missing without them.
    """

    kind: OneOf["none", "standard", "rank"] = "none"
    shift: tuple[float, ...] = ()
    unit: tuple[float, ...] = ()
    knots: tuple[tuple[float, ...], ...] = ()
    fill: tuple[float, ...] = field(default=(), metadata=OMITTED_DEFAULT)

    def __post_init__(self) -> None:
        knots = (x for column in self.knots for x in column)
        numbers = (*self.shift, *self.unit, *knots, *self.fill)
        require(all(map(math.isfinite, numbers)), "a scaling's numbers must be finite")
        require(all(unit > 0 for unit in self.unit), "a scaling's units must be above 0")
        require(
            len(self.shift) == len(self.unit), "a scaling needs a shift and a unit for each column"
        )
        require(all(self.knots), "a scaling by rank needs a knot for each column")

    def filled(self, columns: Sequence[Floats]) -> list[Floats]:
        """Columns without missing values, if there are numbers for these."""
        if not self.fill:
            return list(columns)
        ways = zip(columns, self.fill, strict=True)
        return [np.where(np.isnan(x), number, x) for x, number in ways]

    def of(self, columns: Sequence[Floats]) -> list[Floats]:
        """Fill and scale columns."""
        columns = self.filled(columns)
        match self.kind:
            case "standard":
                ways = zip(columns, self.shift, self.unit, strict=True)
                with np.errstate(over="ignore"):
                    return [(x - shift) / unit for x, shift, unit in ways]
            case "rank":
                return [_ranks(x, k) for x, k in zip(columns, self.knots, strict=True)]
            case _:
                return columns

    def of_point(self, point: Sequence[float]) -> list[float]:
        """Scale a point exactly as a row that equals it."""
        return [float(x[0]) for x in self.of([np.array([x]) for x in point])]

    def fits(self, columns: int) -> bool:
        """Whether it has numbers for this number of columns."""
        scaled = {"standard": len(self.unit), "rank": len(self.knots)}.get(self.kind, columns)
        return scaled == columns and len(self.fill) in (0, columns)


UNSCALED = Scaling()


def _ranks(x: Floats, knots: tuple[float, ...]) -> Floats:
    ordered = np.sort(np.array(knots))
    below = np.searchsorted(ordered, x, "left") + np.searchsorted(ordered, x, "right")
    return np.where(np.isnan(x), np.nan, below / (2.0 * ordered.size))


def _each(
    function: Compare | None, name: str, columns: Sequence[Floats], point: Sequence[float]
) -> Floats:
    """Evaluate the user's function on every row and the point."""
    if function is None:
        raise InputError(
            f"The model compares rows by the function {name!r}, which a file cannot hold. Give it "
            f"when loading: load_model(path, functions={{{name!r}: ...}})."
        )
    rows, to = np.column_stack(columns), np.array(point, np.float64)
    try:
        return np.array([float(function(row, to)) for row in rows], np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The function {name!r} must take two points (arrays of numbers) and return a number; "
            f"it failed: {error}"
        ) from error


def _with_themselves(kernel: Kernel, columns: Sequence[Floats]) -> Floats:
    rows = np.column_stack(columns)
    return np.concatenate(
        [kernel.to([row[j : j + 1] for j in range(row.size)], row.tolist()) for row in rows]
        or [np.empty(0)]
    )
