"""Implication between predicates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from rulewright.rules.combinations import AllOf, AnyOf
from rulewright.rules.node import Predicate
from rulewright.rules.predicates import Category, Interval, Missing, Threshold
from rulewright.rules.regions import region_of


def implies(one: Predicate, other: Predicate) -> bool:
    """Whether ``other`` holds on every row where ``one`` does, missing values included.

    The check is complete for tests of one column and for equal predicates. For conjunctions and
    disjunctions it compares their parts. False means that no implication was found.

    Examples
    --------
    >>> low, lower = Threshold("x", above=False, cut=5.0), Threshold("x", above=False, cut=3.0)
    >>> implies(lower, low), implies(low, lower), implies(~low, ~lower)
    (True, False, True)
    >>> implies(~low, Threshold("x", above=True, cut=3.0))  # x > 5 or missing
    False
    """
    match one, other:
        case Threshold(), Threshold():
            return _same_column_and_missing(one, other) and _within(one, other)
        case Category(), Category():
            return _same_column_and_missing(one, other) and _among(one, other)
    if isinstance(one, AllOf | AnyOf) or isinstance(other, AllOf | AnyOf):
        return one == other or _combined(one, other)
    return one == other or _covered(one, other)


def _covered(one: Predicate, other: Predicate) -> bool:
    """Whether the values on which one test of a column holds are among another's."""
    if one.columns != other.columns:
        return False
    here, there = region_of(one), region_of(other)
    return here is not None and there is not None and there.covers(here)


def _combined(one: Predicate, other: Predicate) -> bool:
    """Compare the parts of combinations, but no deeper: that could take exponential time."""
    if isinstance(other, AllOf):
        needs = one.parts if isinstance(one, AllOf) else (one,)
        return all(any(_single(part, wanted) for part in needs) for wanted in other.parts)
    if isinstance(one, AnyOf):
        offers = other.parts if isinstance(other, AnyOf) else (other,)
        return all(any(_single(part, offer) for offer in offers) for part in one.parts)
    ones = one.parts if isinstance(one, AllOf) else (one,)
    others = other.parts if isinstance(other, AnyOf) else (other,)
    return any(_single(part, wanted) for part in ones for wanted in others)


def _single(one: Predicate, other: Predicate) -> bool:
    if isinstance(one, AllOf | AnyOf) or isinstance(other, AllOf | AnyOf):
        return one == other
    return implies(one, other)


def _same_column_and_missing(one: Threshold | Category, other: Threshold | Category) -> bool:
    return one.column == other.column and one.if_missing <= other.if_missing


def _within(one: Threshold, other: Threshold) -> bool:
    """Whether the known values of one are known values of the other."""
    if one.above != other.above:
        return False
    if one.cut == other.cut:  # "x < 3" and "x > 3" leave 3 out
        return one.cut_above == other.cut_above or one.above != one.cut_above
    return (one.cut > other.cut) == one.above


def _among(one: Category, other: Category) -> bool:
    """Whether the known values of one are known values of the other, unseen ones included."""
    ones, others = set(one.values), set(other.values)
    match one.among, other.among:
        case True, True:
            return ones <= others
        case True, False:
            return not ones & others
        case False, False:
            return others <= ones
    return False


def narrowed(parts: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Return the tests of one column without those that others imply.

    Where one of them needs a known value, ``if_missing`` of the others becomes false.

    Examples
    --------
    >>> low, lower = Threshold("x", above=False, cut=5.0), Threshold("x", above=False, cut=3.0)
    >>> narrowed((low, lower)) == (lower,)
    True
    >>> narrowed((low, ~lower)) == (low, Threshold("x", above=True, cut=3.0))
    True
    """
    parts = tuple(parts)
    there = any(map(_needs_value, parts))
    left: list[Predicate] = []
    for part in parts:
        if there and isinstance(part, Threshold | Interval | Category) and part.if_missing:
            part = replace(part, if_missing=False)
        if not any(implies(earlier, part) for earlier in left):
            left = [earlier for earlier in left if not implies(part, earlier)] + [part]
    return tuple(left)


def narrowed_by_columns(parts: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Return tests that all hold, without those that others on the same columns imply.

    Examples
    --------
    >>> red, not_blue = Category("colour", ("red",)), ~Category("colour", ("blue",))
    >>> narrowed_by_columns((not_blue, Threshold("x", True, 1.0), red))
    (Category(column='colour', values=('red',), among=True, if_missing=False), \
Threshold(column='x', above=True, cut=1.0, if_missing=False, anchored_on=(), cut_above=False))
    """
    groups: dict[tuple[str, ...], list[Predicate]] = {}
    for part in parts:
        groups.setdefault(part.columns, []).append(part)
    return tuple(chain.from_iterable(map(narrowed, groups.values())))


def _needs_value(part: Predicate) -> bool:
    """Whether the predicate holds only where the value of its column is known."""
    match part:
        case Threshold() | Interval() | Category():
            return not part.if_missing
        case Missing(_, missing):
            return not missing
    return False
