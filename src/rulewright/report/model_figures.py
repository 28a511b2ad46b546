"""Figures of a model by matplotlib: regions, overlap, coverage space, front, calibration.

Each function draws on the given Axes, or on a new one, and returns it; the calibration returns
scikit-learn's display. ``model.plot()`` draws trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import SCGraph
from rulewright.certificates import PathEntry
from rulewright.criteria import CRITERIA
from rulewright.data import CategoricalColumn, Column, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.models import Model
from rulewright.render import brief_text, class_colour, class_text, pyplot
from rulewright.report.statements import conditions_of
from rulewright.selection import front_figure

STEPS = 200
"""Number of points of a grid along each axis."""
CLOSE = 0.045
"""Share of an axis within which the labels of two points would overlap."""
MAX_NAME = 32
"""Maximum length of a condition beside an axis."""
MAX_WRITTEN = 12
"""Maximum number of rules whose shares are written into the cells."""
DARK_CELL = 0.5
"""Share above which a cell is dark."""

Floats = NDArray[np.float64]


def plot_regions(
    model: Model,
    X: Any,
    y: Any = None,
    *,
    columns: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Draw the classes that a model answers over two numeric columns.

    Other columns that the model uses have a usual value of X: the median, or the most frequent
    category. Borders are where the answers of the model change, whatever its tests are.

    Parameters
    ----------
    model : Model
    X : rows, whose ranges the figure shows
    y : labels, optional
        With them, the rows are drawn as points.
    columns : sequence of two str, optional
        By default the first two numeric columns that the model uses.
    ax : matplotlib's Axes, optional
    """
    table = model.table(X)
    first, second = _two_columns(table, columns)
    axis = _axes(ax)
    ranges = [_range(table.numbers(name)) for name in (first, second)]
    grid = np.meshgrid(*(np.linspace(low, high, STEPS) for low, high in ranges))
    asked = {first: grid[0].ravel(), second: grid[1].ravel()}
    rows = Table([_on_grid(column, asked) for column in table.columns], STEPS * STEPS)
    answers = model.body.classify(rows).reshape(STEPS, STEPS)
    colours = [*map(class_colour, range(len(model.classes))), "#ffffff"]  # ABSTAIN finds the last
    picture = np.array([_rgb(colour) for colour in colours])[answers]
    extent = (*ranges[0], *ranges[1])
    axis.imshow(picture, origin="lower", extent=extent, aspect="auto", alpha=0.35)
    if y is not None:
        codes = model.codes(y)
        for number, label in enumerate(model.classes):
            own = codes == number
            points = table.numbers(first)[own], table.numbers(second)[own]
            style = {"s": 14, "linewidths": 0.4, "edgecolors": "#1c2430"}
            axis.scatter(*points, color=colours[number], label=class_text(label), **style)
        above = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "frameon": False}
        axis.legend(ncols=min(len(model.classes), 4), **above)
    axis.set(xlabel=first, ylabel=second)
    return axis


def plot_overlap(model: Model, X: Any, *, ax: Any = None) -> Any:
    """Draw the coverage and the overlap of rules.

    A line has the number of rows on which a rule holds, and the share of them on which each other
    rule holds too.

    The rules are the numbered conditions of a list, vote, conjunction, disjunction or scorecard.
    """
    table = model.table(X)
    conditions = conditions_of(model.body)
    if not conditions:
        raise InputError("The model has no rules with a condition whose overlap could be drawn.")
    holds = np.array([condition.holds(table) for condition in conditions], np.float64)
    shares = (holds @ holds.T) / np.maximum(holds.sum(axis=1, keepdims=True), 1.0)
    axis = _axes(ax, height=1.6 + 0.36 * len(conditions))
    shown = axis.imshow(shares, vmin=0.0, vmax=1.0, cmap="Blues", aspect="auto")
    numbers = [str(number) for number in range(1, len(conditions) + 1)]
    covered = holds.sum(axis=1).astype(int).tolist()
    names = [
        f"{n}. {brief_text(condition, MAX_NAME)} ({rows:,})"
        for n, condition, rows in zip(numbers, conditions, covered, strict=True)
    ]
    if len(conditions) <= MAX_WRITTEN:
        _write_shares(axis, shares)
    axis.set_xticks(range(len(numbers)), numbers)
    axis.set_yticks(range(len(numbers)), names)
    axis.set(xlabel="also held by rule", ylabel="rule (rows on which it holds)")
    axis.figure.colorbar(shown, ax=axis, label="share of the rows of the rule")
    return axis


def _write_shares(axis: Any, shares: Floats) -> None:
    """Write the shares into their cells, light on dark."""
    for (row, column), share in np.ndenumerate(shares):
        colour = "white" if share > DARK_CELL else "black"
        axis.text(column, row, f"{100 * share:.0f} %", ha="center", va="center", color=colour)


