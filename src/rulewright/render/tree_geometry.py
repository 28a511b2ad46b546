"""Layout of the drawing of a tree, for any way to draw it.

The root is at the left and the leaves at the right, because tests are wide and low: sixteen leaves
fit on a page at a readable size. Every subtree has a band of its own, so nothing overlaps. Children
follow their parents in the list of nodes, so passes over this list replace recursion. Lengths are
in pixels of a screen, 96 to the inch; y grows downwards.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count, pairwise

from rulewright.render.column_tests import NAME_LINES
from rulewright.render.node_labels import (
    NodeLabel,
    NodeLabels,
    branch_full_text,
    branch_text,
    missing_notes,
    only_column_tests,
    split_full_text,
    split_text,
)
from rulewright.render.text_metrics import ELLIPSIS, shorten, text_width, wrap_text
from rulewright.render.tree_shape import TreeShape
from rulewright.rules import Leaf, Split, Tree

MAX_DEPTH, MAX_LEAVES = 8, 64
PAGE_WIDTH = 912.0
"""Width of the report's page."""

BOX_WIDTHS = (200.0, 170.0, 145.0, 120.0)
"""Widths of the texts in boxes; the first with which the drawing fits is taken."""

MAX_FITTED_DEPTH = 12
"""Depth from which no width makes a tree fit."""

LARGE, SMALL = 12.0, 11.0
LARGE_STEP, SMALL_STEP = 15.0, 13.0
"""Font sizes, and distances of lines."""

PAD, BAR, APART = 8.0, 6.0, 9.0
"""Padding of a box, height of its bar, and distance of two boxes."""

TURN, AFTER, BEND = 12.0, 6.0, 7.0
"""Distance from a box to the fork of its edges, from there to a label, and radius of a bend."""

MAX_LABEL, MAX_LINES, MAX_KEYS = 120.0, 4, 40
MARGIN = 2.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text: its start (or its end), and its base line."""

    text: str
    x: float
    y: float
    size: float
    strong: bool = False
    soft: bool = False
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a bar, and the number of its colour (None: empty)."""

    x: float
    y: float
    width: float
    height: float
    colour: int | None


@dataclass(frozen=True, slots=True)
class Box:
    """A node: ``kind`` is split, leaf, or cut where a subtree is not drawn."""

    node: int
    kind: str
    x: float
    y: float
    width: float
    height: float
    colour: int | None
    lines: tuple[Line, ...]
    bars: tuple[Bar, ...]
    title: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from ``(x1, y1)``, straight to ``turn``, then up or down, then to ``(x2, y2)``."""

    x1: float
    y1: float
    turn: float
    x2: float
    y2: float
    width: float
    lines: tuple[Line, ...]
    title: str

    @property
    def points(self) -> list[tuple[float, float]]:
        """Its start, then the begin, corner and end of each of its two bends."""
        rise = self.y2 - self.y1
        size = min(BEND, abs(rise) / 2)
        bend = size if rise > 0 else -size
        return [
            (self.x1, self.y1),
            (self.turn - size, self.y1),
            (self.turn, self.y1),
            (self.turn, self.y1 + bend),
            (self.turn, self.y2 - bend),
            (self.turn, self.y2),
            (self.turn + size, self.y2),
        ]


@dataclass(frozen=True, slots=True)
class Layout:
    """A whole drawing; ``key`` and ``key_lines`` explain the colours."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    key: tuple[Bar, ...]
    key_lines: tuple[Line, ...]
    caption: str
    leaves: int
    depth: int


def tree_layout(
    tree: Tree,
    labels: NodeLabels,
    *,
    missing: Collection[str] | None = None,
    max_depth: int | None = MAX_DEPTH,
    max_leaves: int | None = MAX_LEAVES,
    max_width: float = PAGE_WIDTH,
) -> Layout:
    """Lay out a tree.

    Parameters
    ----------
    tree : Tree
    labels : NodeLabels
        Labels of the nodes.
    missing : collection of str, optional
        Names of the columns in which values can be missing, where they are known.
    max_depth, max_leaves : int or None
        Limits of the drawing; a larger tree is drawn to the depth that meets both.
    max_width : float
        Maximum width, where the texts can be broken to meet it.
    """
    shape = TreeShape.of(tree, max_depth, max_leaves)
    for limit in BOX_WIDTHS if shape.depth < MAX_FITTED_DEPTH else BOX_WIDTHS[-1:]:
        layout = _laid_out(shape, labels, missing, limit)
        if layout.width <= max_width:
            break
    return layout


