"""Text in a drawing: about how wide it is, where to break it, how to shorten it.

A drawing is laid out before anybody knows the font, so the widths are those of DejaVu Sans, which
matplotlib brings and which is wider than what browsers use.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

ELLIPSIS = "…"
TIE = "\N{NO-BREAK SPACE}"
"""A blank at which no line is broken; no printable name holds one."""

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
"""Letters by their widths, as shares of their size; narrow ones may be rounded up to a pixel."""

WIDEST = 1.15
_PLAIN, _BOLD = (
    {letter: width for width, letters in widths.items() for letter in letters}
    for widths in (PLAIN, BOLD)
)


@cache
def _letter_width(letter: str, strong: bool) -> float:
    widths = _BOLD if strong else _PLAIN
    if letter == TIE:
        return widths[" "]
    if letter in widths or not unicodedata.combining(letter):
        base = unicodedata.normalize("NFD", letter)[0]  # an accent makes no letter wider
        return widths.get(base, WIDEST)
    return 0.0


def text_width(text: str, size: float, *, strong: bool = False) -> float:
    """Say how wide a line of text is, rather too wide than too narrow.

    Examples
    --------
    >>> text_width("mean radius", 12) > 2 * text_width("illicit", 12)
    True
    """
    return max(_ends(text, size, strong), default=0.0)


def _fitting(text: str, width: float, size: float, strong: bool) -> int:
    """Count the letters from the first on that fit into a width."""
    ends = enumerate(_ends(text, size, strong))
    return next((place for place, end in ends if end > width), len(text))


def _ends(text: str, size: float, strong: bool) -> Iterator[float]:
    """Say where each letter ends."""
    return accumulate(_letter_width(letter, strong) * size for letter in text)


def shortened(text: str, width: float, size: float, *, strong: bool = False) -> str:
    """Leave out the middle of a text that is too wide; its end often is what tells it from others.

    Examples
    --------
    >>> shortened("the first of many long names, number 17", 160, 12)
    'the first of… number 17'
    """
    if _fitting(text, width, size, strong) == len(text):
        return text
    room = max(width - text_width(ELLIPSIS, size, strong=strong), 0.0)
    head = text[: max(_fitting(text, 0.55 * room, size, strong), 1)]
    rest = room - text_width(head, size, strong=strong)
    tail = _fitting(text[::-1], rest, size, strong)
    return head.rstrip() + ELLIPSIS + text[len(text) - tail :]


def broken(
    text: str, width: float, size: float, *, most: int, strong: bool = False
) -> tuple[str, ...]:
    """Break a text into lines no wider than ``width``, at most so many, the last cut short.

    Lines are broken between words, and in a word that has no room on a line of its own.

    Examples
    --------
    >>> broken("worst_concave_points <= 0.1423", 100, 12, most=3)
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
        if len(lines) > most:
            kept = lines[most - 1]
            room = width - text_width(ELLIPSIS, size, strong=strong)
            kept = kept[: max(_fitting(kept, room, size, strong), 1)].rstrip(f" ,{TIE}")
            lines[most - 1 :] = [kept + ELLIPSIS]
            break
    return tuple(line.replace(TIE, " ") for line in lines if line)


def _hyphen(word: str, end: int) -> int:
    """Find the best place to break a word, at most so many letters on."""
    places = [match.end() for match in re.finditer(r"[_\-./,:;)\]}]|[a-z](?=[A-Z])", word[:end])]
    return places[-1] if places and places[-1] > end // 2 else end
