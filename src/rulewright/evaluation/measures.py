"""Measures of answers on rows with known classes."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import bounded_loss_bound, split_interval
from rulewright.models import Model
from rulewright.render import NO_ANSWER, class_text
from rulewright.rules import ABSTAIN

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Mask = NDArray[np.bool_]

MAX_BINS = 10


@dataclass(frozen=True)
class RuleResult:
    """A rule on the rows of a test.

    Attributes
    ----------
    number : int
        Number of the rule in ``get_rules``, from 1.
    rule, answer : str
        Its condition and its answer.
    rows, right : int
        Rows that it answers, and those of its class among them.
    share : float
        Share of all rows that it answers.
    precision : float or None
        Share of its rows that have its class; None without rows or without an answer.
    low, high : float or None
        Interval of the precision; the intervals of all rules hold at once.
    lift : float or None
        The precision as a multiple of the share of the class among all rows.
    training_precision : float or None
        Share of the training weight that it answers which has its class.
    """

    number: int
    rule: str
    answer: str
    rows: int
    right: int
    share: float
    precision: float | None
    low: float | None
    high: float | None
    lift: float | None
    training_precision: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class ProbabilityBin:
    """Rows with similar probabilities of the predicted class.

    Attributes
    ----------
    rows, right : int
        Number of rows, and of those whose class was predicted.
    predicted, observed : float
        Mean probability of the predicted class, and the share of rows that have it.
    low, high : float
        Interval of the share among new cases; the intervals of all bins hold at once.
    """

    rows: int
    right: int
    predicted: float
    observed: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return asdict(self)


def rule_results(
    model: Model, rules: Integers, answers: Integers, y: Integers, delta: float
) -> tuple[RuleResult, ...]:
    """Return each rule with its precision on some rows; ``rules`` answers each of them."""
    outputs = model.body.outputs
    shown = sum(output != ABSTAIN for output in outputs)
    found = []
    for number, output in enumerate(outputs):
        own = rules == number
        rows, right = int(own.sum()), int((own & (answers == y) & (y >= 0)).sum())
        precision = low = high = lift = None
        if output != ABSTAIN and rows:
            precision = right / rows
            low, high = split_interval(right, rows, 0.0, math.log(shown), delta)
            share = float((y == output).mean())
            lift = precision / share if share else None
        weight, of_class = model.support[number]
        found.append(
            RuleResult(
                number=number + 1,
                rule=model.rule_headline(number),
                answer=NO_ANSWER if output == ABSTAIN else class_text(model.classes[output]),
                rows=rows,
                right=right,
                share=rows / y.size,
                precision=precision,
                low=low,
                high=high,
                lift=lift,
                training_precision=of_class / weight if weight and output != ABSTAIN else None,
            )
        )
    return tuple(found)


def probability_bins(likely: Floats, right: Mask, delta: float) -> tuple[ProbabilityBin, ...]:
    """Return rows in up to ten bins by the probability of the predicted class.

    Equal probabilities are in the same bin. ``likely`` is NaN where there is no answer.
    """
    known = ~np.isnan(likely)
    likely, right = likely[known], right[known]
    values, place, counts = np.unique(likely, return_inverse=True, return_counts=True)
    if not values.size:
        return ()
    middle = np.cumsum(counts) - counts / 2
    of_value = np.arange(values.size)
    if values.size > MAX_BINS:
        of_value = np.minimum(MAX_BINS * middle / likely.size, MAX_BINS - 1).astype(np.intp)
    bins = of_value[place]
    numbers = np.unique(bins)
    found = []
    for number in numbers.tolist():
        own = bins == number
        rows, hits = int(own.sum()), int((own & right).sum())
        ends = split_interval(hits, rows, 0.0, math.log(numbers.size), delta)
        predicted = float(likely[own].mean())
        found.append(ProbabilityBin(rows, hits, predicted, hits / rows, *ends))
    return tuple(found)


def calibration_error(bins: tuple[ProbabilityBin, ...]) -> float | None:
    """Return the mean distance of predicted and observed shares, weighted by rows."""
    rows = sum(each.rows for each in bins)
    if not rows:
        return None
    return math.fsum(each.rows * abs(each.predicted - each.observed) for each in bins) / rows


def brier_score(chances: Floats, y: Integers) -> float:
    """Return the mean squared distance of the probabilities from the class, summed over classes.

    A class that the model does not know (-1) has probability 0.
    """
    truth = np.zeros_like(chances)
    rows = np.flatnonzero(y >= 0)
    truth[rows, y[rows]] = 1.0
    unknown = (y < 0).astype(np.float64)  # the squared distance of a probability of 0 from 1
    return float((((chances - truth) ** 2).sum(axis=1) + unknown).mean())


def area_under_curve(chances: Floats, y: Integers) -> float | None:
    """Return the AUC of two classes, or the mean over all pairs of classes.

    The probability that a case of one class has a larger probability of it than a case of the
    other; ties count half. With more than two classes it is that of Hand & Till (2001), Machine
    Learning 45. None if fewer than two classes occur.

    Examples
    --------
    >>> chances = np.array([[0.9, 0.1], [0.4, 0.6], [0.6, 0.4], [0.2, 0.8]])
    >>> area_under_curve(chances, np.array([0, 0, 1, 1]))
    0.75
    """
    present = [number for number in range(chances.shape[1]) if (y == number).any()]
    if len(present) < 2:
        return None
    pairs = [
        _pair_area(chances[:, one], y == one, y == other) for one, other in permutations(present, 2)
    ]
    return math.fsum(pairs) / len(pairs)


def _pair_area(scores: Floats, positive: Mask, negative: Mask) -> float:
    kept = positive | negative
    values, place = np.unique(scores[kept], return_inverse=True)
    above = np.bincount(place, positive[kept], values.size)
    below = np.bincount(place, negative[kept], values.size)
    wins = float((above * (np.cumsum(below) - below / 2)).sum())
    return wins / (float(above.sum()) * float(below.sum()))


def mean_interval(mean: float, rows: int, largest: float, delta: float) -> tuple[float, float]:
    """Return an interval of an expected value from the mean of losses from 0 to ``largest``."""
    share = min(mean / largest, 1.0) if largest else 0.0
    low = 1 - bounded_loss_bound(1 - share, rows, delta=delta / 2)
    high = bounded_loss_bound(share, rows, delta=delta / 2)
    return max(low, 0.0) * largest, high * largest
