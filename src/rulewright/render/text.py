"""Classifiers as text that a person reads."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.render.arrangements import broken_line
from rulewright.render.formatting import name_text
from rulewright.render.points import scaling_notes
from rulewright.render.predicates import predicate_text
from rulewright.render.registry import Support, arrangement_renderer
from rulewright.rules import Arrangement, Rule

NO_ANSWER = "no answer"
"""Text in the place of a class where a model abstains."""


def arrangement_text(
    body: Arrangement,
    answers: Sequence[str],
    *,
    unanswered: str = "",
    support: Sequence[Support] = (),
) -> str:
    """Text of a whole classifier.

    Parameters
    ----------
    body : Arrangement
    answers : sequence of str
        Text of each answer, in the order of the class numbers.
    unanswered : str
        Text that follows "no answer" where the classifier abstains.
    support : sequence of (float, float)
        For each rule, the training weight that it answers and how much of it has its class. The
        bands of a scorecard show it.

    Examples
    --------
    >>> from rulewright.rules import Conjunction, Threshold
    >>> parts = (Threshold("glucose", True, 127.0), Threshold("bmi", True, 29.9))
    >>> print(arrangement_text(Conjunction(parts, then=1, otherwise=0), ["healthy", "ill"]))
    ill if all of these hold, otherwise healthy:
      1. glucose > 127
      2. bmi > 29.9
    """
    names = [*answers, NO_ANSWER]  # ABSTAIN finds the last
    count = unanswered if body.abstains else ""
    lines = arrangement_renderer(body).text(body, names, count, support)
    notes = [line for note in scaling_notes(body) for line in broken_line(note, "")]
    return "\n".join(lines + notes)


def summary_text(body: Arrangement) -> str:
    """Return the kind and size of an arrangement in a few words.

    Examples
    --------
    >>> from rulewright.rules import Conjunction, Missing
    >>> summary_text(Conjunction((Missing("age"),), then=1, otherwise=0))
    'conjunction of 1 test'
    """
    return arrangement_renderer(body).summary(body)


def rule_text(rule: Rule, classes: Sequence[object]) -> str:
    """Text of a rule that ``rulewright.rules.parse_rule`` reads back.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> rule_text(Rule(Threshold("glucose", True, 127.0), 1), ["negative", "positive"])
    'glucose > 127 -> positive'
    """
    return f"{predicate_text(rule.condition)} -> {name_text(str(classes[rule.output]))}"
