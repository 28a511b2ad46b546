"""Bounds on scores of specialised rules, and one-sided criteria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rulewright.criteria.arithmetic import Floats
from rulewright.criteria.coverage import CRITERIA, Criterion

TWO_SIDED = frozenset({"entropy", "gini", "fisher"})
"""Criteria that are also high for rules that cover less of the class than expected by chance."""

MONOTONE = frozenset(CRITERIA) - TWO_SIDED - {"foil_gain"}
"""Criteria that never fall when more of the class, or less of the others, is covered.

FOIL's gain falls with more of the class if the precision is below the class share. Two-sided
criteria are lowest at chance, and entropy and the Gini gain rise from there.
"""


@dataclass(frozen=True)
class OneSided:
    """A two-sided criterion, negated for rules that are no better than chance."""

    criterion: Criterion

    @property
    def __name__(self) -> str:
        return f"one_sided_{_name(self.criterion)}"

    def __call__(self, p: Any, n: Any, P: Any, N: Any, **parameters: Any) -> Floats:
        score = self.criterion(p, n, P, N, **parameters)
        p, n, P, N = (np.asarray(count, np.float64) for count in (p, n, P, N))
        return np.where(p * N > n * P, score, 0.0 - score)[()]


def one_sided(criterion: Criterion) -> Criterion:
    """Return a criterion that never prefers a rule worse than chance to no rule.

    ``entropy``, ``gini`` and ``fisher`` are negated if ``p N <= n P``. All others, including
    user-defined ones, are returned unchanged.

    Examples
    --------
    >>> from rulewright.criteria import accuracy, gini
    >>> gini([5, 0], [0, 5], 10, 10).round(3).tolist()
    [0.167, 0.167]
    >>> one_sided(gini)([5, 0], [0, 5], 10, 10).round(3).tolist()
    [0.167, -0.167]
    >>> one_sided(accuracy) is accuracy
    True
    """
    return OneSided(criterion) if _name(criterion) in TWO_SIDED else criterion


def optimistic(criterion: Criterion) -> Callable[[Any, Any, Any, Any], Floats] | None:
    """Return an upper bound on the criterion over all specialisations of a rule.

    It is a function of ``p, n, P, N`` and at least the criterion for all ``p' <= p`` and
    ``n' <= n``. The best specialisation covers none of the others, ``(p, 0)``, or, with a two-sided
    criterion, none of the class, ``(0, n)``. With weights instead of counts, Fisher's criterion may
    exceed it by a fraction of a nat: it is a bound for whole counts. The result is None for a
    user-defined criterion.

    Examples
    --------
    >>> from rulewright.criteria import accuracy
    >>> optimistic(accuracy)([5, 3], [4, 0], 10, 10).tolist()
    [5.0, 3.0]
    >>> optimistic(lambda p, n, P, N: p) is None
    True
    """
    if isinstance(criterion, OneSided):
        return partial(_without_the_others, criterion)
    name = _name(criterion)
    if name is None:
        return None
    return partial(_without_either if name in TWO_SIDED else _without_the_others, criterion)


def _without_the_others(criterion: Criterion, p: Any, n: Any, P: Any, N: Any) -> Floats:
    p, n = np.broadcast_arrays(p, n)
    return criterion(p, np.zeros(n.shape), P, N)


def _without_either(criterion: Criterion, p: Any, n: Any, P: Any, N: Any) -> Floats:
    p, n = np.broadcast_arrays(p, n)
    nothing = np.zeros(p.shape)
    return np.maximum(criterion(p, nothing, P, N), criterion(nothing, n, P, N))[()]


def _name(criterion: Criterion) -> str | None:
    """Name of a criterion of this package, with or without parameters; None for others."""
    if isinstance(criterion, partial):
        return _name(criterion.func) if not criterion.args else None
    name = getattr(criterion, "__name__", None)
    return name if CRITERIA.get(str(name)) is criterion else None
