"""Plots of single tests, as positions of bars, lines and labels. The template draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Moment, Table
from rulewright.render import (
    Border,
    CategoryPlot,
    ColumnWeight,
    NumericPlot,
    cut_text,
    predicate_renderer,
    rounded_text,
)
from rulewright.rules import Predicate

WIDTH, HEIGHT = 560.0, 200.0
MIN_BARS, MAX_BARS = 6, 12
MAX_WEIGHTS = 60
BINS = 28
EDGE_ROUNDING = 1e-9
"""Difference between an edge and the last value that comes from rounding, in bars."""
LETTER = 13.0
"""Width of a bold letter."""

STICKS_OUT = 6.0
"""Maximum length of a name outside its axis: the margin of the drawing."""

Floats = NDArray[np.float64]
Classes = NDArray[np.int32]


def rule_plot(
    predicate: Predicate, table: Table, y: Classes, classes: int, upper: Predicate | None = None
) -> dict[str, Any] | None:
    """Plot of the classes over the values that a test looks at, with its borders.

    ``upper`` is the test of the upper end of the same column, where the first is of the lower end.
    """
    data = predicate_renderer(predicate).plot(predicate, table, upper)
    match data:
        case NumericPlot():
            return _histogram(data, y, classes)
        case CategoryPlot():
            return _bars(data, y, classes)
    return None


def axis_text(number: float) -> str:
    """Return a short number for an axis, without powers of ten where possible."""
    if 1e6 <= abs(number) < 1e9:
        return f"{number:,.0f}"
    return f"{number:.6g}" if 1e-4 <= abs(number) < 1e6 else f"{number:.3g}"


def _histogram(plot: NumericPlot, y: Classes, classes: int) -> dict[str, Any] | None:
    """Histogram of each class along an axis; None where every value is missing."""
    x, moment = plot.values, plot.moment
    present = ~np.isnan(x)
    if not present.any():
        return None
    greatest = np.finfo(np.float64).max
    far = (
        max(float(np.abs(x[present]).max()), *(abs(border.value) for border in plot.borders))
        > 1e300
    )
    unit = 1e-9 if far else 1.0  # differences must not overflow
    values = np.clip(x, -greatest, greatest) * unit
    scaled = [Border(border.value * unit, border.after) for border in plot.borders]
    edges, places, whole = _edges(values[present], scaled)
    low, high = float(edges[0]), float(edges[-1])
    groups = [np.clip(values[present & (y == c)], low, high) for c in range(classes)]
    counts = np.array([np.histogram(group, edges)[0] for group in groups])
    lines = [WIDTH * (place - low) / (high - low) for place in places]
    ends = [0.0, *lines, WIDTH]
    shades = [
        {"x": a, "w": max(b - a, 0.0)}
        for a, b, holds in zip(ends[:-1], ends[1:], plot.holds, strict=True)
        if holds
    ]
    ends_text = [
        _end_text(edges[1], low, float(values[present].min()), moment, unit, whole=whole),
        _end_text(edges[-2], high, float(values[present].max()), moment, unit, whole=whole),
    ]
    return {
        "shape": "histogram",
        "caption": plot.caption,
        "stacks": _stacks(counts, WIDTH / (edges.size - 1)),
        "lines": lines,
        "labels": _labels(lines, [_border_text(border.value, moment) for border in plot.borders]),
        "shades": shades,
        "low": ends_text[0],
        "high": ends_text[1],
        "more": 0,
        "missing": int((~present).sum()),
        "weights": _weight_bars(plot.weights, plot.by_rank),
    }


def _end_text(
    inner: float, edge: float, extreme: float, moment: Moment | None, unit: float, *, whole: bool
) -> str:
    """Return the label of an end of the axis; values beyond it are counted in the last bar.

    Whole numbers lie between the edges of bars, so the label is the last of them. Other bars end
    anywhere: the label is the last value, where it lies in the last bar.

    Parameters
    ----------
    inner, edge : float
        The edges of the last bar.
    extreme : float
        The last value in this direction.
    """
    right = edge > inner
    if abs(edge - extreme) <= EDGE_ROUNDING * abs(edge - inner):
        edge = extreme  # the edge was computed, and differs in the last digits
    if min(inner, edge) <= extreme <= max(inner, edge) and not whole:
        shown = extreme
    elif whole:
        shown = float(math.floor(edge) if right else math.ceil(edge))
    else:
        shown = float(f"{edge:.4g}") if moment is None else edge  # the place to a pixel
    text = axis_text(shown / unit) if moment is None else cut_text(shown / unit, moment)
    beyond = extreme > edge if right else extreme < edge
    return f"{text} and {'above' if right else 'below'}" if beyond else text


def _border_text(value: float, moment: Moment | None) -> str:
    text = cut_text(value, moment)
    return text if moment is not None or len(text) <= 9 else axis_text(value)


def _labels(lines: Sequence[float], texts: Sequence[str]) -> list[dict[str, Any]]:
    """Place the texts below their lines, inside the drawing and apart from each other."""
    halves = [LETTER * len(text) / 2 for text in texts]
    places = [min(max(x, half), WIDTH - half) for x, half in zip(lines, halves, strict=True)]
    if len(places) == 2:
        need = halves[0] + halves[1] + LETTER
        lack = max(need - (places[1] - places[0]), 0.0)
        places[0] = max(places[0] - lack / 2, halves[0])
        places[1] = min(max(places[1] + lack / 2, places[0] + need), WIDTH - halves[1])
        places[0] = max(min(places[0], places[1] - need), halves[0])
    return [{"x": x, "text": text} for x, text in zip(places, texts, strict=True)]


def _edges(values: Floats, borders: Sequence[Border]) -> tuple[Floats, list[float], bool]:
    """Return the edges of bars along an axis, on the borders where possible, and the borders.

    The third result says whether the values are whole numbers, which lie between edges.

    Outliers are counted in the bars at the ends, so that they do not squeeze all others into one
    bar. Bars hold equally many whole numbers, and borders lie between two of these.
    """
    near = [float(q) for q in np.quantile(values, [0.005, 0.995])]
    margin = 0.05 * (near[1] - near[0])
    low = min(max(float(values.min()), near[0] - margin), *(border.value for border in borders))
    high = max(min(float(values.max()), near[1] + margin), *(border.value for border in borders))
    whole = (values == np.floor(values)).all() and high - low < 2.0**40 and abs(low) < 2.0**50
    if whole:
        places = [_between(border) for border in borders]
        low, high = min(math.floor(low) - 0.5, *places), max(math.ceil(high) + 0.5, *places)
        step = float(max(math.ceil((high - low) / BINS), 1))
    else:
        places = [math.nextafter(m.value, math.inf) if m.after else m.value for m in borders]
        if not high > low:
            half = max(0.5, 1e-6 * abs(low))
            low, high = low - half, high + half
        step = _fitted((high - low) / BINS, places)
    origin = places[0]
    before = max(math.ceil((origin - low) / step - 1e-9), 1)
    beyond = max(math.ceil((high - origin) / step - 1e-9), 1)
    edges = origin + step * np.arange(-before, beyond + 1, dtype=np.float64)
    if not whole:  # an edge on a border equals it exactly
        edges[np.isclose(edges, places[-1], rtol=0.0, atol=1e-6 * step)] = places[-1]
    return edges, places, bool(whole)


def _fitted(step: float, places: Sequence[float]) -> float:
    """Return a width of bars with which a second border lies on an edge, too."""
    apart = places[-1] - places[0]
    return apart / max(round(apart / step), 1) if apart > step / 2 else step


def _between(border: Border) -> float:
    """Return the place between two whole numbers where a test changes its answer."""
    value = math.floor(border.value)
    return value + 0.5 if border.after or value < border.value else value - 0.5


def _bars(plot: CategoryPlot, y: Classes, classes: int) -> dict[str, Any]:
    """Bars of each class by category: those that the test names, then the most frequent."""
    categories, codes = plot.names, plot.codes
    there = codes >= 0
    counts = np.array(
        [np.bincount(codes[there & (y == c)], minlength=len(categories)) for c in range(classes)]
    )
    order = sorted(
        range(len(categories)),
        key=lambda i: (categories[i] not in plot.named, -int(counts[:, i].sum())),
    )[:MAX_BARS]
    names = [categories[i] for i in order]
    while len(names) > MIN_BARS and max(map(len, names)) > _room(len(names)):
        names.pop()
    order = order[: len(names)]
    return {
        "shape": "bars",
        "caption": plot.caption,
        "stacks": _stacks(counts[:, order], WIDTH / max(len(order), 1)),
        "names": [
            {"text": name, "held": name in plot.holding, **place}
            for name, place in zip(names, _name_places(names), strict=True)
        ],
        "more": len(categories) - len(order),
        "missing": int((~there).sum()),
        "weights": None,
    }


def _room(bars: int) -> int:
    """Return the number of characters for a name; many names take two lines."""
    lines = 2 if bars > 3 else 1
    return max(int(lines * WIDTH / bars / LETTER) - 1, 4)


def _name_places(names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the place and the characters of each name; outer names do not leave the drawing."""
    bars, room = len(names), _room(len(names))
    middles = [WIDTH * (place + 0.5) / bars for place in range(bars)]
    places = [{"x": x, "room": room, "anchor": "middle"} for x in middles]
    if bars <= 3:
        return places
    ends = ((0, 2, -STICKS_OUT, "start"), (bars - 1, bars - 3, WIDTH + STICKS_OUT, "end"))
    for outer, next_but_one, end, anchor in ends:
        apart = abs(middles[next_but_one] - end)
        free = apart - LETTER * (min(len(names[next_but_one]), room) / 2 + 2)
        characters = min(room, max(int(free / LETTER), 4))
        places[outer]["room"] = characters
        if LETTER * min(len(names[outer]), characters) / 2 > abs(middles[outer] - end):
            places[outer] |= {"x": end, "anchor": anchor}
    return places


