"""Families as numbers for every row: a cut along them makes a predicate.

Trees look for cuts and not for the heaviest predicate, so that to them a ball's centre or a pair of
examples is one more column: the distance to the one, the difference of likeness to the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.families.balls import Balls
from rulewright.families.family import Examples, Family, Floats, Site, Training
from rulewright.families.given import GivenPredicates, given_tests
from rulewright.families.half_spaces import HalfSpaces
from rulewright.families.spaces import Spatial, complete, refuse_missing
from rulewright.rules import Predicate

MOST_CELLS = 2**24
"""With "auto", rows times axes are at most so many."""


@dataclass(frozen=True, eq=False)
class Axes:
    """Numbers for every row, one array an axis.

    ``above(axis, row)`` is the predicate that holds where the number is larger than that row's.
    ``left_out`` counts the axes that were not tried.
    """

    values: Sequence[Floats]
    above: Callable[[int, int], Predicate]
    left_out: int = 0


def axes_of(family: Family, training: Training) -> Axes:
    """Make the axes of a family of a space, or of given predicates; other families have none."""
    if isinstance(family, GivenPredicates):
        return _given_axes(family, training)
    if isinstance(family, Balls | HalfSpaces):
        return _spatial_axes(family, training)
    return Axes((), lambda axis, row: family.build(Site(None, ()), Examples.of(training), ()))  # type: ignore[return-value, arg-type]


def _given_axes(family: GivenPredicates, training: Training) -> Axes:
    tests = given_tests(family, training.table)
    values = [np.where(answers < 0, np.nan, answers.astype(np.float64)) for _, answers in tests]
    return Axes(values, lambda axis, _: tests[axis][0])


def _spatial_axes(family: Balls | HalfSpaces, training: Training) -> Axes:
    check_space(family, training)
    examples = Examples.of(training)
    able = np.flatnonzero(complete(family.space(training.table), training.table.rows))
    most = _most(training)
    if isinstance(family, Balls):
        site, every = Site(None, (True, family.types == "simple")), able.size
        chosen = _drawn(able, most, training.seed)[:, np.newaxis]
    else:
        site = Site(None, (True,))
        chosen, every = _pairs(able, training.y[able], most, training.seed)
    prototypes = [tuple(map(int, rows)) for rows in chosen]

    def above(axis: int, row: int) -> Predicate:
        predicate = family.build(site, examples, (*prototypes[axis], row))
        assert predicate is not None  # the axis has a number at that row
        return predicate

    values = [family.along(site, examples, rows, True) for rows in prototypes]
    return Axes(values, above, every - len(prototypes))


def check_space(family: Spatial, training: Training) -> None:
    """Refuse data in which rows cannot be compared."""
    if family.precomputed:
        family.check_precomputed(training)
    elif not family.bears_missing:
        refuse_missing(training.table, family.name)


def _most(training: Training) -> int:
    if training.most == "auto":
        return max(MOST_CELLS // max(training.table.rows, 1), 1)
    return int(training.most) if training.most is not None else 2**62


def _drawn(rows: NDArray[np.intp], most: int, seed: int) -> NDArray[np.intp]:
    if rows.size <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def _pairs(
    rows: NDArray[np.intp], y: NDArray[np.int32], most: int, seed: int
) -> tuple[NDArray[np.intp], int]:
    """Give pairs of examples of different classes, each once, and say how many there are."""
    counts = np.bincount(y)
    every = int((rows.size**2 - (counts.astype(np.int64) ** 2).sum()) // 2)
    if every <= most:
        first, second = np.nonzero(np.triu(y[:, None] != y[None, :]))
    else:
        random = np.random.default_rng(seed)
        drawn = random.integers(rows.size, size=(3 * most + 100, 2))
        drawn = np.sort(drawn[y[drawn[:, 0]] != y[drawn[:, 1]]], axis=1)
        first, second = np.unique(drawn, axis=0)[:most].T if drawn.size else (drawn, drawn)
    return np.stack([rows[first], rows[second]], axis=1), every
