"""Conditions merged into fewer that hold on the same rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from rulewright.rules.node import Predicate
from rulewright.rules.predicates import Category, Threshold


def merge_conditions(grounds: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Return predicates that hold on the same rows, without those that follow from the others.

    Only the tightest cut on each side of a column is kept. Excluded categories of a column become
    one predicate.

    Examples
    --------
    >>> merge_conditions([Threshold("x", True, 2.0), Threshold("x", True, 3.0, if_missing=True)])
    (Threshold(column='x', above=True, cut=3.0, if_missing=False, anchored_on=(), cut_above=False),)
    """
    kept: dict[Hashable, Predicate] = {}
    for ground in grounds:
        key = _key(ground)
        before = kept.get(key)
        kept[key] = ground if before is None else _both(before, ground)
    return tuple(kept.values())


def _key(ground: Predicate) -> Hashable:
    """Key that predicates share where one of them can replace the others."""
    if isinstance(ground, Threshold):
        return ground.column, ground.above
    if isinstance(ground, Category) and not ground.among:
        return (ground.column,)
    return ground


def _both(one: Predicate, other: Predicate) -> Predicate:
    if isinstance(one, Threshold) and isinstance(other, Threshold):
        tightest = max if one.above else min  # x > 3 is tighter than x >= 3, x < 3 than x <= 3
        both = tightest(one, other, key=lambda t: (t.cut, not t.cut_above))
        if_missing = one.if_missing and other.if_missing
        return both if both.if_missing == if_missing else replace(both, if_missing=if_missing)
    if isinstance(one, Category) and isinstance(other, Category) and not one.among:
        if_missing = one.if_missing and other.if_missing
        return Category(one.column, one.values + other.values, False, if_missing)
    return one
