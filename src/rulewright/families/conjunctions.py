"""Conjunctions and syndromes: rules of several terms, found term by term.

A conjunction holds where all of its terms do, a syndrome where at least so many do (Filchenkov
2018, lecture 10, after K. V. Vorontsov's course). Either way a further term decides on some of the
rows only, those where it makes the difference, while others are covered in any case: so both are
extended by one tally of what every term keeps of the rows that it decides on.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.families.family import Family, Training
from rulewright.families.terms import (
    ABOVE,
    AT_MOST,
    IS,
    IS_NOT,
    Candidates,
    Floats,
    Mask,
    Term,
    Terms,
)
from rulewright.rules import AllOf, AtLeast, Predicate

Criterion = Callable[[Any, Any, Any, Any], Any]
Correction = Callable[[Sequence[Term]], tuple[float, float]]
"""From the terms of a rule, whatever its cuts: what to take from p, and what to add to n."""

BUDGET = 20_000
"""Rules that an exhaustive search extends before it stops."""


@dataclass(frozen=True, eq=False)
class Goal:
    """What a rule is wanted for.

    Attributes
    ----------
    rows : mask
        The examples that count.
    own : mask
        Those of the class that the rule is for.
    criterion : function of p, n, P, N
        Higher is better.
    weight : array or None
        Whole numbers, so that sums are exact in any order; None where every example counts once.
    unit : float
        What weight counts as one example.
    rising : bool
        Whether the criterion rises with p and falls with n, so that worse rules can be left out
        before they are scored.
    acceptable : function of p, n, P, N
        Whether a rule may be the answer.
    allowed : mask of columns by relations, or None
        The terms that may be used.
    forced : tuple of int
        Columns that every rule must test.
    correction : function or None
        How far the counts of a rule mislead.
    cautious : bool
        Whether the corrected counts, too, must have more of the class than of the others.
    full : pair of float or None
        P and N, where examples have lost weight: what the class and the others counted before.
        None for what they count now.
    """

    rows: Mask
    own: Mask
    criterion: Criterion
    weight: Floats | None = None
    unit: float = 1.0
    rising: bool = True
    acceptable: Callable[[Any, Any, Any, Any], Any] | None = None
    allowed: Mask | None = None
    forced: tuple[int, ...] = ()
    correction: Correction | None = None
    cautious: bool = False
    full: tuple[float, float] | None = None

    def corrected(self, corrector: Callable[[Goal, Sequence[Term]], tuple[float, float]]) -> Goal:
        """Ask for the same, by counts that are corrected."""
        return replace(self, correction=partial(corrector, self))

    def total(self, rows: Mask) -> float:
        """Weigh some of the rows."""
        rows = rows & self.rows
        return float(rows.sum() if self.weight is None else self.weight[rows].sum()) / self.unit

    def totals(self, covered: Mask) -> tuple[float, float]:
        """Weigh the class, and the others, among some rows."""
        return self.total(covered & self.own), self.total(covered & ~self.own)

    @cached_property
    def whole(self) -> tuple[float, float]:
        """The weight of the class, and of the others: what a rule without terms covers."""
        return self.totals(self.rows)

    @property
    def scale(self) -> tuple[float, float]:
        """P and N: what the criterion compares p and n with."""
        return self.whole if self.full is None else self.full


@dataclass(frozen=True, eq=False)
class Draft:
    """A rule in the making: at least ``needed`` of the terms that were added must hold.

    ``terms`` are those less what follows from others; ``hope`` is how high the score of a rule with
    further terms can be, at the most.
    """

    added: tuple[Term, ...]
    terms: tuple[Term, ...]
    needed: int
    p: float
    n: float
    score: float = -math.inf
    hope: float = math.inf

    @property
    def worth(self) -> tuple[float, float, int]:
        """What drafts are chosen by: the score, then what is covered, then fewer terms."""
        return self.score, self.p, -len(self.terms)


@dataclass(frozen=True)
class Rated:
    """A condition, what it covers of its class and of the others, and its score."""

    condition: Predicate
    terms: tuple[Term, ...]
    p: float
    n: float
    score: float


@dataclass(frozen=True)
class Conjunctions:
    """Conditions of several terms.

    Parameters
    ----------
    families : tuple of Family
        Thresholds, intervals, categories, missing: what terms are.
    max_terms : int
        At most so many terms; with intervals two bounds of a column are one.
    width : int or None
        How many rules are kept after each term: 1 is a greedy search. None tries all rules that
        could be better than the best so far, up to ``BUDGET`` of them: exact where that is enough,
        and the criterion rises with p and falls with n.
    syndromes : bool
        Whether fewer than all terms may be enough.
    least_rise : float
        A longer rule must be better by this share of the score to be taken for a shorter one.
    """

    families: tuple[Family, ...]
    max_terms: int = 7
    width: int | None = 5
    syndromes: bool = False
    least_rise: float = 0.0

    def prepare(self, training: Training) -> ConjunctionSearch:
        """Do once what every search on these examples needs."""
        return ConjunctionSearch(self, Terms(self.families, training))


class ConjunctionSearch:
    """Conjunctions prepared for one training set, to be asked any number of times."""

    def __init__(self, kind: Conjunctions, terms: Terms) -> None:
        self.kind = kind
        self.terms = terms
        self.cut_short = False

    def best(self, goal: Goal) -> Rated | None:
        """Find the rule with the highest score; None where no rule is acceptable.

        It covers more of its class than chance would. Ties go to the rule that covers more of the
        class, then to fewer terms, then to the first in the order of terms.
        """
        best = _Best(self.kind.least_rise)
        if self.kind.width is None:
            self._search_all(goal, best)
        else:
            self._search_beam(goal, best, self.kind.width)
        return None if best.draft is None else self._rated(best.draft)

    def _rated(self, draft: Draft) -> Rated:
        condition: Predicate
        if not self.kind.syndromes or draft.needed == len(draft.terms):
            parts = self.terms.predicates(draft.terms)
            condition = parts[0] if len(parts) == 1 else AllOf(parts)
        else:
            condition = AtLeast(draft.needed, tuple(map(self.terms.predicate, draft.terms)))
        return Rated(condition, draft.terms, draft.p, draft.n, draft.score)

    def _search_beam(self, goal: Goal, best: _Best, width: int) -> None:
        """Keep the best rules of each length, and extend these."""
        drafts = [Draft((), (), 0, *goal.whole)]
        while drafts:
            before = best.draft
            longer: list[Draft] = []
            for draft in drafts:
                longer += self._extended(draft, goal, best, width)
            if best.draft is not None and best.draft is before:
                return
            drafts = [d for d in self._distinct(longer, goal, width) if d.hope > best.score]

    def _search_all(self, goal: Goal, best: _Best) -> None:
        """Extend every rule that could lead to a better one, the most promising first."""
        waiting: list[tuple[float, tuple[Term, ...], Draft]]
        waiting = [(-math.inf, (), Draft((), (), 0, *goal.whole))]
        for _ in range(BUDGET):
            if not waiting:
                return
            _, _, draft = heapq.heappop(waiting)
            if draft.hope <= best.score:
                return
            for one in self._extended(draft, goal, best, None):
                heapq.heappush(waiting, (-one.hope, one.added, one))
        self.cut_short = bool(waiting)

    def _extended(self, draft: Draft, goal: Goal, best: _Best, width: int | None) -> list[Draft]:
        """Add a term, whichever is best; for a syndrome with one more to hold, or not."""
        truth = self.truth(draft)
        longer = _Extension(self, draft, truth, goal, draft.needed + 1).drafts(best, width)
        if self.kind.syndromes and draft.terms:
            longer += _Extension(self, draft, truth, goal, draft.needed).drafts(best, width)
        return longer

    def truth(self, draft: Draft) -> NDArray[np.uint8]:
        """Count for every row how many of the terms that were added hold."""
        counts = np.zeros(self.terms.rows, np.uint8)
        for term in draft.added:
            counts += self.terms.holds(term)
        return counts

    def _distinct(self, drafts: Sequence[Draft], goal: Goal, width: int) -> list[Draft]:
        """Keep the best drafts, of those that cover the same rows the first."""
        kept: dict[bytes, Draft] = {}
        for draft in sorted(drafts, key=lambda d: (-d.score, -d.p, len(d.terms), d.added)):
            covered = (self.truth(draft) >= draft.needed) & goal.rows
            kept.setdefault(np.packbits(covered).tobytes(), draft)
            if len(kept) == width:
                break
        return list(kept.values())


class _Best:
    """The best acceptable rule so far."""

    def __init__(self, least_rise: float) -> None:
        self.draft: Draft | None = None
        self._least_rise = least_rise

    @property
    def score(self) -> float:
        return -math.inf if self.draft is None else self.draft.score

    def offer(self, draft: Draft) -> None:
        """Take a rule if it is better."""
        if self.draft is None or draft.worth > self._to_beat(draft, self.draft):
            self.draft = draft

    def _to_beat(self, draft: Draft, best: Draft) -> tuple[float, float, int]:
        score, p, size = best.worth
        if self._least_rise and len(draft.terms) > len(best.terms):
            return score + self._least_rise * abs(score), math.inf, size
        return score, p, size


class _Extension:
    """All ways to add one term to a draft, of which then ``needed`` must hold."""

    def __init__(
        self,
        search: ConjunctionSearch,
        draft: Draft,
        truth: NDArray[np.uint8],
        goal: Goal,
        needed: int,
    ) -> None:
        self._terms = search.terms
        self._kind = search.kind
        self._draft = draft
        self._goal = goal
        self._needed = needed
        self._P, self._N = goal.scale
        # The further term decides where just one is wanting; where none is, it makes no difference.
        self._open: Mask = (truth == needed - 1) & goal.rows
        self._sure = goal.totals(truth >= needed)

    def drafts(self, best: _Best, width: int | None) -> list[Draft]:
        """Offer the best rule of one term more, and give those to be extended further.

        These are the best so many, or with no width all that could become better than the best.
        """
        found = self._candidates(in_order=width is None)
        if not found.p.size:
            return []
        counted, scores = self._scored(found, width)
        hopes = self._hopes(found)
        right = self._acceptable(found) & (scores > -math.inf)
        if self._goal.cautious:
            right &= counted.p > counted.n
        if right.any():
            (first,) = _highest(np.where(right, scores, -math.inf), found, 1).tolist()
            best.offer(self._longer(found, first, scores, hopes))
        if not self._extendable:
            return []
        if width is None:
            places = np.flatnonzero(hopes > best.score)
        else:
            places = _highest(scores, found, width)
            places = places[scores[places] > -math.inf]
        return [self._longer(found, place, scores, hopes) for place in places.tolist()]

    @property
    def _extendable(self) -> bool:
        """Whether a rule with one term more can have a further one."""
        return self._terms.intervals or len(self._draft.terms) + 1 < self._kind.max_terms

    def _scored(self, found: Candidates, width: int | None) -> tuple[Candidates, Floats]:
        """Score the candidates, and give the counts that they are scored by."""
        raw = self._scores(found.p, found.n)
        if self._goal.correction is None:
            return found, raw
        return self._corrected(found, raw, found.p.size if width is None else width)

    def _acceptable(self, found: Candidates) -> Mask:
        """Say which candidates may be the answer."""
        waiting = set(self._goal.forced) - {term.column for term in self._draft.terms}
        right = np.full(found.p.size, len(waiting) < 2)
        if waiting:
            right &= found.column == min(waiting)
        if self._goal.acceptable is not None and right.any():
            right &= self._goal.acceptable(found.p, found.n, self._P, self._N)
        return right

    def _candidates(self, in_order: bool) -> Candidates:
        goal = self._goal
        offered = self._terms.offered
        allowed = offered if goal.allowed is None else offered & goal.allowed
        found = self._terms.candidates(
            self._open,
            goal.own,
            goal.weight,
            allowed=self._narrowed(allowed),
            boundaries=goal.rising,
        )
        unit = goal.unit
        found = replace(found, p=self._sure[0] + found.p / unit, n=self._sure[1] + found.n / unit)
        useful = np.ones(found.p.size, np.bool_)
        if self._needed == self._draft.needed + 1:
            useful &= (found.p < self._draft.p) | (found.n < self._draft.n)
        if in_order and self._draft.terms:
            useful &= _later(found, self._draft.terms[-1])
        if self._terms.count(self._draft.terms) == self._kind.max_terms:  # but not an interval yet
            pairs = {(t.column, ABOVE - t.relation) for t in self._draft.terms}
            listed = zip(found.column.tolist(), found.relation.tolist(), strict=True)
            useful &= np.array([pair in pairs for pair in listed], np.bool_)
        return found.take(useful)

    def _narrowed(self, allowed: Mask) -> Mask:
        """Allow only columns that every rule must test, as long as some of them are not tested."""
        waiting = set(self._goal.forced) - {term.column for term in self._draft.terms}
        if not waiting:
            return allowed
        only = np.zeros(allowed.shape, np.bool_)
        only[sorted(waiting)] = True
        return allowed & only

    def _scores(self, p: Floats, n: Floats) -> Floats:
        """Score what is better than chance: criteria such as entropy praise the opposite too."""
        found = self._goal.criterion(p, n, self._P, self._N)
        scores: Floats = np.broadcast_to(np.asarray(found, np.float64), p.shape)
        return np.where((p * self._N > n * self._P) & ~np.isnan(scores), scores, -np.inf)

    def _hopes(self, found: Candidates) -> Floats:
        """Say how high the score of a rule with further terms can be, at the most."""
        if not self._goal.rising or self._kind.syndromes:
            return np.full(found.p.size, math.inf)
        return self._scores(found.p, np.zeros(found.n.size))

    def _corrected(self, found: Candidates, raw: Floats, width: int) -> tuple[Candidates, Floats]:
        """Correct the counts of those that can be among the best; that only lowers their scores.

        One correction is good for all cuts of a column on one side.
        """
        assert self._goal.correction is not None
        groups = _groups(found)
        firsts = {group: float(raw[places].max()) for group, places in groups.items()}
        p, n, scores = found.p.copy(), found.n.copy(), np.full(raw.size, -np.inf)
        kept: list[float] = []
        for group in sorted(groups, key=lambda g: (-firsts[g], g)):
            if len(kept) >= width and firsts[group] <= kept[-1]:
                break
            places = groups[group]
            terms = _with(self._draft.terms, found.term(int(places[0])))
            less_p, more_n = self._goal.correction(terms)
            p[places] = np.maximum(p[places] - less_p, 0.0)
            n[places] = np.minimum(n[places] + more_n, self._N)
            scores[places] = self._scores(p[places], n[places])
            kept = sorted([*kept, *scores[places].tolist()], reverse=True)[:width]
        return replace(found, p=p, n=n), scores

    def _longer(self, found: Candidates, place: int, scores: Floats, hopes: Floats) -> Draft:
        term, known = found.term(place), self._draft.terms
        return Draft(
            (*self._draft.added, term),
            (*known, term) if self._kind.syndromes else _with(known, term),
            self._needed,
            float(found.p[place]),
            float(found.n[place]),
            float(scores[place]),
            float(hopes[place]),
        )


def _highest(scores: Floats, found: Candidates, width: int) -> NDArray[np.intp]:
    """Give the places of the highest scores; ties go to the larger p, then to the first term."""
    places = np.arange(scores.size)
    if scores.size > 4 * width:
        least = np.partition(scores, scores.size - width)[scores.size - width]
        places = np.flatnonzero(scores >= least)
    keys = (found.code, found.relation, found.column, -found.p, -scores)
    order = np.lexsort([key[places] for key in keys])
    return places[order[:width]]


def _groups(found: Candidates) -> dict[tuple[int, int, int], NDArray[np.intp]]:
    """Put cuts of a column on one side together; every other candidate stands alone."""
    cut = found.relation <= ABOVE
    alone = np.where(cut, -1, np.arange(found.p.size))
    keys = np.stack([found.column, found.relation, alone])
    order = np.lexsort(keys[::-1])
    changes = np.flatnonzero((np.diff(keys[:, order]) != 0).any(axis=0)) + 1
    return {tuple(keys[:, places[0]].tolist()): places for places in np.split(order, changes)}


def _with(terms: tuple[Term, ...], term: Term) -> tuple[Term, ...]:
    """Add a term to a conjunction, less those that follow from it."""
    return (*(known for known in terms if not _follows(known, term)), term)


def _follows(known: Term, term: Term) -> bool:
    """Whether a term of the same column need not be said any more."""
    if known.column != term.column:
        return False
    match known.relation:
        case 0 | 1:
            return known.relation == term.relation
        case 3:
            return term.relation == IS
        case 5:
            return term.relation in (AT_MOST, ABOVE, IS, IS_NOT)
    return False


def _later(found: Candidates, last: Term) -> Mask:
    """Say which terms come after another in their order, so that each set is tried once."""
    same = (found.column == last.column) & (found.relation == last.relation)
    chained = same & (found.code > last.code) & (found.relation >= IS)
    behind = (found.column == last.column) & (found.relation > last.relation)
    later: Mask = (found.column > last.column) | behind | chained
    return later
