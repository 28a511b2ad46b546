"""One class against those that come after it: rules for it, grown and pruned, and their length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulewright.families.growing import Nursery, tightest
from rulewright.families.terms import Term
from rulewright.learners.drawing import Lots
from rulewright.learners.ripper.describing import exception_bits, rule_bits

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int32]

PARTS = 3
"""Rules are grown from two thirds of the examples and pruned on the third."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A rule for the class: its terms in the order they were added, and what it covers."""

    terms: tuple[Term, ...]
    covered: Rows = field(repr=False)
    bits: float


@dataclass(frozen=True, eq=False)
class Duel:
    """The examples of a class, and of those that come after it in order.

    ``rows`` are in increasing order; ``own`` says which of all examples are of the class, and
    ``weight`` what they count, None for once each.
    """

    nursery: Nursery
    lots: Lots
    rows: Rows
    own: Mask
    weight: Floats | None
    least: float

    def weigh(self, rows: Rows) -> tuple[float, float]:
        """Weigh the examples of the class, and the others, among some."""
        own = self.own[rows]
        if self.weight is None:
            right = int(np.count_nonzero(own))
            return float(right), float(own.size - right)
        weight = self.weight[rows]
        return float(weight[own].sum()), float(weight[~own].sum())

    def parted(self, rows: Rows) -> tuple[Rows, Rows]:
        """Part examples by lot in those to grow from and those to prune on, class by class."""
        own = self.own[rows]
        parts = [self.lots.parted(side, PARTS) for side in (rows[own], rows[~own])]
        growing, pruning = (np.sort(np.concatenate(some)) for some in zip(*parts, strict=True))
        return growing, pruning

    def grown(self, rows: Rows, first: Sequence[Term] = ()) -> tuple[Term, ...]:
        """Grow a rule until it covers no example of another class, by FOIL's gain."""
        return self.nursery.grown(
            "foil", rows, self.own, self.weight, least=self.least, first=first
        )

    def prefixes(self, terms: Sequence[Term], rows: Rows) -> tuple[Floats, Floats]:
        """Weigh what the first 0, 1, ... terms cover: of the class, and of the others."""
        depth = self.nursery.depth(terms, rows)
        own = self.own[rows]
        weight = None if self.weight is None else self.weight[rows]
        sides = []
        for side in (own, ~own):
            here = None if weight is None else weight[side]
            counts = np.bincount(depth[side], here, minlength=len(terms) + 1)
            sides.append(np.cumsum(counts[::-1])[::-1].astype(np.float64))
        return sides[0], sides[1]

    def draft(self, terms: tuple[Term, ...]) -> Draft:
        """Look up what a rule covers, and how long it is."""
        bits = rule_bits(len(tightest(terms)), self.nursery.terms.tests)
        return Draft(terms, self.nursery.covered(terms, self.rows), bits)


class RuleSet:
    """Rules for the class of a duel, and how many of them cover each example."""

    def __init__(self, duel: Duel, drafts: Sequence[Draft] = ()) -> None:
        self.duel = duel
        self.drafts: list[Draft] = []
        self._times = np.zeros(duel.own.size, np.int32)
        self._whole = duel.weigh(duel.rows)
        self._right = self._wrong = self._bits = 0.0
        for draft in drafts:
            self.insert(len(self.drafts), draft)

    def copy(self) -> RuleSet:
        """Make another that can be changed on its own."""
        other = RuleSet(self.duel)
        other.drafts = list(self.drafts)
        other._times = self._times.copy()
        other._right, other._wrong, other._bits = self._right, self._wrong, self._bits
        return other

    def insert(self, place: int, draft: Draft) -> None:
        """Add a rule."""
        new = draft.covered[self._times[draft.covered] == 0]
        right, wrong = self.duel.weigh(new)
        self._right, self._wrong = self._right + right, self._wrong + wrong
        self._times[draft.covered] += 1
        self._bits += draft.bits
        self.drafts.insert(place, draft)

    def remove(self, place: int) -> Draft:
        """Take a rule out."""
        draft = self.drafts.pop(place)
        right, wrong = self._alone(draft)
        self._right, self._wrong = self._right - right, self._wrong - wrong
        self._times[draft.covered] -= 1
        self._bits -= draft.bits
        return draft

    @property
    def uncovered(self) -> Rows:
        """The examples that no rule covers."""
        return self.left_of(self.duel.rows)

    def left_of(self, rows: Rows) -> Rows:
        """Give those of some examples that no rule covers."""
        left: Rows = rows[self._times[rows] == 0]
        return left

    @property
    def length(self) -> float:
        """The bits of the rules, and of what they get wrong."""
        return self._length(self._right, self._wrong, self._bits)

    def length_without(self, place: int) -> float:
        """Give the bits if one of the rules were not there."""
        draft = self.drafts[place]
        right, wrong = self._alone(draft)
        return self._length(self._right - right, self._wrong - wrong, self._bits - draft.bits)

    def simplify(self) -> None:
        """Delete rules that make the whole longer to tell, the last first."""
        for place in reversed(range(len(self.drafts))):
            if self.length_without(place) < self.length:
                self.remove(place)

    def _alone(self, draft: Draft) -> tuple[float, float]:
        """Weigh what a rule covers and no other does."""
        return self.duel.weigh(draft.covered[self._times[draft.covered] == 1])

    def _length(self, right: float, wrong: float, bits: float) -> float:
        own, others = self._whole
        covered = right + wrong
        return bits + exception_bits(covered, own + others - covered, wrong, own - right)
