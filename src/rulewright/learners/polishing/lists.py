"""Polishing of lists of rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rulewright.learners.polishing.objective import Classes, Losses, Mask
from rulewright.learners.polishing.polisher import Polisher, Smaller, register_polisher
from rulewright.rules import AllOf, Predicate, Rule, RuleList


@register_polisher(RuleList)
class ListPolisher(Polisher[RuleList]):
    """A list: the first rule whose condition holds answers."""

    def conditions(self, body: RuleList) -> tuple[Predicate, ...]:
        return tuple(rule.condition for rule in body.listed)

    def with_condition(self, body: RuleList, number: int, condition: Predicate) -> RuleList:
        rules = list(body.listed)
        rules[number] = replace(rules[number], condition=condition)
        return replace(body, listed=tuple(rules))

    def row_loss(self, body: RuleList) -> Losses:
        return self.task.lost(self._answers(body.listed, body.default_rule.output))

    def arms(self, body: RuleList, number: int) -> tuple[Losses, Losses]:
        before = self._answers(body.listed[:number], NOT_REACHED)
        after = self._answers(body.listed[number + 1 :], body.default_rule.output)
        reached = before == NOT_REACHED
        own = body.listed[number].output
        return (
            self.task.lost(np.where(reached, own, before)),
            self.task.lost(np.where(reached, after, before)),
        )

    def _answers(self, rules: tuple[Rule, ...], default: int) -> Classes:
        """Answer of each row by some rules, or the default."""
        answers = np.full(self.task.sample.y.size, default, np.int32)
        for rule in reversed(rules):
            answers[self.task.evaluation.holds(rule.condition)] = rule.output
        return answers

    def refitted(self, body: RuleList) -> RuleList:
        left: Mask = np.ones(self.task.sample.y.size, np.bool_)
        rules = list(body.listed)
        for number, rule in enumerate(rules):
            holds = self.task.evaluation.holds(rule.condition)
            if not self.is_frozen(number, rule.condition):
                output = self.task.best_class(left & holds, rule.output)
                rules[number] = rule if output == rule.output else replace(rule, output=output)
            left = left & ~holds
        default = body.default if body.default is None else self.task.best_class(left, body.default)
        return RuleList(tuple(rules), default)

    def smaller(self, body: RuleList) -> Iterator[Smaller[RuleList]]:
        rules, frozen = body.listed, self.task.frozen
        if len(rules) > frozen:
            yield Smaller(RuleList(rules[:frozen], body.default))
        for number in reversed(range(frozen, len(rules))):
            left = RuleList((*rules[:number], *rules[number + 1 :]), body.default)
            yield Smaller(left, (number - 1, number))
        for number in range(frozen, len(rules)):
            for condition in self.shorter_conditions(rules[number].condition):
                yield Smaller(self.with_condition(body, number, condition), (number,))

    def rearranged(self, body: RuleList) -> Iterator[RuleList]:
        """Lists with two neighbours in the other order, or merged into one rule."""
        rules = body.listed
        for number in range(self.task.frozen, len(rules) - 1):
            first, second = rules[number : number + 2]
            before, after = rules[:number], rules[number + 2 :]
            yield RuleList((*before, second, first, *after), body.default)
            for condition in common_terms(first, second):
                yield RuleList((*before, Rule(condition, first.output), *after), body.default)


def common_terms(first: Rule, second: Rule) -> Iterator[Predicate]:
    """Condition of the terms that two conjunctions share."""
    parts = [_terms(rule.condition) for rule in (first, second)]
    shared = tuple(part for part in parts[0] if part in parts[1])
    if shared:
        yield shared[0] if len(shared) == 1 else AllOf(shared)


def _terms(condition: Predicate) -> tuple[Predicate, ...]:
    return condition.parts if isinstance(condition, AllOf) else (condition,)


NOT_REACHED = -2
"""Answer of rows that no earlier rule answers; no class, and not the number of no answer."""
