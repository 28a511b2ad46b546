"""Renderers of half-spaces and half-planes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.render.cells import missing_columns_text
from rulewright.render.formatting import column_text, number_text, rounded_text
from rulewright.render.plot_data import Border, ColumnWeight, NumericPlot
from rulewright.render.points import (
    COORDINATE_MARKS,
    MAX_IN_DETAIL,
    MAX_INLINE,
    coordinates,
    example_text,
    kernel_text,
    point_text,
    scaling_text,
)
from rulewright.render.predicates import or_missing
from rulewright.render.registry import Pieces, PredicateRenderer, register_predicate
from rulewright.rules import UNSCALED, HalfPlane, HalfSpace, Predicate

SUM_MARKS = "+-*<>=:,()"
"""Marks that would be misread in the name of a column in a sum."""

RELATIONS = {(True, False): ">=", (True, True): ">", (False, False): "<", (False, True): "<="}
"""Sign of a half-space by ``beyond`` and ``strict``."""


@dataclass(frozen=True, slots=True)
class LinearForm:
    """A linear half-space as weights on columns; not ``exact`` where a scaling is folded in."""

    terms: tuple[tuple[str, float], ...]
    cut: float
    exact: bool


def linear_form(half: HalfSpace) -> LinearForm | None:
    """Weights of a linear half-space that are not zero; None for another kernel.

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


class HalfSpaceRenderer(PredicateRenderer[HalfSpace]):
    """``more like example 17 than example 203: 2 x - 3 y >= 4.5``.

    Examples
    --------
    >>> half = HalfSpace(("x", "y"), (3.0, 1.0), (1.0, 4.0), 4.5, anchored_on=(17, 203, 9))
    >>> HalfSpaceRenderer().text(~half).removesuffix(", or missing")
    'not more like example 17 than example 203 by at least 4.5: 2 x - 3 y < 4.5'
    """

    anchor_roles = ("towards", "against", "border")

    def text(self, node: HalfSpace, *, headline: bool = False) -> str:
        weights = [] if headline else _weights(node, MAX_INLINE)
        likeness = _likeness(node, brief=bool(weights) and node.scaling.kind == "none")
        inequality = f": {' '.join(weights)}" if weights else ""
        missing = or_missing(node.if_missing, ",")
        return f"{likeness}{_manner(node)}{inequality}{missing}"

    def details(self, node: HalfSpace) -> list[Pieces]:
        """Weights of a linear half-space, and the examples that it compares with."""
        weights = _weights(node, MAX_IN_DETAIL)
        lines = [weights] if weights else []
        if node.kernel.kind == "precomputed":
            return lines
        for place, point in enumerate((node.toward, node.away)):
            name = example_text(node.anchored_on, place)
            if name is not None:
                lines.append([f"{name}:", *coordinates(node.on, point, MAX_IN_DETAIL)])
        return lines

    def reasons(self, node: HalfSpace, table: Table) -> list[str]:
        toward, away = prototype_texts(node)
        unknown = f"the margin towards {toward} is not a number"
        relation = f"{RELATIONS[node.beyond, node.strict]} {number_text(node.cut)}"
        return [
            f"margin {number_text(margin)} towards {toward} against {away} ({relation})"
            if margin == margin
            else missing_columns_text(node, table, row) or unknown
            for row, margin in enumerate(node.margin(table).tolist())
        ]

    def plot(self, node: HalfSpace, table: Table, upper: Predicate | None = None) -> NumericPlot:
        named = len(node.anchored_on) > 1
        toward, away = prototype_texts(node) if named else ("the first", "the second")
        return NumericPlot(
            node.margin(table),
            [Border(node.cut, after=node.strict)],
            [not node.beyond, node.beyond],
            f"likeness to {toward} less likeness to {away}",
            weights=_column_weights(node, table),
            by_rank=node.scaling.kind == "rank",
        )


def prototype_texts(half: HalfSpace) -> tuple[str, str]:
    """Names of the two examples that a half-space compares with, or their coordinates."""
    points = (half.toward, half.away)
    toward, away = (
        example_text(half.anchored_on, place) or f"the point ({point_text(half.on, point)})"
        for place, point in enumerate(points)
    )
    return toward, away


def _likeness(half: HalfSpace, *, brief: bool) -> str:
    """Side of the cut on which a half-space lies; ``brief`` where the cut itself follows.

    A cut below zero allows for some less likeness, and its negation asks for as much.
    """
    toward, away = prototype_texts(half)
    more, less = f"more like {toward} than {away}", f"less like {toward} than {away}"
    relation = RELATIONS[half.beyond, half.strict]
    if half.cut == 0:
        equal = f"at least as like {toward} as {away}"
        return {">=": equal, ">": more, "<": less, "<=": f"not {more}"}[relation]
    if brief and half.beyond == (half.cut > 0):
        return more if half.beyond else less
    amount = number_text(abs(half.cut))
    at_least, more_than = f"by at least {amount}", f"by more than {amount}"
    if half.cut > 0:
        return {
            ">=": f"{more} {at_least}",
            ">": f"{more} {more_than}",
            "<": f"not {more} {at_least}",
            "<=": f"not {more} {more_than}",
        }[relation]
    return {
        ">=": f"{more}, or less by at most {amount}",
        ">": f"{more}, or less by less than {amount}",
        "<": f"{less} {more_than}",
        "<=": f"{less} {at_least}",
    }[relation]


