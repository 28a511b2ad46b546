"""Examples, metrics, kernels and scalings as text."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.render.formatting import column_text, number_text
from rulewright.render.registry import Pieces
from rulewright.rules import Kernel, Metric, Node, Scaling, scalings_of

MAX_INLINE, MAX_IN_DETAIL = 6, 16
"""Maximum number of coordinates of an example in a sentence, and below it.

An example is known by its number, so its point may be cut short; a point without one is not.
"""

COORDINATE_MARKS = ",()"
"""Marks that would be misread in the name of a column beside a coordinate."""


def example_text(anchors: Sequence[int], place: int) -> str | None:
    """Name of the example at a place among the anchors of a predicate; None if there is none."""
    return f"example {anchors[place]}" if place < len(anchors) else None


def point_text(names: Sequence[str], point: Sequence[float], max_shown: int | None = None) -> str:
    """Coordinates of a point on one line."""
    return " ".join(coordinates(names, point, max_shown or len(names)))


def coordinates(names: Sequence[str], point: Sequence[float], max_shown: int) -> Pieces:
    """Coordinates of a point, and the number of those left out."""
    pairs = list(zip(names, point, strict=True))
    texts = [
        f"{column_text(name, COORDINATE_MARKS)} {number_text(x)}" for name, x in pairs[:max_shown]
    ]
    if len(pairs) > max_shown:
        texts.append(f"... {len(pairs) - max_shown} more")
    return [*(f"{piece}," for piece in texts[:-1]), texts[-1]]


def metric_text(metric: Metric) -> str:
    """Text of a metric after a distance; empty for the Euclidean one."""
    match metric.kind:
        case "l2":
            return ""
        case "kernel":
            return f" by the {kernel_text(metric.kernel)}"
        case "precomputed":
            return " by the precomputed distances"
        case "function":
            return f" by the function {metric.name!r}"
        case _:
            return f" by {metric.kind}"


def kernel_text(kernel: Kernel) -> str:
    """Name of a kernel and its parameters.

    Examples
    --------
    >>> kernel_text(Kernel("rbf", gamma=0.5)), kernel_text(Kernel("function", name="mine"))
    ('rbf kernel, gamma 0.5', "kernel function 'mine'")
    """
    gamma = f"gamma {number_text(kernel.gamma)}"
    match kernel.kind:
        case "rbf":
            return f"rbf kernel, {gamma}"
        case "polynomial":
            offset = number_text(kernel.offset)
            return f"polynomial kernel, {gamma}, offset {offset}, degree {kernel.degree}"
        case "function":
            return f"kernel function {kernel.name!r}"
        case _:
            return f"{kernel.kind} kernel"


def scaling_text(scaling: Scaling) -> str:
    """Text of a scaling and of missing values; empty for none."""
    texts = {"standard": ["columns standardised"], "rank": ["columns by rank"]}
    filled = ["missing values filled"] if scaling.fill else []
    return ", ".join([*texts.get(scaling.kind, []), *filled])


def scaling_notes(node: Node) -> list[Pieces]:
    """Return notes on the standardised and on the filled columns of a node, each once."""
    notes = []
    for on, scaling in scalings_of(node):
        if scaling.kind == "standard":
            notes.append(["columns standardised:", *_standardised(on, scaling)])
        if scaling.fill:
            notes.append(["missing values count as:", *coordinates(on, scaling.fill, MAX_INLINE)])
    return notes


def _standardised(on: Sequence[str], scaling: Scaling) -> Pieces:
    columns = list(zip(on, scaling.shift, scaling.unit, strict=True))
    texts = [
        f"({column_text(name, '+-*/,()')} {'+' if shift < 0 else '-'} {number_text(abs(shift))})"
        f" / {number_text(unit)}"
        for name, shift, unit in columns[:MAX_INLINE]
    ]
    if len(columns) > MAX_INLINE:
        texts.append(f"... {len(columns) - MAX_INLINE} more")
    return [*(f"{piece}," for piece in texts[:-1]), texts[-1]]
