"""Rules of all classes in a list: which class comes first, and what is left to the default.

J. R. Quinlan (1993), C4.5, section 5.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.tree_rules.covering import Candidate, Examples

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Answer = Callable[[Mask], int]
"""Gives the class to answer some examples with."""


def arranged(
    examples: Examples, by_class: Sequence[Sequence[Candidate]], loss: Floats, answer: Answer
) -> tuple[list[Candidate], int]:
    """Put the classes in order, then leave out rules that do more harm than good.

    Also gives what is answered where no rule holds.
    ``loss`` is what answering each example (rows) with each class (columns) costs.
    """
    rules = [rule for output in class_order(examples, by_class) for rule in by_class[output]]
    default = answer(~_covered(rules, examples.y.size))
    while (worst := harmful(rules, default, loss)) is not None:
        del rules[worst]
        default = answer(~_covered(rules, examples.y.size))
    while rules and rules[-1].output == default:  # it answers what the default would
        del rules[-1]
    return rules, default


def first_answers(rules: Sequence[Candidate], default: int, rows: int) -> NDArray[np.intp]:
    """Give each example the class of the first rule that covers it, or the default."""
    answers = np.full(rows, default)
    for rule in reversed(rules):
        answers[rule.rows] = rule.output
    return answers


def class_order(examples: Examples, by_class: Sequence[Sequence[Candidate]]) -> list[int]:
    """Order classes by their false alarms, the fewest first, among what none before covers."""
    left = np.ones(examples.y.size, np.bool_)
    covers = {c: _covered(rules, left.size) for c, rules in enumerate(by_class) if rules}
    order: list[int] = []
    while covers:
        alarms = {
            c: float(examples.worth[mask & left & (examples.y != c)].sum())
            for c, mask in covers.items()
        }
        first = min(alarms, key=lambda c: (alarms[c], c))
        left &= ~covers.pop(first)
        order.append(first)
    return order


def harmful(rules: Sequence[Candidate], default: int, loss: Floats) -> int | None:
    """Find the rule whose omission would save the most on the examples, the first of equals."""
    if not rules:
        return None
    none = len(rules)
    first = np.full(loss.shape[0], none)
    second = first.copy()
    for number in reversed(range(none)):
        rows = rules[number].rows
        second[rows] = first[rows]
        first[rows] = number
    outputs = np.array([*(rule.output for rule in rules), default])
    row = np.arange(first.size)
    saved = loss[row, outputs[first]] - loss[row, outputs[second]]
    savings = np.bincount(first, saved, none + 1)[:none]
    best = int(savings.argmax())
    return best if savings[best] > 1e-9 else None


def _covered(rules: Sequence[Candidate], rows: int) -> Mask:
    covered = np.zeros(rows, np.bool_)
    for rule in rules:
        covered[rule.rows] = True
    return covered
