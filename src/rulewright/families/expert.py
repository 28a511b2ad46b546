"""Single tests that an expert wrote before seeing the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

from rulewright.data import MOMENT_NAMES, Column, Field
from rulewright.errors import InputError
from rulewright.families.family import (
    Choices,
    Examples,
    Family,
    Found,
    Question,
    Search,
    Site,
    Training,
    total_and_gathered,
)
from rulewright.rules import Category, Given, Literal, Predicate, parse_condition


@dataclass(frozen=True)
class ExpertTests(Family):
    """Tests of an expert, in the syntax of ``rulewright.rules.parser``.

    Candidates are ordered by their place in the list. They have no anchors: a message names one of
    them by its number, so they must have been fixed before the data was seen.

    Parameters
    ----------
    tests : sequence of str
        Single tests, such as the terms of an expert's rules, without "and" or "or".

    Examples
    --------
    >>> ExpertTests(("glucose > 127", "sex = f")).extra_options()
    2
    """

    name: ClassVar[str] = "expert"

    tests: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tests", tuple(dict.fromkeys(_texts(self.tests))))

    def prepare(self, training: Training) -> Search:
        fields = tuple(training.table.fields)
        tests = [_test(text, fields) for text in self.tests]
        return _ExpertSearch([(test, test.holds(training.table)) for test in tests])

    def options(self, column: Field) -> int:
        return 0

    def extra_options(self) -> int:
        return len(self.tests)

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        return Choices((text,) for text in self.tests) if column is None else Choices()

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        if not isinstance(predicate, Literal) or predicate.anchors:
            return None
        for text in self.tests:
            if any(_read(text, fields) == predicate for fields in _possible(predicate)):
                return Site(None, (text,))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        (text,) = site.option
        return _read(text, tuple(examples.table.fields)) if text in self.tests else None


class _ExpertSearch(Search):
    def __init__(self, tests: Sequence[tuple[Predicate, Any]]) -> None:
        self._tests = tests

    def heaviest(self, question: Question) -> Found | None:
        best: Found | None = None
        for test, holds in self._tests:
            totals = total_and_gathered(question.weight[holds == question.side])
            if best is None or totals > best[1:]:
                best = Found(test, *totals)
        return best


def _possible(predicate: Literal) -> list[tuple[Field, ...]]:
    """Possible kinds of the column of a test; a parser needs nothing else of a table."""
    if len(predicate.columns) != 1:
        return []
    (name,) = predicate.columns
    if isinstance(predicate, Category):
        return [(Field(name, "text"),), (Field(name, "boolean"),)]
    if isinstance(predicate, Given):
        return [(Field(name, "boolean"),)]
    return [(Field(name, "numeric"),), *((Field(name, moment),) for moment in MOMENT_NAMES)]


@lru_cache(maxsize=4096)
def _read(text: str, fields: tuple[Field, ...]) -> Predicate | None:
    """Parse a test; None if the columns do not allow it."""
    try:
        return _test(text, fields)
    except InputError:
        return None


def without_order(test: Predicate) -> Predicate:
    """A test whose text names its categories one by one, so that it needs no order to be read."""
    return replace(test, order=None) if isinstance(test, Category) else test


def _test(text: str, fields: tuple[Field, ...]) -> Predicate:
    test = parse_condition(text, fields)
    if not isinstance(test, Literal):
        raise InputError(
            f"An expert's test must be a single one, got {text!r}. Pass the terms combined with "
            "'and' or 'or' one by one."
        )
    return test


def _texts(tests: Any) -> list[str]:
    if isinstance(tests, str) or not isinstance(tests, Sequence):
        raise InputError(f"tests must be a list of texts such as 'age > 40', got {tests!r}.")
    for text in tests:
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"tests must be a list of texts such as 'age > 40', got {text!r}.")
    return [text.strip() for text in tests]
