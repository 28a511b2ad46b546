"""Predicates made of predicates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rulewright.data import Table
from rulewright.rules.node import Mask, Predicate
from rulewright.rules.registry import register_node


class _Combination(Predicate):
    """Base class of combinations with several parts."""

    __slots__ = ()

    parts: tuple[Predicate, ...]

    @property
    def children(self) -> tuple[Predicate, ...]:
        return self.parts


@register_node("all_of")
@dataclass(frozen=True, slots=True)
class AllOf(_Combination):
    """Every part is true; true where there is none."""

    parts: tuple[Predicate, ...] = ()

    def holds(self, table: Table) -> Mask:
        truth = np.ones(table.rows, np.bool_)
        for part in self.parts:
            truth &= part.holds(table)
        return truth

    def __invert__(self) -> AnyOf:
        return AnyOf(tuple(~part for part in self.parts))


@register_node("any_of")
@dataclass(frozen=True, slots=True)
class AnyOf(_Combination):
    """At least one part is true; false where there is none."""

    parts: tuple[Predicate, ...] = ()

    def holds(self, table: Table) -> Mask:
        truth = np.zeros(table.rows, np.bool_)
        for part in self.parts:
            truth |= part.holds(table)
        return truth

    def __invert__(self) -> AllOf:
        return AllOf(tuple(~part for part in self.parts))


@register_node("at_least")
@dataclass(frozen=True, slots=True)
class AtLeast(_Combination):
    """At least ``count`` of the parts are true: a syndrome."""

    count: int
    parts: tuple[Predicate, ...]

    def __post_init__(self) -> None:
        if not 0 <= self.count <= len(self.parts) + 1:
            raise ValueError(f"at least {self.count} of {len(self.parts)} parts is not possible")

    def holds(self, table: Table) -> Mask:
        true = np.zeros(table.rows, np.int32)
        for part in self.parts:
            true += part.holds(table)
        return true >= self.count

    def __invert__(self) -> AtLeast:
        # Fewer than d of n are true: more than n - d are false.
        return AtLeast(len(self.parts) - self.count + 1, tuple(~part for part in self.parts))


@register_node("not")
@dataclass(frozen=True, slots=True)
class Not(Predicate):
    """The part is false."""

    part: Predicate

    def holds(self, table: Table) -> Mask:
        return ~self.part.holds(table)

    def __invert__(self) -> Predicate:
        return self.part

    @property
    def children(self) -> tuple[Predicate, ...]:
        return (self.part,)
