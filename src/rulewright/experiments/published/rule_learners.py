"""Names of the learners in the table of the paper on conjunctive rules."""

from __future__ import annotations

from importlib.util import find_spec

C50_PACKAGE = "C5.0 (c50py)"
STAND_IN = "C5.0 (tree rules, 10 trials)"


def c50() -> str:
    """The learner in the row of C5.0: the package c50py, or rules of boosted trees without it."""
    return C50_PACKAGE if find_spec("c50py") else STAND_IN


def learners() -> list[str]:
    """The eleven learners in the order of the table."""
    names = ["RIPPER-opt", "RIPPER+opt", "C4.5(Tree)", "C4.5(Rules)", c50(), "SLIPPER"]
    return [*names, "LR", "WV", "DL", "WV+CS", "DL+CS"]
