"""Classifiers as HTML: the same sentences as the text, escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rulewright.render.arrangements import paragraph
from rulewright.render.points import scaling_notes
from rulewright.render.registry import Support, arrangement_renderer
from rulewright.render.text import NO_ANSWER, arrangement_text
from rulewright.rules import Arrangement

HTML_GENERATOR = '<meta name="generator" content="rulewright">'
"""Line that identifies an HTML page of this library."""


def arrangement_html(
    body: Arrangement,
    answers: Sequence[str],
    *,
    unanswered: str = "",
    support: Sequence[Support] = (),
    max_rules: int | None = None,
) -> str:
    """HTML fragment of a whole classifier.

    Parameters
    ----------
    body : Arrangement
    answers : sequence of str
        Text of each answer, in the order of the class numbers.
    unanswered : str
        Text that follows "no answer" where the classifier abstains.
    support : sequence of (float, float)
        For each rule, the training weight that it answers and how much of it has its class. Rules
        of lists and votes and bands of scorecards show it.
    max_rules : int, optional
        Maximum number of rules, or of lines of a tree, that are shown.

    Examples
    --------
    >>> from rulewright.rules import Disjunction, Missing
    >>> arrangement_html(Disjunction((Missing("a<b"),), 1, 0), ["no", "yes"])[61:]
    '<ol><li>&#x27;a&lt;b&#x27; is missing</li></ol>'
    """
    names = [f"<b>{escape(text)}</b>" for text in (*answers, NO_ANSWER)]  # ABSTAIN finds the last
    renderer = arrangement_renderer(body)
    fragment = renderer.html(body, names, unanswered, support, max_rules)
    if fragment is None:
        text = arrangement_text(body, answers, unanswered=unanswered, support=support)
        return f"<pre>{escape(_first_lines(text, max_rules))}</pre>"
    notes = [paragraph(escape(" ".join(note))) for note in scaling_notes(body)]
    return fragment + "".join(notes)


def _first_lines(text: str, max_lines: int | None) -> str:
    lines = text.split("\n")
    left = len(lines) - len(lines[:max_lines])
    if not left:
        return text
    rest = f"... and {left} more lines: print the model to read them all"
    return "\n".join([*lines[:max_lines], rest])
