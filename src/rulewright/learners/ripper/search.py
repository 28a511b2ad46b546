"""Incremental reduced-error pruning: rule after rule, each grown and pruned at once.

IREP is J. Fürnkranz and G. Widmer's (1994), as W. Cohen (1995), Fast Effective Rule Induction,
section 3.1, gives it; IREP* and the optimisation of RIPPER are in sections 3.2 and 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.progress import report

Floats = NDArray[np.float64]
Part = Any
"""Some examples: row numbers, or a description of rows that are counted elsewhere."""
Draft = Any
"""A rule with its terms in the order of addition; each problem has its own kind."""

MAX_SURPLUS = 64
"""Bits that a rule set may be longer than the shortest so far before no more rules are added."""

TINY = float(np.finfo(np.float64).tiny)


class Rules(Protocol):
    """Rules for the class of a problem, with what they cover."""

    drafts: list[Any]

    @property
    def problem(self) -> Problem:
        """The problem."""

    @property
    def uncovered(self) -> Part:
        """The examples that no rule covers."""

    @property
    def length(self) -> float:
        """Number of bits of the rules and of their exceptions."""

    def insert(self, place: int, draft: Any) -> None:
        """Add a rule."""

    def remove(self, place: int) -> Any:
        """Remove a rule."""

    def left_of(self, rows: Part) -> Part:
        """Those of some examples that no rule covers."""

    def simplify(self) -> None:
        """Delete rules that make the description longer, the last first."""

    def simplified_length(self) -> float:
        """Number of bits that ``simplify`` would leave; the rule set stays as it is."""


class Problem(Protocol):
    """A class against those after it; see ``BinaryProblem``."""

    def rule_set(self) -> Rules:
        """Rule set without rules."""

    def has_own(self, rows: Part) -> bool:
        """Whether some examples have one of the class."""

    def parted(self, rows: Part) -> tuple[Part, Part]:
        """Examples to grow from and examples to prune on."""

    def grown(self, rows: Part, first: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Grow a rule until it covers no example of another class, by FOIL's gain."""

    def prefixes(self, terms: Sequence[Any], rows: Part) -> tuple[Floats, Floats]:
        """Weights that the first 0, 1, ... terms cover: of the class, and of the others."""

    def draft(self, terms: tuple[Any, ...]) -> Any:
        """Rule with what it covers, and its length in bits."""

    def keep(self, drafts: Sequence[Any]) -> None:
        """Take the rules so far as kept; others may be forgotten."""


@dataclass(frozen=True, eq=False)
class RuleSetSearch:
    """How rules are made, and when to stop.

    ``prune``: whether rules are pruned on examples set aside. ``by_error``: whether rules are
    pruned, and the search stops, as in IREP rather than as in IREP*.
    """

    prune: bool
    by_error: bool
    rounds: int
    deadline: Deadline

    def by_class(
        self,
        order: Sequence[int],
        names: Sequence[str],
        problem_of: Callable[[int, Rules | None], Problem],
    ) -> list[list[tuple[Any, int]]]:
        """Rules of all classes but the last, after covering and after each round.

        Each rule comes with its class. ``names`` are those of the classes. ``problem_of`` makes the
        problem of a class, given the rules of the class before it.
        """
        rounds: list[list[tuple[Any, int]]] = [[] for _ in range(self.rounds + 1)]
        found: Rules | None = None
        for number in order[:-1]:
            problem = problem_of(number, found)
            for drafts, found in zip(rounds, self.rules(problem, names[number]), strict=True):
                drafts += [(draft, number) for draft in found.drafts]
        return rounds

    def rules(self, problem: Problem, what: str) -> Iterator[Rules]:
        """Rules of a class: cover, then optimise and cover the rest, ``rounds`` times.

        The same rule set is yielded after covering and after each round.
        """
        found = problem.rule_set()
        self.extend(found, what)
        yield found
        for number in range(self.rounds):
            self.optimise(found, f"optimised rules for {what}, round {number + 1}")
            self.extend(found, what)
            yield found

    def extend(self, found: Rules, what: str) -> None:
        """Add rules for the examples that are not covered, as IREP* does."""
        shortest = found.length
        while not self.deadline.over:
            draft = self._next(found)
            if draft is None:
                break
            found.insert(len(found.drafts), draft)
            found.problem.keep(found.drafts)
            report(f"rules for {what}", len(found.drafts), None)
            length = found.length
            if not self.by_error and length > shortest + MAX_SURPLUS:
                break
            shortest = min(shortest, length)
        if not self.by_error:
            found.simplify()

    def _next(self, found: Rules) -> Draft | None:
        """Rule for the examples that no rule covers; None if there is no good one."""
        problem, rows = found.problem, found.uncovered
        if not problem.has_own(rows):
            return None
        if not self.prune:
            terms = problem.grown(rows)
            return problem.draft(terms) if terms else None
        growing, pruning = problem.parted(rows)
        terms = problem.grown(growing)
        right, wrong = problem.prefixes(terms, pruning)
        worth = accuracy(right, wrong) if self.by_error else surplus(right, wrong)
        size = _best(worth)
        if not size or wrong[size] > right[size]:
            return None
        return problem.draft(terms[:size])

    def optimise(self, found: Rules, what: str) -> None:
        """Replace each rule by a new one, or a longer one, if that shortens the description."""
        earlier = found.problem.rule_set()
        for place in range(len(found.drafts)):
            report(what, place, len(found.drafts))
            old = found.remove(place)
            choices = [old]
            if not self.deadline.over:
                choices += self._variants(old, earlier, found)
            best = min(choices, key=lambda draft: self._length_with(found, place, draft))
            found.insert(place, best)
            found.problem.keep(found.drafts)
            earlier.insert(place, best)

    @staticmethod
    def _variants(old: Draft, earlier: Rules, others: Rules) -> list[Draft]:
        """Replacement and revision of a rule.

        Both are grown from the examples that no earlier rule covers, and pruned by the errors of
        the whole rule set: examples that other rules cover do not count there.
        """
        problem = others.problem
        growing, pruning = problem.parted(earlier.uncovered)
        left = others.left_of(pruning)
        variants = []
        for terms in (problem.grown(growing), problem.grown(growing, old.terms)):
            size = _best(accuracy(*problem.prefixes(terms, left)))
            if size:
                variants.append(problem.draft(terms[:size]))
        return variants

    @staticmethod
    def _length_with(others: Rules, place: int, draft: Draft) -> float:
        others.insert(place, draft)
        length = others.simplified_length()
        others.remove(place)
        return length


def surplus(right: Floats, wrong: Floats) -> Floats:
    """Pruning criterion of IREP*, ``(p - n) / (p + n)``; 0 for a rule that covers nothing."""
    return (right - wrong) / np.maximum(right + wrong, TINY)


def accuracy(right: Floats, wrong: Floats) -> Floats:
    """Pruning criterion of IREP, ``(p + N - n) / (P + N)``; the first entry covers all."""
    total = right[0] + wrong[0]
    return (right + wrong[0] - wrong) / total if total else np.zeros_like(right)


def _best(worth: Floats) -> int:
    """Best number of terms to keep; ties go to the smaller number."""
    return int(np.argmax(worth))
