"""Rules files: models as lists of rules that a person can edit and the program reads back."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.errors import UnrenderableError
from rulewright.render.formatting import name_text
from rulewright.render.predicates import predicate_text
from rulewright.render.text import NO_ANSWER, rule_text
from rulewright.rules import (
    LAST_RULE,
    Category,
    Given,
    Interval,
    Missing,
    Rule,
    RulesFile,
    Threshold,
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
    lines = [_line(rule, classes) for rule in file.body.listed]
    lines.append(f"otherwise -> {_answer(file.body.default, classes)}")
    comments = file.comments or ((),) * (len(lines) + 1)
    written = [
        line for before, rule in zip(comments, lines, strict=False) for line in (*before, rule)
    ]
    return "\n".join([*written, *comments[-1], ""])


def _line(rule: Rule, classes: Sequence[object]) -> str:
    text = rule_text(rule, classes)
    if not text.startswith("#") and not LAST_RULE.match(text):
        return text
    condition = predicate_text(rule.condition)  # it would be read as a comment, or as the last line
    return f"({condition}){text[len(condition) :]}"


def _answer(default: int | None, classes: Sequence[object]) -> str:
    if default is None:
        return NO_ANSWER
    name = name_text(str(classes[default]))
    return repr(name) if name.lower() == NO_ANSWER else name
