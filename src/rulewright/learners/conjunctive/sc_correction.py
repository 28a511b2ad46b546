"""Counts corrected for the choice of cuts, by the splitting-and-connectivity bound.

K. Vorontsov and A. Ivahnenko (2011), Tight Combinatorial Generalization Bounds for Threshold
Conjunction Rules: a rule's cuts were chosen so that it covers much of its class and little of the
others, so on new examples it covers less of the one and more of the other. The bound on the
difference depends on the columns that the rule cuts and not on the cuts: one computation serves all
cuts of these columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import sc_corrections
from rulewright.families import AT_MOST, Goal, Term, Terms

MAX_OBJECTS = 1000
"""Maximum number of examples; of more, a sample is drawn and the result is scaled."""


@dataclass(eq=False)
class SCCorrector:
    """Corrects the counts of rules that are made of terms.

    ``copies`` is the number of copies of each example; None for one each.
    """

    terms: Terms
    copies: NDArray[np.intp] | None
    eta: float
    seed: int
    known: dict[tuple[object, ...], tuple[float, float]] = field(default_factory=dict)
    goal: Goal | None = None

    def __call__(self, goal: Goal, terms: Sequence[Term]) -> tuple[float, float]:
        """By how much p is too large, and n too small, for a rule with these terms."""
        if goal is not self.goal:
            self.goal, self.known = goal, {}
        cuts = tuple(sorted({self.terms.cut(term) for term in terms}))
        if cuts not in self.known:
            self.known[cuts] = self._shares(goal, cuts)
        less_p, more_n = self.known[cuts]
        objects = sum(goal.whole) / 2  # half of the examples are for training, half are hidden
        return less_p * objects, more_n * objects

    def _shares(self, goal: Goal, cuts: Sequence[Term]) -> tuple[float, float]:
        rows, scale = self._drawn(np.flatnonzero(goal.rows))
        if self.copies is not None:
            rows = np.repeat(rows, self.copies[rows])
        values = [self.terms.values(cut)[rows] for cut in cuts]
        found = sc_corrections(
            np.stack(values, axis=1),
            goal.own[rows],
            ["<=" if cut.relation == AT_MOST else ">=" for cut in cuts],
            eta=self.eta,
        )
        return found.eps_p * scale, found.eps_n * scale

    def _drawn(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], float]:
        """Rows to use, and the scale of the result: the bias falls as the square root of counts."""
        if rows.size <= MAX_OBJECTS:
            return rows, 1.0
        chosen = np.random.default_rng(self.seed).choice(rows, MAX_OBJECTS, replace=False)
        return np.sort(chosen), float(np.sqrt(MAX_OBJECTS / rows.size))
