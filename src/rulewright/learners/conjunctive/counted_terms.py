"""Terms of rows that were counted: what each term keeps of them, as far as it is known.

A column has a slot for each value, or for each group of values that rules do not tell apart. The
values of a bin are not known yet. A cut next to a bin is not known either, because a cut counts
only where the values on both sides of it are of different classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import counted_condition
from rulewright.data import CategoricalColumn, Condition, Counts
from rulewright.families import (
    ABOVE,
    AT_MOST,
    IS_NOT,
    MISSING,
    PRESENT,
    CandidateTerms,
    Family,
    Term,
    Terms,
    Training,
)
from rulewright.kernels import ValueTallies
from rulewright.learners.base.column_counts import ColumnCounts
from rulewright.learners.base.number_groups import NumberGroups
from rulewright.rules import Interval, Predicate, Threshold

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Places = NDArray[np.intp]

SIGN = np.int64(2**63 - 1)


def number_code(values: Floats) -> Integers:
    """Whole numbers in the order of values.

    Examples
    --------
    >>> codes = number_code(np.array([-2.0, -0.5, 0.0, 1.5]))
    >>> bool((np.diff(codes) > 0).all()), value_of(int(codes[0]))
    (True, -2.0)
    """
    bits = (np.asarray(values, np.float64) + 0.0).view(np.int64)
    return np.asarray(bits ^ ((bits >> 63) & SIGN))


def value_of(code: int) -> float:
    """Value of a code of ``number_code``."""
    bits = np.int64(code)
    return float((bits ^ ((bits >> 63) & SIGN)).view(np.float64))


@dataclass(frozen=True, eq=False)
class NumberSlots:
    """The values of a numeric column in slots.

    ``first`` and ``last`` are codes of the smallest and the largest value of a slot; ``cut`` is the
    value of a cut after it, and ``group`` the first of its groups.
    """

    first: NDArray[np.generic]
    last: NDArray[np.generic]
    cut: Floats
    counts: Floats
    group: Places

    @classmethod
    def of(cls, groups: NumberGroups, ends: Floats | None) -> NumberSlots:
        """Slots of groups; ``ends`` are the values that may be cuts, None for all."""
        if ends is None:
            every = np.arange(groups.low.size)
            return cls(groups.low, groups.high, groups.high, groups.counts, every)
        first, last = np.searchsorted(ends, groups.low), np.searchsorted(ends, groups.high)
        single = first == last
        again = single[1:] & single[:-1] & (first[1:] == first[:-1])
        start = np.flatnonzero(np.append(True, ~again))
        counts = np.add.reduceat(groups.counts, start, axis=0)
        return cls(first[start], last[start], ends[last[start]], counts, start)

    @property
    def is_bin(self) -> Mask:
        """Which slots have several values."""
        return np.asarray(self.first != self.last)

    @property
    def is_known(self) -> Mask:
        """Which slots have one value, and all rows with it."""
        known = ~self.is_bin
        shared = self.last[:-1] == self.first[1:]  # with one of a bin's values
        known[1:] &= ~shared
        known[:-1] &= ~shared
        return known

    def boxes(self) -> tuple[Places, Places, Places]:
        """Bins, and the first and the last slot with values of each."""
        bins = np.flatnonzero(self.is_bin)
        shared = np.concatenate([[False], self.last[:-1] == self.first[1:], [False]])
        return bins, bins - shared[bins], bins + shared[bins + 1]


@dataclass(frozen=True, eq=False)
class OpenBins:
    """Bins with the most that a cut within them can keep of a class, and the least of others."""

    names: Sequence[str]
    places: Sequence[int]
    corners: CandidateTerms

    def at(self, chosen: Places) -> list[tuple[str, int]]:
        """Columns and groups of some corners, each once."""
        return sorted({(self.names[i], self.places[i]) for i in chosen.tolist()})


class CountedTerms(Terms):
    """Terms of a table that answers with counts.

    The code of a number is ``number_code``. ``ends`` are the values of columns that may be cuts,
    where these are not all.
    """

    def __init__(
        self,
        families: Sequence[Family],
        training: Training,
        counts: Counts,
        ends: Mapping[str, Floats],
    ) -> None:
        self.counts = counts
        self.ends = ends
        super().__init__(families, training)
        self._region: ColumnCounts | None = None

    def show(self, region: ColumnCounts) -> None:
        """Set the rows whose candidates are asked for."""
        self._region = region

    def _slots(self, name: str) -> NumberSlots | None:
        assert self._region is not None
        groups = self._region.groups.get(name)
        return None if groups is None else NumberSlots.of(groups, self.ends.get(name))

    def candidates(
        self,
        covered: Mask,
        own: Mask,
        weight: Floats | None,
        *,
        allowed: Mask,
        boundaries: bool,
    ) -> CandidateTerms:
        """Terms of the rows that are shown, without cuts that are not known.

        ``own`` marks the classes of the rule; ``covered`` and ``weight`` are not used.
        """
        region = self._region
        assert region is not None
        parts, cuts, known = [], [np.empty(0)], [np.empty(0, np.bool_)]
        place = 0
        for number, column in enumerate(self.columns):
            if not allowed[number].any():
                continue
            if isinstance(column, CategoricalColumn):
                counts = region.categories[column.name].astype(np.float64)
                codes = np.flatnonzero(counts.any(axis=1))
                counts = counts[codes]
            else:
                slots = self._slots(column.name)
                counts = np.zeros((0, own.size)) if slots is None else slots.counts
                codes = np.arange(place, place + counts.shape[0])
                place += codes.size
                if slots is not None:
                    cuts.append(slots.cut)
                    known.append(slots.is_known)
            absent = region.absent(counts.sum(axis=0).astype(np.int64))
            if absent.any():
                codes, counts = np.append(-1, codes), np.vstack([absent, counts])
            parts.append((np.full(codes.size, number), codes, counts))
        if not parts:
            return _nothing()
        tallies = _tallies(parts, own)
        found = self.terms_of(tallies, allowed, boundaries=boundaries)
        return self._translated(found, np.concatenate(cuts), np.concatenate(known))

    def _translated(self, found: CandidateTerms, cuts: Floats, known: Mask) -> CandidateTerms:
        """Candidates whose cuts are known, with codes of their values."""
        is_cut = self.numeric[found.column] & (found.relation <= ABOVE)
        code = found.code.astype(np.int64)
        both = np.ones(is_cut.size, np.bool_)
        places = code[is_cut]
        both[is_cut] = known[places] & known[places + 1]
        code[is_cut] = number_code(cuts[places])
        parts = found.column, found.relation, code, found.p, found.n
        return CandidateTerms(*parts).take(both)  # type: ignore[arg-type]

    def open_bins(self, own: Mask, allowed: Mask) -> OpenBins:
        """Bins of the rows that are shown, twice: for cuts on either side."""
        names: list[str] = []
        places: list[int] = []
        corners = [_nothing()]
        for number, column in enumerate(self.columns):
            slots = None if isinstance(column, CategoricalColumn) else self._slots(column.name)
            if slots is None or not slots.is_bin.any() or not allowed[number, : ABOVE + 1].any():
                continue
            bins, first, last = slots.boxes()
            for relation in (AT_MOST, ABOVE):
                names += [column.name] * bins.size
                places += slots.group[bins].tolist()
                p, n = _corners(slots.counts, own, first, last, above=relation == ABOVE)
                numbers, relations, codes = (
                    np.full(bins.size, part, np.int32) for part in (number, relation, 0)
                )
                corners.append(CandidateTerms(numbers, relations, codes, p, n))
        return OpenBins(names, places, CandidateTerms.joined(corners))

    def covered_by(self, region: ColumnCounts, term: Term) -> Floats:
        """Rows of each class in a region for which a term is true."""
        column = self.columns[term.column]
        if isinstance(column, CategoricalColumn):
            counts = region.categories[column.name].astype(np.float64)
            codes = np.arange(counts.shape[0])
            ordered = {AT_MOST: codes <= term.code, ABOVE: codes > term.code}
            holds = ordered.get(term.relation, codes == term.code)
        else:
            groups = region.groups.get(column.name)
            counts = np.zeros((0, region.class_counts.size)) if groups is None else groups.counts
            holds = np.zeros(counts.shape[0], np.bool_)
            if groups is not None and term.relation <= ABOVE:
                holds = (groups.high <= value_of(term.code)) == (term.relation == AT_MOST)
        present, true = counts.sum(axis=0), counts[holds].sum(axis=0)
        others = {
            MISSING: region.class_counts - present,
            PRESENT: present,
            IS_NOT: present - true,
        }
        return np.asarray(others.get(term.relation, true))

    def threshold(self, term: Term) -> Predicate:
        name = self.columns[term.column].name
        return Threshold(name, term.relation == ABOVE, value_of(term.code))

    def interval(self, above: Term, below: Term) -> Predicate:
        name = self.columns[above.column].name
        asked = {name: np.array([value_of(above.code)])}
        low = float(self.counts.smallest_above(asked)[name][0])
        return Interval(name, low, value_of(below.code))


def _tallies(parts: Sequence[tuple[Places, Places, Floats]], own: Mask) -> ValueTallies:
    column, code = (np.concatenate([part[i] for part in parts]).astype(np.int32) for i in (0, 1))
    counts = np.concatenate([part[2] for part in parts])
    return ValueTallies(column, code, counts[:, own].sum(axis=1), counts[:, ~own].sum(axis=1))


def _corners(
    counts: Floats, own: Mask, first: Places, last: Places, *, above: bool
) -> tuple[Floats, Floats]:
    """Most rows of a class, and fewest of the others, that a cut within slots keeps."""
    found = []
    for mine, most in ((own, True), (~own, False)):
        up_to = np.append(0.0, np.cumsum(counts[:, mine].sum(axis=1)))
        if above:
            found.append(up_to[-1] - (up_to[first] if most else up_to[last + 1]))
        else:
            found.append(up_to[last + 1] if most else up_to[first])
    return found[0], found[1]


def _nothing() -> CandidateTerms:
    none = np.empty(0, np.int32)
    return CandidateTerms(none, none, none, np.empty(0), np.empty(0))


def condition_of(predicate: Predicate) -> Condition:
    """Condition that holds where a predicate of terms does."""
    found = counted_condition(predicate)
    assert found is not None, f"No counts for {predicate}."
    return found
