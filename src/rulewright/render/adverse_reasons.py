"""The reasons for one answer, as a letter to the person concerned would state them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulewright.errors import InputError, preview
from rulewright.render.english_conditions import english_text
from rulewright.render.formatting import count_text, number_text
from rulewright.render.renderer_models import RenderedModel
from rulewright.rules import (
    AllOf,
    Arrangement,
    ClassScorecard,
    Predicate,
    Rule,
    RuleVote,
    Scorecard,
)


def adverse_lines(model: RenderedModel, answer: str) -> list[str]:
    """Return the reasons for an answer, the heaviest first where they have weights.

    Parameters
    ----------
    model : RenderedModel
    answer : str
        Text of the answer, such as the class of refused applications.
    """
    names = list(model.answer_texts)
    if answer not in names:
        raise InputError(f"adverse must be one of the answers, {preview(names)}; got {answer!r}.")
    reasons = _reasons(model.body, names.index(answer))
    return [f"Reasons to state where the answer is {answer}:", *(f"- {r}" for r in reasons)]


def _reasons(body: Arrangement, output: int) -> list[str]:
    match body:
        case Scorecard(lines):
            sign = 1 if output == 1 else -1
            return _scored([(line.condition, sign * line.points) for line in lines])
        case ClassScorecard(_, class_lines):
            return _scored([(each.condition, _lead(each.points, output)) for each in class_lines])
        case RuleVote(voters):
            found = [rule for rule in voters if rule.output == output]
            heaviest = sorted(found, key=lambda rule: -rule.weight)
            return [
                f"{english_text(rule.condition)} (weight {number_text(rule.weight)})."
                for rule in heaviest
            ]
        case _:
            return _listed(body.rules, output)


def _lead(points: Sequence[int], output: int) -> int:
    """Return how many points an answer gets more than the best of the others."""
    others = [number for place, number in enumerate(points) if place != output]
    return points[output] - max(others, default=0)


def _scored(lines: Iterable[tuple[Predicate, int]]) -> list[str]:
    """Return the conditions that lead to an answer, and those that would have led away from it."""
    reasons = []
    for condition, points in sorted(lines, key=lambda line: -abs(line[1])):
        counted = count_text(abs(points), "point")
        text = english_text(condition)
        if points > 0:
            reasons.append(f"{text} ({counted}).")
        elif points < 0:
            reasons.append(f"It is not the case that {text} ({counted} missed).")
    return reasons


def _listed(rules: Sequence[Rule], output: int) -> list[str]:
    """Return the conditions of the rules that answer; of the last, that no other one holds."""
    reasons = []
    for rule in rules:
        if rule.output != output:
            continue
        if rule.condition != AllOf():
            reasons.append(f"{english_text(rule.condition)}.")
            continue
        others = [each.condition for each in rules if each.output != output]
        none = "; ".join(map(english_text, others))
        reasons.append(f"None of these holds: {none}." if others else "It is the only answer.")
    return reasons
