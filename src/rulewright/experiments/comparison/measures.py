"""Measures of the learners of a comparison, from the results of their cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.experiments.comparison.paired_tests import (
    PairedTest,
    corrected_test,
    standard_error,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measures:
    """Results of one learner on all splits.

    ``losses`` are the errors of the splits, or their mean costs where classes have costs. With a
    single split they are the losses of the test rows.
    """

    name: str
    confusions: NDArray[Any]
    costs: Floats | None
    values: Sequence[dict[str, Any]]
    truth: NDArray[np.intp] | None = None

    @cached_property
    def errors(self) -> Floats:
        """Share of wrong or unanswered rows of each split."""
        right = np.einsum("kii->k", self.confusions[:, :, :-1])
        errors: Floats = 1 - right / self.confusions.sum(axis=(1, 2))
        return errors

    @cached_property
    def mean_costs(self) -> Floats:
        """Mean cost of a row of each split."""
        assert self.costs is not None
        wrong = self.confusions.sum(axis=2) - np.einsum("kii->ki", self.confusions[:, :, :-1])
        costs: Floats = wrong @ self.costs / self.confusions.sum(axis=(1, 2))
        return costs

    @cached_property
    def balanced_error(self) -> float:
        """Mean over the classes of the share of their rows that are wrong, over all splits."""
        total = self.confusions.sum(axis=0)
        rows = total.sum(axis=1)
        right = np.diagonal(total[:, :-1])
        return float(np.mean([1 - r / n for r, n in zip(right, rows, strict=True) if n]))

    @cached_property
    def losses(self) -> Floats:
        """What is compared: one number for each split, or for each row of a single split."""
        if self.truth is None:
            return self.errors if self.costs is None else self.mean_costs
        wrong = np.array(self.values[0]["answers"]) != self.truth
        price = np.ones(wrong.size) if self.costs is None else self.costs[self.truth]
        return np.asarray(wrong * price, dtype=float)

    @property
    def loss(self) -> float:
        """Mean of the losses."""
        return float(self.losses.mean())

    def deviation(self) -> float | None:
        """Standard deviation of the error, or of the cost, over the splits."""
        compared = self.errors if self.costs is None else self.mean_costs
        return float(compared.std(ddof=1)) if compared.size > 1 else None

    def mean(self, what: str) -> float | None:
        """Mean of a value over the splits; None where a split has none."""
        found = [one[what] for one in self.values]
        return None if any(value is None for value in found) else float(np.mean(found))

    @property
    def is_readable(self) -> bool:
        """Whether the model consists of rules, or is a single tree."""
        return self.mean("rules") is not None

    @property
    def size(self) -> float | None:
        """Mean number of parts: tests, weights, support vectors or stored rows."""
        return self.mean("parts")


@dataclass(frozen=True)
class SplitFacts:
    """What the tests need to know about the splits."""

    test_ratio: float

    @classmethod
    def of(cls, folds: Sequence[Any]) -> SplitFacts:
        """Facts of the folds; with a single split the test rows are independent."""
        if len(folds) == 1:
            return cls(0.0)
        return cls(float(np.mean([fold.test.size / fold.train.size for fold in folds])))

    def error_of(self, one: Measures) -> float:
        """Standard error of the mean loss of a learner."""
        return standard_error(one.losses.tolist(), self.test_ratio)

    def test(self, one: Measures, other: Measures) -> PairedTest:
        """Test of the loss of one learner minus that of the other."""
        return corrected_test((one.losses - other.losses).tolist(), self.test_ratio)
