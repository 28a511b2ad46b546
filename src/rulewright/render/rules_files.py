"""Rules files: models as lists of rules that a person can edit and the program reads back."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.errors import UnrenderableError
from rulewright.render.formatting import name_text, number_text
from rulewright.render.predicates import predicate_text
from rulewright.render.text import NO_ANSWER
from rulewright.rules import (
    LAST_RULE,
    Category,
    Given,
    Interval,
    Missing,
    Rule,
    RulesFile,
    Scorecard,
    ScoreLine,
    Threshold,
    WeightedRule,
    literals_of,
)

WRITTEN = (Threshold, Interval, Category, Missing, Given)
"""Tests whose text is read back."""


def rules_file_text(file: RulesFile, classes: Sequence[object]) -> str:
    """Return the text of a rules file.

    Examples
    --------
    >>> from rulewright.rules import RuleList
    >>> rules = RuleList((Rule(Threshold("age", True, 40.0), 1),), default=0)
    >>> print(rules_file_text(RulesFile(rules, (("# old",), (), ())), ["bad", "good"]), end="")
    # old
    age > 40 -> good
    otherwise -> bad
    """
    for literal in literals_of(file.body):
        if not isinstance(literal, WRITTEN):
            raise UnrenderableError(
                f"The test {predicate_text(literal)[:60]!r} cannot be written in a rules file, "
                "which has tests of single columns. Learn with thresholds and categories."
            )
    lines = [_line(part, classes) for part in file.parts]
    if isinstance(file.body, Scorecard):
        below, above = file.body.outputs[0], file.body.outputs[-1]
        if file.body.cut is not None:
            lines.append(f"{file.body.cut} points or more -> {_answer(above, classes)}")
        lines.append(f"otherwise -> {_answer(below, classes)}")
    else:
        lines.append(f"otherwise -> {_answer(file.body.default, classes)}")
    comments = file.comments or ((),) * (len(lines) + 1)
    written = [
        line for before, rule in zip(comments, lines, strict=False) for line in (*before, rule)
    ]
    return "\n".join([*written, *comments[-1], ""])


def _line(part: Rule | ScoreLine, classes: Sequence[object]) -> str:
    condition = predicate_text(part.condition)
    text = f"{condition} -> {_result(part, classes)}"
    if not text.startswith("#") and not LAST_RULE.match(text):
        return text
    return f"({condition}){text[len(condition) :]}"  # else a comment, or the last line


def _result(part: Rule | ScoreLine, classes: Sequence[object]) -> str:
    """Return what follows the arrow: a class, a class with votes, or points."""
    labels = [str(label) for label in classes]
    if isinstance(part, ScoreLine):
        text = f"{part.points} points"
        if text in labels:
            raise UnrenderableError(f"The class {text!r} reads as points: rename it.")
        return text
    name = name_text(labels[part.output])
    if not isinstance(part, WeightedRule):
        return name
    votes = f"with {number_text(part.weight)} votes"
    return f"{name!r} {votes}" if f"{name} {votes}" in labels else f"{name} {votes}"


def _answer(default: int | None, classes: Sequence[object]) -> str:
    if default is None:
        return NO_ANSWER
    name = name_text(str(classes[default]))
    return repr(name) if name.lower() == NO_ANSWER else name
