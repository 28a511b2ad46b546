"""Tests of a numeric column against a value seen in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar

import numpy as np

from rulewright.data import Column, Field, NumericColumn
from rulewright.errors import InputError
from rulewright.families.cuts import CUTS, CutMaker, CutSums
from rulewright.families.family import (
    UNSTATED_DEFAULT,
    Choices,
    Examples,
    Family,
    Floats,
    Found,
    Mask,
    Question,
    Search,
    Site,
    Training,
    first_heaviest,
)
from rulewright.kernels import ThresholdIndex
from rulewright.rules import Predicate, Threshold


@dataclass(frozen=True)
class Thresholds(Family):
    """``x <= t`` and ``x > t``, where t is the value of a training example.

    Both are false where x is missing. Candidates are ordered by column, then ``<=`` before ``>``,
    then the lower cut; the anchor is the first row that has the value. With implied borders, t is a
    value of another class and the predicate does not fire on t itself, so ``<`` and ``>=`` occur
    too. Candidates are then ordered by column, firing below before firing above, then the lower
    cut.

    Parameters
    ----------
    cuts : {"all", "integers", "deciles"}
        Which values may be cuts. With "integers", t is the smallest whole number that is no smaller
        than the value of the example. With "deciles", examples whose value is a decile of the
        column, or its maximum, give the cuts. Neither is available with implied borders.
    """

    name: ClassVar[str] = "thresholds"
    borders: ClassVar[int] = 1
    directed: ClassVar[bool] = True

    cuts: str = field(default="all", metadata=UNSTATED_DEFAULT)

    def __post_init__(self) -> None:
        if self.cuts not in CUTS:
            known = ", ".join(map(repr, CUTS))
            raise InputError(f"cuts must be one of {known}, got {self.cuts!r}.")

    def prepare(self, training: Training) -> Search:
        return _ThresholdSearch(self, training)

    def options(self, column: Field) -> int:
        return 2 if column.is_numeric else 0

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        if not isinstance(column, NumericColumn):
            return Choices()
        return Choices(product((False, True), (False, True) if strict else (False,)))

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case Threshold(
                column, above, if_missing=False, anchored_on=() | (_,), cut_above=cut_above
            ):
                fires_below = above != side
                if cut_above == (implied and fires_below):
                    return Site(column, (above, cut_above))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        (border,) = chosen
        above, cut_above = site.option
        value = float(examples.table.numbers(str(site.column))[border])
        if np.isnan(value):
            return None
        anchor = (int(examples.rows[border]),)
        cut = self._cut(value)
        return Threshold(str(site.column), above, cut, anchored_on=anchor, cut_above=cut_above)

    def between(
        self, column: Field, ends: tuple[float, float], rows: tuple[int, int], *, above: bool
    ) -> Threshold:
        """Predicate that divides a column between two neighbouring values, which two rows have.

        Both values are the same where the first one is the largest.
        """
        return Threshold(column.name, above, self._cut(ends[0]), anchored_on=rows[:1])

    def _cut(self, value: float) -> float:
        """Cut at the value of an example."""
        return float(np.ceil(value)) + 0.0 if self.cuts == "integers" else value

    def along(
        self, site: Site, examples: Examples, prototypes: Sequence[int], side: bool
    ) -> Floats:
        values = examples.table.numbers(str(site.column))
        return values if site.option[0] == side else -values


class _ThresholdSearch(Search):
    def __init__(self, family: Thresholds, training: Training) -> None:
        self._family = family
        self._y = training.y
        self._columns = training.table.numeric
        self._directions = training.directions
        self._maker = CutMaker(family, training.table)
        free = [column for column in self._columns if column.name not in self._directions]
        self._free = [column.name for column in free]
        self._index = ThresholdIndex([self._maker.searched(c) for c in free], training.threads)
        self._directed = {
            column.name: CutSums(self._maker.searched(column))
            for column in self._columns
            if column.name in self._directions
        }

    def heaviest(self, question: Question) -> Found | None:
        if question.implied:
            return self._heaviest_implied(question)
        found = [self._heaviest_free(question), *self._heaviest_directed(question)]
        some = [one for one in found if one is not None]
        names = [column.name for column in self._columns]
        return min(
            some,
            key=lambda one: (-one.total, -one.gathered, names.index(one.predicate.columns[0])),
            default=None,
        )

    def _heaviest_free(self, question: Question) -> Found | None:
        # The false side of "x <= t" is "x > t" and missing values.
        side = question.side
        best = self._index.heaviest(
            question.weight, gathers_missing=not side, prefers_above=not side
        )
        if best is None:
            return None
        above = best.above if side else not best.above
        predicate = self._maker.predicate(self._free[best.column], best.cut, above=above)
        return Found(predicate, best.total, best.gathered)

    def _heaviest_directed(self, question: Question) -> Iterator[Found]:
        for name, sums in self._directed.items():
            fires_above = self._fires_above(name, question)
            totals = sums.beyond(question.weight, above=fires_above, missing=not question.side)
            if totals.size:
                best = first_heaviest(*totals)
                above = fires_above == question.side
                predicate = self._maker.predicate(name, float(sums.cuts[best]), above=above)
                yield Found(predicate, int(totals[0, best]), int(totals[1, best]))

    def _fires_above(self, name: str, question: Question) -> bool:
        """Whether a rule for the class of the question fires on the large values of a column."""
        return (self._directions[name] > 0) == (question.output == 1)

    def _heaviest_implied(self, question: Question) -> Found | None:
        """Search with a strict cut at an open example of another class."""
        if self._family.cuts != "all":
            raise InputError(
                f"cuts={self._family.cuts!r} is not available with implied borders, whose cuts are "
                "values of examples. Use cuts='all', or consistent=False."
            )
        borders = self._y != question.output
        if question.open is not None:
            borders &= question.open
        best: Found | None = None
        for column in self._columns:
            for found in _beyond_borders(column, question, borders):
                test = found.predicate
                fires_above = isinstance(test, Threshold) and test.above == question.side
                name = column.name
                if name in self._directions and fires_above != self._fires_above(name, question):
                    continue
                if best is None or found[1:] > best[1:]:
                    best = found
        return best


def _beyond_borders(column: NumericColumn, question: Question, borders: Mask) -> Iterator[Found]:
    weight = question.weight
    there = ~np.isnan(column.values)
    missing = weight[~there] if not question.side else weight[:0]
    cuts = np.unique(column.values[there & borders])
    if not cuts.size:
        return
    values, present = column.values[there], weight[there]
    order = np.argsort(values, kind="stable")
    sums = np.zeros((2, order.size + 1), np.int64)  # sums of all weights, and of the positive ones
    np.cumsum(present[order], out=sums[0, 1:])
    np.cumsum(np.maximum(present[order], 0), out=sums[1, 1:])
    below = sums[:, np.searchsorted(values[order], cuts, "left")]
    above = sums[:, -1:] - sums[:, np.searchsorted(values[order], cuts, "right")]
    extra = np.array([[missing.sum()], [np.maximum(missing, 0).sum()]])
    for totals, fires_above in ((below + extra, False), (above + extra, True)):
        best = first_heaviest(*totals)
        cut = float(cuts[best])
        anchor = int(np.flatnonzero((column.values == cut) & borders)[0])
        upward = fires_above == question.side
        predicate = Threshold(
            column.name, upward, cut, anchored_on=(anchor,), cut_above=not fires_above
        )
        yield Found(predicate, int(totals[0, best]), int(totals[1, best]))
