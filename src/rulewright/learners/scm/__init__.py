"""The set covering machine."""

__all__ = ["build_scm"]

from rulewright.learners.scm.search import build_scm
