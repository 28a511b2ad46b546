"""Weights of rules that vote, as boosting gives them."""

from __future__ import annotations

import math
from collections.abc import MutableSequence

from rulewright.rules import Rule, WeightedRule

STEPS = 16
"""Weights are told in sixteenths: finer ones would make the message longer, and change nothing."""


def rule_weight_of(right: float, wrong: float, smallest: float) -> float:
    """Give the weight of a rule by the weights that it covers, rightly and wrongly, in sixteenths.

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
    """Add a rule to a vote; where it is there already, its weight is raised."""
    for place, voter in enumerate(voters):
        if voter.condition == rule.condition and voter.output == rule.output:
            voters[place] = WeightedRule(rule.condition, rule.output, voter.weight + rule_weight)
            return
    voters.append(WeightedRule(rule.condition, rule.output, rule_weight))
