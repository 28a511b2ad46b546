"""Data of the plot of a single test: the values that it looks at, and where its answer changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Moment

Floats = NDArray[np.float64]


class Border(NamedTuple):
    """A value where a test changes its answer: just after the value, or just before it."""

    value: float
    after: bool


class ColumnWeight(NamedTuple):
    """A column of a linear test: its weight, and the standard deviation of its values."""

    name: str
    weight: float
    deviation: float


@dataclass(frozen=True, slots=True)
class NumericPlot:
    """Numbers that a test compares with its borders.

    Attributes
    ----------
    values : array of float
        One number for each row; NaN where it is missing.
    borders : sequence of Border
        In increasing order.
    holds : sequence of bool
        Whether the test holds below the first border, between the borders, and above the last.
    caption : str
    moment : Moment, optional
        Kind of the values where they are dates, datetimes or durations.
    weights : sequence of ColumnWeight
        Columns of a linear test.
    by_rank : bool
        Whether the weights are of the columns' ranks.
    """

    values: Floats
    borders: Sequence[Border]
    holds: Sequence[bool]
    caption: str
    moment: Moment | None = None
    weights: Sequence[ColumnWeight] = ()
    by_rank: bool = False


@dataclass(frozen=True, slots=True)
class CategoryPlot:
    """Categories that a test tells apart.

    Attributes
    ----------
    names : sequence of str
        The categories.
    codes : array of int
        Category of each row; -1 where it is missing.
    holding : set of str
        Categories on which the test holds.
    named : set of str
        Categories that the test names; they are shown first.
    caption : str
    """

    names: Sequence[str]
    codes: NDArray[np.int32]
    holding: set[str]
    named: set[str]
    caption: str


PlotData = NumericPlot | CategoryPlot
