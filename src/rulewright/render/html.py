"""Nodes as HTML: the same sentences as the text, escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rulewright.render.text import arrangement_text, class_text, condition_text, predicate_text
from rulewright.rules import Arrangement, Conjunction, Disjunction


def arrangement_html(body: Arrangement, classes: Sequence[object]) -> str:
    """Write a whole classifier as an HTML fragment.

    Examples
    --------
    >>> from rulewright.rules import Missing
    >>> arrangement_html(Disjunction((Missing("a<b"),), 1, 0), ["no", "yes"])[61:]
    '<ol><li>a&lt;b is missing</li></ol>'
    """
    if isinstance(body, Conjunction | Disjunction) and body.parts:
        then, otherwise = (
            f"<b>{escape(class_text(classes[c]))}</b>" for c in (body.then, body.otherwise)
        )
        items = "".join(f"<li>{escape(predicate_text(part))}</li>" for part in body.parts)
        return f"<p>{then} {condition_text(body)}, otherwise {otherwise}:</p><ol>{items}</ol>"
    return f"<pre>{escape(arrangement_text(body, classes))}</pre>"
