"""Growing of rules test by test on some examples, and their evaluation on others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.families.terms import ABOVE, AT_MOST, IS, MISSING, PRESENT, Term, Terms
from rulewright.kernels import RuleGrowthOptions
from rulewright.rules import AllOf, Predicate

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]

MAX_TERMS = 255


class RuleGrower:
    """Examples in the order in which subsamples are drawn, repeated as often as each counts.

    Examples are identified by their position here, not by their number in the table.

    Parameters
    ----------
    terms : Terms
        Terms of the rules: tests of numbers, single categories and missing values.
    rows : array of int
        Number of each example in the table.
    """

    def __init__(self, terms: Terms, rows: NDArray[np.intp]) -> None:
        self.terms = terms
        self.rows = rows
        self._presence = _Presence(terms)
        self._index = terms.index(rows, self._presence.codes)

    def grown(
        self,
        gain: str,
        among: Rows,
        own: Mask,
        weight: Floats | None,
        *,
        min_weight: float = 1.0,
        first: Sequence[Term] = (),
        columns: Callable[[set[int]], Mask] | None = None,
        relations: Mask | None = None,
    ) -> tuple[Term, ...]:
        """Grow a rule from the examples ``among``, by FOIL's gain ("foil") or by "boosting".

        ``own`` and ``weight`` are of all examples; a rule covers a weight of at least
        ``min_weight``. ``columns`` returns which columns a rule may test further, given those that
        it tests; None for all. ``relations`` are the relations (columns) of each column (rows) that
        it may test; None for all.
        """
        known = tuple(first)
        offered = self.terms.offered if relations is None else self.terms.offered & relations
        sides = np.stack([offered[:, AT_MOST] | offered[:, IS], offered[:, ABOVE]], axis=1)
        presence = self._presence
        sides = np.concatenate([sides, presence.sides(offered)])
        numeric = np.append(self.terms.cut_columns, np.zeros(len(presence.columns), np.bool_))
        while True:
            allowed = sides
            if columns is not None:
                free = columns({term.column for term in known})
                allowed = allowed & np.append(free, free[presence.columns])[:, np.newaxis]
            options = RuleGrowthOptions(gain, numeric, allowed, min_weight, MAX_TERMS)
            tests = self._index.grow(among, own, weight, options, presence.coded(known))
            found = tuple(presence.term(Term(*test)) for test in tests)
            # A rule is grown again from the terms before the first that is not allowed there.
            known = found if columns is None else _longest_allowed(found, len(known), columns)
            if len(known) == len(found):
                return found

    def depth(self, terms: Sequence[Term], among: Rows) -> Rows:
        """Number of the first term that fails on each example; the number of terms if none does."""
        return self._index.depth(self._presence.coded(terms), among)

    def covered(self, terms: Sequence[Term], among: Rows) -> Rows:
        """Examples on which all terms hold."""
        return self._index.passing(self._presence.coded(terms), among)

    def condition(self, terms: Sequence[Term]) -> Predicate:
        """Node that holds if all terms hold."""
        predicates = self.terms.predicates(tightest(terms))
        return predicates[0] if len(predicates) == 1 else AllOf(predicates)


class _Presence:
    """Columns of missing values, as further columns of categories.

    A row without a value has category 0 there. Rows with a value have category 1, or none if a rule
    may not ask for them.
    """

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self.columns: NDArray[np.intp] = np.array(
            [c for c in terms.incomplete if terms.offered[c, MISSING]], np.intp
        )
        self.codes = [
            np.where(
                terms.holds(Term(c, MISSING, -1)), 0, 1 if terms.offered[c, PRESENT] else -1
            ).astype(np.int32)
            for c in self.columns.tolist()
        ]

    def sides(self, offered: Mask) -> Mask:
        """Whether each of the columns may be tested."""
        sides = np.zeros((self.columns.size, 2), np.bool_)
        sides[:, 0] = offered[self.columns, MISSING]
        return sides

    def coded(self, terms: Sequence[Term]) -> tuple[Term, ...]:
        """Terms with tests for missing values as tests of the further columns."""
        first = len(self._terms.columns)
        place = {column: first + i for i, column in enumerate(self.columns.tolist())}
        return tuple(
            Term(place[term.column], IS, int(term.relation == PRESENT))
            if term.relation in (MISSING, PRESENT)
            else term
            for term in terms
        )

    def term(self, test: Term) -> Term:
        """Term of a test of a further column, or the test itself."""
        place = test.column - len(self._terms.columns)
        if place < 0:
            return test
        return Term(int(self.columns[place]), PRESENT if test.code else MISSING, -1)


def _longest_allowed(
    terms: tuple[Term, ...], start: int, columns: Callable[[set[int]], Mask]
) -> tuple[Term, ...]:
    """Terms before the first that tests a column which those before it do not allow."""
    for place in range(start, len(terms)):
        if not columns({term.column for term in terms[:place]})[terms[place].column]:
            return terms[:place]
    return terms


def tightest(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Terms without those implied by later ones: of two upper bounds of a column, the higher one.

    Examples
    --------
    >>> tightest([Term(0, 0, 9), Term(1, 2, 3), Term(0, 0, 5), Term(0, 1, 2)])
    (Term(column=1, relation=2, code=3), Term(column=0, relation=0, code=5), \
Term(column=0, relation=1, code=2))
    """
    last = {(term.column, term.relation): term for term in terms}
    return tuple(term for term in terms if last[term.column, term.relation] == term)


def prefixes(depth: Rows, weight: Floats | None, other: Mask, terms: int) -> Floats:
    """Weights of the class and of the others that the first 0, 1, ... terms cover.

    ``depth`` is the number of the first term that fails on each example. Without weights, each
    counts once.

    Examples
    --------
    >>> prefixes(np.array([0, 2, 2]), np.array([0.5, 0.25, 0.25]), np.array([1, 0, 1]), 2).tolist()
    [[0.25, 0.75], [0.25, 0.25], [0.25, 0.25]]
    """
    cells = np.bincount(2 * depth + other, weight, 2 * (terms + 1)).astype(np.float64)
    covered: Floats = np.cumsum(cells.reshape(-1, 2)[::-1], axis=0)[::-1]
    return covered
