"""Balls, half-spaces and half-planes as text: by the examples they compare with, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulewright.render.formatting import about_text, column_text, number_text
from rulewright.rules import (
    Ball,
    HalfPlane,
    HalfSpace,
    Kernel,
    Metric,
    Node,
    Scaling,
    scalings_of,
)

MAX_INLINE, MAX_IN_DETAIL = 6, 16
"""How many coordinates of an example stand in a sentence, and how many below it.

An example is known by its number, so its point may be cut short; a point without one is not.
"""

SUM_MARKS = "+-*<>=:,()"
"""What would be misread in the name of a column that stands in a sum."""

Pieces = list[str]
"""A line to be joined by blanks, and to be broken between its pieces only."""


@dataclass(frozen=True, slots=True)
class LinearForm:
    """A linear half-space as weights on columns; ``exact`` unless a scaling was folded into it."""

    terms: tuple[tuple[str, float], ...]
    cut: float
    exact: bool


def linear_form(half: HalfSpace) -> LinearForm | None:
    """Give the weights of a linear half-space, those that are zero left out.

    Examples
    --------
    >>> linear_form(HalfSpace(("x", "y", "z"), (3.0, 1.0, 2.0), (1.0, 1.0, 5.0), 4.0)).terms
    (('x', 2.0), ('z', -3.0))
    """
    if half.kernel.kind != "linear":
        return None
    names, cut, scaling = half.on, half.cut, half.scaling
    weights = [a - b for a, b in zip(half.toward, half.away, strict=True)]
    if scaling.kind == "standard":
        weights = [w / unit / unit for w, unit in zip(weights, scaling.unit, strict=True)]
        cut += sum(w * shift for w, shift in zip(weights, scaling.shift, strict=True))
    elif scaling.kind == "rank":
        ends = zip(scaling.of_point(half.toward), scaling.of_point(half.away), strict=True)
        weights = [a - b for a, b in ends]
    terms = tuple((name, w) for name, w in zip(names, weights, strict=True) if w)
    return LinearForm(terms, cut, exact=scaling.kind == "none")


def example_text(anchors: Sequence[int], place: int) -> str | None:
    """Name the example at that place among a predicate's anchors, where there is one."""
    return f"example {anchors[place]}" if place < len(anchors) else None


def ball_text(ball: Ball) -> str:
    """Write a ball, on one line.

    Examples
    --------
    >>> ball_text(Ball(("x", "y"), (1.0, 2.5), 3.2, Metric("l1"), anchored_on=(17, 4)))
    'nearer than 3.2 to example 17 (x 1, y 2.5) by l1'
    """
    return _around(ball, centre_text(ball))


def ball_headline(ball: Ball) -> str:
    """Write a ball on one line, without the coordinates where they stand below it."""
    name = example_text(ball.anchored_on, 0)
    return _around(ball, name if name and ball_details(ball) else centre_text(ball))


def _around(ball: Ball, centre: str) -> str:
    preposition = _BALL_WORDS[ball.inside, ball.strict][1]
    manner = _metric_text(ball.metric) + _scaling_text(ball.scaling, ", ")
    return f"{ball_relation(ball)} {preposition} {centre}{manner}"


_BALL_WORDS = {
    (True, True): ("nearer than", "to"),
    (True, False): ("within", "of"),
    (False, True): ("at least", "from"),
    (False, False): ("farther than", "from"),
}


def ball_relation(ball: Ball) -> str:
    """Write how a distance compares with the radius."""
    return f"{_BALL_WORDS[ball.inside, ball.strict][0]} {number_text(ball.radius)}"


def centre_text(ball: Ball) -> str:
    """Write where a ball's centre is."""
    name = example_text(ball.anchored_on, 0)
    if ball.metric.kind == "precomputed":
        return f"{name or 'the centre'} (column {column_text(ball.on[0], ',()')})"
    return f"{name or 'the point'} ({_point_text(ball.on, ball.centre, MAX_INLINE, name)})"


def _point_text(
    names: Sequence[str], point: Sequence[float], most: int, example: str | None
) -> str:
    return " ".join(_coordinates(names, point, most if example else len(names)))


