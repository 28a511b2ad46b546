"""Rules from trees: every path of a tree becomes a rule."""

__all__ = [
    "Candidate",
    "CandidateList",
    "HillClimber",
    "SubsetSelection",
    "TermBits",
    "TreeRulesSearch",
    "Trial",
    "WeightedExamples",
    "arranged",
    "boosted",
    "class_order",
    "collapsed",
    "halves",
    "paths_of",
    "together",
    "winnowed",
]

from rulewright.learners.tree_rules.arranging import CandidateList, arranged, class_order
from rulewright.learners.tree_rules.boosting import Trial, boosted, together
from rulewright.learners.tree_rules.paths import collapsed, paths_of
from rulewright.learners.tree_rules.search import TreeRulesSearch
from rulewright.learners.tree_rules.selecting import HillClimber, SubsetSelection, TermBits
from rulewright.learners.tree_rules.weighted_examples import Candidate, WeightedExamples
from rulewright.learners.tree_rules.winnowing import halves, winnowed
