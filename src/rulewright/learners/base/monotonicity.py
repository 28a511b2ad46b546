"""Monotonic constraints: the direction in which a column may move the answers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rulewright.data import NumericColumn
from rulewright.errors import InputError, preview
from rulewright.learners.base.sample import Sample


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