@dataclass(slots=True)
class _DraftBox:
    """A box whose texts are broken into lines and whose place is not yet known."""

    number: int
    kind: str
    shown: NodeLabel
    text: tuple[str, ...]
    corner: str
    title: str
    label: tuple[str, ...] = ()
    below: str = ""
    label_title: str = ""
    children: list[_DraftBox] = field(default_factory=list)
    band: float = 0.0
    top: float = 0.0
    middle: float = 0.0

    @property
    def width(self) -> float:
        strong = self.kind == "leaf"
        widest = max((text_width(line, LARGE, strong=strong) for line in self.text), default=0.0)
        note = text_width(self.shown.note, SMALL)
        corner = text_width(self.corner, SMALL) + 10
        return 2 * PAD + (max(widest + corner, note) if strong else max(widest, note + corner))

    @property
    def height(self) -> float:
        return 5 + LARGE_STEP * len(self.text) + SMALL_STEP + 6 + BAR + 6

    @property
    def label_width(self) -> float:
        return max(text_width(line, SMALL) for line in (*self.label, self.below))

    @property
    def above(self) -> float:
        """Height above the middle, of the box or of the label."""
        return max(self.height / 2, 5 + SMALL_STEP * len(self.label))

    @property
    def beneath(self) -> float:
        return max(self.height / 2, 4 + SMALL_STEP * bool(self.below))


def _laid_out(
    shape: TreeShape, labels: NodeLabels, missing: Collection[str] | None, limit: float
) -> Layout:
    nodes = _nodes(shape, labels, missing, limit)
    levels: list[list[_DraftBox]] = [[] for _ in range(shape.depth + 1)]
    for node in nodes.values():
        levels[shape.level[node.number]].append(node)
    _place(list(nodes.values()))
    widths = [max(node.width for node in level) for level in levels]
    gaps = [TURN + AFTER + max(n.label_width for n in level) + AFTER for level in levels[1:]]
    steps = (wide + gap for wide, gap in zip(widths, gaps, strict=False))
    lefts = list(accumulate(steps, initial=MARGIN))
    width = lefts[-1] + widths[-1] + MARGIN
    key, key_lines, head = _key(labels.key, max(width, 320.0))
    everything = max(nodes[0].shown.weight, 1e-300)
    boxes, edges = [], []
    for level, left, wide in zip(levels, lefts, widths, strict=True):
        boxes += [_box(node, left, head, wide) for node in level]
    for (level, left, wide), (_, right, _) in pairwise(zip(levels, lefts, widths, strict=True)):
        for node in level:
            edges += [_edge(node, c, left + wide, right, head, everything) for c in node.children]
    ends = [*(line.x + text_width(line.text, line.size) for line in key_lines), width]
    return Layout(
        width=max(ends),
        height=head + nodes[0].band - APART + 2 * MARGIN,
        boxes=tuple(boxes),
        edges=tuple(edges),
        key=key,
        key_lines=key_lines,
        caption=_caption(shape, labels, missing),
        leaves=shape.leaves[0],
        depth=shape.depth,
    )


def _nodes(
    shape: TreeShape, labels: NodeLabels, missing: Collection[str] | None, limit: float
) -> dict[int, _DraftBox]:
    """Return the boxes of the drawn nodes, with the labels of their edges."""
    tests, rules = count(1), count(1)
    names = [
        f"#{next(rules)}" if isinstance(node, Leaf) else f"test {next(tests)}"
        for node in shape.tree.nodes
    ]
    nodes = {n: _node(shape, n, labels.of(n), names[n], limit) for n in shape.drawn}
    for number, node in nodes.items():
        split = shape.tree.nodes[number]
        if isinstance(split, Split) and not shape.is_cut(number):
            _label(node, split, nodes, missing)
    return nodes


def _node(shape: TreeShape, number: int, shown: NodeLabel, name: str, limit: float) -> _DraftBox:
    node = shape.tree.nodes[number]
    details = [shown.note, *shown.details]
    if isinstance(node, Leaf):
        short = shorten(shown.text, NAME_LINES * limit, LARGE, strong=True)
        text = wrap_text(short, limit, LARGE, max_lines=MAX_LINES, strong=True)
        return _DraftBox(number, "leaf", shown, text, name, "\n".join([shown.text, *details]))
    title = "\n".join([split_full_text(node), *details])
    text = wrap_text(split_text(node, limit, LARGE), limit, LARGE, max_lines=MAX_LINES)
    if shape.is_cut(number):
        below = f"{ELLIPSIS} {shape.leaves[number]} leaves below"
        text = (below,) if number else (*text, below)  # the root always shows its test
        return _DraftBox(number, "cut", shown, text, name, title)
    return _DraftBox(number, "split", shown, text, name, title)


def _label(
    node: _DraftBox, split: Split, nodes: dict[int, _DraftBox], missing: Collection[str] | None
) -> None:
    """Label the edge to each child with the answer that leads there."""
    for place, child in enumerate(split.branches):
        text = branch_text(split, place, MAX_LABEL, SMALL)
        nodes[child].label = wrap_text(text, MAX_LABEL, SMALL, max_lines=MAX_LINES)
        nodes[child].label_title = branch_full_text(split, place)
        node.children.append(nodes[child])
    for branch, note in zip(node.children, missing_notes(split, missing), strict=True):
        branch.below = note
        branch.label_title += f" {note}" if note else ""


