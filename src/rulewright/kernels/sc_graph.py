"""Enumeration of threshold rules on a few columns by their errors, and their overfitting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.kernels import _core

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Counts = NDArray[np.int32]

MAX_OBJECTS: int = _core.max_sc_objects
"""Maximum number of objects: every value of a column has a bit mask of the objects up to it."""

ERRORS, NEGATIVES, POSITIVES = range(3)
"""Frequencies whose overfitting is measured: higher (positives: lower) among the hidden objects."""

ENDS = ("complete", "layers", "share", "rules")
"""Reasons for the end of a visit: every rule was visited, or this limit was reached."""

COUNTS = 7


class Visit(NamedTuple):
    """The visited rules, lower layers first."""

    counts: Counts
    """One row per rule: errors, covered negatives and positives, q, h, covered positives among the
    q objects, covered negatives among the h objects.
    """
    thresholds: Counts
    """One row per rule, if requested: for each column an object whose value is the threshold, or -1
    if nothing is covered.
    """
    lowest: int  # errors of the lowest layer
    highest: int  # errors of the highest layer visited
    end: str  # one of ENDS


def visit_rules(
    columns: Sequence[Floats],
    at_least: Flags,
    positive: Flags,
    possible: Flags,
    trained: int,
    *,
    budget: int,
    layers: int | None = None,
    always: int = 0,
    share: float = 0.0,
    min_deviation: int = 1,
    thresholds: bool = False,
) -> Visit:
    """Visit the rules ``all x_j <= t_j`` by their errors, each set of covered objects once.

    Parameters
    ----------
    columns : sequence of float64 arrays of equal length
        An object with a NaN is never covered.
    at_least : for each column, whether its terms are ``x_j >= t_j`` instead
    positive : whether a rule errs on the object by not covering it
    possible : whether the object can be covered
    trained : size of the training part of a split
    budget : maximum number of rules to visit
    layers : maximum number of layers above the lowest
    always, share, min_deviation
        After ``always`` rules, end when two layers in a row add less than this share to the
        probability that errors deviate by ``min_deviation / (trained * hidden)`` or more.
    thresholds : whether to return the thresholds
    """
    counts = np.empty((budget, COUNTS), np.int32)
    lines = np.empty((budget if thresholds else 0, len(columns)), np.int32)
    rules, lowest, highest, end = _core.visit_sc_rules(
        list(columns),
        at_least.view(np.uint8),
        positive.view(np.uint8),
        possible.view(np.uint8),
        trained,
        -1 if layers is None else layers,
        always,
        share,
        min_deviation,
        counts,
        lines,
    )
    return Visit(counts[:rules], lines[:rules], lowest, highest, ENDS[end])


def overfitting_sum(
    counts: Counts, objects: int, trained: int, min_deviation: int, counted: int = ERRORS
) -> float:
    """Probability to be chosen and to deviate by ``min_deviation`` or more, summed over the rules.

    Deviations are whole multiples of ``1 / (trained * (objects - trained))``.
    """
    return _core.overfitting_sum(counts, objects, trained, counted, min_deviation)


def overfitting_quantiles(
    counts: Counts, objects: int, trained: int, eta: float
) -> tuple[int, int]:
    """Smallest deviations, 0 or more, that are exceeded with probability at most ``eta``.

    They are for the covered negatives and the covered positives, in the units of
    ``overfitting_sum``.
    """
    return _core.overfitting_quantiles(counts, objects, trained, eta)
