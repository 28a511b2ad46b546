"""Verdicts of the card: the lecture's, and ours from measured numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

LECTURE = {
    "mixed data": ("no", "no", "no"),
    "missing values": ("no", "no", "yes"),
    "outliers": ("no", "yes", "no"),
    "monotone transformations": ("no", "no", "no"),
    "scalability": ("yes", "yes", "yes"),
    "irrelevant inputs": ("no", "no", "no"),
    "linear combinations": ("yes", "yes", "yes"),
    "interpretable": ("yes", "yes", "yes"),
    "accurate": ("yes", "yes", "yes"),
}
"""Verdicts on perceptron, logistic regression and discriminant analysis, by criterion."""
IN_LECTURE = ("perceptron", "logistic", "lda")

MAX_LOSS = 0.02
"""Accuracy that a robust learner may lose, as a share of all answers."""
MAX_MISSING_LOSS = 0.1
"""Accuracy that may be lost with a fifth of all cells missing, which takes information away."""
MAX_CHANGED = 0.01
MAX_EXPONENT = 1.3
MAX_LITERALS = 50
MAX_BEHIND = 0.05
"""Accuracy below that of the random forest, and error above the least possible."""


@dataclass(frozen=True)
class Measured:
    """What was measured of one learner; losses are of accuracy, as shares of all answers."""

    takes_mixed: bool
    mixed_excess: float
    takes_missing: bool
    missing_loss: float
    cause_loss: float
    outlier_loss: float
    changed: float
    exponent: float
    noise_loss: float
    rotation_loss: float
    rules: float | None
    literals: float | None
    columns: float | None
    accuracy: float
    behind: float


def points(loss: float) -> str:
    """A loss in percentage points, with its sign as a change of accuracy."""
    return f"{-100 * loss + 0.0:+.1f}"


def _mixed(m: Measured) -> tuple[bool, str]:
    text = f"{100 * m.mixed_excess:+.1f}" if m.takes_mixed else "refused"
    return m.takes_mixed and m.mixed_excess <= MAX_BEHIND, text


def _missing(m: Measured) -> tuple[bool, str]:
    robust = max(m.missing_loss, m.cause_loss) <= MAX_MISSING_LOSS
    numbers = f"{points(m.missing_loss)}, {points(m.cause_loss)}"
    return m.takes_missing and robust, numbers if m.takes_missing else f"refused; {numbers}"


def _interpretable(m: Measured) -> tuple[bool, str]:
    if m.literals is None:
        return False, "no rules"
    return m.literals <= MAX_LITERALS, f"{m.literals:,.0f}"


VERDICTS: dict[str, Callable[[Measured], tuple[bool, str]]] = {
    "mixed data": _mixed,
    "missing values": _missing,
    "outliers": lambda m: (m.outlier_loss <= MAX_LOSS, points(m.outlier_loss)),
    "monotone transformations": lambda m: (m.changed <= MAX_CHANGED, f"{100 * m.changed:.1f} %"),
    "scalability": lambda m: (m.exponent <= MAX_EXPONENT, f"{m.exponent:.2f}"),
    "irrelevant inputs": lambda m: (m.noise_loss <= MAX_LOSS, points(m.noise_loss)),
    "linear combinations": lambda m: (m.rotation_loss <= MAX_LOSS, points(m.rotation_loss)),
    "interpretable": _interpretable,
    "accurate": lambda m: (m.behind <= MAX_BEHIND, f"{100 * m.accuracy:.1f} %"),
}
"""Verdict on a learner and the number behind it, by criterion."""


def verdict(criterion: str, measured: Measured) -> str:
    """Yes or no, with the number behind it."""
    holds, number = VERDICTS[criterion](measured)
    return f"{'yes' if holds else 'no'} ({number})"
