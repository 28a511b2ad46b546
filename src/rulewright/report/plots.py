"""Plots of single tests, as numbers: where each bar, line and label goes. The page draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Moment, Table
from rulewright.render import (
    about_text,
    example_text,
    linear_form,
    prototypes,
    weighted_sum,
    written,
)
from rulewright.rules import (
    Ball,
    Category,
    Function,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Missing,
    Predicate,
    Threshold,
)

WIDTH, HEIGHT = 560.0, 200.0
MIN_BARS, MAX_BARS = 6, 12
MAX_WEIGHTS = 60
BINS = 28
LETTER = 13.0
"""Width of a bold letter."""

STICKS_OUT = 16.0
"""So far a name may stick out of its drawing: less than half of what is between two."""

Floats = NDArray[np.float64]
Classes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Mark:
    """A value where a test changes its answer: just after the value, or just before it."""

    value: float
    after: bool


def rule_plot(
    predicate: Predicate, table: Table, y: Classes, classes: int, upper: Predicate | None = None
) -> dict[str, Any] | None:
    """Show how the classes lie on what a single test looks at, and where it cuts.

    ``upper`` is the test for the upper end of the same column, where the first is for the lower.
    """
    match predicate:
        case Threshold(column, above, cut):
            marks = [Mark(cut, after=not predicate.cut_above)]
            held = [not above, above]
            if isinstance(upper, Threshold):
                marks.append(Mark(upper.cut, after=not upper.cut_above))
                held.append(False)
            x, moment = table.numbers(column), predicate.moment
            return _histogram(x, y, classes, marks, held, column, moment)
        case Interval(column, low, high, inside):
            marks = [Mark(low, predicate.low_open), Mark(high, not predicate.high_open)]
            held = [not inside, inside, not inside]
            x, moment = table.numbers(column), predicate.moment
            return _histogram(x, y, classes, marks, held, column, moment)
        case Ball(radius=radius, strict=strict, inside=inside):
            name = example_text(predicate.anchored_on, 0) or "the centre"
            marks, held = [Mark(radius, after=not strict)], [inside, not inside]
            distance = predicate.distance(table)
            return _histogram(distance, y, classes, marks, held, f"distance to {name}")
        case HalfSpace(cut=cut, strict=strict, beyond=beyond):
            marks, held = [Mark(cut, after=strict)], [not beyond, beyond]
            plot = _histogram(
                predicate.margin(table), y, classes, marks, held, _margin_text(predicate)
            )
            return plot and plot | {"weights": weight_plot(predicate, table)}
        case HalfPlane(cut=cut, above=above):
            marks, held = [Mark(cut, after=True)], [not above, above]
            sums, caption = predicate.sums(table), weighted_sum(predicate)
            return _histogram(sums, y, classes, marks, held, caption)
        case Category(column, values, among):
            found = table.categories(column)
            wanted = {name for name in found.categories if (name in values) == among}
            return _bars(found.categories, found.codes, y, classes, wanted, set(values), column)
        case Missing(column, missing):
            held_name = "missing" if missing else "present"
            return _two("present", "missing", table.missing(column), y, classes, held_name, column)
        case Given(column, truth):
            codes = np.where(Given(column).holds(table), 1, 0).astype(np.int32)
            codes[table.missing(column)] = -1
            names, wanted = ("false", "true"), {"true" if truth else "false"}
            return _bars(names, codes, y, classes, wanted, wanted, column)
        case Function(name, truth=truth):
            says = predicate.holds(table) == truth
            held_name = "yes" if truth else "no"
            return _two("no", "yes", says, y, classes, held_name, f"the function {name!r}")
        case _:
            return None


def axis_text(number: float) -> str:
    """Write a number on an axis, short and without powers of ten where that can be."""
    if 1e6 <= abs(number) < 1e9:
        return f"{number:,.0f}"
    return f"{number:.6g}" if 1e-4 <= abs(number) < 1e6 else f"{number:.3g}"


def _margin_text(half: HalfSpace) -> str:
    toward, away = prototypes(half) if len(half.anchored_on) > 1 else ("the first", "the second")
    return f"likeness to {toward} less likeness to {away}"


def _histogram(
    x: Floats,
    y: Classes,
    classes: int,
    marks: Sequence[Mark],
    held: Sequence[bool],
    caption: str,
    moment: Moment | None = None,
) -> dict[str, Any] | None:
    """Count the classes along an axis; ``held`` says between which marks the test holds."""
    present = ~np.isnan(x)
    if not present.any():
        return None
    greatest = np.finfo(np.float64).max
    far = max(float(np.abs(x[present]).max()), *(abs(mark.value) for mark in marks)) > 1e300
    unit = 1e-9 if far else 1.0  # differences must not overflow
    values = np.clip(x, -greatest, greatest) * unit
    scaled = [Mark(mark.value * unit, mark.after) for mark in marks]
    edges, places = _edges(values[present], scaled)
    low, high = float(edges[0]), float(edges[-1])
    groups = [np.clip(values[present & (y == c)], low, high) for c in range(classes)]
    counts = np.array([np.histogram(group, edges)[0] for group in groups])
    lines = [WIDTH * (place - low) / (high - low) for place in places]
    ends = [0.0, *lines, WIDTH]
    shades = [
        {"x": a, "w": max(b - a, 0.0)}
        for a, b, holds in zip(ends[:-1], ends[1:], held, strict=True)
        if holds
    ]
    least = min(float(values[present].min()), *(mark.value for mark in scaled)) / unit
    most = max(float(values[present].max()), *(mark.value for mark in scaled)) / unit
    return {
        "shape": "histogram",
        "caption": caption,
        "stacks": _stacks(counts, WIDTH / (edges.size - 1)),
        "lines": lines,
        "labels": _labels(lines, [_mark_text(mark.value, moment) for mark in marks]),
        "shades": shades,
        "low": axis_text(least) if moment is None else written(least, moment),
        "high": axis_text(most) if moment is None else written(most, moment),
        "more": 0,
        "missing": int((~present).sum()),
        "weights": None,
    }


def _mark_text(value: float, moment: Moment | None) -> str:
    text = written(value, moment)
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


def _edges(values: Floats, marks: Sequence[Mark]) -> tuple[Floats, list[float]]:
    """Divide an axis into bars, edges on the marks where that can be, and say where these lie.

    A few far values must not squeeze all others into one bar: they are counted in the bars at the
    ends. Whole numbers get bars of their own, or of equally many of them, and marks between two.
    """
    near = [float(q) for q in np.quantile(values, [0.005, 0.995])]
    margin = 0.05 * (near[1] - near[0])
    low = min(max(float(values.min()), near[0] - margin), *(mark.value for mark in marks))
    high = max(min(float(values.max()), near[1] + margin), *(mark.value for mark in marks))
    whole = (values == np.floor(values)).all() and high - low < 2.0**40 and abs(low) < 2.0**50
    if whole:
        places = [_between(mark) for mark in marks]
        low, high = min(math.floor(low) - 0.5, *places), max(math.ceil(high) + 0.5, *places)
        step = float(max(math.ceil((high - low) / BINS), 1))
    else:
        places = [math.nextafter(m.value, math.inf) if m.after else m.value for m in marks]
        if not high > low:
            half = max(0.5, 1e-6 * abs(low))
            low, high = low - half, high + half
        step = _fitted((high - low) / BINS, places)
    origin = places[0]
    before = max(math.ceil((origin - low) / step - 1e-9), 1)
    beyond = max(math.ceil((high - origin) / step - 1e-9), 1)
    edges = origin + step * np.arange(-before, beyond + 1, dtype=np.float64)
    if not whole:  # an edge that should lie on a mark lies there to the last bit
        edges[np.isclose(edges, places[-1], rtol=0.0, atol=1e-6 * step)] = places[-1]
    return edges, places


def _fitted(step: float, places: Sequence[float]) -> float:
    """Change the width of bars a little so that a second mark lies on an edge, too."""
    apart = places[-1] - places[0]
    return apart / max(round(apart / step), 1) if apart > step / 2 else step


def _between(mark: Mark) -> float:
    """Give the place between two whole numbers where a test changes its answer."""
    value = math.floor(mark.value)
    return value + 0.5 if mark.after or value < mark.value else value - 0.5


def _two(
    no: str,
    yes: str,
    truth: NDArray[np.bool_],
    y: Classes,
    classes: int,
    held: str,
    caption: str,
) -> dict[str, Any]:
    return _bars((no, yes), truth.astype(np.int32), y, classes, {held}, {no, yes}, caption)


def _bars(
    categories: Sequence[str],
    codes: NDArray[np.int32],
    y: Classes,
    classes: int,
    held: set[str],
    named: set[str],
    caption: str,
) -> dict[str, Any]:
    """Count the classes in each category: those that the test names, then the most frequent."""
    there = codes >= 0
    counts = np.array(
        [np.bincount(codes[there & (y == c)], minlength=len(categories)) for c in range(classes)]
    )
    order = sorted(
        range(len(categories)), key=lambda i: (categories[i] not in named, -int(counts[:, i].sum()))
    )[:MAX_BARS]
    names = [categories[i] for i in order]
    while len(names) > MIN_BARS and max(map(len, names)) > _room(len(names)):
        names.pop()
    order = order[: len(names)]
    return {
        "shape": "bars",
        "caption": caption,
        "stacks": _stacks(counts[:, order], WIDTH / max(len(order), 1)),
        "names": [
            {"text": name, "held": name in held, "x": x, "room": room}
            for name, (x, room) in zip(names, _name_places(names), strict=True)
        ],
        "more": len(categories) - len(order),
        "missing": int((~there).sum()),
        "weights": None,
    }


def _room(bars: int) -> int:
    """Letters for a name: many names stand on two lines."""
    lines = 2 if bars > 3 else 1
    return max(int(lines * WIDTH / bars / LETTER) - 1, 4)


def _name_places(names: Sequence[str]) -> list[tuple[float, int]]:
    """Put each name below its bar, with its room; the outer ones may stick out a little only."""
    bars, room = len(names), _room(len(names))
    places = [(WIDTH * (place + 0.5) / bars, room) for place in range(bars)]
    if bars <= 3:
        return places
    for outer, next_but_one, side in ((0, 2, 1), (bars - 1, bars - 3, -1)):
        x, _ = places[outer]
        beside = abs(places[next_but_one][0] - (0.0 if side > 0 else WIDTH))
        free = beside - LETTER * (min(len(names[next_but_one]), room) / 2 + 1) + STICKS_OUT
        letters = min(room, max(int(free / LETTER), 4))
        half = LETTER * min(len(names[outer]), letters) / 2
        edge = half - STICKS_OUT
        places[outer] = (max(x, edge) if side > 0 else min(x, WIDTH - edge), letters)
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


def weight_plot(half: HalfSpace, table: Table) -> dict[str, Any] | None:
    """Show what each column does in a linear half-space: its weight times its spread."""
    form = linear_form(half)
    if form is None or not form.terms:
        return None
    columns = [table.numbers(name) for name in half.on]
    if half.scaling.kind == "rank":
        columns = half.scaling.of(columns)
    spread = {name: _spread(x) for name, x in zip(half.on, columns, strict=True)}
    effects = {name: weight * spread[name] for name, weight in form.terms}
    most = max(map(abs, effects.values())) or 1.0
    order = sorted(form.terms, key=lambda term: -abs(effects[term[0]]))
    return {
        "bars": [
            {
                "name": name,
                "text": about_text(weight),
                "share": min(abs(effects[name]) / most, 1.0),
                "up": weight > 0,
            }
            for name, weight in order[:MAX_WEIGHTS]
        ],
        "more": max(len(order) - MAX_WEIGHTS, 0),
        "rank": half.scaling.kind == "rank",
    }


def _spread(x: Floats) -> float:
    finite = x[np.isfinite(x)]
    with np.errstate(over="ignore", invalid="ignore"):
        spread = float(finite.std()) if finite.size else 0.0
    return spread if math.isfinite(spread) else 0.0
