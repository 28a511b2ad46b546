"""Charts of a certificate and of a path, as positions of marks and labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rulewright.certificates import Certificate, PathEntry
from rulewright.render import percent_text
from rulewright.report.plots import HEIGHT, WIDTH

MAX_EVEN = 40
"""Maximum range of sizes on a linear axis; longer paths have a logarithmic one."""

DIGIT = 9.0
"""Width of a digit."""


def share_ticks(largest: float) -> list[float]:
    """Return round shares from 0 to just above the largest; 5 to 8 of them where possible."""
    step = next(s for s in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if largest / s <= 7 or s == 0.2)
    count = math.floor(largest / step) + 1
    return [step * i for i in range(count + 1)]


def scale_plot(
    certificate: Certificate, errors: int, counts: Sequence[int], *, abstains: bool = False
) -> dict[str, Any]:
    """Return the training error, the bound and the error of a guess on one scale.

    ``counts`` are the training rows of each class.
    """
    name = "wrong or unanswered in training" if abstains else "training error"
    guess = 1 - max(counts) / sum(counts)
    ticks = share_ticks(max(guess, certificate.bound, errors / certificate.m))
    end = ticks[-1]
    marks = [
        (name, errors / certificate.m, "plain"),
        ("certified: at most", certificate.bound, "bound"),
        ("always the most frequent class", guess, "guess"),
    ]
    return {
        "ticks": [{"x": WIDTH * tick / end, "text": f"{100 * tick:g} %"} for tick in ticks],
        "marks": [
            {
                "name": name,
                "x": WIDTH * share / end,
                "text": percent_text(share) if kind == "bound" else f"{100 * share:.1f} %",
                "kind": kind,
            }
            for name, share, kind in marks
        ],
    }


def _size_labels(sizes: Sequence[tuple[float, str]]) -> list[dict[str, Any]]:
    """Return the labels of the last size and of those others that fit beside it."""
    last, shown = sizes[-1], [sizes[0]]
    for x, text in sizes[1:-1]:
        if x - shown[-1][0] >= _label_room(text, shown[-1][1]):
            if last[0] - x >= _label_room(text, last[1]):
                shown.append((x, text))
    return [{"x": x, "text": text} for x, text in (*shown, last)]


def _label_room(one: str, other: str) -> float:
    return DIGIT * (len(one) + len(other)) / 2 + DIGIT


def path_plot(path: Sequence[PathEntry], chosen: int) -> dict[str, Any]:
    """Return training error and bound against size."""
    bounds = [e.certificate.bound for e in path]
    errors = [e.errors / e.certificate.m for e in path]
    ticks = share_ticks(max(*bounds, *errors))
    top = ticks[-1]
    small, large = path[0].size, path[-1].size
    place = float if large - small <= MAX_EVEN else math.log1p

    def x_of(size: int) -> float:
        return WIDTH * (place(size) - place(small)) / max(place(large) - place(small), 1e-9)

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
        "bound": points(bounds),
        "errors": points(errors),
        "ticks": [{"y": HEIGHT * (1 - t / top), "text": f"{100 * t:g} %"} for t in ticks],
        "sizes": _size_labels([(x_of(e.size), str(e.size)) for e in path]),
        "chosen": {"x": x_of(chosen), "size": chosen},
    }
