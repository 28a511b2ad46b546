"""The best rule for the remaining examples, over all classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.criteria import Filters
from rulewright.data import Table
from rulewright.families import BUDGET, ConjunctionSearch, Criterion, Goal, Rated, Term
from rulewright.kernels import thread_map
from rulewright.learners.base.column_constraints import ColumnConstraints, ColumnUse
from rulewright.learners.base.notices import warn
from rulewright.learners.base.usefulness import whole_weights
from rulewright.rules import Rule

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

Corrector = Callable[[Goal, Sequence[Term]], tuple[float, float]]
"""Function of a goal and a rule's terms: by how much the choice of cuts raises p and lowers n."""

MAX_BITS = 52
"""Weights sum to less than two to this power, so that every sum of them is exact."""

MIN_READINGS = 4
"""Number of times that the search for a rule reads the rows, at least, if rows are many."""


@dataclass(frozen=True, eq=False)
class Counting:
    """Value of each example in whole numbers, and the number that stands for one example.

    ``full`` is the value of each example before some lost weight, in examples; None if none did.
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
    """Values of examples in whole numbers, so that a row of weight 2 is the same row twice.

    Factors are rounded before they are multiplied with it, for the same reason.
    """

    whole: Floats
    unit: float

    @classmethod
    def of(cls, worth: Floats) -> Scales:
        """Make whole numbers of the values of examples."""
        whole = whole_weights(worth, 2 ** (MAX_BITS // 2)).astype(np.float64)
        return cls(whole, float(whole.sum() / worth.sum()))

    def counting(self, factor: Floats | None = None) -> Counting:
        """Count each example by its value times a factor of its own.

        The sum is the same as without factors.
        """
        if factor is None:
            return Counting(None if (self.whole == 1).all() else self.whole, self.unit)
        whole = np.ldexp(factor, self._shift(factor)).round() * self.whole
        return Counting(whole, float(whole.sum() * self.unit / self.whole.sum()))

    def lessened(self, factor: Floats) -> Counting:
        """Count each example by its value times a factor of at most 1.

        P and N stay those of all examples. If they shrank as well, a criterion of shares, such as
        ``p / P``, would see no difference in a class whose examples have all lost the same weight.
        """
        shift = self._shift(factor)
        whole = np.ldexp(factor, shift).round() * self.whole
        return Counting(whole, math.ldexp(self.unit, shift), self.whole / self.unit)

    def _shift(self, factor: Floats) -> int:
        """Largest power of two by which factors can be multiplied with exact sums."""
        bits = MAX_BITS - math.frexp(self.whole.sum())[1]
        return int(bits - math.frexp(factor.max())[1])


@dataclass(frozen=True)
class FoundRule:
    """A rule and its class."""

    rated: Rated
    output: int
    fires: Mask = field(repr=False, compare=False)

    @property
    def rule(self) -> Rule:
        """The rule itself."""
        return Rule(self.rated.condition, self.output)


@dataclass(frozen=True, eq=False)
class RuleSearch:
    """Criterion of a rule, and the rules that are allowed.

    ``allowed`` are the terms that a rule for each class may use; ``forced`` the columns that every
    rule must test. ``cautious``: corrected counts must have more of the class than of others, too.
    ``constraints``: columns that a rule and a model may test. ``threads``: number of classes whose
    rules are sought at the same time.
    """

    search: ConjunctionSearch
    criterion: Criterion
    rising: bool
    filters: Filters
    corrector: Corrector | None
    allowed: Sequence[Mask | None]
    forced: tuple[int, ...]
    cautious: bool
    constraints: ColumnConstraints | None = None
    threads: int = 1

    def best(
        self,
        rows: Mask,
        y: NDArray[np.int32],
        counting: Callable[[int], Counting],
        worth: Callable[[Rated, int], tuple[float, ...]],
        table: Table,
        used: ColumnUse | None = None,
    ) -> FoundRule | None:
        """Best rule over all classes; ties go to the first class.

        ``used`` are the columns that the model uses, if these are constrained.
        """

        def of_class(output: int) -> Rated | None:
            allowed = self.allowed[output]
            return self._rated(rows, y == output, counting(output), allowed, used)

        best: tuple[Rated, int] | None = None
        cells = MIN_READINGS * rows.size * len(table.names) * len(self.allowed)
        # A corrector keeps what it knows of one class at a time.
        threads = self.threads if self.corrector is None else 1
        found = thread_map(of_class, range(len(self.allowed)), threads, cells)
        for output, rated in enumerate(found):
            if rated is None:
                continue
            if best is None or worth(rated, output) > worth(*best):
                best = rated, output
        if best is None:
            return None
        return FoundRule(*best, best[0].condition.holds(table))

    def column_use(self, rules: Sequence[Rule], table: Table) -> ColumnUse | None:
        """Columns that a model with some rules uses; None without constraints."""
        if self.constraints is None or self.constraints.is_free:
            return None
        used = ColumnUse(self.constraints)
        used.add(table.names.index(name) for rule in rules for name in rule.columns)
        return used

    def warn_if_cut_short(self) -> None:
        """Warn if a search ended before it tried all rules."""
        if self.search.cut_short:
            warn(
                f"The search for all rules stopped after {BUDGET:,} of them, at least once: better "
                "rules may have been missed. Set beam_width to a number, or max_terms lower."
            )

    def _acceptable(self, p: Floats, n: Floats, P: float, N: float) -> Mask:
        """Whether each rule passes the filters and covers more of its class than of all others."""
        return self.filters.passes(p, n, P, N) & (p > n)

    def _rated(
        self,
        rows: Mask,
        own: Mask,
        counting: Counting,
        allowed: Mask | None,
        used: ColumnUse | None,
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
            columns=None if used is None else used.allowed,
        )
        if self.corrector is not None:
            goal = goal.corrected(self.corrector)
        return self.search.best(goal)
