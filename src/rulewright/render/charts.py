"""Charts as SVG: points, lines and rectangles in a frame with axes.

A chart is a string that depends on its arguments only. In an HTML page it takes the colours of the
page (``--ink``, ``--c0`` and so on); elsewhere those of paper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from rulewright.render.colours import EDGE, INK, LINE, PAPER, SOFT, class_colour
from rulewright.render.text_metrics import shorten, text_width

WIDTH, HEIGHT = 700, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 34, 16, 52
SIZE = 12
"""Font size of labels."""
SYMBOLS = ("circle", "square", "triangle", "diamond", "cross")
MARGIN = 7
"""Width around the frame in which a point on its border is still drawn."""
LABEL_SHARES = (0.6, 0.7, 0.5, 0.8, 0.4, 0.9, 0.3)
"""Places of the label of a curve, as shares of its points."""
HALO = f' stroke="var(--paper, {PAPER})" stroke-width="4" paint-order="stroke"'
"""Paper around a label, which keeps it apart from the lines behind it."""
PATCH = f'fill="var(--paper, {PAPER})" fill-opacity="0.85"'
"""Paper behind a label that is written across a line."""
MAX_NAMES = 8
"""Maximum number of names along an axis."""
DASHES = ("", "7 4", "2 3", "9 3 2 3", "14 4")

Symbol = Literal["circle", "square", "triangle", "diamond", "cross"]
Point = tuple[float, float]
Place = tuple[float, float, float, float]


@dataclass(frozen=True)
class ChartAxis:
    """An axis: its title, its range, and how its numbers are written.

    Attributes
    ----------
    title : str
    low, high : float, optional
        The range; by default that of the data, with a margin.
    scale : "linear" or "log"
    percent : bool
        Whether numbers are shares, written as percentages.
    whole : bool
        Whether only whole numbers are marked.
    names : sequence of str
        What is written at 1, 2 and so on in the place of these numbers.
    """

    title: str
    low: float | None = None
    high: float | None = None
    scale: Literal["linear", "log"] = "linear"
    percent: bool = False
    whole: bool = False
    names: Sequence[str] = ()

    def marks(self, ticks: Sequence[float]) -> list[tuple[float, str]]:
        """Return the places that are marked, of those proposed, and their texts."""
        if self.names:
            step = -(-len(self.names) // MAX_NAMES)
            places = range(0, len(self.names), step)
            width = (WIDTH - LEFT - RIGHT) / len(places) - SIZE
            return [(place + 1.0, shorten(self.names[place], width, SIZE)) for place in places]
        kept = [tick for tick in ticks if not self.whole or float(tick).is_integer()]
        return [(tick, _tick_text(tick, self.percent)) for tick in kept]


@dataclass(frozen=True)
class ChartSeries:
    """Points that belong together, by a colour and a symbol.

    Attributes
    ----------
    name : str
        Name in the legend; an empty name is not listed.
    points : sequence of (x, y)
    labels : sequence of str
        A text beside each point; empty for none.
    errors : sequence of float
        Half the length of a vertical bar at each point; empty for none.
    colour : int, optional
        Number of the colour; by default the position of the series.
    symbol : str, optional
        Symbol of the points; by default by the position of the series.
    """

    name: str
    points: Sequence[Point]
    labels: Sequence[str] = ()
    errors: Sequence[float] = ()
    colour: int | None = None
    symbol: Symbol | None = None


@dataclass(frozen=True)
class ChartBox:
    """A rectangle with a colour and an optional label; None is an open side."""

    left: float | None
    right: float | None
    bottom: float | None
    top: float | None
    colour: int = 0
    label: str = ""


def scatter(
    series: Sequence[ChartSeries],
    x: ChartAxis,
    y: ChartAxis,
    *,
    title: str,
    description: str,
    guides: Sequence[Sequence[Point]] = (),
    boxes: Sequence[ChartBox] = (),
) -> str:
    """Points of one or more series; ``guides`` are thin grey lines behind them.

    Examples
    --------
    >>> svg = scatter(
    ...     [ChartSeries("models", [(3, 0.2), (40, 0.1)], labels=["list", "forest"])],
    ...     ChartAxis("rules", scale="log"), ChartAxis("error", percent=True),
    ...     title="Error and size", description="A list and a forest.",
    ... )
    >>> svg[:4], "forest" in svg
    ('<svg', True)
    """
    chart = _Chart.around(series, x, y, guides)
    for box in boxes:
        chart.draw_box(box)
    for guide in guides:
        chart.draw_line(guide, f'stroke="var(--edge, {EDGE})" stroke-width="1.2"')
    for number, one in enumerate(series):
        chart.draw_points(one, number)
    for one in series:
        chart.draw_labels(one)
    return chart.svg(title, description, [(one, number, True, False) for number, one in _n(series)])


def lines(
    series: Sequence[ChartSeries],
    x: ChartAxis,
    y: ChartAxis,
    *,
    title: str,
    description: str,
    marks: bool = True,
) -> str:
    """Lines through the points of one or more series; ``marks`` shows the points too."""
    chart = _Chart.around(series, x, y)
    for number, one in enumerate(series):
        chart.draw_line(one.points, _stroke(_colour(one, number), number))
        if marks:
            chart.draw_points(one, number)
    for one in series:
        chart.draw_labels(one)
    return chart.svg(title, description, [(one, number, marks, True) for number, one in _n(series)])


def isolines(
    curves: Sequence[ChartSeries],
    x: ChartAxis,
    y: ChartAxis,
    *,
    title: str,
    description: str,
) -> str:
    """Curves of equal value; the first label of a curve is written across it."""
    chart = _Chart.around((), x, y, [curve.points for curve in curves])
    for curve in curves:
        chart.draw_line(curve.points, _stroke(curve.colour or 0, 0))
    for curve in curves:
        chart.draw_curve_label(curve)
    return chart.svg(title, description, [])


def rectangles(
    boxes: Sequence[ChartBox],
    series: Sequence[ChartSeries],
    x: ChartAxis,
    y: ChartAxis,
    *,
    title: str,
    description: str,
) -> str:
    """Axis-parallel regions with the points that they contain."""
    return scatter(series, x, y, title=title, description=description, boxes=boxes)


def _n(series: Sequence[ChartSeries]) -> list[tuple[int, ChartSeries]]:
    return list(enumerate(series))


def _colour(series: ChartSeries, number: int) -> int:
    return number if series.colour is None else series.colour


def _ink(number: int) -> str:
    return f"var(--c{number}, {class_colour(number)})" if number < 10 else class_colour(number)


def _stroke(colour: int, number: int) -> str:
    dash = DASHES[number // 10 % len(DASHES)]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{_ink(colour)}" stroke-width="2"{dashes}'


@dataclass(frozen=True)
class _ChartScale:
    """From values to places on paper."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    @classmethod
    def of(cls, axis: ChartAxis, values: Sequence[float], start: float, end: float) -> _ChartScale:
        logarithmic = axis.scale == "log"
        kept = [v for v in values if math.isfinite(v) and (v > 0 or not logarithmic)] or [0.0, 1.0]
        low, high = min(kept), max(kept)
        if logarithmic:
            low, high = max(low, 1e-12), max(high, 1e-12)
            low, high = low / 1.25, high * 1.25
        else:
            margin = 0.06 * (high - low) or 0.5 * abs(high) or 0.5
            low, high = (0.0 if 0 <= low < 0.5 * high else low - margin), high + margin
        low = low if axis.low is None else axis.low
        high = high if axis.high is None else axis.high
        return cls(low, high if high > low else low + 1.0, start, end, logarithmic)

    def place(self, value: float) -> float:
        if self.logarithmic:
            value, low, high = (math.log(max(v, 1e-12)) for v in (value, self.low, self.high))
        else:
            low, high = self.low, self.high
        share = min(max((value - low) / (high - low), -9.0), 9.0)
        return self.start + (self.end - self.start) * share

    def ticks(self) -> list[float]:
        if not self.logarithmic:
            return _round_ticks(self.low, self.high)
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        factors = (1, 2, 5) if last - first <= 3 else (1,)
        found = [f * 10.0**power for power in range(first, last + 1) for f in factors]
        return [tick for tick in found if self.low <= tick <= self.high]


