"""Families as axes: derived numeric columns that trees can cut.

Trees search for cuts and not for the heaviest predicate. To them, a ball's centre or a pair of
examples is one more column: the distance to the centre, or the difference of similarities to the
pair. So are a sum of a few columns, and whether a column's value is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from rulewright.families.half_planes import HalfPlanes
from rulewright.families.half_spaces import HalfSpaces
from rulewright.families.missing_values import MissingValues
from rulewright.families.spatial import Spatial, check_room, complete, refuse_missing
from rulewright.families.weighted_sums import uncut_half_planes
from rulewright.rules import AnyOf, Missing, Predicate


@dataclass(frozen=True, eq=False)
class Axes:
    """Derived numeric columns, one array per axis.

    ``above(axis, row)`` is the predicate that holds if the number is larger than that row's, and
    ``at_most(axis, row)`` the one that holds if it is not. Both fail where there is no number.
    ``left_out`` counts the axes that were not tried. ``both_sides``: whether a rule may use either
    predicate, or only the first. ``columns`` are the columns of axes that test a single one.
    """

    values: Sequence[Floats]
    above: Callable[[int, int], Predicate]
    at_most: Callable[[int, int], Predicate]
    left_out: int = 0
    both_sides: bool = True
    columns: Sequence[str | None] = ()


@dataclass(frozen=True, eq=False)
class Axis:
    """One of the axes: a column that is not in the table."""

    axes: Axes
    number: int

    @property
    def values(self) -> Floats:
        """Number of every row."""
        return self.axes.values[self.number]

    @property
    def column(self) -> str | None:
        """The single column that it tests, if it does."""
        return self.axes.columns[self.number] if self.axes.columns else None

    def cut(self, row: int, *, above: bool) -> Predicate:
        """Predicate that holds where the number is larger than that row's, or where it is not."""
        return (self.axes.above if above else self.axes.at_most)(self.number, row)


def axes_of(family: Family, training: Training) -> Axes:
    """Axes of a spatial family, of sums, of given predicates, or of missing values.

    Other families have none.
    """
    if isinstance(family, GivenPredicates):
        return _truth_axes(given_tests(family, training.table), family.negation)
    if isinstance(family, MissingValues):
        return _missing_axes(training)
    if isinstance(family, Balls | HalfSpaces):
        return _spatial_axes(family, training)
    if isinstance(family, HalfPlanes):
        return _sum_axes(family, training)
    return Axes((), _no_axis, _no_axis)


def every_axis(
    families: Sequence[Family],
    training: Training,
    left_out: Sequence[str] = (),
    *,
    presence: bool = False,
) -> tuple[list[Axis], int]:
    """Axes of several families, and the number of those that were not tried.

    Columns that are ``left_out`` or have a direction take no part, except that a space has all
    numeric columns. Missing values have axes with ``presence`` only.
    """
    directions = {n: way for n, way in training.directions.items() if n not in left_out}
    free = replace(training, table=training.table.without(left_out), directions=directions)
    found = [
        axes_of(family, training if isinstance(family, Spatial) else free.undirected())
        for family in families
        if presence or not isinstance(family, MissingValues)
    ]
    every = [Axis(axes, number) for axes in found for number in range(len(axes.values))]
    return every, sum(axes.left_out for axes in found)


def _no_axis(axis: int, row: int) -> Predicate:
    raise IndexError(f"There is no axis {axis}: this family has none.")


def _missing_axes(training: Training) -> Axes:
    columns = [column for column in training.table.columns if column.missing.any()]
    return _truth_axes([(Missing(c.name), c.missing.astype(np.int32)) for c in columns])


def _truth_axes(
    tests: Sequence[tuple[Predicate, NDArray[np.int32]]], negation: bool = True
) -> Axes:
    """Axes of predicates with their values 1, 0, or -1 where they are not known."""
    values = [np.where(answers < 0, np.nan, answers.astype(np.float64)) for _, answers in tests]

    def above(axis: int, row: int) -> Predicate:
        predicate, answers = tests[axis]
        return predicate if answers[row] < 1 else AnyOf()  # nothing exceeds 1

    def at_most(axis: int, row: int) -> Predicate:
        predicate, answers = tests[axis]
        if isinstance(predicate, Missing):
            opposite: Predicate = ~predicate
        else:
            opposite = replace(predicate, truth=False)  # type: ignore[type-var]
        return opposite if answers[row] < 1 else AnyOf((predicate, opposite))

    columns = [p.columns[0] if len(p.columns) == 1 else None for p, _ in tests]
    return Axes(values, above, at_most, both_sides=negation, columns=columns)


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
        _CandidateAxis(site, Site(None, (False, *site.option[1:])), rows, numbers)
        for rows, numbers in zip(prototypes, values, strict=True)
    ]
    simple = isinstance(family, Balls) and family.types == "simple"
    return _built(family, examples, axes, every, both_sides=not simple)


def _sum_axes(family: HalfPlanes, training: Training) -> Axes:
    lines, left_out = uncut_half_planes(training, family.sum_columns)
    axes = [
        _CandidateAxis(
            Site(None, (*half.on, *half.weights[1:], True)),
            Site(None, (*half.on, *half.weights[1:], False)),
            (),
            sums,
        )
        for half, sums in lines
    ]
    return _built(family, Examples.of(training), axes, len(lines) + left_out)


class _CandidateAxis(NamedTuple):
    """Predicates above a border and up to it, without the border, and the numbers of the axis."""

    above: Site
    at_most: Site
    prototypes: tuple[int, ...]
    values: Floats


def _built(
    family: Family,
    examples: Examples,
    axes: Sequence[_CandidateAxis],
    every: int,
    *,
    both_sides: bool = True,
) -> Axes:
    """Axes with the family's predicates, if no number is infinite."""
    bounded = [axis for axis in axes if not np.isinf(axis.values).any()]

    def cut(axis: int, row: int, *, above: bool) -> Predicate:
        one = bounded[axis]
        site = one.above if above else one.at_most
        predicate = family.build(site, examples, (*one.prototypes, row))
        if predicate is None:
            raise IndexError(f"Row {row} has no number on axis {axis} ({one.values[row]}).")
        return predicate

    return Axes(
        [axis.values for axis in bounded],
        partial(cut, above=True),
        partial(cut, above=False),
        every - len(bounded),
        both_sides,
    )


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
