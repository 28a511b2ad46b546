"""What encoder and decoder know before the message: columns, families, classes, combinations.

A literal is encoded by its subject (a column; the space of all numeric columns; or no column at
all), by the number of its option among those of the subject, and by the examples it is built from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rulewright.certificates.codes.machine_code import unknown_rule
from rulewright.data import Column, Table
from rulewright.errors import CertificateError, InputError
from rulewright.families import Choices, Family, Site
from rulewright.rules import AllOf, AnyOf, AtLeast, Category, Node, Not, Predicate, all_nodes

COMBINATIONS: dict[type[Predicate], str] = {
    AllOf: "all",
    AnyOf: "any",
    AtLeast: "at least",
    Not: "not",
}


def kind_of(condition: Predicate) -> str:
    """Return the name of a combination, "literal" for a literal."""
    return COMBINATIONS.get(type(condition), "literal")


def combinations_in(nodes: Iterable[Node]) -> tuple[str, ...]:
    """Return the names of the combinations in some nodes, in the order of ``COMBINATIONS``.

    Examples
    --------
    >>> combinations_in([AllOf((Not(Category("a", ("x",))), Category("b", ("y",))))])
    ('all', 'not')
    """
    kinds = {type(part) for node in nodes for part in all_nodes(node) if part.children}
    return tuple(name for kind, name in COMBINATIONS.items() if kind in kinds)


class LiteralCode(NamedTuple):
    """Code of a literal; literals are sorted in this order.

    ``rows`` are the training rows that it is built from.
    """

    subject: int
    option: int
    rows: tuple[int, ...]


class Subject(NamedTuple):
    """What a literal can be about, with the options of each family."""

    column: str | None
    choices: tuple[tuple[Family, Choices], ...]

    @property
    def options(self) -> int:
        """Number of options."""
        return sum(choices.count for _, choices in self.choices)

    def number(self, family: Family, site: Site) -> int | None:
        """Return the number of a family's site, None where it is not among the options."""
        before = 0
        for other, choices in self.choices:
            if other is family:
                number = choices.number(site.option)
                return None if number is None else before + number
            before += choices.count
        return None

    def site(self, number: int) -> tuple[Family, Site]:
        """Return the family and the site of a number."""
        for family, choices in self.choices:
            if number < choices.count:
                return family, Site(self.column, choices.option(number))
            number -= choices.count
        raise CertificateError(f"{self.column!r} has no such option.")


