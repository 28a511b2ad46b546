"""Constraints on rules: columns to leave out or force, directions, and rules to begin with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.families import ABOVE, AT_MOST, RELATIONS, ExpertTests
from rulewright.learners.base.parameters import known_columns, read_columns
from rulewright.render import predicate_text
from rulewright.rules import Rule, literals_of, parse_rule

Mask = NDArray[np.bool_]


def allowed_terms(
    table: Table,
    classes: int,
    *,
    left_out: Sequence[str] = (),
    directions: Mapping[str, int],
) -> list[Mask]:
    """For each class, the relations (columns) of each column (rows) that its rules may test.

    Where the second class becomes likelier with a column, its rules ask for large values only, and
    those of the first class for small ones. No rule tests a column that is ``left_out``.
    """
    allowed = np.ones((len(table.columns), RELATIONS), np.bool_)
    allowed[[table.names.index(name) for name in left_out]] = False
    by_class = [allowed.copy() for _ in range(classes)]
    for name, direction in directions.items():
        for output, mask in enumerate(by_class):
            rises = (direction > 0) == (output == 1)
            mask[table.names.index(name), AT_MOST if rises else ABOVE] = False
    return by_class


def read_force(force: object, table: Table, allowed: Mask) -> tuple[int, ...]:
    """Places of the columns that every rule must test; none may be left out."""
    numbers = tuple(known_columns(read_columns(force, "force") or (), "force", table.names))
    strange = [table.names[number] for number in numbers if not allowed[number].any()]
    if strange:
        raise InputError(
            f"force has {strange[0]!r}, but this column is left out: by keep, by forbid, or as a "
            "key of the rows."
        )
    return numbers


def read_rules(rules: object, table: Table, classes: Sequence[object]) -> tuple[Rule, ...]:
    """Rules that a user wrote, such as ``"glucose > 127 and bmi > 29.9 -> positive"``."""
    if rules is None:
        return ()
    if isinstance(rules, str) or not isinstance(rules, Iterable):
        raise InputError(f"rules must be a list of texts 'condition -> class', got {rules!r}.")
    return tuple(parse_rule(text, table.fields, classes) for text in rules)


def expert_tests(rules: Sequence[Rule]) -> tuple[ExpertTests, ...]:
    """Family of the single tests in the user's rules; none without rules."""
    tests = dict.fromkeys(predicate_text(test) for rule in rules for test in literals_of(rule))
    return (ExpertTests(tuple(tests)),) if tests else ()
