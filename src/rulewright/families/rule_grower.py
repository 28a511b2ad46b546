"""Growing of rules test by test on some examples, and their evaluation on others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.families.terms import ABOVE, AT_MOST, IS, Term, Terms
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
        Terms of the rules: tests of numbers and single categories.
    rows : array of int
        Number of each example in the table.
    """

    def __init__(self, terms: Terms, rows: NDArray[np.intp]) -> None:
        self.terms = terms
        self.rows = rows
        self._index = terms.index(rows)

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
        while True:
            allowed = sides
            if columns is not None:
                allowed = allowed & columns({term.column for term in known})[:, np.newaxis]
            options = RuleGrowthOptions(
                gain, self.terms.cut_columns, allowed, min_weight, MAX_TERMS
            )
            tests = self._index.grow(among, own, weight, options, known)
            found = tuple(Term(*test) for test in tests)
            # A rule is grown again from the terms before the first that is not allowed there.
            known = found if columns is None else _longest_allowed(found, len(known), columns)
            if len(known) == len(found):
                return found

    def depth(self, terms: Sequence[Term], among: Rows) -> Rows:
        """Number of the first term that fails on each example; the number of terms if none does."""
        return self._index.depth(terms, among)

    def covered(self, terms: Sequence[Term], among: Rows) -> Rows:
        """Examples on which all terms hold."""
        covered: Rows = among[self.depth(terms, among) == len(terms)]
        return covered

    def condition(self, terms: Sequence[Term]) -> Predicate:
        """Node that holds if all terms hold."""
        predicates = self.terms.predicates(tightest(terms))
        return predicates[0] if len(predicates) == 1 else AllOf(predicates)


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
