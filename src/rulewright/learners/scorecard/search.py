"""Search for scorecards of all sizes: supports, points, and the model of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError
from rulewright.families import ABOVE, AT_MOST, IS
from rulewright.kernels import (
    FittedScore,
    ScoreSearchOptions,
    round_class_points,
    round_points,
    search_scores,
    thread_map,
)
from rulewright.learners.base.sample import Sample
from rulewright.learners.scorecard.bands import Bands, RiskCurve, calibrated_curve
from rulewright.learners.scorecard.candidates import Candidates, CodedTerm
from rulewright.learners.scorecard.given_lines import GivenLine
from rulewright.rules import (
    AllOf,
    Arrangement,
    ClassScorecard,
    ClassScoreLine,
    Points,
    Predicate,
    RuleList,
    Scorecard,
    ScoreLine,
    extreme_totals,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Mask = NDArray[np.bool_]

START_FACTOR = 4
"""Points at the start of a class may be this many times those of a line."""
SLOPE_DIGITS = 3


@dataclass(frozen=True)
class PointsOptions:
    """Range of the points, the number of bands, and the penalty of squared coefficients."""

    max_points: int
    positive: bool
    max_bands: int
    ridge: float


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows with equal codes and class, merged: their weights, and their values by class costs.

    ``first`` is one of the rows of each.
    """

    first: NDArray[np.intp]
    y: NDArray[np.int32]
    weight: Floats
    worth: Floats

    @classmethod
    def of(cls, candidates: Candidates, sample: Sample, price: Floats) -> CodedRows:
        """Merge the rows of a sample; ``price`` is the cost of misjudging each class."""
        keys = np.ascontiguousarray(
            np.vstack([sample.y.astype(">i4").view(np.uint8).reshape(-1, 4).T, candidates.codes]).T
        )
        whole = keys.view(np.dtype((np.void, keys.shape[1]))).ravel()
        _, first, place = np.unique(whole, return_index=True, return_inverse=True)
        weight = np.bincount(place, sample.weight, first.size).astype(np.float64)
        y = sample.y[first]
        return cls(first, y, weight, weight * price[y])


@dataclass(frozen=True, eq=False)
class ScorecardSearch:
    """Search for scorecards of a sample.

    ``lines`` are the first terms of the candidates, and stay on the card. Every card tests the
    columns that are ``forced``.
    """

    sample: Sample
    candidates: Candidates
    price: Floats
    options: ScoreSearchOptions
    points: PointsOptions
    lines: tuple[GivenLine, ...] = ()
    forced: tuple[str, ...] = ()
    threads: int = 1

    @cached_property
    def rows(self) -> CodedRows:
        """The rows that are searched."""
        return CodedRows.of(self.candidates, self.sample, self.price)

    def within(self, max_columns: int) -> ScorecardSearch:
        """Search with few columns: those of the largest model that has no more of them."""
        used = [self.candidates.columns_of(score.conditions) for score in self.fitted]
        few = [columns for columns in used if len(columns) <= max_columns]
        if len(few) == len(used):
            return self
        return replace(self, candidates=self.candidates.within(few[-1] if few else set()))

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.sample.classes)

    @cached_property
    def fitted(self) -> list[FittedScore]:
        """The best logistic model of each number of tests."""
        rows = self.rows
        wanted = np.arange(self.classes) if self.classes > 2 else np.array([1])
        given = {name for line in self.lines for name in line.condition.columns}
        names = [column.column.name for column in self.candidates.columns]
        found = search_scores(
            self.candidates.take(rows.first),
            rows.y == wanted[:, np.newaxis],
            rows.worth,
            self.candidates.arrays,
            self.options,
            [(number, -1) for number in range(len(self.lines))],
            [names.index(name) for name in self.forced if name not in given],
            self.threads,
        )
        if not found:
            raise InputError(
                f"No scorecard tests all columns of force ({', '.join(map(repr, self.forced))}). "
                "A test needs two cases on either side: leave out columns with fewer."
            )
        return found

    def models(self, max_points: int | None = None) -> list[Arrangement]:
        """Scorecards of all numbers of tests, from the fewest."""
        options = self.points
        if max_points is not None:
            options = replace(options, max_points=max_points)

        def rounded(score: FittedScore) -> Arrangement:
            rounding = PointsRounding(self, options, score)
            return rounding.scorecard() if self.classes <= 2 else rounding.class_scorecard()

        cells = self.rows.y.size * sum(len(score.conditions) for score in self.fitted)
        return thread_map(rounded, self.fitted, self.threads, cells)

    def constant(self) -> Arrangement:
        """The most valuable class as the answer for all rows."""
        rows = self.rows
        return RuleList((), int(np.bincount(rows.y, rows.worth, self.classes).argmax()))


