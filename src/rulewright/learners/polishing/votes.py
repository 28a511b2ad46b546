"""Polishing of weighted votes of rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rulewright.learners.polishing.objective import Losses
from rulewright.learners.polishing.polisher import Polisher, Smaller, register_polisher
from rulewright.rules import NO_RULE, Predicate, RuleVote


@register_polisher(RuleVote)
class VotePolisher(Polisher[RuleVote]):
    """A vote: the class with the largest sum of weights wins."""

    def conditions(self, body: RuleVote) -> tuple[Predicate, ...]:
        return tuple(voter.condition for voter in body.voters)

    def with_condition(self, body: RuleVote, number: int, condition: Predicate) -> RuleVote:
        voters = list(body.voters)
        voters[number] = replace(voters[number], condition=condition)
        return replace(body, voters=tuple(voters))

    def row_loss(self, body: RuleVote) -> Losses:
        return self.task.lost(self.task.evaluation.classify(body))

    def refitted(self, body: RuleVote) -> RuleVote:
        """Vote with the best default where no rule votes."""
        if body.default is None:
            return body
        silent = self.task.evaluation.answer(body) == len(body.voters)
        default = self.task.best_class(silent, body.default)
        return body if default == body.default else replace(body, default=default)

    def smaller(self, body: RuleVote) -> Iterator[Smaller[RuleVote]]:
        voters, frozen = body.voters, self.task.frozen
        if voters and not frozen and body.default is not None:
            everywhere = np.ones(self.task.sample.y.size, np.bool_)
            yield Smaller(RuleVote((), self.task.best_class(everywhere, NO_RULE)))
        for number in reversed(range(frozen, len(voters))):
            if voters[number].literals:
                left = replace(body, voters=(*voters[:number], *voters[number + 1 :]))
                yield Smaller(left, (number - 1, number))
        for number in range(frozen, len(voters)):
            for condition in self.shorter_conditions(voters[number].condition):
                yield Smaller(self.with_condition(body, number, condition), (number,))
