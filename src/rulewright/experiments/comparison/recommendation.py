"""Which model to take, and what the smaller one costs, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rulewright.experiments.comparison.measures import Measures, SplitFacts
from rulewright.experiments.comparison.paired_tests import PairedTest
from rulewright.render import count_text

LEVEL = 0.05
BASE = 1000
"""Number of cases that costs are stated for."""


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The learner of the lowest loss, and the readable one to take.

    ``taken`` is the smallest readable model whose loss exceeds the lowest by at most one standard
    error; if there is none, the lowest of the readable models takes its place. It is None if no
    model can be read.
    """

    best: Measures
    error: float
    taken: Measures | None
    smaller: Measures | None
    constant: Measures | None
    facts: SplitFacts
    costs: bool

    @classmethod
    def of(cls, found: Sequence[Measures], facts: SplitFacts, costs: bool) -> Recommendation:
        """Choose among learners."""
        constant = next((one for one in found if _is_constant(one)), None)
        others = [one for one in found if one is not constant] or list(found)
        best = min(others, key=lambda one: (one.loss, one.size or math.inf))
        error = facts.error_of(best)
        readable = [one for one in others if one.is_readable]
        taken = _smallest_near(readable, best, facts)
        if taken is None and readable:
            taken = _smallest_near(readable, min(readable, key=lambda one: one.loss), facts)
        smaller = _next_smaller(readable, taken)
        return cls(best, error, taken, smaller, constant, facts, costs)

    def sentences(self) -> list[str]:
        """The summary."""
        said = [f"The lowest {self._noun} is that of {self.best.name}: {self._amount(self.best)}."]
        said += self._constant_sentence()
        if self.taken is None:
            return [*said, "None of the compared models can be read."]
        if self.taken is self.best:
            said.append(f"Take {self._described(self.taken)}. No other model is better.")
        else:
            said.append(self._taking(self.taken))
        if self.smaller is not None:
            said.append(
                f"A smaller one is {self._described(self.smaller)}: {self._amount(self.smaller)}. "
                f"{self._price(self.facts.test(self.smaller, self.taken), self.taken)}"
                f"{self._compared_with_constant(self.smaller)}"
            )
        return said

    def _taking(self, taken: Measures) -> str:
        near = taken.loss <= self.best.loss + (0.0 if math.isnan(self.error) else self.error)
        why = (
            f"It is the smallest model to read within one standard error "
            f"({self._number(self.error)}) of the lowest {self._noun}."
            if near
            else f"No model that can be read is within one standard error "
            f"({self._number(self.error)}) of the lowest {self._noun}; this is the smallest within "
            "one standard error of the best of those that can be read."
        )
        price = self._price(self.facts.test(taken, self.best), self.best)
        return (
            f"To read the model, take {self._described(taken)}: {self._amount(taken)}. {why} "
            f"{price}{self._compared_with_constant(taken)}"
        )

    def _compared_with_constant(self, one: Measures) -> str:
        if self.constant is None or self.facts.test(one, self.constant).p_value <= LEVEL:
            return ""
        return " It is not clearly better than always the most frequent class."

    @property
    def _noun(self) -> str:
        return "cost" if self.costs else "error"

    def _number(self, value: float) -> str:
        return f"{value:.3g}" if self.costs else f"{100 * value:.1f} %"

    def _amount(self, one: Measures) -> str:
        if self.costs:
            return f"{one.loss:.3g} per case"
        return f"{100 * one.loss:.1f} % of the cases are wrong"

    def _constant_sentence(self) -> list[str]:
        if self.constant is None:
            return []
        said = f"Always the most frequent class: {self._amount(self.constant)}."
        if self.facts.test(self.best, self.constant).p_value > LEVEL:
            said += " No model is clearly better than that."
        return [said]

    def _described(self, one: Measures) -> str:
        rules, tests = one.mean("rules") or 0.0, one.mean("literals") or 0.0
        return (
            f"{one.name} (about {count_text(round(rules), 'rule')} with "
            f"{count_text(round(tests), 'test')})"
        )

    def _price(self, test: PairedTest, than: Measures) -> str:
        """What it costs to take the first model of the test instead of ``than``."""
        difference, low, high = test.difference, test.low, test.high
        if self.costs:
            said = f"That costs {_signed(difference, '.3g')} per case than {than.name}"
            span = f"{_signed(low, '.3g')} to {_signed(high, '.3g')}"
        else:
            said = f"That is {_signed(BASE * difference)} wrong in {BASE:,} cases than {than.name}"
            span = f"{_signed(BASE * low)} to {_signed(BASE * high)}"
        if not math.isfinite(low):
            return f"{said}."
        clear = "more than chance explains" if test.p_value <= LEVEL else "which may be chance"
        return f"{said} (95 % interval: {span}), {clear}."


def _signed(value: float, shown: str = ".0f") -> str:
    return f"{abs(value):{shown}} {'more' if value >= 0 else 'less' if 'g' in shown else 'fewer'}"


def _smallest_near(
    readable: Sequence[Measures], best: Measures, facts: SplitFacts
) -> Measures | None:
    """The smallest model whose loss exceeds that of the best by at most one standard error."""
    error = facts.error_of(best)
    limit = best.loss + (0.0 if math.isnan(error) else error) + 1e-12
    return min((one for one in readable if one.loss <= limit), key=_reading, default=None)


def _reading(one: Measures) -> tuple[float, float, float]:
    """Effort to read a model: its tests, then its rules, then its loss."""
    return (one.mean("literals") or 0.0, one.mean("rules") or 0.0, one.loss)


def _is_constant(one: Measures) -> bool:
    return one.mean("literals") == 0.0 and one.mean("rules") == 0.0


def _next_smaller(readable: Sequence[Measures], taken: Measures | None) -> Measures | None:
    """The best of the models with at most half of the tests; None if there is none."""
    if taken is None:
        return None
    half = (taken.mean("literals") or 0.0) / 2
    small = [one for one in readable if 0 < (one.mean("literals") or 0.0) <= half]
    return min(small, key=lambda one: (one.loss, _reading(one)), default=None)