def _place(nodes: Sequence[_DraftBox]) -> None:
    """Place every subtree in a band, and each node between its first and last child."""
    for node in reversed(nodes):
        own = node.above + node.beneath + APART
        node.band = max(own, sum(child.band for child in node.children))
    for node in nodes:
        spare = node.band - sum(child.band for child in node.children)
        top = node.top + spare / 2
        for child in node.children:
            child.top, top = top, top + child.band
    for node in reversed(nodes):
        first, last = node.top + node.above, node.top + node.band - APART - node.beneath
        middle = (first + last) / 2
        if node.children:
            middle = (node.children[0].middle + node.children[-1].middle) / 2
        node.middle = min(max(middle, first), last)


def _box(node: _DraftBox, left: float, head: float, width: float) -> Box:
    top = MARGIN + head + node.middle - node.height / 2
    x, y, lines = left + PAD, top + 5, []
    strong = node.kind == "leaf"
    for text in node.text:
        y += LARGE_STEP
        lines.append(Line(text, x, y - 3, LARGE, strong=strong, soft=node.kind == "cut"))
    y += SMALL_STEP
    lines.append(Line(node.shown.note, x, y - 2, SMALL, soft=True))
    corner = lines[0].y if strong else lines[-1].y
    lines.append(Line(node.corner, left + width - PAD, corner, SMALL, soft=True, at_end=True))
    bars = _bars(node.shown.bar, x, y + 4, width - 2 * PAD)
    height = node.height
    kind, colour = node.kind, node.shown.colour
    return Box(node.number, kind, left, top, width, height, colour, tuple(lines), bars, node.title)


def _bars(parts: Sequence[tuple[int, float]], x: float, y: float, width: float) -> tuple[Bar, ...]:
    """Return the parts of a bar side by side, with the empty rest at the end."""
    rest = 1.0 - sum(share for _, share in parts)
    filled: list[tuple[int | None, float]] = [*parts]
    if rest > 1e-9:
        filled.append((None, rest))
    starts = accumulate((share for _, share in filled), initial=0.0)
    return tuple(
        Bar(x + width * start, y, width * share, BAR, colour)
        for start, (colour, share) in zip(starts, filled, strict=False)
    )


def _edge(
    parent: _DraftBox, child: _DraftBox, left: float, right: float, head: float, everything: float
) -> Edge:
    y1, y2 = (MARGIN + head + node.middle for node in (parent, child))
    x = left + TURN + AFTER
    start = y2 - 5 - SMALL_STEP * (len(child.label) - 1)
    lines = [
        Line(text, x, start + SMALL_STEP * place, SMALL) for place, text in enumerate(child.label)
    ]
    if child.below:
        lines.append(Line(child.below, x, y2 + 2 + SMALL, SMALL, soft=True))
    width = 1.0 + 3.0 * child.shown.weight / everything
    return Edge(left, y1, left + TURN, right, y2, width, tuple(lines), child.label_title)


def _key(names: Sequence[str], width: float) -> tuple[tuple[Bar, ...], tuple[Line, ...], float]:
    """Return the names of the colours, in rows above the tree."""
    squares, lines = [], []
    x, y = MARGIN, MARGIN
    shown = [shorten(name, min(220.0, width - 20), SMALL) for name in names[:MAX_KEYS]]
    if len(names) > MAX_KEYS:
        shown.append(f"{ELLIPSIS} {len(names) - MAX_KEYS} more classes")
    for colour, name in enumerate(shown):
        wide = 15 + text_width(name, SMALL)
        if x > MARGIN and x + wide > width:
            x, y = MARGIN, y + 18
        if colour < MAX_KEYS:
            squares.append(Bar(x, y, 10.0, 10.0, colour))
        lines.append(Line(name, x + 15, y + 9, SMALL, soft=True))
        x += wide + 16
    return tuple(squares), tuple(lines), y + 24 if names else 0.0


def _caption(shape: TreeShape, labels: NodeLabels, missing: Collection[str] | None) -> str:
    sentences = []
    if shape.depth < shape.deepest:
        sentences.append(
            f"Drawn to depth {shape.depth} of {shape.deepest}: {shape.hidden} of the "
            f'{shape.leaves[0]} leaves lie below the boxes marked "{ELLIPSIS}".'
        )
    sentences.append(labels.caption)
    splits = [node for node in shape.tree.nodes if isinstance(node, Split)]
    if any(any(missing_notes(split, missing)) for split in splits if split.shares):
        sentences.append(
            "Rows with a missing value take several branches, by the shares shown there."
        )
    kept = [split for split in splits if not split.shares]
    if missing is None and kept and only_column_tests(kept):
        sentences.append(
            "Where its value is missing, a row takes the lowest branch, unless the test mentions "
            "missing values."
        )
    return " ".join(sentences)
