"""Figure of the graph of splitting and connectivity as SVG: rules in the plane and by errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulewright.bounds import SCGraph
from rulewright.errors import InputError
from rulewright.render.colours import EDGE, INK, LINE, PAPER, SOFT, class_colour
from rulewright.render.formatting import count_text
from rulewright.render.text_metrics import text_width

Points = NDArray[np.float64]

PANEL, GAP, MARGIN, TOP, BOTTOM = 480.0, 110.0, 56.0, 96.0, 64.0
OBJECT, RULE, NEAR = 11.0, 8.5, 34.0
MAX_RULES = 100
LABEL_PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73)
"""Places of a label along its edge, the best first."""


class PlacedRule(NamedTuple):
    """A rule in one of the panels."""

    x: float
    y: float
    errors: int
    best: bool  # no rule has fewer errors


def sc_figure(
    X: ArrayLike,
    target: ArrayLike,
    graph: SCGraph,
    *,
    names: tuple[str, str] = ("f1", "f2"),
    classes: tuple[str, str] = ("other class", "class of the rules"),
) -> str:
    """Draw objects and rules of two columns, and beside them the rules by layers, as SVG.

    A rule is one point for all thresholds that cover the same objects, halfway to the next values.
    The number at the point counts its errors. Rules that differ in one object are joined; the
    number of this object labels the edge on the right.

    Parameters
    ----------
    X : array of objects x 2
    target : array of bool
        Whether the object is of the rules' class.
    graph : SCGraph
        ``sc_graph(X, target, ["<=", "<="])``: both terms must be "<=".
    names : of the two columns
    classes : the names of the other class and of the rules' class
    """
    points, positive = np.asarray(X, np.float64), np.asarray(target, np.bool_)
    _check(points, positive, graph)
    width = 2 * PANEL + GAP + 2 * MARGIN
    height = PANEL + TOP + BOTTOM
    plane, layers = _plane_nodes(points, graph), _layer_nodes(points, graph)
    body = [
        *_legend(classes),
        *_plane(points, positive, graph, plane, names),
        *_layers(positive, graph, layers),
    ]
    text = f"{count_text(len(points), 'object')} and {count_text(len(graph.rules), 'rule')}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" role="img" font-family="sans-serif" '
            f'aria-label="{text}, in the plane and by layers">',
            f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>',
            *body,
            "</svg>\n",
        ]
    )


def _check(points: Points, positive: NDArray[np.bool_], graph: SCGraph) -> None:
    if points.ndim != 2 or points.shape[1] != 2 or points.shape[0] != positive.size:
        raise InputError(
            "A plane has two columns: X must be objects x 2, with a target for each, found an "
            f"array of shape {points.shape} and {positive.size} targets."
        )
    if not np.isfinite(points).all():
        raise InputError("Objects can only be drawn where all values are finite.")
    if len(graph.rules) > MAX_RULES:
        raise InputError(
            f"A figure shows at most {MAX_RULES} rules, found {len(graph.rules)}. Take fewer "
            "objects."
        )
    for rule in graph.rules:
        below = np.full(2, -np.inf) if rule.thresholds is None else np.array(rule.thresholds)
        covered = np.flatnonzero((points <= below).all(axis=1) if below.size == 2 else [])
        if frozenset(covered.tolist()) != rule.covered:
            raise InputError('The graph must be sc_graph(X, target, ["<=", "<="]) of the same X.')


class _Scale:
    """Values of one column along a side of the plane, and the thresholds between them."""

    def __init__(self, values: Points) -> None:
        self.values = np.unique(values)
        steps = np.diff(self.values)
        step = float(steps.mean()) if steps.size else 1.0
        ends = [self.values[0] - step / 2], [self.values[-1] + step / 2]
        self.between = np.concatenate([ends[0], (self.values[1:] + self.values[:-1]) / 2, ends[1]])
        self.low, self.high = ends[0][0] - step / 2, ends[1][0] + step / 2

    def share(self, value: float) -> float:
        return float((value - self.low) / (self.high - self.low))

    def threshold(self, value: float | None) -> float:
        place = 0 if value is None else int(np.searchsorted(self.values, value, side="right"))
        return self.share(self.between[place])


def _in_plane(across: float, up: float) -> tuple[float, float]:
    return MARGIN + PANEL * across, TOP + PANEL * (1 - up)


def _plane_nodes(points: Points, graph: SCGraph) -> list[PlacedRule]:
    scales = [_Scale(column) for column in points.T]
    nodes = []
    for rule in graph.rules:
        thresholds = rule.thresholds or (None, None)
        across, up = (s.threshold(t) for s, t in zip(scales, thresholds, strict=True))
        errors = len(rule.errors)
        nodes.append(PlacedRule(*_in_plane(across, up), errors, errors == min(graph.layers)))
    return nodes


def _layer_nodes(points: Points, graph: SCGraph) -> list[PlacedRule]:
    """Return the rules of each layer side by side, near those that they are joined to."""
    plane = _plane_nodes(points, graph)
    x = np.array([node.x + node.y for node in plane])  # along the falling diagonal of the plane
    joined: list[list[int]] = [[] for _ in graph.rules]
    for edge in graph.edges:
        joined[edge.lower].append(edge.upper)
        joined[edge.upper].append(edge.lower)
    layers = [np.array(layer) for layer in graph.layers.values()]
    x = (x - x.mean()) * (PANEL / max(float(np.ptp(x)), 1.0))
    widest = max(layer.size for layer in layers)
    gap = (PANEL - 2 * RULE) / max(widest - 1, 1)
    for _ in range(40):
        wanted = np.array([x[near].mean() if near else x[r] for r, near in enumerate(joined)])
        for layer in layers:
            order = layer[np.argsort((x[layer] + wanted[layer]) / 2, kind="stable")]
            x[order] = _separate((x[order] + wanted[order]) / 2, min(gap, 84.0))
    centre = MARGIN + PANEL + GAP + PANEL / 2
    x = np.clip(x - (x.max() + x.min()) / 2, -PANEL / 2, PANEL / 2) + centre
    heights = _heights(graph)
    return [node._replace(x=float(x[r]), y=heights[node.errors]) for r, node in enumerate(plane)]


def _separate(wanted: Points, gap: float) -> Points:
    """Move ascending places apart, as little as possible in total."""
    steps = gap * np.arange(wanted.size)
    low = np.maximum.accumulate(wanted - steps)
    high = np.minimum.accumulate((wanted - steps)[::-1])[::-1]
    placed: Points = (low + high) / 2 + steps
    return placed


def _heights(graph: SCGraph) -> dict[int, float]:
    layers = list(graph.layers)
    highest, lowest = max(layers), min(layers)
    step = (PANEL - 4 * RULE) / max(highest - lowest, 1)
    return {m: TOP + PANEL - 2 * RULE - step * (m - lowest) for m in layers}


def _plane(
    points: Points,
    positive: NDArray[np.bool_],
    graph: SCGraph,
    nodes: list[PlacedRule],
    names: tuple[str, str],
) -> Iterator[str]:
    left, bottom = _in_plane(0, 0)
    right, top = _in_plane(1, 1)
    yield _title(left, "Objects and rules in the plane")
    for node in nodes:
        if node.best and node.x > left:
            yield _covered(left, node.y, node.x - left, bottom - node.y)
    yield _line(left, bottom, right, bottom, INK, 1.2)
    yield _line(left, bottom, left, top, INK, 1.2)
    yield _text(right, bottom + 26, names[0], SOFT, anchor="end")
    yield _text(left - 14, top + 4, names[1], SOFT, anchor="end")
    for edge in graph.edges:
        a, b = nodes[edge.lower], nodes[edge.upper]
        yield _line(a.x, a.y, b.x, b.y, EDGE, 1.2)
    scales = [_Scale(column) for column in points.T]
    for i, point in enumerate(points):
        across, up = (s.share(float(v)) for s, v in zip(scales, point, strict=True))
        yield from _object(*_in_plane(across, up), i, bool(positive[i]))
    for node, rule in zip(nodes, graph.rules, strict=True):
        yield from _rule(node)
        if not rule.covered:
            yield _text(node.x + 14, node.y + 16, "covers nothing", SOFT, size=12)


def _layers(positive: NDArray[np.bool_], graph: SCGraph, nodes: list[PlacedRule]) -> Iterator[str]:
    left = MARGIN + PANEL + GAP
    yield _title(left - 58, "The same rules by their errors: the SC-graph")
    for m, y in _heights(graph).items():
        yield _line(left - 8, y, left + PANEL + 8, y, LINE, 1, dashes="2 5")
        yield _text(left - 16, y + 4, count_text(m, "error"), SOFT, size=12, anchor="end")
    labels = []
    for edge, (x, y) in zip(graph.edges, _label_places(graph, nodes), strict=True):
        a, b = nodes[edge.lower], nodes[edge.upper]
        colour = class_colour(int(positive[edge.label]))
        yield _line(a.x, a.y, b.x, b.y, colour, 1.8)
        halo = f'stroke="{PAPER}" stroke-width="4" paint-order="stroke"'
        labels.append(
            _text(x, y + 4, str(edge.label + 1), INK, size=11, anchor="middle", more=halo)
        )
    yield from labels
    for node in nodes:
        yield from _rule(node)


def _label_places(graph: SCGraph, nodes: list[PlacedRule]) -> Iterator[tuple[float, float]]:
    """Yield for every label the place that is farthest from others."""
    taken: list[tuple[float, float]] = [(node.x, node.y) for node in nodes]
    lines = [(nodes[edge.lower], nodes[edge.upper]) for edge in graph.edges]
    for mine, (a, b) in enumerate(lines):
        others = [line for i, line in enumerate(lines) if i != mine]
        places = [(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)) for t in LABEL_PLACES]
        best = max(places, key=lambda place: _freedom(place, taken, others))
        taken.append(best)
        yield best


def _freedom(
    place: tuple[float, float],
    taken: Sequence[tuple[float, float]],
    lines: Sequence[tuple[PlacedRule, PlacedRule]],
) -> float:
    """Return the distance to the next label, node or line, up to a maximum."""
    away = min((math.dist(place, other) for other in taken), default=NEAR)
    crossing = min((_distance(place, a, b) for a, b in lines), default=NEAR)
    return min(away, NEAR, 2.2 * crossing)


def _distance(place: tuple[float, float], a: PlacedRule, b: PlacedRule) -> float:
    """Return the distance from a place to a line between two nodes."""
    x, y = b.x - a.x, b.y - a.y
    t = ((place[0] - a.x) * x + (place[1] - a.y) * y) / max(x * x + y * y, 1e-9)
    t = min(1.0, max(0.0, t))
    return math.dist(place, (a.x + t * x, a.y + t * y))


def _legend(classes: tuple[str, str]) -> Iterator[str]:
    x, y = MARGIN, 30.0
    for positive in (True, False):
        text = f"object, {classes[positive]}"
        yield _circle(x + OBJECT, y, OBJECT, class_colour(int(positive)), "none")
        yield _text(x + 30, y + 5, text, INK)
        x += 62 + text_width(text, 14)
    for best, text in ((False, "rule, with its errors"), (True, "the best rule")):
        yield from _rule(PlacedRule(x + RULE, y, 0 if best else 2, best))
        yield _text(x + 26, y + 5, text, INK)
        x += 58 + text_width(text, 14)
    yield _line(x, y, x + 34, y, EDGE, 1.8)
    yield _text(x + 44, y + 5, "two rules that differ in one object", INK)


def _object(x: float, y: float, number: int, positive: bool) -> Iterator[str]:
    yield _circle(x, y, OBJECT, class_colour(int(positive)), "none")
    yield _text(x, y + 4, str(number + 1), INK, size=12, anchor="middle", more='font-weight="bold"')


def _rule(node: PlacedRule) -> Iterator[str]:
    yield _circle(node.x, node.y, RULE, INK if node.best else PAPER, INK)
    colour = PAPER if node.best else INK
    yield _text(node.x, node.y + 4, str(node.errors), colour, size=11, anchor="middle")


def _covered(x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{class_colour(1)}" fill-opacity="0.09"/>'
    )


def _title(x: float, text: str) -> str:
    return _text(x, TOP - 26, text, INK, size=16, more='font-weight="bold"')


def _circle(x: float, y: float, r: float, fill: str, stroke: str) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" fill="{fill}" stroke="{stroke}" '
        'stroke-width="1.2"/>'
    )


def _line(
    x1: float, y1: float, x2: float, y2: float, colour: str, width: float, dashes: str = "none"
) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}" stroke-dasharray="{dashes}"/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    colour: str,
    size: float = 14,
    anchor: str = "start",
    more: str = "",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{colour}" '
        f'text-anchor="{anchor}" {more}>{escape(text)}</text>'
    )
