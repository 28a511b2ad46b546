"""Charts of a certificate and of a path, as positions of marks and labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from rulewright.certificates import (
    Certificate,
    HoldoutCertificate,
    PathEntry,
    SplitCertificate,
)
from rulewright.render import ScaleMark, mean_cost, scale_svg, share_ticks
from rulewright.report.plots import HEIGHT, WIDTH

MAX_EVEN = 40
"""Maximum range of sizes on a linear axis; longer paths have a logarithmic one."""

DIGIT = 9.0
"""Width of a digit."""


def number_ticks(largest: float) -> list[float]:
    """Return round numbers from 0 to just above the largest, at most 8."""
    unit = 10.0 ** math.floor(math.log10(largest)) if largest > 0 else 1.0
    steps = (unit * factor for factor in (0.2, 0.5, 1.0, 2.0))
    step = next(s for s in steps if largest / s <= 7)
    return [step * i for i in range(math.floor(largest / step) + 2)]


def is_checked(certificate: Certificate) -> bool:
    """Whether errors were counted on rows that the model was not learnt from."""
    return isinstance(certificate, SplitCertificate | HoldoutCertificate)


def error_share(errors: int, certificate: Certificate) -> float:
    """Return the share of errors on check rows, or else on the training rows."""
    counted = certificate.errors if is_checked(certificate) else errors
    return counted / certificate.m if certificate.m else 0.0


def error_name(certificate: Certificate) -> str:
    """Return the name of the share of errors that a chart shows beside the bound."""
    return "check error" if is_checked(certificate) else "training error"


def scale_plot(
    certificate: Certificate, errors: int, counts: Sequence[int], *, abstains: bool = False
) -> dict[str, Any]:
    """Return the training or check error, the bound and the error of a guess on one scale.

    ``counts`` are the training rows of each class.
    """
    name = error_name(certificate)
    if abstains:
        name = (
            f"wrong or unanswered {'on check rows' if is_checked(certificate) else 'in training'}"
        )
    guess = 1 - max(counts) / sum(counts)
    share = error_share(errors, certificate)
    interval = certificate.interval if isinstance(certificate, SplitCertificate) else None
    marks = [
        ScaleMark(name, share, "plain"),
        ScaleMark("certified: at most", certificate.bound, "bound"),
        ScaleMark("most frequent class", guess, "guess"),
    ]
    label = f"{name.capitalize()}, certified bound and guessing on one scale"
    return {"drawing": Markup(scale_svg(marks, interval, label)), "interval": interval is not None}


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


def path_plot(
    path: Sequence[PathEntry], chosen: int, costs: Sequence[float] | None = None
) -> dict[str, Any]:
    """Return the bound and the training or check error against size.

    With costs of the classes, the certified cost and the mean cost of a check row.
    """
    bounds = [e.certificate.bound for e in path]
    errors = [error_share(e.errors, e.certificate) for e in path]
    ticks, text = share_ticks(max(*bounds, *errors)), _share_text
    if costs is not None:
        bounds = [e.certificate.cost_bound(list(costs)) for e in path]
        errors = [mean_cost(e.certificate, costs) for e in path]
        ticks, text = number_ticks(max(*bounds, *errors)), _cost_text
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
                "text": text(v),
                "size": e.size,
            }
            for e, v in zip(path, values, strict=True)
        ]

    return {
        "bound": points(bounds),
        "errors": points(errors),
        "ticks": [
            {"y": HEIGHT * (1 - t / top), "text": f"{100 * t:g} %" if costs is None else f"{t:g}"}
            for t in ticks
        ],
        "sizes": _size_labels([(x_of(e.size), str(e.size)) for e in path]),
        "chosen": {"x": x_of(chosen), "size": chosen},
    }


def _share_text(value: float) -> str:
    return f"{100 * value:.1f} %"


def _cost_text(value: float) -> str:
    return f"{value:.3g}"
