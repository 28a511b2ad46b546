"""Families as axes: derived numeric columns that trees can cut.

Trees search for cuts and not for the heaviest predicate. To them, a ball's centre or a pair of
examples is one more column: the distance to the centre, or the difference of similarities to the
pair. So are a sum of two columns, and whether a column's value is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.families.balls import Balls
from rulewright.families.family import (
    Examples,
    Family,
    Floats,
    Site,
    Training,
    drawn,
    max_axes,
)
from rulewright.families.given import GivenPredicates, given_tests
from rulewright.families.half_planes import HalfPlanes, uncut_half_planes
from rulewright.families.half_spaces import HalfSpaces
from rulewright.families.missing_values import MissingValues
from rulewright.families.spatial import Spatial, check_room, complete, refuse_missing
from rulewright.rules import AnyOf, Missing, Predicate


@dataclass(frozen=True, eq=False)
class Axes:
    """Derived numeric columns, one array per axis.

    ``above(axis, row)`` is the predicate that holds if the number is larger than that row's.
    ``left_out`` counts the axes that were not tried. ``columns`` are the columns of the axes, where
    each is about a single one.
    """

    values: Sequence[Floats]
    above: Callable[[int, int], Predicate]
    left_out: int = 0
    columns: tuple[str, ...] = ()


def axes_of(family: Family, training: Training) -> Axes:
    """Axes of a spatial family, of sums, of given predicates, or of missing values.

    Other families have none.
    """
    if isinstance(family, GivenPredicates):
        return _truth_axes(given_tests(family, training.table))
    if isinstance(family, MissingValues):
        return _missing_axes(training)
    if isinstance(family, Balls | HalfSpaces):
        return _spatial_axes(family, training)
    if isinstance(family, HalfPlanes):
        return _sum_axes(family, training)
    return Axes((), _no_axis)


def _no_axis(axis: int, row: int) -> Predicate:
    raise IndexError(f"There is no axis {axis}: this family has none.")


def _missing_axes(training: Training) -> Axes:
    columns = [column for column in training.table.columns if column.missing.any()]
    return _truth_axes([(Missing(c.name), c.missing.astype(np.int32)) for c in columns])


def _truth_axes(tests: Sequence[tuple[Predicate, NDArray[np.int32]]]) -> Axes:
    """Axes of predicates with their values 1, 0, or -1 where they are not known."""
    values = [np.where(answers < 0, np.nan, answers.astype(np.float64)) for _, answers in tests]

    def above(axis: int, row: int) -> Predicate:
        predicate, answers = tests[axis]
        return predicate if answers[row] < 1 else AnyOf()  # nothing exceeds 1

    single = all(len(predicate.columns) == 1 for predicate, _ in tests)
    columns = tuple(predicate.columns[0] for predicate, _ in tests) if single else ()
    return Axes(values, above, columns=columns)


def _spatial_axes(family: Balls | HalfSpaces, training: Training) -> Axes:
    check_space(family, training)
    able = np.flatnonzero(complete(family.space(training.table), training.table.rows))
    limit = max_axes(training)
    if isinstance(family, Balls):
        site, every = Site(None, (True, family.types == "simple")), able.size
        chosen = able[drawn(every, limit, training.seed)][:, np.newaxis]
    else:
        site = Site(None, (True,))
        chosen, every = _pairs(able, training.y[able], limit, training.seed)
    check_room(len(chosen), training.table.rows, family.name)
    examples = Examples.of(training)
    prototypes = [tuple(map(int, rows)) for rows in chosen]
    if isinstance(family, HalfSpaces):
        values = family.along_all(examples, [(rows[0], rows[1]) for rows in prototypes])
    else:
        values = [family.along(site, examples, rows, True) for rows in prototypes]
    axes = [
        _CandidateAxis(site, rows, numbers)
        for rows, numbers in zip(prototypes, values, strict=True)
    ]
    return _built(family, examples, axes, every)


def _sum_axes(family: HalfPlanes, training: Training) -> Axes:
    lines, left_out = uncut_half_planes(training)
    axes = [
        _CandidateAxis(Site(None, (*half.on, half.weights[1], True)), (), sums)
        for half, sums in lines
    ]
    return _built(family, Examples.of(training), axes, len(lines) + left_out)


class _CandidateAxis(NamedTuple):
    """A predicate along an axis without its border, and the numbers of the axis."""

    site: Site
    prototypes: tuple[int, ...]
    values: Floats


def _built(family: Family, examples: Examples, axes: Sequence[_CandidateAxis], every: int) -> Axes:
    """Axes with the family's predicates, if no number is infinite."""
    bounded = [axis for axis in axes if not np.isinf(axis.values).any()]

    def above(axis: int, row: int) -> Predicate:
        site, prototypes, values = bounded[axis]
        predicate = family.build(site, examples, (*prototypes, row))
        if predicate is None:
            raise IndexError(f"Row {row} has no number on axis {axis} ({values[row]}).")
        return predicate

    return Axes([axis.values for axis in bounded], above, every - len(bounded))


def check_space(family: Spatial, training: Training) -> None:
    """Refuse data whose rows cannot be compared."""
    if family.precomputed:
        family.check_precomputed(training)
    elif not family.handles_missing:
        refuse_missing(training.table, family.name)


def _pairs(
    rows: NDArray[np.intp], y: NDArray[np.int32], limit: int, seed: int
) -> tuple[NDArray[np.intp], int]:
    """Pairs of examples of different classes, each once, and their total number."""
    by_class = np.argsort(y, kind="stable")
    ends = np.searchsorted(
        y[by_class], y[by_class], "right"
    )  # number of examples of each example's class
    starts = np.append(0, np.cumsum(rows.size - ends))  # each is paired with all of later classes
    every = int(starts[-1])
    numbers = drawn(every, limit, seed)
    first = np.searchsorted(starts, numbers, "right") - 1
    second = ends[first] + numbers - starts[first]
    pairs = np.sort(rows[by_class[np.stack([first, second], axis=1)]], axis=1)
    return pairs[np.lexsort(pairs.T[::-1])], every