def _stacks(counts: NDArray[np.int64], width: float) -> list[dict[str, Any]]:
    top = max(int(counts.sum(axis=0).max(initial=0)), 1)
    bars = []
    for place in range(counts.shape[1]):
        base = HEIGHT
        for c, count in enumerate(counts[:, place].tolist()):
            height = HEIGHT * count / top
            base -= height
            if count:
                bars.append(
                    {
                        "x": place * width,
                        "y": base,
                        "w": width - 1,
                        "h": height,
                        "class": c,
                        "n": count,
                    }
                )
    return bars


def _weight_bars(weights: Sequence[ColumnWeight], by_rank: bool) -> dict[str, Any] | None:
    """Bars of the columns of a linear test: each weight times the column's deviation."""
    if not weights:
        return None
    effects = {column.name: column.weight * column.deviation for column in weights}
    largest = max(map(abs, effects.values())) or 1.0
    order = sorted(weights, key=lambda column: -abs(effects[column.name]))
    return {
        "bars": [
            {
                "name": column.name,
                "text": rounded_text(column.weight),
                "share": min(abs(effects[column.name]) / largest, 1.0),
                "up": column.weight > 0,
            }
            for column in order[:MAX_WEIGHTS]
        ],
        "more": max(len(order) - MAX_WEIGHTS, 0),
        "rank": by_rank,
    }
