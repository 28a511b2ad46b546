"""Places of the literals in a condition: replacing one, or leaving it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rulewright.rules.combinations import AllOf, AnyOf, AtLeast, Not
from rulewright.rules.node import Literal, Predicate

Place = tuple[int, ...]
"""Numbers of the parts on the way to a literal; empty for a condition that is one."""


def literal_places(condition: Predicate) -> Iterator[tuple[Place, Literal]]:
    """Yield each literal of a condition with its place, in reading order.

    Examples
    --------
    >>> from rulewright.rules.predicates import Missing
    >>> [place for place, _ in literal_places(AllOf((Missing("x"), Not(Missing("y")))))]
    [(0,), (1, 0)]
    """
    waiting: list[tuple[Place, Predicate]] = [((), condition)]
    while waiting:
        place, part = waiting.pop()
        if isinstance(part, Literal):
            yield place, part
        elif isinstance(part, Not):
            waiting.append(((*place, 0), part.part))
        elif isinstance(part, AllOf | AnyOf | AtLeast):
            numbered = list(enumerate(part.parts))
            waiting += [((*place, number), inner) for number, inner in reversed(numbered)]


def with_part(condition: Predicate, place: Place, part: Predicate) -> Predicate:
    """Return a condition with another predicate at a place.

    Examples
    --------
    >>> from rulewright.rules.predicates import Missing
    >>> with_part(AllOf((Missing("x"), Missing("y"))), (1,), Missing("z"))
    AllOf(parts=(Missing(column='x', missing=True), Missing(column='z', missing=True)))
    """
    if not place:
        return part
    first, *rest = place
    if isinstance(condition, Not):
        return Not(with_part(condition.part, tuple(rest), part))
    assert isinstance(condition, AllOf | AnyOf | AtLeast)
    parts = list(condition.parts)
    parts[first] = with_part(parts[first], tuple(rest), part)
    return replace(condition, parts=tuple(parts))


def without_part(condition: Predicate, place: Place) -> Predicate | None:
    """Return a condition without the predicate at a place; None if nothing would remain.

    "At least d of n" becomes "at least d of n - 1", with d lowered where it would be too large. A
    combination of a single part becomes that part.
    """
    if not place:
        return None
    first, *rest = place
    if isinstance(condition, Not):
        inner = without_part(condition.part, tuple(rest))
        return None if inner is None else Not(inner)
    assert isinstance(condition, AllOf | AnyOf | AtLeast)
    shorter = without_part(condition.parts[first], tuple(rest))
    replaced = () if shorter is None else (shorter,)
    parts = (*condition.parts[:first], *replaced, *condition.parts[first + 1 :])
    if len(parts) <= 1:
        return parts[0] if parts else None
    if isinstance(condition, AtLeast):
        return AtLeast(max(min(condition.count, len(parts)), 1), parts)
    return replace(condition, parts=parts)
