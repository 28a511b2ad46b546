"""Errors on the held-out examples for each number of rounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Classes = NDArray[np.int32]
Floats = NDArray[np.float64]
Rows = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class BoostedClasses:
    """Numbers of the classes that have rules; of two classes only the rarer has rules.

    ``default`` is the answer where no rule votes.
    """

    boosted: tuple[int, ...]
    default: int

    @classmethod
    def of(cls, totals: Floats) -> BoostedClasses:
        """Choose the classes by the total value of their examples, costs included.

        Only the default can vote for the other class, so that must be the one of larger value.
        """
        present = [int(number) for number in np.flatnonzero(totals > 0)]
        majority = int(np.argmax(totals))
        rare = tuple(number for number in present if number != majority)
        return cls(rare if len(present) == 2 else tuple(present), majority)

    def answers(self, scores: Floats, constant: Floats) -> Classes:
        """Answers of a vote, from the sums of confidences (rows) on each example.

        ``constant`` is the part of the default rules. Ties go to the lower class, and to the
        default where no rule votes.
        """
        if len(self.boosted) == 1:
            (own,) = self.boosted
            tied = (scores[0] == 0) & (constant[0] < 0) & (own < self.default)
            return np.where((scores[0] > 0) | tied, own, self.default).astype(np.int32)
        silent = scores.max(axis=0) == scores.min(axis=0)
        best = np.array(self.boosted, np.int32)[scores.argmax(axis=0)]
        return np.where(silent, self.default, best).astype(np.int32)


class HeldOutScores:
    """Held-out examples, and the votes so far for each class on each of them."""

    def __init__(self, boosted_classes: BoostedClasses, y: Classes, worth: Floats) -> None:
        self._boosted_classes = boosted_classes
        self.y, self._worth = y, worth
        self._own = y == np.array(boosted_classes.boosted)[:, np.newaxis]
        self._scores = np.zeros(self._own.shape)
        self._constant = np.zeros(self._own.shape)
        self._errors: list[float] = []
        self._fewest = np.full(len(boosted_classes.boosted), np.inf)
        self._enough = np.zeros(len(boosted_classes.boosted), np.intp)
        self._best = self._scores.copy(), self._constant.copy()

    def add(self, number: int, places: Rows, rule_weight: float, *, always: bool) -> None:
        """Add the weight of a rule for one of the boosted classes where the rule holds."""
        self._scores[number, places] += rule_weight
        if always:
            self._constant[number, places] += rule_weight

    def evaluate(self) -> float:
        """Weight of the errors of the vote so far."""
        self._errors.append(self._lost(self._scores, self._constant))
        if len(self._boosted_classes.boosted) > 1:
            self._evaluate_each()
        return self._errors[-1]

    def rounds(self) -> tuple[int, ...]:
        """Number of rounds with the fewest errors, for each class; ties go to fewer rounds.

        Classes have different numbers if this gives fewer errors.
        """
        several = len(self._boosted_classes.boosted) > 1
        if several and self._lost(*self._best) < min(self._errors):
            return tuple(self._enough.tolist())
        return (1 + int(np.argmin(self._errors)),) * len(self._boosted_classes.boosted)

    def _evaluate_each(self) -> None:
        """Keep for each class the votes that best separate it from the rest."""
        for number, own in enumerate(self._own):
            lost = self._worth[(self._scores[number] > 0) != own].sum()
            if lost < self._fewest[number]:
                self._fewest[number], self._enough[number] = lost, len(self._errors)
                for best, now in zip(self._best, (self._scores, self._constant), strict=True):
                    best[number] = now[number]

    def _lost(self, scores: Floats, constant: Floats) -> float:
        wrong = self._boosted_classes.answers(scores, constant) != self.y
        return float(self._worth[wrong].sum())
