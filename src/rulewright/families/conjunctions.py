"""Conjunctions and syndromes: rules of several terms, built term by term.

A conjunction holds if all of its terms hold, a syndrome if at least a given number of them hold
(Filchenkov 2018, lecture 10, after K. V. Vorontsov's course). In both, a further term is decisive
on some rows only; other rows are covered in any case. So both are extended by one tally of the
weight that every term keeps of the rows on which it is decisive.
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

from rulewright.families.axes import every_axis
from rulewright.families.family import Family, Training
from rulewright.families.terms import (
    ABOVE,
    AT_MOST,
    IS,
    IS_NOT,
    CandidateTerms,
    Floats,
    Mask,
    Term,
    Terms,
)
from rulewright.rules import AllOf, AtLeast, Predicate

Criterion = Callable[[Any, Any, Any, Any], Any]
Correction = Callable[[Sequence[Term]], tuple[float, float]]
"""Function of the terms of a rule, without its cuts: amounts to subtract from p and to add to n."""

BUDGET = 20_000
"""Maximum number of rules that an exhaustive search extends."""


@dataclass(frozen=True, eq=False)
class Goal:
    """The objective of a search for rules.

    Attributes
    ----------
    rows : mask
        The examples that count.
    own : mask
        Examples of the class that the rule predicts.
    criterion : function of p, n, P, N
        Higher is better.
    weight : array or None
        Whole numbers, so that sums are exact in any order; None if every example counts once.
    unit : float
        Weight of one example.
    rising : bool
        Whether the criterion rises with p and falls with n, so that dominated rules can be dropped
        before they are scored.
    acceptable : function of p, n, P, N
        Whether a rule may be the result.
    allowed : mask of columns by relations, or None
        The terms that may be used.
    forced : tuple of int
        Columns that every rule must test.
    correction : function or None
        Correction of the counts of a rule.
    cautious : bool
        Whether the corrected counts, too, must have more of the class than of the others.
    full : pair of float or None
        P and N before examples lost weight. None for their current weights.
    columns : function or None
        Which columns a rule may test further, given those that it tests.
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
    columns: Callable[[set[int]], Mask] | None = None

    def corrected(self, corrector: Callable[[Goal, Sequence[Term]], tuple[float, float]]) -> Goal:
        """The same objective with corrected counts."""
        return replace(self, correction=partial(corrector, self))

    def total(self, rows: Mask) -> float:
        """Weight of some of the rows."""
        rows = rows & self.rows
        return float(rows.sum() if self.weight is None else self.weight[rows].sum()) / self.unit

    def totals(self, covered: Mask) -> tuple[float, float]:
        """Weights of the class and of the others among some rows."""
        return self.total(covered & self.own), self.total(covered & ~self.own)

    @cached_property
    def whole(self) -> tuple[float, float]:
        """Weights of the class and of the others: the coverage of a rule without terms."""
        return self.totals(self.rows)

    @property
    def scale(self) -> tuple[float, float]:
        """P and N of the criterion."""
        return self.whole if self.full is None else self.full


@dataclass(frozen=True, eq=False)
class PartialRule:
    """A partial rule: at least ``needed`` of its terms must hold.

    ``terms`` leaves out terms implied by others; ``hope`` is an upper bound on the score of a rule
    with further terms.
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
        """Sort key of partial rules: the score, then the coverage, then fewer terms."""
        return self.score, self.p, -len(self.terms)


@dataclass(frozen=True)
class Rated:
    """A condition, its coverage of its class and of the others, and its score."""

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
        Families of the terms: thresholds, intervals, categories, missing.
    max_terms : int
        Maximum number of terms; with intervals, two bounds of a column are one term.
    width : int or None
        Beam width: the number of rules kept after each term; 1 is a greedy search. None tries all
        rules that could be better than the best so far, up to ``BUDGET`` of them. This is exact if
        the budget suffices and the criterion rises with p and falls with n.
    syndromes : bool
        Whether a rule may require only some of its terms to hold.
    min_rise : float
        Minimum relative increase of the score for which a longer rule replaces a shorter one.
    """

    families: tuple[Family, ...]
    max_terms: int = 7
    width: int | None = 5
    syndromes: bool = False
    min_rise: float = 0.0

    def prepare(self, training: Training, left_out: Sequence[str] = ()) -> ConjunctionSearch:
        """Prepare the searches on these examples; ``left_out`` are columns without axes."""
        axes, untried = every_axis(self.families, training, left_out)
        return ConjunctionSearch(self, Terms(self.families, training, axes), untried)


