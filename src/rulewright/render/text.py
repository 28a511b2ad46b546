"""Classifiers and certificates as text that a person reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.errors import UnrenderableError
from rulewright.render.formatting import (
    class_text,
    confidence_text,
    count_text,
    name_text,
    number_text,
    percent_text,
)
from rulewright.render.predicates import (
    detail_lines,
    headline_text,
    pieces_of,
    predicate_text,
)
from rulewright.render.spaces import Pieces, scaling_notes
from rulewright.rules import (
    SHARES,
    AllOf,
    Arrangement,
    Conjunction,
    Disjunction,
    Leaf,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    Tree,
)

WIDTH = 100
"""Letters a line, for what stands below a rule."""

DEEPEST = 20
"""Depth in a tree, and letters before a condition, up to which lines are indented."""

BELOW = 7
"""Letters by which lines are indented that stand below a rule."""

NO_ANSWER = "no answer"
"""What is said in the place of a class where a model abstains."""

LIST_HEAD, VOTE_HEAD = "the first of these that holds:", "the class with the most votes:"


def arrangement_text(
    body: Arrangement,
    classes: Sequence[object],
    *,
    say: Callable[[Any], str] = class_text,
    unanswered: str = "",
) -> str:
    """Write a whole classifier, with the names of its classes; ``say`` writes one.

    ``unanswered`` is said where the classifier abstains.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> parts = (Threshold("glucose", True, 127.0), Threshold("bmi", True, 29.9))
    >>> print(arrangement_text(Conjunction(parts, then=1, otherwise=0), ["healthy", "ill"]))
    ill if all of these hold, otherwise healthy:
      1. glucose > 127
      2. bmi > 29.9
    """
    names = [*(say(label) for label in classes), NO_ANSWER]  # ABSTAIN finds the last
    count = unanswered if body.abstains else ""
    match body:
        case Conjunction(()) | Disjunction(()) | RuleList(()) | Tree((Leaf(),)):
            return f"always {names[body.outputs[-1]]}{count}"
        case Conjunction(parts, then, otherwise) | Disjunction(parts, then, otherwise):
            head = f"{names[then]} {condition_text(body)}, otherwise {names[otherwise]}:"
            lines = [head, *_numbered([""] * len(parts), parts)]
        case RuleList(rules):
            answers = [f"{names[rule.output]} " for rule in rules]
            conditions = [rule.condition for rule in rules]
            last = f"otherwise {names[body.closing.output]}{count}"
            lines = [LIST_HEAD, *_numbered(answers, conditions), last]
        case RuleVote(voters):
            votes = [f"{number_text(v.weight)} for {names[v.output]} " for v in voters]
            conditions = [voter.condition for voter in voters]
            last = f"{names[body.closing.output]} where nothing votes{count}"
            lines = [
                VOTE_HEAD,
                *_numbered(votes, conditions),
                *([] if body.never_silent else [last]),
            ]
        case Tree():
            lines = _tree_lines(body, names)
        case _:
            raise UnrenderableError(f"{type(body).__name__} has no form as text.")
    notes = [line for note in scaling_notes(body) for line in _broken(note, "")]
    return "\n".join(lines + notes)


def condition_text(body: Conjunction | Disjunction) -> str:
    """Say how many of its parts must hold."""
    return "if all of these hold" if isinstance(body, Conjunction) else "if any of these holds"


def if_text(condition: Predicate) -> str:
    """Write the condition of a rule after its class."""
    return "always" if condition == AllOf() else f"if {headline_text(condition)}"


def rule_text(rule: Rule, classes: Sequence[object]) -> str:
    """Write a rule as ``rulewright.rules.parse_rule`` reads it.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> rule_text(Rule(Threshold("glucose", True, 127.0), 1), ["negative", "positive"])
    'glucose > 127 -> positive'
    """
    return f"{predicate_text(rule.condition)} -> {name_text(str(classes[rule.output]))}"


def _numbered(answers: Sequence[str], conditions: Sequence[Predicate]) -> list[str]:
    lines = []
    digits = len(str(len(answers)))
    heads = [f"  {number:>{digits}}. {answer}" for number, answer in enumerate(answers, 1)]
    deep = max(map(len, heads), default=0) > DEEPEST
    for head, answer, condition in zip(heads, answers, conditions, strict=True):
        said = if_text(condition) if answer else headline_text(condition)
        lines += _hanging(head + said, condition, " " * (BELOW if deep else len(head)))
        for detail in detail_lines(condition):
            lines += _broken(detail, " " * BELOW)
    return lines


def _hanging(line: str, condition: Predicate, indent: str) -> list[str]:
    """Break a line that is too long between the parts of its condition."""
    if len(line) <= WIDTH or condition == AllOf():
        return [line]
    first, *rest = pieces_of(condition)
    end = line.removesuffix(headline_text(condition))
    lines = [end + first]
    for piece in rest:
        if len(lines[-1]) + len(f" {piece}") > WIDTH:
            lines.append(indent + piece)
        else:
            lines[-1] += f" {piece}"
    return lines


def _broken(pieces: Pieces, indent: str) -> list[str]:
    """Break a line that is too long, between its pieces."""
    lines = [indent + pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) > WIDTH:
            lines.append(f"{indent}  {piece}")
        else:
            lines[-1] += f" {piece}"
    return lines


def _tree_lines(tree: Tree, names: Sequence[str]) -> list[str]:
    lines: list[str] = []
    waiting: list[tuple[int, int, str]] = [(0, 0, "")]
    while waiting:
        number, depth, prefix = waiting.pop()
        node = tree.nodes[number]
        indent = _indent(depth)
        if isinstance(node, Leaf):
            lines.append(f"{indent}{prefix}{names[node.output]}")
            continue
        if prefix:
            lines.append(f"{indent}{prefix.rstrip()}")
            depth += 1
        heads = [*(f"if {predicate_text(test)}" for test in node.tests), "else"]
        if node.shares:
            shares = zip(heads, node.shares, strict=True)
            heads = [f"{head} ({share}/{SHARES} where missing)" for head, share in shares]
        branches = list(zip(node.branches, [f"{head}: " for head in heads], strict=True))
        waiting += [(child, depth, head) for child, head in reversed(branches)]
    return lines


def _indent(depth: int) -> str:
    """Indent a line; far down write its depth instead, or the text would outgrow its tree."""
    return "  " * depth if depth <= DEEPEST else f"{'  ' * DEEPEST}[{depth}] "


def certificate_text(
    *,
    bound: float,
    delta: float,
    examples: int,
    bits: float,
    others: int,
    errors: int,
    guess: float,
    abstains: bool = False,
) -> str:
    """Say a certificate in words, and say so when it says nothing.

    ``guess`` is the share of errors of always answering the most frequent class.
    """
    return _promise(bound, delta, abstains) + (
        f"{count_text(examples, 'training example')} and {bits:.1f} bits rebuild the model; "
        f"checked on {others} others: {_errors(errors, abstains)}." + _honest(bound, guess)
    )


def holdout_text(
    *,
    bound: float,
    delta: float,
    held: int,
    errors: int,
    models: int,
    guess: float,
    abstains: bool = False,
) -> str:
    """Say a certificate in words that rests on rows which were held out."""
    chosen = f", which chose among {models} models" if models > 1 else ""
    return _promise(bound, delta, abstains) + (
        f"checked on {count_text(held, 'row')} that were held out{chosen}: "
        f"{_errors(errors, abstains)}." + _honest(bound, guess, "rows held out")
    )


def _promise(bound: float, delta: float, abstains: bool) -> str:
    return (
        f"With confidence {confidence_text(delta)}, at most {percent_text(bound)} of new cases are "
        f"misjudged{' or left unanswered' if abstains else ''}; "
    )


def _errors(errors: int, abstains: bool) -> str:
    return f"{errors} misjudged or unanswered" if abstains else count_text(errors, "error")


def _honest(bound: float, guess: float, cases: str = "training cases") -> str:
    if bound >= 0.5 >= guess:
        return " This certificate says nothing: a coin would do as well."
    if bound < guess:
        return ""
    return (
        " This certificate says little: always answering the most frequent class misjudges "
        f"{100 * guess:.1f} % of the {cases}."
    )
