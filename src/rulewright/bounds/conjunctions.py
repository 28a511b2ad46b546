"""The probability of overfitting of threshold conjunctions, from their splitting and connectivity.

The rules are ``x_1 <= t_1 and x_2 >= t_2 and ...`` over given columns, with all thresholds open:
one rule for every set of objects that can be covered. A rule errs on the positives that it leaves
out and on the others that it covers. See ``rulewright.bounds.sc`` for the setting and the source.
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
"""So many rules are visited at most, unless said."""

SHARE = 1e-3
"""Two layers in a row that add less than this share end a sum, unless said."""

CORRECTION_BUDGET = 4_000
CORRECTION_LAYERS = 5
"""Corrections are wanted by the thousand: these many rules, these many layers, unless said."""


class Layer(NamedTuple):
    """The rules with equally many errors that were visited."""

    errors: int
    rules: int
    adds: float  # to the bound


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an SC-bound was summed from."""

    value: float
    complete: bool
    """Whether every rule was visited; if not, the value leaves some out and is no bound."""
    note: str
    layers: tuple[Layer, ...]
    """The lowest first."""

    @property
    def rules(self) -> int:
        """How many rules were visited."""
        return sum(layer.rules for layer in self.layers)


@dataclass(frozen=True, slots=True)
class Corrections:
    """How much worse a rule's counts may be on hidden objects, as shares of these.

    With probability at least 1 - eta, ``n / k`` on the hidden objects is at most ``n / l`` in
    training plus ``eps_n``; and with the same probability ``p / k`` is at least ``p / l`` less
    ``eps_p``. This is what the visited rules give; if ``complete`` is false there are others.
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
    """Bound the probability that the best conjunction of thresholds in training is overfitted.

    The same as ``sc_bound`` of the errors of all these rules, without listing them. Where there
    are too many, lower layers count first: rules with fewer errors. What is left out then makes
    the sum too small; ``sc_estimate`` says whether it was, and a sum that the budget cut warns.

    Parameters
    ----------
    X : array of objects x columns
        Numbers; an object with NaN is never covered.
    target : array of bool
        Whether the object is of the rule's class.
    signs : sequence of "<=" or ">=" (or -1 or 1)
        The direction of each column's term.
    l : int
        Objects of training.
    eps : float, Fraction or Decimal
        Above 0, at most 1. A float is the decimal that it is written as: 0.1 is a tenth.
    possible : array of bool, optional
        Whether the object can be covered: other terms, say on categories, may leave some out.
    layers : int, optional
        Take so many layers above the lowest; all of them unless said.
    share : float
        From 50,000 rules on, stop when two layers in a row add less than this share of the sum.
    budget : int
        Visit so many rules at most.

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
    """Return ``sc_bound_conjunctions`` with what it was summed from.

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
    """Say how far the two counts of a learned conjunction may be off on hidden objects.

    The inverses of ``overfitting_n`` and ``overfitting_p``: the smallest deviations that are
    exceeded with probability eta at most. Without columns there is one rule, that covers what is
    possible.

    Parameters
    ----------
    X, target, signs, possible
        As in ``sc_bound_conjunctions``.
    l : int, optional
        Objects of training, half of all unless said.
    eta : float
        Above 0, below 1. Sums that differ from it by a billionth of it are equal to it.
    layers : int or None
        Take so many layers above the lowest, or all.
    budget : int
        Visit so many rules at most.

    Examples
    --------
    >>> X = [[1, 4], [2, 1], [3, 2], [4, 5], [5, 3], [6, 6]]
    >>> target = [True, True, True, False, False, False]
    >>> found = sc_corrections(X, target, ["<=", "<="], layers=None)
    >>> round(found.eps_n, 3), round(found.eps_p, 3), found.rules, found.complete
    (0.333, 0.333, 11, True)
    """
    if not 0 < eta < 1:
        raise InputError(f"eta must lie between 0 and 1, not at {eta}.")
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
    """Bound the probability that hidden objects bring more negatives than training let expect.

    That ``n / k`` on the hidden objects is at least ``n / l`` in training plus eps, with n the
    covered objects of other classes, for the best conjunction in training.

    Parameters
    ----------
    X, target, signs, eps, possible, l, layers, budget
        As in ``sc_bound_conjunctions``; l is half of all objects unless said.
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
    """Bound the probability that hidden objects bring fewer positives than training let expect.

    That ``p / k`` on the hidden objects is at most ``p / l`` in training less eps, with p the
    covered objects of the rule's class, for the best conjunction in training.

    Parameters
    ----------
    X, target, signs, eps, possible, l, layers, budget
        As in ``sc_bound_conjunctions``; l is half of all objects unless said.
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
    least = _least(objects.size, l, eps)
    visit = objects.visit(l, layers, budget)
    if visit.end == "rules":
        warnings.warn(_note(visit, SHARE), UserWarning, stacklevel=3)
    return overfitting_sum(visit.counts, objects.size, l, least, counted)


def _estimate(
    objects: Objects, l: int, eps: Exact, layers: int | None, share: float, budget: int
) -> tuple[Estimate, str]:
    l = _training(objects.size, l)
    least = _least(objects.size, l, eps)
    visit = objects.visit(l, layers, budget, share=share, least=least)
    found = []
    for errors in np.unique(visit.counts[:, 0]):
        counts = visit.counts[visit.counts[:, 0] == errors]
        adds = overfitting_sum(counts, objects.size, l, least, ERRORS)
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
            return f"Complete: every rule was visited, {number:,} in all."
        case "layers":
            return f"Cut: only the lowest layers were visited, {rules}. {left_out}"
        case "share":
            return (
                f"Cut: the visit to {rules} ended when two layers in a row added less than "
                f"{share:g} of the sum. {left_out}"
            )
    return (
        f"Cut: the budget was used up by {rules}. {left_out} Give a larger budget, or fewer "
        "columns or objects."
    )


def _training(L: int, l: int | None) -> int:
    l = L // 2 if l is None else index(l)
    check_split(L, l)
    return l


def _least(L: int, l: int, eps: Exact) -> int:
    """Count eps in the steps in which rates on l and on L - l objects differ, rounded up."""
    return math.ceil(exact(eps) * l * (L - l))
