"""RIPPER: rules grown, pruned, stopped by their description length, and optimised."""

__all__ = [
    "BinaryProblem",
    "RuleSet",
    "RuleSetSearch",
]

from rulewright.learners.ripper.binary_problem import BinaryProblem, RuleSet
from rulewright.learners.ripper.search import RuleSetSearch
