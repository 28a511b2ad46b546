"""The objects of threshold conjunctions, and the enumeration of the rules on them."""

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

MIN_VISITED_RULES = 50_000
"""Minimum number of rules visited before a small share ends the visit."""


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
        """Objects from the arguments of the public functions, after checking them."""
        positive = _flags(target, "target")
        L = positive.size
        if L == 0:
            raise InputError("target is empty: at least one object is needed.")
        if L > MAX_OBJECTS:
            raise InputError(
                f"The number of objects must be at most {MAX_OBJECTS}, got {L}. Use a sample of "
                "them."
            )
        table = _table(X, L, len(signs))
        allowed = np.ones(L, np.bool_) if possible is None else _flags(possible, "possible")
        if allowed.size != L:
            raise InputError(
                f"possible must have a value for each of {L} objects, got {allowed.size}."
            )
        return cls(tuple(table.T), _at_least(signs), positive, allowed)

    @property
    def size(self) -> int:
        """Number of objects."""
        return self.positive.size

    def visit(
        self,
        trained: int,
        layers: int | None,
        budget: int,
        *,
        share: float = 0.0,
        min_deviation: int = 1,
        thresholds: bool = False,
    ) -> Visit:
        """Visit the rules in the order of their errors."""
        if layers is not None and index(layers) < 0:
            raise InputError(f"layers must be 0 or more, or None for all, got {layers}.")
        if index(budget) < 1:
            raise InputError(f"budget must be 1 or more, got {budget}.")
        if not 0 <= share < 1:
            raise InputError(f"share must be in [0, 1), got {share}.")
        return visit_rules(
            self.columns,
            self.at_least,
            self.positive,
            self.possible,
            trained,
            budget=budget,
            layers=layers,
            always=MIN_VISITED_RULES,
            share=share,
            min_deviation=min_deviation,
            thresholds=thresholds,
        )


def _at_least(signs: Signs) -> Flags:
    """Whether the term of each column is ``x >= t``."""
    meanings = {"<=": False, ">=": True, -1: False, 1: True}
    kinds = str | int | np.integer
    wrong = [sign for sign in signs if not isinstance(sign, kinds) or sign not in meanings]
    if wrong:
        raise InputError(f'signs must be "<=" or ">=" (or -1 or 1), got {preview(wrong)}.')
    return np.array([meanings[sign] for sign in signs], np.bool_)


def _flags(values: ArrayLike, name: str) -> Flags:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name} must be one-dimensional, got shape {array.shape}.")
    if array.size == 0:
        return array.astype(np.bool_)
    return np.ascontiguousarray(as_flags(array, name))


def _table(X: ArrayLike, L: int, columns: int) -> NDArray[np.float64]:
    try:
        table = np.asarray(X, np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(
            "X must be a matrix of numbers with one row per object, NaN where a value is missing."
        ) from error
    if table.shape != (L, columns):
        raise InputError(
            f"X must have one row per object of target and one column per sign, {L} x {columns}, "
            f"got shape {table.shape}."
        )
    return table
