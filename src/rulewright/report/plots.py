"""Plots as numbers: where each bar, line and label goes. The page draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Table
from rulewright.models import Certificate, PathEntry
from rulewright.render import number_text, percent_text
from rulewright.rules import Category, Predicate, Threshold

WIDTH, HEIGHT = 560.0, 200.0
LEAST_BARS, MOST_BARS = 6, 12
BINS = 28


def axis_text(number: float) -> str:
    """Write a number at the end of an axis, short and without powers of ten where that can be."""
    return f"{number:.6g}" if 1e-4 <= abs(number) < 1e6 else f"{number:.3g}"


def share_ticks(most: float) -> list[float]:
    """Give round shares from 0 to just above the most: 5 to 8 of them where that can be."""
    step = next(s for s in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if most / s <= 7 or s == 0.2)
    count = math.floor(most / step) + 1
    return [step * i for i in range(count + 1)]


def scale_plot(certificate: Certificate, errors: int) -> dict[str, Any]:
    """Mark the training error, the bound and guessing on one scale."""
    guess = min(certificate.positives, certificate.m - certificate.positives) / certificate.m
    ticks = share_ticks(max(guess, certificate.bound))
    end = ticks[-1]
    marks = [
        ("training error", errors / certificate.m, "plain"),
        ("certified: at most", certificate.bound, "bound"),
        ("always the more frequent class", guess, "guess"),
    ]
    return {
        "ticks": [{"x": WIDTH * tick / end, "text": f"{100 * tick:g} %"} for tick in ticks],
        "marks": [
            {
                "name": name,
                "x": WIDTH * min(share / end, 1.0),
                "text": percent_text(share) if kind == "bound" else f"{100 * share:.1f} %",
                "kind": kind,
            }
            for name, share, kind in marks
        ],
    }


def path_plot(path: Sequence[PathEntry], chosen: int) -> dict[str, Any]:
    """Training error and bound against size."""
    ticks = share_ticks(max(e.certificate.bound for e in path))
    top = ticks[-1]
    span = max(path[-1].size - path[0].size, 1)

    def x_of(size: int) -> float:
        return WIDTH * (size - path[0].size) / span if len(path) > 1 else WIDTH / 2

    def points(values: Sequence[float]) -> list[dict[str, Any]]:
        return [
            {
                "x": x_of(e.size),
                "y": HEIGHT * (1 - v / top),
                "text": f"{100 * v:.1f} %",
                "size": e.size,
            }
            for e, v in zip(path, values, strict=True)
        ]

    return {
        "bound": points([e.certificate.bound for e in path]),
        "errors": points([e.errors / e.certificate.m for e in path]),
        "ticks": [{"y": HEIGHT * (1 - t / top), "text": f"{100 * t:g} %"} for t in ticks],
        "sizes": [{"x": x_of(e.size), "text": str(e.size)} for e in path],
        "chosen": {"x": x_of(chosen), "size": chosen},
    }


def rule_plot(
    predicate: Predicate, table: Table, y: NDArray[np.int32], classes: int
) -> dict[str, Any] | None:
    """Show how the classes lie on the column that a single test looks at, and where it cuts."""
    match predicate:
        case Threshold(column, above, cut):
            return _histogram(table.numbers(column), y, classes, cut, above) | {"column": column}
        case Category(column, values, among):
            bars = _bars(table.categories(column), y, classes, set(values), among)
            return bars | {"column": column}
        case _:
            return None


def _histogram(
    x: NDArray[np.float64], y: NDArray[np.int32], classes: int, cut: float, above: bool
) -> dict[str, Any]:
    present = ~np.isnan(x)
    unit = 1e-9 if np.abs(x[present]).max() > 1e300 else 1.0  # differences must not overflow
    edges, place = _edges(x[present] * unit, cut * unit)
    low, high = float(edges[0]), float(edges[-1])
    groups = [np.clip(x[present & (y == c)] * unit, low, high) for c in range(classes)]
    counts = np.array([np.histogram(group, edges)[0] for group in groups])
    return {
        "shape": "histogram",
        "stacks": _stacks(counts, WIDTH / (edges.size - 1)),
        "cut": WIDTH * (place - low) / (high - low),
        "above": above,
        "cut_text": number_text(cut),
        "low": axis_text(float(x[present].min())),
        "high": axis_text(float(x[present].max())),
        "more": 0,
        "missing": int((~present).sum()),
    }


def _edges(values: NDArray[np.float64], cut: float) -> tuple[NDArray[np.float64], float]:
    """Divide an axis into bars, and say where on it the cut lies.

    A few far values must not squeeze all others into one bar: they are counted in the bars at the
    ends. Whole numbers get bars of their own, or of equally many of them, and a cut between two.
    """
    near = [float(q) for q in np.quantile(values, [0.005, 0.995])]
    margin = 0.05 * (near[1] - near[0])
    low = max(float(values.min()), min(near[0], cut) - margin)
    high = min(float(values.max()), max(near[1], cut) + margin)
    if (values == np.floor(values)).all() and high - low < 2.0**40 and abs(low) < 2.0**50:
        low, high = math.floor(low), math.ceil(high)
        each = max(math.ceil((high - low + 1) / BINS), 1)
        bars = math.ceil((high - low + 1) / each)
        edges: NDArray[np.float64] = low - 0.5 + each * np.arange(bars + 1, dtype=np.float64)
        return edges, cut + 0.5
    if not high > low:
        half = max(0.5, 1e-6 * abs(low))
        low, high = low - half, high + half
    return np.linspace(low, high, BINS + 1, dtype=np.float64), cut


def _bars(
    column: CategoricalColumn, y: NDArray[np.int32], classes: int, values: set[str], among: bool
) -> dict[str, Any]:
    there = column.codes >= 0
    counts = np.array(
        [
            np.bincount(column.codes[there & (y == c)], minlength=len(column.categories))
            for c in range(classes)
        ]
    )
    # The categories the test names, then the most frequent others.
    order = sorted(
        range(len(column.categories)),
        key=lambda i: (column.categories[i] not in values, -int(counts[:, i].sum())),
    )[:MOST_BARS]
    names = [column.categories[i] for i in order]
    while len(names) > LEAST_BARS and max(map(len, names)) > _room(len(names)):
        names.pop()
    order = order[: len(names)]
    return {
        "shape": "bars",
        "stacks": _stacks(counts[:, order], WIDTH / len(order)),
        "names": [
            {
                "x": WIDTH * (i + 0.5) / len(order),
                "text": n,
                "held": (n in values) == among,
                "room": _room(len(order)),
            }
            for i, n in enumerate(names)
        ],
        "more": len(column.categories) - len(order),
        "missing": int((~there).sum()),
    }


def _room(bars: int) -> int:
    """Letters for a name: many names stand on two lines, a bold letter is about 13 units wide."""
    lines = 2 if bars > 3 else 1
    return max(int(lines * WIDTH / bars / 13) - 1, 4)


def _stacks(counts: NDArray[np.int64], width: float) -> list[dict[str, Any]]:
    top = max(int(counts.sum(axis=0).max()), 1)
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
