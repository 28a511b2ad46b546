"""The splitting-connectivity graph of threshold conjunctions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rulewright.bounds.objects import Objects, Signs
from rulewright.errors import InputError

BUDGET = 2_000
"""Maximum number of rules; larger graphs cannot be read."""


class SCRule(NamedTuple):
    """One rule for all thresholds that cover the same objects."""

    thresholds: tuple[float, ...] | None
    """The largest (with ">=": the smallest) covered values; None if nothing is covered."""
    covered: frozenset[int]
    errors: frozenset[int]
    q: int
    h: int


class SCEdge(NamedTuple):
    """Two rules; the upper one errs where the lower one does, and on one more object."""

    lower: int
    upper: int
    label: int
    """The object."""


@dataclass(frozen=True, slots=True)
class SCGraph:
    """All rules by their errors, and the edges between them."""

    rules: tuple[SCRule, ...]
    edges: tuple[SCEdge, ...]

    @property
    def layers(self) -> dict[int, tuple[int, ...]]:
        """The rules by number of errors, fewest first."""
        sizes = [len(rule.errors) for rule in self.rules]
        return {
            m: tuple(r for r, size in enumerate(sizes) if size == m) for m in sorted(set(sizes))
        }


def sc_graph(
    X: ArrayLike, target: ArrayLike, signs: Signs, *, possible: ArrayLike | None = None
) -> SCGraph:
    """All rules of thresholds on these columns, and the edges between them.

    Parameters
    ----------
    X, target, signs, possible
        As in ``sc_bound_conjunctions``. For small sets: up to 2,000 rules.

    Examples
    --------
    >>> graph = sc_graph([[1], [2], [3]], [True, True, False], ["<="])
    >>> [(rule.thresholds, sorted(rule.errors), rule.q, rule.h) for rule in graph.rules]
    [((2.0,), [], 2, 0), ((1.0,), [1], 1, 1), ((3.0,), [2], 0, 1), (None, [0, 1], 0, 2)]
    >>> [tuple(edge) for edge in graph.edges]
    [(0, 1, 1), (0, 2, 2), (1, 3, 0)]
    """
    objects = Objects.of(X, target, signs, possible)
    visit = objects.visit(1, None, BUDGET, thresholds=True)
    if visit.end != "complete":
        raise InputError(
            f"There are more than {BUDGET:,} rules, too many for a graph. Use fewer objects or "
            "columns."
        )
    rules = [
        _rule(objects, line, int(counts[3]), int(counts[4]))
        for line, counts in zip(visit.thresholds, visit.counts, strict=True)
    ]
    rules.sort(key=lambda rule: (len(rule.errors), sorted(rule.errors)))
    return SCGraph(tuple(rules), tuple(_edges(rules, objects.size)))


def _rule(objects: Objects, line: np.ndarray, q: int, h: int) -> SCRule:
    covered = objects.possible.copy()
    thresholds = []
    for i, x, at_least in zip(line.tolist(), objects.columns, objects.at_least, strict=True):
        thresholds.append(float(x[i]))
        covered &= (i >= 0) & (x >= x[i] if at_least else x <= x[i])
    numbers = frozenset(np.flatnonzero(covered).tolist())
    errors = frozenset(np.flatnonzero(covered != objects.positive).tolist())
    nothing = bool(line.size) and bool((line < 0).any())
    return SCRule(None if nothing else tuple(thresholds), numbers, errors, q, h)


def _edges(rules: list[SCRule], size: int) -> Iterator[SCEdge]:
    numbers = {rule.errors: r for r, rule in enumerate(rules)}
    for lower, rule in enumerate(rules):
        for label in range(size):
            upper = numbers.get(rule.errors | {label}, lower)
            if upper != lower:
                yield SCEdge(lower, upper, label)
