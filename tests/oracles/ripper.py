"""RIPPER as its paper tells it: everything counted anew for every question.

Cohen (1995), Fast Effective Rule Induction. Growing is given as a function (it has an oracle of its
own), and so are the partings that were drawn by lot; a rule is a tuple of terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Rule = tuple
Parting = tuple[list[int], list[int]]


def subset_bits(n: float, k: float, p: float) -> float:
    """S(n, k, p) = k log2(1/p) + (n - k) log2(1/(1 - p))."""
    bits = k * math.log2(1 / p) if k else 0.0
    return bits + ((n - k) * math.log2(1 / (1 - p)) if n > k else 0.0)


def rule_bits(k: int, n: int) -> float:
    """Half of ||k|| + S(n, k, k/n)."""
    if k == 0:
        return 0.0
    number = math.log2(k) + (2 * math.log2(math.log2(k)) if k > 1 else 0.0)
    n = max(n, k)
    return 0.5 * (number + subset_bits(n, k, k / n))


def exception_bits(covered: float, uncovered: float, wrong: float, missed: float) -> float:
    """Quinlan (1995): the larger side by half of the errors, the smaller by its own share."""
    bits = math.log2(covered + uncovered + 1)
    half = (wrong + missed) / 2
    if covered > uncovered:
        bits += subset_bits(covered, wrong, min(half / covered, 1))
        return bits + (subset_bits(uncovered, missed, missed / uncovered) if uncovered else 0)
    bits += subset_bits(uncovered, missed, min(half / uncovered, 1))
    return bits + (subset_bits(covered, wrong, wrong / covered) if covered else 0)


@dataclass
class SlowRipper:
    """One class against others."""

    rows: Sequence[int]
    own: Sequence[bool]
    weight: Sequence[float]
    tests: int
    covers: Callable[[Rule, int], bool]
    grow: Callable[[Sequence[int], Rule], Rule]
    conditions: Callable[[Rule], int]
    partings: Iterator[Parting]
    prune: bool = True
    by_error: bool = False

    def weigh(self, rows: Sequence[int]) -> tuple[float, float]:
        right = math.fsum(self.weight[row] for row in rows if self.own[row])
        return right, math.fsum(self.weight[row] for row in rows if not self.own[row])

    def uncovered(self, rules: Sequence[Rule], rows: Sequence[int]) -> list[int]:
        return [row for row in rows if not any(self.covers(rule, row) for rule in rules)]

    def length(self, rules: Sequence[Rule]) -> float:
        left = set(self.uncovered(rules, self.rows))
        right, wrong = self.weigh([row for row in self.rows if row not in left])
        own, others = self.weigh(self.rows)
        covered = right + wrong
        bits = exception_bits(covered, own + others - covered, wrong, own - right)
        return bits + sum(rule_bits(self.conditions(rule), self.tests) for rule in rules)

    def simplified(self, rules: Sequence[Rule]) -> list[Rule]:
        rules = list(rules)
        for place in reversed(range(len(rules))):
            without = rules[:place] + rules[place + 1 :]
            if self.length(without) < self.length(rules) - 1e-9:
                rules = without
        return rules

    def kept(self, rule: Rule, rows: Sequence[int], by_error: bool) -> tuple[Rule, float, float]:
        """The first terms that are worth most on ``rows``, the fewest of equals."""
        own, others = self.weigh(rows)
        best, best_worth, counts = (), -math.inf, (0.0, 0.0)
        for size in range(len(rule) + 1):
            p, n = self.weigh([row for row in rows if self.covers(rule[:size], row)])
            if by_error:
                worth = (p + others - n) / (own + others) if own + others else 0.0
            else:
                worth = (p - n) / (p + n) if p + n else 0.0
            if worth > best_worth + 1e-12:
                best, best_worth, counts = rule[:size], worth, (p, n)
        return best, *counts

    def extended(self, rules: Sequence[Rule]) -> list[Rule]:
        rules = list(rules)
        shortest = self.length(rules)
        while True:
            left = self.uncovered(rules, self.rows)
            if not any(self.own[row] for row in left):
                break
            if self.prune:
                growing, pruning = next(self.partings)
                rule, right, wrong = self.kept(self.grow(growing, ()), pruning, self.by_error)
                if not rule or wrong > right:
                    break
            else:
                rule = self.grow(left, ())
                if not rule:
                    break
            rules.append(rule)
            shortest = min(shortest, self.length(rules))
            if not self.by_error and self.length(rules) > shortest + 64:
                break
        return rules if self.by_error else self.simplified(rules)

    def optimised(self, rules: Sequence[Rule]) -> list[Rule]:
        rules = list(rules)
        for place in range(len(rules)):
            growing, pruning = next(self.partings)
            others = rules[:place] + rules[place + 1 :]
            left = self.uncovered(others, pruning)
            choices = [rules[place]]
            for first in ((), rules[place]):
                variant = self.kept(self.grow(growing, first), left, by_error=True)[0]
                if variant:
                    choices.append(variant)
            lengths = [
                self.length(self.simplified([*rules[:place], choice, *rules[place + 1 :]]))
                for choice in choices
            ]
            shortest = min(lengths)
            first_best = next(i for i, bits in enumerate(lengths) if bits <= shortest + 1e-9)
            rules[place] = choices[first_best]
        return rules

    def learn(self, rounds: int) -> list[Rule]:
        rules = self.extended([])
        for _ in range(rounds):
            rules = self.extended(self.optimised(rules))
        return rules
