"""Scorecards: points for conditions, and a total that answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.kernels import PointCount
from rulewright.rules.arrangements import Answers, Arrangement, Floats, Rule
from rulewright.rules.conditions import CompiledConditions, joined
from rulewright.rules.node import Mask, Node, Predicate
from rulewright.rules.registry import Points, register_node

MAX_POINTS = 1000
"""Largest number of points of a line."""

MAX_TOTAL = 2**31 - 1
"""No total of points is larger: the lines of a scorecard are fewer than 2 million."""

Totals = NDArray[np.int64]


def _check_points(points: Sequence[int]) -> None:
    if any(not -MAX_POINTS <= number <= MAX_POINTS for number in points):
        raise ValueError(f"points must be from {-MAX_POINTS} to {MAX_POINTS}")


@register_node("score_line")
@dataclass(frozen=True, slots=True)
class ScoreLine(Node):
    """Points where a condition holds."""

    condition: Predicate
    points: Points

    def __post_init__(self) -> None:
        _check_points([self.points])

    @property
    def children(self) -> tuple[Predicate, ...]:
        return (self.condition,)


@register_node("score_band")
@dataclass(frozen=True, slots=True)
class ScoreBand(Node):
    """Totals from ``low`` up to the next band: their class, and the probability of class 1."""

    low: Points
    output: int
    risk: float

    def __post_init__(self) -> None:
        if not 0 < self.risk < 1:
            raise ValueError(f"a risk must be between 0 and 1, not {self.risk}")


class _PointSum:
    """Conditions with points for each class, compiled once."""

    def __init__(self, conditions: Sequence[Predicate], points: Sequence[Sequence[int]]) -> None:
        self._conditions = CompiledConditions(conditions)
        self._points = points

    def run(self, table: Table, start: Sequence[int], **wanted: Any) -> list[PointCount]:
        """Return the result of the kernel for each part of the table that fits in memory."""
        points = np.array(self._points, np.int32).reshape(len(self._points), len(start))
        begin = np.array(start, np.int32)
        return self._conditions.run(
            table, lambda rows, roots: rows.add_points(roots, points, begin, **wanted)
        )

    def totals(self, table: Table, start: Sequence[int]) -> Totals:
        """Return the total of each class (columns) on each row."""
        return joined([counted.totals for counted in self.run(table, start, totals=True)])


def _sum_of(lines: Sequence[ScoreLine]) -> _PointSum:
    return _PointSum([line.condition for line in lines], [(line.points,) for line in lines])


def add_points(lines: Sequence[ScoreLine], table: Table) -> Totals:
    """Return the sum of the points of each row."""
    return _sum_of(lines).totals(table, (0,))[:, 0]


def extreme_totals(lines: Sequence[ScoreLine]) -> tuple[int, int]:
    """Return the sums of all points below and of all points above zero."""
    points = [line.points for line in lines]
    return sum(min(number, 0) for number in points), sum(max(number, 0) for number in points)


def _for_classes(chances: Floats, classes: int) -> Floats:
    """Add columns of 0 for classes of the model that a scorecard never answers."""
    return np.pad(chances, ((0, 0), (0, max(classes - chances.shape[1], 0))))


@dataclass(frozen=True, slots=True)
class TotalRange(Predicate):
    """Whether a total of points is from ``low`` to ``high``; None for no limit.

    ``risk`` is the probability of class 1 at these totals, where it is known.
    """

    lines: tuple[ScoreLine, ...]
    low: int | None
    high: int | None
    inside: bool = True
    risk: float | None = None

    @property
    def children(self) -> tuple[ScoreLine, ...]:
        return self.lines

    def holds(self, table: Table) -> Mask:
        total = add_points(self.lines, table)
        above = True if self.low is None else total >= self.low
        below = True if self.high is None else total <= self.high
        within: Mask = np.broadcast_to(above & below, total.shape)
        truth: Mask = within == self.inside
        return truth

    def __invert__(self) -> TotalRange:
        return replace(self, inside=not self.inside)


@register_node("scorecard")
@dataclass(frozen=True)
class Scorecard(Arrangement):
    """Two classes: the band of the total of points answers, and has the risk.

    The rules are the bands, by increasing totals. Totals below the second band are in the first.
    """

    lines: tuple[ScoreLine, ...]
    bands: tuple[ScoreBand, ...]

    def __post_init__(self) -> None:
        if not self.bands:
            raise ValueError("a scorecard needs a band of totals")
        if any(one.low >= other.low for one, other in pairwise(self.bands)):
            raise ValueError("the bands of a scorecard must have increasing totals")
        changes = sum(one.output != other.output for one, other in pairwise(self.bands))
        if changes > 1 or any(band.output not in (0, 1) for band in self.bands):
            raise ValueError("the class of a scorecard may change once, and is 0 or 1")

    @property
    def children(self) -> tuple[ScoreLine, ...]:
        return self.lines

    @property
    def rules(self) -> tuple[Rule, ...]:
        lows = [None, *(band.low for band in self.bands[1:])]
        highs = [*(band.low - 1 for band in self.bands[1:]), None]
        return tuple(
            Rule(TotalRange(self.lines, low, high, risk=band.risk), band.output)
            for band, low, high in zip(self.bands, lows, highs, strict=True)
        )

    @property
    def outputs(self) -> tuple[int, ...]:
        return tuple(band.output for band in self.bands)

    @property
    def cut(self) -> int | None:
        """Lowest total of the last class; None where all totals have the same class."""
        lows = [other.low for one, other in pairwise(self.bands) if one.output != other.output]
        return lows[0] if lows else None

    def total(self, table: Table) -> Totals:
        """Return the total of each row."""
        return self._sum.totals(table, (0,))[:, 0]

    @cached_property
    def _sum(self) -> _PointSum:
        return _sum_of(self.lines)

    def answer(self, table: Table) -> Answers:
        lows = [max(min(band.low, MAX_TOTAL), -MAX_TOTAL) for band in self.bands[1:]]
        counted = self._sum.run(table, (0,), lows=np.array(lows, np.int32))
        return joined([c.answer for c in counted])

    def chances_of_rules(self, by_rule: Floats) -> Floats:
        """Return the probability of each class by the risk of each band."""
        return _for_classes(np.array(self.shares), by_rule.shape[1])

    @property
    def shares(self) -> tuple[tuple[float, float], ...]:
        """Probabilities of the two classes in each band."""
        return tuple((1 - band.risk, band.risk) for band in self.bands)


@register_node("class_score_line")
@dataclass(frozen=True, slots=True)
class ClassScoreLine(Node):
    """Points for each class where a condition holds."""

    condition: Predicate
    points: tuple[Points, ...]

    def __post_init__(self) -> None:
        _check_points(self.points)

    @property
    def children(self) -> tuple[Predicate, ...]:
        return (self.condition,)


def _class_sum_of(lines: Sequence[ClassScoreLine]) -> _PointSum:
    return _PointSum([line.condition for line in lines], [line.points for line in lines])


def add_class_points(start: Sequence[int], lines: Sequence[ClassScoreLine], table: Table) -> Totals:
    """Return the total of each class (columns) on each row."""
    return _class_sum_of(lines).totals(table, start)


@dataclass(frozen=True, slots=True)
class LargestTotal(Predicate):
    """Whether a class has the largest total; ties go to the lower class number."""

    start: tuple[int, ...]
    lines: tuple[ClassScoreLine, ...]
    output: int
    truth: bool = True

    @property
    def children(self) -> tuple[ClassScoreLine, ...]:
        return self.lines

    def holds(self, table: Table) -> Mask:
        largest = add_class_points(self.start, self.lines, table).argmax(axis=1)
        truth: Mask = (largest == self.output) == self.truth
        return truth

    def __invert__(self) -> LargestTotal:
        return replace(self, truth=not self.truth)


@register_node("class_scorecard")
@dataclass(frozen=True)
class ClassScorecard(Arrangement):
    """The class with the largest total of points; ties go to the lower class number.

    Totals begin with the points of ``start``. Probabilities are proportional to ``exp(slope *
    total)``. The rules are the classes.
    """

    start: tuple[Points, ...]
    lines: tuple[ClassScoreLine, ...]
    slope: float

    def __post_init__(self) -> None:
        _check_points(self.start)
        if not self.start:
            raise ValueError("a scorecard needs a class")
        if any(len(line.points) != len(self.start) for line in self.lines):
            raise ValueError("every line of a scorecard needs points for each class")
        if not (math.isfinite(self.slope) and self.slope >= 0):
            raise ValueError(f"the slope of a scorecard must be 0 or more, not {self.slope}")

    @property
    def children(self) -> tuple[ClassScoreLine, ...]:
        return self.lines

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(
            Rule(LargestTotal(self.start, self.lines, output), output)
            for output in range(len(self.start))
        )

    @property
    def outputs(self) -> tuple[int, ...]:
        return tuple(range(len(self.start)))

    def totals(self, table: Table) -> Totals:
        """Return the total of each class (columns) on each row."""
        return self._sum.totals(table, self.start)

    @cached_property
    def _sum(self) -> _PointSum:
        return _class_sum_of(self.lines)

    def answer(self, table: Table) -> Answers:
        return joined([counted.answer for counted in self._sum.run(table, self.start)])

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        """Return the class with the second-largest total."""
        if len(self.start) < 2:
            return Arrangement.runner_up(self, table, answer)
        totals = self.totals(table)
        totals[np.arange(table.rows), answer] = np.iinfo(np.int64).min
        second: Answers = totals.argmax(axis=1).astype(np.int32)
        return second

    def chances_of_rules(self, by_rule: Floats) -> None:
        return None

    def answered(self, table: Table, by_rule: Floats) -> tuple[Answers, Floats]:
        """Return the class of each row, and the probabilities by the totals."""
        counted = self._sum.run(table, self.start, slope=self.slope)
        chances = joined([c.chances for c in counted])
        return joined([c.answer for c in counted]), _for_classes(chances, by_rule.shape[1])
