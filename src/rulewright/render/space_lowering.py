"""Lowering of balls, half-spaces and half-planes: closed forms over the numeric columns.

A test of a distance becomes a test of its square. The square root is monotone, so that one double
is the largest square whose root passes the test: it is found by bisection, and the exported
program needs no root and gives the same answers.
"""

from __future__ import annotations

import math
import struct
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import reduce
from typing import cast

from rulewright.errors import UnrenderableError
from rulewright.render.lowering import Inputs, register_lowering
from rulewright.render.programs import (
    AbsoluteForm,
    AndForm,
    Arithmetic,
    ArithmeticForm,
    ComparisonForm,
    Condition,
    ConstantForm,
    ExponentialForm,
    FilledForm,
    NotForm,
    NumberForm,
    OrForm,
    RankForm,
    TruthForm,
    UndefinedForm,
)
from rulewright.rules import Ball, HalfPlane, HalfSpace, Kernel, Scaling

NEIGHBOURS = 64
"""Doubles on each side of a border on which a test is tried."""

Numbers = Sequence[NumberForm]


@register_lowering(HalfPlane)
def _half_plane(node: HalfPlane, inputs: Inputs) -> Condition:
    terms = [
        _operation("*", ConstantForm(weight), inputs.value(name))
        for weight, name in zip(node.weights, node.on, strict=True)
    ]
    return ComparisonForm(">" if node.above else "<=", _sum(terms), node.cut, node.if_missing)


@register_lowering(HalfSpace)
def _half_space(node: HalfSpace, inputs: Inputs) -> Condition:
    _refuse_foreign("half-space", "kernel", node.kernel.kind, node.kernel.name)
    columns = _scaled(node.scaling, node.on, inputs)
    near, far = (
        _similarity(node.kernel, columns, _constants(node.scaling.of_point(point)))
        for point in (node.toward, node.away)
    )
    margin = _operation("-", near, far)
    if node.beyond:
        return ComparisonForm(">" if node.strict else ">=", margin, node.cut, node.if_missing)
    return ComparisonForm("<=" if node.strict else "<", margin, node.cut, node.if_missing)


@register_lowering(Ball)
def _ball(node: Ball, inputs: Inputs) -> Condition:
    metric = node.metric
    _refuse_foreign("ball", "metric", metric.kind, metric.name)
    if metric.kind == "kernel":
        _refuse_foreign("ball", "kernel", metric.kernel.kind, metric.kernel.name)
    columns = _scaled(node.scaling, node.on, inputs)
    centre = _constants(node.scaling.of_point(node.centre))
    match metric.kind:
        case "l1":
            return _by_distance(node, _sum(_gaps(columns, centre)))
        case "linf":
            return _by_largest(node, _gaps(columns, centre))
        case "l2":
            return _by_border(node, _squares(columns, centre), math.sqrt)
        case _:
            return _by_kernel(node, metric.kernel, columns, centre)


def _refuse_foreign(what: str, part: str, kind: str, name: str) -> None:
    if kind == "function":
        raise UnrenderableError(
            f"A {what} of the model compares rows by the function {name!r:.80} of its user, which "
            "cannot be exported. Use a built-in metric or kernel."
        )
    if kind == "precomputed":
        raise UnrenderableError(
            f"A {what} of the model has a precomputed {part}: its columns hold comparisons with "
            "training examples, which an export cannot compute. Use a built-in metric or kernel."
        )


def _by_distance(node: Ball, distance: NumberForm) -> Condition:
    """Test a distance against the radius."""
    if node.inside:
        return ComparisonForm("<" if node.strict else "<=", distance, node.radius, node.if_missing)
    return ComparisonForm(">=" if node.strict else ">", distance, node.radius, node.if_missing)


def _by_largest(node: Ball, gaps: Numbers) -> Condition:
    """Test the largest gap against the radius: each of them is inside, or one is outside."""
    undefined = tuple(UndefinedForm(gap) for gap in gaps)
    if node.inside:
        inside = AndForm(
            tuple(ComparisonForm("<" if node.strict else "<=", gap, node.radius) for gap in gaps)
        )
        return OrForm((inside, *undefined)) if node.if_missing else inside
    outside = OrForm(
        tuple(ComparisonForm(">=" if node.strict else ">", gap, node.radius) for gap in gaps)
    )
    if node.if_missing:
        return OrForm((outside, *undefined))
    return AndForm((outside, *(NotForm(each) for each in undefined)))


def _by_border(node: Ball, square: NumberForm, distance: Callable[[float], float]) -> Condition:
    """Test a number of which the distance is a function that never decreases.

    Numbers below 0 have the distance of 0.
    """

    def holds(number: float) -> bool:
        d = distance(number)
        return d < node.radius if node.strict else d <= node.radius

    everywhere = holds(math.inf)  # as the distances by an RBF kernel, which are below 1.5
    border = None if everywhere else last_double(holds)
    if border is not None:
        return ComparisonForm("<=" if node.inside else ">", square, border, node.if_missing)
    undefined = UndefinedForm(square)
    if node.inside != everywhere:  # nothing that is defined is on this side of the border
        return undefined if node.if_missing else TruthForm(False)
    return TruthForm(True) if node.if_missing else NotForm(undefined)


