"""SLIPPER: rules grown and pruned one by one, and boosted into a vote."""

__all__ = [
    "PARTS",
    "BoostedClasses",
    "Booster",
    "HeldOutScores",
    "OneVsRestProblem",
    "WeightedTerms",
    "vote_of",
]

from rulewright.learners.slipper.held_out_scores import BoostedClasses, HeldOutScores
from rulewright.learners.slipper.search import PARTS, Booster, OneVsRestProblem, WeightedTerms
from rulewright.learners.slipper.settings import vote_of
