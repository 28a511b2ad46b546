"""Costs and penalties of mistakes as users write them.

Costs are by the class that is misclassified, or by that and the class answered.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError, preview
from rulewright.models.sample_weight import unit_of

Floats = NDArray[np.float64]

MAX_COST = 10**12
"""Largest cost: beyond all counts of examples, more changes nothing and slows the arithmetic."""


@dataclass(frozen=True, eq=False)
class Costs:
    """Cost of answering examples of each class (rows) with each class (columns)."""

    matrix: Floats

    @cached_property
    def price(self) -> Floats:
        """Value of an example of each class in the search for rules: its average cost."""
        price: Floats = self.matrix.sum(axis=1) / max(self.matrix.shape[0] - 1, 1)
        return price

    @cached_property
    def _plain(self) -> bool:
        """Whether the cost depends on the class of the example only, not on the answer."""
        return bool((self.matrix + np.diag(self.price) == self.price[:, np.newaxis]).all())

    def answers(self, priced: Floats) -> NDArray[np.intp]:
        """Class of the least expected cost for rows of class weights times prices."""
        if self._plain:
            likeliest: NDArray[np.intp] = priced.argmax(axis=-1)
            return likeliest
        cheapest: NDArray[np.intp] = self._expected(priced).argmin(axis=-1)
        return cheapest

    def losses(self, priced: Floats) -> Floats:
        """Least expected cost for rows of class weights times prices."""
        if self._plain:
            lost: Floats = priced.sum(axis=-1) - priced.max(axis=-1)
            return lost
        lowest: Floats = self._expected(priced).min(axis=-1)
        return lowest

    def risks(self, chances: Floats) -> Floats:
        """Expected cost of each answer, up to a number for each row, by the chances of classes."""
        return -chances * self.price if self._plain else chances @ self.matrix

    def _expected(self, priced: Floats) -> Floats:
        expected: Floats = priced / self.price @ self.matrix
        return expected


def read_costs(costs: object, classes: Sequence[object]) -> Costs:
    """Read costs: numbers above 0 by class, or by pairs (class, class answered); default: 1.

    Costs are relative; see ``unit_of``.

    Examples
    --------
    >>> read_costs({("ill", "well"): 5}, ["ill", "well"]).matrix.tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    >>> read_costs({"ill": 0.5, "well": 0.1}, ["ill", "well"]).matrix.tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    """
    count = len(classes)
    pairs = {pair: Fraction(1) for pair in permutations(range(count), 2)}
    if isinstance(costs, Mapping) and any(isinstance(key, tuple) for key in costs):
        for labels, cost in costs.items():
            pairs[_read_pair(labels, classes)] = _cost_of_pair(cost, labels)
    elif costs is not None:
        by_class = _by_class(costs, classes)
        pairs = {(true, answered): by_class[true] for true, answered in pairs}
    matrix, unit = np.zeros((count, count)), unit_of(list(pairs.values()))
    for pair, amount in pairs.items():
        matrix[pair] = float(amount / unit)
    return Costs(matrix)


def _by_class(costs: object, classes: Sequence[object]) -> tuple[Fraction, ...]:
    try:
        return tuple(read_class_costs(costs, classes) or ())
    except InputError as error:
        raise InputError(f"{error} {_pairs(classes).capitalize()} will do too.") from error


def _read_pair(pair: object, classes: Sequence[object]) -> tuple[int, int]:
    if isinstance(pair, tuple) and len(pair) == 2 and all(label in classes for label in pair):
        true, answered = (list(classes).index(label) for label in pair)
        if true != answered:
            return true, answered
    raise InputError(f"class_costs must be given by {_pairs(classes)}, got {pair!r}.")


def _pairs(classes: Sequence[object]) -> str:
    return f"pairs (class, class answered) of two different classes of {preview(classes)}"


def _cost_of_pair(cost: object, pair: object) -> Fraction:
    number = read_class_costs({pair: cost}, [pair])
    assert number is not None  # there is a cost
    return number[0]


def read_class_costs(costs: object, classes: Sequence[object]) -> tuple[Fraction, ...] | None:
    """Read class_costs: numbers above 0 by class, 1 for the others; None for no costs.

    Examples
    --------
    >>> read_class_costs({"ill": 2.5}, ["ill", "well"])
    (Fraction(5, 2), Fraction(1, 1))
    """
    if costs is None:
        return None
    if not isinstance(costs, Mapping) or any(label not in classes for label in costs):
        found = preview(list(costs)) if isinstance(costs, Mapping) else repr(costs)
        raise InputError(
            f"class_costs must be a dict with a number for some of the classes {preview(classes)}; "
            f"found {found}."
        )
    return tuple(_read_cost(costs.get(label, 1), label) for label in classes)


def _read_cost(cost: object, label: object) -> Fraction:
    try:
        read = read_penalty(cost, "class_costs")
    except InputError:
        read = math.nan
    if isinstance(read, Fraction) and 1 <= read * MAX_COST <= MAX_COST**2:
        return read
    raise InputError(
        f"class_costs must be numbers above 0, from {1 / MAX_COST:g} to {MAX_COST:g}; "
        f"found {cost!r} for class {label!r}."
    )


def read_penalty(p: object, name: str = "penalty") -> Fraction | float:
    """Read a penalty: a number of 0 or more, to the decimals that were typed, or infinity.

    Examples
    --------
    >>> read_penalty(1.1)
    Fraction(11, 10)
    """
    numbers = int | float | np.integer | np.floating | Fraction
    if isinstance(p, bool) or not isinstance(p, numbers):
        raise InputError(f"{name} must be a number of 0 or more, or infinity, got {p!r}.")
    if p != p or p < 0:
        raise InputError(f"{name} must be a number of 0 or more, or infinity, got {p}.")
    if p > sys.float_info.max:
        return math.inf
    return p if isinstance(p, Fraction) else Fraction(repr(float(p)))
