"""Text in a drawing: its approximate width, line breaks and shortening.

The font is not known when a drawing is laid out. The widths are those of DejaVu Sans, which comes
with matplotlib and is wider than the fonts of browsers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

ELLIPSIS = "…"
NO_BREAK = "\N{NO-BREAK SPACE}"
"""A blank at which no line is broken; no printable name contains one."""

PLAIN = {
    0.35: "'ijl",
    0.36: " ,./:;IJ\\|",
    0.44: "()-[]ft",
    0.46: "!r",
    0.5: '"*_`',
    0.56: "?csz",
    0.6: "FLkvxy",
    0.64: "$0123456789ESPTYabdeghnopqu{}",
    0.71: "ABCKRVXZ",
    0.75: "NU",
    0.79: "&DGHOQ",
    0.84: "#+<=>^w~",
    0.87: "M",
    0.98: "%m",
    1.0: "@W…",
}
BOLD = {
    0.35: " 'ijl",
    0.4: ",./:;IJ\\|",
    0.45: "-f",
    0.5: "!()[]rt",
    0.55: '"*_`',
    0.6: "?csz",
    0.65: "Lx",
    0.71: "$0123456789EFTaekovy",
    0.75: "PSYZbdghnpqu{}",
    0.8: "ABCKRVX",
    0.85: "DGHNU#+<=>^~",
    0.9: "&OQ",
    0.95: "w",
    1.0: "M…",
    1.05: "%m",
    1.1: "@",
    1.15: "W",
}
"""Letters by their widths, as shares of the font size; narrow ones may be rounded up to a pixel."""

WIDEST = 1.15
_PLAIN, _BOLD = (
    {letter: width for width, letters in widths.items() for letter in letters}
    for widths in (PLAIN, BOLD)
)


@cache
def _letter_width(letter: str, strong: bool) -> float:
    widths = _BOLD if strong else _PLAIN
    if letter == NO_BREAK:
        return widths[" "]
    if letter in widths or not unicodedata.combining(letter):
        base = unicodedata.normalize("NFD", letter)[0]  # an accent makes no letter wider
        return widths.get(base, WIDEST)
    return 0.0


def text_width(text: str, size: float, *, strong: bool = False) -> float:
    """Return the width of a line of text; it is rather too large than too small.

    Examples
    --------
    >>> text_width("mean radius", 12) > 2 * text_width("illicit", 12)
    True
    """
    return max(_ends(text, size, strong), default=0.0)


def _fitting(text: str, width: float, size: float, strong: bool) -> int:
    """Return the number of first characters that fit into a width."""
    ends = enumerate(_ends(text, size, strong))
    return next((place for place, end in ends if end > width), len(text))


def _ends(text: str, size: float, strong: bool) -> Iterator[float]:
    """Return the position of the end of each letter."""
    return accumulate(_letter_width(letter, strong) * size for letter in text)


def shorten(text: str, width: float, size: float, *, strong: bool = False) -> str:
    """Return a text without its middle where it is too wide; the end often distinguishes names.

    Examples
    --------
    >>> shorten("the first of many long names, number 17", 160, 12)
    'the first of… number 17'
    """
    if _fitting(text, width, size, strong) == len(text):
        return text
    room = max(width - text_width(ELLIPSIS, size, strong=strong), 0.0)
    head = text[: max(_fitting(text, 0.55 * room, size, strong), 1)]
    rest = room - text_width(head, size, strong=strong)
    tail = _fitting(text[::-1], rest, size, strong)
    return head.rstrip() + ELLIPSIS + text[len(text) - tail :]


def wrap_text(
    text: str, width: float, size: float, *, max_lines: int, strong: bool = False
) -> tuple[str, ...]:
    """Break a text into at most ``max_lines`` lines no wider than ``width``.

    Lines are broken between words, and within a word that is wider than a line. The last line is
    cut short where the text does not fit.

    Examples
    --------
    >>> wrap_text("worst_concave_points <= 0.1423", 100, 12, max_lines=3)
    ('worst_concave_', 'points <=', '0.1423')
    """
    lines, rest = [""], text.strip()
    while rest:
        word = rest.split(" ", 1)[0]
        start = f"{lines[-1]} {word}" if lines[-1] else word
        if _fitting(start, width, size, strong) == len(start):
            lines[-1], rest = start, rest[len(word) :].lstrip(" ")
        elif lines[-1]:
            lines.append("")
        else:
            end = _hyphen(word, max(_fitting(word, width, size, strong), 1))
            lines[-1], rest = word[:end], rest[end:].lstrip(" ")
            lines += [""] * bool(rest)
        if len(lines) > max_lines:
            kept = lines[max_lines - 1]
            room = width - text_width(ELLIPSIS, size, strong=strong)
            kept = kept[: max(_fitting(kept, room, size, strong), 1)].rstrip(f" ,{NO_BREAK}")
            lines[max_lines - 1 :] = [kept + ELLIPSIS]
            break
    return tuple(line.replace(NO_BREAK, " ") for line in lines if line)


def _hyphen(word: str, end: int) -> int:
    """Return the best place to break a word, at most ``end`` characters on."""
    places = [match.end() for match in re.finditer(r"[_\-./,:;)\]}]|[a-z](?=[A-Z])", word[:end])]
    return places[-1] if places and places[-1] > end // 2 else end