@dataclass(frozen=True, eq=False)
class Codebook:
    """What is known before the message about the models that it can describe.

    Attributes
    ----------
    columns : Table
        The columns with their categories; rows are dropped.
    families : tuple of Family
        Kinds of literals, with the scales that they measured.
    classes : int
        Number of classes.
    combinations : tuple of str
        Allowed combinations of literals: "all", "any", "at least", "not".
    strict : bool
        Whether literals that occur only with implied borders (``<``, ``>=``) are allowed.
    """

    columns: Table
    families: tuple[Family, ...]
    classes: int
    combinations: tuple[str, ...] = ()
    strict: bool = False

    def __post_init__(self) -> None:
        unknown = [name for name in self.combinations if name not in COMBINATIONS.values()]
        if unknown:
            known = ", ".join(map(repr, COMBINATIONS.values()))
            raise InputError(f"There is no combination {unknown[0]!r}. Known are {known}.")
        object.__setattr__(self, "columns", self.columns.take(np.empty(0, np.intp)))
        object.__setattr__(self, "families", tuple(self.families))

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The columns that some family can test, the space, and what belongs to no column."""
        alone = [family for family in self.families if family.lone]
        columns = [self._subject(column, alone) for column in self.columns.columns]
        spanned = [
            family
            for family in self.families
            if not family.lone and any(map(family.options, self.columns.fields))
        ]
        shared = [family for family in spanned if not family.own_subject]
        own = [[family] for family in spanned if family.own_subject]
        free = [self._subject(None, families) for families in (shared, *own, alone)]
        subjects = [*columns, *free]
        return tuple(subject for subject in subjects if subject.options)

    @cached_property
    def max_examples(self) -> int:
        """Largest number of examples that a literal is built from."""
        families = (family for subject in self.subjects for family, _ in subject.choices)
        return max((family.prototypes + family.borders for family in families), default=0)

    def _subject(self, column: Column | None, families: Sequence[Family]) -> Subject:
        choices = ((family, family.choices(column, strict=self.strict)) for family in families)
        some = tuple((family, options) for family, options in choices if options.count)
        return Subject(None if column is None else column.name, some)

    @cached_property
    def _subject_of(self) -> dict[tuple[str | None, int], int]:
        """Number of the subject of a column and the identity of a family that tests it."""
        return {
            (subject.column, id(family)): number
            for number, subject in enumerate(self.subjects)
            for family, _ in subject.choices
        }

    @cached_property
    def _compared(self) -> dict[str, dict[str, int]]:
        """The columns that can be compared with single values, and the numbers of these."""
        found: dict[str, dict[str, int]] = {}
        for column in self.columns.categorical:
            equal = (Category(column.name, (value,)) for value in column.categories)
            values = [test.values[0] for test in equal if self._needs_no_row(test)]
            found[column.name] = {value: place for place, value in enumerate(values)}
        return found

    def _needs_no_row(self, literal: Predicate) -> bool:
        return self.can_encode(literal) and not self.code_of(literal).rows

    def can_encode(self, literal: Predicate) -> bool:
        """Whether a literal has a code."""
        try:
            self.code_of(literal)
        except CertificateError:
            return False
        return True

    def comparable(self, count: int) -> list[tuple[str, tuple[str, ...]]]:
        """Return the columns that have ``count`` or more single values to compare, with these."""
        return [column for column in self._comparable if len(column[1]) >= count]

    @cached_property
    def _comparable(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple((name, tuple(values)) for name, values in self._compared.items())

    def compared(self, tests: Sequence[Predicate]) -> tuple[str, list[int]] | None:
        """Return the column that all tests compare with single values, and the values' numbers.

        None where a test does anything else, or two tests compare with the same value.
        """
        if len(tests) < 2 or not all(isinstance(test, Category) for test in tests):
            return None
        equal = [t for t in tests if isinstance(t, Category) and t.among and not t.if_missing]
        known = self._compared.get(tests[0].columns[0], {})
        places = [
            known.get(test.values[0])
            for test in equal
            if test.columns == tests[0].columns and len(test.values) == 1
        ]
        found = [place for place in places if place is not None]
        different = len(set(found)) == len(tests)
        return (tests[0].columns[0], found) if different else None

    def within(self, kind: str | None) -> tuple[str, ...]:
        """Return the combinations allowed directly inside another, or at the top (None)."""
        merged = () if kind == "at least" else (kind,)
        return tuple(name for name in self.combinations if name not in merged)

    def code_of(self, literal: Predicate) -> LiteralCode:
        """Return the code of a literal.

        Raises
        ------
        CertificateError
            If no family makes the literal.
        """
        for family, site, rows in self._sites(literal):
            subject = self._subject_of.get((site.column, id(family)))
            if subject is None:
                continue
            option = self.subjects[subject].number(family, site)
            if option is not None:
                return LiteralCode(subject, option, rows)
        raise unknown_rule(literal, self.families)

    def _sites(self, literal: Predicate) -> Iterator[tuple[Family, Site, tuple[int, ...]]]:
        """Yield the sites at which a family makes the literal, for a rule on either side."""
        for family in self.families:
            for side in (True, False):
                for implied in (False, True) if self.strict else (False,):
                    site = family.site(literal, implied=implied, side=side)
                    rows = family.rows(literal, side)
                    if site is not None and len(rows) == family.prototypes + family.borders:
                        yield family, site, rows
