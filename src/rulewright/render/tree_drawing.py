"""Figure of a tree drawn by matplotlib, which is imported on first use."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from rulewright.errors import InputError
from rulewright.render.colours import EDGE, INK, LINE, PAPER, SOFT, class_colour
from rulewright.render.figures import pyplot
from rulewright.render.node_labels import NodeLabels
from rulewright.render.text_metrics import wrap_text
from rulewright.render.tree_geometry import (
    MAX_DEPTH,
    MAX_LEAVES,
    SMALL,
    SMALL_STEP,
    Bar,
    Box,
    Edge,
    Layout,
    Line,
    tree_layout,
)
from rulewright.rules import Tree

PIXELS = 96
"""Pixels of the layout in an inch."""

MIN_POINTS = 7.0
MAX_INCHES = 300
BORDER = 10.0
ROUND = 4.0


def tree_figure(
    tree: Tree,
    labels: NodeLabels,
    *,
    missing: Collection[str] | None = None,
    ax: Any = None,
    max_depth: int | None = MAX_DEPTH,
    max_leaves: int | None = MAX_LEAVES,
) -> Any:
    """Draw a tree: its tests, the answers of its leaves, and the training rows in each node.

    Parameters
    ----------
    tree : Tree
    labels : NodeLabels
        Labels of the nodes: ``class_node_labels`` or ``value_node_labels``.
    missing : collection of str, optional
        Names of the columns in which values can be missing: the branch that these take is marked.
    ax : matplotlib's Axes, optional
        Where to draw. Without it, a new figure is as large as the tree needs. In given axes the
        tree is drawn to the depth that fits.
    max_depth, max_leaves : int or None
        Limits of the drawing; a larger tree is drawn to the depth that meets both.

    Returns
    -------
    matplotlib's Axes
    """
    limits: dict[str, Any]
    limits = {"missing": missing, "max_depth": max_depth, "max_leaves": max_leaves}
    if ax is None:
        drawing = _Drawing.of(tree_layout(tree, labels, **limits))
        ax = _new_axes(drawing)
        scale = 1.0
    else:
        ax.set_axis_off()
        drawing, scale = _fitted(tree, labels, ax, limits)
    _draw(ax, drawing, scale)
    return ax


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A layout and the lines of its caption below it."""

    layout: Layout
    caption: tuple[Line, ...]
    width: float
    height: float

    @classmethod
    def of(cls, layout: Layout) -> _Drawing:
        width = max(layout.width, 320.0)
        texts = wrap_text(layout.caption, width, SMALL, max_lines=12)
        below = layout.height + 10 + SMALL
        lines = [
            Line(text, 2.0, below + SMALL_STEP * place, SMALL, soft=True)
            for place, text in enumerate(texts)
        ]
        return cls(layout, tuple(lines), width, lines[-1].y + 4)

    @property
    def inches(self) -> tuple[float, float]:
        """Size with a border, at full font size."""
        return (self.width + 2 * BORDER) / PIXELS, (self.height + 2 * BORDER) / PIXELS


def _new_axes(drawing: _Drawing) -> Any:
    inches = drawing.inches
    if max(inches) > MAX_INCHES:
        raise InputError(
            f"The drawing would be {inches[0]:.0f} by {inches[1]:.0f} inches; the maximum is "
            f"{MAX_INCHES}. Set max_depth or max_leaves."
        )
    figure = pyplot().figure(figsize=inches)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    return ax


def _fitted(
    tree: Tree, labels: NodeLabels, ax: Any, limits: dict[str, Any]
) -> tuple[_Drawing, float]:
    """Return the deepest drawing that fits into given axes, and its scale."""
    ax.figure.draw_without_rendering()  # layouts that move axes do it now
    extent = ax.get_window_extent()
    room = extent.width / ax.figure.dpi, extent.height / ax.figure.dpi
    while True:
        layout = tree_layout(tree, labels, **limits, max_width=room[0] * PIXELS - 2 * BORDER)
        drawing = _Drawing.of(layout)
        scale = min(1.0, room[0] / drawing.inches[0], room[1] / drawing.inches[1])
        if scale * _points(SMALL) >= MIN_POINTS:
            return drawing, scale
        if layout.depth == 0:
            min_scale = MIN_POINTS / _points(SMALL)
            needed = [min_scale * side for side in drawing.inches]
            raise InputError(
                f"The axes are {room[0]:.1f} by {room[1]:.1f} inches; even a part of the tree "
                f"needs {needed[0]:.1f} by {needed[1]:.1f}. Give larger axes, or none."
            )
        limits = limits | {"max_depth": layout.depth - 1}


