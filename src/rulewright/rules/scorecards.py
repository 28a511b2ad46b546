"""Scorecards: points for conditions, and a total that answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.rules.arrangements import Answers, Arrangement, Floats, Rule, consistent_shares
from rulewright.rules.exponential import exponential
from rulewright.rules.node import Mask, Node, Predicate
from rulewright.rules.registry import Points, register_node

MAX_POINTS = 1000
"""Largest number of points of a line."""

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


def add_points(lines: Sequence[ScoreLine], table: Table) -> Totals:
    """Return the sum of the points of each row."""
    total = np.zeros(table.rows, np.int64)
    for line in lines:
        total[line.condition.holds(table)] += line.points
    return total


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
@dataclass(frozen=True, slots=True)
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
        return add_points(self.lines, table)

    def answer(self, table: Table) -> Answers:
        lows = np.array([band.low for band in self.bands[1:]], np.int64)
        return np.searchsorted(lows, self.total(table), side="right").astype(np.int32)

    def answered(self, table: Table, by_rule: Floats) -> tuple[Answers, Floats]:
        """Return the band of each row, and the probability of each class by the band's risk."""
        answers = self.answer(table)
        return answers, _for_classes(np.array(self.shares), by_rule.shape[1])[answers]

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


def add_class_points(start: Sequence[int], lines: Sequence[ClassScoreLine], table: Table) -> Totals:
    """Return the total of each class (columns) on each row."""
    total = np.tile(np.array(start, np.int64), (table.rows, 1))
    for line in lines:
        total[line.condition.holds(table)] += np.array(line.points, np.int64)
    return total


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
@dataclass(frozen=True, slots=True)
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
        return add_class_points(self.start, self.lines, table)

    def answer(self, table: Table) -> Answers:
        largest: Answers = self.totals(table).argmax(axis=1).astype(np.int32)
        return largest

    def runner_up(self, table: Table, answer: Answers) -> Answers:
        """Return the class with the second-largest total."""
        if len(self.start) < 2:
            return Arrangement.runner_up(self, table, answer)
        totals = self.totals(table)
        totals[np.arange(table.rows), answer] = np.iinfo(np.int64).min
        second: Answers = totals.argmax(axis=1).astype(np.int32)
        return second

    def answered(self, table: Table, by_rule: Floats) -> tuple[Answers, Floats]:
        """Return the class of each row, and the probabilities by the totals."""
        totals = self.totals(table)
        answers = totals.argmax(axis=1).astype(np.int32)
        with np.errstate(over="ignore"):
            odds = exponential(self.slope * (totals - totals.max(axis=1, keepdims=True)))
        return answers, _for_classes(consistent_shares(odds, answers), by_rule.shape[1])
