"""Scorecards: supports of logistic models over simple conditions, and their whole-number points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core
from rulewright.kernels.column_index import check_rows

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Mask = NDArray[np.bool_]

MAX_CODE = 255
"""Largest code of a value; 0 is a missing value."""

Condition = tuple[int, int]
"""Numbers of the one or two terms that must hold; -1 in the second place for none."""


class ScoreTerms(NamedTuple):
    """Tests of coded columns, one entry each.

    ``relation`` is 0 (at most), 1 (above), 2 (is), 3 (is not), 4 (missing) or 5 (present). ``sign``
    is 1 or -1 where the coefficient may not have the other sign, else 0. Terms that are ``paired``
    may be combined in conditions of two terms. Terms that are ``fine`` replace a cut of the same
    column and relation when a model is complete.
    """

    column: Integers
    relation: Integers
    code: Integers
    sign: Integers
    paired: Mask
    fine: Mask


class ScoreSearchOptions(NamedTuple):
    """Options of the search for supports.

    ``expansions`` is the number of candidates that are refitted for each model of the beam.
    ``swap_passes`` is the maximum number of rounds of replacing conditions one by one. ``ridge`` is
    the penalty of squared coefficients, and ``min_weight`` the minimum weight of the rows on each
    side of a condition. A cut is replaced by a fine one where the loss falls by
    ``min_refinement``. With ``pairs``, conditions may have two terms on different columns; with
    ``intervals``, two cuts of one column.
    """

    max_tests: int
    beam_width: int = 3
    expansions: int = 8
    swap_passes: int = 2
    ridge: float = 1.0
    min_weight: float = 1.0
    min_refinement: float = 1.0
    pairs: bool = False
    intervals: bool = False


class FittedScore(NamedTuple):
    """Conditions with their coefficients, a row for each, and a column for each table of points."""

    conditions: tuple[Condition, ...]
    intercept: Floats
    coefficient: Floats
    loss: float


class RoundedPoints(NamedTuple):
    """Whole-number points, and the chances that follow from totals; ``loss`` is penalised."""

    points: Integers
    slope: float
    intercept: float
    loss: float


def search_scores(
    codes: Codes,
    own: Mask,
    weight: Floats,
    terms: ScoreTerms,
    options: ScoreSearchOptions,
    kept: Sequence[Condition] = (),
    forced: Sequence[int] = (),
    threads: int = 1,
) -> list[FittedScore]:
    """Return the best logistic model of each number of tests, from the fewest to the most.

    Parameters
    ----------
    codes : array of uint8, columns x rows
        Code of each value, 0 where it is missing.
    own : array of bool, tables x rows
        For each table of points, the rows of its class.
    weight : array
    terms : ScoreTerms
    options : ScoreSearchOptions
    kept : sequence of conditions
        Conditions that are in every model.
    forced : sequence of int
        Columns that every model tests. There is no model where that is not possible.
    threads : int
        Number of threads. Results do not depend on it.

    Examples
    --------
    >>> codes = np.array([[1, 1, 2, 2, 2, 1]], np.uint8)
    >>> own = np.array([[False, False, True, True, False, True]])
    >>> number = lambda *values: np.array(values, np.int32)
    >>> terms = ScoreTerms(number(0), number(0), number(1), number(0), *[np.array([False])] * 2)
    >>> none, one = search_scores(codes, own, np.ones(6), terms, ScoreSearchOptions(1))
    >>> one.conditions, bool(one.coefficient[0, 0] < 0), one.loss < none.loss
    (((0, -1),), True, True)
    """
    check_rows(weight.size)
    numbers = np.array(terms, np.int32).reshape(6, -1).T
    first = np.array(kept, np.int32).reshape(len(kept), 2)
    found = _core.search_scores(
        np.ascontiguousarray(codes, np.uint8),
        np.ascontiguousarray(own, np.uint8),
        np.ascontiguousarray(weight, np.float64),
        np.ascontiguousarray(numbers),
        first,
        np.array(forced, np.int32),
        *options,
        threads,
    )
    tables = own.shape[0]
    return [
        FittedScore(
            tuple(conditions),
            np.array(intercept),
            np.array(coefficient).reshape(len(conditions), tables),
            loss,
        )
        for conditions, intercept, coefficient, loss in found
    ]


def round_points(
    holds: Mask,
    own: Mask,
    weight: Floats,
    coefficient: Floats,
    low: Integers,
    high: Integers,
    ridge: float,
) -> RoundedPoints:
    """Return the points of two classes that come from rounding coefficients.

    Coefficients are rounded after multiplying them by many numbers. From the best roundings, single
    points and pairs of points are changed while the logistic loss falls, its slope and intercept
    fitted each time. Points are divided by their common factor.

    Parameters
    ----------
    holds : array of bool, conditions x rows
    own : array of bool
        Rows of the second class.
    weight, coefficient : arrays
    low, high : arrays of int32
        Limits of the points of each condition.
    ridge : float
    """
    check_rows(weight.size)
    found = _core.round_points(
        np.ascontiguousarray(holds, np.uint8),
        np.ascontiguousarray(own, np.uint8),
        np.ascontiguousarray(weight, np.float64),
        np.ascontiguousarray(coefficient, np.float64),
        np.ascontiguousarray(low, np.int32),
        np.ascontiguousarray(high, np.int32),
        ridge,
    )
    points, slope, intercept, loss = found
    return RoundedPoints(np.array(points, np.int32), slope, intercept, loss)


def round_class_points(
    holds: Mask,
    y: Integers,
    weight: Floats,
    coefficient: Floats,
    low: Integers,
    high: Integers,
    ridge: float,
) -> RoundedPoints:
    """Return points by condition (rows) and class (columns) from rounding coefficients.

    The last condition holds always; its points are those at the start. The probability of a class
    is proportional to ``exp(slope * total)``.
    """
    check_rows(weight.size)
    classes = coefficient.shape[1]
    found = _core.round_class_points(
        np.ascontiguousarray(holds, np.uint8),
        np.ascontiguousarray(y, np.int32),
        classes,
        np.ascontiguousarray(weight, np.float64),
        np.ascontiguousarray(coefficient, np.float64).ravel(),
        np.ascontiguousarray(low, np.int32),
        np.ascontiguousarray(high, np.int32),
        ridge,
    )
    points, slope, intercept, loss = found
    return RoundedPoints(np.array(points, np.int32).reshape(-1, classes), slope, intercept, loss)
