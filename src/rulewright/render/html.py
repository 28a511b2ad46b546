"""Nodes as HTML: the same sentences as the text, escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import zip_longest
from typing import Any

from rulewright.render.formatting import class_text, number_text, weight_text
from rulewright.render.predicates import headline_text, predicate_details
from rulewright.render.spaces import scaling_notes
from rulewright.render.text import (
    LIST_HEAD,
    NO_ANSWER,
    VOTE_HEAD,
    arrangement_text,
    condition_text,
    if_text,
)
from rulewright.rules import Arrangement, Conjunction, Disjunction, Predicate, RuleList, RuleVote


def arrangement_html(
    body: Arrangement,
    classes: Sequence[object],
    *,
    say: Callable[[Any], str] = class_text,
    unanswered: str = "",
    support: Sequence[tuple[float, float]] = (),
    most: int | None = None,
) -> str:
    """Write a whole classifier as an HTML fragment; ``say`` writes a class.

    ``unanswered`` is said where the classifier abstains. With ``support``, the training weight that
    each rule answers and how much of it rightly, the rules of lists and votes show it. Of more than
    ``most`` rules, or lines of a tree, the first ones are shown, and how many there are.

    Examples
    --------
    >>> from rulewright.rules import Missing
    >>> arrangement_html(Disjunction((Missing("a<b"),), 1, 0), ["no", "yes"])[61:]
    '<ol><li>&#x27;a&lt;b&#x27; is missing</li></ol>'
    """
    names = [f"<b>{escape(say(label))}</b>" for label in classes]
    names.append(f"<b>{NO_ANSWER}</b>")  # ABSTAIN finds the last
    count = escape(unanswered) if body.abstains else _fit(support[-1] if support else None)
    match body:
        case Conjunction((_, *_), then, otherwise) | Disjunction((_, *_), then, otherwise):
            head = f"{names[then]} {condition_text(body)}, otherwise {names[otherwise]}:"
            items = [_item(escape(headline_text(part)), part) for part in body.parts]
            fragment = _paragraph(head) + _ordered(items, most)
        case RuleList((_, *_) as rules):
            items = [
                _item(
                    f"{names[rule.output]} {escape(if_text(rule.condition))}{_fit(fit)}",
                    rule.condition,
                )
                for rule, fit in zip_longest(rules, support[: len(rules)])
            ]
            end = _paragraph(f"otherwise {names[body.closing.output]}{count}")
            fragment = _paragraph(LIST_HEAD) + _ordered(items, most) + end
        case RuleVote((_, *_) as voters):
            items = [
                _item(
                    f"{number_text(voter.weight)} for {names[voter.output]} "
                    f"{escape(if_text(voter.condition))}{_fit(fit)}",
                    voter.condition,
                )
                for voter, fit in zip_longest(voters, support[: len(voters)])
            ]
            end = _paragraph(f"{names[body.closing.output]} where nothing votes{count}")
            end = "" if body.never_silent else end
            fragment = _paragraph(VOTE_HEAD) + _ordered(items, most) + end
        case _:
            said = arrangement_text(body, classes, say=say, unanswered=unanswered)
            return f"<pre>{escape(_first_lines(said, most))}</pre>"
    notes = [_paragraph(escape(" ".join(note))) for note in scaling_notes(body)]
    return fragment + "".join(notes)


def _fit(support: tuple[float, float] | None) -> str:
    """Write how a rule did in training, if it is known and the rule answered at all."""
    if support is None or not support[0]:
        return ""
    weight, right = support
    cases = "case" if weight == 1 else "cases"
    return f" <small>({weight_text(weight)} {cases}, {100 * right / weight:.1f} % right)</small>"


def _paragraph(content: str) -> str:
    return f"<p>{content}</p>"


def _ordered(items: Sequence[str], most: int | None) -> str:
    shown = items[:most]
    left = len(items) - len(shown)
    rest = _paragraph(f"... and {left} more: print the model to read them all") if left else ""
    return f"<ol>{''.join(shown)}</ol>{rest}"


def _first_lines(text: str, most: int | None) -> str:
    lines = text.split("\n")
    left = len(lines) - len(lines[:most])
    if not left:
        return text
    rest = f"... and {left} more lines: print the model to read them all"
    return "\n".join([*lines[:most], rest])


def _item(content: str, condition: Predicate) -> str:
    """Make an item of a list, the details of its condition as a list below it."""
    details = "".join(f"<li>{escape(detail)}</li>" for detail in predicate_details(condition))
    return f"<li>{content}{f'<ul>{details}</ul>' if details else ''}</li>"
