"""Colours of classes, text and lines, on paper and on a dark screen."""

from __future__ import annotations

import colorsys

CLASS_COLOURS = (
    "#8fb4d9",
    "#d9742b",
    "#4f9d69",
    "#b58fc6",
    "#d9b44a",
    "#5b6fb5",
    "#c75d6e",
    "#6db5b0",
    "#8c7355",
    "#a3a9b0",
)
DARK_CLASS_COLOURS = (
    "#4f7cab",
    "#e08a48",
    "#5fae79",
    "#a77fbb",
    "#c9a540",
    "#7385cc",
    "#d46f7f",
    "#5da8a3",
    "#a08667",
    "#868d95",
)
INK, SOFT, EDGE, LINE, PAPER = "#1c2430", "#5a6675", "#aab4c0", "#d9dfe6", "#ffffff"


def class_colour(number: int) -> str:
    """Return the colour of a class on paper, for any class number.

    Examples
    --------
    >>> class_colour(1), class_colour(10)
    ('#d9742b', '#af59c0')
    """
    if number < len(CLASS_COLOURS):
        return CLASS_COLOURS[number]
    red, green, blue = colorsys.hls_to_rgb(hue(number) / 360, 0.55, 0.45)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def hue(number: int) -> int:
    """Return the hue, in degrees, of a class beyond the lists of colours."""
    return number * 137 % 360