def _round_ticks(low: float, high: float) -> list[float]:
    unit = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(unit * f for f in (1, 2, 2.5, 5, 10) if (high - low) / (unit * f) <= 7)
    first = math.ceil(low / step - 1e-9)
    return [step * place for place in range(first, math.floor(high / step + 1e-9) + 1)]


def _tick_text(value: float, percent: bool) -> str:
    shown = 100 * value if percent else value
    text = f"{shown:,.0f}" if abs(shown) >= 1000 else f"{round(shown, 10):.4g}"
    return f"{text} %" if percent else text


@dataclass
class _Chart:
    """A frame with axes, to which marks are added."""

    x: ChartAxis
    y: ChartAxis
    across: _ChartScale
    up: _ChartScale
    marks: list[str] = field(default_factory=list)
    taken: list[Place] = field(default_factory=list)

    @classmethod
    def around(
        cls,
        series: Sequence[ChartSeries],
        x: ChartAxis,
        y: ChartAxis,
        others: Sequence[Sequence[Point]] = (),
    ) -> _Chart:
        points = [point for one in series for point in one.points]
        points += [point for line in others for point in line] if not points else []
        bars = [
            height + sign * error
            for one in series
            for (_, height), error in zip(one.points, one.errors, strict=False)
            for sign in (-1, 1)
        ]
        xs, ys = [p[0] for p in points], [*(p[1] for p in points), *bars]
        across = _ChartScale.of(x, xs, LEFT, WIDTH - RIGHT)
        return cls(x, y, across, _ChartScale.of(y, ys, HEIGHT - BOTTOM, TOP))

    def contains(self, point: Point) -> bool:
        x, y = point
        return self.across.low <= x <= self.across.high and self.up.low <= y <= self.up.high

    def draw_line(self, points: Sequence[Point], style: str) -> None:
        joined = " ".join(
            f"{self.across.place(x):.1f},{self.up.place(y):.1f}"
            for x, y in points
            if math.isfinite(x) and math.isfinite(y)
        )
        self.marks.append(f'<polyline points="{joined}" fill="none" {style}/>')

    def draw_box(self, box: ChartBox) -> None:
        left, right = LEFT, WIDTH - RIGHT
        x0 = left if box.left is None else max(self.across.place(box.left), left)
        x1 = right if box.right is None else min(self.across.place(box.right), right)
        y0 = (
            HEIGHT - BOTTOM
            if box.bottom is None
            else min(self.up.place(box.bottom), HEIGHT - BOTTOM)
        )
        y1 = TOP if box.top is None else max(self.up.place(box.top), TOP)
        self.marks.append(
            f'<rect x="{x0:.1f}" y="{y1:.1f}" width="{max(x1 - x0, 0):.1f}" '
            f'height="{max(y0 - y1, 0):.1f}" fill="{_ink(box.colour)}" fill-opacity="0.25" '
            f'stroke="var(--edge, {EDGE})"/>'
        )
        if box.label:
            label = shorten(box.label, max(x1 - x0 - 8, 8), SIZE)
            self.marks.append(_text(x0 + 5, y1 + SIZE + 3, label))

    def draw_points(self, series: ChartSeries, number: int) -> None:
        symbol = series.symbol or SYMBOLS[number % len(SYMBOLS)]
        colour = _colour(series, number)
        for place, (x, y) in enumerate(series.points):
            if not (math.isfinite(x) and math.isfinite(y)):
                continue
            across, up = self.across.place(x), self.up.place(y)
            if series.errors and series.errors[place]:
                ends = [self.up.place(y + sign * series.errors[place]) for sign in (-1, 1)]
                self.marks.append(
                    f'<path d="M{across:.1f} {ends[0]:.1f}V{ends[1]:.1f}" '
                    f'stroke="{_ink(colour)}" stroke-opacity="0.55" stroke-width="1.5"/>'
                )
            self.marks.append(_symbol(symbol, across, up, colour))
            self.taken.append((across - 6, up - 6, across + 6, up + 6))

    def draw_labels(self, series: ChartSeries) -> None:
        """Write the labels beside their points, where they cover the least."""
        for (x, y), label in zip(series.points, series.labels, strict=False):
            if not label:
                continue
            label = shorten(label, 190, SIZE)
            across, up, width = self.across.place(x), self.up.place(y), text_width(label, SIZE)
            self._write(label, [(across + dx, up + dy) for dx, dy in _offsets(width)])

    def draw_curve_label(self, curve: ChartSeries) -> None:
        """Write the first label of a curve across it, where it covers the least."""
        inside = [
            (self.across.place(x), self.up.place(y))
            for x, y in curve.points
            if self.contains((x, y))
        ]
        if not inside or not curve.labels:
            return
        width, line = text_width(curve.labels[0], SIZE), SIZE + 2
        if math.dist(inside[0], inside[-1]) < 1.5 * width:
            return  # the label would hide the curve
        places = [inside[round(share * (len(inside) - 1))] for share in LABEL_SHARES]
        self._write(curve.labels[0], [(x - width / 2, y - line / 2) for x, y in places], PATCH)

    def _write(self, label: str, corners: Sequence[Point], behind: str = "") -> None:
        """Write a label at the upper left corner where it covers the least."""
        width, line = text_width(label, SIZE), SIZE + 2
        spots = [(x, y, x + width, y + line) for x, y in corners]
        spot = min(enumerate(spots), key=lambda one: (self._covered(one[1]), one[0]))[1]
        self.taken.append(spot)
        if behind:
            self.marks.append(
                f'<rect x="{spot[0]:.1f}" y="{spot[1]:.1f}" width="{width:.1f}" height="{line}" '
                f"{behind}/>"
            )
        self.marks.append(_text(spot[0], spot[3] - 3, label, more=HALO))

    def _covered(self, spot: Place) -> float:
        """Area of other marks under a label, and of the label outside the frame."""
        area = (spot[2] - spot[0]) * (spot[3] - spot[1])
        frame = (LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)
        outside = 3 * (area - _overlap(spot, frame))
        return round(outside + sum(_overlap(spot, other) for other in self.taken), 3)

    def svg(
        self, title: str, description: str, legend: Sequence[tuple[ChartSeries, int, bool, bool]]
    ) -> str:
        named = [one for one in legend if one[0].name]
        entries = (
            _legend(named) if len(named) > 1 or (named and not named[0][0].labels) else ([], 0)
        )
        height = HEIGHT + entries[1]
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" font-family="system-ui, sans-serif" '
            f'font-size="{SIZE}">',
            f"<title>{escape(title)}</title><desc>{escape(description)}</desc>",
            *self._frame(),
            _frame_window(),
            *self.marks,
            "</svg>",
            *entries[0],
            "</svg>",
        ]
        return "\n".join(parts)

    def _frame(self) -> list[str]:
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        grid = f'stroke="var(--line, {LINE})" stroke-width="1"'
        found = []
        for tick, text in self.y.marks(self.up.ticks()):
            place = self.up.place(tick)
            found.append(f'<path d="M{LEFT} {place:.1f}H{right}" {grid}/>')
            found.append(_text(LEFT - 6, place + 4, text, "end", soft=True))
        for tick, text in self.x.marks(self.across.ticks()):
            place = self.across.place(tick)
            found.append(f'<path d="M{place:.1f} {TOP}V{bottom}" {grid}/>')
            found.append(_text(place, bottom + 16, text, "middle", soft=True))
        found.append(
            f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="var(--edge, {EDGE})"/>'
        )
        found.append(_text((LEFT + right) / 2, HEIGHT - 12, self.x.title, "middle"))
        middle = (TOP + bottom) / 2
        turned = f' transform="rotate(-90 15 {middle:.1f})"'
        found.append(_text(15, middle, self.y.title, "middle", more=turned))
        return found


