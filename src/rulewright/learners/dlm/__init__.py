"""The decision list machine."""

__all__ = ["build_dlm"]

from rulewright.learners.dlm.search import build_dlm
