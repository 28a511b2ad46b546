"""Pictures of the gallery for examples that draw none: the first lines that they print."""

import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

SIZE = (4.0, 2.8)
"""Inches, at 100 dots each: the size of the other pictures of the gallery."""
LINES, LETTERS = 7, 30
OUTPUT = re.compile(r"sphx-glr-script-out\n\n \.\. code-block:: none\n\n((?:    .*\n|\n)+)")


def printed_lines(page: str) -> list[str]:
    """The first lines of output on a page, shortened."""
    found = OUTPUT.search(page)
    lines = [line[4:] for line in found[1].splitlines()] if found else []
    return [line if len(line) <= LETTERS else f"{line[: LETTERS - 1]}…" for line in lines[:LINES]]


def draw(lines: list[str], path: Path) -> None:
    """Draw lines of text as a picture."""
    figure = plt.figure(figsize=SIZE, dpi=100)
    options = {"family": "monospace", "size": 15, "linespacing": 1.6, "va": "top"}
    figure.text(0.04, 0.94, "\n".join(lines), parse_math=False, **options)
    figure.savefig(path)
    plt.close(figure)


def draw_thumbnails(app: Any) -> None:
    """Draw a picture for each example without one, after the gallery was made."""
    gallery = Path(app.srcdir) / "gallery"
    for page in sorted(gallery.glob("[0-9]*.rst")):
        lines = printed_lines(page.read_text(encoding="utf-8"))
        if lines and not list((gallery / "images").glob(f"sphx_glr_{page.stem}_0*.png")):
            draw(lines, gallery / "images" / "thumb" / f"sphx_glr_{page.stem}_thumb.png")
