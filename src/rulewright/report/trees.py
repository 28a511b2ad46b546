"""A tree on the page: its drawing, and plots of its tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.models import Model
from rulewright.render import headline_text, tree_layout
from rulewright.report.plots import rule_plot
from rulewright.rules import Category, Predicate, Split, Tree, first_true, literals_of

MAX_PLOTS = 12
Classes = NDArray[np.int32]
Rows = NDArray[np.intp]


def tree_drawing(model: Model, tree: Tree, table: Table) -> dict[str, Any]:
    """Return the layout of a tree; the branches of missing values are marked."""
    missing = {column.name for column in table.columns if column.missing.any()}
    layout = tree_layout(tree, model.node_labels(tree), missing=missing)
    edges = [asdict(edge) | {"points": edge.points} for edge in layout.edges]
    return asdict(layout) | {"edges": edges}


def tree_plots(
    tree: Tree, table: Table, y: Classes, classes: int
) -> tuple[list[dict[str, Any]], int]:
    """Return plots of the first tests in the order of the nodes, and the number of the last."""
    plots: list[dict[str, Any]] = []
    number = 0
    for number, (split, reached) in enumerate(_reached(tree, table), 1):
        rows = table.select(split.columns).take(reached)
        for literal in _plotted(split):
            plot = rule_plot(literal, rows, y[reached], classes)
            if plot is not None:
                title = headline_text(literal)
                plots.append(plot | {"number": number, "title": title, "rows": reached.size})
        if len(plots) >= MAX_PLOTS:
            break
    return plots[:MAX_PLOTS], number


def _reached(tree: Tree, table: Table) -> Iterator[tuple[Split, Rows]]:
    """Yield the splits with the rows that reach each, also in part."""
    waiting = {0: np.arange(table.rows)}
    for number, node in enumerate(tree.nodes):
        rows = waiting.pop(number)
        if isinstance(node, Split):
            yield node, rows
            here = table.select(node.columns).take(rows)
            branch = first_true(node.tests, here)
            shared = np.zeros(rows.size, np.bool_)
            if node.shares:
                shared = np.any([here.missing(name) for name in node.columns], axis=0)
            for place, child in enumerate(node.branches):
                gets = bool(node.shares) and node.shares[place] > 0
                waiting[child] = rows[np.where(shared, gets, branch == place)]


def _plotted(split: Split) -> list[Predicate]:
    """Return the tests of a split to plot: each one, or all categories of one column together."""
    tests = split.tests
    if len(split.columns) == 1 and all(isinstance(t, Category) and t.among for t in tests):
        values = dict.fromkeys(value for test in tests for value in test.values)  # type: ignore[attr-defined]
        return [Category(split.columns[0], tuple(values))]
    return [literal for test in tests for literal in literals_of(test)]