def _points(pixels: float) -> float:
    return 72 * pixels / PIXELS


def _draw(ax: Any, drawing: _Drawing, scale: float) -> None:
    layout = drawing.layout
    _set_limits(ax, drawing, scale)
    for edge in layout.edges:
        _draw_edge(ax, edge, scale)
    for box in layout.boxes:
        _draw_box(ax, box, scale)
    for bar in layout.key:
        draw_bar(ax, bar)
    for line in (*layout.key_lines, *drawing.caption):
        write_line(ax, line, scale)


def _set_limits(ax: Any, drawing: _Drawing, scale: float) -> None:
    """Set the limits of the axes: pixels of the layout to scale, the drawing in the middle."""
    extent = ax.get_window_extent()
    pixel = scale * ax.figure.dpi / PIXELS
    across = (extent.width / pixel - drawing.width) / 2
    down = (extent.height / pixel - drawing.height) / 2
    ax.set_xlim(-across, drawing.width + across)
    ax.set_ylim(drawing.height + down, -down)


def _draw_edge(ax: Any, edge: Edge, scale: float) -> None:
    from matplotlib.patches import PathPatch  # noqa: PLC0415
    from matplotlib.path import Path  # noqa: PLC0415

    points = edge.points
    codes = [Path.MOVETO, Path.LINETO, *[Path.CURVE3] * 2, Path.LINETO, *[Path.CURVE3] * 2]
    path = Path([*points, (edge.x2, edge.y2)], [*codes, Path.LINETO])
    width = _points(edge.width) * scale
    ax.add_patch(PathPatch(path, facecolor="none", edgecolor=EDGE, linewidth=width, zorder=1))
    for line in edge.lines:
        write_line(ax, line, scale)


def _draw_box(ax: Any, box: Box, scale: float) -> None:
    colour = EDGE if box.colour is None else class_colour(box.colour)
    _round(ax, box, facecolor=PAPER)
    if box.colour is not None:
        _round(ax, box, facecolor=colour, alpha=0.2)
    dashes = "--" if box.kind == "cut" else "-"
    _round(ax, box, edgecolor=colour, linestyle=dashes, linewidth=_points(1.2) * scale)
    for bar in box.bars:
        draw_bar(ax, bar)
    for line in box.lines:
        write_line(ax, line, scale)


def _round(ax: Any, box: Box, **style: Any) -> None:
    from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415

    plain: dict[str, Any] = {"facecolor": "none", "edgecolor": "none", "zorder": 2}
    shape = f"round,pad=0,rounding_size={ROUND}"
    ax.add_patch(
        FancyBboxPatch((box.x, box.y), box.width, box.height, boxstyle=shape, **plain | style)
    )


def draw_bar(ax: Any, bar: Bar) -> None:
    """Draw a rectangle in the colour of its class."""
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    colour = LINE if bar.colour is None else class_colour(bar.colour)
    patch = Rectangle(
        (bar.x, bar.y), bar.width, bar.height, facecolor=colour, edgecolor="none", zorder=3
    )
    ax.add_patch(patch)


def write_line(ax: Any, line: Line, scale: float) -> None:
    """Write a line of text as it is, without mathematics or TeX."""
    ax.text(
        line.x,
        line.y,
        line.text,
        fontsize=_points(line.size) * scale,
        fontfamily=["DejaVu Sans", "sans-serif"],
        fontweight="bold" if line.strong else "normal",
        color=SOFT if line.soft else INK,
        ha="right" if line.at_end else "left",
        va="baseline",
        parse_math=False,
        usetex=False,
        zorder=4,
    )
