"""Objects that conjunctions of thresholds are made from, and the visit to their rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulewright.bounds.sc import Flags, as_flags
from rulewright.errors import InputError, preview
from rulewright.kernels import MAX_OBJECTS, Visit, visit_rules

Signs = Sequence[str | int]

ALWAYS = 50_000
"""So many rules are visited however little they add."""


@dataclass(frozen=True, slots=True)
class Objects:
    """Columns, directions and classes that rules are made from."""

    columns: tuple[NDArray[np.float64], ...]
    at_least: Flags
    positive: Flags
    possible: Flags

    @classmethod
    def of(
        cls, X: ArrayLike, target: ArrayLike, signs: Signs, possible: ArrayLike | None = None
    ) -> Objects:
        """Check what was given."""
        positive = _flags(target, "target")
        L = positive.size
        if L == 0:
            raise InputError("There are no objects: target is empty.")
        if L > MAX_OBJECTS:
            raise InputError(
                f"At most {MAX_OBJECTS} objects can be handled, found {L}. Take a sample of them."
            )
        table = _table(X, L, len(signs))
        allowed = np.ones(L, np.bool_) if possible is None else _flags(possible, "possible")
        if allowed.size != L:
            raise InputError(f"possible must say it of each of {L} objects, found {allowed.size}.")
        return cls(tuple(table.T), _at_least(signs), positive, allowed)

    @property
    def size(self) -> int:
        """How many objects there are."""
        return self.positive.size

    def visit(
        self,
        trained: int,
        layers: int | None,
        budget: int,
        *,
        share: float = 0.0,
        least: int = 1,
        thresholds: bool = False,
    ) -> Visit:
        """Visit the rules, the best first."""
        if layers is not None and index(layers) < 0:
            raise InputError(f"layers must be 0 or more, or None for all, not {layers}.")
        if index(budget) < 1:
            raise InputError(f"budget must be at least 1 rule, not {budget}.")
        if not 0 <= share < 1:
            raise InputError(f"share must be at least 0 and below 1, not {share}.")
        return visit_rules(
            self.columns,
            self.at_least,
            self.positive,
            self.possible,
            trained,
            budget=budget,
            layers=layers,
            always=ALWAYS,
            share=share,
            least=least,
            thresholds=thresholds,
        )


def _at_least(signs: Signs) -> Flags:
    """Tell which columns' terms are ``x >= t``."""
    meanings = {"<=": False, ">=": True, -1: False, 1: True}
    kinds = str | int | np.integer
    wrong = [sign for sign in signs if not isinstance(sign, kinds) or sign not in meanings]
    if wrong:
        raise InputError(f'signs must be "<=" or ">=" (or -1 or 1), found {preview(wrong)}.')
    return np.array([meanings[sign] for sign in signs], np.bool_)


def _flags(values: ArrayLike, name: str) -> Flags:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name} must be one-dimensional, found an array of shape {array.shape}.")
    if array.size == 0:
        return array.astype(np.bool_)
    return np.ascontiguousarray(as_flags(array, name))


def _table(X: ArrayLike, L: int, columns: int) -> NDArray[np.float64]:
    try:
        table = np.asarray(X, np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(
            "X must be a matrix of numbers, one row an object, NaN where a value is missing."
        ) from error
    if table.shape != (L, columns):
        raise InputError(
            f"X must have one row an object and one column a sign: {L} x {columns}, as target and "
            f"signs say, found an array of shape {table.shape}."
        )
    return table