def plot_coverage_space(
    model: Model,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    criterion: Any = "precision",
    ax: Any = None,
) -> Any:
    """Draw each rule by the negatives and positives that it covers, with isolines of a criterion.

    Parameters
    ----------
    model, X, y : the model, rows and their labels
    positive : label, optional
        The class whose cases are positive, by default the last one.
    criterion : str or function of (p, n, P, N), default="precision"
        A name of ``rulewright.criteria``.
    ax : matplotlib's Axes, optional
    """
    value: Callable[..., Any] = CRITERIA[criterion] if isinstance(criterion, str) else criterion
    label = model.classes[-1] if positive is None else positive
    if label not in model.classes:
        raise InputError(f"positive must be one of {list(model.classes)}; found {label!r:.80}.")
    table = model.table(X)
    own = model.codes(y) == model.classes.index(label)
    total, others = int(own.sum()), int((~own).sum())
    axis = _axes(ax)
    n, p = np.meshgrid(np.linspace(0, others, STEPS), np.linspace(0, total, STEPS))
    with np.errstate(all="ignore"):
        heights = np.asarray(value(p, n, total, others), np.float64)
    lines = axis.contour(n, p, np.ma.masked_invalid(heights), levels=8, colors="#aab4c0")
    axis.clabel(lines, fontsize=7)
    held = [condition.holds(table) for condition in conditions_of(model.body)]
    places = [(int((rows & ~own).sum()), int((rows & own).sum())) for rows in held]
    for place in places:
        axis.plot(*place, "o", color="#a01c4b", markersize=5, clip_on=False)
    for place, numbers in _labels_apart(places, (others, total)):
        axis.annotate(numbers, place, xytext=(5, 5), textcoords="offset points")
    axis.set(xlim=(0, max(others, 1)), ylim=(0, max(total, 1)))
    axis.set(xlabel="other cases covered", ylabel=f"cases of {class_text(label)} covered")
    return axis


def plot_front(entries: Sequence[PathEntry], *, ax: Any = None) -> Any:
    """Draw errors and bounds of models against their sizes; ``entries`` is a path or a front."""
    if not entries:
        raise InputError("There is no model whose size could be drawn.")
    return front_figure(entries, ax=ax)


def plot_calibration(
    model: Model, X: Any, y: Any, *, positive: Any = None, bins: int = 10, ax: Any = None
) -> Any:
    """Draw the share of a class against its probability, by scikit-learn's CalibrationDisplay.

    ``positive`` is the class, by default the last one.
    """
    from sklearn.calibration import CalibrationDisplay  # noqa: PLC0415  # takes a second

    label = model.classes[-1] if positive is None else positive
    if label not in model.classes:
        raise InputError(f"positive must be one of {list(model.classes)}; found {label!r:.80}.")
    number = model.classes.index(label)
    shares = model.predict_proba(X)[:, number]
    own = model.codes(y) == number
    display = CalibrationDisplay.from_predictions(
        own, shares, n_bins=bins, ax=_axes(ax), name="model"
    )
    display.ax_.set(xlabel=f"probability of {class_text(label)}", ylabel="share of the cases")
    return display


def _labels_apart(
    places: Sequence[tuple[int, int]], ends: tuple[int, int]
) -> list[tuple[tuple[int, int], str]]:
    """Return a label for each place, and one for all those that lie close together."""
    found: list[tuple[tuple[int, int], list[str]]] = []
    for number, place in enumerate(places, 1):
        for known, numbers in found:
            apart = (abs(a - b) / max(end, 1) for a, b, end in zip(known, place, ends, strict=True))
            if max(apart) < CLOSE:
                numbers.append(str(number))
                break
        else:
            found.append((place, [str(number)]))
    return [(place, ", ".join(numbers)) for place, numbers in found]


def plot_sc_graph(graph: SCGraph, *, ax: Any = None) -> Any:
    """Draw the rules of an SC-graph in layers by errors; edges join those one object apart.

    Parameters
    ----------
    graph : SCGraph
        Of ``rulewright.bounds.sc_graph``.
    ax : matplotlib's Axes, optional
    """
    axis = _axes(ax)
    places = {
        rule: (place - (len(rules) - 1) / 2, errors)
        for errors, rules in graph.layers.items()
        for place, rule in enumerate(rules)
    }
    for edge in graph.edges:
        ends = places[edge.lower], places[edge.upper]
        axis.plot(*zip(*ends, strict=True), color="#aab4c0", linewidth=0.8, zorder=1)
    axis.scatter(*zip(*places.values(), strict=True), color="#a01c4b", s=22, zorder=2)
    axis.set(xticks=[], xlabel="rules", ylabel="errors")
    axis.yaxis.get_major_locator().set_params(integer=True)
    return axis


def _axes(ax: Any, height: float | None = None) -> Any:
    """Return the given Axes, or new ones; their height in inches is matplotlib's by default."""
    size = None if height is None else (6.4, height)
    return pyplot().subplots(layout="constrained", figsize=size)[1] if ax is None else ax


def _two_columns(table: Table, columns: Sequence[str] | None) -> tuple[str, str]:
    numeric = [column.name for column in table.columns if isinstance(column, NumericColumn)]
    chosen = numeric[:2] if columns is None else list(columns)
    if len(chosen) != 2 or len(set(chosen)) != 2 or not set(chosen) <= set(numeric):
        raise InputError(
            "Regions are drawn over two different numeric columns that the model uses; it uses "
            f"{numeric}, and found {chosen}."
        )
    return chosen[0], chosen[1]


def _range(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    margin = 0.04 * (high - low) or 0.5
    return low - margin, high + margin


def _on_grid(column: Column, asked: dict[str, Floats]) -> Column:
    """Return a column on the points of the grid: its own axis, or a usual value."""
    rows = STEPS * STEPS
    if isinstance(column, CategoricalColumn):
        present = column.codes[column.codes >= 0]
        code = int(np.bincount(present).argmax()) if present.size else -1
        codes = np.full(rows, code, np.int32)
        return CategoricalColumn(column.name, column.kind, codes, column.categories)
    if column.name in asked:
        return NumericColumn(column.name, asked[column.name], column.kind)
    known = column.values[np.isfinite(column.values)]
    middle = float(np.median(known)) if known.size else np.nan
    return NumericColumn(column.name, np.full(rows, middle), column.kind)


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
