"""Polishing: better parts, one or two at a time, at the same size or a smaller one.

With all other parts fixed, each training row is decided by the part under review, or it is not. So
the best replacement of a literal is the heaviest predicate for the weights "loss if it is false
less loss if it is true": one exact search of the families.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from rulewright.learners.polishing.cut_pairs import best_cuts
from rulewright.learners.polishing.objective import Losses, PolishingTask
from rulewright.rules import (
    AllOf,
    AnyOf,
    Arrangement,
    Literal,
    Place,
    Predicate,
    Threshold,
    literal_places,
    with_part,
    without_part,
)

ALWAYS, NEVER = AllOf(), AnyOf()

Body = TypeVar("Body", bound=Arrangement)


class Smaller(NamedTuple, Generic[Body]):
    """A model without one of its parts, and the numbers of the conditions next to that part."""

    body: Body
    near: tuple[int, ...] = ()


@dataclass(frozen=True)
class LiteralSite:
    """Where a literal of a model is: the number of its condition, and its place there."""

    condition: int
    place: Place
    literal: Literal


class Polisher(ABC, Generic[Body]):
    """How one kind of arrangement is polished.

    A subclass has the conditions of the arrangement, the loss of each training row, and the ways to
    make it smaller or to rearrange it. ``register_polisher`` enters it for its kind.
    """

    max_literals: ClassVar[int] = 200
    """Number of literals above which parts are only dropped."""
    max_paired_literals: ClassVar[int] = 100
    """Number of literals above which pairs of parts are not considered."""

    def __init__(self, task: PolishingTask) -> None:
        self.task = task
        self._known: tuple[Body, int, tuple[Losses, Losses]] | None = None

    @abstractmethod
    def conditions(self, body: Body) -> tuple[Predicate, ...]:
        """Conditions of the model, in order."""

    @abstractmethod
    def with_condition(self, body: Body, number: int, condition: Predicate) -> Body:
        """Return the model with another condition of this number."""

    @abstractmethod
    def row_loss(self, body: Body) -> Losses:
        """Loss of each training row."""

    @abstractmethod
    def smaller(self, body: Body) -> Iterator[Smaller[Body]]:
        """Models with fewer literals: without a rule, a term or a test."""

    def rearranged(self, body: Body) -> Iterator[Body]:
        """Models of at most the same size with the parts in another order, or merged."""
        return iter(())

    def refitted(self, body: Body) -> Body:
        """Model with the best answers for its conditions; the current ones where as good."""
        return body

    def firing(self, body: Body, number: int) -> tuple[int, bool]:
        """Class that is answered where a condition decides, and on which of its sides."""
        return body.outputs[number], True

    def is_frozen(self, number: int, condition: Predicate) -> bool:
        """Whether a condition of this number must stay as it is."""
        return number < self.task.frozen

    def arms(self, body: Body, number: int) -> tuple[Losses, Losses]:
        """Loss of each row if a condition is true there, and if it is false."""
        true, false = (self.with_condition(body, number, part) for part in (ALWAYS, NEVER))
        return self.row_loss(true), self.row_loss(false)

    def variants(self, body: Body, number: int, replaced: Body) -> Iterator[Body]:
        """Models to consider where a literal of a condition was replaced."""
        yield replaced

    def is_allowed(self, body: Body) -> bool:
        """Whether a model keeps the limits of its learner."""
        return True

    @property
    def literal_price(self) -> int:
        """Price of a literal in the unit of the losses of rows."""
        return self.task.literal_price

    def objective(self, body: Body) -> tuple[int, int]:
        """Loss plus the price of all literals, and the number of literals, which decides ties."""
        literals = self.literals(body)
        loss = int(self.row_loss(body).sum())
        return loss + self.literal_price * literals, literals

    def literals(self, body: Body) -> int:
        """Number of literals of a model."""
        return body.literals

    def polished(self, body: Body) -> Body:
        """Improve a model until no step lowers the objective; never more literals."""
        state = State(self, body)
        quick = (self._rechoose, self._refit, self.shrink, self._rearrange)
        thorough = (self._shrink_and_rechoose, self._rechoose_pairs)
        while any([step(state) for step in quick]) or any(step(state) for step in thorough):
            pass
        return state.body

    def _refit(self, state: State[Body]) -> bool:
        return state.take(self.refitted(state.body))

    def shrink(self, state: State[Body]) -> bool:
        """Leave out parts as long as that lowers the objective."""
        return self._first(state, lambda body: (model for model, _ in self.smaller(body)))

    def _rearrange(self, state: State[Body]) -> bool:
        return self._first(state, self.rearranged)

    def _first(self, state: State[Body], models: Callable[[Body], Iterator[Body]]) -> bool:
        """Take better models as long as there are some."""
        improved = False
        while any(state.take(self.refitted(model)) for model in models(state.body)):
            improved = True
        return improved

    def sites(self, body: Body) -> list[LiteralSite]:
        """Literals that may be replaced, in order."""
        return [
            LiteralSite(number, place, literal)
            for number, condition in enumerate(self.conditions(body))
            if not self.is_frozen(number, condition)
            for place, literal in literal_places(condition)
        ]

    def _rechoose(self, state: State[Body]) -> bool:
        """Replace each literal by the best one, all others fixed."""
        improved = False
        if state.objective[1] > self.max_literals:
            return False
        for place in range(len(self.sites(state.body))):
            sites = self.sites(state.body)
            if place < len(sites):
                improved |= self._replace(state, state.body, sites[place])
        return improved

    def _replace(self, state: State[Body], body: Body, site: LiteralSite) -> bool:
        if self.task.deadline.over:
            return False
        return any(state.take(model) for model in self._replacements(state, body, site))

    def _replacements(self, state: State[Body], body: Body, site: LiteralSite) -> Iterator[Body]:
        """Models with the best literal in a place, where they may be better than the best."""
        condition = self.conditions(body)[site.condition]
        true, false = self._literal_arms(body, site, condition)
        gain = false - true  # of a literal that is true
        literals = self.literals(body)
        least = int(np.minimum(true, false).sum()) + self.literal_price * literals
        if not gain.any() or (least, literals) >= state.objective:
            return  # not even a perfect literal would do
        output, side = self.firing(body, site.condition)
        found = self.task.heaviest(gain if side else -gain, output, side=side)
        if found is None or found.predicate == site.literal:
            return
        loss = int((false if side else true).sum()) - found.total
        if (loss + self.literal_price * literals, literals) >= state.objective:
            return
        replaced = with_part(condition, site.place, found.predicate)
        model = self.with_condition(body, site.condition, replaced)
        yield from map(self.refitted, self.variants(body, site.condition, model))

    def _literal_arms(
        self, body: Body, site: LiteralSite, condition: Predicate
    ) -> tuple[Losses, Losses]:
        """Loss of each row where a literal is true, and where it is false."""
        true, false = self._known_arms(body, site.condition)
        if not site.place:
            return true, false
        holds = self.task.evaluation.holds
        found = [holds(with_part(condition, site.place, part)) for part in (ALWAYS, NEVER)]
        return np.where(found[0], true, false), np.where(found[1], true, false)

    def _known_arms(self, body: Body, number: int) -> tuple[Losses, Losses]:
        """Results of ``arms``, kept for the other literals of the same condition."""
        if self._known is None or self._known[0] is not body or self._known[1] != number:
            self._known = body, number, self.arms(body, number)
        return self._known[2]

    def _shrink_and_rechoose(self, state: State[Body]) -> bool:
        """Leave a part out, and replace one other literal: two parts become one."""
        if state.objective[1] > self.max_paired_literals:
            return False
        for smaller, near in self.smaller(state.body):
            model = self.refitted(smaller)
            sites = [site for site in self.sites(model) if site.condition in near]
            if any(self._replace(state, model, site) for site in sites):
                return True
        return False

    def _rechoose_pairs(self, state: State[Body]) -> bool:
        """Choose the cuts of two thresholds together."""
        if state.objective[1] > self.max_paired_literals:
            return False
        sites = self.sites(state.body)
        pairs = [
            (one, other)
            for one, other in combinations(sites, 2)
            if self.are_neighbours(state.body, one, other)
        ]
        return any(self._replace_pair(state, one, other) for one, other in pairs)

    def are_neighbours(self, body: Body, one: LiteralSite, other: LiteralSite) -> bool:
        """Whether the cuts of two literals are chosen together."""
        return abs(one.condition - other.condition) <= 1

    def _replace_pair(self, state: State[Body], one: LiteralSite, other: LiteralSite) -> bool:
        body, cuts = state.body, (one.literal, other.literal)
        if not (isinstance(cuts[0], Threshold) and isinstance(cuts[1], Threshold)):
            return False
        if self.task.deadline.over:
            return False
        losses = [
            self.row_loss(self._with_literals(body, (one, first), (other, second)))
            for first in (ALWAYS, NEVER)
            for second in (ALWAYS, NEVER)
        ]
        found = best_cuts(self.task, cuts[0], cuts[1], losses)
        if found is None:
            return False
        model = self._with_literals(body, (one, found[0]), (other, found[1]))
        return state.take(self.refitted(model))

    def _with_literals(self, body: Body, *replaced: tuple[LiteralSite, Predicate]) -> Body:
        for site, part in replaced:
            condition = self.conditions(body)[site.condition]
            body = self.with_condition(body, site.condition, with_part(condition, site.place, part))
        return body

    def shorter_conditions(self, condition: Predicate) -> Iterator[Predicate]:
        """Conditions without one of their literals; none where it is the only one."""
        for place, _ in literal_places(condition):
            shorter = without_part(condition, place)
            if shorter is not None:
                yield shorter


class State(Generic[Body]):
    """The best model so far."""

    def __init__(self, polisher: Polisher[Body], body: Body) -> None:
        self._polisher = polisher
        self.body = body
        self.objective = polisher.objective(body)

    def take(self, model: Body) -> bool:
        """Take a model if it is better, and has a certificate and no more literals."""
        if model is self.body or self._polisher.literals(model) > self.objective[1]:
            return False
        objective = self._polisher.objective(model)
        if objective >= self.objective:
            return False
        if not (self._polisher.is_allowed(model) and self._polisher.task.has_message(model)):
            return False
        self.body, self.objective = model, objective
        return True


POLISHERS: dict[type[Arrangement], type[Polisher[Any]]] = {}
"""How each kind of arrangement is polished."""

Kind = TypeVar("Kind", bound=type[Polisher[Any]])


def register_polisher(arrangement: type[Arrangement]) -> Callable[[Kind], Kind]:
    """Return a class decorator that enters a polisher for a kind of arrangement."""

    def register(kind: Kind) -> Kind:
        POLISHERS[arrangement] = kind
        return kind

    return register


def polish(body: Arrangement, task: PolishingTask) -> Arrangement:
    """Polish a model; one of a kind without a polisher stays as it is."""
    kind = POLISHERS.get(type(body))
    return body if kind is None else kind(task).polished(body)
