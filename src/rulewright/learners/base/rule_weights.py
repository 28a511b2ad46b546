"""Weights that boosting assigns to voting rules."""

from __future__ import annotations

import math
from collections.abc import MutableSequence

from rulewright.rules import Rule, WeightedRule

STEPS = 16
"""Weights are encoded in sixteenths: finer ones would only make the message longer."""
MIN_WEIGHT = 1 / STEPS
"""Smallest weight of a rule."""


def rule_weight_of(right: float, wrong: float, smallest: float) -> float:
    """Weight of a rule in sixteenths, from the weights that it covers correctly and wrongly.

    It is ``ln((W+ + s) / (W- + s)) / 2``: W. Cohen and Y. Singer (1999), A Simple, Fast, and
    Effective Rule Learner, section 3.

    Examples
    --------
    >>> rule_weight_of(0.5, 0.125, smallest=0.0)
    0.6875
    """
    return round(STEPS * math.log((right + smallest) / (wrong + smallest)) / 2) / STEPS


def add_weighted_rule(
    voters: MutableSequence[WeightedRule], rule: Rule, rule_weight: float
) -> None:
    """Add a rule to a vote; if the vote has it already, its weight is raised."""
    for place, voter in enumerate(voters):
        if voter.condition == rule.condition and voter.output == rule.output:
            voters[place] = WeightedRule(rule.condition, rule.output, voter.weight + rule_weight)
            return
    voters.append(WeightedRule(rule.condition, rule.output, rule_weight))
