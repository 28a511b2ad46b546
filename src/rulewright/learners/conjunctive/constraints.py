"""What a person wants of the rules: columns to keep, forbid or force, directions, rules to keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.errors import InputError, preview
from rulewright.families import ExpertTests
from rulewright.families.terms import ABOVE, AT_MOST, RELATIONS
from rulewright.render import predicate_text
from rulewright.rules import Rule, literals_of, parse_rule

Mask = NDArray[np.bool_]


def read_columns(names: object, parameter: str, table: Table) -> tuple[int, ...]:
    """Read names of columns, and give their numbers."""
    if names is None:
        return ()
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"{parameter} must be a list of column names; found {names!r}.")
    named = list(names)
    strange = [name for name in named if name not in table.names]
    if strange:
        raise InputError(
            f"{parameter} names {strange[0]!r}, which is no column of the data; these are: "
            f"{preview(table.names, most=12)}."
        )
    return tuple(sorted({table.names.index(name) for name in named}))


def allowed_terms(
    table: Table,
    classes: int,
    *,
    keep: object = None,
    forbid: object = None,
    left_out: Sequence[str] = (),
    directions: Mapping[str, int],
) -> list[Mask]:
    """Say for each class which relations (columns) of each column (rows) its rules may test.

    Where the second class becomes likelier with a column, its rules ask for large values only, and
    those of the first class for small ones. Columns that are ``left_out`` are keys of the rows.
    """
    allowed = np.ones((len(table.columns), RELATIONS), np.bool_)
    if keep is not None:
        allowed[:] = False
        allowed[list(read_columns(keep, "keep", table))] = True
    allowed[list(read_columns(forbid, "forbid", table))] = False
    allowed[[table.names.index(name) for name in left_out]] = False
    if directions and classes > 2:
        raise InputError(
            "monotone needs two classes, of which the second becomes likelier or less likely; "
            f"found {classes}."
        )
    by_class = [allowed.copy() for _ in range(classes)]
    for name, direction in directions.items():
        for output, mask in enumerate(by_class):
            rises = (direction > 0) == (output == 1)
            mask[table.names.index(name), AT_MOST if rises else ABOVE] = False
    return by_class


def read_force(force: object, table: Table, allowed: Mask) -> tuple[int, ...]:
    """Read the columns that every rule must test, none of which may be left out."""
    numbers = read_columns(force, "force", table)
    strange = [table.names[number] for number in numbers if not allowed[number].any()]
    if strange:
        raise InputError(
            f"Every rule is to test {strange[0]!r} (force), which is left out: by keep, "
            "by forbid, or as a key of the rows."
        )
    return numbers


def read_rules(rules: object, table: Table, classes: Sequence[object]) -> tuple[Rule, ...]:
    """Read rules that a person wrote, such as ``"glucose > 127 and bmi > 29.9 -> positive"``."""
    if rules is None:
        return ()
    if isinstance(rules, str) or not isinstance(rules, Iterable):
        raise InputError(f"rules must be a list of texts 'condition -> class'; found {rules!r}.")
    return tuple(parse_rule(text, table.fields, classes) for text in rules)


def expert_tests(rules: Sequence[Rule]) -> tuple[ExpertTests, ...]:
    """Make the family of the single tests in a person's rules, where there are any."""
    tests = dict.fromkeys(predicate_text(test) for rule in rules for test in literals_of(rule))
    return (ExpertTests(tuple(tests)),) if tests else ()