def _frame_window() -> str:
    """The part of the drawing in which marks are seen: the frame with a small margin."""
    x, y = LEFT - MARGIN, TOP - MARGIN
    width, height = WIDTH - LEFT - RIGHT + 2 * MARGIN, HEIGHT - TOP - BOTTOM + 2 * MARGIN
    return (
        f'<svg x="{x}" y="{y}" width="{width}" height="{height}" '
        f'viewBox="{x} {y} {width} {height}">'
    )


def _offsets(width: float) -> list[Point]:
    """Places of a label around its point, the best first."""
    line = SIZE + 2
    sides = [(9.0, -line / 2), (-9.0 - width, -line / 2)]
    sides += [(-width / 2, -line - 7), (-width / 2, 7.0)]
    corners = [(x, y) for y in (-line - 3.0, 3.0) for x in (7.0, -7.0 - width)]
    far = [(x, y) for y in (-2 * line - 4.0, line + 4.0) for x in (7.0, -7.0 - width)]
    return [*sides, *corners, *far]


def _overlap(one: Place, other: Place) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def _text(
    x: float, y: float, text: str, anchor: str = "start", *, soft: bool = False, more: str = ""
) -> str:
    colour = f"var(--soft, {SOFT})" if soft else f"var(--ink, {INK})"
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{placed}{more}>{escape(text)}</text>'