@dataclass(frozen=True, eq=False)
class PointsRounding:
    """A logistic model whose coefficients become points."""

    search: ScorecardSearch
    options: PointsOptions
    score: FittedScore

    @cached_property
    def holds(self) -> Mask:
        """Searched rows (columns) on which each condition (rows) holds."""
        rows = self.search.rows.first
        masks = [self.search.candidates.holds(c)[rows] for c in self.score.conditions]
        return np.array(masks, np.bool_).reshape(len(masks), rows.size)

    def _limits(self) -> tuple[Integers, Integers]:
        """Lowest and highest points of each condition."""
        limit = self.options.max_points
        signs = np.array([self._sign(c) for c in self.score.conditions], np.int32)
        signs = np.maximum(signs, int(self.options.positive))
        low = np.where(signs > 0, 0, -limit).astype(np.int32)
        high = np.where(signs < 0, 0, limit).astype(np.int32)
        return low, high

    def _limits_of_two(self) -> tuple[Integers, Integers]:
        """The limits for two classes: points that were given, and none of 0 where a line stays."""
        low, high = self._limits()
        for place in self.staying:
            if self.score.coefficient[place, 0] < 0 or high[place] == 0:
                high[place] = -1
            else:
                low[place] = 1
        for place, line in enumerate(self.search.lines):
            if line.points is not None:
                low[place] = high[place] = line.points
        return low, high

    @cached_property
    def staying(self) -> list[int]:
        """Places of the user's lines, and of the heaviest condition of each forced column."""
        heaviest: dict[str, int] = {}
        amount = np.abs(self.score.coefficient).max(axis=1)
        for place in np.argsort(-amount, kind="stable").tolist():
            for name in self.search.candidates.columns_of([self.score.conditions[place]]):
                heaviest.setdefault(name, place)
        given = range(len(self.search.lines))
        return list(dict.fromkeys([*given, *(heaviest[name] for name in self.search.forced)]))

    def _sign(self, condition: tuple[int, int]) -> int:
        signs = [self.search.candidates.terms[t].sign for t in condition if t >= 0]
        return next((sign for sign in signs if sign), 0)

    def scorecard(self) -> Arrangement:
        """Scorecard of two classes."""
        rows, ridge = self.search.rows, self.options.ridge
        own = rows.y == 1
        if not self.score.conditions:
            return self.search.constant()
        low, high = self._limits_of_two()
        coefficient = self.score.coefficient[:, 0]
        found = round_points(self.holds, own, rows.worth, coefficient, low, high, ridge)
        shift, lines, points = 0, [], found.points.astype(np.int64)
        for number in self._ordered(np.abs(points), points != 0):
            line, moved = self._oriented(self.score.conditions[number], int(points[number]))
            lines.append(line)
            shift += moved
        if not lines or found.slope <= 0:
            return self.search.constant()
        total = points @ self.holds + shift
        curve = RiskCurve(found.slope, found.intercept - found.slope * shift)
        cut = math.floor(-curve.intercept / curve.slope) + 1
        if not self.staying and np.unique(total >= cut).size < 2:
            return self.search.constant()
        curve = self._true_curve(total, curve, points)
        bands = Bands(curve, cut, self.options.max_bands, bool((self.search.price != 1).any()))
        limits = extreme_totals(lines)
        return Scorecard(tuple(lines), bands.of(total, rows.weight, *limits))

    def _true_curve(
        self, total: NDArray[np.int64], start: RiskCurve, points: NDArray[np.int64]
    ) -> RiskCurve:
        """Curve of the risk by weights without costs."""
        rows = self.search.rows
        values, place = np.unique(total, return_inverse=True)
        sums = [
            np.bincount(place, weight, values.size).astype(np.float64)
            for weight in (rows.weight * (rows.y == 1), rows.weight)
        ]
        own, every = sums
        ridge = self.options.ridge
        return calibrated_curve(values.astype(np.float64), own, every, points, ridge, start)

    def _ordered(self, amount: NDArray[np.integer[Any]], shown: Mask) -> list[int]:
        """Conditions that are shown, those of one column together.

        Columns come by their largest amount of points, their cuts in increasing order.
        """
        terms = [self.search.candidates.terms[first] for first, _ in self.score.conditions]
        largest: dict[int, int] = {}
        for term, points in zip(terms, amount.tolist(), strict=True):
            largest[term.column] = max(largest.get(term.column, 0), points)
        return sorted(
            np.flatnonzero(shown).tolist(),
            key=lambda n: (-largest[terms[n].column], terms[n].column, terms[n].code, n),
        )

    def _oriented(self, condition: tuple[int, int], points: int) -> tuple[ScoreLine, int]:
        """Line with points above 0 where the opposite test exists, and the shift of the total."""
        terms = [self.search.candidates.terms[t] for t in condition if t >= 0]
        opposite = self._opposite(terms[0]) if len(terms) == 1 and points < 0 else None
        if opposite is not None:
            return ScoreLine(self._condition([opposite]), Points(-points)), -points
        return ScoreLine(self._condition(terms), Points(points)), 0

    def _opposite(self, term: CodedTerm) -> CodedTerm | None:
        """The test that holds exactly on the other training rows, if it is as simple."""
        column = self.search.candidates.columns[term.column]
        if column.has_missing or column.given is not None:
            return None
        if term.relation in (ABOVE, AT_MOST):
            return term._replace(relation=AT_MOST if term.relation == ABOVE else ABOVE)
        if term.relation == IS and len(column.categories) == 2:
            return term._replace(code=3 - term.code)
        return None

    def _condition(self, terms: Sequence[CodedTerm]) -> Predicate:
        parts = tuple(self.search.candidates.predicate(term) for term in terms)
        return parts[0] if len(parts) == 1 else AllOf(parts)

    def class_scorecard(self) -> Arrangement:
        """Scorecard of several classes."""
        rows, classes = self.search.rows, self.search.classes
        if not self.score.conditions:
            return self.search.constant()
        low, high = self._limits()
        most = START_FACTOR * self.options.max_points
        found = round_class_points(
            np.vstack([self.holds, np.ones((1, rows.y.size), np.bool_)]),
            rows.y,
            rows.worth,
            np.vstack([self.score.coefficient, self.score.intercept]),
            np.append(low, -most).astype(np.int32),
            np.append(high, most).astype(np.int32),
            self.options.ridge,
        )
        *points, start = found.points.tolist()
        spread = np.ptp(np.array(points), axis=1)
        shown = spread > 0
        shown[self.staying] = True
        lines = [
            ClassScoreLine(
                self._condition([self.search.candidates.terms[t] for t in condition if t >= 0]),
                tuple(map(Points, by_class)),
            )
            for condition, by_class in (
                (self.score.conditions[number], points[number])
                for number in self._ordered(spread, shown)
            )
        ]
        total = np.array(points).T @ self.holds + np.array(start)[:, np.newaxis]
        several = np.unique(total.argmax(axis=0)).size > 1 or self.staying
        if not several or not lines or classes < 2:
            return self.search.constant()
        slope = float(f"{found.slope:.{SLOPE_DIGITS}g}")
        return ClassScorecard(tuple(map(Points, start)), tuple(lines), slope)
