"""A categorical column against a set of its categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import ClassVar

from rulewright.data import CategoricalColumn, Field
from rulewright.data.columns import Column
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
    """``x in V``, with V any set of categories seen in training, at least one.

    It is false where x is missing. Candidates are ordered by column, then those that fire on fewer
    categories come first, then V by its first category. Anchored on nothing: the categories of a
    column count as known beforehand, and a predicate costs a yes or no for each of them.
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
    """All sets of some categories: a bit for each of them, too many to list."""

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
        # As a predicate has them: in the order of their texts.
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
    gathers = int(total[members].sum()), int(positive[members].sum())
    if not side:  # all else, and whatever is missing
        everything = total_and_gathered(weight)
        gathers = everything[0] - gathers[0], everything[1] - gathers[1]
    return Found(Category(column.name, tuple(compress(column.categories, members))), *gathers)


def _members(total: Weights, positive: Weights, side: bool) -> Mask:
    """Choose each category by itself, then see to it that there is one."""
    fires = (total > 0) | ((total == 0) & (positive > 0))
    members: Mask = fires if side else ~fires
    if not members.any():
        sign = 1 if side else -1
        members[first_heaviest(sign * total, sign * positive)] = True
    return members