def _manner(half: HalfSpace) -> str:
    """Kernel and scaling of a half-space, in parentheses."""
    texts = []
    if half.kernel.kind == "precomputed":
        texts.append("columns " + ", ".join(column_text(n, COORDINATE_MARKS) for n in half.on))
    elif half.kernel.kind != "linear":
        texts.append(kernel_text(half.kernel))
    texts += [scaling_text(half.scaling)] * (half.scaling != UNSCALED)
    return f" ({', '.join(texts)})" if texts else ""


def _weights(half: HalfSpace, max_terms: int) -> Pieces:
    """Inequality of a linear half-space; nothing for any other."""
    form = linear_form(half)
    if form is None:
        return []
    number = number_text if form.exact else rounded_text
    rank = "rank of " if half.scaling.kind == "rank" else ""
    pieces: Pieces = []
    for name, weight in form.terms[:max_terms]:
        plus, minus = ("+ ", "- ") if pieces else ("", "-")
        sign = minus if weight < 0 else plus
        pieces.append(f"{sign}{number(abs(weight))} {rank}{column_text(name, SUM_MARKS)}")
    if len(form.terms) > max_terms:
        pieces.append(f"+ ... {len(form.terms) - max_terms} more")
    about = [] if form.exact else ["about"]
    relation = f"{RELATIONS[half.beyond, half.strict]} {number(form.cut)}"
    return [*about, *(pieces or ["0"]), relation]


def _column_weights(half: HalfSpace, table: Table) -> list[ColumnWeight]:
    form = linear_form(half)
    if form is None:
        return []
    columns = [table.numbers(name) for name in half.on]
    if half.scaling.kind == "rank":
        columns = half.scaling.of(columns)
    deviation = {name: _deviation(x) for name, x in zip(half.on, columns, strict=True)}
    return [ColumnWeight(name, weight, deviation[name]) for name, weight in form.terms]


def _deviation(x: NDArray[np.float64]) -> float:
    """Return the standard deviation of the finite values; 0 where it is not finite."""
    finite = x[np.isfinite(x)]
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(finite.std()) if finite.size else 0.0
    return deviation if math.isfinite(deviation) else 0.0


class HalfPlaneRenderer(PredicateRenderer[HalfPlane]):
    """``glucose + 3 bmi > 220``; a weight of one is not written.

    Examples
    --------
    >>> HalfPlaneRenderer().text(HalfPlane(("glucose", "bmi"), (1.0, 3.0), 220.0, above=True))
    'glucose + 3 bmi > 220'
    """

    anchor_roles = ("border",)

    def text(self, node: HalfPlane, *, headline: bool = False) -> str:
        return f"{weighted_sum(node)} {_plane_relation(node)}{or_missing(node.if_missing)}"

    def reasons(self, node: HalfPlane, table: Table) -> list[str]:
        name, relation = weighted_sum(node), _plane_relation(node)
        texts = []
        for row, total in enumerate(node.sums(table).tolist()):
            if total != total:
                missing = missing_columns_text(node, table, row)
                texts.append(missing or f"{name} is not a number")
                continue
            values = ", ".join(
                f"{column_text(n, ',')} = {number_text(float(table.numbers(n)[row]))}"
                for n in node.on
            )
            texts.append(f"{name} = {number_text(total)} ({relation}; {values})")
        return texts

    def plot(self, node: HalfPlane, table: Table, upper: Predicate | None = None) -> NumericPlot:
        border, holds = Border(node.cut, after=True), [not node.above, node.above]
        return NumericPlot(node.sums(table), [border], holds, weighted_sum(node))


def _plane_relation(half: HalfPlane) -> str:
    return f"{'>' if half.above else '<='} {number_text(half.cut)}"


def weighted_sum(half: HalfPlane) -> str:
    """Weighted sum that a half-plane compares with its cut.

    Examples
    --------
    >>> weighted_sum(HalfPlane(("a", "b", "2nd"), (-1.0, -0.5, 2e-07), 3.0, above=False))
    "-a - 0.5 b + 2e-07 '2nd'"
    """
    text = ""
    for name, weight in zip(half.on, half.weights, strict=True):
        plus, minus = (" + ", " - ") if text else ("", "-")
        amount = "" if abs(weight) == 1 else f"{number_text(abs(weight))} "
        # A digit at the start of the name would read as a weight.
        column = repr(name) if name[:1].isdigit() else column_text(name, SUM_MARKS)
        text += f"{minus if weight < 0 else plus}{amount}{column}"
    return text


register_predicate(HalfSpace, HalfSpaceRenderer())
register_predicate(HalfPlane, HalfPlaneRenderer())