def last_double(holds: Callable[[float], bool]) -> float | None:
    """Return the largest double of 0 or more on which a test holds; None if there is none.

    The test must hold up to some number and on none above it. Infinity must not pass it.
    """
    if not holds(0.0):
        return None
    low, high = 0, _bits(math.inf)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(_double(middle)) else (low, middle)
    around = range(max(low - NEIGHBOURS, 0), min(low + NEIGHBOURS, _bits(math.inf)))
    if any(holds(_double(bits)) != (bits <= low) for bits in around):
        raise UnrenderableError(
            "A ball of the model has a border that no single number describes: the exponential of "
            "this machine is not monotone there. Export the model on another machine."
        )
    return _double(low)


def _bits(number: float) -> int:
    return cast(int, struct.unpack("<q", struct.pack("<d", number))[0])


def _double(bits: int) -> float:
    return cast(float, struct.unpack("<d", struct.pack("<q", bits))[0])


def _by_kernel(node: Ball, kernel: Kernel, columns: Numbers, centre: Numbers) -> Condition:
    """Test the distance in the space of a kernel, ``sqrt((k(x,x) - 2 k(x,c)) + k(c,c))``."""
    if kernel.kind == "rbf" and kernel.gamma > 0:
        # k(x, x) is 1, but not a number where a coordinate is infinite, as its difference from
        # itself; the distance increases with the square of the ordinary one.
        itself = _squares(columns, columns)
        square = _operation("+", _squares(columns, centre), itself)
        return _by_border(
            node, square, lambda s: math.sqrt((1.0 - 2.0 * math.exp(-kernel.gamma * s)) + 1.0)
        )
    to_centre, to_self, of_centre = (
        _similarity(kernel, *pair)
        for pair in ((columns, centre), (columns, columns), (centre, centre))
    )
    twice = _operation("*", ConstantForm(2.0), to_centre)
    square = _operation("+", _operation("-", to_self, twice), of_centre)
    return _by_border(node, square, math.sqrt)


def _similarity(kernel: Kernel, x: Numbers, y: Numbers) -> NumberForm:
    """Value of a kernel, by the operations of the core in their order."""
    if kernel.kind == "rbf":
        scaled = _operation("*", ConstantForm(-kernel.gamma), _squares(x, y))
        return ExponentialForm(scaled)
    product = _sum([_operation("*", a, b) for a, b in zip(x, y, strict=True)])
    if kernel.kind == "linear":
        return product
    if kernel.degree == 0:
        return ConstantForm(1.0)
    scaled = _operation("*", ConstantForm(kernel.gamma), product)
    base = _operation("+", scaled, ConstantForm(kernel.offset))
    return reduce(lambda power, factor: _operation("*", power, factor), [base] * kernel.degree)


def _scaled(scaling: Scaling, on: Sequence[str], inputs: Inputs) -> list[NumberForm]:
    values: list[NumberForm] = [inputs.value(name) for name in on]
    if scaling.fill:
        filled = zip(on, scaling.fill, strict=True)
        values = [FilledForm(inputs.value(name), number) for name, number in filled]
    match scaling.kind:
        case "standard":
            return [
                _operation("/", _operation("-", x, ConstantForm(shift)), ConstantForm(unit))
                for x, shift, unit in zip(values, scaling.shift, scaling.unit, strict=True)
            ]
        case "rank":
            return [_rank(x, knots) for x, knots in zip(values, scaling.knots, strict=True)]
        case _:
            return values


def _rank(x: NumberForm, knots: Sequence[float]) -> RankForm:
    ordered = sorted(knots)
    distinct = sorted(set(ordered))
    below = [bisect_left(ordered, each) for each in distinct]
    upto = [*below[1:], len(ordered)]
    width = 2.0 * len(ordered)
    return RankForm(
        x,
        tuple(distinct),
        tuple((2 * count) / width for count in [0, *upto]),
        tuple((less + more) / width for less, more in zip(below, upto, strict=True)),
    )


def _constants(point: Sequence[float]) -> list[NumberForm]:
    if not all(map(math.isfinite, point)):
        raise UnrenderableError(
            "A ball or half-space of the model has an example that its scaling makes infinite, "
            "which cannot be exported. Train without a scaling, or with another one."
        )
    return [ConstantForm(x) for x in point]


def _gaps(x: Numbers, y: Numbers) -> list[NumberForm]:
    return [AbsoluteForm(_operation("-", a, b)) for a, b in zip(x, y, strict=True)]


def _squares(x: Numbers, y: Numbers) -> NumberForm:
    gaps = [_operation("-", a, b) for a, b in zip(x, y, strict=True)]
    return _sum([_operation("*", gap, gap) for gap in gaps])


def _sum(terms: Numbers) -> NumberForm:
    return reduce(lambda total, term: _operation("+", total, term), terms)


def _operation(operator: Arithmetic, left: NumberForm, right: NumberForm) -> NumberForm:
    """Return an operation; one of two finite constants with a finite result is done here."""
    if isinstance(left, ConstantForm) and isinstance(right, ConstantForm):
        a, b = left.number, right.number
        number = {"+": a + b, "-": a - b, "*": a * b}.get(operator)
        if number is not None and math.isfinite(number):
            return ConstantForm(number)
    return ArithmeticForm(operator, left, right)
