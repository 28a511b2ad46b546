"""Tests for missing values, as a setting of learners of rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rulewright.data import Table
from rulewright.families import Family, MissingValues
from rulewright.learners.base.constraint_settings import ConstraintSettings
from rulewright.learners.base.parameters import read_switch
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import option

MISSING_TESTS = "Allow tests whether a value is missing."
"""Help of the setting."""


@dataclass(frozen=True, kw_only=True)
class MissingTestSettings(ConstraintSettings):
    """A setting for tests whether a value is missing."""

    missing_tests: bool = option(
        True,
        MISSING_TESTS,
        "bool",
        read=read_switch,
        details="They find out where values are missing for a cause. Other tests fail on a missing "
        "value.",
    )

    def tested_families(self, sample: Sample) -> tuple[tuple[Family, ...], int]:
        """Families of the tests, and the number of settings from which the data choose."""
        if not self.missing_tests:
            return self.families(), 1
        return with_presence(self.families(), sample.table, negation=not self.positive_tests)

    def polishing_families(self, sample: Sample) -> tuple[Family, ...]:
        return self.tested_families(sample)[0]

    def codes(self) -> tuple[Any, ...]:
        return ((self.families(), bool(self.missing_tests)),)


def with_presence(
    families: tuple[Family, ...], table: Table, *, negation: bool = True
) -> tuple[tuple[Family, ...], int]:
    """Families with tests for missing values if there are some; the data choose from two settings.

    Naming the test among those of every column would make messages longer.
    """
    if any(isinstance(family, MissingValues) for family in families):
        return families, 1
    some = any(column.missing.any() for column in table.columns)
    return (*families, MissingValues(negation)) if some else families, 2
