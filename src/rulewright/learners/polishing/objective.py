"""What polishing lowers: the loss on the training rows, and a price for each literal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import Code
from rulewright.errors import CertificateError
from rulewright.families import Family, Found, Question, Search, Training, prepare
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.usefulness import whole_weights
from rulewright.models import unit_of
from rulewright.rules import Arrangement, Evaluation

Losses = NDArray[np.int64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]
Classes = NDArray[np.int32]

LITERAL_PRICE = 1.0
"""Price of a literal, in training rows of weight 1 and cost 1."""
MAX_TOTAL_WEIGHT = 2**26
COST_BITS = 10
"""Costs that are not whole numbers are rounded to multiples of 2 to the power of minus this."""
MAX_WHOLE_COST = 2**12


@dataclass(frozen=True, eq=False)
class PolishingTask:
    """The examples, the predicates to choose from, and the objective.

    The objective is the weighted and cost-weighted loss on the examples plus ``price`` times the
    number of literals. It is computed in whole numbers: ``unit`` stands for an example of weight 1
    and cost 1.

    Attributes
    ----------
    sample : Sample
    families : tuple of Family
        Families of predicates, with the scales that they measured.
    costs : sequence of Fraction or None
        Cost of misjudging an example of each class.
    price : float
        Price of a literal, in examples of weight 1 and cost 1.
    code : Code or None
        Code of the certificate. Models for which it has no message are not considered.
    frozen : int
        Number of rules at the start of a list or vote that stay as they are.
    min_leaf : float
        Minimum weight of the examples of a leaf, where a tree is changed.
    """

    sample: Sample
    families: tuple[Family, ...]
    costs: Sequence[Fraction] | None = None
    price: float = LITERAL_PRICE
    code: Code | None = None
    frozen: int = 0
    min_leaf: float = 1.0
    threads: int = 1
    max_candidates: int | str | None = "auto"
    seed: int = 0
    deadline: Deadline = field(default_factory=lambda: Deadline(None))

    @cached_property
    def evaluation(self) -> Evaluation:
        """The examples, with the truth of the conditions evaluated so far."""
        return Evaluation(self.sample.table)

    @cached_property
    def search(self) -> Search:
        """All families, prepared once."""
        sample = self.sample
        table = sample.searched(self.families)
        training = Training(
            table, sample.y, sample.rows, self.threads, self.max_candidates, self.seed
        )
        return prepare(self.families, training)

    @cached_property
    def _class_costs(self) -> tuple[NDArray[np.int64], int]:
        """Whole cost of each class, and the number that stands for a cost of 1."""
        if self.costs is None:
            return np.ones(len(self.sample.classes), np.int64), 1
        relative = [cost / unit_of(self.costs) for cost in self.costs]
        if all(cost.denominator == 1 and cost <= MAX_WHOLE_COST for cost in relative):
            return np.array([int(cost) for cost in relative], np.int64), 1
        largest = max(float(cost) for cost in relative)
        scale = 2.0**COST_BITS * min(1.0, MAX_WHOLE_COST / largest)
        whole = [max(round(float(cost) * scale), 1 if cost else 0) for cost in relative]
        return np.array(whole, np.int64), max(round(scale), 1)

    @cached_property
    def _whole(self) -> NDArray[np.int64]:
        return whole_weights(self.sample.weight, MAX_TOTAL_WEIGHT)

    @cached_property
    def worth(self) -> Losses:
        """Loss where each example is misjudged."""
        return self._whole * self._class_costs[0][self.sample.y]

    @cached_property
    def unit(self) -> float:
        """Loss of an example of weight 1 and cost 1."""
        return float(self._whole.sum() / self.sample.weight.sum()) * self._class_costs[1]

    @cached_property
    def literal_price(self) -> int:
        """Price of a literal in the unit of losses."""
        return round(self.price * self.unit)

    def lost(self, answers: Classes) -> Losses:
        """Loss of each example, given its answer; no answer is wrong."""
        return np.where(answers == self.sample.y, 0, self.worth)

    def best_class(self, rows: Mask | Rows, current: int) -> int:
        """Answer of least loss on some examples; the current one where it is as good."""
        sums = np.zeros(len(self.sample.classes), np.int64)
        np.add.at(sums, self.sample.y[rows], self.worth[rows])
        best = int(sums.argmax())
        return best if current < 0 or sums[best] > sums[current] else current

    def heaviest(self, gain: Losses, output: int, *, side: bool) -> Found | None:
        """Predicate that lowers the loss most, given the gain of firing on each example."""
        return self.search.heaviest(Question(gain, output, side))

    def has_message(self, body: Arrangement) -> bool:
        """Whether the code of the certificate can describe a model."""
        return self.code is None or self.has_message_in(self.code, body)

    def has_message_in(self, code: Code, body: Arrangement) -> bool:
        """Whether a code can describe a model."""
        try:
            code.compression(body, self.sample.table, self.sample.y)
        except CertificateError:
            return False
        return True
