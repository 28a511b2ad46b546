"""Renderer of balls."""

from __future__ import annotations

from rulewright.data import Table
from rulewright.render.cells import missing_columns_text
from rulewright.render.formatting import column_text, number_text
from rulewright.render.plot_data import Border, NumericPlot
from rulewright.render.points import (
    COORDINATE_MARKS,
    MAX_IN_DETAIL,
    MAX_INLINE,
    coordinates,
    example_text,
    metric_text,
    point_text,
    scaling_text,
)
from rulewright.render.predicates import or_missing
from rulewright.render.registry import Pieces, PredicateRenderer, register_predicate
from rulewright.rules import Ball, Predicate

RELATIONS = {
    (True, True): ("nearer than", "to"),
    (True, False): ("within", "of"),
    (False, True): ("at least", "from"),
    (False, False): ("farther than", "from"),
}
"""How a distance compares with the radius, and the preposition before the centre.

By ``inside`` and ``strict``.
"""


class BallRenderer(PredicateRenderer[Ball]):
    """``nearer than 3.2 to example 17 (x 1, y 2.5)``."""

    anchor_roles = ("centre", "border")

    def text(self, node: Ball, *, headline: bool = False) -> str:
        name = example_text(node.anchored_on, 0)
        centre = name if headline and name and self.details(node) else _centre_text(node)
        preposition = RELATIONS[node.inside, node.strict][1]
        scaling = scaling_text(node.scaling)
        manner = metric_text(node.metric) + (f", {scaling}" if scaling else "")
        missing = or_missing(node.if_missing, ",")
        return f"{_relation(node)} {preposition} {centre}{manner}{missing}"

    def details(self, node: Ball) -> list[Pieces]:
        """Return the whole centre, where the sentence cuts it short."""
        name = example_text(node.anchored_on, 0)
        if name is None or len(node.on) <= MAX_INLINE or node.metric.kind == "precomputed":
            return []
        return [[f"{name}:", *coordinates(node.on, node.centre, MAX_IN_DETAIL)]]

    def reasons(self, node: Ball, table: Table) -> list[str]:
        centre = example_text(node.anchored_on, 0) or _centre_text(node)
        unknown, relation = f"the distance to {centre} is not a number", _relation(node)
        return [
            f"distance {number_text(distance)} to {centre} ({relation})"
            if distance == distance
            else missing_columns_text(node, table, row) or unknown
            for row, distance in enumerate(node.distance(table).tolist())
        ]

    def plot(self, node: Ball, table: Table, upper: Predicate | None = None) -> NumericPlot:
        name = example_text(node.anchored_on, 0) or "the centre"
        border = Border(node.radius, after=not node.strict)
        holds = [node.inside, not node.inside]
        return NumericPlot(node.distance(table), [border], holds, f"distance to {name}")


def _relation(ball: Ball) -> str:
    return f"{RELATIONS[ball.inside, ball.strict][0]} {number_text(ball.radius)}"


def _centre_text(ball: Ball) -> str:
    name = example_text(ball.anchored_on, 0)
    if ball.metric.kind == "precomputed":
        return f"{name or 'the centre'} (column {column_text(ball.on[0], COORDINATE_MARKS)})"
    shown = point_text(ball.on, ball.centre, MAX_INLINE if name else None)
    return f"{name or 'the point'} ({shown})"


register_predicate(Ball, BallRenderer())