def _symbol(symbol: str, x: float, y: float, colour: int) -> str:
    style = f'fill="{_ink(colour)}" stroke="var(--ink, {INK})" stroke-width="0.7"'
    if symbol == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" {style}/>'
    if symbol == "square":
        return f'<rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9" {style}/>'
    if symbol == "triangle":
        return f'<path d="M{x:.1f} {y - 6:.1f}l5.5 10h-11z" {style}/>'
    if symbol == "diamond":
        return f'<path d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z" {style}/>'
    cross = f'stroke="{_ink(colour)}" stroke-width="2.2"'
    return f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8" fill="none" {cross}/>'


def _legend(named: Sequence[tuple[ChartSeries, int, bool, bool]]) -> tuple[list[str], int]:
    """Entries of the legend below the frame, and their height."""
    found, x, y = [], float(LEFT), HEIGHT + 8.0
    for series, number, marked, joined in named:
        name = shorten(series.name, 420, SIZE)
        width = 34 + text_width(name, SIZE)
        if x + width > WIDTH - RIGHT and x > LEFT:
            x, y = float(LEFT), y + 19
        colour = _colour(series, number)
        if joined:
            found.append(f'<path d="M{x:.1f} {y:.1f}h22" {_stroke(colour, number)}/>')
        if marked:
            symbol = series.symbol or SYMBOLS[number % len(SYMBOLS)]
            found.append(_symbol(symbol, x + 11, y, colour))
        found.append(_text(x + 28, y + 4, name))
        x += width + 14
    return found, int(y - HEIGHT) + 12
