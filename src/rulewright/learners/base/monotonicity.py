"""Monotonic constraints: the direction in which a column may move the answers.

Rules of a list or a vote respect them if every rule for the second class asks for values that the
answer rises towards, and every rule for the first class for the others. Moving a value in its
direction then only makes rules for the second class hold, and rules for the first class not hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.data import NumericColumn, Table
from rulewright.errors import InputError, preview
from rulewright.families import ABOVE, AT_MOST, RELATIONS
from rulewright.learners.base.sample import Sample
from rulewright.rules import Missing, Predicate, Threshold

Mask = NDArray[np.bool_]


def favours(test: Predicate, output: int, directions: Mapping[str, int]) -> bool:
    """Whether a rule for a class may have a test, given the directions of columns.

    Tests of missing values may stand in any rule.
    """
    if isinstance(test, Missing) or not set(test.columns) & set(directions):
        return True
    if not isinstance(test, Threshold):
        return False
    return test.above == ((directions[test.column] > 0) == (output == 1))


def read_monotonic_cst(value: object, sample: Sample) -> dict[str, int]:
    """Direction by column, 1 or -1: from a dict, or from a list with one entry for each column.

    A list is in the order of the user's table.
    """
    names = sample.names or tuple(sample.table.names)
    if value is None:
        return {}
    if isinstance(value, Mapping):
        given = dict(value)
    elif isinstance(value, list | tuple | np.ndarray) and len(value) == len(names):
        given = dict(zip(names, value, strict=True))
    else:
        raise InputError(
            "monotonic_cst must be a dict of column names to 1, -1 or 0, or a list with one of "
            f"these for each of the {len(names)} columns, got {value!r}."
        )
    directions = {name: direction for name, direction in given.items() if direction != 0}
    for name, direction in directions.items():
        if direction not in (1, -1):
            raise InputError(f"monotonic_cst must be 1, -1 or 0, got {direction!r} for {name!r}.")
        if name not in names or not isinstance(sample.table.column(name), NumericColumn):
            numeric = [column.name for column in sample.table.numeric]
            raise InputError(
                f"monotonic_cst has {name!r}, which is not a numeric column. The numeric columns "
                f"are {preview(numeric)}."
            )
    if directions and len(sample.classes) > 2:
        raise InputError(
            f"monotonic_cst needs two classes or numbers to predict, got {len(sample.classes)} "
            "classes."
        )
    return {name: int(direction) for name, direction in directions.items()}


def tested_directions(directions: Mapping[str, int], table: Table) -> dict[str, int]:
    """Directions of the columns that a table has."""
    return {name: way for name, way in directions.items() if name in table.names}


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
