"""A chart of error rates on one scale, as SVG for pages and notebooks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from rulewright.render.formatting import percent_text

WIDTH = 560.0
FIRST_LINE, LINE_HEIGHT = 26, 34
BOUND_COLOUR = "#a01c4b"
STYLES = {
    "plain": 'fill="currentColor"',
    "bound": f'fill="{BOUND_COLOUR}"',
    "guess": 'fill="none" stroke="currentColor" stroke-width="2"',
}
"""How marks look where no style sheet names their classes."""


class ScaleMark(NamedTuple):
    """A rate on the scale: a counted share ("plain"), a bound, or the share of a guess."""

    name: str
    share: float
    kind: str

    @property
    def text(self) -> str:
        """Name and share; a bound is rounded up."""
        rounded = percent_text(self.share) if self.kind == "bound" else f"{100 * self.share:.1f} %"
        return f"{self.name} {rounded}"


def share_ticks(largest: float) -> list[float]:
    """Return round shares from 0 to just above the largest; 5 to 8 of them where possible.

    None is above 1.

    Examples
    --------
    >>> share_ticks(0.11)
    [0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12]
    >>> share_ticks(1.0)[-1]
    1.0
    """
    step = next(s for s in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if largest / s <= 7 or s == 0.2)
    count = min(math.floor(largest / step) + 1, round(1 / step))
    return [step * i for i in range(count + 1)]


def scale_svg(
    marks: Sequence[ScaleMark], interval: tuple[float, float] | None = None, label: str = ""
) -> str:
    """Return a chart of some rates, each on a line of its own.

    Parameters
    ----------
    marks : sequence of ScaleMark
    interval : tuple of float, optional
        Interval of the counted share, drawn as a bar.
    label : str
        Description for readers who do not see the chart.
    """
    ticks = share_ticks(max([*(mark.share for mark in marks), *(interval or ())]))
    scale = WIDTH / ticks[-1]
    bottom = FIRST_LINE + LINE_HEIGHT * (len(marks) - 1) + 14
    parts = [_tick(tick, scale, bottom) for tick in ticks]
    for number, mark in enumerate(marks):
        parts += _line(mark, scale, FIRST_LINE + LINE_HEIGHT * number, interval)
    return (
        f'<svg viewBox="-20 0 600 {bottom + 30}" font-size="12" role="img" '
        f'aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def _tick(tick: float, scale: float, bottom: int) -> str:
    x = round(tick * scale, 1)
    return (
        f'<line class="grid" stroke="#aab4c0" x1="{x}" x2="{x}" y1="6" y2="{bottom}"/>'
        f'<text fill="currentColor" x="{x}" y="{bottom + 18}" text-anchor="middle">'
        f"{100 * tick:g} %</text>"
    )


def _line(mark: ScaleMark, scale: float, y: int, interval: tuple[float, float] | None) -> list[str]:
    x = round(mark.share * scale, 1)
    parts = [f'<line class="grid" stroke="#aab4c0" x1="0" x2="{WIDTH:.0f}" y1="{y}" y2="{y}"/>']
    if mark.kind == "plain" and interval is not None:
        low, high = (round(end * scale, 1) for end in interval)
        parts.append(
            f'<line class="whisker" stroke="currentColor" stroke-width="5" opacity="0.35" '
            f'x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>'
        )
    side = f'x="{round(x + 13, 1)}"' if x < 290 else f'x="{round(x - 13, 1)}" text-anchor="end"'
    strong = ' class="strong" font-weight="600"' if mark.kind == "bound" else ""
    style = STYLES[mark.kind]
    return [
        *parts,
        f'<circle class="p-{mark.kind}" {style} cx="{x}" cy="{y}" r="6"/>',
        f'<text fill="currentColor"{strong} {side} y="{y - 8}">{escape(mark.text)}</text>',
    ]
