"""Lowering of scorecards: totals of whole numbers, and what they answer."""

from __future__ import annotations

from rulewright.render.lowering import Inputs, lowered_condition, register_lowering
from rulewright.render.programs import BandForm, Choice, TotalsForm
from rulewright.rules import ClassScorecard, Scorecard, extreme_totals


@register_lowering(Scorecard)
def _scorecard(body: Scorecard, inputs: Inputs) -> Choice:
    lowest, highest = extreme_totals(body.lines)
    # Every total is above a lower limit, and below a higher one: languages have limited integers.
    lows = (min(max(band.low, lowest), highest + 1) for band in body.bands[1:])
    return BandForm(
        tuple(lowered_condition(line.condition, inputs) for line in body.lines),
        tuple(line.points for line in body.lines),
        tuple(lows),
        body.shares,
    )


@register_lowering(ClassScorecard)
def _class_scorecard(body: ClassScorecard, inputs: Inputs) -> Choice:
    return TotalsForm(
        tuple(lowered_condition(line.condition, inputs) for line in body.lines),
        tuple(line.points for line in body.lines),
        body.start,
        body.slope,
    )