class ConjunctionSearch:
    """Conjunctions prepared for any number of searches on one training set.

    ``untried`` is the number of axes that are not tried.
    """

    def __init__(self, kind: Conjunctions, terms: Terms, untried: int = 0) -> None:
        self.kind = kind
        self.terms = terms
        self.untried = untried
        self.cut_short = False

    def best(self, goal: Goal) -> Rated | None:
        """The rule with the highest score; None if no rule is acceptable.

        It covers more of its class than expected by chance. Ties go to the rule that covers more of
        the class, then to fewer terms, then to the first in the order of terms.
        """
        best = BestRule(self.kind.min_rise)
        if self.kind.width is None:
            self._search_all(goal, best)
        else:
            self._search_beam(goal, best, self.kind.width)
        return None if best.partial_rule is None else self._rated(best.partial_rule)

    def _rated(self, partial_rule: PartialRule) -> Rated:
        condition: Predicate
        if not self.kind.syndromes or partial_rule.needed == len(partial_rule.terms):
            parts = self.terms.predicates(partial_rule.terms)
            condition = parts[0] if len(parts) == 1 else AllOf(parts)
        else:
            condition = AtLeast(
                partial_rule.needed, tuple(map(self.terms.predicate, partial_rule.terms))
            )
        return Rated(
            condition, partial_rule.terms, partial_rule.p, partial_rule.n, partial_rule.score
        )

    def _search_beam(self, goal: Goal, best: BestRule, width: int) -> None:
        """Beam search: keep the best rules of each length, and extend them."""
        partial_rules = [PartialRule((), (), 0, *goal.whole)]
        while partial_rules:
            before = best.partial_rule
            longer: list[PartialRule] = []
            for partial_rule in partial_rules:
                longer += self.extended(partial_rule, goal, best, width)
            if best.partial_rule is not None and best.partial_rule is before:
                return
            partial_rules = [d for d in self.distinct(longer, goal, width) if d.hope > best.score]

    def _search_all(self, goal: Goal, best: BestRule) -> None:
        """Best-first search: extend every rule that could lead to a better one."""
        waiting: list[tuple[float, tuple[Term, ...], PartialRule]]
        waiting = [(-math.inf, (), PartialRule((), (), 0, *goal.whole))]
        for _ in range(BUDGET):
            if not waiting:
                return
            _, _, partial_rule = heapq.heappop(waiting)
            if partial_rule.hope <= best.score:
                return
            for one in self.extended(partial_rule, goal, best, None):
                heapq.heappush(waiting, (-one.hope, one.added, one))
        self.cut_short = self.cut_short or bool(waiting)

    def extended(
        self, partial_rule: PartialRule, goal: Goal, best: BestRule, width: int | None
    ) -> list[PartialRule]:
        """Add the best term; for a syndrome with one more term required, or not."""
        truth = self.truth(partial_rule)
        longer = Extension(self, partial_rule, truth, goal, partial_rule.needed + 1).partial_rules(
            best, width
        )
        if self.kind.syndromes and partial_rule.terms:
            longer += Extension(self, partial_rule, truth, goal, partial_rule.needed).partial_rules(
                best, width
            )
        return longer

    def truth(self, partial_rule: PartialRule) -> NDArray[np.uint8]:
        """Number of terms that hold on every row."""
        counts = np.zeros(self.terms.rows, np.uint8)
        for term in partial_rule.added:
            counts += self.terms.holds(term)
        return counts

    def distinct(
        self, partial_rules: Sequence[PartialRule], goal: Goal, width: int
    ) -> list[PartialRule]:
        """The best partial rules; among those that cover the same rows, the first."""
        kept: dict[bytes, PartialRule] = {}
        for partial_rule in sorted(
            partial_rules, key=lambda d: (-d.score, -d.p, len(d.terms), d.added)
        ):
            covered = (self.truth(partial_rule) >= partial_rule.needed) & goal.rows
            kept.setdefault(np.packbits(covered).tobytes(), partial_rule)
            if len(kept) == width:
                break
        return list(kept.values())


