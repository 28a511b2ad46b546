"""Tests of a categorical column against a set of its categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import ClassVar

from rulewright.data import CategoricalColumn, Column, Field
from rulewright.families.family import (
    Choices,
    Examples,
    Family,
    Found,
    Mask,
    Question,
    Search,
    Site,
    Training,
    Weights,
    first_heaviest,
    total_and_gathered,
)
from rulewright.kernels import weigh_categories
from rulewright.rules import Category, Predicate


@dataclass(frozen=True)
class Subsets(Family):
    """``x in V``, where V is any non-empty set of categories seen in training.

    It is false where x is missing. Candidates are ordered by column, then those that fire on fewer
    categories come first, then V by its first category. They have no anchors: the categories of a
    column count as known beforehand, and a predicate costs one bit for each of them.
    """

    name: ClassVar[str] = "subsets"

    def prepare(self, training: Training) -> Search:
        return _SubsetSearch(training.table.categorical)

    def options(self, column: Field) -> int:
        return 0 if column.is_numeric else 2**column.categories

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        return _Sets(column.categories) if isinstance(column, CategoricalColumn) else Choices()

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case Category(column, values, among=True, if_missing=False):
                return Site(column, values)
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        column = str(site.column)
        known = set(site.option) <= set(examples.table.categories(column).categories)
        return Category(column, site.option) if known and site.option else None


class _Sets(Choices):
    """All sets of some categories: one bit per category, too many to list."""

    def __init__(self, categories: tuple[str, ...]) -> None:
        self._categories = categories
        self._bits = {category: 1 << place for place, category in enumerate(categories)}

    @property
    def count(self) -> int:
        return 1 << len(self._categories)

    def number(self, option: tuple[str, ...]) -> int | None:
        known = all(category in self._bits for category in option)
        return sum(self._bits[category] for category in option) if known else None

    def option(self, number: int) -> tuple[str, ...]:
        # In the order of a predicate: sorted by text.
        return tuple(sorted(name for name, bit in self._bits.items() if number & bit))


class _SubsetSearch(Search):
    def __init__(self, columns: list[CategoricalColumn]) -> None:
        self._columns = [column for column in columns if column.categories]

    def heaviest(self, question: Question) -> Found | None:
        best: Found | None = None
        for column in self._columns:
            found = _heaviest_of(column, question)
            if best is None or found[1:] > best[1:]:
                best = found
        return best


def _heaviest_of(column: CategoricalColumn, question: Question) -> Found:
    weight, side = question.weight, question.side
    positive, negative = weigh_categories(column.codes, weight, len(column.categories))
    total = positive + negative
    members = _members(total, positive, side)
    totals = int(total[members].sum()), int(positive[members].sum())
    if not side:  # all others, and missing values
        everything = total_and_gathered(weight)
        totals = everything[0] - totals[0], everything[1] - totals[1]
    return Found(Category(column.name, tuple(compress(column.categories, members))), *totals)


def _members(total: Weights, positive: Weights, side: bool) -> Mask:
    """Choose each category by itself, then ensure that there is at least one."""
    fires = (total > 0) | ((total == 0) & (positive > 0))
    members: Mask = fires if side else ~fires
    if not members.any():
        sign = 1 if side else -1
        members[first_heaviest(sign * total, sign * positive)] = True
    return members
