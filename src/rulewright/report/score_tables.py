"""Scorecards on the page: their points, and the table from totals to risks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.render import BandCases, band_texts, points_text, risk_text, weight_text
from rulewright.report.rule_table import condition_facts
from rulewright.rules import ClassScorecard, Scorecard

Floats = NDArray[np.float64]


def score_facts(body: Scorecard, counts: Floats) -> dict[str, Any]:
    """Points, cut and bands of a scorecard of two classes."""
    largest = max((abs(line.points) for line in body.lines), default=0) or 1
    return {
        "kind": "scorecard",
        "lines": [
            condition_facts(line.condition)
            | {
                "points": points_text(line.points),
                "share": abs(line.points) / largest,
                "class": int(line.points > 0),
            }
            for line in body.lines
        ],
        "cut": body.cut,
        "class": body.outputs[-1],
        "otherwise": body.outputs[0],
        "bands": [
            {"total": total, "risk": risk_text(band.risk), "share": band.risk, "class": band.output}
            | _band_cases(row)
            for total, band, row in zip(band_texts(body), body.bands, counts, strict=True)
        ],
    }


def _band_cases(counts: Floats) -> dict[str, Any]:
    """Training cases of a band, the share of the second class, and its 95 % interval."""
    cases, own = float(counts.sum()), float(counts[1])
    if not cases:
        return {"cases": "0", "observed": "", "interval": ""}
    interval = BandCases(cases, own).interval
    return {"cases": weight_text(cases), "observed": risk_text(own / cases), "interval": interval}


def class_score_facts(body: ClassScorecard) -> dict[str, Any]:
    """Points of a scorecard of several classes."""
    return {
        "kind": "class scorecard",
        "start": [points_text(points) for points in body.start],
        "lines": [
            condition_facts(line.condition) | {"points": [points_text(p) for p in line.points]}
            for line in body.lines
        ],
        "slope": f"{body.slope:g}",
    }