class BestRule:
    """The best acceptable rule so far."""

    def __init__(self, min_rise: float) -> None:
        self.partial_rule: PartialRule | None = None
        self._min_rise = min_rise

    @property
    def score(self) -> float:
        return -math.inf if self.partial_rule is None else self.partial_rule.score

    def offer(self, partial_rule: PartialRule) -> None:
        """Replace the best rule if this one is better."""
        if self.partial_rule is None or partial_rule.worth > self._to_beat(
            partial_rule, self.partial_rule
        ):
            self.partial_rule = partial_rule

    def _to_beat(self, partial_rule: PartialRule, best: PartialRule) -> tuple[float, float, int]:
        score, p, size = best.worth
        if self._min_rise and len(partial_rule.terms) > len(best.terms):
            return score + self._min_rise * abs(score), math.inf, size
        return score, p, size


class Extension:
    """All ways to add one term to a partial_rule, with ``needed`` terms required then."""

    def __init__(
        self,
        search: ConjunctionSearch,
        partial_rule: PartialRule,
        truth: NDArray[np.uint8],
        goal: Goal,
        needed: int,
    ) -> None:
        self._terms = search.terms
        self._kind = search.kind
        self._draft = partial_rule
        self._goal = goal
        self._needed = needed
        self._P, self._N = goal.scale
        # The further term is decisive where exactly one more is needed; where none is, it has no
        # effect.
        self._open: Mask = (truth == needed - 1) & goal.rows
        self._sure = goal.totals(truth >= needed)

    def partial_rules(self, best: BestRule, width: int | None) -> list[PartialRule]:
        """Offer the best rule with one more term, and return the partial rules to extend further.

        These are the best ``width`` of them, or without a width all that could become the best.
        """
        found = self.candidates(in_order=width is None)
        if not found.p.size:
            return []
        counted, scores = self._scored(found, width)
        hopes = self._hopes(found)
        right = self.acceptable(found, scores)
        if self._goal.cautious:
            right &= counted.p > counted.n
        if right.any():
            (first,) = _highest(np.where(right, scores, -math.inf), found, 1).tolist()
            best.offer(self._longer(found, first, scores, hopes))
        if not self.extendable:
            return []
        if width is None:
            places = np.flatnonzero(hopes > best.score)
        else:
            places = _highest(scores, found, width)
            places = places[scores[places] > -math.inf]
        return [self._longer(found, place, scores, hopes) for place in places.tolist()]

    @property
    def extendable(self) -> bool:
        """Whether a rule with one more term can have a further one."""
        return self._terms.intervals or len(self._draft.terms) + 1 < self._kind.max_terms

    def _scored(self, found: CandidateTerms, width: int | None) -> tuple[CandidateTerms, Floats]:
        """Scores of the candidates, and the counts that they are computed from."""
        raw = self.scores(found.p, found.n)
        if self._goal.correction is None:
            return found, raw
        return self._corrected(found, raw, found.p.size if width is None else width)

    def acceptable(self, found: CandidateTerms, scores: Floats) -> Mask:
        """Which candidates may be the result, given their scores."""
        waiting = self._waiting
        right = np.full(found.p.size, len(waiting) < 2)
        if waiting:
            right &= self._terms.tested[found.column] == min(waiting)
        if self._goal.acceptable is not None and right.any():
            right &= self._goal.acceptable(found.p, found.n, self._P, self._N)
        return right & (scores > -math.inf)

    @cached_property
    def allowed(self) -> Mask:
        """Which relations (columns) of each column (rows) the further term may have."""
        goal, offered = self._goal, self._terms.offered
        allowed = offered if goal.allowed is None else offered & self._terms.with_axes(goal.allowed)
        if goal.columns is not None:
            tested = self._terms.columns_of(self._draft.added)
            allowed = allowed & self._terms.with_axes(goal.columns(tested))[:, np.newaxis]
        return self._narrowed(allowed)

    def candidates(self, in_order: bool) -> CandidateTerms:
        """Terms that may be added; ``in_order``: only those after the last term."""
        goal = self._goal
        found = self._terms.candidates(
            self._open, goal.own, goal.weight, allowed=self.allowed, boundaries=goal.rising
        )
        unit = goal.unit
        found = replace(found, p=self._sure[0] + found.p / unit, n=self._sure[1] + found.n / unit)
        useful = self.fits(found)
        if self._needed == self._draft.needed + 1:
            useful &= (found.p < self._draft.p) | (found.n < self._draft.n)
        if in_order and self._draft.terms:
            useful &= _later(found, self._draft.terms[-1])
        return found.take(useful)

    def fits(self, found: CandidateTerms) -> Mask:
        """Which terms the maximum number allows; a second bound may make an interval of one."""
        if self._terms.count(self._draft.terms) < self._kind.max_terms:
            return np.ones(found.p.size, np.bool_)
        pairs = {(t.column, ABOVE - t.relation) for t in self._draft.terms}
        listed = zip(found.column.tolist(), found.relation.tolist(), strict=True)
        return np.array([pair in pairs for pair in listed], np.bool_)

    def _narrowed(self, allowed: Mask) -> Mask:
        """Restrict the terms to required columns while some of them are not tested."""
        if not self._waiting:
            return allowed
        return allowed & np.isin(self._terms.tested, sorted(self._waiting))[:, np.newaxis]

    @property
    def _waiting(self) -> set[int]:
        """Required columns that are not tested yet."""
        return set(self._goal.forced) - self._terms.columns_of(self._draft.terms)

    def scores(self, p: Floats, n: Floats) -> Floats:
        """Scores of candidates better than chance: some criteria score the opposite too."""
        found = self._goal.criterion(p, n, self._P, self._N)
        scores: Floats = np.broadcast_to(np.asarray(found, np.float64), p.shape)
        return np.where((p * self._N > n * self._P) & ~np.isnan(scores), scores, -np.inf)

    def _hopes(self, found: CandidateTerms) -> Floats:
        """Upper bounds on the scores of rules with further terms."""
        if not self._goal.rising or self._kind.syndromes:
            return np.full(found.p.size, math.inf)
        return self.scores(found.p, np.zeros(found.n.size))

    def _corrected(
        self, found: CandidateTerms, raw: Floats, width: int
    ) -> tuple[CandidateTerms, Floats]:
        """Correct the counts of candidates that can be among the best; scores only decrease.

        One correction serves all cuts of a column on one side.
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
            scores[places] = self.scores(p[places], n[places])
            kept = sorted([*kept, *scores[places].tolist()], reverse=True)[:width]
        return replace(found, p=p, n=n), scores

    def _longer(
        self, found: CandidateTerms, place: int, scores: Floats, hopes: Floats
    ) -> PartialRule:
        term, known = found.term(place), self._draft.terms
        return PartialRule(
            (*self._draft.added, term),
            (*known, term) if self._kind.syndromes else _with(known, term),
            self._needed,
            float(found.p[place]),
            float(found.n[place]),
            float(scores[place]),
            float(hopes[place]),
        )


def _highest(scores: Floats, found: CandidateTerms, width: int) -> NDArray[np.intp]:
    """Positions of the highest scores; ties go to the larger p, then to the first term."""
    places = np.arange(scores.size)
    if scores.size > 4 * width:
        threshold = np.partition(scores, scores.size - width)[scores.size - width]
        places = np.flatnonzero(scores >= threshold)
    keys = (found.code, found.relation, found.column, -found.p, -scores)
    order = np.lexsort([key[places] for key in keys])
    return places[order[:width]]


def _groups(found: CandidateTerms) -> dict[tuple[int, int, int], NDArray[np.intp]]:
    """Group the cuts of a column on one side; every other candidate is its own group."""
    cut = found.relation <= ABOVE
    alone = np.where(cut, -1, np.arange(found.p.size))
    keys = np.stack([found.column, found.relation, alone])
    order = np.lexsort(keys[::-1])
    changes = np.flatnonzero((np.diff(keys[:, order]) != 0).any(axis=0)) + 1
    return {tuple(keys[:, places[0]].tolist()): places for places in np.split(order, changes)}


def _with(terms: tuple[Term, ...], term: Term) -> tuple[Term, ...]:
    """Terms of a conjunction with one more, without those that it implies."""
    return (*(known for known in terms if not _follows(known, term)), term)


def _follows(known: Term, term: Term) -> bool:
    """Whether a term of the same column is implied."""
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


def _later(found: CandidateTerms, last: Term) -> Mask:
    """Which terms come after another one in their order, so that each set is tried once."""
    same = (found.column == last.column) & (found.relation == last.relation)
    chained = same & (found.code > last.code) & (found.relation >= IS)
    behind = (found.column == last.column) & (found.relation > last.relation)
    later: Mask = (found.column > last.column) | behind | chained
    return later
