"""Renderers of arrangements: conjunctions, disjunctions, rule lists, votes and trees."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from html import escape
from itertools import zip_longest
from typing import NamedTuple

from rulewright.render.branch_tests import branch_tests
from rulewright.render.formatting import count_text, number_text, weight_text
from rulewright.render.predicates import (
    detail_lines,
    headline_text,
    pieces_of,
    predicate_details,
    predicate_text,
)
from rulewright.render.registry import (
    ArrangementRenderer,
    Pieces,
    SomeArrangement,
    Support,
    register_arrangement,
)
from rulewright.rules import (
    SHARES,
    AllOf,
    Conjunction,
    Disjunction,
    Leaf,
    Predicate,
    RuleList,
    RuleVote,
    Tree,
)

WIDTH = 100
"""Letters on a line."""

MAX_INDENT = 20
"""Depth in a tree, and letters before a condition, up to which lines are indented."""

DETAIL_INDENT = 7
"""Letters by which the details of a rule are indented."""


class Outline(NamedTuple):
    """An arrangement as a heading, numbered conditions and a closing line.

    Attributes
    ----------
    heading : str
    answers : list of str
        Text before each condition; empty where the heading has the answer.
    conditions : sequence of Predicate
    closing : str or None
        The answer where no condition decides.
    """

    heading: str
    answers: list[str]
    conditions: Sequence[Predicate]
    closing: str | None


class OutlineRenderer(ArrangementRenderer[SomeArrangement]):
    """Renderer of an arrangement that has an outline."""

    @abstractmethod
    def outline(self, body: SomeArrangement, names: Sequence[str]) -> Outline | None:
        """Outline of an arrangement; None where it always gives the same answer."""

    def lines(self, body: SomeArrangement, names: Sequence[str], unanswered: str) -> list[str]:
        outline = self.outline(body, names)
        if outline is None:
            return [f"always {names[body.outputs[-1]]}{unanswered}"]
        closing = [] if outline.closing is None else [f"{outline.closing}{unanswered}"]
        return [outline.heading, *_numbered(outline.answers, outline.conditions), *closing]

    def html(
        self,
        body: SomeArrangement,
        names: Sequence[str],
        unanswered: str,
        support: Sequence[Support],
        max_rules: int | None,
    ) -> str | None:
        outline = self.outline(body, names)
        if outline is None or not outline.conditions:
            return None
        rules = support[: len(outline.answers)] if any(outline.answers) else ()
        items = [
            _item(answer, condition, fit)
            for (answer, condition), fit in zip_longest(
                zip(outline.answers, outline.conditions, strict=True), rules
            )
        ]
        last = escape(unanswered) if body.abstains else _fit(support[-1] if support else None)
        closing = "" if outline.closing is None else paragraph(f"{outline.closing}{last}")
        return paragraph(outline.heading) + _ordered(items, max_rules) + closing


class JunctionRenderer(OutlineRenderer[Conjunction | Disjunction]):
    """``ill if all of these hold, otherwise healthy:``, then the parts."""

    def outline(self, body: Conjunction | Disjunction, names: Sequence[str]) -> Outline | None:
        if not body.parts:
            return None
        heading = f"{names[body.then]} {junction_text(body)}, otherwise {names[body.otherwise]}:"
        return Outline(heading, [""] * len(body.parts), body.parts, None)

    def summary(self, body: Conjunction | Disjunction) -> str:
        return f"{type(body).__name__.lower()} of {count_text(len(body.parts), 'test')}"


class RuleListRenderer(OutlineRenderer[RuleList]):
    """``the first of these that holds:``, then the rules and the default."""

    def outline(self, body: RuleList, names: Sequence[str]) -> Outline | None:
        if not body.listed:
            return None
        return Outline(
            "the first of these that holds:",
            [f"{names[rule.output]} " for rule in body.listed],
            [rule.condition for rule in body.listed],
            f"otherwise {names[body.default_rule.output]}",
        )

    def summary(self, body: RuleList) -> str:
        return f"list of {count_text(len(body.listed), 'rule')}"


class RuleVoteRenderer(OutlineRenderer[RuleVote]):
    """``the class with the most votes:``, then the weighted rules and the default."""

    def outline(self, body: RuleVote, names: Sequence[str]) -> Outline:
        closing = f"{names[body.default_rule.output]} where nothing votes"
        return Outline(
            "the class with the most votes:",
            [f"{number_text(rule.weight)} for {names[rule.output]} " for rule in body.voters],
            [rule.condition for rule in body.voters],
            None if body.always_votes else closing,
        )

    def summary(self, body: RuleVote) -> str:
        return f"vote of {count_text(len(body.voters), 'rule')}"


class TreeRenderer(ArrangementRenderer[Tree]):
    """Indented tests and answers."""

    def lines(self, body: Tree, names: Sequence[str], unanswered: str) -> list[str]:
        if len(body.nodes) == 1:
            return [f"always {names[body.outputs[-1]]}"]
        lines: list[str] = []
        waiting: list[tuple[int, int, str]] = [(0, 0, "")]
        while waiting:
            number, depth, prefix = waiting.pop()
            node = body.nodes[number]
            indent = _indent(depth)
            if isinstance(node, Leaf):
                lines.append(f"{indent}{prefix}{names[node.output]}")
                continue
            if prefix:
                lines.append(f"{indent}{prefix.rstrip()}")
                depth += 1
            heads = [*(f"if {predicate_text(test)}" for test in branch_tests(node)), "else"]
            if node.shares:
                shares = zip(heads, node.shares, strict=True)
                heads = [f"{head} ({share}/{SHARES} where missing)" for head, share in shares]
            branches = list(zip(node.branches, [f"{head}: " for head in heads], strict=True))
            waiting += [(child, depth, head) for child, head in reversed(branches)]
        return lines

    def summary(self, body: Tree) -> str:
        leaves = len(body.outputs)
        return f"tree of {leaves} {'leaf' if leaves == 1 else 'leaves'}"


def _indent(depth: int) -> str:
    """Indent of a line; far down, its depth as a number keeps the line short."""
    return "  " * depth if depth <= MAX_INDENT else f"{'  ' * MAX_INDENT}[{depth}] "


def junction_text(body: Conjunction | Disjunction) -> str:
    """Return the words for how many parts must hold."""
    return "if all of these hold" if isinstance(body, Conjunction) else "if any of these holds"


def if_text(condition: Predicate) -> str:
    """Condition of a rule as it follows the answer."""
    return "always" if condition == AllOf() else f"if {headline_text(condition)}"


def _numbered(answers: Sequence[str], conditions: Sequence[Predicate]) -> list[str]:
    lines = []
    digits = len(str(len(answers)))
    heads = [f"  {number:>{digits}}. {answer}" for number, answer in enumerate(answers, 1)]
    deep = max(map(len, heads), default=0) > MAX_INDENT
    for head, answer, condition in zip(heads, answers, conditions, strict=True):
        text = if_text(condition) if answer else headline_text(condition)
        indent = " " * (DETAIL_INDENT if deep else len(head))
        lines += _hanging(head + text, condition, indent)
        for detail in detail_lines(condition):
            lines += broken_line(detail, " " * DETAIL_INDENT)
    return lines


def _hanging(line: str, condition: Predicate, indent: str) -> list[str]:
    """Line of a rule, broken between the parts of its condition where it is too long."""
    if len(line) <= WIDTH or condition == AllOf():
        return [line]
    first, *rest = pieces_of(condition)
    lines = [line.removesuffix(headline_text(condition)) + first]
    for piece in rest:
        if len(lines[-1]) + len(f" {piece}") > WIDTH:
            lines.append(indent + piece)
        else:
            lines[-1] += f" {piece}"
    return lines


def broken_line(pieces: Pieces, indent: str) -> list[str]:
    """Line of pieces, broken between them where it is too long."""
    lines = [indent + pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) > WIDTH:
            lines.append(f"{indent}  {piece}")
        else:
            lines[-1] += f" {piece}"
    return lines


def _item(answer: str, condition: Predicate, support: Support | None) -> str:
    """Item of an HTML list, with the details of its condition as a list below it."""
    text = if_text(condition) if answer else headline_text(condition)
    details = "".join(f"<li>{escape(detail)}</li>" for detail in predicate_details(condition))
    below = f"<ul>{details}</ul>" if details else ""
    return f"<li>{answer}{escape(text)}{_fit(support)}{below}</li>"


def _fit(support: Support | None) -> str:
    """Training cases that a rule answered, and how many of them it got right."""
    if support is None or not support[0]:
        return ""
    weight, right = support
    cases = "case" if weight == 1 else "cases"
    return f" <small>({weight_text(weight)} {cases}, {100 * right / weight:.1f} % right)</small>"


def paragraph(content: str) -> str:
    """HTML paragraph."""
    return f"<p>{content}</p>"


def _ordered(items: Sequence[str], max_rules: int | None) -> str:
    shown = items[:max_rules]
    left = len(items) - len(shown)
    rest = paragraph(f"... and {left} more: print the model to read them all") if left else ""
    return f"<ol>{''.join(shown)}</ol>{rest}"


register_arrangement(Conjunction, JunctionRenderer())
register_arrangement(Disjunction, JunctionRenderer())
register_arrangement(RuleList, RuleListRenderer())
register_arrangement(RuleVote, RuleVoteRenderer())
register_arrangement(Tree, TreeRenderer())
