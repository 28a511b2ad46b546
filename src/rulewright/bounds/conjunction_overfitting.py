"""Probability of overfitting of threshold conjunctions, by splitting and connectivity.

The rules are ``x_1 <= t_1 and x_2 >= t_2 and ...`` over given columns with any thresholds: one rule
for every set of objects that can be covered. A rule errs on the positives that it does not cover
and on the others that it covers. See ``rulewright.bounds.sc`` for the setting and the source.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from operator import index
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rulewright.bounds.objects import Objects, Signs
from rulewright.bounds.sc import Exact, check_split, exact
from rulewright.errors import InputError
from rulewright.kernels import (
    ERRORS,
    NEGATIVES,
    POSITIVES,
    Visit,
    overfitting_quantiles,
    overfitting_sum,
)

BUDGET = 200_000
"""Default maximum number of rules to visit."""

SHARE = 1e-3
"""Default share of the sum: two successive layers that add less end it."""

CORRECTION_BUDGET = 4_000
CORRECTION_LAYERS = 5
"""Default maximum numbers of rules and of layers for corrections: thousands are computed."""


class Layer(NamedTuple):
    """Visited rules with the same number of errors."""

    errors: int
    rules: int
    adds: float  # contribution to the bound


@dataclass(frozen=True, slots=True)
class Estimate:
    """An SC-bound with the layers it was summed from."""

    value: float
    complete: bool
    """Whether every rule was visited; if not, the sum leaves some out and is not a bound."""
    note: str
    layers: tuple[Layer, ...]
    """The layers, lowest first."""

    @property
    def rules(self) -> int:
        """Number of visited rules."""
        return sum(layer.rules for layer in self.layers)


@dataclass(frozen=True, slots=True)
class Corrections:
    """Corrections of a rule's counts on hidden objects, as shares of these.

    With probability at least 1 - eta, ``n / k`` on the hidden objects is at most ``n / l`` in
    training plus ``eps_n``. With the same probability, ``p / k`` is at least ``p / l`` minus
    ``eps_p``. This holds for the visited rules; if ``complete`` is false there are others.
    """

    eps_n: float
    eps_p: float
    rules: int
    complete: bool


def sc_bound_conjunctions(
    X: ArrayLike,
    target: ArrayLike,
    signs: Signs,
    l: int,
    eps: Exact,
    *,
    possible: ArrayLike | None = None,
    layers: int | None = None,
    share: float = SHARE,
    budget: int = BUDGET,
) -> float:
    """Upper bound on the probability that the best threshold conjunction in training is overfitted.

    The same as ``sc_bound`` of the errors of all these rules, without listing them. If there are
    too many, only the lower layers, which have fewer errors, are summed, and the sum is too small.
    ``sc_estimate`` reports whether the sum is complete. A sum cut by the budget gives a warning.

    Parameters
    ----------
    X : array of objects x columns
        Numbers; an object with NaN is never covered.
    target : array of bool
        Whether each object is of the rule's class.
    signs : sequence of "<=" or ">=" (or -1 or 1)
        The direction of each column's term.
    l : int
        Number of training objects.
    eps : float, Fraction or Decimal
        In (0, 1]. A float is read as the decimal it prints as: 0.1 is a tenth.
    possible : array of bool, optional
        Whether each object can be covered: other terms, for example on categories, may exclude it.
    layers : int, optional
        Maximum number of layers above the lowest. Default: all.
    share : float, default=0.001
        From 50,000 rules on, stop when two successive layers add less than this share of the sum.
    budget : int, default=200_000
        Maximum number of rules to visit.

    Examples
    --------
    >>> X = [[1, 4], [2, 1], [3, 2], [4, 5], [5, 3], [6, 6]]
    >>> target = [True, True, True, False, False, False]
    >>> round(sc_bound_conjunctions(X, target, ["<=", "<="], l=3, eps=0.5), 3)
    0.75
    """
    objects = Objects.of(X, target, signs, possible)
    estimate, end = _estimate(objects, l, eps, layers, share, budget)
    if end == "rules":
        warnings.warn(estimate.note, UserWarning, stacklevel=2)
    return estimate.value


def sc_estimate(
    X: ArrayLike,
    target: ArrayLike,
    signs: Signs,
    l: int,
    eps: Exact,
    *,
    possible: ArrayLike | None = None,
    layers: int | None = None,
    share: float = SHARE,
    budget: int = BUDGET,
) -> Estimate:
    """Return ``sc_bound_conjunctions`` with the layers it was summed from.

    Parameters
    ----------
    X, target, signs, l, eps, possible, layers, share, budget
        As in ``sc_bound_conjunctions``.
    """
    objects = Objects.of(X, target, signs, possible)
    return _estimate(objects, l, eps, layers, share, budget)[0]


def sc_corrections(
    X: ArrayLike,
    target: ArrayLike,
    signs: Signs,
    *,
    possible: ArrayLike | None = None,
    l: int | None = None,
    eta: float = 0.5,
    layers: int | None = CORRECTION_LAYERS,
    budget: int = CORRECTION_BUDGET,
) -> Corrections:
    """Corrections of the two counts of a learned conjunction on hidden objects.

    The inverses of ``overfitting_n`` and ``overfitting_p``: the smallest deviations that are
    exceeded with probability at most eta. Without columns there is one rule, which covers all
    possible objects.

    Parameters
    ----------
    X, target, signs, possible
        As in ``sc_bound_conjunctions``.
    l : int, optional
        Number of training objects. Default: half of all.
    eta : float, default=0.5
        In (0, 1). Sums that differ from it by a relative 1e-9 count as equal.
    layers : int or None, default=5
        Maximum number of layers above the lowest, or None for all.
    budget : int
        Maximum number of rules to visit.

    Examples
    --------
    >>> X = [[1, 4], [2, 1], [3, 2], [4, 5], [5, 3], [6, 6]]
    >>> target = [True, True, True, False, False, False]
    >>> found = sc_corrections(X, target, ["<=", "<="], layers=None)
    >>> round(found.eps_n, 3), round(found.eps_p, 3), found.rules, found.complete
    (0.333, 0.333, 11, True)
    """
    if not 0 < eta < 1:
        raise InputError(f"eta must be in (0, 1), got {eta}.")
    objects = Objects.of(X, target, signs, possible)
    l = _training(objects.size, l)
    visit = objects.visit(l, layers, budget)
    unit = l * (objects.size - l)
    n, p = overfitting_quantiles(visit.counts, objects.size, l, eta)
    return Corrections(n / unit, p / unit, len(visit.counts), visit.end == "complete")


def overfitting_n(
    X: ArrayLike,
    target: ArrayLike,
    signs: Signs,
    eps: Exact,
    *,
    possible: ArrayLike | None = None,
    l: int | None = None,
    layers: int | None = None,
    budget: int = BUDGET,
) -> float:
    """Upper bound on the probability of more negatives among the hidden objects than in training.

    The event is that ``n / k`` on the hidden objects is at least ``n / l`` in training plus eps,
    where n counts the covered objects of other classes, for the best conjunction in training.

    Parameters
    ----------
    X, target, signs, eps, possible, l, layers, budget
        As in ``sc_bound_conjunctions``; the default of l is half of all objects.
    """
    return _overfitting(NEGATIVES, Objects.of(X, target, signs, possible), eps, l, layers, budget)


def overfitting_p(
    X: ArrayLike,
    target: ArrayLike,
    signs: Signs,
    eps: Exact,
    *,
    possible: ArrayLike | None = None,
    l: int | None = None,
    layers: int | None = None,
    budget: int = BUDGET,
) -> float:
    """Upper bound on the probability of fewer positives among the hidden objects than in training.

    The event is that ``p / k`` on the hidden objects is at most ``p / l`` in training minus eps,
    where p counts the covered objects of the rule's class, for the best conjunction in training.

    Parameters
    ----------
    X, target, signs, eps, possible, l, layers, budget
        As in ``sc_bound_conjunctions``; the default of l is half of all objects.
    """
    return _overfitting(POSITIVES, Objects.of(X, target, signs, possible), eps, l, layers, budget)


def _overfitting(
    counted: int,
    objects: Objects,
    eps: Exact,
    l: int | None,
    layers: int | None,
    budget: int,
) -> float:
    l = _training(objects.size, l)
    min_deviation = _min_deviation(objects.size, l, eps)
    visit = objects.visit(l, layers, budget)
    if visit.end == "rules":
        warnings.warn(_note(visit, SHARE), UserWarning, stacklevel=3)
    return overfitting_sum(visit.counts, objects.size, l, min_deviation, counted)


def _estimate(
    objects: Objects, l: int, eps: Exact, layers: int | None, share: float, budget: int
) -> tuple[Estimate, str]:
    l = _training(objects.size, l)
    min_deviation = _min_deviation(objects.size, l, eps)
    visit = objects.visit(l, layers, budget, share=share, min_deviation=min_deviation)
    found = []
    for errors in np.unique(visit.counts[:, 0]):
        counts = visit.counts[visit.counts[:, 0] == errors]
        adds = overfitting_sum(counts, objects.size, l, min_deviation, ERRORS)
        found.append(Layer(int(errors), len(counts), adds))
    value = math.fsum(layer.adds for layer in found)
    complete = visit.end == "complete"
    return Estimate(value, complete, _note(visit, share), tuple(found)), visit.end


def _note(visit: Visit, share: float) -> str:
    number = len(visit.counts)
    rules = f"{number:,} rule{'s' if number > 1 else ''} with {visit.lowest}"
    rules += f" to {visit.highest} errors" if visit.highest > visit.lowest else " errors"
    left_out = "Others are left out, so the bound itself is larger."
    match visit.end:
        case "complete":
            return f"Complete: all {number:,} rules were visited."
        case "layers":
            return f"Cut: only the lowest layers were visited, {rules}. {left_out}"
        case "share":
            return (
                f"Cut: the visit of {rules} ended when two successive layers added less than "
                f"{share:g} of the sum. {left_out}"
            )
    return (
        f"Cut: the budget ended at {rules}. {left_out} Use a larger budget, or fewer columns "
        "or objects."
    )


def _training(L: int, l: int | None) -> int:
    l = L // 2 if l is None else index(l)
    check_split(L, l)
    return l


def _min_deviation(L: int, l: int, eps: Exact) -> int:
    """Convert eps to units of 1 / (l (L - l)), by which rates may differ, rounded up."""
    return math.ceil(exact(eps) * l * (L - l))
