"""Tests of a categorical column against one of its categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Column, Field
from rulewright.families.family import (
    UNSTATED_DEFAULT,
    Choices,
    Examples,
    Family,
    Found,
    Question,
    Search,
    Site,
    Training,
    first_heaviest,
)
from rulewright.kernels import weigh_categories
from rulewright.rules import Category, Predicate


@dataclass(frozen=True)
class Categories(Family):
    """``x = v`` and ``x != v``, where v is a category seen in training.

    If the categories of a column are ordered, there are ``x <= v`` and ``x > v`` too, which hold on
    two categories or more, and not on all. All tests are false where x is missing. Candidates are
    ordered by column, then ``=``, ``!=``, ``<=``, ``>``, then the category in sorted order. They
    have no anchors: the categories of a column and their order count as known beforehand.

    Parameters
    ----------
    negation : bool
        Whether there is ``x != v``.
    """

    name: ClassVar[str] = "categories"

    negation: bool = field(default=True, metadata=UNSTATED_DEFAULT)

    def prepare(self, training: Training) -> Search:
        return _CategorySearch(training.table.categorical, self.negation)

    def options(self, column: Field) -> int:
        if column.is_numeric:
            return 0
        cuts = 2 * max(column.categories - 2, 0) if column.order is not None else 0
        return (1 + self.negation) * column.categories + cuts

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        if not isinstance(column, CategoricalColumn):
            return Choices()
        single = product(column.categories, (False, True) if self.negation else (True,))
        sides = ((tuple(sorted(values)), True) for values in ordered_sides(column))
        return Choices([*single, *sides])

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case Category(column, (value,), among, if_missing=False) if among or self.negation:
                return Site(column, (value, among))
            case Category(column, values, among=True, if_missing=False):
                return Site(column, (values, True))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        named, among = site.option
        values = (named,) if isinstance(named, str) else named
        column = examples.table.categories(str(site.column))
        if isinstance(named, str):
            known = named in column.categories
        else:
            known = {*values} in map(set, ordered_sides(column))
        return Category(column.name, values, among) if known else None


def ordered_sides(column: CategoricalColumn) -> list[tuple[str, ...]]:
    """Categories up to, and then above, each cut of ordered ones; two or more, but not all.

    Examples
    --------
    >>> labels = ("low", "middle", "high")
    >>> ordered_sides(CategoricalColumn("x", "text", np.array([0, 2], np.int32), labels, True))
    [('low', 'middle'), ('middle', 'high')]
    """
    labels = column.categories if column.ordered else ()
    up_to = [labels[: place + 1] for place in range(1, len(labels) - 1)]
    return up_to + [labels[place + 1 :] for place in range(len(labels) - 2)]


class _CategorySearch(Search):
    def __init__(self, columns: list[CategoricalColumn], negation: bool) -> None:
        self._columns = [column for column in columns if column.categories]
        self._negation = negation

    def heaviest(self, question: Question) -> Found | None:
        weight, side = question.weight, question.side
        best: Found | None = None
        everything = int(np.maximum(weight, 0).sum()), int(np.minimum(weight, 0).sum())
        for column in self._columns:
            positive, negative = weigh_categories(column.codes, weight, len(column.categories))
            for among, totals in self._sides(positive, negative, everything, side):
                if not among and not self._negation:
                    continue
                found = _first_heaviest(column, among, totals)
                if best is None or found[1:] > best[1:]:
                    best = found
            for values in ordered_sides(column):
                inside = [category in values for category in column.categories]
                plus, minus = int(positive[inside].sum()), int(negative[inside].sum())
                if not side:
                    plus, minus = everything[0] - plus, everything[1] - minus
                if best is None or (plus + minus, plus) > best[1:]:
                    best = Found(Category(column.name, values), plus + minus, plus)
        return best

    def _sides(
        self,
        positive: NDArray[np.int64],
        negative: NDArray[np.int64],
        everything: tuple[int, int],
        side: bool,
    ) -> Iterator[tuple[bool, tuple[NDArray[np.int64], NDArray[np.int64]]]]:
        """Weights of "= v" and of "!= v" for each v, on the side of the question."""
        if side:  # true on one category, or on the other categories
            yield True, (positive, negative)
            yield False, (positive.sum() - positive, negative.sum() - negative)
        else:  # false on all others, or on one category and where it is missing
            yield True, (everything[0] - positive, everything[1] - negative)
            missing = everything[0] - positive.sum(), everything[1] - negative.sum()
            yield False, (positive + missing[0], negative + missing[1])


def _first_heaviest(
    column: CategoricalColumn,
    among: bool,
    totals: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> Found:
    positive, negative = totals
    total = positive + negative
    best = first_heaviest(total, positive)
    predicate = Category(column.name, (column.categories[best],), among)
    return Found(predicate, int(total[best]), int(positive[best]))
