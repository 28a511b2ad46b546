"""Conditions in the values of the training rows: without missing values and unseen categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rulewright.models.profile import ColumnProfile, TrainingProfile
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Category,
    Given,
    Interval,
    Not,
    Predicate,
    Threshold,
)


def training_condition(condition: Predicate, profile: TrainingProfile | None) -> Predicate:
    """Return a condition that holds on the same training rows, in as few words as they allow.

    Where no training row has a missing value in a column, its tests lose "or missing". A test for
    other categories than some becomes a test for those that are left, if they are not more. On
    other rows than those of training, the result may differ from the condition.

    Examples
    --------
    >>> seen = ColumnProfile("over", 0, categories=(("f", 303), ("t", 297)))
    >>> training_condition(~Category("over", ("t",)), TrainingProfile(600, (seen,)))
    Category(column='over', values=('f',), among=True, if_missing=False)
    """
    if profile is None:
        return condition
    return _reduced(condition, {column.name: column for column in profile.columns})


def _reduced(condition: Predicate, columns: Mapping[str, ColumnProfile]) -> Predicate:
    match condition:
        case AllOf(parts) | AnyOf(parts):
            return type(condition)(tuple(_reduced(part, columns) for part in parts))
        case AtLeast(count, parts):
            return AtLeast(count, tuple(_reduced(part, columns) for part in parts))
        case Not(part):
            return Not(_reduced(part, columns))
        case Threshold() | Interval() | Given() | Category():
            column = columns.get(condition.column)
            return condition if column is None else _reduced_test(condition, column)
    return condition


def _reduced_test(
    test: Threshold | Interval | Given | Category, column: ColumnProfile
) -> Predicate:
    if test.if_missing and not column.missing:
        test = replace(test, if_missing=False)
    if not isinstance(test, Category) or test.among or column.categories is None:
        return test
    left = tuple(name for name, rows in column.categories if rows and name not in test.values)
    return replace(test, values=left, among=True) if 0 < len(left) <= len(test.values) else test
