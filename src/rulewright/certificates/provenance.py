"""Whether each test of a model can be made from given rows.

A certificate from rows held out does not rebuild the model. But a model that was learnt without
these rows has only numbers that the other rows give.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import CertificateError
from rulewright.families import (
    FAMILIES,
    FILLINGS,
    MAX_SUM_COLUMNS,
    Balls,
    Examples,
    ExpertTests,
    Family,
    HalfPlanes,
    HalfSpaces,
    Intervals,
    Midpoints,
    RoundedThresholds,
    Thresholds,
)
from rulewright.render import predicate_text
from rulewright.rules import (
    Arrangement,
    Ball,
    Category,
    Function,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Literal,
    Missing,
    Predicate,
    Scaling,
    Threshold,
    field_names,
    literals_of,
)

MAX_TEST_TEXT = 100
"""Maximum number of characters of a test in an error message."""


def check_provenance(
    body: Arrangement, learnt: Examples, written: Sequence[ExpertTests] = ()
) -> None:
    """Check that every test is made from these rows, or was written by an expert.

    ``learnt`` are the rows that were not held out, with their numbers in the user's table.
    """
    provenance = _Provenance(learnt, written)
    for literal in dict.fromkeys(literals_of(body)):
        if not provenance.makes(literal):
            text = predicate_text(literal)
            text = text if len(text) <= MAX_TEST_TEXT else text[: MAX_TEST_TEXT - 3] + "..."
            raise CertificateError(
                f"The test {text!r} cannot be made from the rows that were not held out. The model "
                "was learnt with rows that the certificate says were held out, or the test was "
                "written by hand and the certificate does not name it."
            )


@dataclass(frozen=True, eq=False)
class _Provenance:
    """The rows that tests may be made from, and the tests that experts wrote."""

    learnt: Examples
    written: Sequence[ExpertTests]

    @cached_property
    def places(self) -> dict[int, int]:
        """Position of each row of the user's table among the rows."""
        return {int(row): place for place, row in enumerate(self.learnt.rows)}

    def makes(self, literal: Literal) -> bool:
        """Whether a literal can be made from the rows, or was written by an expert."""
        if isinstance(literal, Missing | Given | Function):  # they have no number
            return True
        if isinstance(literal, Category):
            column = self.learnt.table.categories(literal.column)
            return set(literal.values) <= set(column.categories)
        if self._is_written(literal) or self._is_built(literal):
            return True
        if isinstance(literal, Interval):  # two merged thresholds
            return all(map(self.makes, literal.sides))
        return isinstance(literal, Threshold) and not literal.anchors and self._occurs(literal)

    def _is_written(self, literal: Literal) -> bool:
        return any(
            family.site(form) is not None for family in self.written for form in _forms(literal)
        )

    def _is_built(self, literal: Literal) -> bool:
        """Whether a family builds the literal from the rows that it is anchored on."""
        sides = ((False, True), (False, True))
        return any(
            self._builds(family, form, implied=implied, side=side)
            for family in self._families_of(literal)
            for form in _forms(literal)
            for implied, side in product(*sides)
        )

    def _builds(self, family: Family, literal: Predicate, *, implied: bool, side: bool) -> bool:
        site = family.site(literal, implied=implied, side=side)
        rows = family.rows(literal, side)
        fitting = len(rows) == family.prototypes + family.borders
        if site is None or not fitting or any(row not in self.places for row in rows):
            return False
        return family.build(site, self.learnt, [self.places[row] for row in rows]) == literal

    def _families_of(self, literal: Literal) -> tuple[Family, ...]:
        """Return the families that may have made a literal, with scales measured on the rows."""
        table = self.learnt.table
        return tuple(
            family.measured(table, family.scaling_rows(table.rows)) for family in _possible(literal)
        )

    def _occurs(self, threshold: Threshold) -> bool:
        """Whether a cut without a row is a value of the column, or halfway between neighbours."""
        values = self.learnt.table.numbers(threshold.column)
        known: NDArray[np.float64] = np.unique(values[~np.isnan(values)])
        above = int(np.searchsorted(known, threshold.cut, "right"))
        if above and known[above - 1] == threshold.cut:
            return True
        if not 0 < above < known.size:
            return False
        neighbours = (int(np.argmax(values == known[above + step])) for step in (-1, 0))
        rows = tuple(int(self.learnt.rows[place]) for place in neighbours)
        return any(
            self._builds(Midpoints(), form, implied=False, side=True)
            for form in _forms(replace(threshold, anchored_on=rows))
        )


def _possible(literal: Literal) -> tuple[Family, ...]:
    """Return the families that may have made a literal."""
    match literal:
        case Threshold():
            return Thresholds(), Midpoints(), RoundedThresholds(), Thresholds(cuts="integers")
        case Interval():
            return (Intervals(),)
        case Ball(metric=metric, scaling=scaling):
            return tuple(
                Balls(metric=metric, scale=scaling.kind, impute=way) for way in _fillings(scaling)
            )
        case HalfSpace(kernel=kernel, scaling=scaling):
            return tuple(
                HalfSpaces(kernel=kernel, scale=scaling.kind, impute=way)
                for way in _fillings(scaling)
            )
        case HalfPlane(on) if 2 <= len(on) <= MAX_SUM_COLUMNS:
            return (HalfPlanes(len(on)),)
        case _:
            return tuple(kind() for kind in FAMILIES.values())


def _fillings(scaling: Scaling) -> tuple[str, ...]:
    """Return the ways in which missing values may have been filled."""
    return FILLINGS[1:] if scaling.fill else FILLINGS[:1]


def _forms(literal: Predicate) -> Iterator[Predicate]:
    """Yield a literal and its negation, both false on missing values as families make them."""
    for form in (literal, ~literal):
        has_truth = "if_missing" in field_names(type(form))
        yield replace(form, if_missing=False) if has_truth else form  # type: ignore[type-var]
