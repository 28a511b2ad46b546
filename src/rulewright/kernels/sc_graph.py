"""Rules of thresholds on a few columns, from the fewest errors upwards, and how they overfit."""

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
"""For every value of a column the objects up to it are held, one bit each."""

ERRORS, NEGATIVES, POSITIVES = range(3)
"""What can be more (of the positives: less) frequent among the hidden objects than in training."""

ENDS = ("complete", "layers", "share", "rules")
"""Why a visit ended: every rule was visited, or this limit was met."""

COUNTS = 7


class Visit(NamedTuple):
    """The rules that were visited, lower layers first."""

    counts: Counts
    """A line a rule: errors, covered negatives and positives, q, h, covered positives among the q
    objects, covered negatives among the h objects."""
    thresholds: Counts
    """A line a rule, if asked for: an object a column whose value is the threshold, or -1 where
    nothing is covered."""
    lowest: int  # errors of the lowest layer
    highest: int  # errors of the highest layer that was visited
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
    least: int = 1,
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
    budget : visit so many rules at most
    layers : visit so many layers above the lowest
    always, share, least
        After ``always`` rules, end when two layers in a row add less than this share to the
        probability that errors deviate by ``least / (trained * hidden)`` or more.
    thresholds : whether to say where the thresholds are
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
        least,
        counts,
        lines,
    )
    return Visit(counts[:rules], lines[:rules], lowest, highest, ENDS[end])


def overfitting_sum(
    counts: Counts, objects: int, trained: int, least: int, counted: int = ERRORS
) -> float:
    """Sum over the rules the chance to be picked and to deviate by ``least`` or more.

    Deviations are whole numbers of ``1 / (trained * (objects - trained))``.
    """
    return _core.overfitting_sum(counts, objects, trained, counted, least)


def overfitting_quantiles(
    counts: Counts, objects: int, trained: int, eta: float
) -> tuple[int, int]:
    """Find the smallest deviations from 0 on that are exceeded with chance ``eta`` at most.

    Of the covered negatives and of the covered positives, in the units of ``overfitting_sum``.
    """
    return _core.overfitting_quantiles(counts, objects, trained, eta)
