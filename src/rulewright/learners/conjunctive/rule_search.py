"""The best rule for what is left to be covered, over all classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.criteria import Filters
from rulewright.data import Table
from rulewright.families import BUDGET, ConjunctionSearch, Criterion, Goal, Rated, Term
from rulewright.learners.base.notices import warn
from rulewright.learners.base.usefulness import whole_weights
from rulewright.rules import Rule

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

Corrector = Callable[[Goal, Sequence[Term]], tuple[float, float]]
"""From a goal and the terms of a rule: what its cuts' choice makes p too large, and n too small."""

MAX_BITS = 52
"""Weights sum to less than two to this power, so that every sum of them is exact."""


@dataclass(frozen=True, eq=False)
class Counting:
    """What every example counts: whole numbers, and how much of them is one example.

    ``full`` is what every example counted before some lost weight, in examples; None where none
    did.
    """

    weight: Floats | None
    unit: float = 1.0
    full: Floats | None = None

    def scale(self, rows: Mask, own: Mask) -> tuple[float, float] | None:
        """P and N of a class before examples lost weight."""
        if self.full is None:
            return None
        return float(self.full[rows & own].sum()), float(self.full[rows & ~own].sum())


@dataclass(frozen=True, eq=False)
class Scales:
    """What examples are worth, in whole numbers, so that a row of weight 2 is the same row twice.

    Factors are rounded before they are multiplied with it, for the same reason.
    """

    whole: Floats
    unit: float

    @classmethod
    def of(cls, worth: Floats) -> Scales:
        """Make whole numbers of what examples are worth."""
        whole = whole_weights(worth, 2 ** (MAX_BITS // 2)).astype(np.float64)
        return cls(whole, float(whole.sum() / worth.sum()))

    def counting(self, factor: Floats | None = None) -> Counting:
        """Count every example as often as it is worth, times a factor of its own.

        All together count as much as without factors.
        """
        if factor is None:
            return Counting(None if (self.whole == 1).all() else self.whole, self.unit)
        whole = np.ldexp(factor, self._shift(factor)).round() * self.whole
        return Counting(whole, float(whole.sum() * self.unit / self.whole.sum()))

    def lessened(self, factor: Floats) -> Counting:
        """Count every example as often as it is worth, times a factor of at most 1.

        P and N stay those of all examples. Were they lessened as well, a criterion of shares, as
        ``p / P``, would see no difference in a class of which all examples have lost as much.
        """
        shift = self._shift(factor)
        whole = np.ldexp(factor, shift).round() * self.whole
        return Counting(whole, math.ldexp(self.unit, shift), self.whole / self.unit)

    def _shift(self, factor: Floats) -> int:
        """Power of two that makes factors as large as sums of them can exactly be."""
        bits = MAX_BITS - math.frexp(self.whole.sum())[1]
        return int(bits - math.frexp(factor.max())[1])


@dataclass(frozen=True)
class Found:
    """A rule, and the class that it speaks for."""

    rated: Rated
    output: int
    fires: Mask = field(repr=False, compare=False)

    @property
    def rule(self) -> Rule:
        """The rule itself."""
        return Rule(self.rated.condition, self.output)


@dataclass(frozen=True, eq=False)
class RuleSearch:
    """What makes a rule good, and which rules there may be.

    ``allowed`` are the terms that a rule for each class may use; ``forced`` the columns that every
    rule must test. ``cautious``: corrected counts, too, must have more of the class than of others.
    """

    search: ConjunctionSearch
    criterion: Criterion
    rising: bool
    filters: Filters
    corrector: Corrector | None
    allowed: Sequence[Mask | None]
    forced: tuple[int, ...]
    cautious: bool

    def best(
        self,
        rows: Mask,
        y: NDArray[np.int32],
        counting: Callable[[int], Counting],
        worth: Callable[[Rated, int], tuple[float, ...]],
        table: Table,
    ) -> Found | None:
        """Find the best rule for each class, and of these the worthiest; ties go to the first."""
        best: tuple[Rated, int] | None = None
        for output, allowed in enumerate(self.allowed):
            rated = self._rated(rows, y == output, counting(output), allowed)
            if rated is None:
                continue
            if best is None or worth(rated, output) > worth(*best):
                best = rated, output
        if best is None:
            return None
        return Found(*best, best[0].condition.holds(table))

    def warn_if_cut_short(self) -> None:
        """Warn where not all rules were tried that could have been better."""
        if self.search.cut_short:
            warn(
                f"The search for all rules stopped after {BUDGET:,} of them, at least once: better "
                "rules may have been missed. Set beam_width to a number, or max_terms lower."
            )

    def _acceptable(self, p: Floats, n: Floats, P: float, N: float) -> Mask:
        """Say which rules may be taken: they cover more of their class than of all others."""
        return self.filters.passes(p, n, P, N) & (p > n)

    def _rated(
        self, rows: Mask, own: Mask, counting: Counting, allowed: Mask | None
    ) -> Rated | None:
        if not (own & rows).any() or not (rows & ~own).any():
            return None
        goal = Goal(
            rows,
            own,
            self.criterion,
            counting.weight,
            counting.unit,
            self.rising,
            self._acceptable,
            allowed,
            self.forced,
            cautious=self.cautious,
            full=counting.scale(rows, own),
        )
        if self.corrector is not None:
            goal = goal.corrected(self.corrector)
        return self.search.best(goal)