def _coordinates(names: Sequence[str], point: Sequence[float], most: int) -> Pieces:
    both = list(zip(names, point, strict=True))
    said = [f"{column_text(name, ',()')} {number_text(x)}" for name, x in both[:most]]
    if len(both) > most:
        said.append(f"... {len(both) - most} more")
    return [*(f"{piece}," for piece in said[:-1]), said[-1]]


def _metric_text(metric: Metric) -> str:
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
    """Name a kernel and its numbers.

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


def _scaling_text(scaling: Scaling, before: str = "") -> str:
    said = {"standard": "columns standardised", "rank": "columns by rank"}.get(scaling.kind, "")
    return said and before + said


def half_space_text(half: HalfSpace) -> str:
    """Write a half-space on one line, a linear one with its weights.

    Examples
    --------
    >>> half = HalfSpace(("x", "y"), (3.0, 1.0), (1.0, 4.0), 4.5, anchored_on=(17, 203, 9))
    >>> half_space_text(half)
    'more like example 17 than example 203: 2 x - 3 y >= 4.5'
    >>> half_space_text(~half)
    'not more like example 17 than example 203 by at least 4.5: 2 x - 3 y < 4.5'
    """
    weights = _weights(half, MAX_INLINE)
    if not weights:
        return half_space_headline(half)
    said = _likeness(half, brief=half.scaling.kind == "none")
    return f"{said}{_manner(half)}: {' '.join(weights)}"


def half_space_headline(half: HalfSpace) -> str:
    """Write a half-space on one line without its weights.

    Examples
    --------
    >>> half_space_headline(
    ...     HalfSpace(("x",), (1.0,), (2.0,), -0.5, kernel=Kernel("rbf"), anchored_on=(3, 5, 9))
    ... )
    'more like example 3 than example 5, or less by at most 0.5 (rbf kernel, gamma 1)'
    """
    return _likeness(half) + _manner(half)


def half_space_relation(half: HalfSpace) -> str:
    """Write how a margin compares with the cut."""
    return f"{_RELATIONS[half.beyond, half.strict]} {number_text(half.cut)}"


_RELATIONS = {(True, False): ">=", (True, True): ">", (False, False): "<", (False, True): "<="}


def prototypes(half: HalfSpace) -> tuple[str, str]:
    """Name the two examples, or write the two points, that a half-space compares with."""
    points = (half.toward, half.away)
    toward, away = (
        example_text(half.anchored_on, place)
        or f"the point ({_point_text(half.on, point, len(half.on), None)})"
        for place, point in enumerate(points)
    )
    return toward, away


def _likeness(half: HalfSpace, *, brief: bool = False) -> str:
    """Say on which side of the cut a half-space lies; ``brief`` where the cut itself follows.

    A cut below zero allows for some less likeness, and its negation asks for as much.
    """
    toward, away = prototypes(half)
    amount = number_text(abs(half.cut))
    at_least = f"by at least {amount}"
    more_than = f"by more than {amount}"
    more, less = f"more like {toward} than {away}", f"less like {toward} than {away}"
    relation = _RELATIONS[half.beyond, half.strict]
    if half.cut == 0:
        equal = f"at least as like {toward} as {away}"
        return {">=": equal, ">": more, "<": less, "<=": f"not {more}"}[relation]
    if half.cut > 0:
        if brief and half.beyond:
            return more
        return {
            ">=": f"{more} {at_least}",
            ">": f"{more} {more_than}",
            "<": f"not {more} {at_least}",
            "<=": f"not {more} {more_than}",
        }[relation]
    if brief and not half.beyond:
        return less
    return {
        ">=": f"{more}, or less by at most {amount}",
        ">": f"{more}, or less by less than {amount}",
        "<": f"{less} {more_than}",
        "<=": f"{less} {at_least}",
    }[relation]


def _manner(half: HalfSpace) -> str:
    said = []
    if half.kernel.kind == "precomputed":
        said.append("columns " + ", ".join(column_text(name, ",()") for name in half.on))
    elif half.kernel.kind != "linear":
        said.append(kernel_text(half.kernel))
    said += [_scaling_text(half.scaling)] * (half.scaling.kind != "none")
    return f" ({', '.join(said)})" if said else ""


def _weights(half: HalfSpace, most: int) -> Pieces:
    """Write a linear half-space as an inequality; nothing for any other."""
    form = linear_form(half)
    if form is None:
        return []
    number = number_text if form.exact else about_text
    rank = "rank of " if half.scaling.kind == "rank" else ""
    pieces: Pieces = []
    for name, weight in form.terms[:most]:
        plus, minus = ("+ ", "- ") if pieces else ("", "-")
        sign = minus if weight < 0 else plus
        pieces.append(f"{sign}{number(abs(weight))} {rank}{column_text(name, SUM_MARKS)}")
    if len(form.terms) > most:
        pieces.append(f"+ ... {len(form.terms) - most} more")
    about = [] if form.exact else ["about"]
    relation = f"{_RELATIONS[half.beyond, half.strict]} {number(form.cut)}"
    return [*about, *(pieces or ["0"]), relation]


def half_plane_text(half: HalfPlane) -> str:
    """Write a half-plane as an inequality; a weight of one is not written.

    Examples
    --------
    >>> half_plane_text(HalfPlane(("glucose", "bmi"), (1.0, 3.0), 220.0, above=True))
    'glucose + 3 bmi > 220'
    """
    return f"{weighted_sum(half)} {half_plane_relation(half)}"


def half_plane_relation(half: HalfPlane) -> str:
    """Write how a sum compares with the cut."""
    return f"{'>' if half.above else '<='} {number_text(half.cut)}"


def weighted_sum(half: HalfPlane) -> str:
    """Write the sum that a half-plane looks at.

    Examples
    --------
    >>> weighted_sum(HalfPlane(("a", "b", "2nd"), (-1.0, -0.5, 2e-07), 3.0, above=False))
    "-a - 0.5 b + 2e-07 '2nd'"
    """
    said = ""
    for name, weight in zip(half.on, half.weights, strict=True):
        plus, minus = (" + ", " - ") if said else ("", "-")
        amount = "" if abs(weight) == 1 else f"{number_text(abs(weight))} "
        # A number before the name must not be taken for a weight.
        column = repr(name) if name[:1].isdigit() else column_text(name, SUM_MARKS)
        said += f"{minus if weight < 0 else plus}{amount}{column}"
    return said


def ball_details(ball: Ball) -> list[Pieces]:
    """Write the whole centre, where the sentence cuts it short."""
    name = example_text(ball.anchored_on, 0)
    if name is None or len(ball.on) <= MAX_INLINE or ball.metric.kind == "precomputed":
        return []
    return [[f"{name}:", *_coordinates(ball.on, ball.centre, MAX_IN_DETAIL)]]


def half_space_details(half: HalfSpace) -> list[Pieces]:
    """Write the weights of a linear half-space, and the examples that it compares with."""
    weights = _weights(half, MAX_IN_DETAIL)
    lines = [weights] if weights else []
    if half.kernel.kind == "precomputed":
        return lines
    for place, point in enumerate((half.toward, half.away)):
        name = example_text(half.anchored_on, place)
        if name is not None:
            lines.append([f"{name}:", *_coordinates(half.on, point, MAX_IN_DETAIL)])
    return lines


def scaling_notes(node: Node) -> list[Pieces]:
    """Say what the standardised columns of a node are, once."""
    return [
        _standardised(on, scaling)
        for on, scaling in scalings_of(node)
        if scaling.kind == "standard"
    ]


def _standardised(on: Sequence[str], scaling: Scaling) -> Pieces:
    ways = list(zip(on, scaling.shift, scaling.unit, strict=True))
    said = [
        f"({column_text(name, '+-*/,()')} {'+' if shift < 0 else '-'} {number_text(abs(shift))})"
        f" / {number_text(unit)}"
        for name, shift, unit in ways[:MAX_INLINE]
    ]
    if len(ways) > MAX_INLINE:
        said.append(f"... {len(ways) - MAX_INLINE} more")
    return ["columns standardised:", *(f"{piece}," for piece in said[:-1]), said[-1]]
