"""Tests of a numeric column against one of a few values, which some rows set aside announce."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Column, Field, NumericColumn, Table
from rulewright.families.family import (
    Choices,
    Examples,
    Family,
    Floats,
    Found,
    Question,
    Search,
    Site,
    Training,
    Weights,
    first_heaviest,
)
from rulewright.kernels import weigh_categories
from rulewright.rules import NOT_SERIALIZED, Predicate, Threshold

GRID_SIZE = 16
"""Maximum number of cuts of a column."""

Grid = tuple[float, ...]


@dataclass(frozen=True)
class CoarseThresholds(Family):
    """``x <= t`` and ``x > t``, where t is one of at most 16 quantiles of every tenth row.

    Both are false where x is missing. The rows are every tenth in canonical order, as for columns
    that are scaled (``Spatial``). They are set aside: they never count as cases that the model was
    tested on. So a predicate has no anchors, and a message names the cut by its place among 16.

    Candidates are ordered by column, then ``<=`` before ``>``, then the lower cut.
    """

    name: ClassVar[str] = "coarse"

    grids: tuple[tuple[str, Grid], ...] = field(
        default=(), repr=False, compare=False, metadata=NOT_SERIALIZED
    )
    """The cuts of each numeric column in increasing order, by the name of the column."""

    def prepare(self, training: Training) -> Search:
        table = training.table
        family = self if self.grids else self.measured(table, self.scaling_rows(table.rows))
        return _CoarseSearch(family, table)

    def options(self, column: Field) -> int:
        return 2 * GRID_SIZE if column.is_numeric else 0

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        if not isinstance(column, NumericColumn):
            return Choices()
        return Choices(product((False, True), range(GRID_SIZE)))

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case Threshold(column, above, cut, if_missing=False, anchored_on=(), cut_above=False):
                cuts = self.cuts(column)
                return Site(column, (above, cuts.index(cut))) if cut in cuts else None
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        above, place = site.option
        cuts = self.cuts(str(site.column))
        return Threshold(str(site.column), above, cuts[place]) if place < len(cuts) else None

    def scaling_rows(self, rows: int) -> NDArray[np.intp]:
        return np.arange(0, rows, 10)

    def measured(self, table: Table, scaling_rows: NDArray[np.intp]) -> CoarseThresholds:
        grids = ((column.name, _grid(column.values[scaling_rows])) for column in table.numeric)
        return replace(self, grids=tuple(grids))

    def cuts(self, column: str) -> Grid:
        """Cuts of a column in increasing order."""
        return self._cuts.get(column, ())

    @cached_property
    def _cuts(self) -> dict[str, Grid]:
        return dict(self.grids)


def _grid(values: Floats) -> Grid:
    """Quantiles 1/17, ..., 16/17 of the values, each a value that occurs, each once.

    Examples
    --------
    >>> _grid(np.array([3.0, 1.0, np.nan, 1.0]))
    (1.0, 3.0)
    """
    present = np.sort(values[~np.isnan(values)]) + 0.0  # turns -0.0 into 0.0
    places = np.arange(1, GRID_SIZE + 1) * present.size // (GRID_SIZE + 1)
    return tuple(np.unique(present[places]).tolist()) if present.size else ()


class _CoarseSearch(Search):
    """The columns as codes: the number of cuts below each value, or -1 where it is missing."""

    def __init__(self, family: CoarseThresholds, table: Table) -> None:
        self._columns: list[tuple[str, Grid, NDArray[np.int32]]] = []
        for column in table.numeric:
            cuts = family.cuts(column.name)
            if cuts:
                codes = np.searchsorted(cuts, column.values, "left").astype(np.int32)
                codes[column.missing] = -1
                self._columns.append((column.name, cuts, codes))

    def heaviest(self, question: Question) -> Found | None:
        weight, side = question.weight, question.side
        everything = np.array([np.maximum(weight, 0).sum(), np.minimum(weight, 0).sum()])
        best: Found | None = None
        for name, cuts, codes in self._columns:
            below, above = _sides(codes, weight, len(cuts))
            for is_above, holds in ((False, below), (True, above)):
                positive, negative = holds if side else everything[:, None] - holds
                place = first_heaviest(positive + negative, positive)
                total = int(positive[place] + negative[place])
                found = Found(Threshold(name, is_above, cuts[place]), total, int(positive[place]))
                if best is None or found[1:] > best[1:]:
                    best = found
        return best


def _sides(codes: NDArray[np.int32], weight: Weights, cuts: int) -> tuple[Weights, Weights]:
    """Positive and negative weights up to each cut, and above it."""
    sums = np.cumsum(weigh_categories(codes, weight, cuts + 1), axis=1)
    return sums[:, :-1], sums[:, -1:] - sums[:, :-1]
