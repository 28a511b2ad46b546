"""Scorecards: few conditions with small whole-number points, and a total that answers."""

__all__ = [
    "Bands",
    "RiskCurve",
    "ScorecardSearch",
    "fitted_curve",
    "make_candidates",
    "merged_totals",
]

from rulewright.learners.scorecard.bands import Bands, RiskCurve, fitted_curve, merged_totals
from rulewright.learners.scorecard.candidates import make_candidates
from rulewright.learners.scorecard.search import ScorecardSearch
