"""Picture of rules for people: their texts, their answers, and the cases that each answers.

It is drawn by matplotlib, which is imported on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rulewright.render.figures import pyplot
from rulewright.render.formatting import weight_text
from rulewright.render.text_metrics import shorten, text_width, wrap_text
from rulewright.render.tree_drawing import PIXELS, draw_bar, write_line
from rulewright.render.tree_geometry import Bar, Line

WIDTH, MARGIN, GAP = 1100.0, 30.0, 18.0
NUMBER, CONDITION, ANSWER, BAR = 30.0, 430.0, 140.0, 220.0
"""Widths of the columns in pixels; the last one has the rest."""
TITLE, SIZE, SMALL = 19.0, 13.5, 11.5
"""Font sizes."""
STEP, BAR_HEIGHT = 1.4, 15.0
MAX_CONDITION_LINES, MAX_TITLE_LINES, MAX_CAPTION_LINES = 5, 3, 12


@dataclass(frozen=True)
class PicturedRule:
    """A rule in a picture.

    Attributes
    ----------
    number : int
    condition, answer : str
    output : int or None
        Number of the class it answers with; None for no answer.
    counts : sequence of float
        Cases of each class that it answers.
    """

    number: int
    condition: str
    answer: str
    output: int | None
    counts: Sequence[float]


def rule_figure(
    rules: Sequence[PicturedRule],
    classes: Sequence[str],
    *,
    title: str,
    caption: Sequence[str] = (),
    counted: str = "training cases",
) -> Any:
    """Draw rules one below the other, each with a bar of the cases that it answers.

    Parameters
    ----------
    rules : sequence of PicturedRule
    classes : sequence of str
        The text of each class, for the key of the colours.
    title : str
        What the rules answer, and which of them answers.
    caption : sequence of str
        Sentences below the picture, such as those of the certificate.
    counted : str
        What the cases are.

    Returns
    -------
    matplotlib's Figure
    """
    lines, bars, height = _laid_out(rules, classes, title, caption, counted)
    figure = pyplot().figure(figsize=(WIDTH / PIXELS, height / PIXELS))
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    ax.set_xlim(0, WIDTH)
    ax.set_ylim(height, 0)
    for bar in bars:
        draw_bar(ax, bar)
    for line in lines:
        write_line(ax, line, 1.0)
    return figure


def _laid_out(
    rules: Sequence[PicturedRule],
    classes: Sequence[str],
    title: str,
    caption: Sequence[str],
    counted: str,
) -> tuple[list[Line], list[Bar], float]:
    """Return the lines of text, the bars, and the height of the picture."""
    room = WIDTH - 2 * MARGIN
    lines, bars = [], []
    y = MARGIN
    for text in wrap_text(title, room, TITLE, max_lines=MAX_TITLE_LINES, strong=True):
        y += TITLE * STEP
        lines.append(Line(text, MARGIN, y - TITLE * 0.4, TITLE, strong=True))
    key_lines, key_bars = _key(classes, y + GAP, counted)
    lines += key_lines
    bars += key_bars
    y += 2 * GAP
    most = max((sum(rule.counts) for rule in rules), default=0.0)
    whole = sum(sum(rule.counts) for rule in rules)
    for rule in rules:
        row_lines, row_bars, y = _row(rule, y + GAP, most, whole)
        lines += row_lines
        bars += row_bars
    y += GAP
    for sentence in caption:
        y += GAP * 0.4
        for text in wrap_text(sentence, room, SMALL, max_lines=MAX_CAPTION_LINES):
            y += SMALL * STEP
            lines.append(Line(text, MARGIN, y, SMALL, soft=True))
    return lines, bars, y + MARGIN


def _key(classes: Sequence[str], y: float, counted: str) -> tuple[list[Line], list[Bar]]:
    """Return the colours of the classes with their names."""
    lines, bars = [], []
    x = MARGIN
    for number, name in enumerate(classes):
        text = shorten(name, ANSWER, SMALL)
        if x + text_width(text, SMALL) > WIDTH - 2 * MARGIN - BAR:
            break
        bars.append(Bar(x, y - SMALL * 0.8, SMALL, SMALL, number))
        lines.append(Line(text, x + SMALL * 1.5, y, SMALL, soft=True))
        x += SMALL * 1.5 + text_width(text, SMALL) + GAP
    lines.append(Line(counted, WIDTH - MARGIN, y, SMALL, soft=True, at_end=True))
    return lines, bars


def _row(
    rule: PicturedRule, top: float, most: float, whole: float
) -> tuple[list[Line], list[Bar], float]:
    """Return the lines and bars of a rule, and where it ends."""
    texts = wrap_text(rule.condition, CONDITION, SIZE, max_lines=MAX_CONDITION_LINES)
    base = top + SIZE
    left = MARGIN + NUMBER
    lines = [Line(f"{rule.number}.", MARGIN, base, SIZE, soft=True)]
    lines += [
        Line(text, left, base + place * SIZE * STEP, SIZE) for place, text in enumerate(texts)
    ]
    x = left + CONDITION + GAP
    bars = [Bar(x, top - 1, 4.0, BAR_HEIGHT + 4, rule.output)]
    answer = shorten(rule.answer, ANSWER - 12, SIZE, strong=True)
    lines.append(Line(answer, x + 12, base, SIZE, strong=True))
    x += ANSWER
    bars += _stack(rule, x, top, most)
    lines.append(Line(_result(rule, whole), WIDTH - MARGIN, base, SMALL, at_end=True))
    return lines, bars, top + max(len(texts) * SIZE * STEP, BAR_HEIGHT)


def _stack(rule: PicturedRule, x: float, y: float, most: float) -> list[Bar]:
    """Return the cases of each class side by side, those of the answer first."""
    if not most:
        return []
    order = sorted(range(len(rule.counts)), key=lambda number: number != rule.output)
    bars = []
    for number in order:
        width = BAR * rule.counts[number] / most
        if width:
            bars.append(Bar(x, y, width, BAR_HEIGHT, number))
        x += width
    return bars


def _result(rule: PicturedRule, whole: float) -> str:
    support = sum(rule.counts)
    if not support:
        return "0"
    share = 100 * support / whole
    cases = f"{weight_text(support)} ({'< 1' if share < 1 else f'{share:.0f}'} %)"
    if rule.output is None:
        return cases
    return f"{cases}, {100 * rule.counts[rule.output] / support:.0f} % right"
