"""Charts of a certificate and of a path, as numbers: where each mark and label goes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rulewright.models import Certificate, PathEntry
from rulewright.render import percent_text
from rulewright.report.plots import HEIGHT, WIDTH


def share_ticks(most: float) -> list[float]:
    """Give round shares from 0 to just above the most: 5 to 8 of them where that can be."""
    step = next(s for s in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if most / s <= 7 or s == 0.2)
    count = math.floor(most / step) + 1
    return [step * i for i in range(count + 1)]


def scale_plot(certificate: Certificate, errors: int, counts: Sequence[int]) -> dict[str, Any]:
    """Mark the training error, the bound and guessing on one scale.

    ``counts`` are the training rows of each class.
    """
    guess = 1 - max(counts) / sum(counts)
    ticks = share_ticks(max(guess, certificate.bound, errors / certificate.m))
    end = ticks[-1]
    marks = [
        ("training error", errors / certificate.m, "plain"),
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


def path_plot(path: Sequence[PathEntry], chosen: int) -> dict[str, Any]:
    """Training error and bound against size."""
    bounds = [e.certificate.bound for e in path]
    errors = [e.errors / e.certificate.m for e in path]
    ticks = share_ticks(max(*bounds, *errors))
    top = ticks[-1]
    span = max(path[-1].size - path[0].size, 1)

    def x_of(size: int) -> float:
        return WIDTH * (size - path[0].size) / span if len(path) > 1 else WIDTH / 2

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
        "sizes": [{"x": x_of(e.size), "text": str(e.size)} for e in path],
        "chosen": {"x": x_of(chosen), "size": chosen},
    }
