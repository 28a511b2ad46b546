"""Polishing of set covering machines: conjunctions and disjunctions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rulewright.learners.polishing.objective import Losses, Mask
from rulewright.learners.polishing.polisher import (
    LiteralSite,
    Polisher,
    Smaller,
    register_polisher,
)
from rulewright.rules import Conjunction, Disjunction, Predicate

Junction = Conjunction | Disjunction


@register_polisher(Conjunction)
@register_polisher(Disjunction)
class JunctionPolisher(Polisher[Junction]):
    """All parts hold, or one of them does."""

    def conditions(self, body: Junction) -> tuple[Predicate, ...]:
        return body.parts

    def with_condition(self, body: Junction, number: int, condition: Predicate) -> Junction:
        parts = (*body.parts[:number], condition, *body.parts[number + 1 :])
        return replace(body, parts=parts)

    def row_loss(self, body: Junction) -> Losses:
        return self._lost(body, self._holds(body, body.parts))

    def arms(self, body: Junction, number: int) -> tuple[Losses, Losses]:
        others = (*body.parts[:number], *body.parts[number + 1 :])
        rest = self._holds(body, others)
        constant = np.full_like(rest, isinstance(body, Disjunction))
        found = self._lost(body, rest), self._lost(body, constant)
        return found if isinstance(body, Conjunction) else found[::-1]

    def _holds(self, body: Junction, parts: tuple[Predicate, ...]) -> Mask:
        masks = [self.task.evaluation.holds(part) for part in parts]
        every = np.full(self.task.sample.y.size, isinstance(body, Conjunction))
        combine = np.logical_and if isinstance(body, Conjunction) else np.logical_or
        truth: Mask = combine.reduce([every, *masks])
        return truth

    def _lost(self, body: Junction, holds: Mask) -> Losses:
        return self.task.lost(np.where(holds, body.then, body.otherwise).astype(np.int32))

    def firing(self, body: Junction, number: int) -> tuple[int, bool]:
        if isinstance(body, Conjunction):
            return body.otherwise, False
        return body.then, True

    def smaller(self, body: Junction) -> Iterator[Smaller[Junction]]:
        if body.parts:
            for then in (0, 1):
                yield Smaller(Conjunction((), then=then, otherwise=1 - then))
        every = tuple(range(len(body.parts) - 1))
        for number in reversed(range(len(body.parts)) if every else ()):
            parts = (*body.parts[:number], *body.parts[number + 1 :])
            yield Smaller(replace(body, parts=parts), every)

    def are_neighbours(self, body: Junction, one: LiteralSite, other: LiteralSite) -> bool:
        return True
