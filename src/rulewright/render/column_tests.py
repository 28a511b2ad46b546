"""Renderers of tests of one column, and of the user's functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from rulewright.data import Table
from rulewright.render.cells import cell_texts
from rulewright.render.formatting import column_text, cut_text, name_text, value_text
from rulewright.render.plot_data import Border, CategoryPlot, NumericPlot
from rulewright.render.points import MAX_IN_DETAIL
from rulewright.render.predicates import or_missing
from rulewright.render.registry import Pieces, PredicateRenderer, register_predicate
from rulewright.render.text_metrics import ELLIPSIS, NO_BREAK, shorten, text_width
from rulewright.rules import Category, Function, Given, Interval, Missing, Predicate, Threshold

MAX_CATEGORIES = 2
"""Maximum number of categories in brief text."""

NAME_LINES, LIST_LINES = 1.8, 2.2
"""Maximum number of lines for a name, and for a list of categories, in a label."""

ColumnTest = TypeVar("ColumnTest", Threshold, Interval, Missing, Given)

RELATIONS = {
    (True, False): ">",
    (False, False): "<=",
    (True, True): ">=",
    (False, True): "<",
}
"""Sign of a threshold by ``above`` and ``cut_above``."""


def threshold_relation(node: Threshold) -> str:
    """Sign and cut of a threshold."""
    return f"{RELATIONS[node.above, node.cut_above]} {cut_text(node.cut, node.moment)}"


class ThresholdRenderer(PredicateRenderer[Threshold]):
    """``glucose > 127``."""

    anchor_roles = ("cut",)

    def text(self, node: Threshold, *, headline: bool = False) -> str:
        relation = threshold_relation(node)
        return f"{column_text(node.column)} {relation}{or_missing(node.if_missing)}"

    def reasons(self, node: Threshold, table: Table) -> list[str]:
        return cell_texts(table, node.column, f" ({threshold_relation(node)})")

    def label(self, node: Threshold, width: float, size: float) -> str:
        return without_breaks(self.text(_with_short_name(node, NAME_LINES * width, size)))

    def plot(self, node: Threshold, table: Table, upper: Predicate | None = None) -> NumericPlot:
        borders = [Border(node.cut, after=not node.cut_above)]
        holds = [not node.above, node.above]
        if isinstance(upper, Threshold):
            borders.append(Border(upper.cut, after=not upper.cut_above))
            holds.append(False)
        values = table.numbers(node.column)
        return NumericPlot(values, borders, holds, node.column, node.moment)


class IntervalRenderer(PredicateRenderer[Interval]):
    """``18.5 < bmi <= 25``."""

    anchor_roles = ("lower end", "upper end")

    def text(self, node: Interval, *, headline: bool = False) -> str:
        name = column_text(node.column)
        missing = or_missing(node.if_missing)
        if not node.inside:
            below, above = (threshold_relation(~side) for side in node.sides)
            return f"{name} {below} or {name} {above}{missing}"
        left, right = ("<" if is_open else "<=" for is_open in (node.low_open, node.high_open))
        low, high = cut_text(node.low, node.moment), cut_text(node.high, node.moment)
        return f"{low} {left} {name} {right} {high}{missing}"

    def reasons(self, node: Interval, table: Table) -> list[str]:
        if not (node.low_open or node.high_open):
            ends = f"from {cut_text(node.low, node.moment)} to {cut_text(node.high, node.moment)}"
            relation = ends if node.inside else f"not {ends}"
        elif node.inside:
            relation = " and ".join(map(threshold_relation, node.sides))
        else:
            relation = " or ".join(threshold_relation(~side) for side in node.sides)
        return cell_texts(table, node.column, f" ({relation})")

    def label(self, node: Interval, width: float, size: float) -> str:
        # Both ends must fit beside the name.
        return without_breaks(self.text(_with_short_name(node, 0.8 * width, size)))

    def plot(self, node: Interval, table: Table, upper: Predicate | None = None) -> NumericPlot:
        borders = [Border(node.low, node.low_open), Border(node.high, not node.high_open)]
        holds = [not node.inside, node.inside, not node.inside]
        return NumericPlot(table.numbers(node.column), borders, holds, node.column, node.moment)


class CategoryRenderer(PredicateRenderer[Category]):
    """``sex = f``, ``colour in {red, blue}``."""

    def text(self, node: Category, *, headline: bool = False) -> str:
        return _category_text(node, column_text(node.column), list(map(value_text, node.values)))

    def short_text(self, node: Category) -> str:
        values = [value_text(value) for value in node.values]
        if len(values) > MAX_CATEGORIES + 1:
            values = [*values[:MAX_CATEGORIES], f"… {len(values) - MAX_CATEGORIES} more"]
        return _category_text(node, column_text(node.column), values)

    def reasons(self, node: Category, table: Table) -> list[str]:
        if node.among and len(node.values) == 1:
            return cell_texts(table, node.column, "")
        known = self.text(replace(node, if_missing=False))
        relation = known.removeprefix(f"{column_text(node.column)} ")
        return cell_texts(table, node.column, f" ({relation})")

    def label(self, node: Category, width: float, size: float) -> str:
        name = shorten(name_text(node.column), NAME_LINES * width, size)
        if len(node.values) == 1:
            values = [shorten(value_text(node.values[0]), NAME_LINES * width, size)]
        else:
            values = category_labels(node.values, width, size)
        return without_breaks(_category_text(node, name, values))

    def plot(self, node: Category, table: Table, upper: Predicate | None = None) -> CategoryPlot:
        column = table.categories(node.column)
        holding = {name for name in column.categories if (name in node.values) == node.among}
        named = set(node.values)
        return CategoryPlot(column.categories, column.codes, holding, named, node.column)


def _category_text(node: Category, name: str, values: Sequence[str]) -> str:
    missing = or_missing(node.if_missing)
    if (words := range_words(node, "<=", ">", "between")) is not None:
        return f"{name} {words}{missing}"
    if len(node.values) == 1:
        return f"{name} {'=' if node.among else '!='} {values[0]}{missing}"
    return f"{name} {'' if node.among else 'not '}in {{{', '.join(values)}}}{missing}"


def range_words(node: Category, up_to: str, above: str, between: str) -> str | None:
    """Return a test of neighbouring categories of an order in words, such as ``<= medium``.

    None for a test of one category, or of others.
    """
    ends = node.order.ends(node.values) if node.order and node.among else None
    if ends is None or node.order is None or len(node.values) < 2:
        return None
    labels, (low, high) = [value_text(label) for label in node.order.labels], ends
    if low == 0:
        return f"{up_to} {labels[high]}"
    if high + 1 == len(labels):
        return f"{above} {labels[low - 1]}"
    return f"{between} {labels[low]} and {labels[high]}"


def category_labels(values: Sequence[str], width: float, size: float) -> list[str]:
    """First categories of a list, and the number of those that do not fit."""
    shown: list[str] = []
    room = LIST_LINES * width
    for value in values:
        shown.append(shorten(value_text(value), width, size))
        room -= text_width(f"{shown[-1]}, ", size)
        if room < 0 and len(shown) < len(values):
            kept = max(len(shown) - 1, 1)
            return [*shown[:kept], f"{ELLIPSIS}{NO_BREAK}{len(values) - kept}{NO_BREAK}more"]
    return shown


class MissingRenderer(PredicateRenderer[Missing]):
    """``age is missing``."""

    def text(self, node: Missing, *, headline: bool = False) -> str:
        return f"{column_text(node.column)} is {'' if node.missing else 'not '}missing"

    def label(self, node: Missing, width: float, size: float) -> str:
        return without_breaks(self.text(_with_short_name(node, NAME_LINES * width, size)))

    def plot(self, node: Missing, table: Table, upper: Predicate | None = None) -> CategoryPlot:
        codes = table.missing(node.column).astype(np.int32)
        names = ("present", "missing")
        holding = {names[node.missing]}
        return CategoryPlot(names, codes, holding, set(names), node.column)


class GivenRenderer(PredicateRenderer[Given]):
    """``smoker``, ``not smoker``."""

    def text(self, node: Given, *, headline: bool = False) -> str:
        negation = "" if node.truth else "not "
        return f"{negation}{column_text(node.column)}{or_missing(node.if_missing)}"

    def reasons(self, node: Given, table: Table) -> list[str]:
        return cell_texts(table, node.column, "")

    def label(self, node: Given, width: float, size: float) -> str:
        return without_breaks(self.text(_with_short_name(node, NAME_LINES * width, size)))

    def plot(self, node: Given, table: Table, upper: Predicate | None = None) -> CategoryPlot:
        codes = np.where(Given(node.column).holds(table), 1, 0).astype(np.int32)
        codes[table.missing(node.column)] = -1
        names = ("false", "true")
        holding = {names[node.truth]}
        return CategoryPlot(names, codes, holding, holding, node.column)


class FunctionRenderer(PredicateRenderer[Function]):
    """The answer of a user's function."""

    def text(self, node: Function, *, headline: bool = False) -> str:
        return f"the function {node.name!r} says {'yes' if node.truth else 'no'}"

    def details(self, node: Function) -> list[Pieces]:
        names = [column_text(name, ",") for name in node.on[:MAX_IN_DETAIL]]
        if len(node.on) > MAX_IN_DETAIL:
            names.append(f"... {len(node.on) - MAX_IN_DETAIL} more")
        return [["it looks at", *(f"{n}," for n in names[:-1]), names[-1]]] if names else []

    def plot(self, node: Function, table: Table, upper: Predicate | None = None) -> CategoryPlot:
        codes = (node.holds(table) == node.truth).astype(np.int32)
        names = ("no", "yes")
        caption = f"the function {node.name!r}"
        return CategoryPlot(names, codes, {names[node.truth]}, set(names), caption)


def _with_short_name(node: ColumnTest, width: float, size: float) -> ColumnTest:
    return replace(node, column=shorten(name_text(node.column), width, size))


def without_breaks(text: str) -> str:
    """Text in which no line ends before a number, nor between words that belong together."""
    for sign in ("<=", ">=", "<", ">", "=", "!=", "in"):
        text = text.replace(f" {sign} ", f" {sign}{NO_BREAK}")
    return text.replace(" or missing", f" or{NO_BREAK}missing")


register_predicate(Threshold, ThresholdRenderer())
register_predicate(Interval, IntervalRenderer())
register_predicate(Category, CategoryRenderer())
register_predicate(Missing, MissingRenderer())
register_predicate(Given, GivenRenderer())
register_predicate(Function, FunctionRenderer())
